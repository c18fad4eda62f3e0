"""Where a cell's host requests are answered: read, passed through the gate, and written back.

It is the execution side of the workers' ``HostPort``, one per run.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from toolcell.execution import wire
from toolcell.execution.batch import Batch
from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.execution.gate import Gate


class Desk:
    """Answers the host requests of one run; several may be open at once."""

    def __init__(self, *, gate: Gate, max_parallel: int) -> None:
        self._gate = gate
        self._max_parallel = max_parallel
        self._open: list[Batch] = []
        self._closed = False

    def receive(self, op: str, payload: bytes, answer: Callable[[bytes], None]) -> None:
        """Take one request; ``answer`` gets its JSON text, now or later."""
        if self._closed:
            return
        try:
            request = wire.decode(op, payload)
        except wire.BadCall as error:
            refused = CallError(code=CallCode.INVALID_ARGS, message=str(error))
            answer(wire.encode(ToolReply(error=refused)))
            return

        def finish(replies: list[ToolReply]) -> None:
            self._open.remove(batch)
            answer(wire.encode_batch(replies) if request.batch else wire.encode(replies[0]))

        parallel = request.max_parallel or self._max_parallel
        batch = Batch(request.calls, gate=self._gate, parallel=parallel, finish=finish)
        self._open.append(batch)
        batch.open()

    def close(self) -> None:
        """Dispatch nothing more and cancel what is out: the run is over. All is cancelled, whatever raises."""
        self._closed = True
        with ExitStack() as batches:
            for batch in reversed(self._open):
                batches.callback(batch.close)

    def in_flight(self) -> tuple[str, ...]:
        """Return the calls that were sent and have no reply, as ``server.tool``."""
        return tuple(str(call) for batch in self._open for call in batch.in_flight())
