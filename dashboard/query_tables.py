"""Query scores to display frames: of every system, and of the compared pair."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.io.formats.style import Styler

from core.formats.texts import Text
from core.per_query import PairTable, ScoreTable
from core.scores import STATES, QueryScores
from dashboard.markup import NOTHING, excerpt, number
from dashboard.wording import number_of, say, state_label

# Semi-transparent, so that the text of either theme stays readable on it.
_SHADE = "background-color: rgba(0, 114, 178, {alpha:.2f})"
_DARKEST = 0.4
# What a mark measures at the least, so that it can be seen and clicked.
_LOWEST_BAR, _LOWEST_DIFFERENCE = 0.012, 0.015
CHARTED = 600
"""Queries that a chart draws at the most."""


def labels(query_ids: Sequence[str], texts: Mapping[str, Text]) -> list[str]:
    """The whole text of each query, to be searched and written down; empty where there is none."""
    return [texts[query_id].label if query_id in texts else "" for query_id in query_ids]


def every_system(table: ScoreTable, queries: NDArray[np.int64], texts: Sequence[str]) -> Styler:
    """One row a query, one column a system, shaded by score.

    Columns: query, text, and `system_0`, `system_1`, … for the systems in their order. What is
    special about a score stands behind it: IDCG 0, a missing query, unjudged documents.
    """
    frame = pd.DataFrame(
        {
            "query": [table.query_ids[at] for at in queries],
            "text": [excerpt(texts[at]) for at in queries],
            **{
                f"system_{column}": _marked_scores(table, column, queries)
                for column in range(len(table.systems))
            },
        }
    )
    shades = np.full(frame.shape, "", dtype=object)
    shades[:, 2:] = _shades(table.ndcg[queries])
    return frame.style.apply(lambda _: shades, axis=None)


def _marked_scores(table: ScoreTable, column: int, queries: NDArray[np.int64]) -> list[str]:
    values = zip(
        table.ndcg[queries, column].tolist(),
        table.zero_idcg[queries, column].tolist(),
        table.absent[queries, column].tolist(),
        table.unjudged[queries, column].tolist(),
        strict=True,
    )
    return [_marked(*value) for value in values]


def _marked(ndcg: float, zero_idcg: bool, absent: bool, unjudged: float) -> str:
    marks = [say("table.mark.left_out") if np.isnan(ndcg) else number(ndcg)]
    if zero_idcg:
        marks.append(say("table.mark.zero_idcg"))
    if absent:
        marks.append(say("table.mark.absent"))
    if unjudged:
        marks.append(f"?{number_of(unjudged)}")
    return " ".join(marks)


def _shades(ndcg: NDArray[np.float64]) -> NDArray[np.object_]:
    steps = np.round(np.clip(np.nan_to_num(ndcg), 0, 1) * 20).astype(int)
    styles = np.array([_SHADE.format(alpha=_DARKEST * step / 20) for step in range(21)], object)
    return styles[steps]


def pair_list(
    table: PairTable, queries: NDArray[np.int64], query_ids: Sequence[str], texts: Sequence[str]
) -> pd.DataFrame:
    """One row a query of the compared pair.

    Columns: query, text, first, second and difference (NaN: left out; absent for one system
    alone), unjudged, state.
    """
    frame = pd.DataFrame(
        {
            "query": [query_ids[at] for at in queries],
            "text": [excerpt(texts[at]) for at in queries],
            "first": table.first.ndcg[queries],
        }
    )
    if table.second is not None:
        frame["second"] = table.second.ndcg[queries]
        frame["difference"] = table.difference[queries]
    frame["unjudged"] = table.table.unjudged[queries].sum(axis=1)
    frame["state"] = _states(table)[queries]
    return frame


def score_bars(listed: pd.DataFrame, open_query: str) -> pd.DataFrame:
    """Scores of one system in the order of the list, for `charts.query_bars`."""
    drawn = _sampled(listed.dropna(subset=["first"]), open_query)
    return drawn[["query", "text"]].assign(
        ndcg=drawn["first"],
        height=drawn["first"].clip(lower=_LOWEST_BAR),
        position=np.arange(len(drawn)),
        role=np.where(drawn["query"] == open_query, "ink", "first"),
    )


def pair_marks(listed: pd.DataFrame, open_query: str) -> pd.DataFrame:
    """Queries both systems have a score for, largest difference first, for the pair's charts."""
    both = listed.dropna(subset=["difference"]).sort_values(
        "difference", ascending=False, kind="stable"
    )
    drawn = _sampled(both, open_query)
    difference = drawn["difference"].to_numpy()
    short = np.abs(difference) < _LOWEST_DIFFERENCE
    end = np.where(difference < 0, -_LOWEST_DIFFERENCE, _LOWEST_DIFFERENCE)
    winner = np.where(difference > 0, "first", "second")
    return drawn[["query", "text", "first", "second", "difference"]].assign(
        position=np.arange(len(drawn)),
        low=0.0,
        high=np.where(short, end, difference),
        role=np.where(np.abs(difference) < NOTHING, "other", winner),
        open=(drawn["query"] == open_query).to_numpy(),
    )


def limits(values: pd.DataFrame, low: float, high: float) -> tuple[float, float]:
    """Ends of an axis from `low` to `high`, moved out where a value lies beyond."""
    numbers = values.to_numpy(dtype=float)
    return min(low, float(numbers.min())), max(high, float(numbers.max()))


def with_open_in_ink(marks: pd.DataFrame) -> pd.DataFrame:
    """The same marks, the open query's in ink instead of its winner's colour."""
    return marks.assign(role=marks["role"].mask(marks["open"], "ink"))


def _sampled(rows: pd.DataFrame, open_query: str) -> pd.DataFrame:
    """An even sample of many rows, with both ends and the open query; few rows as they are."""
    if len(rows) <= CHARTED:
        return rows
    sample = np.linspace(0, len(rows) - 1, CHARTED).astype(int)
    is_open = np.flatnonzero(rows["query"].to_numpy() == open_query)
    is_open = is_open[~np.isin(is_open, sample)]
    nearest = np.abs(sample[1:-1, None] - is_open).argmin(axis=0) + 1
    sample[nearest] = is_open
    return rows.iloc[sample]


def _states(table: PairTable) -> NDArray[np.object_]:
    """What is special about each query, in words."""
    words = np.full(len(table.difference), "", dtype=object)
    for name, scores in _named(table):
        for code, state in enumerate(STATES):
            if label := state_label(state):
                words[scores.state == code] += f"; {name}{label}"
    without_ideal = table.table.zero_idcg.any(axis=1) & (words == "")
    words[without_ideal] = say("table.mark.zero_idcg")
    return np.array([text.removeprefix("; ") for text in words], dtype=object)


def _named(table: PairTable) -> list[tuple[str, QueryScores]]:
    if table.second is None:
        return [("", table.first)]
    return [
        (f"{say('column.first')} ", table.first),
        (f"{say('column.second')} ", table.second),
    ]
