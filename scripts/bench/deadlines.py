"""How late a timeout is seen, on an idle machine and on one that has twice the work it can do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bench.cells import LIMITS, WrongAnswerError
from bench.rows import Row, Target
from bench.sampling import MILLISECONDS, figures
from toolcell.sandbox import Program
from toolcell.workers.cancel import Cancel
from toolcell.workers.clock import SystemClock
from toolcell.workers.inprocess import drive
from toolcell.workers.run import Run, Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.cells import Cells
    from bench.scale import Scale

DEADLINE_MS = 50
_OVERLOAD = 2
_ENDLESS = Program(source="for (;;);")


def deadlines(cells: Cells, scale: Scale) -> list[Row]:
    """Overshoot of a deadline of 50 ms by an endless loop, as the caller of the in-process worker sees it."""
    idle = _overshoots(cells, scale.deadlines)
    burners = _OVERLOAD * (os.cpu_count() or 1)
    with _busy(burners):
        loaded = _overshoots(cells, max(scale.deadlines // 2, 1))
    return [
        _row("TIMEOUT overshoot, idle", idle, 20, f"deadline {DEADLINE_MS} ms"),
        _row("TIMEOUT overshoot, 2x overload", loaded, 250, f"{burners} processes that burn CPU"),
        Row(
            name="neighbour: p99 of 1+1 beside 8 endless loops",
            unit="us",
            targets=(Target(figure="p99 / idle p99", at_most=5),),
            reason="needs the run queue (next issues)",
        ),
    ]


class _Nobody:
    """A host that is never asked."""

    def receive(self, op: str, payload: bytes, answer: Callable[[bytes], None]) -> None:
        """Refuse to be asked."""
        raise WrongAnswerError(f"an endless loop asked for {op} ({len(payload)} bytes, {answer})")

    def close(self) -> None:
        """Nothing is out."""

    def in_flight(self) -> tuple[str, ...]:
        """Return that nothing is out."""
        return ()


def _overshoots(cells: Cells, count: int) -> list[float]:
    return [_overshoot(cells) for _ in range(count)]


def _overshoot(cells: Cells) -> float:
    """Return nanoseconds past the deadline at which the caller had its report."""
    clock = SystemClock()
    began = time.perf_counter_ns()
    cell = cells.engine.start(_ENDLESS, LIMITS)
    run = Run(cell, _Nobody(), timeout_ms=DEADLINE_MS, clock=clock, cancel=Cancel())
    report = drive(run, clock)
    if report.end is not Stop.TIMEOUT:
        raise WrongAnswerError(f"an endless loop ended with {report.end}")
    return time.perf_counter_ns() - began - DEADLINE_MS * MILLISECONDS


@contextmanager
def _busy(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def _row(name: str, nanoseconds: list[float], at_most: float, reason: str) -> Row:
    found = figures(nanoseconds, MILLISECONDS) | {"max": max(nanoseconds) / MILLISECONDS}
    return Row(name=name, unit="ms", ours=found, targets=(Target(figure="max", at_most=at_most),), reason=reason)
