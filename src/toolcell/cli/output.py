"""The answer on stdout: one line of JSON, or an indented and coloured view on a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
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


class Unwritable(Exception):  # noqa: N818  # named for stdout's state
    """The answer did not reach stdout; the message says why, and is empty when the reader just left."""


def printable(text: str) -> str:
    """Return ``text`` with what could steer a terminal written as JSON escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether to colour: on a terminal that can, unless NO_COLOR is set (no-color.org)."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def render(outcome: Outcome, *, pretty: bool, colour: bool) -> bytes:
    """Return the bytes to print, without the final line feed."""
    if not pretty:
        return outcome.to_json()
    text = printable(json.dumps(outcome.to_dict(), ensure_ascii=False, indent=2))
    return (_TOKEN.sub(_painted, text) if colour else text).encode("utf-8", "replace")


def _painted(token: re.Match[str]) -> str:
    return f"\x1b[{_COLOURS[token.lastgroup or 'word']}m{token[0]}\x1b[0m"


def print_outcome(outcome: Outcome, environ: Mapping[str, str]) -> None:
    """Write the answer to stdout, or raise ``Unwritable``."""
    stream = sys.stdout
    if stream is None:
        raise Unwritable("stdout is closed")
    pretty, colour = stream.isatty(), wants_colour(stream, environ)
    try:
        stream.buffer.write(render(outcome, pretty=pretty, colour=colour) + b"\n")
        stream.flush()
    except OSError as error:
        _detach()
        reason = "" if isinstance(error, BrokenPipeError) else f"stdout cannot be written: {error.strerror}"
        raise Unwritable(reason) from None


def _detach() -> None:
    """Point stdout at nothing, so that the interpreter does not try to flush it again at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
