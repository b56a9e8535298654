"""trec_eval ndcg_cut.10. Arguments: qrels, run, then trec_eval's own options (-c). TREC_EVAL names the binary."""
import json, os, subprocess, sys

qrels, run, *options = sys.argv[1:]
out = subprocess.run([os.environ["TREC_EVAL"], "-q", *options, "-m", "ndcg_cut.10", qrels, run],
                     capture_output=True, text=True, timeout=60)
scores = {topic: float(value) for _, topic, value in map(str.split, out.stdout.splitlines())}
mean = scores.pop("all", None)
print(json.dumps({"exit": out.returncode, "message": out.stderr.strip(), "queries": scores, "mean": mean}))
