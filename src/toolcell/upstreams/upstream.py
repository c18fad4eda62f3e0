"""One configured server: connected when a call needs it, reused, given up for a while when it fails.

Used on one event loop. What it knows is replaced and never changed in place, so that other threads may read it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from toolcell.model.codes import CallCode
from toolcell.model.servers import Protocol
from toolcell.model.text import quoted
from toolcell.upstreams import faults, standing
from toolcell.upstreams.breaker import Breaker
from toolcell.upstreams.limits import Lane
from toolcell.upstreams.replies import CallRefused, failed
from toolcell.upstreams.results import reply_of
from toolcell.upstreams.stdio import StderrRing
from toolcell.upstreams.telling import clean, secrets_of

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from toolcell.execution.ports import ApprovalPort
    from toolcell.model.calls import CallError, ToolCall, ToolReply
    from toolcell.model.servers import ServerSpec
    from toolcell.upstreams.catalog import Catalog, Tool
    from toolcell.upstreams.session import Session

_T = TypeVar("_T")

LISTING_TIMEOUT = 30.0
RELIST_AFTER = 5.0
"""Seconds after which an unknown tool is a reason to list again: servers without notifications change too."""
PARTING = 1.0
"""Seconds that cancelled calls have to tell the server before it is disconnected."""


class Upstream:
    """A server and everything known of it."""

    def __init__(self, spec: ServerSpec, *, approvals: ApprovalPort, everyone: Lane, call_timeout: float) -> None:
        self._spec = spec
        self._approvals = approvals
        self._everyone = everyone
        self._lane = Lane(f"Server {quoted(spec.name)}", spec.lane)
        self._timeout = spec.call_timeout or call_timeout
        self._secrets = secrets_of(spec)
        self._breaker = Breaker()
        self._session: Session | None = None
        self._opening = asyncio.Lock()
        self._listing = asyncio.Lock()
        self._listed_at = 0.0
        self._parting: set[asyncio.Task[Any]] = set()
        self._watching: set[asyncio.Task[None]] = set()
        self._connections = 0
        self.catalog: Catalog | None = None
        self.stderr = StderrRing()

    @property
    def spec(self) -> ServerSpec:
        """How it is configured."""
        return self._spec

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        return self._session is not None and not self._session.over.is_set()

    @property
    def stale(self) -> bool:
        """Whether the server said that its tools changed since they were listed."""
        return self._session is not None and self._session.stale

    @property
    def connections(self) -> int:
        """How often it has been connected."""
        return self._connections

    @property
    def version(self) -> str | None:
        """The protocol revision of the connection."""
        return self._session.version if self._session is not None and self.connected else None

    def refusal(self, tool: str) -> CallError | None:
        """Return why the tool may not be called, as far as it is known; from any thread."""
        decided = self._approvals.of(self._spec.name)
        refused = standing.of_server(self._spec, decided)
        known = self.catalog
        if refused is not None or known is None or tool not in known.tools:
            return refused
        return standing.of_tool(self._spec.name, known.tools[tool].definition, decided)

    async def call(self, call: ToolCall) -> ToolReply:
        """Return the reply to one call; cancelling it reaches the server."""
        try:
            tool = await self._tool(call.tool)
            tool.arguments.check(call.tool, call.args)
            async with self._lane.place(), self._everyone.place():
                self._recheck(call.tool)
                return await self._dispatch(tool, call.args)
        except CallRefused as refused:
            return refused.reply()

    async def inspect(self) -> Catalog:
        """Connect and return what the server lists now, whatever its standing; ``CallRefused`` says why not."""
        return await self._refresh(await self._connection())

    async def close(self) -> None:
        """Disconnect, after calls that were cancelled have told the server."""
        if self._parting:
            await asyncio.wait(self._parting, timeout=PARTING)
        session, self._session = self._session, None
        if session is not None:
            session.end("toolcell disconnected")
        await asyncio.gather(*self._watching)

    def _recheck(self, tool: str) -> None:
        """Look at the state again after the wait for a place."""
        refused = self.refusal(tool)
        if refused is not None:
            raise CallRefused(refused.code, refused.message)

    async def _tool(self, name: str) -> Tool:
        """Return a tool that may be called now, or raise ``CallRefused``."""
        session = await self._connection()
        known = self.catalog
        if known is None or session.stale or (name not in known.tools and self._now() - self._listed_at > RELIST_AFTER):
            known = await self._refresh(session)
        if name not in known.tools:
            missing = standing.no_tool(self._spec.name, name, known.tools)
            raise CallRefused(missing.code, missing.message, suggestions=missing.suggestions)
        self._recheck(name)
        return known.tools[name]

    async def _refresh(self, session: Session) -> Catalog:
        """List the tools; several calls that find the listing stale wait for one."""
        async with self._listing:
            if self.catalog is not None and not session.stale and self._now() - self._listed_at < RELIST_AFTER:
                return self.catalog
            try:
                async with asyncio.timeout(LISTING_TIMEOUT):
                    listed = await session.fetch()
            except Exception as error:  # noqa: BLE001  # whatever a server does wrong is its own affair
                session.stale = True
                self._lost(session, error)
                raise self._not_connected(f"its tools cannot be listed: {self._told(error)}") from None
            definitions = [tool.definition for tool in listed.tools.values()]
            trusted = not self._spec.quarantined
            await asyncio.to_thread(self._approvals.listed, self._spec.name, definitions, trusted=trusted)
            self.catalog, self._listed_at = listed, self._now()
            return listed

    async def _connection(self) -> Session:
        """Return the live session, or open one."""
        async with self._opening:
            session = self._session
            if session is not None and not session.over.is_set():
                return session
            wait = self._breaker.wait(self._now())
            if wait > 0:
                raise self._not_connected(f"it failed {self._breaker.failures} times in a row", retry_after=wait)
            self.catalog = None if session is None else self.catalog
            self._session = await self._open()
            return self._session

    async def _open(self) -> Session:
        protocols = [self._spec.protocol]
        if self._spec.protocol is Protocol.AUTO:
            protocols = [Protocol.STREAMABLE_HTTP, Protocol.SSE]
        try:
            async with asyncio.timeout(self._spec.init_timeout):
                return await self._first_that_answers(protocols)
        except TimeoutError:
            self._breaker.failed(self._now())
            raise self._not_connected(f"it did not answer within {self._spec.init_timeout:g} s") from None

    async def _first_that_answers(self, protocols: list[Protocol]) -> Session:
        from toolcell.upstreams.session import Session  # noqa: PLC0415  # the SDK takes most of a second to load

        reason = ""
        for protocol in protocols:
            session = Session(self._spec, protocol, self.stderr, read_timeout=self._timeout + 30)
            self._watch(session)
            try:
                await session.open()
            except Exception as error:  # noqa: BLE001  # whatever a server does wrong is its own affair
                reason = reason or self._told(error)
                if faults.is_unreachable(error):
                    break
                continue
            self._connections += 1
            return session
        self._breaker.failed(self._now())
        raise self._not_connected(reason)

    def _watch(self, session: Session) -> None:
        """Count an end that we did not ask for as a failure, and keep the task that sees it until then."""

        async def watch() -> None:
            await session.over.wait()
            if self._session is session:
                self._blame(session)
            await session.ended()

        task = asyncio.create_task(watch())
        self._watching.add(task)
        task.add_done_callback(self._watching.discard)

    async def _dispatch(self, tool: Tool, args: Mapping[str, Any]) -> ToolReply:
        """Send the call, once more on a new session if the server forgot ours."""
        for attempt in range(2):
            session = await self._connection()
            try:
                raw = await self._bounded(session.call(tool.name, args))
            except TimeoutError:
                message = f"Server {quoted(self._spec.name)} did not answer within {self._timeout:g} s"
                return failed(CallCode.UPSTREAM_TIMEOUT, message)
            except Exception as error:  # noqa: BLE001  # the same
                self._lost(session, error)
                if attempt == 0 and faults.is_forgotten(error):
                    continue
                return self._failure(session, error)
            self._breaker.succeeded()
            return reply_of(raw, tool.output_schema)
        raise AssertionError("a second attempt returns")

    async def _bounded(self, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        """Return the result in time. A call given up is cancelled and may take a moment to tell the server."""
        task = self._keep(work)
        try:
            done, _ = await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not done:
            task.cancel()
            raise TimeoutError
        return task.result()

    def _keep(self, work: Coroutine[Any, Any, _T]) -> asyncio.Task[_T]:
        """Return a task that is not forgotten before it is done."""
        task = asyncio.create_task(work)
        self._parting.add(task)
        task.add_done_callback(self._parting.discard)
        return task

    def _failure(self, session: Session, error: Exception) -> ToolReply:
        """Return the reply for a call that was sent and failed."""
        code, sent = faults.code_of(error)
        reason = session.why if faults.is_closed(error) and session.why else self._told(error)
        if not sent:
            return self._not_connected(reason).reply()
        subject = f"Server {quoted(self._spec.name)}"
        end = "; whether the call took effect is unknown" if faults.is_closed(error) else ""
        return failed(code, f"{subject}: {clean(reason, self._secrets)}{end}")

    def _lost(self, session: Session, error: Exception) -> None:
        """Use another session next time when this one is no good; calls on it may still finish."""
        session.stale = session.stale or faults.is_outdated(error)
        if faults.is_unreachable(error) or faults.is_forgotten(error):
            if not faults.is_forgotten(error):
                self._blame(session)
            if self._session is session:
                self._session = None
            session.retire()

    def _blame(self, session: Session) -> None:
        """Count the end of a session once, whoever sees it first."""
        if not session.blamed:
            session.blamed = True
            self._breaker.failed(self._now())

    def _told(self, error: BaseException) -> str:
        return clean(faults.told(error), self._secrets)

    def _not_connected(self, reason: str, *, retry_after: float | None = None) -> CallRefused:
        name = quoted(self._spec.name)
        wait = self._breaker.wait(self._now()) if retry_after is None else retry_after
        return CallRefused(
            CallCode.NOT_CONNECTED,
            f"Server {name} is not connected: {clean(reason, self._secrets)}",
            retry_after=wait or None,
        )

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
