"""One tool call and its reply, as the program, the gate and the upstreams see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolcell.model.codes import CallCode


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call a program asks for; names are compared exactly as written."""

    server: str
    tool: str
    args: Mapping[str, Any]

    def __str__(self) -> str:
        """Return ``server.tool``, as messages name a call."""
        return f"{self.server}.{self.tool}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """Why a call has no result; ``suggestions`` are names the caller may see."""

    code: CallCode
    message: str
    retryable: bool = False
    retry_after_ms: int | None = None
    suggestions: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the ``error`` object of an envelope (spec 3.1)."""
        body: dict[str, Any] = {
            "code": self.code.value,
            "message": self.message,
            "retryable": self.retryable,
        }
        if self.retry_after_ms is not None:
            body["retry_after_ms"] = self.retry_after_ms
        if self.suggestions:
            body["suggestions"] = list(self.suggestions)
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReply:
    """The answer to one call: a result and the value a program wants of it, or an error.

    ``result`` is the wire-form CallToolResult; beside ``error`` it is the upstream's own ``isError`` answer.
    ``dispatched`` is false for a call that was refused after the gate had let it pass; ``size_bytes`` is the
    size of the upstream's answer on the wire, for the record.
    """

    result: Mapping[str, Any] | None = None
    data: Any = None
    error: CallError | None = None
    dispatched: bool = True
    size_bytes: int = 0

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return the envelope the guest hands to the program (spec 3.1)."""
        if self.error is None:
            return {"ok": True, "result": self.result, "data": self.data}
        body: dict[str, Any] = {"ok": False, "error": self.error.to_dict()}
        if self.result is not None:
            body["result"] = self.result
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A call that was dispatched and answered: what a failed run has already done."""

    server: str
    tool: str
    ok: bool

    def to_dict(self) -> dict[str, Any]:
        """Return one element of a failed answer's ``calls`` (spec 2.5)."""
        return {"server": self.server, "tool": self.tool, "ok": self.ok}
