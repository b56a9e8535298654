"""XGBoost eval metric of given scores; third argument the metric, "ndcg@10" or "ndcg@10-". Run with `python -P`.

A booster with no trees: base_margin holds the run's scores, so those are its predictions.
Groups are queries with returned documents, an unjudged document has label 0.
"""
import json, sys
from collections import defaultdict
import numpy, xgboost

metric = sys.argv[3] if len(sys.argv) > 3 else "ndcg@10"


def ndcg(topics):
    labels = [qrels[t].get(doc, 0) for t in topics for doc, _ in run[t]]
    data = xgboost.DMatrix(numpy.zeros((len(labels), 1)), labels)
    data.set_group([len(run[t]) for t in topics])
    data.set_base_margin([score for t in topics for _, score in run[t]])
    booster = xgboost.train({"objective": "rank:ndcg", "eval_metric": metric}, data, 0)
    return float(booster.eval(data).split(":")[-1])


qrels, run = defaultdict(dict), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    qrels[topic][doc] = int(grade)
for line in open(sys.argv[2]):
    topic, _, doc, _, score, _ = line.split()
    run[topic].append((doc, float(score)))
topics = sorted(run)
print(json.dumps({"queries": {t: ndcg([t]) for t in topics}, "mean": ndcg(topics)}))
