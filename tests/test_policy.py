"""The policy: its options, its words, its text and JSON forms, and what it refuses."""

import json
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from core.errors import EvaluationError, PolicyError
from core.policy import OPTIONS, GainTable, Policy, option_text, parsed_option
from core.presets import FIRST_RUN, STRICT

FIELDS = [
    "cutoff",
    "gain",
    "discount",
    "ideal_scope",
    "ideal_depth",
    "order",
    "ties",
    "score_precision",
    "duplicates",
    "self_matches",
    "unjudged",
    "negative_grades",
    "missing_query",
    "empty_query",
    "extra_query",
    "zero_idcg",
    "average",
    "rounding",
    "relevance_level",
]
KNOWN = f"Fields: {', '.join(FIELDS)}."
TABLE = GainTable(((0, 0.0), (1, 1.0), (2, 5.0)))
# At least two values of every field.
VALUES: dict[str, tuple[object, ...]] = {
    **OPTIONS,
    "cutoff": (1, 10, 1000, "all"),
    "gain": ("linear", "exponential", TABLE, GainTable(((1, 0.5),))),
    "relevance_level": (1, 2, 3),
}


def test_every_field_of_the_contract_is_there() -> None:
    assert [field.name for field in fields(Policy)] == FIELDS
    assert sorted(VALUES) == sorted(FIELDS)


def test_nothing_has_a_default() -> None:
    with pytest.raises(TypeError, match="missing 19 required keyword-only arguments"):
        Policy()  # type: ignore[call-arg]


def test_policy_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        STRICT.cutoff = 5  # type: ignore[misc]


# Text and JSON


@given(strategies.policies())
def test_policy_comes_back_from_json(policy: Policy) -> None:
    assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy


@given(strategies.policies(), strategies.policies())
def test_every_option_comes_back_from_its_text(start: Policy, wanted: Policy) -> None:
    policy = start
    for name in FIELDS:
        policy = policy.with_option(name, option_text(getattr(wanted, name)))
    assert policy == wanted


@pytest.mark.parametrize("name", FIELDS)
def test_every_value_of_a_field_comes_back_from_json_and_text(name: str) -> None:
    for value in VALUES[name]:
        policy = replace(STRICT, **{name: value})  # type: ignore[arg-type]
        assert Policy.from_dict(json.loads(json.dumps(policy.to_dict()))) == policy
        assert STRICT.with_option(name, option_text(value)) == policy


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("cutoff", "20", 20),
        ("cutoff", "all", "all"),
        ("relevance_level", "2", 2),
        ("gain", "linear", "linear"),
        ("gain", "0:0,1:1,2:5", TABLE),
        ("gain", "2:5,0:0,1:1", TABLE),
        ("ties", "docid_ascending", "docid_ascending"),
    ],
)
def test_option_is_read_from_text(name: str, text: str, value: object) -> None:
    assert parsed_option(name, text) == value


def test_other_fields_stay_when_one_is_changed() -> None:
    changed = STRICT.with_option("cutoff", "20")
    assert changed.to_dict() == {**STRICT.to_dict(), "cutoff": 20}
    assert STRICT.cutoff == 10


def test_dictionary_states_every_field_in_json_values() -> None:
    written = replace(FIRST_RUN, gain=TABLE).to_dict()
    assert written == {
        "cutoff": 10,
        "gain": {"0": 0.0, "1": 1.0, "2": 5.0},
        "discount": "log2",
        "ideal_scope": "judged",
        "ideal_depth": "cutoff",
        "order": "score",
        "ties": "docid_descending",
        "score_precision": "float64",
        "duplicates": "refuse",
        "self_matches": "keep",
        "unjudged": "zero",
        "negative_grades": "zero",
        "missing_query": "zero",
        "empty_query": "zero",
        "extra_query": "ignore",
        "zero_idcg": "zero",
        "average": "macro",
        "rounding": "none",
        "relevance_level": 1,
    }


# Words


def test_description_says_every_choice_in_one_line() -> None:
    assert FIRST_RUN.description == (
        "NDCG@10: linear gain, ideal: all judged, unjudged: zero, discount log2(rank+1), "
        "ideal cut at k, by score, ties: document id descending, negative grades: gain 0, "
        "float64 scores, duplicates: refuse, self matches: keep, missing queries: zero, "
        "empty queries: zero, extra queries: ignore, zero-IDCG: zero, macro mean, "
        "query scores unrounded, relevant from grade 1"
    )


