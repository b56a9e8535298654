"""scikit-learn ndcg_score(k=10) on the returned documents of each query only; an unjudged document has grade 0."""
import json, statistics, sys
from collections import defaultdict
from sklearn.metrics import ndcg_score

qrels, run = defaultdict(dict), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    qrels[topic][doc] = int(grade)
for line in open(sys.argv[2]):
    topic, _, doc, _, score, _ = line.split()
    run[topic].append((doc, float(score)))
scores, errors = {}, {}
for topic in sorted(set(qrels) | set(run)):
    grades = [qrels[topic].get(doc, 0) for doc, _ in run[topic]]
    try:
        scores[topic] = float(ndcg_score([grades], [[score for _, score in run[topic]]], k=10))
    except ValueError as error:
        errors[topic] = str(error).splitlines()[0]
print(json.dumps({"queries": scores, "mean": statistics.fmean(scores.values()), "errors": errors}))
