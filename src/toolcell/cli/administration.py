"""What the commands about servers and tools share: the configuration, the decisions, and a look at a server."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolcell.bootstrap import approval_store, upstream_servers
from toolcell.cli import report
from toolcell.cli.configuration import load
from toolcell.cli.diagnostics import Diagnostics, Level, UsageError
from toolcell.model.text import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolcell.model.servers import ServerSpec
    from toolcell.settings import Settings
    from toolcell.storage.approvals import ApprovalStore
    from toolcell.upstreams.fleet import Fleet
    from toolcell.upstreams.upstream import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """The settings and the decisions that a command works on."""

    settings: Settings
    approvals: ApprovalStore
    diagnostics: Diagnostics

    def spec(self, name: str) -> ServerSpec:
        """Return a configured server, or say which there are."""
        specs = {spec.name: spec for spec in self.settings.mcpServers}
        if name in specs:
            return specs[name]
        if not specs:
            raise UsageError(f"there is no server {quoted(name)}: the configuration has no mcpServers")
        raise UsageError(f"there is no server {quoted(name)} in the configuration{did_you_mean(name, specs)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What came of connecting to a server: how many tools it lists, or why it could not be asked."""

    server: str
    ms: float
    tools: int = 0
    left_out: int = 0
    version: str | None = None
    error: str | None = None
    stderr: tuple[str, ...] = ()


@contextmanager
def office(config: str | None, level: Level = Level.INFO) -> Iterator[Office]:
    """Yield what a command works on, and close it. ``level`` is from where on it speaks on stderr."""
    diagnostics = Diagnostics(level)
    settings = load(config, diagnostics)
    with report.stores(), closing(approval_store(settings)) as approvals:
        yield Office(settings=settings, approvals=approvals, diagnostics=diagnostics)


def look_at(office: Office, servers: Iterable[str]) -> tuple[Look, ...]:
    """Connect to each server at the same time, list its tools, keep the lists, and disconnect."""
    names = list(servers)
    if not names:
        return ()
    upstreams = upstream_servers(office.settings, office.diagnostics.fault)
    try:
        return upstreams.ask(lambda fleet: _look_at_all(fleet, names))
    finally:
        upstreams.close()


async def _look_at_all(fleet: Fleet, names: list[str]) -> tuple[Look, ...]:
    import asyncio  # noqa: PLC0415  # loaded by the fleet anyway

    return tuple(await asyncio.gather(*(_look(fleet, name) for name in names)))


async def _look(fleet: Fleet, name: str) -> Look:
    from toolcell.upstreams.replies import CallRefused  # noqa: PLC0415

    upstream = fleet.upstreams[name]
    started = time.monotonic()
    try:
        catalog = await upstream.inspect()
    except CallRefused as refused:
        return Look(server=name, ms=_since(started), error=refused.error.message, stderr=_said(upstream))
    return Look(
        server=name,
        ms=_since(started),
        tools=len(catalog.tools),
        left_out=catalog.left_out,
        version=upstream.version,
        stderr=_said(upstream),
    )


def _said(upstream: Upstream) -> tuple[str, ...]:
    return tuple(upstream.stderr.lines())


def _since(started: float) -> float:
    return (time.monotonic() - started) * 1000