def test_description_of_everything_else() -> None:
    policy = Policy(
        cutoff="all",
        gain=TABLE,
        discount="original",
        ideal_scope="any_run",
        ideal_depth="returned",
        order="rank_column",
        ties="expected",
        score_precision="float32",
        duplicates="keep_first",
        self_matches="remove",
        unjudged="condense",
        negative_grades="as_unjudged",
        missing_query="leave_out",
        empty_query="leave_out",
        extra_query="refuse",
        zero_idcg="one",
        average="pooled",
        rounding="two_decimals",
        relevance_level=2,
    )
    assert policy.description == (
        "pooled NDCG: gain 0:0,1:1,2:5, ideal: judged and returned by any run, "
        "unjudged: removed (condensed list), discount of 2002, base 2, "
        "ideal cut at the list's length, by rank column, ties: mean over orders, "
        "negative grades: as unjudged, float32 scores, duplicates: keep first, "
        "self matches: remove, missing queries: leave out, empty queries: leave out, "
        "extra queries: refuse, zero-IDCG: one, pooled ratio, "
        "query scores to 2 decimals, relevant from grade 2"
    )


@pytest.mark.parametrize("name", FIELDS)
def test_every_value_of_a_field_has_words_of_its_own(name: str) -> None:
    policies = [replace(STRICT, **{name: value}) for value in VALUES[name]]  # type: ignore[arg-type]
    assert len({policy.description for policy in policies}) == len(policies)


@given(strategies.policies(), strategies.policies())
def test_different_policies_have_different_descriptions(one: Policy, other: Policy) -> None:
    assume(one != other)
    assert one.description != other.description


@given(strategies.policies())
def test_description_is_one_line_that_begins_with_the_short_name(policy: Policy) -> None:
    assert policy.description.startswith(f"{policy.short_measure}: ")
    assert "\n" not in policy.description


@pytest.mark.parametrize(
    ("changes", "short", "rules"),
    [
        ({}, "NDCG@10", "linear gain, ideal: all judged, unjudged: zero"),
        ({"cutoff": "all"}, "NDCG", "linear gain, ideal: all judged, unjudged: zero"),
        ({"average": "pooled"}, "pooled NDCG@10", "linear gain, ideal: all judged, unjudged: zero"),
        ({"gain": "exponential"}, "NDCG@10", "exponential gain, ideal: all judged, unjudged: zero"),
        ({"gain": TABLE}, "NDCG@10", "gain 0:0,1:1,2:5, ideal: all judged, unjudged: zero"),
        (
            {"ideal_scope": "any_run"},
            "NDCG@10",
            "linear gain, ideal: judged and returned by any run, unjudged: zero",
        ),
        (
            {"ideal_scope": "this_run"},
            "NDCG@10",
            "linear gain, ideal: only what this run returned, unjudged: zero",
        ),
        (
            {"unjudged": "condense"},
            "NDCG@10",
            "linear gain, ideal: all judged, unjudged: removed (condensed list)",
        ),
        (
            {"unjudged": "refuse", "cutoff": 5},
            "NDCG@5",
            "linear gain, ideal: all judged, unjudged: refused in the top k",
        ),
        (
            {"unjudged": "refuse_any"},
            "NDCG@10",
            "linear gain, ideal: all judged, unjudged: refused anywhere",
        ),
    ],
)
def test_measure_names_the_rules_that_most_often_differ(
    changes: dict[str, Any], short: str, rules: str
) -> None:
    policy = replace(FIRST_RUN, **changes)
    assert policy.short_measure == short
    assert policy.measure == f"{short} ({rules})"


# Refused values


def stated(**changes: object) -> dict[str, Any]:
    return {**STRICT.to_dict(), **changes}


