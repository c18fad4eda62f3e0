"""How many calls are out at once: a lane for each server and one for all together.

Calls enter in the order they came. One that finds no room and no place to wait is shed at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from toolcell.model.codes import CallCode
from toolcell.upstreams.replies import CallRefused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from toolcell.model.servers import LaneLimits

_FIRST_GUESS = 0.5
_SHORTEST_HINT, _LONGEST_HINT = 0.05, 30.0
_WEIGHT = 0.2
"""How much the last call counts in the average time that a place is held."""


class Lane:
    """Places for calls that run, and a bounded queue before them. Used on one event loop."""

    def __init__(self, subject: str, limits: LaneLimits) -> None:
        self._subject = subject
        self._limits = limits
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._held = _FIRST_GUESS

    @property
    def running(self) -> int:
        """Calls that hold a place."""
        return self._running

    @property
    def waiting(self) -> int:
        """Calls in the queue."""
        return len(self._waiting)

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place for the time of the block, or raise ``CallRefused``."""
        await self._enter()
        loop = asyncio.get_running_loop()
        since = loop.time()
        try:
            yield
        finally:
            self._held += _WEIGHT * (loop.time() - since - self._held)
            self._leave()

    async def _enter(self) -> None:
        limit = self._limits.max_concurrent
        if limit == 0 or (self._running < limit and not self._waiting):
            self._running += 1
            return
        if len(self._waiting) >= self._limits.queue_size:
            raise CallRefused(CallCode.QUEUE_FULL, self._full(limit), retry_after=self._hint())
        await self._wait()

    async def _wait(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._limits.queue_timeout):
                await turn
        except (TimeoutError, asyncio.CancelledError) as error:
            self._give_up(turn)
            if isinstance(error, asyncio.CancelledError):
                raise
            message = f"{self._subject} was busy for {self._limits.queue_timeout:g} s, as long as a call may wait"
            raise CallRefused(CallCode.QUEUE_TIMEOUT, message, retry_after=self._hint()) from None

    def _give_up(self, turn: asyncio.Future[None]) -> None:
        """Leave the queue; a place that was handed over at that moment is handed on."""
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.done() and not turn.cancelled():
            self._leave()

    def _leave(self) -> None:
        """Free a place, or hand it to the call that waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._running -= 1

    def _full(self, limit: int) -> str:
        queue = f"and {self._limits.queue_size} more wait" if self._limits.queue_size else "and none may wait"
        return f"{self._subject} runs {limit} calls at once {queue}; lower max_parallel or raise queue_size"

    def _hint(self) -> float:
        """Return in how many seconds a place is likely to be free."""
        ahead = (len(self._waiting) + 1) / max(self._limits.max_concurrent, 1)
        return min(max(ahead * self._held, _SHORTEST_HINT), _LONGEST_HINT)
