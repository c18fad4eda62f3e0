"""Records that are opened by the first call: a program that calls nothing must not pay for a store.

A run that never called anything leaves no record here; a server, which has its store open anyway, records all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.execution.ports import NoRecords

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.execution.ports import RecordPort
    from toolcell.model.calls import CallError, ToolReply
    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart


class DeferredRecords:
    """Keeps the start of a run until a call needs the records; for one run at a time."""

    def __init__(self, opened: Callable[[], RecordPort]) -> None:
        self._open = opened
        self._records: RecordPort | None = None
        self._start: RunStart | None = None

    def run_started(self, run: RunStart) -> None:
        """Keep the start for later."""
        self._start = run

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Record the intent, and before it the run."""
        self._opened().intend(intent, then)

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        """Record the reply."""
        self._opened().call_finished(intent, reply)

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        """Record the refusal, and before it the run."""
        self._opened().call_blocked(intent, error)

    def run_finished(self, outcome: Outcome) -> None:
        """Record the end of a run that called something."""
        started, self._start = self._start, None
        if started is None:
            self._opened().run_finished(outcome)

    def _opened(self) -> RecordPort:
        if self._records is None:
            self._records = self._open()
        if self._start is not None:
            start, self._start = self._start, None
            self._records.run_started(start)
        return self._records


class BrokenRecords(NoRecords):
    """A store that could not be opened: no call can be recorded, so none may go out."""

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Keep the call from going out."""
        del intent
        then(False)  # noqa: FBT003  # the port's one answer
