"""The page of combinations: what it counts, what it draws, and how its rules are chosen."""

from itertools import product

import app_driver
import pytest
from app_driver import (
    address,
    app,
    checked,
    go_to,
    notes,
    page_text,
    pick,
    policy,
    press,
    sample_scores,
    table,
    verdict,
    with_own_files,
)
from streamlit.testing.v1 import AppTest

from core.policy import Policy
from core.presets import FIRST_RUN
from core.scores import headline
from dashboard.wording import say

start_alone = pytest.fixture(autouse=True)(app_driver.start_alone)

VARY = "gain=linear/exponential unjudged=zero/condense average=macro/pooled"
RULES = [
    FIRST_RUN.with_option("gain", gain)
    .with_option("unjudged", unjudged)
    .with_option("average", average)
    for gain, unjudged, average in product(
        ("linear", "exponential"), ("zero", "condense"), ("macro", "pooled")
    )
]
PAIR = {"system": "char-ngrams", "baseline": "dense-64"}


def values(rules: Policy) -> dict[str, float]:
    return {name: headline(one) or 0.0 for name, one in sample_scores(rules).items()}


def differences() -> list[float]:
    return [values(rules)[PAIR["system"]] - values(rules)[PAIR["baseline"]] for rules in RULES]


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def ticked(at: AppTest, field: str) -> list[str]:
    return list(at.session_state[f"vary_{field}"])


def tick(at: AppTest, field: str, options: list[str]) -> AppTest:
    return checked(at.button_group(key=f"vary_{field}").set_value(options).run())


def test_the_verdict_counts_rule_sets_scored_one_by_one():
    at = app("combinations", vary=VARY, **PAIR)
    of = differences()
    wins, losses = sum(one > 0 for one in of), sum(one < 0 for one in of)
    assert wins > 0 < losses
    said = verdict(at)
    if wins != losses:
        ahead, behind = PAIR.values() if wins > losses else reversed(PAIR.values())
        assert said.startswith(f"{ahead} beats {behind} in {max(wins, losses)} of 8 rule sets")
    assert f"goes from {signed(min(of))} to {signed(max(of))}" in said
    assert said.endswith(f"under the present rules it is {signed(of[0])}.")


def test_each_option_says_how_often_the_first_system_is_ahead():
    at = app("combinations", vary=VARY, **PAIR)
    shown = {row[0]: row[2:] for row in table(at, "Ruleoption", "median")}
    of = dict(zip(RULES, differences(), strict=True))
    for label, option in (("count as 0", "zero"), ("remove", "condense")):
        (cells,) = (cells for name, cells in shown.items() if name.endswith(label))
        having = [value for rules, value in of.items() if rules.unjudged == option]
        wins = sum(value > 0 for value in having)
        assert cells[0].endswith(f"{wins} of 4")


def test_the_ends_of_the_curve_name_the_rules_behind_them():
    at = app("combinations", vary=VARY, **PAIR)
    of = differences()
    shown = {row[0]: row[1:] for row in table(at, "Place", "A − B")}
    for place, value in (("highest", max(of)), ("lowest", min(of))):
        rules = RULES[of.index(value)]
        first, second, difference, changed = shown[place]
        assert first == f"{values(rules)[PAIR['system']]:.3f}"
        assert second == f"{values(rules)[PAIR['baseline']]:.3f}"
        assert difference == signed(value)
        assert (say("field.gain") in changed) == (rules.gain != FIRST_RUN.gain)
        assert (say("field.unjudged") in changed) == (rules.unjudged != FIRST_RUN.unjudged)
        assert (say("field.average") in changed) == (rules.average != FIRST_RUN.average)


@pytest.mark.parametrize("place", ["highest", "lowest"])
def test_one_click_uses_the_rules_of_an_end(place: str):
    at = press(app("combinations", vary=VARY, **PAIR), say(f"combine.use.{place}"))
    of = differences()
    rules = RULES[of.index(max(of) if place == "highest" else min(of))]
    assert {field: policy(at)[field] for field in ("gain", "unjudged", "average")} == {
        field: getattr(rules, field) for field in ("gain", "unjudged", "average")
    }
    assert verdict(at).endswith(f"under the present rules it is {signed(of[RULES.index(rules)])}.")


def test_ranks_are_those_of_rule_sets_scored_one_by_one():
    at = app("combinations", vary=VARY, **PAIR)
    places: dict[str, list[int]] = {}
    for rules in RULES:
        of = values(rules)
        for name, value in of.items():
            places.setdefault(name, []).append(1 + sum(o > value + 1e-12 for o in of.values()))
    present = values(FIRST_RUN)
    for name, now, span, *shares, first in table(at, "System", "ranks"):
        low, high = min(places[name]), max(places[name])
        assert now == f"{present[name]:.3f}"
        assert span == (str(low) if low == high else f"{low}–{high}")
        for rank, share in enumerate(shares, 1):
            count = places[name].count(rank)
            assert share == (f"{100 * count / 8:.0f}" if count else "")
        assert first == f"{100 * places[name].count(1) / 8:.0f} %"


def test_usual_rules_are_combined_at_first():
    at = app("combinations")
    assert "1,152 of 1,152 rule sets" in verdict(at)
    assert ticked(at, "cutoff") == ["5", "10", "20"]
    assert ticked(at, "duplicates") == []
    assert "vary" not in address(at)


def test_what_is_ticked_stands_in_the_address():
    at = app("combinations", vary=VARY, **PAIR)
    at = tick(at, "average", [])
    assert address(at)["vary"] == "gain=linear/exponential unjudged=zero/condense"
    assert "of 4 rule sets" in verdict(at)
    at = tick(go_to(go_to(at, "overview"), "combinations"), "negative_grades", ["zero", "raw"])
    assert address(at)["vary"].endswith(" negative_grades=zero/raw")
    assert "of 8 rule sets" in verdict(at)
    at = press(at, say("combine.usual"))
    assert "vary" not in address(at)
    assert "of 1,152 rule sets" in verdict(at)


def test_too_many_rule_sets_are_counted_and_not_scored():
    at = app("combinations", vary="cutoff=1/2/3/4/5/6/7/8 gain ties missing_query empty_query "
             "extra_query zero_idcg unjudged")  # fmt: skip
    (said,) = (note for note in notes(at) if "rule sets" in note)
    assert "at most 5,000 are possible" in said
    at = press(at, say("combine.usual"))
    assert "of 1,152 rule sets" in verdict(at)


def test_an_address_that_cannot_be_read_is_named():
    at = app("combinations", vary="gain=square")
    assert any("square" in note for note in notes(at))
    assert "of 1,152 rule sets" in verdict(at)


def test_rule_sets_that_refuse_are_counted_apart():
    at = app("combinations", vary="missing_query", system="dense", baseline="bm25")
    assert "2 of 2 rule sets" in verdict(at)
    said = "1 more rule set gives one of the two no value (1 refused)"
    assert said in page_text(at)


def test_one_system_alone_has_ranks_and_no_pair():
    at = go_to(with_own_files({"alpha.run": app_driver.ALPHA}), "combinations")
    assert any(say("combine.alone") in note for note in notes(at))
    assert table(at, "System", "ranks")[0][2:4] == ["1", "100"]


def test_other_systems_can_be_compared():
    at = pick(app("combinations", vary=VARY, **PAIR), "system", "bm25")
    assert "bm25" in verdict(at)
