"""What an exception from a session means: for the call, for the session, and in words.

The SDK is looked at by the codes of its errors and by class names, so that this module loads without it.
"""

from __future__ import annotations

from toolcell.model.codes import CallCode

NEVER_SENT = -32093
UNREACHABLE = -32090
OVERSIZED = -32091
_CONNECTION_CLOSED = -32000
_HEADER_MISMATCH = -32020
_PARSE_ERROR = -32700
_FORGOTTEN = "Session terminated"


def _code(error: BaseException) -> int | None:
    code = getattr(error, "code", None)
    return code if isinstance(code, int) else None


def is_closed(error: BaseException) -> bool:
    """Return whether the connection ended under the call."""
    return _code(error) == _CONNECTION_CLOSED


def is_unreachable(error: BaseException) -> bool:
    """Return whether the server was not there, so that another connection has to be made."""
    return _code(error) in {NEVER_SENT, UNREACHABLE} or is_closed(error)


def is_forgotten(error: BaseException) -> bool:
    """Return whether the server no longer knows our session: it did nothing, and a new session may be tried."""
    return _code(error) is not None and _FORGOTTEN in str(error)


def is_outdated(error: BaseException) -> bool:
    """Return whether the server says that its tools are not what they were when we listed them."""
    return _code(error) == _HEADER_MISMATCH


def code_of(error: BaseException) -> tuple[CallCode, bool]:
    """Return the code of the call's reply, and whether the call was sent."""
    code = _code(error)
    if code == NEVER_SENT:
        return CallCode.NOT_CONNECTED, False
    return (CallCode.RESULT_TOO_LARGE if code == OVERSIZED else CallCode.UPSTREAM_ERROR), True


def told(error: BaseException) -> str:
    """Return what happened, in words for a program's author; not yet cleaned of secrets."""
    kind = type(error).__name__
    if _code(error) == _PARSE_ERROR:
        kind = "ValidationError"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if is_closed(error):
        return "the connection ended"
    if kind == "HTTPStatusError":
        return f"it answered HTTP {getattr(getattr(error, 'response', None), 'status_code', '?')}"
    if kind in _WORDS:
        return _WORDS[kind]
    return str(error) if _code(error) is not None or kind in _SPEAKING else f"the connection failed ({kind})"


_WORDS = {
    "ValidationError": "its answer is not what the protocol says",
    "ConnectError": "it cannot be reached",
    "ConnectTimeout": "it cannot be reached",
}
_SPEAKING = frozenset({"AsksBack", "BadListing", "CannotStart"})
"""Exceptions of ours, whose text is meant to be told."""
