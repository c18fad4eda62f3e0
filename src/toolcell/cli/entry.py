"""A command line in, an exit code out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.cli import flags
from toolcell.cli.diagnostics import Diagnostics, Level, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_USAGE, EXIT_INTERRUPTED = 2, 130


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line and return its exit code; a wrong one is told in one sentence."""
    try:
        return _dispatch(arguments)
    except UsageError as error:
        Diagnostics().say(Level.ERROR, str(error))
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _dispatch(arguments: Sequence[str]) -> int:
    if tuple(arguments[:2]) == ("code", "exec"):
        values = flags.read(arguments[2:])
        if values is not None:
            from toolcell.cli.exec_command import execute  # noqa: PLC0415  # only what the command needs

            return execute(values)
    from toolcell.cli import app  # noqa: PLC0415  # the command library is slow to load

    return app.run(arguments)
