"""The worker without a process: steps one run to its end on the caller's own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.sandbox.engine import CellsExhausted
from toolcell.sandbox.values import CellLimits, Program
from toolcell.workers.inbox import Inbox
from toolcell.workers.job import Busy
from toolcell.workers.run import Parked, Report, Run

if TYPE_CHECKING:
    from toolcell.sandbox.cell import Cell
    from toolcell.sandbox.engine import Engine
    from toolcell.workers.cancel import Cancel
    from toolcell.workers.clock import Clock
    from toolcell.workers.job import Job
    from toolcell.workers.run import HostPort


class InProcessWorker:
    """Runs programs one after another in this process."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def run(self, job: Job, host: HostPort, cancel: Cancel, inbox: Inbox) -> Report:
        """Return how the run ended; the deadline starts when the cell does. ``Busy`` when there is no room.

        Steps in the inbox are taken on the caller's thread between the turns of the run.
        """
        cell = self._start(job)
        run = Run(cell, host, timeout_ms=job.limits.timeout_ms, clock=self._clock, cancel=cancel)
        return drive(run, self._clock, inbox)

    def _start(self, job: Job) -> Cell:
        program = Program(source=job.source, language=job.language, input_json=job.input_json)
        limits = CellLimits(
            memory_bytes=job.limits.memory_bytes,
            max_result_bytes=job.limits.max_result_bytes,
            max_log_bytes=job.limits.max_log_bytes,
        )
        try:
            return self._engine.start(program, limits)
        except CellsExhausted as error:
            raise Busy(str(error)) from None


def drive(run: Run, clock: Clock, inbox: Inbox | None = None) -> Report:
    """Return the report of a run after giving it every turn it needs; the cell is freed in any case."""
    inbox = inbox or Inbox()
    try:
        while True:
            turn = run.turn()
            if isinstance(turn, Report):
                return turn
            if not inbox.take() and isinstance(turn, Parked):
                clock.nap(turn.until, inbox)
    finally:
        run.close()
