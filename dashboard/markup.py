"""Small pieces of HTML. Every text that comes from a file goes through `escaped`."""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.intervals import Interval
from dashboard.wording import number_of, say, say_count, words

MINUS = "−"
# Pixels by which a box of lines is larger than what it draws, so that no line is cut at an end.
_MARGIN = 4
# Characters of a text that a page shows; what is read and written down keeps all of them.
_EXCERPT = 240
_LINE_END = re.compile(r"\s*[\r\n]\s*")
NOTHING = 1e-12


def escaped(text: object) -> str:
    """Make any text safe to place in HTML."""
    return html.escape(str(text), quote=True)


def excerpt(text: str) -> str:
    """The beginning of a text on one line, as plain text."""
    begin = text[: 4 * _EXCERPT]  # Much more than is shown, should it be full of line ends.
    line = _LINE_END.sub(" ", begin)
    is_whole = begin == text and len(line) <= _EXCERPT
    return line if is_whole else f"{line[:_EXCERPT]}…"


def phrase(key: str, **pieces: str) -> str:
    """Words with pieces of HTML in their braces; what comes from files is escaped in them."""
    return escaped(words(key)).format(**pieces)


def phrase_count(key: str, count: float, **pieces: str) -> str:
    """Words for a count, as `wording.say_count` chooses them, with pieces of HTML."""
    return phrase(f"{key}.{'one' if count == 1 else 'many'}", n=bold(number_of(count)), **pieces)


def bold(content: str) -> str:
    """A value that stands out; `content` is HTML."""
    return f"<b>{content}</b>"


def title(text: str, line: str = "") -> str:
    """Heading of a section, with a quiet line below it."""
    below = f'<div class="rd-line">{escaped(line)}</div>' if line else ""
    return f'<h2 class="rd-title">{escaped(text)}</h2>{below}'


def name(text: str, role: str = "") -> str:
    """A system's name, in the colour of its role, shortened by the browser where it is long."""
    css = f"rd-name rd-{role}" if role else "rd-name"
    return f'<span class="{css}" title="{escaped(text)}">{escaped(text)}</span>'


def cell(content: str, *classes: str, tag: str = "td", hint: str = "", span: int = 1) -> str:
    """One cell of a table; `content` is HTML."""
    attributes = f' class="{" ".join(classes)}"' if classes else ""
    attributes += f' title="{escaped(hint)}"' if hint else ""
    attributes += f' colspan="{span}"' if span > 1 else ""
    return f"<{tag}{attributes}>{content}</{tag}>"


def heading(content: str, *classes: str, hint: str = "") -> str:
    """One heading cell; one without content names no column."""
    return cell(content, *classes, tag="th" if content else "td", hint=hint)


