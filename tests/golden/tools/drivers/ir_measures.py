"""ir_measures nDCG@10. Run with `python -P` so that this file does not hide the package it imports."""
import json, sys
import ir_measures
from ir_measures import nDCG

qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
run = list(ir_measures.read_trec_run(sys.argv[2]))
scores = {m.query_id: m.value for m in ir_measures.iter_calc([nDCG @ 10], qrels, run)}
mean = ir_measures.calc_aggregate([nDCG @ 10], qrels, run)[nDCG @ 10]
print(json.dumps({"queries": scores, "mean": mean}))
