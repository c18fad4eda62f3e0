"""What a person at a terminal sees: safe to show, indented, coloured."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from toolcell.model.outcome import Outcome

_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that would steer a terminal or reorder its text; a line feed is not among them."""

_TOKEN = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*"(?=:))|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?\d[\d.eE+-]*)|(?P<word>true|false|null)"
)
_COLOURS = {"key": "36", "string": "32", "number": "33", "word": "35"}


def printable(text: str) -> str:
    """Return ``text`` with what could steer a terminal written as JSON escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether to colour: on a terminal that can, unless NO_COLOR is set (no-color.org)."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def pretty(outcome: Outcome, *, colour: bool) -> bytes:
    """Return an answer as indented JSON; what is unsafe to show is escaped, so it is still JSON."""
    text = printable(json.dumps(outcome.to_dict(), ensure_ascii=False, indent=2))
    return (_TOKEN.sub(_painted, text) if colour else text).encode("utf-8", "replace")


def _painted(token: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[token.lastgroup or 'word']}m{token[0]}\x1b[0m"
