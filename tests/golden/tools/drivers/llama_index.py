"""LlamaIndex NDCG (default mode) on the first ten returned ids. Run with `python -P`. Relevant: grade above 0.

The package is entered without its own imports. It scores one query at a time and raises on an empty list;
the mean here is over the queries it scores.
"""
import importlib.util, json, statistics, sys, types
from collections import defaultdict


def enter(package):
    spec = importlib.util.find_spec(package)
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = list(spec.submodule_search_locations)


for package in ("", ".core", ".core.bridge", ".core.evaluation", ".core.evaluation.retrieval"):
    enter("llama_index" + package)
from llama_index.core.evaluation.retrieval.metrics import NDCG

relevant, run = defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    relevant[topic] += [doc] if int(grade) > 0 else []
for line in open(sys.argv[2]):
    topic, _, doc, *_ = line.split()
    run[topic].append(doc)
scores, errors = {}, {}
for topic in sorted(set(relevant) | set(run)):
    try:
        scores[topic] = NDCG().compute(expected_ids=relevant[topic], retrieved_ids=run[topic][:10]).score
    except ValueError as error:
        errors[topic] = str(error)
print(json.dumps({"queries": scores, "mean": statistics.fmean(scores.values()), "errors": errors}))
