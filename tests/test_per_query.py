"""Query by query: which queries a filter keeps, and in what order they come."""

from dataclasses import dataclass, replace
from math import isclose, isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.grades import join
from core.judgments import Judgments
from core.per_query import FILTERS, PairTable, ScoreTable, histogram, matching
from core.presets import FIRST_RUN
from core.runs import Run
from core.scores import QueryScores, score

NAN = float("nan")


@dataclass(frozen=True)
class Cell:
    """What one system has for one query."""

    ndcg: float | None
    idcg: float = 1.0
    returned: tuple[str, ...] | None = ("a",)  # None: the run misses the query


Row = tuple[Cell, ...]  # one query, a cell for each system
UNJUDGED = ("x", "a", "y")

# Eighths add up exactly. 0.25 is where bad begins; 1e-15 is rounding, 1e-9 is not.
cells = st.builds(
    Cell,
    ndcg=st.none() | st.sampled_from([0.0, 0.125, 0.25, 0.5, 1.0]),
    idcg=st.sampled_from([0.0, 1.0]),
    returned=st.sampled_from([("a",), UNJUDGED, (), None]),
)
near = st.sampled_from([0.0, 1e-15, -1e-15, 1e-9, -1e-9])


def tables(systems: int) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*[cells] * systems), min_size=1, max_size=7)


def system(column: list[Cell], name: str = "run") -> QueryScores:
    """One system with the values of these cells, and a last query without any."""
    cells = [*column, Cell(None, idcg=0.0)]
    returned = {f"q{at}": one.returned for at, one in enumerate(cells)}
    run = {query: list(listed) for query, listed in returned.items() if listed is not None}
    judgments = Judgments.from_dict({query: {"a": 1} for query in returned})
    plain = score(join(Run.from_dict(name, run), judgments), FIRST_RUN)
    ndcg = [NAN if one.ndcg is None else one.ndcg for one in cells]
    return replace(plain, ndcg=np.array(ndcg), idcg=np.array([one.idcg for one in cells]))


def systems(rows: list[Row]) -> tuple[QueryScores, ...]:
    """One system a column."""
    return tuple(system([row[at] for row in rows], f"run {at}") for at in range(len(rows[0])))


def table(rows: list[Row]) -> ScoreTable:
    return ScoreTable(systems(rows))


def pair(rows: list[Row]) -> PairTable:
    found = systems(rows)
    return PairTable(found[0], found[1] if len(found) > 1 else None)


def of_values(*rows: tuple[float | None, ...]) -> list[Row]:
    return [tuple(Cell(value) for value in row) for row in rows]


def front(found: Any, rows: list[Row]) -> list[Any]:
    """What is said of the queries drawn; the one added comes last in every order."""
    values = found.tolist()
    assert len(values) == len(rows) + 1
    return values[: len(rows)]


def order(found: Any, rows: list[Row]) -> list[int]:
    assert found[-1] == len(rows)
    return front(found, rows)


def known(row: Row) -> list[float]:
    return [one.ndcg for one in row if one.ndcg is not None]


def none_gains(row: Row) -> bool:
    return all(one.idcg == 0 for one in row)


# Columns


def test_table_has_a_row_for_each_query_and_a_column_for_each_system() -> None:
    rows: list[Row] = [
        (Cell(0.5), Cell(1.0, returned=UNJUDGED)),
        (Cell(None, idcg=0.0), Cell(0.25, returned=())),
        (Cell(None, returned=None), Cell(None)),
    ]
    found = table(rows)
    np.testing.assert_array_equal(found.ndcg[:3], [[0.5, 1], [NAN, 0.25], [NAN, NAN]])
    assert found.unjudged[:3].tolist() == [[0, 2], [0, 0], [0, 0]]
    assert found.zero_idcg[:3].tolist() == [[False, False], [True, False], [False, False]]
    assert found.absent[:3].tolist() == [[False, False], [False, True], [True, False]]
    np.testing.assert_array_equal(found.best[:3], [1, 0.25, NAN])
    np.testing.assert_array_equal(found.spread[:3], [0.5, 0, NAN])