def without(name: str) -> dict[str, Any]:
    return {field: value for field, value in STRICT.to_dict().items() if field != name}


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        (
            stated(cutoff=0), "cutoff",
            'cutoff must be a whole number of at least 1, or "all", not 0.',
        ),
        (
            stated(cutoff="ten"), "cutoff",
            "cutoff must be a whole number of at least 1, or \"all\", not 'ten'.",
        ),
        (
            stated(relevance_level=0), "relevance_level",
            "relevance_level must be a whole number of at least 1, not 0.",
        ),
        (
            stated(relevance_level=True), "relevance_level",
            "relevance_level must be a whole number of at least 1, not True.",
        ),
        (
            stated(relevance_level="all"), "relevance_level",
            "relevance_level must be a whole number of at least 1, not 'all'.",
        ),
        (
            stated(discount="ln"), "discount",
            "discount must be one of log2, original, not 'ln'.",
        ),
        (
            stated(ideal_scope="pool"), "ideal_scope",
            "ideal_scope must be one of judged, any_run, this_run, not 'pool'.",
        ),
        (
            stated(ideal_depth=10), "ideal_depth",
            "ideal_depth must be one of cutoff, full, returned, not 10.",
        ),
        (
            stated(order="rank"), "order",
            "order must be one of score, rank_column, as_listed, not 'rank'.",
        ),
        (
            stated(ties="random"), "ties",
            "ties must be one of docid_descending, docid_ascending, as_listed, expected, refuse, "
            "not 'random'.",
        ),
        (
            stated(score_precision="float16"), "score_precision",
            "score_precision must be one of float64, float32, not 'float16'.",
        ),
        (
            stated(duplicates="keep_last"), "duplicates",
            "duplicates must be one of refuse, keep_first, not 'keep_last'.",
        ),
        (
            stated(self_matches=None), "self_matches",
            "self_matches must be one of keep, remove, not None.",
        ),
        (
            stated(unjudged="ignore"), "unjudged",
            "unjudged must be one of zero, condense, refuse, refuse_any, not 'ignore'.",
        ),
        (
            stated(negative_grades="one"), "negative_grades",
            "negative_grades must be one of zero, as_unjudged, raw, refuse, not 'one'.",
        ),
        (
            stated(missing_query="one"), "missing_query",
            "missing_query must be one of zero, leave_out, refuse, not 'one'.",
        ),
        (
            stated(empty_query="ignore"), "empty_query",
            "empty_query must be one of zero, leave_out, refuse, not 'ignore'.",
        ),
        (
            stated(extra_query="leave_out"), "extra_query",
            "extra_query must be one of ignore, zero, refuse, not 'leave_out'.",
        ),
        (
            stated(zero_idcg=0), "zero_idcg",
            "zero_idcg must be one of zero, leave_out, one, not 0.",
        ),
        (
            stated(average="micro"), "average",
            "average must be one of macro, pooled, not 'micro'.",
        ),
        (
            without("zero_idcg"), "zero_idcg",
            "zero_idcg is not stated. A policy states every field.",
        ),
        ({}, "average", "average is not stated. A policy states every field."),
        (stated(k=10), "k", f"k is not a policy field. {KNOWN}"),
    ],
)  # fmt: skip
def test_value_that_a_field_does_not_take(values: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(PolicyError) as error:
        Policy.from_dict(values)
    assert str(error.value) == message
    assert error.value.field == field


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k", "10", f"k is not a policy field. {KNOWN}"),
        ("cutoff", "", "cutoff must be a whole number of at least 1, or \"all\", not ''."),
        ("cutoff", "2.5", "cutoff must be a whole number of at least 1, or \"all\", not '2.5'."),
        ("cutoff", "-1", "cutoff must be a whole number of at least 1, or \"all\", not '-1'."),
        ("cutoff", "1_0", "cutoff must be a whole number of at least 1, or \"all\", not '1_0'."),
        ("cutoff", "٣", "cutoff must be a whole number of at least 1, or \"all\", not '٣'."),
        ("cutoff", "ALL", "cutoff must be a whole number of at least 1, or \"all\", not 'ALL'."),
        ("relevance_level", "1.0",
         "relevance_level must be a whole number of at least 1, not '1.0'."),
        ("average", "Macro", "average must be one of macro, pooled, not 'Macro'."),
        (
            "gain", "0:0,1:one",
            "gain '0:0,1:one': expected linear, exponential, binary, or a table such as "
            "0:0,1:1,2:5.",
        ),
        (
            "gain", "1:1:1",
            "gain '1:1:1': expected linear, exponential, binary, or a table such as 0:0,1:1,2:5.",
        ),
        (
            "gain", "1.5:1",
            "gain '1.5:1': expected linear, exponential, binary, or a table such as 0:0,1:1,2:5.",
        ),
        ("gain", "1:1e301", "gain '1:1e+301': expected finite gains, up to 1e+300."),
    ],
)  # fmt: skip
def test_text_that_a_field_does_not_take(name: str, text: str, message: str) -> None:
    with pytest.raises(PolicyError) as error:
        STRICT.with_option(name, text)
    assert str(error.value) == message
    assert error.value.field == name


