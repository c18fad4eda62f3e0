"""Whether a server and its tool may be called now, by configuration and decisions (spec 3.4, 7). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.approval import ToolState
from toolcell.model.codes import CallCode
from toolcell.model.text import nearest, quoted
from toolcell.upstreams import quarantine, replies

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from toolcell.model.approval import Approvals, ToolDefinition
    from toolcell.model.calls import CallError
    from toolcell.model.request import Caller
    from toolcell.model.servers import ServerSpec

MAX_NAMES = 20


def no_server(name: str, specs: Mapping[str, ServerSpec], caller: Caller) -> CallError:
    """Return the error for a server that is not configured, with the nearest names this caller may see."""
    allowed = caller.ceilings.allowed_servers
    seen = [known for known in specs if allowed is None or known in allowed]
    return _not_found(CallCode.SERVER_NOT_FOUND, f"Server {quoted(name)}", name, seen, "servers")


def no_tool(server: str, name: str, tools: Collection[str]) -> CallError:
    """Return the error for a tool the server does not list, with the nearest it does."""
    return _not_found(CallCode.TOOL_NOT_FOUND, f"Tool {quoted(name)} of server {quoted(server)}", name, tools, "tools")


def _not_found(code: CallCode, subject: str, name: str, known: Collection[str], kind: str) -> CallError:
    close = nearest(name, known)
    if close:
        hint = f"did you mean {' or '.join(quoted(one) for one in close)}?"
    elif known:
        shown = [quoted(one) for one in sorted(known)[:MAX_NAMES]]
        more = f" and {len(known) - MAX_NAMES} more" if len(known) > MAX_NAMES else ""
        hint = f"there are {', '.join(shown)}{more}"
    else:
        hint = f"there are no {kind}"
    return replies.error(code, f"{subject} not found; {hint}", suggestions=close)


def of_server(spec: ServerSpec, approvals: Approvals) -> CallError | None:
    """Return why no tool of the server may be called."""
    name = quoted(spec.name)
    if not spec.enabled:
        message = f"Server {name} is disabled in the configuration"
        return replies.error(CallCode.SERVER_DISABLED, message)
    if quarantine.is_quarantined(approvals, configured=spec.quarantined):
        message = f"Server {name} is quarantined: an admin has to approve it first"
        return replies.error(CallCode.SERVER_QUARANTINED, message)
    return None


def of_tool(server: str, tool: ToolDefinition, approvals: Approvals) -> CallError | None:
    """Return why the tool, as it is defined now, may not be called."""
    state = quarantine.state_of(tool, approvals)
    if state is ToolState.APPROVED:
        return None
    subject = f"Tool {quoted(tool.name)} of server {quoted(server)}"
    if state is ToolState.CHANGED:
        message = f"{subject} changed since it was approved: an admin has to look at the change"
        return replies.error(CallCode.TOOL_CHANGED, message)
    return replies.error(CallCode.TOOL_PENDING_APPROVAL, f"{subject} is new: an admin has to approve it first")
