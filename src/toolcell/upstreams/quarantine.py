"""Whether a server and its tools may be used (spec 7): pure functions over what is listed and decided.

An approval is bound to a SHA-256 over canonical JSON of what a model is told of a tool and what steers its
permission: name, description, both schemas and the annotations. The order of keys, spelling of numbers and
members a server leaves out or sets to null do not matter; everything else does.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from typing import TYPE_CHECKING, Any

from toolcell.model.approval import ToolDefinition, ToolState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolcell.model.approval import Approvals

DEFINING = ("name", "description", "inputSchema", "outputSchema", "annotations")
"""The members of a wire-form Tool that an approval is bound to."""


def define(tool: Mapping[str, Any]) -> ToolDefinition:
    """Return the definition of a tool as ``tools/list`` gives it, or raise ``ValueError`` for one nested too deep."""
    body = {member: tool[member] for member in DEFINING if tool.get(member) is not None}
    try:
        canonical = json.dumps(_plain(body), sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise ValueError("the definition is nested too deep") from None
    digest = hashlib.sha256(canonical.encode("ascii")).hexdigest()
    return ToolDefinition(name=str(tool["name"]), digest=digest, canonical=canonical)


def is_quarantined(approvals: Approvals, *, configured: bool) -> bool:
    """Return whether a server is quarantined: an admin's decision counts over the configuration."""
    return not approvals.trusts(configured=not configured)


def state_of(tool: ToolDefinition, approvals: Approvals) -> ToolState:
    """Return whether a tool may be called as it is defined now."""
    approved = approvals.approved.get(tool.name)
    if approved is None:
        return ToolState.PENDING
    return ToolState.APPROVED if approved == tool.digest else ToolState.CHANGED


def difference(before: ToolDefinition | None, after: ToolDefinition) -> Iterator[str]:
    """Yield the lines that tell an admin what changed: ``-`` for what was approved, ``+`` for what is listed."""
    old, new = _readable(before), _readable(after)
    marked = difflib.unified_diff(old, new, n=2, lineterm="")
    return (line for line in marked if not line.startswith(("---", "+++")))


def _readable(tool: ToolDefinition | None) -> list[str]:
    """Return a definition as indented lines; each line of a text stands alone, so that a diff shows which."""
    if tool is None:
        return []
    return json.dumps(json.loads(tool.canonical), ensure_ascii=False, indent=2).replace("\\n", "\\n\n    ").split("\n")


def _plain(value: object) -> object:
    """Return JSON with whole numbers as integers: 1.0 and 1 are one number to JSON Schema."""
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
