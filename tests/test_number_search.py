"""Reported numbers, and the rules that give them."""

import json
from pathlib import Path

import pytest

from core.errors import EvaluationError
from core.formats import read_judgments, read_run
from core.grades import join
from core.number_search import Reported, matches
from core.scores import headline, score

FOLDER = Path(__file__).parent / "golden" / "tools"
GRADED = join(read_run(FOLDER / "run.txt"), read_judgments(FOLDER / "qrels.txt"))


@pytest.mark.parametrize(
    ("text", "value", "half_unit"),
    [
        ("0.3742", 0.3742, 0.00005),
        (".37", 0.37, 0.005),
        ("0,37", 0.37, 0.005),
        ("37.42", 0.3742, 0.00005),
        ("37 %", 0.37, 0.005),
        ("0.5%", 0.005, 0.0005),
        ("1", 1.0, 0.5),
        ("-0.25", -0.25, 0.005),
    ],
)
def test_a_number_is_read_with_its_digits(text: str, value: float, half_unit: float) -> None:
    reported = Reported.parsed(text)
    assert reported.value == pytest.approx(value, abs=1e-15)
    assert reported.half_unit == pytest.approx(half_unit, abs=1e-15)


@pytest.mark.parametrize("text", ["", ".", "-", "abc", "0.3.4", "nan", "1e-3", "120", "٣", "+"])
def test_what_is_no_number_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(EvaluationError, match=r"Give it as it was printed: 0\.3742, or 37\.4 %"):
        Reported.parsed(text)


@pytest.mark.parametrize(
    ("value", "fits"), [(0.365, True), (0.375, True), (0.3649, False), (0.3751, False)]
)
def test_a_number_fits_to_its_printed_digits(value: float, fits: bool) -> None:
    assert Reported.parsed("0.37").fits(value) is fits


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("trec_eval-9", {"trec_eval-9"}),
        ("gdeval-1.3", {"gdeval-1.3"}),
        ("elasticsearch", {"elasticsearch"}),
        ("opensearch", {"opensearch"}),
    ],
)
def test_the_number_a_tool_printed_leads_to_its_preset(output: str, names: set[str]) -> None:
    printed = json.loads((FOLDER / f"{output}.json").read_text(encoding="utf-8"))["mean"]
    found = matches([GRADED], Reported.parsed(f"{printed:.4f}"), cutoff=10)
    as_they_are = {match.preset.name for match in found if match.switch is None}
    assert as_they_are & names
    assert [match.switch is None for match in found] == sorted(
        (match.switch is None for match in found), reverse=True
    )


def test_every_match_has_the_number_under_its_policy() -> None:
    reported = Reported.parsed("0.44")
    found = matches([GRADED], reported, cutoff=10)
    assert len(found) > 1
    assert len({match.policy for match in found}) == len(found)
    for match in found:
        value = headline(score(GRADED, match.policy))
        assert value == match.value
        assert reported.fits(match.value)
        if match.switch:
            assert getattr(match.policy, match.switch.field) == match.switch.option


def test_no_rules_give_a_number_that_none_gives() -> None:
    assert matches([GRADED], Reported.parsed("0.123456"), cutoff=10) == ()


def test_progress_may_cancel() -> None:
    def cancel(done: int, total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        matches([GRADED], Reported.parsed("0.5"), cutoff=10, progress=cancel)
