"""The worker without a process: steps one run to its end on the caller's own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.sandbox import CellLimits, Program
from toolcell.workers.run import Parked, Report, Run

if TYPE_CHECKING:
    from toolcell.sandbox import Engine
    from toolcell.workers.cancel import Cancel
    from toolcell.workers.clock import Clock
    from toolcell.workers.job import Job
    from toolcell.workers.run import HostPort


class InProcessWorker:
    """Runs programs one after another in this process."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def run(self, job: Job, host: HostPort, cancel: Cancel) -> Report:
        """Return how the run ended; the deadline starts when the cell does."""
        limits = job.limits
        cell = self._engine.start(
            Program(source=job.source, language=job.language, input_json=job.input_json),
            CellLimits(
                memory_bytes=limits.memory_bytes,
                max_result_bytes=limits.max_result_bytes,
                max_log_bytes=limits.max_log_bytes,
            ),
        )
        run = Run(cell, host, timeout_ms=limits.timeout_ms, clock=self._clock, cancel=cancel)
        return drive(run, self._clock)


def drive(run: Run, clock: Clock) -> Report:
    """Return the report of a run after giving it every turn it needs; the cell is freed in any case."""
    try:
        while True:
            turn = run.turn()
            if isinstance(turn, Report):
                return turn
            if isinstance(turn, Parked):
                clock.nap(turn.until)
    finally:
        run.close()