@pytest.mark.parametrize("absent", ["zero", "leave_out"])
@pytest.mark.parametrize("zero_idcg", ["zero", "leave_out", "one"])
def test_query_without_results_is_absent_whatever_its_score(absent: str, zero_idcg: str) -> None:
    """Also where it is left out because nothing gains."""
    judged = {"found": {"a": 1}, "missing": {"a": 1}, "empty": {"a": 1}}
    judged |= {"nothing": {"a": 0}, "missing nothing": {"a": 0}, "empty nothing": {"a": 0}}
    run = Run.from_dict("run", {"found": ["a"], "nothing": ["a"], "empty": [], "empty nothing": []})
    policy = replace(FIRST_RUN, missing_query=absent, empty_query=absent, zero_idcg=zero_idcg)
    scores = score(join(run, Judgments.from_dict(judged)), policy)
    expected = [False, True, True, False, True, True]
    assert ScoreTable((scores,)).absent[:, 0].tolist() == expected
    assert PairTable(scores, None).kept("missing").tolist() == expected


# Orders of a table


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(of_values((0.5, 0.5), (0.0, 1.0), (0.25, 0.25)), [2, 0, 1], id="by-the-best"),
        pytest.param(of_values((0.5, 0.5), (0.0, 0.5), (0.25, 0.5)), [1, 2, 0], id="then-the-sum"),
        pytest.param(of_values((0.5, 0.0), (0.0, 0.5)), [0, 1], id="level-as-judged"),
        pytest.param(of_values((None, None), (1.0, None), (0.5, 0.5)), [2, 1, 0], id="unscored"),
        pytest.param(
            [(Cell(0, 0), Cell(0, 0)), (Cell(0, 0), Cell(0.0)), (Cell(1.0), Cell(1.0))],
            [1, 2, 0],
            id="no-ideal-for-any",
        ),
        pytest.param(
            [(Cell(0, 0), Cell(0, 0)), (Cell(None), Cell(None))], [1, 0], id="no-ideal-behind-all"
        ),
    ],
)
def test_worst_for_all(rows: list[Row], expected: list[int]) -> None:
    assert order(table(rows).worst_for_all(), rows) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(of_values((0.5, 1.0), (1.0, 0.0), (1.0, 1.0)), [1, 0, 2], id="widest-first"),
        pytest.param(of_values((0.0, 0.5), (0.5, 0.0)), [0, 1], id="level-as-judged"),
        pytest.param(of_values((None, None), (1.0, None), (0.0, 0.5)), [2, 1, 0], id="unscored"),
        pytest.param(
            [(Cell(0, 0), Cell(1, 0)), (Cell(1, 0), Cell(1.0)), (Cell(None), Cell(None))],
            [1, 2, 0],
            id="no-ideal-for-any",
        ),
    ],
)
def test_widest_spread(rows: list[Row], expected: list[int]) -> None:
    assert order(table(rows).widest_spread(), rows) == expected


@pytest.mark.parametrize(("at", "expected"), [(0, [2, 0, 1, 3]), (1, [1, 0, 2, 3])])
def test_worst_of_one_system(at: int, expected: list[int]) -> None:
    """Those it leaves out come behind, and behind them those without an ideal for any system."""
    rows = of_values((0.5, 0.25), (None, 0.0), (0.0, None))
    rows.append((Cell(0, 0), Cell(0, 0)))
    assert order(table(rows).worst_of(at), rows) == expected


@given(st.integers(1, 3).flatmap(tables))
def test_orders_are_those_of_a_sorted_list(rows: list[Row]) -> None:
    def by(*keys: list[float | None]) -> list[int]:
        """Those without an ideal last, before them those without a key; level ones as judged."""
        return sorted(
            range(len(rows)),
            key=lambda at: (
                none_gains(rows[at]),
                *((key[at] is None, key[at] or 0) for key in keys),
            ),
        )

    best = [max(known(row), default=None) for row in rows]
    total: list[float | None] = [sum(known(row)) for row in rows]
    narrow = [min(known(row)) - max(known(row)) if known(row) else None for row in rows]
    found = table(rows)
    assert order(found.worst_for_all(), rows) == by(best, total)
    assert order(found.widest_spread(), rows) == by(narrow)
    for at in range(len(rows[0])):
        assert order(found.worst_of(at), rows) == by([row[at].ndcg for row in rows])
    if len(rows[0]) < 3:
        lower = [min(known(row), default=None) for row in rows]
        assert order(pair(rows).worst(), rows) == by(lower, best)


