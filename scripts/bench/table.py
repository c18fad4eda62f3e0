"""The rows as text for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.rows import Row

_HEADINGS = ("what", "unit", "measured", "ratio", "met", "target")
_WIDEST = 1_000


def render(rows: Sequence[Row], environment: Mapping[str, str]) -> str:
    """Return the environment, then in columns a line for each row and one for each of its peers."""
    lines: list[tuple[str, ...]] = [_HEADINGS]
    for row in rows:
        lines += [_own_line(row), *(_peer_line(row, peer) for peer in row.peers)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    about = [f"{name}: {value}" for name, value in environment.items()]
    return "\n".join([*about, "", *text])


def _own_line(row: Row) -> tuple[str, ...]:
    targets = ", ".join(str(target) for target in row.targets)
    note = f"({row.reason})" if row.reason else ""
    return row.name, row.unit, _figures(row.ours), "", row.met(), f"{targets} {note}".strip()


def _peer_line(row: Row, peer: str) -> tuple[str, ...]:
    found = row.peers[peer]
    if isinstance(found, str):
        return f"  {peer}", "", found, "", "", ""
    ratio = row.ratios().get(peer)
    return f"  {peer}", "", _figures(found), "" if ratio is None else f"{ratio:.2f}", "", ""


def _figures(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {_short(figure)}" for name, figure in figures.items())


def _short(figure: float) -> str:
    return f"{figure:,.0f}" if abs(figure) >= _WIDEST else f"{figure:.3g}"
