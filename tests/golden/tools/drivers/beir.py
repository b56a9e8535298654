"""BEIR NDCG@10 with its default (self-matches removed). Run with `python -P`: this file has the package's name.

The package reports a mean only, so each query is evaluated alone too; it stores five decimals.
A query its mean does not count leaves nothing to average when alone (ZeroDivisionError) and is not listed.
"""
import json, sys
import pytrec_eval
from beir.retrieval.evaluation import EvaluateRetrieval


def ndcg(qrels, run):
    copy = {topic: dict(docs) for topic, docs in run.items()}  # evaluate() deletes self-matches in place
    return EvaluateRetrieval.evaluate(qrels, copy, [10])[0]["NDCG@10"]


with open(sys.argv[1]) as qrels_file, open(sys.argv[2]) as run_file:
    qrels, run = dict(pytrec_eval.parse_qrel(qrels_file)), dict(pytrec_eval.parse_run(run_file))
scores = {}
for topic in sorted(set(qrels) | set(run)):
    try:
        scores[topic] = ndcg({t: qrels[t] for t in qrels if t == topic}, {t: run[t] for t in run if t == topic})
    except ZeroDivisionError:
        pass
print(json.dumps({"queries": scores, "mean": ndcg(qrels, run)}))