# Filters of a pair


def keeps(choice: str, row: Row) -> bool:
    """The definition of each filter, for one query."""
    first, second = row[0].ndcg, row[-1].ndcg
    change = None
    if len(row) == 2 and first is not None and second is not None:
        change = first - second
    if choice == "first_better":
        return change is not None and change > 1e-12
    if choice == "second_better":
        return change is not None and change < -1e-12
    if choice == "tied":
        return change is not None and abs(change) <= 1e-12
    if choice == "both_bad":
        return bool(known(row)) and max(known(row)) < 0.25 and not none_gains(row)
    if choice == "zero_idcg":
        return any(one.idcg == 0 for one in row)
    if choice == "missing":
        return any(not one.returned for one in row)
    if choice == "unjudged":
        return any("x" in (one.returned or ()) for one in row)
    assert choice == "all"
    return True


@given(st.integers(1, 2).flatmap(tables))
def test_filters_keep_what_their_definition_says(rows: list[Row]) -> None:
    found = pair(rows)
    for choice in FILTERS:
        assert front(found.kept(choice), rows) == [keeps(choice, row) for row in rows], choice


@given(st.lists(st.tuples(st.sampled_from([0.25, 0.5, 1.0]), near), min_size=1))
@example([(0.5, 1e-15), (0.5, -1e-15), (0.5, 1e-9), (0.5, -1e-9)])
def test_rounding_is_a_tie(drawn: list[tuple[float, float]]) -> None:
    found = pair(of_values(*((value + more, value) for value, more in drawn)))
    for choice, expected in {
        "first_better": [more == 1e-9 for _, more in drawn],
        "second_better": [more == -1e-9 for _, more in drawn],
        "tied": [abs(more) < 1e-9 for _, more in drawn],
    }.items():
        assert found.kept(choice).tolist()[:-1] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param((Cell(0.24), Cell(0.0)), True, id="both-below"),
        pytest.param((Cell(0.25), Cell(0.0)), False, id="one-at-the-edge"),
        pytest.param((Cell(0.0), Cell(1.0)), False, id="one-good"),
        pytest.param((Cell(0.0), Cell(None)), True, id="one-left-out"),
        pytest.param((Cell(None), Cell(None)), False, id="both-left-out"),
        pytest.param((Cell(0.0, 0), Cell(0.0, 0)), False, id="nothing-to-find"),
        pytest.param((Cell(0.0, 0), Cell(0.0)), True, id="something-to-find-for-one"),
        pytest.param((Cell(0.1),), True, id="alone"),
    ],
)
def test_both_bad(row: Row, expected: bool) -> None:
    assert front(pair([row]).kept("both_bad"), [row]) == [expected]


# Differences of a pair


@given(tables(2))
def test_difference_is_first_less_second_and_the_largest_come_first(rows: list[Row]) -> None:
    expected = [
        row[0].ndcg - row[1].ndcg if row[0].ndcg is not None and row[1].ndcg is not None else None
        for row in rows
    ]
    found = pair(rows)
    assert [None if isnan(one) else one for one in front(found.difference, rows)] == expected
    assert order(found.largest_difference(), rows) == sorted(
        range(len(rows)), key=lambda at: (expected[at] is None, -abs(expected[at] or 0))
    )


def test_largest_difference_looks_at_the_size_alone() -> None:
    rows = of_values((0.5, 0.25), (0.0, 1.0), (1.0, None), (0.5, 0.5), (0.0, 0.25))
    assert order(pair(rows).largest_difference(), rows) == [1, 0, 4, 3, 2]


def test_worst_of_a_pair_goes_by_the_lower_of_the_two() -> None:
    """Then by the higher; the one score there is counts, and without an ideal comes last."""
    rows = of_values((0.5, 0.25), (1.0, 0.0), (0.5, 0.0), (None, 0.125), (None, None))
    rows.insert(0, (Cell(0, 0), Cell(0, 0)))
    assert order(pair(rows).worst(), rows) == [3, 2, 4, 1, 5, 0]


