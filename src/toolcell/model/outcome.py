"""The answer to a run, the same object on every surface (spec 2.5)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolcell.model.calls import CallRecord
    from toolcell.model.codes import RunCode


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One line a program wrote to ``console``."""

    level: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunError:
    """Why a program has no value; ``line`` and ``column`` are 1-based places in the caller's own text."""

    code: RunCode
    message: str
    stack: str = ""
    line: int | None = None
    column: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the ``error`` object: the place only when it is known."""
        body: dict[str, Any] = {"code": self.code.value, "message": self.message, "stack": self.stack}
        if self.line is not None:
            body["line"] = self.line
        if self.column is not None:
            body["column"] = self.column
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStats:
    """What a run cost: milliseconds running and waiting to run, fuel, peak bytes, calls dispatched."""

    wall_ms: float
    queue_ms: float
    fuel: int
    peak_memory_bytes: int
    tool_calls: int

    def to_dict(self) -> dict[str, Any]:
        """Return the ``stats`` object; times to the microsecond."""
        return {
            "wall_ms": round(self.wall_ms, 3),
            "queue_ms": round(self.queue_ms, 3),
            "fuel": self.fuel,
            "peak_memory_bytes": self.peak_memory_bytes,
            "tool_calls": self.tool_calls,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one run: ``value_json`` when the program returned, ``error`` when it did not.

    ``value_json`` is the guest's own JSON text, which the sandbox has checked to be one document, and is passed on byte
    for byte.
    """

    execution_id: str
    stats: RunStats
    value_json: bytes | None = None
    error: RunError | None = None
    logs: tuple[LogEntry, ...] = ()
    calls: tuple[CallRecord, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the program returned a value."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, keys in the order of spec 2.5."""
        if self.error is None:
            head: dict[str, Any] = {"ok": True, "value": json.loads(self.value_json or b"null")}
        else:
            head = {"ok": False, "error": self.error.to_dict()}
        return head | self._tail()

    def to_json(self) -> bytes:
        """Return the answer as compact UTF-8 JSON without parsing the value again."""
        if self.error is not None:
            return _compact(self.to_dict())
        return b'{"ok":true,"value":' + (self.value_json or b"null") + b"," + _compact(self._tail())[1:]

    def _tail(self) -> dict[str, Any]:
        tail: dict[str, Any] = {"execution_id": self.execution_id}
        if self.logs:
            tail["logs"] = [entry.message for entry in self.logs]
        if self.error is not None:
            tail["calls"] = [call.to_dict() for call in self.calls]
        tail["stats"] = self.stats.to_dict()
        return tail


def _compact(body: dict[str, Any]) -> bytes:
    """Return UTF-8 JSON; a lone surrogate in a message becomes U+FFFD instead of an exception."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
