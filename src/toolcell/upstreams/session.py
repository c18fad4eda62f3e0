"""One connection to one server, from its handshake to its end, on one event loop.

The SDK wants a connection entered and left by one task; that task is ``_own``. Calls come from others.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types
from mcp import Client, MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

from toolcell import __version__
from toolcell.model.servers import Protocol
from toolcell.upstreams import catalog, http, stdio

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from mcp.client.session import IncomingMessage

    from toolcell.model.servers import ServerSpec
    from toolcell.upstreams.catalog import Catalog
    from toolcell.upstreams.stdio import StderrRing

MAX_ROUNDS = 10
"""Times a server may put off its answer (InputRequired with a state and no question)."""
_ROUND_DELAY, _LONGEST_ROUND_DELAY = 0.05, 0.25
_RAW: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])
_INFO = mcp_types.Implementation(name="toolcell", version=__version__)


class AsksBack(Exception):  # noqa: N818  # what the server did
    """The server wants input from a person or a model before it answers; a program cannot give it."""


class Session:
    """A connected server. ``over`` is set when it ended, and ``why`` says by what."""

    def __init__(self, spec: ServerSpec, protocol: Protocol, stderr: StderrRing, read_timeout: float) -> None:
        self._spec = spec
        self._protocol = protocol
        self._stderr = stderr
        self._read_timeout = read_timeout
        self._client: Client | None = None
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._in_flight = 0
        self._retired = False
        self._owner: asyncio.Task[None] | None = None
        self.over = asyncio.Event()
        self.why = ""
        self.stale = True
        self.blamed = False

    async def open(self) -> None:
        """Connect and shake hands, or raise what stood in the way; bounded by the caller's timeout."""
        self._owner = asyncio.create_task(self._own())
        try:
            await asyncio.shield(self._ready)
        except BaseException:
            self.end("it did not connect")
            self._owner.cancel()
            raise

    @property
    def version(self) -> str:
        """The protocol revision that was agreed on."""
        return self._connected.protocol_version

    async def fetch(self) -> Catalog:
        """Return what the server lists now."""
        self.stale = False
        return await catalog.fetch(self)

    async def page(self, cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
        """Return one page of the listing in wire form."""
        params = mcp_types.PaginatedRequestParams(cursor=cursor)
        listed = await self._connected.session.list_tools(params=params)
        tools = [tool.model_dump(by_alias=True, mode="json", exclude_unset=True) for tool in listed.tools]
        return tools, listed.next_cursor

    async def call(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the CallToolResult in wire form. Cancelling tells the server, and harms no other call."""
        self._in_flight += 1
        try:
            return await self._rounds(tool, dict(args))
        finally:
            self._in_flight -= 1
            self._end_if_idle()

    async def _rounds(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        state: str | None = None
        delay = _ROUND_DELAY
        for _ in range(MAX_ROUNDS):
            raw = await self._send(tool, args, state)
            if raw.get("resultType", "complete") != "input_required":
                raw.pop("resultType", None)
                return raw
            if raw.get("inputRequests"):
                raise AsksBack("it asks for input, which a program cannot give")
            state = raw.get("requestState")
            await asyncio.sleep(delay)
            delay = min(2 * delay, _LONGEST_ROUND_DELAY)
        raise AsksBack(f"it put off its answer {MAX_ROUNDS} times")

    async def _send(self, tool: str, args: dict[str, Any], state: str | None) -> dict[str, Any]:
        """Send one request; not by ``ClientSession.call_tool``, which runs the server's own output schema."""
        params = mcp_types.CallToolRequestParams(name=tool, arguments=args, request_state=state)
        request = mcp_types.CallToolRequest(params=params)
        return await self._connected.session.send_request(request, _RAW)  # type: ignore[type-var]  # any adapter works

    def retire(self) -> None:
        """Take no new calls; end when those that are out are done."""
        self._retired = True
        self._end_if_idle()

    def end(self, why: str) -> None:
        """End now; calls that are out fail."""
        if not self.over.is_set():
            self.why = why
            self.over.set()

    async def ended(self) -> None:
        """Wait until everything of the connection is gone."""
        if self._owner is not None:
            await asyncio.wait({self._owner})

    def _end_if_idle(self) -> None:
        if self._retired and self._in_flight == 0:
            self.end("it was replaced")

    @property
    def _connected(self) -> Client:
        if self._client is None:
            raise MCPError(code=mcp_types.CONNECTION_CLOSED, message="not connected")
        return self._client

    async def _own(self) -> None:
        """Enter the connection, keep it until it is over, leave it."""
        try:
            async with self._entered() as client, anyio.create_task_group() as tasks:
                self._client = client
                tasks.start_soon(self._listen, client)
                self._ready.set_result(None)
                await self.over.wait()
                tasks.cancel_scope.cancel()
        except BaseException as error:  # noqa: BLE001  # handed to whoever opens; later ones end the session
            if not self._ready.done():
                self._ready.set_exception(_first(error))
        finally:
            self.end("the connection broke")
            if not self._ready.done():
                self._ready.set_exception(stdio.CannotStart(self.why))
            self._ready.exception()

    def _entered(self) -> Client:
        return Client(
            self._streams(),
            mode="legacy" if self._protocol is Protocol.SSE else "auto",
            message_handler=self._heard,
            client_info=_INFO,
            cache=None,
        )

    def _streams(self) -> AbstractAsyncContextManager[Any]:
        if self._protocol is Protocol.STDIO:
            return stdio.connect(self._spec, self._stderr, self.end)
        if self._protocol is Protocol.SSE:
            return http.sse(self._spec, self.end)
        return http.streamable(self._spec, self._read_timeout)

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, mcp_types.ToolListChangedNotification):
            self.stale = True

    async def _listen(self, client: Client) -> None:
        """Hear of changed tools on revisions where the client has to ask for it."""
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or tools is None or not tools.list_changed:
            return
        with suppress(Exception):
            async with client.listen(tools_list_changed=True) as changes:
                async for _ in changes:
                    self.stale = True


def _first(error: BaseException) -> BaseException:
    """Return the cause in a group of exceptions."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return ConnectionError("cancelled") if isinstance(error, asyncio.CancelledError) else error