def test_one_system_alone_has_no_difference() -> None:
    rows: list[Row] = [(Cell(0.5, returned=UNJUDGED),), (Cell(0.0),), (Cell(None, returned=None),)]
    found = pair(rows)
    assert found.second is None
    assert found.table.ndcg.shape == (4, 1)
    assert np.isnan(found.difference).all()
    assert order(found.largest_difference(), rows) == [0, 1, 2]
    assert order(found.worst(), rows) == [1, 0, 2]
    kept = {choice: front(found.kept(choice), rows) for choice in FILTERS}
    assert kept == {
        "all": [True, True, True],
        "first_better": [False, False, False],
        "second_better": [False, False, False],
        "tied": [False, False, False],
        "both_bad": [False, True, False],
        "zero_idcg": [False, False, False],
        "missing": [False, False, True],
        "unjudged": [True, False, False],
    }


# Histogram


@pytest.mark.parametrize(
    ("values", "bins", "expected"),
    [
        pytest.param([0.0, 0.1, 0.3, 0.6, 0.9], 4, [2, 1, 1, 1], id="inside"),
        pytest.param([0.0, 1.0], 4, [1, 0, 0, 1], id="ends-belong-to-the-outer-bins"),
        pytest.param([0.25, 0.5, 0.75], 4, [0, 1, 1, 1], id="an-edge-belongs-to-the-bin-above"),
        pytest.param([-0.5, -1e-9, 1.0 + 1e-9, 7.0], 4, [2, 0, 0, 2], id="beyond"),
        pytest.param([None, 0.6, None], 2, [0, 1], id="left-out"),
        pytest.param([None], 3, [0, 0, 0], id="all-left-out"),
        pytest.param([0.0, 0.5, 1.0, None], 1, [3], id="one-bin"),
    ],
)
def test_histogram(values: list[float | None], bins: int, expected: list[int]) -> None:
    assert histogram(system([Cell(value) for value in values]), bins) == expected


@given(st.lists(st.none() | st.floats(-2, 2), min_size=1), st.integers(1, 20))
def test_histogram_counts_every_score_once(values: list[float | None], bins: int) -> None:
    found = histogram(system([Cell(value) for value in values]), bins)
    assert len(found) == bins
    assert sum(found) == sum(value is not None for value in values)
    inside = [value for value in values if value is not None and 0 < value < 1]
    if not any(isclose(value * bins, round(value * bins), abs_tol=1e-9) for value in inside):
        for at in range(bins):
            expected = sum(int(value * bins) == at for value in inside)
            expected += (at == 0) * sum(value is not None and value <= 0 for value in values)
            expected += (at == bins - 1) * sum(value is not None and value >= 1 for value in values)
            assert found[at] == expected


# Search

IDS = ("Q1", "q2", "301")
TEXTS = ("Straße in Köln", "", "the Quick fox  q1")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param("q1", [True, False, True], id="id-or-text"),
        pytest.param("Q", [True, True, True], id="part-of-an-id-in-any-case"),
        pytest.param("30", [False, False, True], id="digits"),
        pytest.param("QUICK FOX", [False, False, True], id="words-in-any-case"),
        pytest.param("STRASSE", [True, False, False], id="ß-is-ss"),
        pytest.param("STRAßE", [True, False, False], id="ß-wanted"),
        pytest.param("KÖLN", [True, False, False], id="umlaut-in-any-case"),
        pytest.param("  köln ", [True, False, False], id="spaces-around"),
        pytest.param("in köln", [True, False, False], id="spaces-inside"),
        pytest.param("fox the", [False, False, False], id="in-that-order"),
        pytest.param("", [True, True, True], id="nothing-wanted"),
        pytest.param("   ", [True, True, True], id="only-spaces"),
        pytest.param("absent", [False, False, False], id="nowhere"),
    ],
)
def test_matching(wanted: str, expected: list[bool]) -> None:
    found = matching(IDS, TEXTS, wanted)
    assert (found.tolist(), found.dtype) == (expected, np.dtype(bool))


def test_matching_without_queries() -> None:
    assert matching((), (), "a").tolist() == []
