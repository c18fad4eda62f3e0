"""What other threads have for the thread that steps a run: small steps, taken in the order they came."""

from __future__ import annotations

from _queue import Empty, SimpleQueue  # ``queue`` itself loads threading, which a pure program has no use for
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Inbox:
    """Steps put in from any thread and taken by the one that drives the run."""

    def __init__(self) -> None:
        self._steps: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def put(self, step: Callable[[], None]) -> None:
        """Leave a step and wake the driver."""
        self._steps.put(step)

    def take(self) -> bool:
        """Take every step there is, on the caller's thread; return whether there was one."""
        taken = False
        while not self._steps.empty():
            self._steps.get()()
            taken = True
        return taken

    def wait(self, seconds: float) -> None:
        """Return when there is a step, which is taken, or when the time is over."""
        try:
            step = self._steps.get(timeout=max(seconds, 0.0))
        except Empty:
            return
        step()
        self.take()
