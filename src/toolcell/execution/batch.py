"""One host request in progress: the slots of its calls, at most so many of them out at once.

A single ``call_tool`` is a batch of one. No call is sent before every element has passed the gate in
input order, so the budget falls on the first elements.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from toolcell.execution.gate import Admitted
from toolcell.model.calls import ToolReply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolcell.execution.gate import Gate
    from toolcell.model.calls import ToolCall


class Batch:
    """Sends calls as room allows; ``finish`` gets all replies, in input order, when the last one is in."""

    def __init__(
        self,
        calls: tuple[ToolCall, ...],
        *,
        gate: Gate,
        parallel: int,
        finish: Callable[[list[ToolReply]], None],
    ) -> None:
        self._calls = calls
        self._gate = gate
        self._parallel = parallel
        self._finish = finish
        self._replies: dict[int, ToolReply] = {}
        self._out: dict[int, Callable[[], None] | None] = {}
        self._queue: deque[tuple[int, Admitted]] = deque()
        self._sending = False
        self._closed = False

    def open(self) -> None:
        """Pass every call through the gate, then send the first ones."""
        for index, call in enumerate(self._calls):
            admitted = self._gate.admit(call)
            if isinstance(admitted, Admitted):
                self._queue.append((index, admitted))
            else:
                self._replies[index] = ToolReply(error=admitted)
        self._proceed(fresh=True)

    def close(self) -> None:
        """Send nothing more and cancel what is out; replies that still come are dropped.

        Everything is cancelled, also when a cancellation raises; what it raised comes out at the end.
        """
        self._closed = True
        with ExitStack() as cancellations:
            for cancel in reversed(self._out.values()):
                if cancel is not None:
                    cancellations.callback(cancel)

    def in_flight(self) -> Iterator[ToolCall]:
        """Yield the calls that were sent and have no reply."""
        return (self._calls[index] for index in sorted(self._out))

    def _proceed(self, *, fresh: bool = False) -> None:
        """Send while there is room, then finish if nothing is left. Replies that come at once land here too."""
        if self._sending or self._closed:
            return
        self._sending = True
        while self._queue and len(self._out) < self._parallel:
            self._send(*self._queue.popleft(), fresh=fresh)
        self._sending = False
        if not self._queue and not self._out:
            self._closed = True
            self._finish([self._replies[index] for index in range(len(self._calls))])

    def _send(self, index: int, admitted: Admitted, *, fresh: bool) -> None:
        error = None if fresh else self._gate.recheck(admitted)
        if error is not None:
            self._replies[index] = ToolReply(error=error)
            return
        self._out[index] = None
        cancel = self._gate.send(admitted, partial(self._receive, index))
        if index in self._out:
            self._out[index] = cancel

    def _receive(self, index: int, reply: ToolReply) -> None:
        if self._closed or index not in self._out:
            return
        del self._out[index]
        self._replies[index] = reply
        self._proceed()
