"""An event loop in a thread of its own, for a caller that steps its run on another one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

CLOSING = 10.0
"""Seconds that disconnecting may take before the process ends without it; children die with the thread."""
_CHATTY = ("mcp", "client", "httpx2", "httpcore2", "asyncio")
"""Loggers of the SDK and below it: they would write what servers send, secrets included, to stderr."""


class LoopThread:
    """Starts with the first use and ends with ``close``."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _loop, _context: None)
        self._thread = threading.Thread(target=self._run, name="upstreams", daemon=True)
        for name in _CHATTY:
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        self._thread.start()

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
        """Run a coroutine on the loop and return what cancels it; both from any thread."""
        task: asyncio.Task[None] | None = None
        cancelled = False

        def begin() -> None:
            nonlocal task
            if not cancelled:
                task = self._loop.create_task(work())

        def end() -> None:
            nonlocal cancelled
            cancelled = True
            if task is not None:
                task.cancel()

        self._loop.call_soon_threadsafe(begin)
        return lambda: self._post(end)

    def result(self, work: Callable[[], Coroutine[Any, Any, Any]], timeout: float | None = None) -> Any:  # noqa: ANN401
        """Return what a coroutine returns, waiting for it."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result(timeout)

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a last coroutine for a bounded time, then end loop and thread."""
        with contextlib.suppress(TimeoutError):
            self.result(last, CLOSING)
        self._post(self._loop.stop)
        self._thread.join(CLOSING)

    def _post(self, step: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and the step with it
            self._loop.call_soon_threadsafe(step)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
