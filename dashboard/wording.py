"""Labels and help texts, each once. No Streamlit, no numbers."""

from core.policy import GainTable

FIELD_LABELS = {
    "cutoff": "Cutoff k",
    "gain": "Gain",
    "discount": "Discount",
    "ideal_scope": "Ideal list",
    "ideal_depth": "Ideal depth",
    "order": "Order of a run",
    "ties": "Tied scores",
    "score_precision": "Score precision",
    "duplicates": "Repeated documents",
    "self_matches": "Self matches",
    "unjudged": "Unjudged documents",
    "negative_grades": "Negative grades",
    "missing_query": "Missing queries",
    "empty_query": "Empty rankings",
    "extra_query": "Extra queries",
    "zero_idcg": "Zero-IDCG queries",
    "average": "Average",
    "relevance_level": "Relevant from grade",
}

FIELD_HELP = {
    "cutoff": "Ranks that count. Choose one, or type any whole number.",
    "gain": "What a grade is worth: the grade g, 2^g − 1, or a table of your own.",
    "discount": "What a rank costs. The original discount of 2002 leaves ranks 1 and 2 whole.",
    "ideal_scope": (
        "What the ideal ranking is made of: every judged document, those that any run returned, or "
        "those that the run itself returned. “This run” takes only what the run itself returned: "
        "what it missed leaves the denominator too, so values are not comparable between systems."
    ),
    "ideal_depth": "Where the ideal ranking ends.",
    "order": "What orders a run's documents.",
    "ties": "Order of documents with equal scores. “Mean” averages over all orders of a tie.",
    "score_precision": (
        "trec_eval up to version 9 rounds scores to float32 before it looks for ties."
    ),
    "duplicates": "A document listed twice for one query.",
    "self_matches": "Documents whose id equals the query's id. BEIR removes them by default.",
    "unjudged": (
        "Documents without a judgment. Nobody knows whether they are relevant; each rule assumes "
        "something else."
    ),
    "negative_grades": "Grades below 0, as some TREC tracks give for spam.",
    "missing_query": "Judged queries that a run does not hold: it did not run them.",
    "empty_query": "Judged queries that a run holds without a document: it returned nothing.",
    "extra_query": "Queries of a run that the judgments do not have.",
    "zero_idcg": "Queries whose ideal ranking gains nothing, so that NDCG is 0 divided by 0.",
    "average": "Macro: every query weighs the same. Pooled: sum of DCG over sum of IDCG.",
    "relevance_level": "For precision, recall, reciprocal rank and average precision only.",
}

OPTION_LABELS: dict[str, dict[str, str]] = {
    "cutoff": {"all": "whole ranking"},
    "gain": {"linear": "g", "exponential": "2^g − 1", "table": "table"},
    "discount": {"log2": "log2(rank+1)", "original": "original"},
    "ideal_scope": {"judged": "judged", "any_run": "any run", "this_run": "this run"},
    "ideal_depth": {"cutoff": "to k", "full": "full", "returned": "returned"},
    "order": {"score": "score", "rank_column": "rank column", "as_listed": "as listed"},
    "ties": {
        "docid_descending": "document id, descending",
        "docid_ascending": "document id, ascending",
        "as_listed": "as listed",
        "expected": "mean over all orders",
        "refuse": "refuse",
    },
    "score_precision": {"float64": "float64", "float32": "float32"},
    "duplicates": {"refuse": "refuse", "keep_first": "keep first"},
    "self_matches": {"keep": "keep", "remove": "remove"},
    "unjudged": {
        "zero": "count as 0",
        "condense": "remove",
        "refuse": "refuse in top k",
        "refuse_any": "refuse anywhere",
    },
    "negative_grades": {
        "zero": "gain 0",
        "as_unjudged": "as unjudged",
        "raw": "raw",
        "refuse": "refuse",
    },
    "missing_query": {"zero": "as 0", "leave_out": "leave out", "refuse": "refuse"},
    "empty_query": {"zero": "as 0", "leave_out": "leave out", "refuse": "refuse"},
    "extra_query": {"ignore": "ignore", "zero": "as 0", "refuse": "refuse"},
    "zero_idcg": {"zero": "as 0", "leave_out": "leave out", "one": "as 1"},
    "average": {"macro": "macro mean", "pooled": "pooled ratio"},
}

STATES = {
    "scored": "",
    "missing": "missing, counts 0",
    "empty": "empty, counts 0",
    "left_out_zero_idcg": "left out: IDCG 0",
    "left_out_missing": "left out: missing",
    "left_out_empty": "left out: empty",
}

ANSWERS = (
    "NDCG speaks of ranking. It does not say whether an answer written from these documents is "
    "right, cites the right sentence, or leaves out a caveat."
)
THIS_RUN = (
    "The ideal list is made only of what each run returned, so what a run missed has left its "
    "denominator, too."
)
NOT_TESTED = "Whether chance could make a difference of this size is not tested here."


def option_label(field: str, option: object) -> str:
    """Label of one option of a policy field."""
    if isinstance(option, GainTable):
        return f"table {option}"
    return OPTION_LABELS.get(field, {}).get(str(option), str(option))


def switch_label(field: str, option: object) -> str:
    """Label of a field set to an option: `Unjudged documents: remove`."""
    return f"{FIELD_LABELS[field]}: {option_label(field, option)}"


SAMPLES = (
    "Sample runs: ten retrievers on the handbook of a ferry line that does not exist. "
    "Add your own files under Data."
)
WALK_TITLE = "A walk of one minute"
WALK = (
    "Press “Count as 0” below: that is what unjudged documents count for until you say otherwise. "
    "rerank is last, with 0.381.",
    "In the sidebar set “Ideal list” to “this run”, and “Zero-IDCG queries” to “leave out”. Now "
    "rerank leads with 0.980: it found no more than before, but what it missed has left the "
    "denominator, too.",
    "Press “Reset”, then set “Unjudged documents” to “remove”: dense-64 moves ahead of "
    "char-ngrams. Policy effects lists every switch that changes the order.",
    "Under Queries choose rerank and open q10, where it scores 0.275 although its own list is in "
    "the best order it could be: the ideal ranking begins with a page that it never found.",
)
NO_JUDGMENTS = (
    "There are no judgments to score against yet. Add one qrels file under Data; every run is "
    "scored against it."
)
NO_USABLE_RUNS = (
    "None of the runs can be scored against these judgments; the reasons are given above."
)
WAITING = "Waiting for judgments: add one qrels file."
NO_RUNS = "There is no run to score yet. Add one or more run files under Data."
