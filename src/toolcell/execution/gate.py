"""The one way from a run to the upstreams: the checks of spec 3.3 in their order, then the dispatch.

Arguments are checked before a call gets here. Then: budget, allow-list, state of server and tool. A call
refused before its dispatch costs no budget, also when the refusal comes from the upstream's side. Every call
is recorded, and none goes out before its intent is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from toolcell.execution.ports import NoRecords
from toolcell.model.calls import CallError, CallRecord, ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.record import CallIntent
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.execution.ports import RecordPort, UpstreamPort
    from toolcell.model.calls import ToolCall
    from toolcell.model.limits import RunLimits
    from toolcell.model.request import Caller

    Post = Callable[[Callable[[], None]], None]


def at_once(step: Callable[[], None]) -> None:
    """Take a step now: for replies that come on the run's own thread."""
    step()


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A call that passed the checks, under the number its record has."""

    call: ToolCall
    intent: CallIntent


class Gate:
    """Admits and sends the calls of one run; keeps its budget and what was answered.

    ``post`` brings what other threads have to say to the thread of the run; the gate lives on that one.
    """

    def __init__(
        self,
        *,
        limits: RunLimits,
        caller: Caller,
        upstreams: UpstreamPort,
        records: RecordPort | None = None,
        execution_id: str = "",
        post: Post = at_once,
    ) -> None:
        self._limits = limits
        self._caller = caller
        self._upstreams = upstreams
        self._records = records or NoRecords()
        self._execution_id = execution_id
        self._post = post
        self._asked = 0
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

    def admit(self, call: ToolCall) -> Admitted | CallError:
        """Take one unit of budget for the call, or return why it may not go out."""
        self._asked += 1
        intent = CallIntent(
            execution_id=self._execution_id, number=self._asked, tenant=self._caller.tenant, key_id=None, call=call
        )
        refusal = self._over_budget() or self._off_list(call) or self._upstreams.refusal(call, self._caller)
        if refusal is not None:
            self._records.call_blocked(intent, refusal)
            return refusal
        self._spent += 1
        return Admitted(call=call, intent=intent)

    def recheck(self, admitted: Admitted) -> CallError | None:
        """Check the state again for an admitted call that had to wait; a refusal gives its budget back."""
        refusal = self._upstreams.refusal(admitted.call, self._caller)
        if refusal is not None:
            self._spent -= 1
            self._records.call_blocked(admitted.intent, refusal)
        return refusal

    def send(self, admitted: Admitted, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Dispatch an admitted call once its intent is kept; ``done`` gets its reply once. Returns what cancels it."""
        dispatch = _Dispatch()

        def receive(reply: ToolReply) -> None:
            self._settle(admitted, reply)
            done(reply)

        def go(kept: bool) -> None:  # noqa: FBT001  # the port's one answer
            if dispatch.cancelled:
                return
            if not kept:
                receive(_not_kept())
                return
            dispatch.cancel = self._upstreams.start(
                admitted.call, self._caller, lambda reply: self._post(partial(receive, reply))
            )

        self._records.intend(admitted.intent, lambda kept: self._post(partial(go, kept)))
        return dispatch.stop

    def _settle(self, admitted: Admitted, reply: ToolReply) -> None:
        """Account for a reply: one of a call that was not dispatched after all costs nothing."""
        self._records.call_finished(admitted.intent, reply)
        if reply.dispatched:
            call = admitted.call
            self._answered.append(CallRecord(server=call.server, tool=call.tool, ok=reply.ok))
        else:
            self._spent -= 1

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


class _Dispatch:
    """A call on its way: cancelled before or after it was handed to the upstream."""

    __slots__ = ("cancel", "cancelled")

    def __init__(self) -> None:
        self.cancel: Callable[[], None] | None = None
        self.cancelled = False

    def stop(self) -> None:
        self.cancelled = True
        if self.cancel is not None:
            self.cancel()


def _not_kept() -> ToolReply:
    message = (
        "The call could not be recorded, so it was not sent; toolcell's log says why (on the command line: stderr)"
    )
    return ToolReply(error=CallError(code=CallCode.UPSTREAM_ERROR, message=message), dispatched=False)
