"""Files named on the command line: read once, up to a bound, with a sentence for whatever is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolcell.cli.diagnostics import UsageError
from toolcell.model.text import sized

if TYPE_CHECKING:
    from typing import BinaryIO

STDIN = "-"


def read(flag: str, name: str, limit: int) -> bytes:
    """Return the bytes of the file, or of stdin for ``-``; more than ``limit`` of them is an error."""
    try:
        if name == STDIN:
            content = _stdin(flag).read(limit + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or "the name is not valid"
        raise UsageError(f"{flag}: cannot read {_shown(name)}: {reason}") from None
    if len(content) > limit:
        raise UsageError(f"{flag}: {_shown(name)} is larger than {sized(limit)}")
    return content


def read_text(flag: str, name: str, limit: int) -> str:
    """Return the file as UTF-8 text."""
    content = read(flag, name, limit)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{flag}: {_shown(name)} is not UTF-8 text (byte {error.start})") from None


def _stdin(flag: str) -> BinaryIO:
    if sys.stdin is None:
        raise UsageError(f"{flag}: stdin is closed")
    return sys.stdin.buffer


def _shown(name: str) -> str:
    return "stdin" if name == STDIN else name
