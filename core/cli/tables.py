"""Numbers and aligned tables for a terminal."""

from collections.abc import Collection, Sequence


def amount(value: float) -> str:
    """Write a number of documents; a mean over the orders of a tie may be a fraction."""
    return f"{value:,.2f}".removesuffix(".00")


def number(value: float | None) -> str:
    """Write a headline or the mean of a measure."""
    return "no value" if value is None else f"{value:.4f}"


def signed(value: float | None) -> str:
    """Write a difference; one that rounds to 0 has no sign."""
    if value is None:
        return "no value"
    return f"{value:+.4f}".replace("-0.0000", "0.0000").replace("+0.0000", "0.0000")


def aligned(rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> list[str]:
    """Align columns: those named to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
