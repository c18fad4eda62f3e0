"""From a CallToolResult on the wire to what a program reads (spec 3.1). Pure.

``result`` is the wire form as it came. ``data`` is the value a program wants of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolcell.model.calls import ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.limits import MAX_DEPTH, MIB
from toolcell.model.strict_json import depth_exceeds
from toolcell.model.text import sized
from toolcell.upstreams.replies import error, failed

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_RESULT_BYTES = 8 * MIB
MAX_ERROR_TEXT = 4000
_WRAPPER = "result"
_WRAP_MARK = "x-fastmcp-wrap-result"
"""The key by which a server SDK says that it wrapped a value which is not an object."""
_MAX_NUMBER = 2**53
"""Whole numbers up to here reach a program exactly; an id beyond stays the text it is."""


def reply_of(
    result: Mapping[str, Any], output_schema: Mapping[str, Any] | None, *, max_bytes: int = MAX_RESULT_BYTES
) -> ToolReply:
    """Return the reply for an upstream's answer; one too large, too deep or malformed is an error."""
    if depth_exceeds(result, MAX_DEPTH):
        return failed(CallCode.UPSTREAM_ERROR, f"The answer is nested more than {MAX_DEPTH} levels deep")
    try:
        size = len(
            json.dumps(result, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            )
        )
    except (TypeError, ValueError):
        return failed(CallCode.UPSTREAM_ERROR, "The answer holds values that JSON cannot carry")
    if size > max_bytes:
        message = f"The server's answer is {size} bytes, and one call may return {sized(max_bytes)}; ask for less"
        return failed(CallCode.RESULT_TOO_LARGE, message, size_bytes=size)
    if not isinstance(result.get("content", []), list):
        return failed(CallCode.UPSTREAM_ERROR, "The answer's content is not an array", size_bytes=size)
    if result.get("isError") is True:
        return ToolReply(result=result, error=error(CallCode.TOOL_ERROR, _error_text(result)), size_bytes=size)
    return ToolReply(result=result, data=data_of(result, output_schema), size_bytes=size)


def data_of(result: Mapping[str, Any], output_schema: Mapping[str, Any] | None) -> Any:  # noqa: ANN401  # any JSON
    """Return the structured content without its wrapper, else what the blocks hold."""
    structured = result.get("structuredContent")
    if structured is None:
        return _blocks(result.get("content", []))
    if isinstance(structured, dict) and set(structured) == {_WRAPPER} and _wrapped(result, output_schema):
        return structured[_WRAPPER]
    return structured


def _wrapped(result: Mapping[str, Any], schema: Mapping[str, Any] | None) -> bool:
    """Return whether ``{"result": …}`` is the SDK's doing: it marked it, or the schema has only that property."""
    meta = result.get("_meta")
    marked = meta.get("fastmcp") if isinstance(meta, dict) else None
    if isinstance(marked, dict) and marked.get("wrap_result") is True:
        return True
    if schema is None:
        return False
    properties = schema.get("properties")
    return schema.get(_WRAP_MARK) is True or (isinstance(properties, dict) and set(properties) == {_WRAPPER})


def _blocks(content: list[Any]) -> Any:  # noqa: ANN401  # any JSON
    """Return the one thing the blocks hold, or an array of what each one is; ``None`` for no block."""
    values = [_block(block) for block in content]
    if len(values) == 1:
        return values[0]
    return values or None


def _block(block: Any) -> Any:  # noqa: ANN401  # any JSON
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return _text(block["text"])
    return block


def _text(text: str) -> Any:  # noqa: ANN401  # any JSON
    """Return the value of JSON text, else the text; what JSON has no word for stays text."""
    if text.lstrip(" \t\r\n")[:1] not in '{["-0123456789tfn' or not text.strip():
        return text
    try:
        value = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        return text
    return text if _unfit(value, text) else value


def _unfit(value: object, text: str) -> bool:
    """Return whether a program would get something else than the text says, or too deep a value."""
    if isinstance(value, int | float):
        return abs(value) > _MAX_NUMBER and text.strip().lstrip("-").isdigit()
    return depth_exceeds(value, MAX_DEPTH)


def _not_json(name: str) -> None:
    raise ValueError(name)


def _error_text(result: Mapping[str, Any]) -> str:
    """Return the text of an answer that says it failed."""
    texts = [
        block["text"]
        for block in result.get("content", [])
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    text = "\n".join(texts).strip() or "The tool reported an error without saying which"
    return text if len(text) <= MAX_ERROR_TEXT else text[: MAX_ERROR_TEXT - 1] + "…"
