"""trectools NDCG@10. Third argument "exponential" turns its trec_eval flag off. Run with `python -P`.

The per-query table holds NaN for a query with nothing relevant in the first ten; written as null.
"""
import json, math, sys
from trectools import TrecEval, TrecQrel, TrecRun

linear = "exponential" not in sys.argv[3:]
tool = TrecEval(TrecRun(sys.argv[2]), TrecQrel(sys.argv[1]))
table = tool.get_ndcg(depth=10, per_query=True, trec_eval=linear)["NDCG@10"]
scores = {str(topic): None if math.isnan(value) else float(value) for topic, value in table.items()}
print(json.dumps({"queries": scores, "mean": float(tool.get_ndcg(depth=10, trec_eval=linear))}))
