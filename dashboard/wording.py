"""Looks up words by key. No Streamlit, no arithmetic; the words themselves stand in `english`."""

from core.policy import GainTable
from dashboard.english import ENGLISH


def words(key: str) -> str:
    """Return the words of a key as they stand, braces and all."""
    return ENGLISH[key]


def say(key: str, **values: object) -> str:
    """Return the words of a key as plain text, its braces filled in."""
    return words(key).format(**values)


def say_count(key: str, count: float, **values: object) -> str:
    """Return a count with its noun: the words of `key.one`, or else of `key.many`.

    `{n}` stands for the count.
    """
    return say(f"{key}.{'one' if count == 1 else 'many'}", n=number_of(count), **values)


def number_of(count: float) -> str:
    """Write a count; the mean count over the orders of a tie keeps one decimal."""
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def field_label(field: str) -> str:
    """Label of a policy field."""
    return words(f"field.{field}")


def field_help(field: str) -> str:
    """What a policy field decides."""
    return words(f"help.{field}")


def option_label(field: str, option: object) -> str:
    """Label of one option of a policy field."""
    if isinstance(option, GainTable):
        return say("option.gain.own_table", table=option)
    return ENGLISH.get(f"option.{field}.{option}", str(option))


def switch_label(field: str, option: object) -> str:
    """Label of a field set to an option: `Unjudged documents: remove`."""
    return f"{field_label(field)}: {option_label(field, option)}"


def state_label(state: str) -> str:
    """What became of a query, in words; empty where it was scored."""
    return words(f"state.{state}")
