"""MLflow ndcg_at_k(10), its scoring function. Run with `python -P`. Relevant: grade above 0.

The mlflow package is entered without its own imports; two small modules it needs are stand-ins.
One row for each topic of either file, lists in file order.
"""
import importlib.util, json, sys, types
from collections import defaultdict
from unittest.mock import MagicMock
import pandas


def enter(package):
    spec = importlib.util.find_spec(package)
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = list(spec.submodule_search_locations)


for package in ("mlflow", "mlflow.metrics"):
    enter(package)
for module in ("mlflow.environment_variables", "mlflow.utils", "mlflow.utils.validation"):
    sys.modules[module] = MagicMock()
from mlflow.metrics.metric_definitions import _ndcg_at_k_eval_fn

relevant, run = defaultdict(list), defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    relevant[topic] += [doc] if int(grade) > 0 else []
for line in open(sys.argv[2]):
    topic, _, doc, *_ = line.split()
    run[topic].append(doc)
topics = sorted(set(relevant) | set(run))
result = _ndcg_at_k_eval_fn(10)(pandas.Series([run[t] for t in topics]), pandas.Series([relevant[t] for t in topics]))
scores = {topic: float(score) for topic, score in zip(topics, result.scores)}
print(json.dumps({"queries": scores, "mean": float(result.aggregate_results["mean"])}))