def table(head: Sequence[str], rows: Iterable[str], *, label: str = "", dense: bool = False) -> str:
    """A table in a box that scrolls sideways; `rows` are whole `<tr>` elements.

    The box can be reached by keyboard; `label` tells a screen reader what it holds.
    """
    named = f' role="region" aria-label="{escaped(label)}"' if label else ""
    css = ' class="rd-dense"' if dense else ""
    return (
        f'<div class="rd-scroll" tabindex="0"{named}><table{css}>'
        f"<thead><tr>{''.join(head)}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(cells: Sequence[str], css: str = "") -> str:
    """One row of a table."""
    return f"<tr{f' class={css}' if css else ''}>{''.join(cells)}</tr>"


def number(value: float | None, digits: int = 3) -> str:
    """A number with fixed decimals and a true minus sign."""
    if value is None:
        return say("value.none")
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS)


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign; `0` where there is none, `≈ 0` where it rounds to none."""
    if value is None:
        return ""
    text = f"{value:+.{digits}f}"
    if float(text) == 0:
        return "0" if abs(value) < NOTHING else "≈ 0"
    return text.replace("-", MINUS)


def bounds(interval: Interval | None, digits: int = 3) -> str:
    """The two ends of an interval of a difference; empty where there is none."""
    if interval is None:
        return ""
    ends = (f"{end:+.{digits}f}".replace("-", MINUS) for end in (interval.low, interval.high))
    return f"[{', '.join(ends)}]"


def percent(value: float | None) -> str:
    """A share in whole per cent; nearly all and nearly nothing keep one decimal."""
    if value is None:
        return say("value.none")
    nearly = 0.995 <= value < 1 or 0 < value <= 0.005
    return f"{value * 100:.{int(nearly)}f} %"


def share(value: float | None) -> str:
    """A small bar and its share in per cent."""
    if value is None:
        return percent(value)
    return f'<span class="rd-share"><i style="width:{value * 100:.0f}%"></i></span>{percent(value)}'


def axis(ticks: Sequence[float], position: "Scale") -> str:
    """Labels of a shared axis, for the heading of its column."""
    labels = "".join(
        f'<em style="left:{position(tick):.2f}%">{number(tick, 2)}</em>' for tick in ticks
    )
    return f'<div class="rd-axis">{labels}</div>'


def dot(
    value: float,
    interval: Interval | None,
    ticks: Sequence[float],
    position: "Scale",
    role: str = "other",
) -> str:
    """One value on the shared axis, with its interval as far as the axis goes."""
    lines = "".join(f'<u style="left:{position(tick):.2f}%"></u>' for tick in ticks)
    whisker = ""
    if interval is not None:
        low, high = (min(max(position(end), 0), 100) for end in (interval.low, interval.high))
        whisker = f'<s style="left:{low:.2f}%;width:{high - low:.2f}%"></s>'
    return (
        f'<div class="rd-axis rd-{role}">{lines}{whisker}'
        f'<b style="left:{position(value):.2f}%"></b></div>'
    )


def bins(counts: Sequence[int], role: str = "other") -> str:
    """A small histogram of values between 0 and 1."""
    highest = max(*counts, 1)
    bars = "".join(
        f'<i style="height:{max(1, round(20 * count / highest))}px" '
        f'title="{escaped(_bin_words(at, len(counts), count))}"></i>'
        for at, count in enumerate(counts)
    )
    return f'<span class="rd-bins rd-{role}">{bars}</span>'


def _bin_words(at: int, bins: int, count: int) -> str:
    low, high = f"{at / bins:.2f}", f"{(at + 1) / bins:.2f}"
    return say_count("bin", count, low=low, high=high)


def adds(value: float, highest: float, role: str = "first") -> str:
    """A bar for what a document adds, and the number."""
    width = 100 * max(value, 0.0) / highest if highest > 0 else 0
    bar = f'<span class="rd-adds rd-{role}"><i style="width:{width:.0f}%"></i></span>'
    return f"{bar}{number(value)}"


def grade_chip(grade: int | None) -> str:
    """A grade as a small chip; unjudged has a mark of its own."""
    if grade is None:
        hint = escaped(say("grade.unjudged"))
        return f'<span class="rd-chip rd-chip-unjudged" title="{hint}">?</span>'
    shade = min(max(grade, 0), 3)
    text = str(grade).replace("-", MINUS)
    hint = escaped(say("grade.judged", grade=text))
    return f'<span class="rd-chip rd-chip-{shade}" title="{hint}">{text}</span>'


@dataclass(frozen=True)
class Line:
    """A line from the left to the right end of a panel.

    Parameters
    ----------
    before, after : float
        Heights of its ends, in per cent from the top.
    label_at : float
        Height of its label, moved away from the others.
    value, name : str
        What the label says.
    role : str
        "first", "second" or "other".
    moves : bool
        Whether the line changes its rank, and is drawn thick.
    """

    before: float
    after: float
    label_at: float
    value: str
    name: str
    role: str
    moves: bool


def slopes(caption: str, below: str, lines: Sequence[Line], height: int) -> str:
    """A panel of labelled lines, so many pixels high: left as it is, right after a switch."""
    drawn = "".join(_slope(line) for line in lines)
    labels = "".join(
        f'<span class="rd-slope-label rd-{line.role}{" rd-moves" * line.moves}" '
        f'style="top:{line.label_at:.1f}%">{line.value} {name(line.name)}</span>'
        for line in lines
    )
    box = f'<div class="rd-slope-box" style="height:{height}px">{drawn}{labels}</div>'
    words = f"<figcaption><b>{escaped(caption)}</b><br>{escaped(below)}</figcaption>"
    return f'<figure class="rd-slope">{words}{box}</figure>'


def _slope(line: Line) -> str:
    thick = " rd-moves" * line.moves
    ends = f"--from:{line.before / 100:.3f};--to:{line.after / 100:.3f}"
    return (
        f'<i class="rd-slope-line rd-{line.role}{thick}" style="{ends}"></i>'
        f'<i class="rd-slope-end rd-{line.role}" style="top:{line.before:.1f}%;left:0"></i>'
        f'<i class="rd-slope-end rd-{line.role}" style="top:{line.after:.1f}%;left:100%"></i>'
    )


def curve(points: Sequence[tuple[float, float]], role: str) -> str:
    """A line through points, each in per cent from the left and from the bottom."""
    heights = [
        (x, f"{_MARGIN}px + (100% - {2 * _MARGIN}px) * {1 - y / 100:.4f}") for x, y in points
    ]
    upper = [f"{x:.2f}% calc({height} - 1px)" for x, height in heights]
    lower = [f"{x:.2f}% calc({height} + 1px)" for x, height in reversed(heights)]
    path = ",".join([*upper, *lower])
    return f'<i class="rd-curve rd-{role}" style="clip-path:polygon({path})"></i>'


class Scale:
    """Maps values to per cent of an axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def __call__(self, value: float) -> float:
        """Per cent from the left end."""
        return 100 * (value - self.low) / (self.high - self.low)
