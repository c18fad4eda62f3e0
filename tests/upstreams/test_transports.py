"""One body over every transport: what a call to a real server comes to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.started import TRANSPORTS, spec_of
from tests.upstreams.conftest import connected, until
from toolcell.model.codes import CallCode
from toolcell.model.servers import LaneLimits, Protocol, ServerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", params=TRANSPORTS)
def spec(request: pytest.FixtureRequest) -> Iterator[ServerSpec]:
    with spec_of(request.param) as found:
        yield found


async def test_an_object_is_its_structured_content_and_the_wire_form_is_kept(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "get_user", username="octocat")
    assert reply.error is None
    assert reply.data == {"login": "octocat", "name": "The Octocat", "public_repos": 8}
    assert reply.result is not None
    assert reply.result["structuredContent"] == reply.data
    assert reply.result["content"][0]["type"] == "text"
    assert "resultType" not in reply.result
    assert reply.size_bytes > 0


async def test_a_list_comes_without_the_wrapper_of_the_sdk(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "list_repos", user="a")
    assert [repo["name"] for repo in reply.data] == ["Hello-World", "old", "a.github.io"]
    assert reply.result is not None
    assert set(reply.result["structuredContent"]) == {"result"}


@pytest.mark.parametrize(
    ("tool", "args", "data"),
    [
        ("get_pull_request", {"owner": "o", "repo": "r", "pullNumber": 1}, {"title": "o/r #1"}),
        ("ping", {}, "pong"),
        ("text", {"text": "just words"}, "just words"),
        ("text", {"text": "[1, 2]"}, [1, 2]),
        ("text", {"text": "é\u2028😀"}, "é\u2028😀"),
    ],
)
async def test_text_is_its_json_value_or_itself(
    spec: ServerSpec, tool: str, args: dict[str, Any], data: object
) -> None:
    async with connected(spec) as office:
        assert (await office.call("office", tool, **args)).data == data


async def test_an_image_stays_a_block_and_meta_is_kept(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "picture")
    assert reply.data == ["a dot", {"type": "image", "data": "AA==", "mimeType": "image/png"}]
    assert reply.result is not None
    assert reply.result["_meta"]["dpi"] == 72


async def test_a_tool_that_fails_is_a_tool_error_with_its_text(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "get_user", username="nobody")
    assert reply.error is not None
    assert reply.error.code is CallCode.TOOL_ERROR
    assert "no user nobody" in reply.error.message
    assert reply.result is not None
    assert reply.result["isError"] is True
    assert reply.dispatched


async def test_an_unknown_tool_is_told_with_the_nearest_and_not_sent(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "get_usr", username="octocat")
    assert reply.error is not None
    assert reply.error.code is CallCode.TOOL_NOT_FOUND
    assert reply.error.suggestions == ("get_user",)
    assert not reply.dispatched


async def test_wrong_arguments_are_told_and_not_sent(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        reply = await office.call("office", "get_user", usrname="octocat")
    assert reply.error is not None
    assert reply.error.code is CallCode.INVALID_ARGS
    assert "did you mean 'username'?" in reply.error.message
    assert not reply.dispatched


async def test_calls_to_one_server_run_at_once_over_one_connection(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        long = await office.held("at once")
        users = await asyncio.gather(*(office.call("office", "get_user", username="octocat") for _ in range(20)))
        assert all(user.data["login"] == "octocat" for user in users)
        assert not long.done()
        await office.call("office", "release", key="at once")
        assert (await long).data == "at once"
        assert office.fleet.upstreams["office"].connections == 1


async def test_a_cancelled_call_reaches_the_server_and_disconnects_nobody_else(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        other, given_up = await office.held("other"), await office.held("given up")
        given_up.cancel()
        await asyncio.wait({given_up})
        await until(office.has("cancelled", "given up"))
        await office.call("office", "release", key="other")
        assert (await other).data == "other"


async def test_a_call_that_takes_too_long_is_an_upstream_timeout_and_the_next_one_works(spec: ServerSpec) -> None:
    async with connected(spec, call_timeout=0.3) as office:
        reply = await office.call("office", "sleep", seconds=30)
        assert reply.error is not None
        assert reply.error.code is CallCode.UPSTREAM_TIMEOUT
        assert reply.error.message == "Server 'office' did not answer within 0.3 s"
        assert reply.dispatched
        assert office.fleet.upstreams["office"].connected


async def test_both_ends_agree_on_the_newest_revision_that_the_transport_has(spec: ServerSpec) -> None:
    async with connected(spec) as office:
        await office.call("office", "ping")
        expected = "2025-11-25" if spec.protocol is Protocol.SSE else "2026-07-28"
        assert office.fleet.upstreams["office"].version == expected


async def test_a_server_that_runs_one_call_at_a_time_sheds_or_queues_as_configured(spec: ServerSpec) -> None:
    shedding = ServerSpec(**{**_fields(spec), "name": "sheds", "lane": LaneLimits(max_concurrent=1)})
    queueing = ServerSpec(**{**_fields(spec), "name": "queues", "lane": LaneLimits(max_concurrent=1, queue_size=9)})
    async with connected(shedding, queueing) as office:
        for name, expected in (("sheds", 1), ("queues", 10)):
            await office.call(name, "ping")
            replies = await asyncio.gather(*(office.call(name, "sleep", seconds=0.02) for _ in range(10)))
            assert sum(reply.ok for reply in replies) == expected
            refused = [reply for reply in replies if reply.error is not None]
            assert {reply.error.code for reply in refused if reply.error} <= {CallCode.QUEUE_FULL}
            assert not any(reply.dispatched for reply in refused)


async def test_the_limit_on_all_servers_together_counts_every_server(spec: ServerSpec) -> None:
    other = ServerSpec(**{**_fields(spec), "name": "other"})
    async with connected(spec, other, everyone=LaneLimits(max_concurrent=1)) as office:
        await office.call("office", "ping")
        await office.call("other", "ping")
        long = asyncio.create_task(office.call("office", "hold", key="all"))
        await until(lambda: office.fleet.running == 1)
        reply = await office.call("other", "ping")
        assert reply.error is not None
        assert reply.error.code is CallCode.QUEUE_FULL
        assert "toolcell runs 1 calls at once" in reply.error.message
        long.cancel()


def _fields(spec: ServerSpec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in ServerSpec.__dataclass_fields__}
