"""What the command says about its own doings: sentences on stderr, never on stdout."""

from __future__ import annotations

import sys
from enum import IntEnum


class Level(IntEnum):
    """How much is said; a level includes every one after it."""

    TRACE = 0
    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4


LEVELS = tuple(level.name.lower() for level in Level)


class UsageError(Exception):
    """The command cannot be carried out as given: exit 2 with this one sentence."""


class Diagnostics:
    """Writes to stderr what is at least of the given level."""

    def __init__(self, level: Level = Level.INFO) -> None:
        self._level = level

    def say(self, level: Level, message: str) -> None:
        """Write one line; what could steer a terminal is made visible."""
        if level < self._level or sys.stderr is None:
            return
        from toolcell.cli.terminal import printable  # noqa: PLC0415  # mostly there is nothing to say

        mark = "" if level is Level.INFO else f"{level.name.lower()}: "
        sys.stderr.write(f"toolcell: {mark}{printable(message.strip()).replace(chr(10), ' ')}\n")

    def fault(self, execution_id: str, error: Exception) -> None:
        """Report a fault of ours; its traceback is shown from level debug on."""
        self.say(Level.ERROR, f"run {execution_id} failed inside toolcell: {type(error).__name__}: {error}")
        if self._level > Level.DEBUG:
            return
        import traceback  # noqa: PLC0415  # loaded to be shown

        for line in traceback.format_exception(error):
            for part in line.rstrip().splitlines():
                self.say(Level.DEBUG, part)
