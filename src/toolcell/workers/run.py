"""One run as a state machine: whoever has the CPU gives it a turn.

A turn is one fuel slice, or nothing when the run is parked. The deadline and the wish to cancel are looked
at before every slice, so both are exact to one slice, and no program can delay them. No I/O and no waiting
happens here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Protocol

from toolcell.sandbox.values import Ended, Ending, LogLine, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.sandbox.values import Event, HostRequest
    from toolcell.workers.cancel import Cancel
    from toolcell.workers.clock import Clock

SLICE_FUEL = 2_000_000
"""Fuel of one slice: some 0.2 ms of guest time, so looking at the clock between slices costs nothing."""


class Stop(Enum):
    """Why a run ended that did not end itself."""

    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A finished run: how it ended and what it used. ``in_flight`` names calls that had no reply yet."""

    end: Ending | Stop
    logs: tuple[LogLine, ...]
    wall_ms: float
    fuel: int
    peak_memory_bytes: int
    in_flight: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parked:
    """Nothing to do before ``until``, unless an answer comes."""

    until: float


class CellPort(Protocol):
    """A cell as a run needs it: ``toolcell.sandbox.cell.Cell``."""

    @property
    def fuel_used(self) -> int:
        """Fuel used so far."""
        ...

    @property
    def peak_memory_bytes(self) -> int:
        """The most memory the cell has had."""
        ...

    def step(self, fuel: int) -> Event:
        """Run for one slice."""
        ...

    def answer(self, call_id: int, payload: bytes) -> None:
        """Give the JSON text that a request waits for."""
        ...

    def take_logs(self) -> list[LogLine]:
        """Return the console lines since the last time."""
        ...

    def close(self) -> None:
        """Drop the cell; safe to repeat."""
        ...


class HostPort(Protocol):
    """Who answers a cell's requests; the implementation lives in ``execution``."""

    def receive(self, op: str, payload: bytes, answer: Callable[[bytes], None]) -> None:
        """Take one request and answer it once, now or later, with JSON text."""
        ...

    def close(self) -> None:
        """Send nothing more and cancel what is out."""
        ...

    def in_flight(self) -> tuple[str, ...]:
        """Return what was sent and has no reply, as names for a message."""
        ...


class Run:
    """A cell, its host and its deadline. Give turns until one returns a ``Report``."""

    def __init__(self, cell: CellPort, host: HostPort, *, timeout_ms: int, clock: Clock, cancel: Cancel) -> None:
        self._cell = cell
        self._host = host
        self._clock = clock
        self._cancel = cancel
        self._started = clock.now()
        self._deadline = self._started + timeout_ms / 1000
        self._parked: Parked | None = None
        self._over = False

    def turn(self) -> Parked | Report | None:
        """Take one slice; ``None`` asks for another turn soon."""
        if self._cancel.requested:
            return self._finish(Stop.CANCELLED)
        now = self._clock.now()
        if now >= self._deadline:
            return self._finish(Stop.TIMEOUT)
        if self._parked is not None and now < self._parked.until:
            return self._parked
        event = self._cell.step(SLICE_FUEL)
        if isinstance(event, Ended):
            return self._finish(event.ending)
        self._parked = self._park(event) if isinstance(event, Waiting) else None
        return self._parked

    def close(self) -> None:
        """End the run and free its cell; safe to repeat."""
        if not self._over:
            self._over = True
            try:
                self._host.close()
            finally:
                self._cell.close()

    def _park(self, event: Waiting) -> Parked | None:
        """Pass the requests on; stay runnable if one of them was answered at once."""
        parked = self._parked = Parked(self._wake(event.wake_at))
        for request in event.requests:
            self._pass_on(request)
        return parked if self._parked is parked else None

    def _wake(self, wake_at: float | None) -> float:
        """Return when to look again: at the timer, which is set in time of day, and not after the deadline."""
        if wake_at is None:
            return self._deadline
        return min(self._clock.now() + wake_at - self._clock.unix(), self._deadline)

    def _pass_on(self, request: HostRequest) -> None:
        self._host.receive(request.op, request.payload, partial(self._answer, request.call_id))

    def _answer(self, call_id: int, payload: bytes) -> None:
        if not self._over:
            self._cell.answer(call_id, payload)
            self._parked = None

    def _finish(self, end: Ending | Stop) -> Report:
        report = Report(
            end=end,
            logs=tuple(self._cell.take_logs()),
            wall_ms=(self._clock.now() - self._started) * 1000,
            fuel=self._cell.fuel_used,
            peak_memory_bytes=self._cell.peak_memory_bytes,
            in_flight=self._host.in_flight(),
        )
        self.close()
        return report
