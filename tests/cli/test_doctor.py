"""``toolcell doctor``: what is wrong and what to do about it, server by server."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from toolcell.cli import checks
from toolcell.cli.checks import Verdict
from toolcell.cli.doctor_command import _MARKS
from toolcell.model.servers import Protocol, ServerSpec

if TYPE_CHECKING:
    from tests.cli.conftest import Site


@pytest.fixture(autouse=True)
def _compiled(site: Site) -> None:
    """Give the data dir the compiled guest of the shared home: compiling takes longer than all else here."""
    cache = site.command.home / ".toolcell" / "cache"
    if not cache.exists():
        assert site.command("code", "exec", "--code", "1").returncode == 0
    (site.folder / "data").mkdir(mode=0o700)
    shutil.copytree(cache, site.folder / "data" / "cache")


WEB = {"name": "web", "url": "http://127.0.0.1:9/mcp"}


def by_name(site: Site) -> tuple[int, dict[str, dict[str, Any]]]:
    done = site.run("doctor", "-o", "json")
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)}


def test_where_all_is_well_each_line_says_ok_and_the_exit_code_is_0(site: Site) -> None:
    done = site.run("doctor")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "ok    python",
        "ok    configuration",
        "ok    code execution",
        "ok    cell",
        "ok    data dir",
        "ok    github",
    ]
    assert "2 tools" in lines[-1]


def test_each_server_says_whether_it_connects_and_what_to_do_if_not(site: Site) -> None:
    site.configure(
        site.github(),
        WEB,
        {"name": "gone", "command": "no-such-command"},
        {"name": "dead", "command": "false"},
        {"name": "off", "command": "false", "enabled": False},
        {"name": "shut", "command": "false", "quarantined": True},
    )
    code, found = by_name(site)
    assert code == 1
    assert {name: found[name]["verdict"] for name in ("github", "web", "gone", "dead", "off", "shut")} == {
        "github": "ok",
        "web": "fail",
        "gone": "fail",
        "dead": "fail",
        "off": "note",
        "shut": "note",
    }
    assert found["web"]["advice"] == "check its url, and that the server runs"
    assert found["gone"]["advice"] == "install the command, or give its full path as command"
    assert found["dead"]["advice"] == "read what it writes with toolcell upstream logs dead"
    assert "enabled" in found["off"]["advice"]
    assert "toolcell upstream approve shut" in found["shut"]["advice"]


def test_tools_that_wait_for_approval_are_counted(site: Site) -> None:
    site.states()
    site.offer({"name": "new", "inputSchema": {"type": "object"}})
    code, found = by_name(site)
    assert code == 0
    assert found["github"]["verdict"] == "note"
    assert found["github"]["found"].endswith("1 wait for approval")
    assert found["github"]["advice"].endswith("toolcell tools approve github")


def test_a_wrong_configuration_is_told_and_the_rest_is_checked_all_the_same(site: Site) -> None:
    site.configure(code_execution_timeout_ms=0)
    code, found = by_name(site)
    assert code == 1
    assert found["configuration"]["verdict"] == "fail"
    assert "code_execution_timeout_ms must be an integer from 1" in found["configuration"]["found"]
    assert found["cell"]["verdict"] == "ok"


def test_code_execution_that_is_off_is_a_note(site: Site) -> None:
    site.configure(enable_code_execution=False)
    code, found = by_name(site)
    assert code == 0
    assert found["code execution"] == {
        "name": "code execution",
        "verdict": "note",
        "found": "off",
        "advice": 'set "enable_code_execution": true in the configuration to run programs',
    }


def test_a_damaged_store_fails_and_no_server_is_asked(site: Site) -> None:
    (site.folder / "data" / "records.sqlite3").write_bytes(b"garbage" * 100)
    code, found = by_name(site)
    assert code == 1
    assert found["data dir"]["verdict"] == "fail"
    assert "github" not in found


def test_a_data_dir_that_others_may_write_to_is_a_note(site: Site) -> None:
    os.chmod(site.folder / "data", 0o777)  # noqa: PTH101, S103  # the fault that is looked for
    assert by_name(site)[1]["data dir"]["verdict"] == "note"


def test_a_warning_about_the_configuration_is_said_once(site: Site) -> None:
    site.configure(unknown_key=1)
    assert site.run("doctor").stderr.count(b"unknown_key") == 1


@pytest.mark.parametrize(
    ("error", "protocol", "advice"),
    [
        ("it did not answer within 30 s", Protocol.STDIO, "init_timeout"),
        ("it answered HTTP 401", Protocol.SSE, "credentials"),
        ("it answered HTTP 404", Protocol.SSE, "path"),
        ("the connection ended", Protocol.STDIO, "toolcell upstream logs x"),
        ("the connection ended", Protocol.SSE, "that the server runs"),
    ],
)
def test_the_advice_fits_the_failure(error: str, protocol: Protocol, advice: str) -> None:
    assert advice in checks._advice(ServerSpec(name="x", protocol=protocol), error)  # noqa: SLF001


def test_every_verdict_has_a_mark() -> None:
    assert set(_MARKS) == set(Verdict)
