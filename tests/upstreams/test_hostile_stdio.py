"""A child process that does everything wrong costs its own calls and nothing else (hostile.md G, M, N)."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers.started import stdio
from tests.upstreams.conftest import Office, connected, until
from toolcell.model.codes import CallCode
from toolcell.upstreams.stdio import SAFE_VARIABLES, STDERR_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from toolcell.model.calls import CallError, ToolReply
    from toolcell.model.servers import ServerSpec

pytestmark = pytest.mark.anyio


def hostile(*flags: str, **spec: Any) -> ServerSpec:
    return stdio("bad", "hostile_stdio.py", *flags, **spec)


def error_of(reply: ToolReply) -> CallError:
    assert reply.error is not None
    return reply.error


async def pid_of(office: Office) -> int:
    pid: int = (await office.call("bad", "environment")).data["pid"]
    return pid


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_stray_lines_are_skipped_and_the_answer_is_found() -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", "noise")).data == "after noise"


@pytest.mark.parametrize("tool", ["malformed", "no_object", "deep"])
async def test_an_answer_that_is_none_is_an_upstream_error_for_that_call_only(tool: str) -> None:
    async with connected(hostile()) as office:
        error = error_of(await office.call("bad", tool))
        assert error.code is CallCode.UPSTREAM_ERROR
        assert (await office.call("bad", "echo", a=1)).data == {"args": {"a": 1}}
        assert office.fleet.upstreams["bad"].connections == 1


@pytest.mark.parametrize(("tool", "data"), [("wrong_id", "yours"), ("twice", "first"), ("flood", "after the flood")])
async def test_answers_nobody_asked_for_go_nowhere(tool: str, data: str) -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", tool)).data == data
        assert (await office.call("bad", "echo", a=1)).data == {"args": {"a": 1}}


async def test_an_answer_over_the_cap_is_result_too_large() -> None:
    async with connected(hostile()) as office:
        error = error_of(await office.call("bad", "big_answer"))
        assert error.code is CallCode.RESULT_TOO_LARGE
        assert "one call may return 8 MiB" in error.message


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("huge_answer", "it sent a message larger than 16 MiB"),
        ("endless_line", "it sent a message larger than 16 MiB"),
        ("noise_forever", "it writes something other than MCP messages to its stdout"),
        ("crash", "it ended by itself"),
    ],
)
async def test_a_broken_connection_says_why_and_the_next_call_gets_a_new_one(tool: str, reason: str) -> None:
    async with connected(hostile()) as office:
        before = await pid_of(office)
        reply = await office.call("bad", tool)
        assert error_of(reply).code is CallCode.UPSTREAM_ERROR
        assert error_of(reply).message == f"Server 'bad': {reason}; whether the call took effect is unknown"
        assert reply.dispatched
        assert await pid_of(office) != before
        await until(lambda: not alive(before))


async def test_a_server_that_crashes_again_and_again_is_left_alone_for_a_while() -> None:
    async with connected(hostile()) as office:
        codes = [error_of(await office.call("bad", "crash")).code for _ in range(6)]
        assert codes[:2] == [CallCode.UPSTREAM_ERROR] * 2
        assert codes[-1] is CallCode.NOT_CONNECTED
        refused = await office.call("bad", "crash")
        assert error_of(refused).retryable
        assert error_of(refused).retry_after_ms
        assert not refused.dispatched


async def test_an_answer_before_a_crash_counts_and_the_next_call_reconnects() -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", "crash_after")).data == "gone"
        await until(lambda: not office.fleet.upstreams["bad"].connected)
        assert (await office.call("bad", "echo")).ok


async def test_a_server_that_dies_at_its_start_is_not_connected_and_its_stderr_is_kept() -> None:
    async with connected(hostile("--dies")) as office:
        reply = await office.call("bad", "echo")
        assert error_of(reply).code is CallCode.NOT_CONNECTED
        assert not reply.dispatched
        assert office.fleet.upstreams["bad"].stderr.lines() == ["cannot open the database"]


async def test_a_server_that_never_shakes_hands_is_not_connected_in_its_time() -> None:
    async with connected(hostile("--mute", init_timeout=0.5)) as office:
        error = error_of(await office.call("bad", "echo"))
        assert error.code is CallCode.NOT_CONNECTED
        assert error.message == "Server 'bad' is not connected: it did not answer within 0.5 s"


@pytest.mark.parametrize("command", ["no-such-command", "/no/such/command", "/etc"])
async def test_a_command_that_cannot_be_run_is_told_without_its_path(command: str) -> None:
    spec = stdio("bad")
    missing = type(spec)(name="bad", protocol=spec.protocol, command=command)
    async with connected(missing) as office:
        error = error_of(await office.call("bad", "echo"))
        assert error.code is CallCode.NOT_CONNECTED
        assert "its command is not installed" in error.message
        assert "/" not in error.message


async def test_a_call_nobody_answers_is_an_upstream_timeout() -> None:
    async with connected(hostile(call_timeout=0.3)) as office:
        assert error_of(await office.call("bad", "silent")).code is CallCode.UPSTREAM_TIMEOUT
        assert (await office.call("bad", "echo")).ok


async def test_questions_from_the_server_are_refused() -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", "asks")).data == ["error", "error", "error"]


async def test_the_child_has_six_harmless_variables_and_those_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        monkeypatch.setenv(f"SECRET_{number}", f"canary-{number}")
    async with connected(hostile(env={"TOKEN": "given", "HOME": "/elsewhere"})) as office:
        env = (await office.call("bad", "environment")).data["env"]
    assert set(env) - {"LC_CTYPE", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"} <= {*SAFE_VARIABLES, "TOKEN"}
    assert (env["TOKEN"], env["HOME"], env["PATH"]) == ("given", "/elsewhere", os.environ["PATH"])
    assert "canary" not in str(env)


async def test_the_child_has_no_descriptor_of_ours_and_its_own_group() -> None:
    ours = os.dup(0)
    os.set_inheritable(ours, True)  # noqa: FBT003
    async with connected(hostile()) as office:
        data = (await office.call("bad", "environment")).data
    os.close(ours)
    assert data["fds"] == [0, 1, 2]
    assert data["pgid"] == data["pid"] != os.getpgid(0)


async def test_arguments_and_directory_are_passed_as_they_are(tmp_path: Path) -> None:
    flags = ("a b", ";", "$(id)", "`id`", "*", "é", "")
    async with connected(hostile(*flags, working_dir=str(tmp_path))) as office:
        data = (await office.call("bad", "environment")).data
    assert data["argv"][2:] == list(flags)
    assert data["cwd"] == str(tmp_path)


async def test_stderr_is_kept_up_to_its_bound() -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", "stderr_flood")).data == "after stderr"
        ring = office.fleet.upstreams["bad"].stderr
        await until(lambda: ring.lines()[-1:] == ["last words"])
        assert sum(map(len, ring.lines())) <= STDERR_BYTES


@pytest.mark.parametrize("flag", ["", "--lingers"])
async def test_closing_ends_the_child_even_one_that_does_not_want_to(flag: str) -> None:
    async with connected(hostile(flag)) as office:
        pid = await pid_of(office)
    assert not alive(pid)


async def test_every_page_of_the_listing_is_read() -> None:
    async with connected(hostile("--pages")) as office:
        assert (await office.call("bad", "secret_error")).dispatched
        assert len((await office.fleet.upstreams["bad"].inspect()).tools) > 15


@pytest.mark.parametrize("flag", ["--endless", "--repeat"])
async def test_a_listing_that_never_ends_is_not_connected_and_says_so(flag: str) -> None:
    async with connected(hostile(flag)) as office:
        error = error_of(await office.call("bad", "echo"))
        assert error.code is CallCode.NOT_CONNECTED
        assert "tools/list" in error.message


async def test_names_that_would_steer_a_terminal_are_left_out_and_counted() -> None:
    async with connected(hostile("--names")) as office:
        catalog = await office.fleet.upstreams["bad"].inspect()
    assert {"../../etc", "emoji-😀", "dup"} <= set(catalog.tools)
    assert all(name.isprintable() and 0 < len(name) <= 200 for name in catalog.tools)
    assert catalog.left_out == 7


async def test_a_tool_that_appears_later_is_pending_approval() -> None:
    async with connected(hostile()) as office:
        assert (await office.call("bad", "changes", name="extra")).ok
        await until(lambda: office.fleet.upstreams["bad"].stale)
        reply = await office.call("bad", "extra")
        assert error_of(reply).code is CallCode.TOOL_PENDING_APPROVAL
        assert not reply.dispatched
        listed = (await office.fleet.upstreams["bad"].inspect()).tools["extra"]
        office.approvals.approve_tool("bad", listed.definition)
        assert (await office.call("bad", "extra")).data == "added"


async def test_an_error_text_has_no_path_credential_or_secret_and_one_line() -> None:
    async with connected(hostile(env={"TOKEN": "s3cret-token"})) as office:
        message = error_of(await office.call("bad", "error")).message
        assert message == "Server 'bad': at … https://h/x"
        assert error_of(await office.call("bad", "secret_error")).message == "Server 'bad': bad token ***"


async def test_one_bad_server_does_not_slow_another() -> None:
    async with connected(hostile(), stdio("office")) as office:
        await office.call("bad", "echo")
        stuck = asyncio.create_task(office.call("bad", "silent"))
        for _ in range(5):
            assert (await office.call("office", "ping")).data == "pong"
        assert not stuck.done()
        stuck.cancel()
