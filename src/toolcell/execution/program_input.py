"""The ``input`` of a request: checked against spec 2.1 and written as the JSON text a cell receives."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

from toolcell.model.codes import RefusalCode
from toolcell.model.limits import MAX_DEPTH, MAX_INPUT_BYTES
from toolcell.model.refusal import Refusal
from toolcell.model.strict_json import depth_exceeds
from toolcell.model.text import kind, quoted, sized

if TYPE_CHECKING:
    from collections.abc import Iterator

_HUGE_INTEGER = re.compile(rb"\d{309}")
"""A run of digits that could be an integer beyond the range of a JavaScript number."""


def encode_input(value: object) -> bytes:
    """Return ``value`` as compact UTF-8 JSON, or refuse it naming the path at fault."""
    if not isinstance(value, dict):
        raise _refused(f"input must be a JSON object, not {kind(value)}")
    try:
        encoded = _encode(value)
    except (TypeError, ValueError):
        raise _refused(_fault(value)) from None
    except RecursionError:
        raise _refused(_too_deep()) from None
    if len(encoded) > MAX_INPUT_BYTES:
        raise _refused(f"input is {len(encoded)} bytes as JSON; the limit is {sized(MAX_INPUT_BYTES)}")
    # Fewer brackets than the limit cannot nest deeper than it, and the usual input ends here.
    if encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH and depth_exceeds(value, MAX_DEPTH):
        raise _refused(_too_deep())
    if _HUGE_INTEGER.search(encoded):
        _refuse_unless_finite(value)
    return encoded


def _encode(value: dict[str, object]) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # a lone surrogate travels as an escape
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _refused(message: str) -> Refusal:
    return Refusal(RefusalCode.INVALID_REQUEST, message, field="input")


def _too_deep() -> str:
    return f"input is nested more than {MAX_DEPTH} levels deep"


def _refuse_unless_finite(value: object) -> None:
    fault = _find_fault(value)
    if fault is not None:
        raise _refused(fault)


def _fault(value: object) -> str:
    return _find_fault(value) or "input holds a value that JSON cannot carry"


def _find_fault(value: object) -> str | None:
    """Return a sentence about the first value that JSON or JavaScript cannot hold."""
    pending: list[tuple[str, object]] = [("input", value)]
    while pending:
        path, current = pending.pop()
        reason = _reason(current)
        if reason is not None:
            return f"{path} {reason}"
        pending.extend((path + step, child) for step, child in _children(current))
    return None


def _reason(value: object) -> str | None:
    if isinstance(value, bool | str | dict | list | None):
        return None
    if not isinstance(value, int | float):
        return "is not a JSON value"
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    return None if finite else "is not a finite number"


def _children(value: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of a container, each with its step in a path: ``.name`` or ``[3]``."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield (f".{key}" if key.isidentifier() else f"[{quoted(key)}]"), child
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield f"[{index}]", child
