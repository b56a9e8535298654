"""Words by key: every key has words, all words have a use, and no module has words of its own."""

import ast
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import pytest
from dashboard_worlds import MINUS
from nasty_names import NASTY

import core
import dashboard
from core.policy import OPTIONS, GainTable, Policy
from core.scores import STATES
from dashboard import inputs, markup, wording
from dashboard.english import ENGLISH
from dashboard.wording import say, say_count

DASHBOARD = Path(next(iter(dashboard.__path__)))
CORE = Path(next(iter(core.__path__)))
SOURCES = [path for path in sorted(DASHBOARD.rglob("*.py")) if path.name != "english.py"]
POLICY_FIELDS = [field.name for field in fields(Policy)]

PLAIN = {"say", "words", "phrase"}
COUNTED = {"say_count", "phrase_count"}
# Short forms of `say` that put the name of a section before their key.
SHORT = {"leaderboard.py": "leaderboard.", "open_query.py": "list."}
A_KEY = re.compile(r"(?!.*\.py$)[a-z_]+(\.[a-z0-9_]+)+")


def named(path: Path) -> str:
    return path.relative_to(DASHBOARD.parent).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


# What the code asks for


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module, with its line."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@dataclass(frozen=True)
class Asked:
    """One place that asks for words.

    Parameters
    ----------
    place : str
        File and line.
    pattern : str
        The keys it may ask for, as a regular expression.
    literal : bool
        Whether it is one key.
    counted : bool
        Whether it asks for `.one` or `.many` of that.
    values : frozenset of str or None
        What the braces are filled with. None: it is not written at that place.
    """

    place: str
    pattern: str
    literal: bool
    counted: bool
    values: frozenset[str] | None

    @property
    def keys(self) -> set[str]:
        """Keys that there are."""
        return {key for key in ENGLISH if re.fullmatch(self.pattern, key)}


@cache
def parts() -> str:
    """Any string of the code that may be a part of a key, as a regular expression."""
    found = {"", r"\d+"}
    for path in [*SOURCES, *sorted(CORE.rglob("*.py"))]:
        found |= {text for _, text in strings(path) if re.fullmatch(r"[a-z0-9_]+", text)}
    return f"(?:{'|'.join(sorted(found | set(POLICY_FIELDS), key=len, reverse=True))})"


def pattern_of(node: ast.expr, before: str = "") -> str | None:
    """The keys that an argument may stand for; None where nothing of it is written there."""
    if isinstance(node, ast.Constant):
        return re.escape(before + str(node.value))
    if isinstance(node, ast.IfExp):
        both = [pattern_of(one, before) for one in (node.body, node.orelse)]
        return None if None in both else f"(?:{'|'.join(str(one) for one in both)})"
    if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
        pieces = [
            re.escape(str(one.value)) if isinstance(one, ast.Constant) else parts()
            for one in node.values
        ]
        return re.escape(before) + "".join(pieces)
    return None


def asked_in(path: Path) -> Iterator[Asked]:
    for node in ast.walk(tree(path)):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        short = called == "_say" and path.name in SHORT
        if called not in PLAIN | COUNTED and not short:
            continue
        pattern = pattern_of(node.args[0], SHORT[path.name] if short else "")
        if pattern is None:
            continue
        counted = called in COUNTED
        spread = any(one.arg is None for one in node.keywords)
        yield Asked(
            place=f"{named(path)}, line {node.lineno}",
            pattern=pattern + (r"\.(?:one|many)" if counted else ""),
            literal=isinstance(node.args[0], ast.Constant),
            counted=counted,
            values=None if spread else frozenset(str(one.arg) for one in node.keywords),
        )


ASKED = [one for path in SOURCES for one in asked_in(path)]


def keys_in_strings() -> set[str]:
    """Keys that are written down somewhere and asked for elsewhere, with endings they may get."""
    found = {text for path in SOURCES for _, text in strings(path) if A_KEY.fullmatch(text)}
    endings = {
        str(node.value.value)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.AugAssign) and isinstance(node.value, ast.Constant)
    }
    return {text + end for text in found for end in (*endings, "", ".one", ".many")} & set(ENGLISH)


def joined_keys() -> set[str]:
    """Keys that are put together from parts and then handed on."""
    patterns = {
        pattern
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.JoinedStr) and (pattern := pattern_of(node))
    }
    return {key for key in ENGLISH for one in patterns if re.fullmatch(one, key)}


def test_the_code_is_read_as_it_asks_for_words():
    """Without this the tests below could pass on code that they do not see."""
    assert len(ASKED) > 150
    assert {one.place.split(",")[0] for one in ASKED} > {
        "dashboard/sentences.py",
        "dashboard/leaderboard.py",
        "dashboard/views/queries.py",
    }


def test_every_key_that_is_asked_for_has_words():
    unknown = [one.place for one in ASKED if not one.keys]
    assert unknown == []
    sections = {key.split(".")[0] for key in ENGLISH if "." in key}
    for path in SOURCES:
        for line, text in strings(path):
            if A_KEY.fullmatch(text) and text.split(".")[0] in sections:
                known = {text, f"{text}.one"} & set(ENGLISH) or joined(text)
                assert known, f"{named(path)}, line {line}: {text}"


def joined(start: str) -> list[str]:
    return [key for key in ENGLISH if key.startswith(f"{start}.")]


def test_every_count_has_words_for_one_and_for_many():
    for one in ASKED:
        if one.counted and one.literal:
            assert {key.rsplit(".", 1)[1] for key in one.keys} == {"one", "many"}, one.place
    counts = [key for key in ENGLISH if not key.startswith("option.")]
    ends = {key.rsplit(".", 1)[0] for key in counts if key.endswith((".one", ".many"))}
    assert [key for key in ends if not {f"{key}.one", f"{key}.many"} <= set(ENGLISH)] == []


