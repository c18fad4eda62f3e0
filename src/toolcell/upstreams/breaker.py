"""When a server that failed may be tried again. No I/O and no clock: the caller says what time it is."""

from __future__ import annotations

FIRST_DELAY = 0.5
LONGEST_DELAY = 30.0
FREE_FAILURES = 1
"""A first failure costs nothing: the next call tries again at once."""


class Breaker:
    """Counts failures in a row; each beyond the first doubles the time in which nobody tries."""

    def __init__(self) -> None:
        self._failures = 0
        self._closed_until = 0.0

    @property
    def failures(self) -> int:
        """Failures since the last success."""
        return self._failures

    def failed(self, now: float) -> None:
        """Note a connection that failed, or a session that ended by itself."""
        self._failures += 1
        if self._failures > FREE_FAILURES:
            doublings = min(self._failures - FREE_FAILURES - 1, 10)
            self._closed_until = now + min(FIRST_DELAY * 2**doublings, LONGEST_DELAY)

    def succeeded(self) -> None:
        """Note an answered call."""
        self._failures = 0
        self._closed_until = 0.0

    def wait(self, now: float) -> float:
        """Return for how many seconds nobody should try; 0 when anybody may."""
        return max(self._closed_until - now, 0.0)
