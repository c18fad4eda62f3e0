"""The JSON that crosses between a cell and the gate: requests in, envelopes out.

A request was built by our own code in the guest, which a hostile program may have bent: everything is
checked again here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolcell.model.calls import CallError, ToolCall, ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.limits import MAX_BATCH, MAX_CALL_BYTES, MAX_CALL_CONTAINERS, MAX_DEPTH, MAX_PARALLEL
from toolcell.model.strict_json import MalformedJson, depth_exceeds, parse
from toolcell.model.text import quoted, sized

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NAME = 1024
"""Characters of a server's or a tool's name."""

_LARGE_EXPONENT = re.compile(rb"[eE]\+?0*[1-9]\d{2}|\d{309}")
"""What every number beyond the range of a double has in its text."""


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
    if payload.count(b"[") + payload.count(b"{") > MAX_CALL_CONTAINERS:  # those inside a text count too
        raise BadCall(f"the arguments have more than {MAX_CALL_CONTAINERS:,} arrays and objects; send fewer at once")
    reader = _READERS.get(op)
    if reader is None:
        raise BadCall(f"the host has no operation {quoted(op)}")
    try:
        request = reader(parse(payload))
        _check_values(request, payload)
    except MalformedJson as error:
        raise BadCall(f"{op}: the text of the call {error}") from None
    except (KeyError, TypeError, ValueError):
        raise BadCall(f"{op}: the arguments cannot be read as a tool call") from None
    return request


def _check_values(request: CallRequest, payload: bytes) -> None:
    """Raise ``ValueError`` when arguments are nested too deep or hold a number that JSON cannot carry on."""
    # Fewer brackets than the limit cannot nest deeper than it, and the usual call ends here.
    nested = payload.count(b"{") + payload.count(b"[") > MAX_DEPTH
    if nested and any(depth_exceeds(call.args, MAX_DEPTH) for call in request.calls):
        raise ValueError
    if _LARGE_EXPONENT.search(payload):
        json.dumps([call.args for call in request.calls], allow_nan=False)


def _read_call(body: Any) -> CallRequest:  # noqa: ANN401  # any JSON
    return CallRequest(calls=(_tool_call(body),), batch=False)


def _read_calls(body: Any) -> CallRequest:  # noqa: ANN401  # any JSON
    calls = tuple(_tool_call(element) for element in body["requests"])
    parallel = body.get("max_parallel")
    if len(calls) > MAX_BATCH or not (parallel is None or _is_parallel(parallel)):
        raise ValueError
    return CallRequest(calls=calls, batch=True, max_parallel=parallel)


def _is_parallel(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_PARALLEL


def _tool_call(body: Any) -> ToolCall:  # noqa: ANN401  # any JSON
    server, tool, args = body["server"], body["tool"], body["args"]
    if not (_is_name(server) and _is_name(tool) and isinstance(args, dict)):
        raise TypeError
    return ToolCall(server=server, tool=tool, args=args)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME


_READERS: dict[str, Callable[[Any], CallRequest]] = {"call": _read_call, "calls": _read_calls}


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
