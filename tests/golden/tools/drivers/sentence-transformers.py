"""sentence-transformers InformationRetrievalEvaluator.compute_metrics on prepared lists. Run with `python -P`.

No model is loaded: torch and the similarity module are empty stand-ins, which compute_metrics does not use.
Relevant: grade above 0. Queries are evaluated one by one as well, because the evaluator returns a mean.
"""
import importlib.util, json, sys, types
from collections import defaultdict
from unittest.mock import MagicMock


def enter(package):
    spec = importlib.util.find_spec(package)
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = list(spec.submodule_search_locations)


for package in ("", ".base", ".base.evaluation", ".util", ".sentence_transformer", ".sentence_transformer.evaluation"):
    enter("sentence_transformers" + package)
sys.modules["torch"] = sys.modules["sentence_transformers.util.similarity"] = MagicMock()
from sentence_transformers.sentence_transformer.evaluation.information_retrieval import InformationRetrievalEvaluator


def ndcg(topics):
    evaluator = InformationRetrievalEvaluator({t: t for t in topics}, corpus, relevant)
    lists = [[{"corpus_id": d, "score": s} for d, s in run[t]] for t in evaluator.queries_ids]
    return float(evaluator.compute_metrics(lists)["ndcg@k"][10]) if lists else None


relevant, corpus, run = defaultdict(set), {}, defaultdict(list)
for line in open(sys.argv[1]):
    topic, _, doc, grade = line.split()
    corpus[doc] = doc
    relevant[topic].update([doc] if int(grade) > 0 else [])
for line in open(sys.argv[2]):
    topic, _, doc, _, score, _ = line.split()
    corpus[doc] = doc
    run[topic].append((doc, float(score)))
topics = sorted(set(relevant) | set(run))
scores = {topic: ndcg([topic]) for topic in topics}
scores = {topic: score for topic, score in scores.items() if score is not None}
print(json.dumps({"queries": scores, "mean": ndcg(topics)}))
