"""gdeval.pl ndcg@10. Arguments: qrels, run, then gdeval's own options (-c). GDEVAL names the script."""
import csv, json, os, subprocess, sys

qrels, run, *options = sys.argv[1:]
out = subprocess.run(["perl", os.environ["GDEVAL"], "-k", "10", *options, qrels, run],
                     capture_output=True, text=True, timeout=60)
rows = list(csv.DictReader(out.stdout.splitlines()))
scores = {row["topic"]: float(row["ndcg@10"]) for row in rows}
mean = scores.pop("amean", None)
print(json.dumps({"exit": out.returncode, "message": out.stderr.strip(), "queries": scores, "mean": mean}))