def test_policy_error_is_an_evaluation_error_and_a_value_error() -> None:
    assert issubclass(PolicyError, EvaluationError)
    assert issubclass(EvaluationError, ValueError)


# Gain tables


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(((0, 0.0), (1, 1.0), (2, 5.0)), id="rising"),
        pytest.param(((0, 0.0), (1, 0.0), (2, 5.0), (3, 5.0)), id="level-in-places"),
        pytest.param(((1, 1.0), (2, 2.0)), id="grade-0-not-listed-gains-0"),
        pytest.param(((-2, -1.5), (-1, 0.0), (0, 0.0), (1, 1.0)), id="negative-grades"),
        pytest.param(((0, 0.0),), id="only-0"),
    ],
)
def test_gain_table_is_taken(entries: tuple[tuple[int, float], ...]) -> None:
    assert GainTable(entries).entries == entries


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        pytest.param(
            ((1, 1.0), (1, 2.0)),
            "gain '1:1,1:2': expected each grade once, in ascending order.",
            id="a-grade-twice",
        ),
        pytest.param(
            ((2, 2.0), (1, 1.0)),
            "gain '2:2,1:1': expected each grade once, in ascending order.",
            id="not-in-order",
        ),
        pytest.param(
            ((1, float("inf")),),
            "gain '1:inf': expected finite gains, up to 1e+300.",
            id="infinite",
        ),
        pytest.param(
            ((1, float("nan")),),
            "gain '1:nan': expected finite gains, up to 1e+300.",
            id="not-a-number",
        ),
        pytest.param(
            ((0, 0.5), (1, 1.0)),
            "gain '0:0.5,1:1': expected gain 0 for grade 0.",
            id="non-relevant-gains",
        ),
        pytest.param(
            ((1, 2.0), (2, 1.0)),
            "gain '1:2,2:1': expected gains that never fall as the grade rises.",
            id="falls",
        ),
        pytest.param(
            ((1, -1.0),),
            "gain '1:-1': expected gains that never fall as the grade rises.",
            id="below-grade-0-that-is-not-listed",
        ),
        pytest.param(
            ((-1, 1.0),),
            "gain '-1:1': expected gains that never fall as the grade rises.",
            id="a-negative-grade-above-grade-0",
        ),
    ],
)
def test_gain_table_is_refused(entries: tuple[tuple[int, float], ...], message: str) -> None:
    with pytest.raises(PolicyError) as error:
        GainTable(entries)
    assert str(error.value) == message
    assert error.value.field == "gain"


@given(
    st.dictionaries(
        st.integers(-5, 5).filter(bool),
        st.integers(0, 9999).map(lambda thousandths: thousandths / 1000),
        min_size=1,
    )
)
def test_gain_table_comes_back_from_its_text(worth: dict[int, float]) -> None:
    rising = sorted(worth.values())
    below = sum(grade < 0 for grade in worth)
    gains = [gain - rising[below - 1] - 1 for gain in rising[:below]] + rising[below:]
    table = GainTable(tuple(zip(sorted(worth), map(float, gains), strict=True)))
    text = ",".join(f"{grade}:{gain}" for grade, gain in table.entries)
    assert GainTable.parsed(text) == table


# What a caller may hand over by mistake


@pytest.mark.parametrize("field", ["discount", "ties", "unjudged", "average"])
def test_only_gain_takes_a_table(field: str) -> None:
    with pytest.raises(PolicyError):
        replace(STRICT, **{field: GainTable(((1, 1.0),))})  # type: ignore[arg-type]


@pytest.mark.parametrize("gain", [{"a": 1}, {"1": "x"}, {"1": None}, {"1.5": 1}, {}])
def test_malformed_gain_table_in_json_is_refused(gain: dict[str, object]) -> None:
    with pytest.raises(PolicyError):
        Policy.from_dict({**STRICT.to_dict(), "gain": gain})


@pytest.mark.parametrize("text", ["1_0:1", "\uff11:1", "1:1_0", "1:nan", "1:1e301"])
def test_gain_table_takes_plain_finite_numbers_only(text: str) -> None:
    with pytest.raises(PolicyError):
        GainTable.parsed(text)


@pytest.mark.parametrize("text", ["1" * 19, "1" * 5000])
def test_cutoff_beyond_all_lists_is_refused(text: str) -> None:
    with pytest.raises(PolicyError):
        STRICT.with_option("cutoff", text)
