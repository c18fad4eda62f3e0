"""Rows for a person's eyes: aligned columns, every character of them safe to show."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from toolcell.cli.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = "  "


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the rows under their heads as lines, each column as wide as its widest cell."""
    shown = [tuple(_cell(cell) for cell in row) for row in (heads, *rows)]
    widths = [max(map(width, column)) for column in zip(*shown, strict=True)]
    return "\n".join(_line(row, widths) for row in shown)


def width(text: str) -> int:
    """Return how many columns of a terminal a text takes (Unicode Annex 11; combining marks take none)."""
    return sum(_WIDTHS.get(unicodedata.east_asian_width(c), 1) for c in text if not unicodedata.combining(c))


_WIDTHS = {"W": 2, "F": 2}


def shortened(text: str, limit: int) -> str:
    """Return the first line of a text, cut to ``limit`` characters."""
    first, _, rest = text.partition("\n")
    return first if len(first) <= limit and not rest else first[: limit - 1] + "…"


def _cell(text: str) -> str:
    return printable(text).replace("\n", " ") or "-"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
    return _GAP.join(padded).rstrip()
