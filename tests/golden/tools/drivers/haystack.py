"""haystack DocumentNDCGEvaluator on the first ten returned documents. Run with `python -P`.

Ground truth: every judged document with its grade as score, negative ones too. One row for each judged topic.
"""
import json, sys
from collections import defaultdict
from haystack import Document
from haystack.components.evaluators.document_ndcg import DocumentNDCGEvaluator

qrels, run = defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    qrels[topic].append(Document(id=doc, content=doc, score=float(grade)))
for line in open(sys.argv[2]):
    topic, _, doc, *_ = line.split()
    run[topic].append(Document(id=doc, content=doc))
truth, returned = list(qrels.values()), [run[topic][:10] for topic in qrels]
result = DocumentNDCGEvaluator().run(ground_truth_documents=truth, retrieved_documents=returned)
print(json.dumps({"queries": dict(zip(qrels, result["individual_scores"])), "mean": result["score"]}))
