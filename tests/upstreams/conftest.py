from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from toolcell.execution.ports import SessionApprovals
from toolcell.model.calls import ToolCall, ToolReply
from toolcell.model.request import Caller
from toolcell.model.servers import LaneLimits
from toolcell.upstreams.fleet import Fleet

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from toolcell.execution.ports import ApprovalPort
    from toolcell.model.servers import ServerSpec

PATIENCE = 60.0
"""Seconds a call may take before its test fails; nothing measures against it."""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Office:
    """A fleet, asked by short names."""

    def __init__(self, fleet: Fleet, approvals: ApprovalPort) -> None:
        self.fleet = fleet
        self.approvals = approvals

    async def call(self, server: str, tool: str, **args: Any) -> ToolReply:
        return await self.fleet.call(ToolCall(server=server, tool=tool, args=args), Caller())

    async def held(self, key: str) -> asyncio.Task[ToolReply]:
        """Return a call that the server has and does not answer before ``release``."""
        task = asyncio.create_task(self.call("office", "hold", key=key))
        await until(self.has("held", key))
        return task

    def has(self, list_name: str, key: str) -> Callable[[], Awaitable[bool]]:
        """Return the question whether the server held a key, or saw its call cancelled."""

        async def asked() -> bool:
            return key in (await self.call("office", "holding")).data[list_name]

        return asked


async def until(condition: Callable[[], bool | Awaitable[bool]]) -> None:
    """Return when the condition holds; fail when it does not within all patience."""
    async with asyncio.timeout(PATIENCE):
        while True:
            held = condition()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(0.01)


@asynccontextmanager
async def connected(
    *specs: ServerSpec, everyone: LaneLimits | None = None, call_timeout: float = PATIENCE
) -> AsyncIterator[Office]:
    """Yield a fleet of these servers, and disconnect them after."""
    approvals = SessionApprovals()
    fleet = Fleet(specs, approvals=approvals, everyone=everyone or LaneLimits(), call_timeout=call_timeout)
    try:
        yield Office(fleet, approvals)
    finally:
        await fleet.close()
