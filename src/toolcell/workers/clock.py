"""Monotonic time, as a port: tests move their own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from toolcell.workers.inbox import Inbox

MAX_NAP = 0.02
"""Seconds slept at most before a parked run looks up: how late it may notice that it was cancelled."""


class Clock(Protocol):
    """Monotonic seconds, and the time of day that a cell's timers are set by."""

    def now(self) -> float:
        """Return the time."""
        ...

    def unix(self) -> float:
        """Return the time of day in seconds since 1970, which may jump."""
        ...

    def nap(self, until: float, inbox: Inbox) -> None:
        """Let time pass, but not beyond ``until`` nor beyond the next step in the inbox, which is taken."""
        ...


class SystemClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        """Return the time."""
        return time.monotonic()

    def unix(self) -> float:
        """Return the time of day."""
        return time.time()

    def nap(self, until: float, inbox: Inbox) -> None:
        """Wait for the inbox towards ``until``, in short naps."""
        inbox.wait(min(until - time.monotonic(), MAX_NAP))
