"""The replies to calls that were refused here or went wrong on the way."""

from __future__ import annotations

from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode

_WORTH_ANOTHER_TRY = frozenset({CallCode.QUEUE_FULL, CallCode.QUEUE_TIMEOUT, CallCode.NOT_CONNECTED})
"""Codes of calls that never reached the server for a reason that passes."""


class CallRefused(Exception):  # noqa: N818  # it becomes a reply, not a fault
    """A call that was not sent; it carries the error its program reads."""

    def __init__(
        self,
        code: CallCode,
        message: str,
        *,
        suggestions: tuple[str, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.error = error(code, message, suggestions=suggestions, retry_after=retry_after)

    def reply(self) -> ToolReply:
        """Return the reply of a call that was not dispatched."""
        return ToolReply(error=self.error, dispatched=False)


def error(
    code: CallCode, message: str, *, suggestions: tuple[str, ...] = (), retry_after: float | None = None
) -> CallError:
    """Return the error of an envelope; ``retry_after`` is in seconds."""
    return CallError(
        code=code,
        message=message,
        retryable=code in _WORTH_ANOTHER_TRY,
        retry_after_ms=None if retry_after is None else max(1, round(retry_after * 1000)),
        suggestions=suggestions,
    )


def failed(code: CallCode, message: str, *, size_bytes: int = 0) -> ToolReply:
    """Return the reply of a call that was sent and has no result."""
    return ToolReply(error=error(code, message), size_bytes=size_bytes)
