"""pytrec_eval ndcg_cut_10. Run with `python -P` so that this file does not hide the package it imports."""
import json, sys
import pytrec_eval

with open(sys.argv[1]) as qrels_file, open(sys.argv[2]) as run_file:
    qrels, run = pytrec_eval.parse_qrel(qrels_file), pytrec_eval.parse_run(run_file)
results = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"}).evaluate(run)
scores = {topic: result["ndcg_cut_10"] for topic, result in results.items()}
mean = pytrec_eval.compute_aggregated_measure("ndcg_cut_10", list(scores.values()))
print(json.dumps({"queries": scores, "mean": mean}))
