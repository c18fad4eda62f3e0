"""A server behind a URL: the HTTP client the SDK's transports use, with bounds of our own.

A failed or oversized answer becomes a JSON-RPC error for its own request. Left to itself the SDK would end
the whole connection, and every call on it, for one broken response.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import jsonrpc_message_adapter

from toolcell.model.limits import MIB
from toolcell.model.text import sized

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from toolcell.model.servers import ServerSpec

MAX_BODY_BYTES = 16 * MIB
MAX_EVENT_BYTES = 16 * MIB
MAX_ERROR_BODY = 64 * 1024
CONNECT_TIMEOUT = 10.0
SSE_IDLE_TIMEOUT = 300.0

UNREACHABLE = -32090
NEVER_SENT = -32093
OVERSIZED = -32091
HTTP_STATUS = -32092
"""Error codes of our own in answers made up here, in the range JSON-RPC leaves to implementations."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Sends requests and bounds their answers; ``broken`` is told of a message that could not be delivered."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, broken: Callable[[str], None] | None = None) -> None:
        self._inner = inner
        self._broken = broken

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer, or a JSON-RPC error in its place."""
        request.headers["accept-encoding"] = "identity"
        if request.method != "POST":
            return await self._opened(await self._inner.handle_async_request(request))
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            return self._failed(NEVER_SENT, f"it cannot be reached ({_kind_of(error)})")
        except httpx2.TransportError as error:
            return self._failed(UNREACHABLE, f"it did not answer ({_kind_of(error)})")
        return await self._checked(response)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _checked(self, response: httpx2.Response) -> httpx2.Response:
        if response.headers.get("content-encoding", "identity") not in {"", "identity"}:
            await response.aclose()
            return self._failed(HTTP_STATUS, "it answered compressed, which was not asked for")
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            return await self._refused(response)
        if response.headers.get("content-type", "").lower().startswith("application/json"):
            return await self._whole(response)
        return _replaced(response, _PlainEnd(response))

    async def _opened(self, response: httpx2.Response) -> httpx2.Response:
        """Return the answer to a GET: an event stream, whose end is the end of an SSE connection."""
        if response.headers.get("content-encoding", "identity") not in {"", "identity"}:
            await response.aclose()
            raise httpx2.RemoteProtocolError("compressed")
        return _replaced(response, _PlainEnd(response, self._broken))

    async def _whole(self, response: httpx2.Response) -> httpx2.Response:
        """Read a JSON answer within the bound."""
        try:
            body = await _read(response, MAX_BODY_BYTES)
        except httpx2.TransportError as error:
            return self._failed(UNREACHABLE, f"its answer broke off ({_kind_of(error)})")
        if body is None:
            return self._failed(OVERSIZED, f"its answer is larger than {sized(MAX_BODY_BYTES)}")
        return httpx2.Response(response.status_code, headers=_plain_headers(response), content=body)

    async def _refused(self, response: httpx2.Response) -> httpx2.Response:
        """Pass on an error that is JSON-RPC, and 404, which the SDK reads itself; put others into words."""
        try:
            body = await _read(response, MAX_ERROR_BODY)
        except httpx2.TransportError:
            body = None
        status = response.status_code
        if body is not None and (status == HTTPStatus.NOT_FOUND or _is_message(body)) and self._broken is None:
            return httpx2.Response(status, headers=_plain_headers(response), content=body)
        return self._failed(HTTP_STATUS, f"it answered HTTP {status}{_phrase(status)}")

    def _failed(self, code: int, message: str) -> httpx2.Response:
        if self._broken is not None:
            self._broken(message)
            return httpx2.Response(HTTPStatus.ACCEPTED)
        body = {"jsonrpc": "2.0", "id": 0, "error": {"code": code, "message": message}}
        return httpx2.Response(HTTPStatus.BAD_GATEWAY, json=body)


class _PlainEnd(httpx2.AsyncByteStream):
    """An event stream whose end, whatever its cause, is a plain end: the SDK then fails that one request."""

    def __init__(self, response: httpx2.Response, ended: Callable[[str], None] | None = None) -> None:
        self._response = response
        self._ended = ended

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.stream:  # type: ignore[union-attr]  # asynchronous by construction
                yield chunk
        except httpx2.TransportError:
            pass
        if self._ended is not None:
            self._ended("it ended the event stream")

    async def aclose(self) -> None:
        await self._response.aclose()


async def _read(response: httpx2.Response, limit: int) -> bytes | None:
    """Return the body, or ``None`` when it is larger than ``limit``."""
    body = bytearray()
    try:
        async for chunk in response.stream:  # type: ignore[union-attr]  # asynchronous by construction
            body += chunk
            if len(body) > limit:
                return None
    finally:
        await response.aclose()
    return bytes(body)


def _replaced(response: httpx2.Response, stream: httpx2.AsyncByteStream) -> httpx2.Response:
    return httpx2.Response(
        response.status_code, headers=response.headers, stream=stream, extensions=response.extensions
    )


def _plain_headers(response: httpx2.Response) -> list[tuple[str, str]]:
    dropped = {"content-length", "transfer-encoding", "content-encoding"}
    return [(name, value) for name, value in response.headers.multi_items() if name.lower() not in dropped]


def _is_message(body: bytes) -> bool:
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValueError:
        return False
    return True


def _phrase(status: int) -> str:
    try:
        phrase = f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""
    return phrase + "; check its headers" if status in {401, 403} else phrase


def _kind_of(error: Exception) -> str:
    return _KINDS.get(type(error).__name__, type(error).__name__)


_KINDS = {
    "ConnectError": "connection refused or no such host",
    "ConnectTimeout": "connecting took too long",
    "ReadTimeout": "nothing came in time",
    "ReadError": "the connection broke",
    "RemoteProtocolError": "the connection broke or it does not speak HTTP",
}


def client(spec: ServerSpec, broken: Callable[[str], None] | None, read_timeout: float) -> httpx2.AsyncClient:
    """Return a client for one server; redirects are the SDK's to follow, within the server's own origin."""
    inner = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=None, max_keepalive_connections=32))
    return httpx2.AsyncClient(
        transport=BoundedTransport(inner, broken),
        headers=dict(spec.headers),
        timeout=httpx2.Timeout(CONNECT_TIMEOUT, read=read_timeout, pool=None),
        follow_redirects=False,
    )


@asynccontextmanager
async def streamable(spec: ServerSpec, read_timeout: float) -> AsyncIterator[Any]:
    """Yield the streams of a streamable HTTP connection; nothing is sent before the first message."""
    async with (
        client(spec, None, read_timeout) as http,
        streamable_http_client(spec.url, http_client=http, max_sse_event_size=MAX_EVENT_BYTES) as streams,
    ):
        yield streams


@asynccontextmanager
async def sse(spec: ServerSpec, broken: Callable[[str], None]) -> AsyncIterator[Any]:
    """Yield the streams of an SSE connection, once the server has said where to post."""

    def factory(
        headers: Mapping[str, str] | None = None, timeout: object = None, auth: object = None
    ) -> httpx2.AsyncClient:
        del headers, timeout, auth
        return client(spec, broken, SSE_IDLE_TIMEOUT)

    async with sse_client(spec.url, httpx_client_factory=factory) as streams:
        yield streams
