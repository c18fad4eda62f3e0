"""One line on stderr that says which calls are out, while they are, for a person at a terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toolcell.cli.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from toolcell.execution.ports import RecordPort
    from toolcell.model.calls import CallError, ToolReply
    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart

_CLEAR = "\r\x1b[K"
_BETWEEN = 0.05
"""Seconds between two paintings: a batch must not flood a slow terminal."""
_WIDTH = 79


class Progress:
    """Sees calls come and go on their way to the records, and paints how many there are."""

    def __init__(self, records: RecordPort, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._records = records
        self._stream = stream
        self._now = now
        self._out: dict[int, str] = {}
        self._done = 0
        self._painted = 0.0

    def run_started(self, run: RunStart) -> None:
        """Pass it on."""
        self._records.run_started(run)

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Show the call."""
        self._out[intent.number] = str(intent.call)
        self._paint()
        self._records.intend(intent, then)

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        """Count the call."""
        self._out.pop(intent.number, None)
        self._done += 1
        self._paint()
        self._records.call_finished(intent, reply)

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        """Pass it on."""
        self._records.call_blocked(intent, error)

    def run_finished(self, outcome: Outcome) -> None:
        """Take the line away."""
        if self._painted:
            self._stream.write(_CLEAR)
            self._stream.flush()
        self._records.run_finished(outcome)

    def _paint(self) -> None:
        if self._now() - self._painted < _BETWEEN and self._out:
            return
        self._painted = self._now()
        line = f"toolcell: {self._done} calls done"
        if self._out:
            first, more = next(iter(self._out.values())), len(self._out) - 1
            line += f", waiting for {printable(first)}" + (f" and {more} more" if more else "")
        self._stream.write(_CLEAR + line[:_WIDTH])
        self._stream.flush()
