"""The named policies, option by option as the contract lists them."""

import pytest

from core.errors import PolicyError
from core.policy import Policy
from core.presets import FIRST_RUN, PRESETS, STRICT, TREC_EVAL_9, preset

FIRST_RUN_OPTIONS = {
    "cutoff": 10,
    "gain": "linear",
    "discount": "log2",
    "ideal_scope": "judged",
    "ideal_depth": "cutoff",
    "order": "score",
    "ties": "docid_descending",
    "score_precision": "float64",
    "duplicates": "refuse",
    "self_matches": "keep",
    "unjudged": "zero",  # shown until somebody chooses
    "negative_grades": "zero",
    "missing_query": "zero",
    "empty_query": "zero",
    "extra_query": "ignore",
    "zero_idcg": "zero",
    "average": "macro",
    "rounding": "none",
    "relevance_level": 1,
}
STRICT_OPTIONS = {
    "cutoff": 10,
    "gain": "linear",
    "discount": "log2",
    "ideal_scope": "judged",
    "ideal_depth": "cutoff",
    "order": "score",
    "ties": "refuse",
    "score_precision": "float64",
    "duplicates": "refuse",
    "self_matches": "keep",
    "unjudged": "refuse_any",
    "negative_grades": "refuse",
    "missing_query": "zero",
    "empty_query": "zero",
    "extra_query": "refuse",
    "zero_idcg": "zero",
    "average": "macro",
    "rounding": "none",
    "relevance_level": 1,
}


@pytest.mark.parametrize(
    ("name", "options"), [("first-run", FIRST_RUN_OPTIONS), ("strict", STRICT_OPTIONS)]
)
def test_preset_states_what_the_contract_lists(name: str, options: dict[str, object]) -> None:
    assert preset(name).policy.to_dict() == options
    assert preset(name).policy == Policy.from_dict(options)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        pytest.param("trec_eval-10-c", {}, id="float64-and-missing-queries-count-0"),
        pytest.param("trec_eval-9-c", {"score_precision": "float32"}, id="compares-float32"),
        pytest.param(
            "trec_eval-9",
            {
                "score_precision": "float32",
                "missing_query": "leave_out",
                "empty_query": "leave_out",
            },
            id="without-c-missing-queries-leave-the-mean",
        ),
    ],
)  # fmt: skip
def test_preset_of_trec_eval_differs_from_first_run_in(
    name: str, changes: dict[str, object]
) -> None:
    assert preset(name).policy.to_dict() == {**FIRST_RUN_OPTIONS, **changes}


def test_only_first_run_leaves_a_field_open() -> None:
    is_open = {name: one.open_fields for name, one in PRESETS.items() if one.open_fields}
    assert is_open == {"first-run": ("unjudged",)}


@pytest.mark.parametrize("name", PRESETS)
def test_preset_is_found_by_its_own_name_and_names_its_source(name: str) -> None:
    assert preset(name).name == name
    assert preset(name).tool
    assert preset(name).source


def test_constants_are_the_presets() -> None:
    assert preset("first-run").policy == FIRST_RUN
    assert preset("strict").policy == STRICT
    assert preset("trec_eval-9").policy == TREC_EVAL_9


def test_unknown_preset_is_refused() -> None:
    with pytest.raises(PolicyError) as error:
        preset("trec_eval")
    assert str(error.value) == (f"preset must be one of {', '.join(PRESETS)}, not 'trec_eval'.")
    assert error.value.field == "preset"
