"""The answer on stdout: one line of JSON, or a view for a person when stdout is a terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

    from toolcell.model.outcome import Outcome


class Unwritable(Exception):  # noqa: N818  # named for stdout's state
    """The answer did not reach stdout; the message says why, and is empty when the reader just left."""


def print_outcome(outcome: Outcome, environ: Mapping[str, str]) -> None:
    """Write the answer to stdout, or raise ``Unwritable``."""
    stream = sys.stdout
    if stream is None:
        raise Unwritable("stdout is closed")
    try:
        stream.buffer.write(_rendered(outcome, stream, environ) + b"\n")
        stream.flush()
    except OSError as error:
        detach()
        reason = "" if isinstance(error, BrokenPipeError) else f"stdout cannot be written: {error.strerror}"
        raise Unwritable(reason) from None


def _rendered(outcome: Outcome, stream: TextIO, environ: Mapping[str, str]) -> bytes:
    if not stream.isatty():
        return outcome.to_json()
    from toolcell.cli.terminal import pretty, wants_colour  # noqa: PLC0415  # its patterns cost 4 ms to compile

    return pretty(outcome, colour=wants_colour(stream, environ))


def detach() -> None:
    """Point stdout at nothing, so that the interpreter does not try to flush it again at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
