"""MTEB ndcg_at_10, from the functions its RetrievalEvaluator calls. Run with `python -P`.

The packages around the metric module are entered without running their own imports (torch, datasets).
"""
import importlib.util, json, sys, types
import pytrec_eval


def enter(package):
    spec = importlib.util.find_spec(package)
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = list(spec.submodule_search_locations)


for package in ("mteb", "mteb._evaluators", "mteb.types"):
    enter(package)
from mteb.types._result import RetrievalEvaluationResult

sys.modules["mteb.types"].RetrievalEvaluationResult = RetrievalEvaluationResult
from mteb._evaluators.retrieval_metrics import calculate_retrieval_scores

with open(sys.argv[1]) as qrels_file, open(sys.argv[2]) as run_file:
    qrels, run = dict(pytrec_eval.parse_qrel(qrels_file)), dict(pytrec_eval.parse_run(run_file))
result = calculate_retrieval_scores(run, qrels, [1, 3, 5, 10, 100])
scores = {topic: score["ndcg_cut_10"] for topic, score in result.all_scores.items()}
print(json.dumps({"queries": scores, "mean": result.ndcg["NDCG@10"]}))
