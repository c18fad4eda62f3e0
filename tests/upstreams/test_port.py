"""The port as a run meets it: from another thread, with nothing loaded before it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from queue import Queue
from typing import TYPE_CHECKING

import pytest

from tests.servers.started import stdio
from tests.upstreams.conftest import PATIENCE
from toolcell.execution.ports import SessionApprovals
from toolcell.model.calls import ToolCall, ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.limits import Ceilings
from toolcell.model.request import Caller
from toolcell.model.servers import LaneLimits, Protocol, ServerSpec
from toolcell.upstreams.port import Upstreams

if TYPE_CHECKING:
    from collections.abc import Iterator

OFF = ServerSpec(name="off", protocol=Protocol.STDIO, command="x", enabled=False)
HELD_BACK = ServerSpec(name="held-back", protocol=Protocol.STDIO, command="x", quarantined=True)


@pytest.fixture
def port() -> Iterator[Upstreams]:
    faults: list[tuple[str, Exception]] = []
    upstreams = Upstreams(
        [stdio("office"), OFF, HELD_BACK],
        approvals=SessionApprovals,
        everyone=LaneLimits(),
        call_timeout=PATIENCE,
        report_fault=lambda call, error: faults.append((call, error)),
    )
    yield upstreams
    upstreams.close()
    assert faults == []


def call(server: str, tool: str = "ping") -> ToolCall:
    return ToolCall(server=server, tool=tool, args={})


@pytest.mark.parametrize(
    ("server", "code"),
    [
        ("offce", CallCode.SERVER_NOT_FOUND),
        ("off", CallCode.SERVER_DISABLED),
        ("held-back", CallCode.SERVER_QUARANTINED),
    ],
)
def test_what_configuration_tells_is_refused_without_a_thread(port: Upstreams, server: str, code: CallCode) -> None:
    before = threading.active_count()
    refusal = port.refusal(call(server), Caller())
    assert refusal is not None
    assert refusal.code is code
    assert threading.active_count() == before


def test_only_servers_that_the_caller_may_use_are_suggested(port: Upstreams) -> None:
    caller = Caller(ceilings=Ceilings(allowed_servers=frozenset({"off"})))
    refusal = port.refusal(call("offce"), caller)
    assert refusal is not None
    assert "office" not in refusal.message.removeprefix("Server 'offce'")
    assert refusal.suggestions == ("off",)


def test_a_reply_comes_from_the_loop_and_a_second_call_uses_the_same_connection(port: Upstreams) -> None:
    replies: Queue[tuple[ToolReply, int]] = Queue()
    for _ in range(2):
        port.start(call("office"), Caller(), lambda reply: replies.put((reply, threading.get_ident())))
        reply, thread = replies.get(timeout=PATIENCE)
        assert reply.data == "pong"
        assert thread != threading.get_ident()

    async def connections(fleet: object) -> int:
        count: int = fleet.upstreams["office"].connections  # type: ignore[attr-defined]
        return count

    assert port.ask(connections) == 1


def test_a_cancelled_call_has_no_reply_and_the_next_one_works(port: Upstreams) -> None:
    replies: Queue[ToolReply] = Queue()
    port.start(ToolCall(server="office", tool="hold", args={"key": "k"}), Caller(), replies.put)()
    port.start(call("office"), Caller(), replies.put)
    assert replies.get(timeout=PATIENCE).data == "pong"
    assert replies.empty()


def test_closing_ends_the_thread_and_may_be_repeated(port: Upstreams) -> None:
    replies: Queue[ToolReply] = Queue()
    port.start(call("office"), Caller(), replies.put)
    replies.get(timeout=PATIENCE)
    port.close()
    port.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "upstreams"]


def test_the_port_loads_neither_the_sdk_nor_an_event_loop() -> None:
    script = (
        "import sys, toolcell.upstreams.port;"
        "sys.exit(sorted({'mcp', 'asyncio', 'pydantic', 'sqlite3', 'threading'} & set(sys.modules)) or 0)"
    )
    # What measures coverage in a process loads sqlite3 itself.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stderr) == (0, "")
