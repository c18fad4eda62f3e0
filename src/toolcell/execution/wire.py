"""The JSON that crosses between a cell and the gate: requests in, envelopes out.

A request was built by our own code in the guest, which a hostile program may have bent: everything is
checked again here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcell.model.calls import CallError, ToolCall, ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.limits import MAX_BATCH, MAX_CALL_BYTES, MAX_PARALLEL
from toolcell.model.text import quoted, sized

if TYPE_CHECKING:
    from collections.abc import Callable


class BadCall(ValueError):  # noqa: N818  # it becomes a reply, not a fault
    """A request that cannot be a tool call; the message is for the program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """What one host request asks for: calls in input order, and whether the answer is an array."""

    calls: tuple[ToolCall, ...]
    batch: bool
    max_parallel: int | None = None


def decode(op: str, payload: bytes) -> CallRequest:
    """Return the request, or raise ``BadCall``."""
    if len(payload) > MAX_CALL_BYTES:
        raise BadCall(f"the arguments are {len(payload)} bytes as JSON; the limit is {sized(MAX_CALL_BYTES)}")
    reader = _READERS.get(op)
    if reader is None:
        raise BadCall(f"the host has no operation {quoted(op)}")
    try:
        return reader(json.loads(payload))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise BadCall(f"{op}: the arguments cannot be read as a tool call") from None


def _read_call(body: dict[str, Any]) -> CallRequest:
    return CallRequest(calls=(_tool_call(body),), batch=False)


def _read_calls(body: dict[str, Any]) -> CallRequest:
    calls = tuple(_tool_call(element) for element in body["requests"])
    parallel = body.get("max_parallel")
    if len(calls) > MAX_BATCH or not (parallel is None or _is_parallel(parallel)):
        raise ValueError
    return CallRequest(calls=calls, batch=True, max_parallel=parallel)


def _is_parallel(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_PARALLEL


def _tool_call(body: dict[str, Any]) -> ToolCall:
    server, tool, args = body["server"], body["tool"], body["args"]
    if not (isinstance(server, str) and isinstance(tool, str) and server and tool and isinstance(args, dict)):
        raise TypeError
    return ToolCall(server=server, tool=tool, args=args)


_READERS: dict[str, Callable[[dict[str, Any]], CallRequest]] = {"call": _read_call, "calls": _read_calls}


def encode(reply: ToolReply) -> bytes:
    """Return the envelope as JSON text; an answer JSON cannot carry becomes an ``UPSTREAM_ERROR``."""
    try:
        return json.dumps(reply.to_dict(), allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError):
        message = "The server's answer cannot be carried as JSON"
        return encode(ToolReply(error=CallError(code=CallCode.UPSTREAM_ERROR, message=message)))


def encode_batch(replies: list[ToolReply]) -> bytes:
    """Return the envelopes of a batch as one JSON array, in input order."""
    return b"[" + b",".join(encode(reply) for reply in replies) + b"]"
