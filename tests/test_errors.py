"""How messages quote, count and cut."""

import pytest

from core.errors import EvaluationError, FileError, counted, listed, listed_numbers, shortened


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["b"], "'b'", id="one"),
        pytest.param(["b", "a", "é"], "'a', 'b', 'é'", id="sorted"),
        pytest.param(list("edcba"), "'a', 'b', 'c', 'd', 'e'", id="five"),
        pytest.param(list("fedcba"), "'a', 'b', 'c', 'd', 'e' and 1 more", id="after-five"),
        pytest.param(
            [f"{number:04}" for number in range(1_239)],
            "'0000', '0001', '0002', '0003', '0004' and 1,234 more",
            id="many",
        ),
    ],
)
def test_ids_are_quoted_sorted_and_cut(ids: list[str], text: str) -> None:
    assert listed(ids) == text


def test_numbers_are_listed_by_size_and_cut() -> None:
    assert listed_numbers([10, 9, -2]) == "-2, 9, 10"
    assert listed_numbers(range(8)) == "0, 1, 2, 3, 4 and 3 more"


def test_count_may_exceed_the_ids_at_hand() -> None:
    assert listed(["b", "a"], shown=2, total=10) == "'a', 'b' and 8 more"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("x" * 80, "x" * 80, id="80-stay"),
        pytest.param("a" * 41 + "b" * 40, "a" * 39 + "…" + "b" * 39, id="81-are-cut-in-the-middle"),
    ],
)
def test_long_values_are_cut_in_the_middle(value: str, text: str) -> None:
    assert shortened(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 queries"), (1, "1 query"), (2, "2 queries"), (12_345, "12,345 queries")],
)
def test_count_stands_with_its_noun(count: int, text: str) -> None:
    assert counted(count, "query", "queries") == text


def test_plural_is_made_with_s_unless_given() -> None:
    assert (counted(1, "line"), counted(2, "line")) == ("1 line", "2 lines")


@pytest.mark.parametrize(
    ("line", "place", "text"),
    [
        (None, "", "f: odd. Mend it."),
        (1_204, "", "f, line 1,204: odd. Mend it."),
        (None, "query 'q'", "f, query 'q': odd. Mend it."),
        (3, "query 'q'", "f, line 3, query 'q': odd. Mend it."),
    ],
)
def test_file_error_says_where_what_and_what_to_do(line: int | None, place: str, text: str) -> None:
    error = FileError("f", "odd", "Mend it.", line=line, place=place)
    assert str(error) == text
    assert isinstance(error, EvaluationError)
    assert isinstance(error, ValueError)
