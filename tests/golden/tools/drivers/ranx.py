"""ranx. Arguments: qrels, run, the metric, and "comparable" for make_comparable=True. Run with `python -P`."""
import json, sys
from ranx import Qrels, Run, evaluate

qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
metric, comparable = sys.argv[3], "comparable" in sys.argv[4:]
mean = evaluate(qrels, run, metric, make_comparable=comparable)
print(json.dumps({"queries": {t: float(v) for t, v in run.scores[metric].items()}, "mean": float(mean)}))
