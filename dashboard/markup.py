"""Small pieces of HTML. Every text that comes from a file goes through `escaped`."""

import html
from collections.abc import Iterable, Sequence

MINUS = "−"
NOTHING = 1e-12


def escaped(text: object) -> str:
    """Make any text safe to place in HTML."""
    return html.escape(str(text), quote=True)


def title(text: str, line: str = "") -> str:
    """Heading of a section, with a quiet line below it."""
    below = f'<div class="rd-line">{escaped(line)}</div>' if line else ""
    return f'<h2 class="rd-title">{escaped(text)}</h2>{below}'


def name(text: str) -> str:
    """A system's name, shortened by the browser where it is long."""
    return f'<span class="rd-name" title="{escaped(text)}">{escaped(text)}</span>'


def cell(content: str, *classes: str, tag: str = "td", hint: str = "", span: int = 1) -> str:
    """One cell of a table; `content` is HTML."""
    attributes = f' class="{" ".join(classes)}"' if classes else ""
    attributes += f' title="{escaped(hint)}"' if hint else ""
    attributes += f' colspan="{span}"' if span > 1 else ""
    return f"<{tag}{attributes}>{content}</{tag}>"


def heading(content: str, *classes: str, hint: str = "") -> str:
    """One heading cell."""
    return cell(content, *classes, tag="th", hint=hint)


def table(head: Sequence[str], rows: Iterable[str]) -> str:
    """A table in a box that scrolls sideways; `rows` are whole `<tr>` elements."""
    return (
        f'<div class="rd-scroll" tabindex="0"><table><thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def row(cells: Sequence[str], css: str = "") -> str:
    """One row of a table."""
    return f"<tr{f' class={css}' if css else ''}>{''.join(cells)}</tr>"


def number(value: float | None, digits: int = 3) -> str:
    """A number with fixed decimals and a true minus sign."""
    if value is None:
        return "no value"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS)


def count(value: float) -> str:
    """A count; the mean count over the orders of a tie keeps one decimal."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def signed(value: float | None, digits: int = 3) -> str:
    """A difference with its sign; `0` where there is none, `≈ 0` where it rounds to none."""
    if value is None:
        return ""
    text = f"{value:+.{digits}f}"
    if float(text) == 0:
        return "0" if abs(value) < NOTHING else "≈ 0"
    return text.replace("-", MINUS)


def percent(value: float | None) -> str:
    """A share in whole per cent; nearly all and nearly nothing keep one decimal."""
    if value is None:
        return "no value"
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


def dot(value: float, ticks: Sequence[float], position: "Scale") -> str:
    """One value on the shared axis."""
    lines = "".join(f'<u style="left:{position(tick):.2f}%"></u>' for tick in ticks)
    return f'<div class="rd-axis">{lines}<b style="left:{position(value):.2f}%"></b></div>'


def bins(counts: Sequence[int]) -> str:
    """A small histogram of values between 0 and 1."""
    highest = max(*counts, 1)
    bars = "".join(
        f'<i style="height:{max(1, round(20 * count / highest))}px" '
        f'title="{at / len(counts):.2f} to {(at + 1) / len(counts):.2f}: {count} queries"></i>'
        for at, count in enumerate(counts)
    )
    return f'<span class="rd-bins">{bars}</span>'


def adds(value: float, highest: float) -> str:
    """A bar for what a document adds, and the number."""
    width = 100 * max(value, 0.0) / highest if highest > 0 else 0
    return f'<span class="rd-adds"><i style="width:{width:.0f}%"></i></span>{number(value)}'


def grade_chip(grade: int | None) -> str:
    """A grade as a small chip; unjudged has a mark of its own."""
    if grade is None:
        return '<span class="rd-chip rd-chip-unjudged" title="unjudged">?</span>'
    shade = min(max(grade, 0), 3)
    text = str(grade).replace("-", MINUS)
    return f'<span class="rd-chip rd-chip-{shade}" title="grade {text}">{text}</span>'


class Scale:
    """Maps values to per cent of an axis."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def __call__(self, value: float) -> float:
        """Per cent from the left end."""
        return 100 * (value - self.low) / (self.high - self.low)
