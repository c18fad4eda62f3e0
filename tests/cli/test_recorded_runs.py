"""What ``code exec`` leaves on record: every call once, with what became of it, whatever ended the run."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import PATIENCE
from toolcell.storage.approvals import ApprovalStore
from toolcell.upstreams.quarantine import define

if TYPE_CHECKING:
    from tests.cli.conftest import Site

ANY = {"type": "object"}
HANG = 'call_tool("github", "hang", {})'
MIXED = """
let seen = [];
let state = 7;
const tools = ["ok", "fail", "nope"], servers = ["github", "github", "github", "off", "gone", "elsewhere"];
for (let round = 0; round < 12; round++) {
  const batch = [];
  for (let i = 0; i < 25; i++) {
    state = (state * 1103515245 + 12345) % 2147483648;
    batch.push({server: servers[state % 6], tool: tools[(state >> 8) % 3], args: {round, i}});
  }
  const replies = call_tools(batch, {max_parallel: 8});
  batch.forEach(({server, tool}, i) => seen.push([server, tool, replies[i].ok ? "ok" : replies[i].error.code]));
}
seen
"""
STATUS = {"ok": "success", "TOOL_ERROR": "error"}


@pytest.fixture
def site(site: Site) -> Site:
    """A server that answers, fails and hangs, one that is off, and one that is allowed to nobody here."""
    site.offer(*({"name": name, "inputSchema": ANY} for name in ("ok", "fail", "hang")))
    site.configure(
        site.github(env={"GITHUB_TOKEN": "c4n4ry-env-0123"}),
        {"name": "off", "command": "false", "enabled": False},
        {"name": "elsewhere", "command": "false"},
    )
    return site


def start(site: Site, code: str) -> subprocess.Popen[bytes]:
    argv = site.command.argv("code", "exec", "--code", code, "--config", str(site.folder / "config.json"))
    return subprocess.Popen(argv, env=site.command.environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_for_call(site: Site, process: subprocess.Popen[bytes]) -> None:
    """Return when the server has got a call."""
    calls = site.folder / "tools.calls"
    deadline = time.monotonic() + PATIENCE
    while not calls.exists() or not calls.read_text():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def statuses(site: Site) -> dict[str, str]:
    return {record["kind"]: record["status"] for record in site.json("activity", "list")}


def test_every_call_of_a_program_is_on_record_once_with_what_it_was_told(site: Site) -> None:
    done = site.run("code", "exec", "--code", MIXED, "--allowed-servers", "github,off,gone")
    answer = json.loads(done.stdout)
    assert answer["ok"], answer
    told = Counter((server, tool, STATUS.get(code, "blocked"), code) for server, tool, code in answer["value"])
    run = site.json("activity", "show", answer["execution_id"])
    kept = Counter((c["server"], c["tool"], c["status"], c.get("code", "ok")) for c in run["calls"])
    assert kept == told
    assert {"ok", "TOOL_ERROR", "TOOL_NOT_FOUND", "SERVER_DISABLED", "SERVER_NOT_FOUND", "SERVER_NOT_ALLOWED"} == {
        code for *_, code in kept
    }
    received = Counter((site.folder / "tools.calls").read_text().split())
    assert received == Counter(c["tool"] for c in run["calls"] if c["status"] in {"success", "error"})
    numbers = {(c["arguments"]["round"], c["arguments"]["i"]): int(c["id"].rpartition("/")[2]) for c in run["calls"]}
    assert sorted(numbers.values()) == list(range(1, 301))
    assert [numbers[place] for place in sorted(numbers)] == sorted(numbers.values())
    assert (run["status"], run["source"]) == ("success", MIXED)


def test_a_run_that_was_killed_reads_interrupted_and_so_does_its_call(site: Site) -> None:
    process = start(site, HANG)
    wait_for_call(site, process)
    assert statuses(site) == {"run": "running", "call": "running"}
    process.kill()
    process.communicate()
    assert statuses(site) == {"run": "interrupted", "call": "interrupted"}


def test_a_call_that_was_out_at_the_deadline_reads_cancelled(site: Site) -> None:
    done = site.run("code", "exec", "--code", f"call_tool('github', 'ok', {{}}); {HANG}", "--timeout", "8000")
    answer = json.loads(done.stdout)
    assert answer["error"]["code"] == "TIMEOUT"
    run = site.json("activity", "show", answer["execution_id"])
    assert (run["status"], run["code"]) == ("error", "TIMEOUT")
    assert [call["status"] for call in run["calls"]] == ["success", "cancelled"]


def test_a_run_that_its_caller_left_reads_cancelled(site: Site) -> None:
    process = start(site, HANG)
    wait_for_call(site, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert statuses(site) == {"run": "cancelled", "call": "cancelled"}


def test_no_secret_is_on_record_wherever_a_program_has_it_from(site: Site) -> None:
    code = """
    const token = "c4n4ry-source-0123";
    call_tool("github", "ok", {password: "c4n4ry-name-0123", note: "Bearer c4n4ry-bearer-0123"});
    call_tool("github", "ok", {url: "https://me:c4n4ry-url-0123@host/?api_key=c4n4ry-query-0123"});
    call_tool("github", "ok", {deep: [{said: "it is c4n4ry-env-0123!"}]});
    throw new Error("c4n4ry-env-0123");
    """
    assert site.run("code", "exec", "--code", code).returncode == 1
    files = [path.read_bytes() for path in (site.folder / "data").iterdir() if path.name.startswith("records")]
    shown: Any = [site.json("activity", "list"), site.json("activity", "show", "0")]
    assert len(shown[1]["calls"]) == 3
    assert "c4n4ry" not in json.dumps(shown)
    assert "***" in json.dumps(shown)
    assert not any(b"c4n4ry" in content for content in files)


LOOP = """
let calls = 0, reply;
do { reply = call_tool("github", "ok", {}); calls++ } while (reply.ok);
[reply.error.code, calls]
"""


@pytest.mark.parametrize(
    ("change", "code"),
    [("quarantine", "SERVER_QUARANTINED"), ("redefine", "TOOL_CHANGED")],
)
def test_a_decision_made_elsewhere_stops_a_run_at_its_next_call(site: Site, change: str, code: str) -> None:
    """Hostile case H70: the state counts at each dispatch, whoever changed it."""
    process = start(site, LOOP)
    wait_for_call(site, process)
    if change == "quarantine":
        assert site.run("upstream", "quarantine", "github").returncode == 0
    else:
        store = ApprovalStore(site.folder / "data")
        store.approve_tool("github", define({"name": "ok", "description": "another one"}))
        store.close()
    answer = json.loads(process.communicate(timeout=PATIENCE)[0])
    assert answer["value"][0] == code
    run = site.json("activity", "show", answer["execution_id"])
    assert run["call_count"] == answer["value"][1]
    (blocked,) = site.json("activity", "list", "--status", "blocked")
    assert (blocked["code"], blocked["id"]) == (code, f"{run['id']}/{run['call_count']}")