def test_all_words_have_a_use():
    used = {key for one in ASKED for key in one.keys}
    used |= keys_in_strings() | joined_keys()
    assert sorted(set(ENGLISH) - used) == []


def braces(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def test_braces_are_filled_where_words_are_asked_for():
    for one in ASKED:
        if one.literal and one.values is not None:
            wanted = set.union(*(braces(ENGLISH[key]) for key in one.keys))
            given = one.values | ({"n"} & wanted if one.counted else set())
            assert wanted == given, one.place


def test_words_take_what_their_braces_name():
    """By name, so that another language may have another order."""
    for key, words in ENGLISH.items():
        names = braces(words)
        assert all(re.fullmatch(r"[a-z_]+", name) for name in names), key
        values = {name: f"<{at}>" for at, name in enumerate(names)}
        text = say(key, **values)
        assert all(value in text for value in values.values()), key
        assert text == text.strip(), key


# What a name does to words


@pytest.mark.parametrize("name", [*NASTY.values(), "{}", "{0}", "{system}", "{{", "}", "%(n)s"])
def test_a_name_with_braces_is_only_ever_a_name(name):
    assert say("list.label", system=name) == f"Ranking of {name}"
    assert say_count("query.removed", 2, system=name).startswith(f"{name}: 2 unjudged documents")
    piece = markup.escaped(name)
    assert markup.phrase("pairs.over", first=piece, second=piece) == f"{piece} over {piece}"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (7.0, "7"), (2.5, "2.5"), (1234567.0, "1,234,567"), (1234.25, "1,234.2")],
)
def test_counts(value, text):
    assert wording.number_of(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1 query"), (0, "0 queries"), (2, "2 queries"), (1.5, "1.5 queries")],
)
def test_a_noun_agrees_with_its_count(count, text):
    assert say_count("bin", count, low=0, high=1) == f"0 to 1: {text}"


# Words for the policy


def test_every_policy_field_has_a_label_and_a_help_text():
    labels = [wording.field_label(field) for field in POLICY_FIELDS]
    assert len(set(labels)) == len(labels)
    assert all(wording.field_help(field).endswith((".", "”")) for field in POLICY_FIELDS)
    for section in ("field", "help"):
        keys = {key for key in ENGLISH if key.startswith(f"{section}.")}
        assert keys == {f"{section}.{field}" for field in POLICY_FIELDS}


@pytest.mark.parametrize("field", OPTIONS)
def test_every_option_has_a_label_of_its_own(field):
    """The app tells the options of a control apart by their labels."""
    options = [*OPTIONS[field]]
    options += ["table"] if field == "gain" else []
    options += [inputs.UNCHOSEN] if field == "unjudged" else []
    keys = {key for key in ENGLISH if key.startswith(f"option.{field}.")}
    assert keys - {"option.gain.own_table"} == {f"option.{field}.{option}" for option in options}
    labels = [wording.option_label(field, option) for option in options]
    assert len(set(labels)) == len(labels)
    assert all(label and "_" not in label for label in labels)


def test_other_options_label_themselves():
    assert wording.option_label("cutoff", 20) == "20"
    assert wording.option_label("cutoff", "all") == "whole ranking"
    assert wording.option_label("gain", GainTable.parsed("0:0,1:1,2:5")) == "table 0:0,1:1,2:5"
    assert wording.switch_label("unjudged", "condense") == "Unjudged documents: remove"


def test_every_state_of_a_query_has_words():
    keys = {key for key in ENGLISH if key.startswith("state.")}
    assert keys == {f"state.{state}" for state in STATES}
    assert [state for state in STATES if not wording.state_label(state)] == ["scored"]


# No words anywhere else

# Strings with two words in a row that nobody reads on a page.
TECHNICAL = {
    "command line",  # where files come from, one of three fixed names
}
TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,.:;!?)”]* [(“]?[A-Za-z]{2,}")
ELEMENT = re.compile(r"<[^<>]*>?|[\w-]+=\"[^\"]*\"?|\brd-[\w-]*")
STYLE = re.compile(r"^[a-z-]+: ")


def shown_strings(path: Path) -> Iterator[tuple[int, str]]:
    """Strings that are neither documentation nor a message to developers, without elements."""
    skipped: set[int] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            skipped.add(id(node.msg))
        elif isinstance(node, ast.JoinedStr):
            skipped |= {id(one) for one in node.values}
    for node in ast.walk(tree(path)):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            pieces = [
                str(one.value) if isinstance(one, ast.Constant) else "0" for one in node.values
            ]
            yield node.lineno, ELEMENT.sub("", "".join(pieces))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, ELEMENT.sub("", node.value)


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_no_other_module_has_words_of_its_own(path):
    found = [
        f"line {line}: {text}"
        for line, text in shown_strings(path)
        if TWO_WORDS.search(text) and text not in TECHNICAL and not STYLE.match(text)
    ]
    assert found == []


def test_words_of_a_module_would_be_found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        '"""Docs with words."""\n'
        "def f(n):\n"
        '    """More docs."""\n'
        '    assert n, "a message"\n'
        '    return f\'<b class="one two">No systems</b> {n}\', "Choose one", "rd-a rd-b"\n'
    )
    found = [text for _, text in shown_strings(path) if TWO_WORDS.search(text)]
    assert found == ["No systems 0", "Choose one"]


def test_minus_signs_are_true_ones_and_no_words_ask_for_a_hyphen_in_their_place():
    for key, text in ENGLISH.items():
        assert not re.search(r"(?<![\w-])-(?=[\d{])", text), key
    assert MINUS in ENGLISH["pair.difference"]
