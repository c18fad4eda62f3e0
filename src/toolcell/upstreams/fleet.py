"""All configured servers, on one event loop: finds the one a call is for.

Configuration may be replaced at any time; calls that are out keep the server they were sent to.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from toolcell.model.calls import ToolReply
from toolcell.upstreams import standing
from toolcell.upstreams.limits import Lane
from toolcell.upstreams.upstream import Upstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolcell.execution.ports import ApprovalPort
    from toolcell.model.calls import CallError, ToolCall
    from toolcell.model.request import Caller
    from toolcell.model.servers import LaneLimits, ServerSpec


class Fleet:
    """The servers by name. Made and used on its loop; ``refusal`` may be asked from any thread."""

    def __init__(
        self, specs: Iterable[ServerSpec], *, approvals: ApprovalPort, everyone: LaneLimits, call_timeout: float
    ) -> None:
        self._approvals = approvals
        self._everyone = Lane("toolcell", everyone)
        self._call_timeout = call_timeout
        self._upstreams: Mapping[str, Upstream] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self.configure(specs)

    def configure(self, specs: Iterable[ServerSpec]) -> None:
        """Use these servers from now on; one that did not change keeps its connection."""
        before = self._upstreams
        self._upstreams = {spec.name: self._kept(before.get(spec.name), spec) for spec in specs}
        for name, upstream in before.items():
            if self._upstreams.get(name) is not upstream:
                task = asyncio.create_task(upstream.close())
                self._closing.add(task)
                task.add_done_callback(self._closing.discard)

    @property
    def upstreams(self) -> Mapping[str, Upstream]:
        """The servers as they are configured now."""
        return self._upstreams

    @property
    def running(self) -> int:
        """Calls that are out, to all servers."""
        return self._everyone.running

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        """Return why the call may not be sent now, as far as it is known."""
        upstream = self._upstreams.get(call.server)
        if upstream is None:
            specs = {name: known.spec for name, known in self._upstreams.items()}
            return standing.no_server(call.server, specs, caller)
        return upstream.refusal(call.tool)

    async def call(self, call: ToolCall, caller: Caller) -> ToolReply:
        """Return the reply to a call."""
        refused = self.refusal(call, caller)
        if refused is not None:
            return ToolReply(error=refused, dispatched=False)
        return await self._upstreams[call.server].call(call)

    async def close(self) -> None:
        """Disconnect from every server."""
        await asyncio.gather(*(upstream.close() for upstream in self._upstreams.values()), *self._closing)

    def _kept(self, upstream: Upstream | None, spec: ServerSpec) -> Upstream:
        if upstream is not None and upstream.spec == spec:
            return upstream
        return Upstream(spec, approvals=self._approvals, everyone=self._everyone, call_timeout=self._call_timeout)
