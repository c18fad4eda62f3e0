"""A cell that plays a script instead of a program, and a clock that a test moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.sandbox.values import Ended, Ending, HostRequest, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.sandbox.values import Event, LogLine
    from toolcell.workers.inbox import Inbox


UNIX_OFFSET = 1_700_000_000.0


class FakeClock:
    """Time that stands still until someone naps or moves it."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.naps: list[float] = []

    def now(self) -> float:
        return self.time

    def unix(self) -> float:
        return self.time + UNIX_OFFSET

    def nap(self, until: float, inbox: Inbox) -> None:
        assert not inbox.take()
        self.naps.append(until)
        self.time = max(self.time, until)


class FakeCell:
    """Returns its events one after the other, the last one for ever, and notes all that is done to it."""

    def __init__(self, *events: Event, on_step: Callable[[], None] = lambda: None) -> None:
        self._events = list(events)
        self._on_step = on_step
        self.logs: list[LogLine] = []
        self.answers: list[tuple[int, bytes]] = []
        self.steps = 0
        self.closed = 0
        self.peak_memory_bytes = 65_536

    @property
    def fuel_used(self) -> int:
        return self.steps * 100

    def step(self, fuel: int) -> Event:
        assert fuel > 0
        assert not self.closed, "a closed cell was stepped"
        self.steps += 1
        self._on_step()
        return self._events.pop(0) if len(self._events) > 1 else self._events[0]

    def answer(self, call_id: int, payload: bytes) -> None:
        assert not self.closed, "a closed cell was answered"
        self.answers.append((call_id, payload))

    def take_logs(self) -> list[LogLine]:
        taken, self.logs = self.logs, []
        return taken

    def close(self) -> None:
        self.closed += 1


def value(json_text: bytes) -> Ended:
    """Return the event of a program that returned a value."""
    return Ended(Ending(value=json_text))


def asks(*payloads: bytes, op: str = "call", wake_at: float | None = None) -> Waiting:
    """Return the event of a program that waits for requests numbered from 1."""
    requests = tuple(HostRequest(i, op, p) for i, p in enumerate(payloads, start=1))
    return Waiting(requests, wake_at)
