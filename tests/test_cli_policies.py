"""`retrievers presets`, `explain` and `multiverse`, on the fixture that other tools were run on."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from core import cli
from core.policy import Policy
from core.presets import PRESETS

FOLDER = Path(__file__).parent / "golden" / "tools"
FILES = ["--qrels", str(FOLDER / "qrels.txt"), "--run", f"R={FOLDER / 'run.txt'}"]
TWO = [*FILES, f"S={FOLDER / 'run.txt'}"]


def output(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert cli.main(options) == 0
    return capsys.readouterr().out


def answer(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    return json.loads(output(capsys, *options, "--format", "json"))


def refusal(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert cli.main(options) == cli.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()[-1].removeprefix("retrievers: ")


# Presets


def test_presets_are_listed_with_tool_version_fields_source_and_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = answer(capsys, "presets")
    assert [one["name"] for one in listed] == list(PRESETS)
    by_name = {one["name"]: one for one in listed}
    assert {name: Policy.from_dict(one["fields"]) for name, one in by_name.items()} == {
        name: preset.policy for name, preset in PRESETS.items()
    }
    assert by_name["trec_eval-10"] | {"fields": None} == {
        "name": "trec_eval-10",
        "tool": "trec_eval -m ndcg_cut",
        "version": "10.0",
        "fields": None,
        "refuses": ["duplicates", "missing_query", "empty_query"],
        "open_fields": [],
        "source": "m_ndcg_cut.c, form_res_rels.c, trec_eval.c, trec_format.h",
        "checked": "once",
        "checked_how": "the tool was run once; what it printed is kept with our tests",
        "note": PRESETS["trec_eval-10"].note,
        "digits": 4,
    }


def test_presets_are_a_table_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "presets").splitlines()
    assert lines[0].split() == [
        "name",
        "tool",
        "version",
        "checked",
        *["differs", "from", "first-run", "in"],
    ]
    row = next(line for line in lines if line.startswith("gdeval-1.3-c "))
    assert row.split() == [
        *("gdeval-1.3-c", "gdeval.pl", "-c", "1.3", "once"),
        *("gain=exponential", "zero_idcg=leave_out"),
    ]


# Why two numbers differ


def test_explain_walks_from_one_number_of_a_tool_to_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The ends are what the two tools print: 0.5378 and 0.5841."""
    found = answer(capsys, "explain", *FILES, "--from", "trec_eval-9", "--to", "gdeval-1.3")
    (system,) = found["systems"]
    assert system["before"] == pytest.approx(0.5378, abs=5e-5)
    assert system["after"] == pytest.approx(0.58410, abs=5e-6)
    assert [(s["field"], s["from"], s["to"]) for s in found["steps"]] == [
        ("gain", "linear", "exponential"),
        ("score_precision", "float32", "float64"),
        ("zero_idcg", "zero", "leave_out"),
    ]
    steps = [step["systems"][0] for step in found["steps"]]
    for name in ("change", "share"):
        assert sum(step[name] for step in steps) == pytest.approx(system["change"], abs=1e-12)
    assert [query["query_id"] for query in steps[1]["queries"]] == ["106"]
    assert steps[2]["queries"] == [{"query_id": "103", "before": 0.0, "after": None}]


def test_explain_prints_steps_shares_and_queries(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "explain", *FILES, "--from", "trec_eval-9", "--to", "gdeval-1.3")
    rows = [line.split() for line in text.splitlines()]
    assert ["trec_eval-9", "0.5378"] in rows
    assert ["gdeval-1.3", "0.5841"] in rows
    assert "zero_idcg, R: 103 0.000 to left out" in text
    assert "Shapley" in text


def test_explain_names_a_policy_that_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "explain", *FILES, "--from", "trec_eval-9-c", "--to", "trec_eval-10")
    assert "refuses: 2 missing" in text
    found = answer(capsys, "explain", *FILES, "--from", "trec_eval-9-c", "--to", "trec_eval-10")
    assert found["systems"][0]["after"] is None
    assert "missing_query" in found["systems"][0]["refused_after"]


def test_explain_sets_fields_of_both_policies(capsys: pytest.CaptureFixture[str]) -> None:
    ends = ("--from", "trec_eval-9", "--to", "ir_measures", "--set", "cutoff=5")
    found = answer(capsys, "explain", *FILES, *ends)
    assert found["from"]["cutoff"] == found["to"]["cutoff"] == 5


def test_explain_of_one_policy_says_that_there_is_nothing_to_explain(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = output(capsys, "explain", *FILES, "--from", "trec_eval-9-c", "--to", "ir_measures")
    assert "The two policies are the same." in text


def test_a_reported_number_leads_to_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "explain", *FILES, "--reported", "0.5841")
    assert (found[0]["preset"], found[0]["set"], found[0]["system"]) == ("gdeval-1.3", None, "R")
    assert round(found[0]["value"], 4) == 0.5841
    text = output(capsys, "explain", *FILES, "--reported", "0.5841")
    assert text.splitlines()[1].split() == ["gdeval-1.3", "R", f"{found[0]['value']:.6f}"]


