"""An evaluation as plain JSON values: what was scored, by which rules, with every count."""

from collections.abc import Sequence
from dataclasses import fields
from math import isnan
from typing import Any

from core.cautions import notices
from core.judgments import Judgments
from core.policy import Policy
from core.runs import Run
from core.scores import STATES, Aggregate, QueryScores, aggregate


def record(judgments: Judgments, policy: Policy, systems: Sequence[QueryScores]) -> dict[str, Any]:
    """Write an evaluation down, in full float precision.

    Returns
    -------
    dict
        `policy`, `judgments` (`fingerprint`, `queries`, `judged`, `scale`, `notices`) and
        `systems`, each with `name`, `aggregate`, `queries`, `collapse` (the rule that made
        documents of chunks, or null) and `notices`. Judgments and systems also have `source` (the
        file's name), `format` (what the file was read as; null: not from a file) and `columns`
        (those that somebody named, by what they mean).
    """
    return {
        "policy": policy.to_dict(),
        "judgments": {
            **_reading(judgments),
            "fingerprint": judgments.fingerprint,
            "queries": len(judgments.query_ids),
            "judged": len(judgments),
            "scale": judgments.scale,
            "notices": list(judgments.notices),
        },
        "systems": [
            {
                "name": scores.name,
                **_reading(scores.graded.run),
                "aggregate": aggregate_record(aggregate(scores)),
                "queries": query_records(scores),
                "collapse": scores.graded.run.collapse or None,
                "notices": list(notices(scores.graded)),
            }
            for scores in systems
        ],
    }


def aggregate_record(result: Aggregate) -> dict[str, Any]:
    """Return the values and counts of an aggregate; its name and policy stand elsewhere."""
    elsewhere = {"name", "policy", "fingerprint"}
    values = {
        field.name: getattr(result, field.name)
        for field in fields(result)
        if field.name not in elsewhere
    }
    return {"ndcg": values.pop("ndcg"), "measure": result.measure, **values}


def query_records(scores: QueryScores) -> list[dict[str, Any]]:
    """Return one row a judged query; `ndcg` is null where the query is left out."""
    binary = scores.binary
    columns = {
        "ndcg": scores.ndcg,
        "dcg": scores.dcg,
        "idcg": scores.idcg,
        "precision": binary.precision,
        "recall": binary.recall,
        "reciprocal_rank": binary.reciprocal_rank,
        "average_precision": binary.average_precision,
        "judged_at_k": scores.judged_at_k,
        "unjudged_at_k": scores.unjudged_at_k,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    states = zip(scores.zero_idcg.tolist(), scores.state.tolist(), strict=True)
    return [
        {
            "query_id": query_id,
            **{name: _or_null(value) for name, value in zip(columns, row, strict=True)},
            "zero_idcg": zero_idcg,
            "state": STATES[state],
        }
        for query_id, row, (zero_idcg, state) in zip(
            scores.judgments.query_ids, values, states, strict=True
        )
    ]


def _reading(loaded: Judgments | Run) -> dict[str, Any]:
    """Say which file judgments or results come from, and how it was read."""
    return {
        "source": loaded.source,
        "format": loaded.format or None,
        "columns": dict(loaded.columns),
    }


def _or_null(value: float) -> float | None:
    return None if isnan(value) else value
