"""How messages show what they were given: bounded, printable, and never as a Python repr."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_SHOWN = 60
MAX_COMPARED = 200


def quoted(text: str) -> str:
    """Return ``text`` in single quotes, cut to 60 characters, with unprintable characters as ``?``."""
    shown = text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return "'" + "".join(c if c.isprintable() else "?" for c in shown) + "'"


def kind(value: object) -> str:
    """Return the JSON name of a value's type, with an article: ``a string``, ``null``."""
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    return "something JSON has no word for"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "a boolean"),  # before the numbers: Python's bool is an int
    ((int, float), "a number"),
    (str, "a string"),
    ((list, tuple), "an array"),
    (dict, "an object"),
    (type(None), "null"),
)


def sized(count: int) -> str:
    """Return a number of bytes as messages show it: ``5 MiB``, ``256 KiB``, ``17 bytes``."""
    for unit, name in ((1024 * 1024, "MiB"), (1024, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"


def nearest(name: str, known: Collection[str]) -> tuple[str, ...]:
    """Return up to three of ``known`` that ``name`` may be a slip of, the likeliest first."""
    import difflib  # noqa: PLC0415  # 2 ms that only a mistake has to pay

    by_folded = {candidate.casefold(): candidate for candidate in sorted(known)}
    close = difflib.get_close_matches(name[:MAX_COMPARED].casefold(), by_folded, n=3, cutoff=0.75)
    return tuple(by_folded[folded] for folded in close)


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest ones, or all that there are."""
    close = nearest(name, known)
    if close:
        return f"; did you mean {' or '.join(quoted(candidate) for candidate in close)}?"
    return f"; known are {', '.join(quoted(candidate) for candidate in known)}"