def test_a_number_of_no_rules_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "explain", *FILES, "--reported", "0.999999")
    assert text == "No preset, and none with one field changed, gives 0.999999.\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Give --from and --to, or --reported."),
        (["--from", "strict"], "Give --from and --to together."),
        (["--from", "strict", "--reported", "0.5"], "Give --from and --to, or --reported."),
        (["--reported", "half"], "'half' is not a number. Give it as it was printed: "
         "0.3742, or 37.4 %."),
        (["--reported", "0.5", "--set", "gain=binary"],
         "--set gain=binary: with --reported, only cutoff can be set."),
    ],
)  # fmt: skip
def test_explain_says_what_it_needs(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refusal(capsys, "explain", *FILES, *options) == message


def test_explain_does_not_know_a_preset(capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "explain", *FILES, "--from", "strict", "--to", "trec")
    assert said.startswith("preset must be one of first-run, strict, ")


# All combinations

VARY = ["--set", "unjudged=zero", "--vary", "missing_query=zero/leave_out", "gain", "cutoff=5/10"]


def test_multiverse_counts_every_combination(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "multiverse", *TWO, *VARY)
    assert found["vary"] == {
        "missing_query": ["zero", "leave_out"],
        "gain": ["linear", "exponential", "binary"],
        "cutoff": ["5", "10"],
    }
    assert len(found["rule_sets"]) == 12
    (pair,) = found["pairs"]
    counts = {name: pair[name] for name in ("a", "b", "a_ahead", "b_ahead", "level", "no_value")}
    assert counts == {"a": "R", "b": "S", "a_ahead": 0, "b_ahead": 0, "level": 12, "no_value": 0}
    (expected,) = [
        one["values"]
        for one in found["rule_sets"]
        if one["options"] == {"missing_query": "zero", "gain": "linear", "cutoff": "10"}
    ]
    assert expected == pytest.approx([0.4541, 0.4541], abs=5e-5)  # what trec_eval 10 -c prints


def test_multiverse_is_csv_with_a_row_a_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "multiverse", *TWO, *VARY, "--format", "csv")
    rows = list(csv.DictReader(StringIO(text)))
    assert list(rows[0]) == ["missing_query", "gain", "cutoff", "R", "S", "kendall_tau"]
    assert len(rows) == 12
    assert {row["kendall_tau"] for row in rows} == {""}  # both are level, so there is no order


def test_multiverse_says_a_sentence_of_each_pair(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "multiverse", *TWO, *VARY)
    assert text.splitlines()[0] == "12 rule sets: every combination of"
    assert "R and S: neither is ahead in most of 12 rule sets." in text


def test_multiverse_names_what_exceptions_have_in_common(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two queries, one run answers one perfectly, the other that one and the second badly."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 2\n2 0 a 1\n2 0 b 3\n")
    (tmp_path / "half").write_text("1 Q0 b 1 2 half\n1 Q0 a 2 1 half\n")
    (tmp_path / "all").write_text(
        "1 Q0 b 1 2 all\n1 Q0 a 2 1 all\n2 Q0 a 1 2 all\n2 Q0 b 2 1 all\n"
    )
    files = ["--qrels", str(tmp_path / "qrels")]
    files += ["--run", str(tmp_path / "half"), str(tmp_path / "all")]
    vary = ["--vary", "gain", "missing_query=zero/leave_out", "--set", "unjudged=zero"]
    text = output(capsys, "multiverse", *files, *vary, "--pair", "all", "half")
    assert text.splitlines()[-1] == (
        "all beats half in 3 of 6 rule sets; every exception has "
        "missing_query=leave_out, and all with it are exceptions."
    )
    # Under binary gain both are perfect where missing queries are left out.
    assert text.splitlines()[-3].split()[3:7] == ["3", "2", "1", "0"]


def test_multiverse_asks_for_the_rule_that_is_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["multiverse", *TWO, "--vary", "gain"]) == cli.BAD_INPUT
    assert "no rule for unjudged documents was chosen" in capsys.readouterr().err
    assert "unjudged: zero, condense" in output(capsys, "multiverse", *TWO)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--vary", "gian"], "gian is not a policy field. Fields: cutoff, gain, "),
        (["--vary", "gain=cubic"], "gain must be one of linear, exponential, binary, or a table"),
        (["--vary", "gain", "gain=linear"], "gain=linear: gain is given twice."),
        (["--vary", "relevance_level"],
         "relevance_level: name its options, such as relevance_level=1/2."),
        (["--vary", "gain=linear/linear"], "gain: option 'linear' 2 times, expected once."),
        (["--pair", "R", "T"], "--pair: no run is called 'T'. There are: 'R', 'S'."),
        (["--pair", "R", "R"], "--pair: R twice. Name two systems. There are: 'R', 'S'."),
        (["--vary", "cutoff=1/2/3/4/5/6/7/8/9/10", "gain", "ties", "unjudged", "zero_idcg",
          "average", "discount"],
         "10 × 3 × 5 × 4 × 3 × 2 × 2 options make 7,200 rule sets, at most 5,000 are possible."),
    ],
)  # fmt: skip
def test_multiverse_says_what_it_cannot_combine(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(capsys, "multiverse", *TWO, "--set", "unjudged=zero", *options)
    assert said.startswith(message)
