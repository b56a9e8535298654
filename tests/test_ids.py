"""Ids as arrays of bytes, against plain Python bytes."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ids import Ids, distinct_ids

# Every length around the 8-byte words; equal up to a word's end; NUL, which looks like padding.
TRICKY = [
    "",
    "\0",
    "a",
    "a\0",
    "a\0\0\0\0\0\0\0",
    "a\0\0\0\0\0\0\0\0",
    "A",
    "b",
    "1234567",
    "12345678",
    "123456789",
    "12345678\0",
    "123456781234567",
    "1234567812345678",
    "12345678123456789",
    "12345678123456780",
    "1234567812345678123456781234567",
    "12345678123456781234567812345678",
    "123456781234567812345678123456789",
    "é",
    "e\u0301",
    "ÿ",
    "ÿÿÿÿÿÿÿÿ",
    "文書",
    "🦆🦆🦆",
    "\U0010ffff",
]
LONG = ["x" * 20_000, "x" * 19_999 + "y", "x" * 20_000 + "\0", "x" * 19_999]
# Few letters, so that ids share long beginnings; é is two bytes.
alike = st.lists(st.sampled_from("ab\0é"), max_size=20).map("".join)
texts = st.one_of(alike, st.sampled_from(TRICKY), st.text(max_size=12))
lists = st.lists(texts, max_size=12)


def by_bytes(values: list[str]) -> list[int]:
    """Positions in the order of the UTF-8 bytes; equal ids as given."""
    return sorted(range(len(values)), key=lambda at: values[at].encode())


def assert_holds(ids: Ids, values: list[str]) -> None:
    """These ids, and every operation on them agrees with plain Python."""
    assert list(ids) == values
    assert [ids[row] for row in range(len(ids))] == values
    assert len(ids) == len(values)
    assert np.lexsort(ids.sort_keys()).tolist() == by_bytes(values)
    again = Ids.from_strings(values)
    assert ids.hashes().tolist() == again.hashes().tolist()
    assert ids.equals(again).all()
    assert again.equals(ids).all()


@given(lists)
def test_strings_come_back(values: list[str]) -> None:
    assert_holds(Ids.from_strings(values), values)


@pytest.mark.parametrize("values", [TRICKY, LONG, [*LONG, *TRICKY]], ids=["tricky", "long", "all"])
def test_ids_of_every_length_come_back(values: list[str]) -> None:
    assert_holds(Ids.from_strings(values), values)


def test_lone_surrogate_cannot_be_packed() -> None:
    with pytest.raises(UnicodeEncodeError):
        Ids.from_strings(["\ud800"])


@given(st.lists(st.tuples(texts, texts), max_size=12))
def test_equal_exactly_where_the_bytes_are_equal(pairs: list[tuple[str, str]]) -> None:
    pairs = [*pairs, *((one, one) for one, _ in pairs)]
    ones, others = Ids.from_strings(a for a, _ in pairs), Ids.from_strings(b for _, b in pairs)
    assert ones.equals(others).tolist() == [a == b for a, b in pairs]


@pytest.mark.parametrize("values", [TRICKY, LONG], ids=["tricky", "long"])
def test_ids_are_equal_to_themselves_only(values: list[str]) -> None:
    pairs = list(product(values, repeat=2))
    ones, others = Ids.from_strings(a for a, _ in pairs), Ids.from_strings(b for _, b in pairs)
    assert ones.equals(others).tolist() == [a == b for a, b in pairs]


@given(lists)
def test_equal_ids_have_equal_hashes_and_different_ids_have_not(values: list[str]) -> None:
    hashes = Ids.from_strings(values).hashes().tolist()
    assert len(set(hashes)) == len(set(values))
    assert len(set(zip(values, hashes, strict=True))) == len(set(values))


def test_hashes_of_many_similar_ids_differ() -> None:
    values = [f"doc-{number}" for number in range(50_000)]
    values += [f"collection/part-{number}\0" for number in range(50_000)]
    assert len(np.unique(Ids.from_strings(values).hashes())) == len(values)


def test_hash_does_not_depend_on_what_lies_behind_an_id() -> None:
    packed = Ids.from_strings(["abc", "defghijkl", "abc", "zzzzzzzzz", "abc"])
    assert len(set(packed.hashes()[[0, 2, 4]].tolist())) == 1


@given(lists, st.data())
def test_rows_are_taken_by_number_by_mask_and_by_slice(
    values: list[str], data: st.DataObject
) -> None:
    ids = Ids.from_strings(values)
    mask = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    begin, end = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    some = data.draw(st.lists(st.sampled_from(range(len(values)) or [None]), max_size=6))
    rows = [row for row in some if row is not None]
    assert_holds(
        ids.take(np.array(mask, dtype=bool)),
        [value for value, kept in zip(values, mask, strict=True) if kept],
    )
    assert_holds(ids.take(slice(begin, end)), values[begin:end])
    assert_holds(ids.take(np.array(rows, dtype=np.int64)), [values[row] for row in rows])


@given(lists)
def test_taking_twice_is_taking_from_what_was_taken(values: list[str]) -> None:
    ids = Ids.from_strings(values)
    assert_holds(ids.take(slice(1, None)).take(slice(None, None, -1)), values[1:][::-1])


@given(st.lists(lists, max_size=4))
def test_concatenated_sequences_follow_one_another(parts: list[list[str]]) -> None:
    whole = Ids.concatenated([Ids.from_strings(values) for values in parts])
    assert_holds(whole, [value for values in parts for value in values])


@given(lists, lists)
def test_concatenated_selections_follow_one_another(one: list[str], other: list[str]) -> None:
    whole = Ids.concatenated(
        [Ids.from_strings(one).take(slice(1, None)), Ids.from_strings(other).take(slice(0, 2))]
    )
    assert_holds(whole, one[1:] + other[:2])


@given(lists, st.integers(0, 12), st.integers(0, 12))
def test_arrow_arrays_are_read_sliced_or_not(values: list[str], offset: int, length: int) -> None:
    column = pa.array(values, type=pa.string())
    assert_holds(Ids.from_arrow(column), values)
    offset = min(offset, len(values))
    assert_holds(Ids.from_arrow(column.slice(offset, length)), values[offset:][:length])


@pytest.mark.parametrize("values", [[], [""], ["", ""]], ids=["no-row", "empty-id", "two"])
def test_arrow_array_without_bytes(values: list[str]) -> None:
    assert_holds(Ids.from_arrow(pa.array(values, type=pa.string())), values)


def test_ids_outlive_the_arrow_array() -> None:
    column = pa.array(["one", "two"], type=pa.string())
    ids = Ids.from_arrow(column)
    del column
    assert list(ids) == ["one", "two"]


def test_no_ids_have_no_hash_and_no_order() -> None:
    none = Ids.from_strings([])
    assert none.hashes().tolist() == []
    assert none.equals(none).tolist() == []
    assert np.lexsort(none.sort_keys()).tolist() == []


def test_distinct_ids() -> None:
    parts = [Ids.from_strings(["a", "b", "a"]), Ids.from_strings([]), Ids.from_strings(["b", "é"])]
    assert distinct_ids(parts) == {"a", "b", "é"}
    assert distinct_ids([]) == frozenset()
