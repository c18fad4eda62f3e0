"""``code exec`` with configured servers: connected when called, gone with the process, whatever ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import PATIENCE
from tests.servers.started import SERVERS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command


@pytest.fixture
def config(toolcell: Command, tmp_path: Path) -> Path:
    """One server that works and one that writes a file when it is started."""
    office = {"name": "office", "command": sys.executable, "args": [str(SERVERS / "office.py"), "stdio"]}
    bad = {"name": "bad", "command": sys.executable, "args": [str(SERVERS / "hostile_stdio.py"), "--lingers"]}
    tell = {"name": "unused", "command": "/bin/sh", "args": ["-c", f"touch {tmp_path}/started"]}
    path = tmp_path / "mcp_config.json"
    settings = {
        "enable_code_execution": True,
        "data_dir": str(toolcell.home / ".toolcell"),
        "mcpServers": [office, bad, tell],
    }
    path.write_text(json.dumps(settings))
    return path


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid: int) -> bool:
    """Return whether the process ends in all patience."""
    end = time.monotonic() + PATIENCE
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def answer(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def test_only_the_servers_that_are_called_are_started(toolcell: Command, config: Path) -> None:
    program = "call_tool('office', 'get_user', {username: 'octocat'}).data.name"
    done = toolcell("code", "exec", "--config", str(config), "--code", program)
    assert answer(done)["value"] == "The Octocat"
    assert (done.returncode, done.stderr) == (0, b"")
    assert not (config.parent / "started").exists()


def test_a_program_without_calls_loads_neither_sdk_nor_store(toolcell: Command, config: Path) -> None:
    script = (
        "import sys; from toolcell.cli.entry import run;"
        f"run(['code', 'exec', '--config', {str(config)!r}, '--code', '1+1']);"
        "sys.stderr.write(' '.join(sorted({'mcp', 'asyncio', 'sqlite3', 'typer'} & set(sys.modules))))"
    )
    # What measures coverage in a process loads sqlite3 itself.
    environ = {name: value for name, value in toolcell.environ().items() if not name.startswith("COVERAGE_")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, env=environ)
    assert answer(done)["value"] == 2
    assert done.stderr == b""


def test_a_child_that_does_not_want_to_end_is_gone_when_the_command_is(toolcell: Command, config: Path) -> None:
    program = "call_tool('bad', 'environment').data.pid"
    pid = answer(toolcell("code", "exec", "--config", str(config), "--code", program))["value"]
    assert not alive(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux")
def test_a_child_is_gone_when_the_command_is_killed_outright(toolcell: Command, config: Path, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = f"call_tool('bad', 'tell_pid', {{path: {json.dumps(str(pid_file))}}}); call_tool('bad', 'silent')"
    argv = toolcell.argv("code", "exec", "--config", str(config), "--code", program)
    with subprocess.Popen(
        argv, env=toolcell.environ(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as command:
        end = time.monotonic() + PATIENCE
        while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < end:
            time.sleep(0.02)
        pid = int(pid_file.read_text())
        assert alive(pid)
        command.send_signal(signal.SIGKILL)
    assert gone(pid)


def test_a_timeout_names_what_was_in_flight_and_leaves_nothing_behind(toolcell: Command, config: Path) -> None:
    program = "const pid = call_tool('bad', 'environment').data.pid; console.log(pid); call_tool('bad', 'silent')"
    done = toolcell("code", "exec", "--config", str(config), "--timeout", "8000", "--code", program)
    body = answer(done)
    assert body["error"]["code"] == "TIMEOUT"
    assert body["error"]["message"].endswith("in flight, with unknown effect: bad.silent")
    assert [call["tool"] for call in body["calls"]] == ["environment"]
    assert not alive(int(body["logs"][0]))


def test_what_was_called_is_on_record(toolcell: Command, config: Path) -> None:
    program = "call_tool('office', 'ping'); call_tool('office', 'pong'); 1"
    run = answer(toolcell("code", "exec", "--config", str(config), "--code", program))["execution_id"]
    shown = toolcell("activity", "show", run, "--config", str(config), "-o", "json")
    statuses = [(call["tool"], call["status"]) for call in json.loads(shown.stdout)["calls"]]
    assert statuses == [("ping", "success"), ("pong", "blocked")]
