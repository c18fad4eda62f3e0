"""What a cell wrote for its host, taken apart: requests and console lines.

Like all that comes out of a cell it is hostile. How much there may be is known beforehand, and a cell that claims more
has broken the rules: nothing is copied or counted on its word.
"""

from __future__ import annotations

from toolcell.sandbox import abi
from toolcell.sandbox.guest_memory import GuestFault
from toolcell.sandbox.values import HostRequest, LogLine

MAX_REQUESTS = 64
"""Requests between two steps. A program that blocks on its calls makes one."""

MAX_OP_BYTES = 64
_OVERHEAD = MAX_REQUESTS * (abi.REQUEST_HEADER.size + MAX_OP_BYTES)


def check_length(length: int, max_args_bytes: int) -> None:
    """Raise ``GuestFault`` when the outbox is longer than what may be in it, before it is copied."""
    if length > max_args_bytes + _OVERHEAD:
        raise GuestFault(f"an outbox of {length} bytes is longer than any request")


def requests_in(data: bytes) -> tuple[HostRequest, ...]:
    """Return the requests in an outbox; ``GuestFault`` when they are cut short, too many or without a name."""
    found: list[HostRequest] = []
    at = 0
    while at < len(data):
        if len(found) == MAX_REQUESTS:
            raise GuestFault(f"more than {MAX_REQUESTS} requests at once")
        request, at = _request_at(data, at)
        found.append(request)
    return tuple(found)


def _request_at(data: bytes, at: int) -> tuple[HostRequest, int]:
    start = at + abi.REQUEST_HEADER.size
    if start > len(data):
        raise GuestFault("a request is cut short")
    call_id, op_len, payload_len = abi.REQUEST_HEADER.unpack_from(data, at)
    end = start + op_len + payload_len
    if end > len(data):
        raise GuestFault("a request is cut short")
    if not 0 < op_len <= MAX_OP_BYTES:
        raise GuestFault(f"an operation's name of {op_len} bytes")
    op = data[start : start + op_len].decode("ascii", "replace")
    return HostRequest(call_id, op, data[start + op_len : end]), end


def log_lines_in(data: bytes) -> list[LogLine]:
    """Return the whole lines in a piece of the log."""
    lines: list[LogLine] = []
    at = 0
    while at + abi.LOG_HEADER.size <= len(data):
        level, length = abi.LOG_HEADER.unpack_from(data, at)
        at += abi.LOG_HEADER.size
        text = data[at : at + length].decode("utf-8", "replace")
        lines.append(LogLine(abi.LOG_LEVELS[min(level, len(abi.LOG_LEVELS) - 1)], text))
        at += length
    return lines


def truncation(dropped: int, limit: int) -> LogLine:
    """Return the line that stands for the bytes of console output that did not fit."""
    return LogLine(
        "warn", f"[log truncated: {dropped:,} more bytes did not fit into the limit of {limit:,} bytes per run]"
    )
