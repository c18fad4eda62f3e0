"""From runs, calls and their ends to rows: masked, bounded, and nothing of them that is not asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.activity import Status
from toolcell.model.codes import RunCode
from toolcell.storage.record_tables import ROW_BYTES

if TYPE_CHECKING:
    from toolcell.model.calls import CallError, ToolReply
    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart
    from toolcell.storage.masking import Masking

Row = dict[str, object]

MAX_MESSAGE = 4_096
MAX_NAME = 256


class Rows:
    """Makes the rows of one store; a row that ends another names it by its key."""

    def __init__(self, masking: Masking) -> None:
        self._masking = masking

    def run(self, run: RunStart) -> Row:
        """Return the row of a run that starts."""
        source = self._masking.text(run.source)
        return {
            "id": run.execution_id,
            "tenant": run.tenant,
            "key_id": run.key_id,
            "status": Status.RUNNING,
            "language": run.language,
            "script": run.script,
            "source": source,
            "input_bytes": run.input_bytes,
            "bytes": ROW_BYTES + len(source),
        }

    def run_end(self, outcome: Outcome) -> Row:
        """Return what an outcome changes in the row of its run."""
        error, stats = outcome.error, outcome.stats
        status = Status.SUCCESS if error is None else Status.ERROR
        if error is not None and error.code is RunCode.CANCELLED:
            status = Status.CANCELLED
        return {
            "id": outcome.execution_id,
            "status": status,
            "code": error.code if error else None,
            "message": self._text(error.message, MAX_MESSAGE) if error else None,
            "result_bytes": len(outcome.value_json or b""),
            "wall_ms": stats.wall_ms,
            "queue_ms": stats.queue_ms,
            "fuel": stats.fuel,
            "peak_memory_bytes": stats.peak_memory_bytes,
            "tool_calls": stats.tool_calls,
        }

    def call(self, intent: CallIntent) -> Row:
        """Return the row of a call that is about to be sent."""
        arguments = self._masking.arguments(intent.call.args)
        return {
            "run": intent.execution_id,
            "number": intent.number,
            "tenant": intent.tenant,
            "key_id": intent.key_id,
            "server": self._text(intent.call.server, MAX_NAME),
            "tool": self._text(intent.call.tool, MAX_NAME),
            "arguments": arguments,
            "status": Status.RUNNING,
            "bytes": ROW_BYTES + len(arguments),
        }

    def call_end(self, intent: CallIntent, reply: ToolReply) -> Row:
        """Return what a reply changes in the row of its call."""
        key: Row = {"run": intent.execution_id, "number": intent.number, "result_bytes": reply.size_bytes}
        if reply.error is None:
            return key | {"status": Status.SUCCESS}
        return key | self._failed(Status.ERROR if reply.dispatched else Status.BLOCKED, reply.error)

    def blocked(self, error: CallError) -> Row:
        """Return what a refusal changes in the row of a call that was never sent."""
        return self._failed(Status.BLOCKED, error)

    def _failed(self, status: Status, error: CallError) -> Row:
        return {"status": status, "code": error.code, "message": self._text(error.message, MAX_MESSAGE)}

    def _text(self, text: str, limit: int) -> str:
        return self._masking.excerpt(text, limit)
