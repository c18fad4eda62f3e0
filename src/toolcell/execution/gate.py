"""The one way from a run to the upstreams: the checks of spec 3.3 in their order, then the dispatch.

Arguments are checked before a call gets here. Then: budget, allow-list, state of server and tool. A call
refused here was not dispatched and costs no budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.calls import CallError, CallRecord
from toolcell.model.codes import CallCode
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.execution.ports import UpstreamPort
    from toolcell.model.calls import ToolCall, ToolReply
    from toolcell.model.limits import RunLimits
    from toolcell.model.request import Caller


class Gate:
    """Admits and sends the calls of one run; keeps its budget and what was answered."""

    def __init__(self, *, limits: RunLimits, caller: Caller, upstreams: UpstreamPort) -> None:
        self._limits = limits
        self._caller = caller
        self._upstreams = upstreams
        self._spent = 0
        self._answered: list[CallRecord] = []

    @property
    def spent(self) -> int:
        """Calls admitted and not given back."""
        return self._spent

    @property
    def answered(self) -> tuple[CallRecord, ...]:
        """The calls that were dispatched and replied to, in the order of the replies."""
        return tuple(self._answered)

    def admit(self, call: ToolCall) -> CallError | None:
        """Take one unit of budget for the call and return ``None``, or return why it may not go out."""
        refusal = self._over_budget() or self._off_list(call) or self._upstreams.refusal(call, self._caller)
        if refusal is None:
            self._spent += 1
        return refusal

    def recheck(self, call: ToolCall) -> CallError | None:
        """Check the state again for an admitted call that had to wait; a refusal gives its budget back."""
        refusal = self._upstreams.refusal(call, self._caller)
        if refusal is not None:
            self._spent -= 1
        return refusal

    def send(self, call: ToolCall, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Dispatch an admitted call; ``done`` gets its reply once. Returns what cancels it."""

        def receive(reply: ToolReply) -> None:
            self._answered.append(CallRecord(server=call.server, tool=call.tool, ok=reply.ok))
            done(reply)

        return self._upstreams.start(call, self._caller, receive)

    def _over_budget(self) -> CallError | None:
        limit = self._limits.max_tool_calls
        if limit == 0 or self._spent < limit:
            return None
        message = f"Exceeded maximum tool calls limit ({limit})"
        return CallError(code=CallCode.MAX_TOOL_CALLS_EXCEEDED, message=message)

    def _off_list(self, call: ToolCall) -> CallError | None:
        allowed = self._limits.allowed_servers
        if allowed is None or call.server in allowed:
            return None
        message = f"Server {quoted(call.server)} is not in the allowed servers list"
        return CallError(code=CallCode.SERVER_NOT_ALLOWED, message=message)
