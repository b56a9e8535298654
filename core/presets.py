"""Named policies: the tool and version whose number each gives, and how that was checked."""

from dataclasses import dataclass, replace
from typing import Any

from core.errors import PolicyError
from core.policy import Cutoff, Policy

CHECKS = {
    "own": "our own rules",
    "tests": "the tool runs in our tests",
    "once": "the tool was run once; what it printed is kept with our tests",
    "source": "from its source; the tool was not run",
}
"""How it was checked that a preset gives the number of its tool."""


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named policy.

    Parameters
    ----------
    name : str
        What the command line and the app call it.
    tool, version : str
        The tool and the measure of it whose number the preset gives, and its version.
    source : str
        Where its rules were read.
    policy : Policy
        The rules. What the tool refuses, the policy refuses.
    checked : str
        One of `CHECKS`.
    note : str
        What a policy cannot say about the tool.
    digits : int or None
        Decimals the tool prints. None: all of them.
    open_fields : tuple of str
        Fields the preset leaves to the reader. Until one is chosen, a number that depends on it
        is provisional.
    """

    name: str
    tool: str
    version: str
    source: str
    policy: Policy
    checked: str
    note: str = ""
    digits: int | None = None
    open_fields: tuple[str, ...] = ()

    def at(self, cutoff: Cutoff) -> Policy:
        """Return its rules at another cutoff; those without a cutoff keep the whole ranking."""
        return self.policy if self.policy.cutoff == "all" else replace(self.policy, cutoff=cutoff)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "name": self.name,
            "tool": self.tool,
            "version": self.version,
            "fields": self.policy.to_dict(),
            "refuses": [
                field
                for field, option in self.policy.to_dict().items()
                if str(option).startswith("refuse")
            ],
            "open_fields": list(self.open_fields),
            "source": self.source,
            "checked": self.checked,
            "checked_how": CHECKS[self.checked],
            "note": self.note,
            "digits": self.digits,
        }


STRICT = Policy(
    cutoff=10,
    gain="linear",
    discount="log2",
    ideal_scope="judged",
    ideal_depth="cutoff",
    order="score",
    ties="refuse",
    score_precision="float64",
    duplicates="refuse",
    self_matches="keep",
    unjudged="refuse_any",
    negative_grades="refuse",
    missing_query="zero",
    empty_query="zero",
    extra_query="refuse",
    zero_idcg="zero",
    average="macro",
    rounding="none",
    relevance_level=1,
)
"""Refuses whatever would need a choice: the worked example."""

FIRST_RUN = replace(
    STRICT,
    ties="docid_descending",
    unjudged="zero",
    negative_grades="zero",
    extra_query="ignore",
)
"""What the app and the command line start from. The rule for unjudged documents is still open."""

TREC_EVAL_10_C = FIRST_RUN
"""trec_eval 10 with `-c`: missing queries count 0, scores compare as float64."""

TREC_EVAL_9_C = replace(TREC_EVAL_10_C, score_precision="float32")
"""trec_eval 9 with `-c`: the same with scores rounded to float32 before ties are looked for."""

TREC_EVAL_9 = replace(TREC_EVAL_9_C, missing_query="leave_out", empty_query="leave_out")
"""trec_eval 9 without `-c`: queries the run misses are left out of the mean."""

# Its dictionaries can hold an empty ranking, which trec_eval's files cannot.
_PYTREC_EVAL = replace(TREC_EVAL_9, empty_query="zero")
_RANX = replace(TREC_EVAL_10_C, ties="as_listed")
_GDEVAL_C = replace(TREC_EVAL_10_C, gain="exponential", zero_idcg="leave_out")
_TRECTOOLS = replace(
    TREC_EVAL_10_C,
    ties="docid_ascending",
    missing_query="leave_out",
    empty_query="leave_out",
    extra_query="zero",
)
_LISTS = replace(TREC_EVAL_10_C, ties="as_listed")
_CANDIDATES = replace(
    _LISTS,
    ideal_scope="this_run",
    negative_grades="refuse",
    missing_query="leave_out",
    empty_query="leave_out",
)
_LEARNING_TO_RANK = replace(_CANDIDATES, gain="exponential", extra_query="refuse", zero_idcg="one")
_QUEPID = replace(_LISTS, gain="exponential", negative_grades="raw", extra_query="zero")

_TREC_EVAL_SOURCE = "m_ndcg_cut.c, form_res_rels.c, trec_eval.c, trec_format.h"
_TREC_EVAL_NOTE = (
    "A query with negative grades only can end the tool with an error. Here it counts 0."
)
_RANX_NOTE = (
    "Its order within equal scores is undefined: where a tie matters, its number may be another."
)
_RANX_SOURCE = "metrics/ndcg.py, meta/evaluate.py, data_structures/common.py"
_TRECTOOLS_NOTE = (
    "Takes queries from the run, whether they are judged or not. Reads a column of digits as "
    "numbers: there 007 and 7 are one id."
)
_QUEPID_NOTE = (
    "The number of the browser. A query below 0 counts 0 there, and one with negative grades only "
    "counts 1. The evaluation on the server differs."
)
_NO_POSITIVE_IS_ONE = (
    "A query without judgments counts 1 there, if its run holds it; here it is refused."
)

_ALL = (
    Preset(
        name="first-run",
        tool="Retriever Dashboard",
        version="",
        source="what the app opens with; the rule for unjudged documents is left open",
        policy=FIRST_RUN,
        checked="own",
        open_fields=("unjudged",),
    ),
    Preset(
        name="strict",
        tool="Retriever Dashboard",
        version="",
        source="refuses ties that matter, repeated and unjudged documents, negative grades",
        policy=STRICT,
        checked="own",
    ),
    Preset(
        name="trec_eval-10-c",
        tool="trec_eval -c -m ndcg_cut",
        version="10.0",
        source=_TREC_EVAL_SOURCE,
        policy=TREC_EVAL_10_C,
        checked="once",
        note=_TREC_EVAL_NOTE,
        digits=4,
    ),
    Preset(
        name="trec_eval-10",
        tool="trec_eval -m ndcg_cut",
        version="10.0",
        source=_TREC_EVAL_SOURCE,
        policy=replace(TREC_EVAL_10_C, missing_query="refuse", empty_query="refuse"),
        checked="once",
        note="Ends with an error where the run misses a judged query. " + _TREC_EVAL_NOTE,
        digits=4,
    ),
    Preset(
        name="trec_eval-9-c",
        tool="trec_eval -c -m ndcg_cut",
        version="9.0.8",
        source=_TREC_EVAL_SOURCE,
        policy=TREC_EVAL_9_C,
        checked="once",
        note=_TREC_EVAL_NOTE,
        digits=4,
    ),
    Preset(
        name="trec_eval-9",
        tool="trec_eval -m ndcg_cut",
        version="9.0.8",
        source=_TREC_EVAL_SOURCE,
        policy=TREC_EVAL_9,
        checked="once",
        note=_TREC_EVAL_NOTE,
        digits=4,
    ),
    Preset(
        name="pytrec_eval",
        tool="pytrec_eval-terrier ndcg_cut",
        version="0.5.11",
        source="py/__init__.py, and trec_eval 9.0.8, which it builds in",
        policy=_PYTREC_EVAL,
        checked="tests",
        note=_TREC_EVAL_NOTE,
    ),
    Preset(
        name="ir_measures",
        tool="ir_measures nDCG",
        version="0.4.3",
        source="providers/base.py, providers/pytrec_eval_provider.py, measures/ndcg.py",
        policy=TREC_EVAL_9_C,
        checked="tests",
        note=_TREC_EVAL_NOTE,
    ),
    Preset(
        name="beir",
        tool="BEIR EvaluateRetrieval.evaluate",
        version="2.2.0",
        source="retrieval/evaluation.py; it asks pytrec_eval",
        policy=replace(_PYTREC_EVAL, self_matches="remove"),
        checked="once",
        note="Takes documents whose id is the query's out of the run, unless told otherwise.",
        digits=5,
    ),
    Preset(
        name="mteb",
        tool="MTEB retrieval evaluator",
        version="2.26.24",
        source="_evaluators/retrieval_metrics.py, _evaluators/retrieval_evaluator.py",
        policy=replace(_PYTREC_EVAL, extra_query="refuse"),
        checked="once",
        note="Ends with an error where the run holds a query without judgments. Some of its tasks "
        "take self matches out; then set self_matches=remove.",
        digits=5,
    ),
    Preset(
        name="ranx",
        tool="ranx ndcg, make_comparable=True",
        version="0.3.21",
        source=_RANX_SOURCE,
        policy=_RANX,
        checked="tests",
        note=_RANX_NOTE,
    ),
    Preset(
        name="ranx-burges",
        tool="ranx ndcg_burges, make_comparable=True",
        version="0.3.21",
        source=_RANX_SOURCE,
        policy=replace(_RANX, gain="exponential"),
        checked="tests",
        note=_RANX_NOTE,
    ),
    Preset(
        name="ranx-strict",
        tool="ranx ndcg",
        version="0.3.21",
        source=_RANX_SOURCE,
        policy=replace(_RANX, missing_query="refuse", extra_query="refuse"),
        checked="tests",
        note="Without make_comparable, it ends with an error unless run and judgments hold the "
        "same queries. " + _RANX_NOTE,
    ),
    Preset(
        name="gdeval-1.3",
        tool="gdeval.pl",
        version="1.3",
        source="gdeval.pl as published with the TREC 2014 Web Track",
        policy=replace(_GDEVAL_C, missing_query="leave_out", empty_query="leave_out"),
        checked="once",
        note="Queries with nothing relevant in the judgments are left out.",
        digits=5,
    ),
    Preset(
        name="gdeval-1.3-c",
        tool="gdeval.pl -c",
        version="1.3",
        source="gdeval.pl as published with the TREC 2014 Web Track",
        policy=_GDEVAL_C,
        checked="once",
        note="Queries with nothing relevant in the judgments are left out.",
        digits=5,
    ),
    Preset(
        name="trectools",
        tool="trectools get_ndcg",
        version="0.0.50",
        source="trec_eval.py, trec_run.py",
        policy=_TRECTOOLS,
        checked="tests",
        note=_TRECTOOLS_NOTE,
    ),
    Preset(
        name="trectools-exponential",
        tool="trectools get_ndcg, trec_eval=False",
        version="0.0.50",
        source="trec_eval.py, trec_run.py",
        policy=replace(_TRECTOOLS, gain="exponential"),
        checked="tests",
        note=_TRECTOOLS_NOTE,
    ),
    Preset(
        name="sklearn-candidates",
        tool="scikit-learn ndcg_score on the documents a run returned",
        version="1.9.1",
        source="metrics/_ranking.py",
        policy=replace(_CANDIDATES, ties="expected", extra_query="zero"),
        checked="tests",
        note="Knows only what it is given: what the run missed is not in its ideal ranking. Ends "
        "with an error on a list of one document; here such a list is scored. A negative grade "
        "matters to it only if its document was returned; here any is refused.",
    ),
    Preset(
        name="sentence-transformers",
        tool="sentence-transformers InformationRetrievalEvaluator",
        version="6.3.0",
        source="InformationRetrievalEvaluator.py",
        policy=replace(
            TREC_EVAL_10_C, gain="binary", ties="docid_ascending", zero_idcg="leave_out"
        ),
        checked="once",
    ),
    Preset(
        name="haystack",
        tool="Haystack DocumentNDCGEvaluator",
        version="3.4.1",
        source="document_ndcg.py",
        policy=replace(_LISTS, cutoff="all", ideal_depth="full", negative_grades="raw"),
        checked="once",
        note="Has no cutoff: give it a run that ends where you want to cut.",
    ),
    Preset(
        name="llama_index",
        tool="LlamaIndex NDCG of a retriever",
        version="llama-index-core 0.14.25",
        source="evaluation/retrieval/metrics.py",
        policy=replace(
            _LISTS,
            gain="binary",
            ideal_depth="full",
            missing_query="leave_out",
            empty_query="leave_out",
            zero_idcg="leave_out",
        ),
        checked="once",
        note="Ends with an error on a query without results or without a relevant document; here "
        "such queries are left out.",
    ),
    Preset(
        name="mlflow",
        tool="MLflow ndcg_at_k",
        version="3.18.0",
        source="metrics/metric_definitions.py",
        policy=replace(_LISTS, gain="binary", ideal_depth="returned", extra_query="zero"),
        checked="once",
        note="A query with neither results nor a relevant document counts 1 there, here 0.",
    ),
    Preset(
        name="elasticsearch",
        tool="Elasticsearch rank_eval dcg, normalize",
        version="d04e400",
        source="DiscountedCumulativeGain.java, EvaluationMetric.java",
        policy=replace(_LISTS, gain="exponential", ideal_depth="returned", negative_grades="raw"),
        checked="source",
        note="A query with negative grades only counts 1 there, if one of them was returned.",
    ),
    Preset(
        name="opensearch",
        tool="OpenSearch search relevance workbench NDCG",
        version="d8be5d1",
        source="Evaluation.java, metrics_summary.tsx",
        policy=replace(
            _LISTS,
            gain="exponential",
            negative_grades="raw",
            missing_query="leave_out",
            empty_query="leave_out",
            extra_query="zero",
            rounding="two_decimals",
        ),
        checked="once",
        note="Its class of measures was run; the mean over queries was read.",
    ),
    Preset(
        name="quepid-ndcg",
        tool="Quepid NDCG@10",
        version="8.6.0",
        source="db/scorers/ndcg@10.js, ScorerFactory.js, queriesSvc.js",
        policy=replace(_QUEPID, ideal_depth="full"),
        checked="once",
        note=_QUEPID_NOTE,
    ),
    Preset(
        name="quepid-ndcg-cut",
        tool="Quepid NDCG_CUT@10",
        version="8.6.0",
        source="db/scorers/ndcg_cut@10.js, ScorerFactory.js, queriesSvc.js",
        policy=_QUEPID,
        checked="once",
        note=_QUEPID_NOTE,
    ),
    Preset(
        name="lightgbm",
        tool="LightGBM metric ndcg",
        version="4.7.0",
        source="src/metric/rank_metric.hpp, src/metric/dcg_calculator.cpp",
        policy=_LEARNING_TO_RANK,
        checked="once",
        note="With the usual label_gain. " + _NO_POSITIVE_IS_ONE,
    ),
    Preset(
        name="xgboost",
        tool="XGBoost metric ndcg",
        version="3.2.0",
        source="src/metric/rank_metric.cc, src/common/ranking_utils.h",
        policy=replace(_LEARNING_TO_RANK, score_precision="float32"),
        checked="once",
        note=_NO_POSITIVE_IS_ONE,
    ),
    Preset(
        name="xgboost-minus",
        tool="XGBoost metric ndcg@10-",
        version="3.2.0",
        source="src/metric/rank_metric.cc, src/common/ranking_utils.h",
        policy=replace(
            _LEARNING_TO_RANK, score_precision="float32", extra_query="zero", zero_idcg="zero"
        ),
        checked="once",
    ),
)

PRESETS: dict[str, Preset] = {preset.name: preset for preset in _ALL}


def preset(name: str) -> Preset:
    """Look a preset up by name.

    Raises
    ------
    PolicyError
        There is no such preset.
    """
    if name not in PRESETS:
        raise PolicyError("preset", f"preset must be one of {', '.join(PRESETS)}, not {name!r}.")
    return PRESETS[name]
