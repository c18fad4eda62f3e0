"""A server behind a URL that does everything wrong costs its own calls and nothing else (hostile.md M)."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest

from tests.servers.started import spec_of, url_of
from tests.upstreams.conftest import connected, until
from toolcell.model.codes import CallCode
from toolcell.model.servers import Protocol, ServerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcell.model.calls import CallError, ToolReply

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def spec() -> Iterator[ServerSpec]:
    headers = {"Authorization": "Bearer s3cret-token"}
    with spec_of("http", "bad", "hostile_http.py", headers=headers, call_timeout=10.0) as found:
        yield found


def error_of(reply: ToolReply) -> CallError:
    assert reply.error is not None
    return reply.error


@pytest.mark.parametrize(
    ("tool", "code", "part"),
    [
        ("endless_body", CallCode.RESULT_TOO_LARGE, "its answer is larger than 16 MiB"),
        ("endless_event", CallCode.UPSTREAM_ERROR, ""),
        ("broken_off", CallCode.UPSTREAM_ERROR, "its answer broke off"),
        ("bomb", CallCode.UPSTREAM_ERROR, "it answered compressed"),
        ("page", CallCode.UPSTREAM_ERROR, "Unexpected content type"),
        ("nothing", CallCode.UPSTREAM_ERROR, "202 Accepted"),
        ("server_error", CallCode.UPSTREAM_ERROR, "it answered HTTP 500 (Internal Server Error)"),
        ("unauthorized", CallCode.UPSTREAM_ERROR, "it answered HTTP 401 (Unauthorized); check its headers"),
        ("not_json", CallCode.UPSTREAM_ERROR, "its answer is not what the protocol says"),
        ("elsewhere", CallCode.UPSTREAM_ERROR, "not followed"),
        ("metadata", CallCode.UPSTREAM_ERROR, "not followed"),
        ("file", CallCode.UPSTREAM_ERROR, ""),
        ("round", CallCode.UPSTREAM_ERROR, ""),
        ("asks", CallCode.UPSTREAM_ERROR, "asks for input"),
        ("puts_off", CallCode.UPSTREAM_ERROR, "put off its answer 10 times"),
    ],
)
async def test_a_bad_answer_fails_its_own_call_and_no_other(
    spec: ServerSpec, tool: str, code: CallCode, part: str
) -> None:
    async with connected(spec) as office:
        await office.call("bad", "echo")
        dripping = asyncio.create_task(office.call("bad", "drip"))
        reply = await office.call("bad", tool)
        assert error_of(reply).code is code
        assert part in error_of(reply).message
        assert "/srv" not in error_of(reply).message
        assert reply.dispatched
        assert not dripping.done()
        assert (await office.call("bad", "echo")).data == "here"
        assert (await office.call("bad", "canary")).data == {"seen": []}
        dripping.cancel()


@pytest.mark.parametrize("tool", ["endless_events", "drip", "other_id"])
async def test_an_answer_that_never_comes_is_an_upstream_timeout(spec: ServerSpec, tool: str) -> None:
    async with connected(spec) as office:
        await office.call("bad", "echo")
        impatient = ServerSpec(name="hasty", protocol=spec.protocol, url=spec.url, call_timeout=0.3)
        office.fleet.configure([spec, impatient])
        assert error_of(await office.call("hasty", tool)).code is CallCode.UPSTREAM_TIMEOUT
        assert (await office.call("hasty", "echo")).data == "here"


async def test_giving_up_closes_the_stream_of_that_call(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        before = len((await office.call("bad", "cancelled")).data["list"])
        task = asyncio.create_task(office.call("bad", "drip"))
        await asyncio.sleep(0.1)
        task.cancel()

        async def closed() -> bool:
            return len((await office.call("bad", "cancelled")).data["list"]) > before

        await until(closed)


async def test_a_server_that_forgot_the_session_gets_a_new_one_and_the_call_once_more(spec: ServerSpec) -> None:
    with url_of("hostile_http.py", "http", "--legacy") as url:
        async with connected(ServerSpec(name="bad", protocol=spec.protocol, url=url)) as office:
            assert (await office.call("bad", "echo")).ok
            assert (await office.call("bad", "forgotten")).data == "remembered"
            assert office.fleet.upstreams["bad"].connections == 2


@pytest.mark.parametrize("protocol", [Protocol.STREAMABLE_HTTP, Protocol.SSE, Protocol.AUTO])
async def test_nobody_listening_is_not_connected(protocol: Protocol) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://ann:pa55word@127.0.0.1:{taken.getsockname()[1]}/mcp?key=canary"
    async with connected(ServerSpec(name="gone", protocol=protocol, url=url)) as office:
        reply = await office.call("gone", "t")
        assert error_of(reply).code is CallCode.NOT_CONNECTED
        assert error_of(reply).retryable
        assert not reply.dispatched
        assert "pa55word" not in error_of(reply).message
        assert "canary" not in error_of(reply).message


@pytest.mark.parametrize("protocol", [Protocol.STREAMABLE_HTTP, Protocol.SSE])
async def test_a_server_that_accepts_and_says_nothing_is_not_connected_in_its_time(protocol: Protocol) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/mcp"
        async with connected(ServerSpec(name="mute", protocol=protocol, url=url, init_timeout=0.3)) as office:
            error = error_of(await office.call("mute", "t"))
    assert error.code is CallCode.NOT_CONNECTED
    assert "it did not answer within 0.3 s" in error.message


async def test_auto_finds_an_sse_server_and_a_streamable_one() -> None:
    for transport in ("http", "sse"):
        with url_of("office.py", transport) as url:
            async with connected(ServerSpec(name="office", protocol=Protocol.AUTO, url=url)) as office:
                assert (await office.call("office", "ping")).data == "pong"


async def test_a_server_that_moved_in_the_configuration_is_called_at_its_new_place() -> None:
    with url_of("office.py", "sse") as url:
        first = ServerSpec(name="office", protocol=Protocol.SSE, url=url)
        async with connected(first) as office:
            assert (await office.call("office", "ping")).ok
            with url_of("office.py", "sse") as other:
                office.fleet.configure([ServerSpec(name="office", protocol=Protocol.SSE, url=other)])
                assert (await office.call("office", "ping")).ok


async def test_a_server_disabled_removed_or_quarantined_in_the_middle_is_refused_at_the_next_call() -> None:
    with spec_of("http") as spec:
        async with connected(spec) as office:
            assert (await office.call("office", "ping")).ok
            changed = {name: getattr(spec, name) for name in ServerSpec.__dataclass_fields__}
            for more, code in (
                ({"enabled": False}, CallCode.SERVER_DISABLED),
                ({"quarantined": True}, CallCode.SERVER_QUARANTINED),
            ):
                office.fleet.configure([ServerSpec(**{**changed, **more})])
                reply = await office.call("office", "ping")
                assert error_of(reply).code is code
                assert not reply.dispatched
            office.fleet.configure([])
            assert error_of(await office.call("office", "ping")).code is CallCode.SERVER_NOT_FOUND
