"""The upstreams as ``execution`` knows them, for runs that are stepped outside an event loop.

Nothing of the SDK and no thread exists before a call has passed the checks that need neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from toolcell.model.calls import ToolReply
from toolcell.model.codes import CallCode
from toolcell.upstreams import replies, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from typing import Any

    from toolcell.execution.ports import ApprovalPort
    from toolcell.model.calls import CallError, ToolCall
    from toolcell.model.request import Caller
    from toolcell.model.servers import LaneLimits, ServerSpec
    from toolcell.upstreams.fleet import Fleet
    from toolcell.upstreams.loop import LoopThread

_T = TypeVar("_T")


class Upstreams:
    """Implements ``UpstreamPort`` over a fleet on a background loop."""

    def __init__(
        self,
        specs: Iterable[ServerSpec],
        *,
        approvals: Callable[[], ApprovalPort],
        everyone: LaneLimits,
        call_timeout: float,
        report_fault: Callable[[str, Exception], None],
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._opened = approvals
        self._decisions: ApprovalPort | None = None
        self._everyone = everyone
        self._call_timeout = call_timeout
        self._report_fault = report_fault
        self._running: tuple[LoopThread, Fleet] | None = None

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        """Return why the call may not be sent now, by what is known without asking the server."""
        if self._running is not None:
            return self._running[1].refusal(call, caller)
        spec = self._specs.get(call.server)
        if spec is None:
            return standing.no_server(call.server, self._specs, caller)
        return standing.of_server(spec, self._approvals.of(spec.name))

    def start(self, call: ToolCall, caller: Caller, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Send the call; ``done`` gets the reply on the loop's thread. Returns what cancels it."""
        loop, fleet = self._started()

        async def work() -> None:
            try:
                reply = await fleet.call(call, caller)
            except Exception as error:  # noqa: BLE001  # a fault of ours costs the call and is told to the operator
                self._report_fault(str(call), error)
                reply = ToolReply(error=replies.error(CallCode.UPSTREAM_ERROR, "The call failed inside toolcell"))
            done(reply)

        return loop.start(work)

    def ask(self, question: Callable[[Fleet], Coroutine[Any, Any, _T]]) -> _T:
        """Return what a question to the fleet comes to, waiting for it."""
        loop, fleet = self._started()
        answer: _T = loop.result(lambda: question(fleet))
        return answer

    def close(self) -> None:
        """Disconnect from every server and end the thread; safe to repeat."""
        running, self._running = self._running, None
        if running is not None:
            loop, fleet = running
            loop.close(fleet.close)

    @property
    def _approvals(self) -> ApprovalPort:
        if self._decisions is None:
            self._decisions = self._opened()
        return self._decisions

    def _started(self) -> tuple[LoopThread, Fleet]:
        if self._running is None:
            from toolcell.upstreams.loop import LoopThread  # noqa: PLC0415  # pure programs load no asyncio

            loop = LoopThread()
            self._running = loop, loop.result(self._fleet)
        return self._running

    async def _fleet(self) -> Fleet:
        from toolcell.upstreams.fleet import Fleet  # noqa: PLC0415

        return Fleet(
            self._specs.values(),
            approvals=self._approvals,
            everyone=self._everyone,
            call_timeout=self._call_timeout,
        )
