"""LightGBM eval metric ndcg@10 of given scores. Run with `python -P`.

A one-leaf training that changes nothing: init_score holds the run's scores, the single feature is constant.
Groups are queries with returned documents, an unjudged document has label 0. label_gain 0, 1, 3, 7, ... is its default.
"""
import json, sys
from collections import defaultdict
import lightgbm, numpy


def ndcg(topics):
    labels = [qrels[t].get(doc, 0) for t in topics for doc, _ in run[t]]
    scores = [score for t in topics for _, score in run[t]]
    data = lightgbm.Dataset(numpy.zeros((len(labels), 1)), labels, group=[len(run[t]) for t in topics], init_score=scores)
    record = {}
    lightgbm.train({"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "verbose": -1}, data, 1,
                   valid_sets=[data], callbacks=[lightgbm.record_evaluation(record)])
    return record["training"]["ndcg@10"][0]


qrels, run = defaultdict(dict), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    qrels[topic][doc] = int(grade)
for line in open(sys.argv[2]):
    topic, _, doc, _, score, _ = line.split()
    run[topic].append((doc, float(score)))
topics = sorted(run)
print(json.dumps({"queries": {t: ndcg([t]) for t in topics}, "mean": ndcg(topics)}))
