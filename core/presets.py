"""Named policies, each with the tool, version and source whose rules it follows."""

from dataclasses import dataclass, replace

from core.errors import PolicyError
from core.policy import Policy


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named policy.

    Parameters
    ----------
    name : str
        What the command line and the app call it.
    tool, source : str
        The tool and version whose number it gives, and where its rules were read.
    policy : Policy
        The rules.
    open_fields : tuple of str
        Fields the preset leaves to the reader. Until one is chosen, a number that depends on it
        is provisional.
    """

    name: str
    tool: str
    source: str
    policy: Policy
    open_fields: tuple[str, ...] = ()


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

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="first-run",
            tool="Retriever Dashboard",
            source="what the app opens with; the rule for unjudged documents is left open",
            policy=FIRST_RUN,
            open_fields=("unjudged",),
        ),
        Preset(
            name="strict",
            tool="Retriever Dashboard",
            source="refuses ties that matter, repeated and unjudged documents, negative grades",
            policy=STRICT,
        ),
        Preset(
            name="trec_eval-10-c",
            tool="trec_eval 10.0, -c, ndcg_cut",
            source="m_ndcg_cut.c, form_res_rels.c, trec_eval.c of version 10.0",
            policy=TREC_EVAL_10_C,
        ),
        Preset(
            name="trec_eval-9-c",
            tool="trec_eval 9.0.8, -c, ndcg_cut",
            source="m_ndcg_cut.c, form_res_rels.c, trec_eval.c of version 9.0.8",
            policy=TREC_EVAL_9_C,
        ),
        Preset(
            name="trec_eval-9",
            tool="trec_eval 9.0.8, ndcg_cut",
            source="m_ndcg_cut.c, form_res_rels.c, trec_eval.c of version 9.0.8",
            policy=TREC_EVAL_9,
        ),
    )
}


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
