"""``toolcell activity``: a table for a person, JSON for a program."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING

import pytest

from tests.storage.make import intend, intent, outcome, start
from toolcell.cli.diagnostics import UsageError
from toolcell.cli.report import stores
from toolcell.cli.since import moment
from toolcell.cli.table import table, width
from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode, RunCode
from toolcell.storage.records import Records

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A configuration whose data dir has one run with a call, and one that failed with a refused call."""
    folder = tmp_path / "data"
    times = iter(range(1_000, 2_000))
    records = Records(folder, report=print, now=lambda: float(next(times)))
    records.run_started(start("0193-aaaa", source="call_tool('github', 'get_user', {})\n", script="report"))
    call = intent("0193-aaaa", user="octocat\x1b[31m", token="s3cr3t-s3cr3t")  # noqa: S106
    assert intend(records, call)
    records.call_finished(call, ToolReply(result={}, size_bytes=17))
    records.run_finished(outcome("0193-aaaa"))
    records.run_started(start("0193-bbbb"))
    refused = CallError(code=CallCode.SERVER_NOT_ALLOWED, message="Server 'gitlab' is not in the list")
    records.call_blocked(intent("0193-bbbb", server="gitlab"), refused)
    records.run_finished(outcome("0193-bbbb", code=RunCode.TIMEOUT, message="JavaScript execution timed out"))
    records.close()
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"data_dir": str(folder)}))
    return str(path)


def lines(output: bytes) -> list[list[str]]:
    return [line.split() for line in output.decode().splitlines()]


def test_a_list_is_a_table_with_the_newest_record_first(toolcell: Command, config: str) -> None:
    done = toolcell("activity", "list", "--config", config)
    assert (done.returncode, done.stderr) == (0, b"")
    head, *rows = lines(done.stdout)
    assert head == ["STARTED", "KIND", "STATUS", "MS", "WHAT", "ID", "DETAIL"]
    assert [row[1:3] + row[4:6] for row in rows] == [
        ["call", "blocked", "gitlab.get_user", "0193-bbbb/1"],
        ["run", "error", "inline", "0193-bbbb"],
        ["call", "success", "github.get_user", "0193-aaaa/1"],
        ["run", "success", "report", "0193-aaaa"],
    ]
    assert rows[1][6:] == ["TIMEOUT:", "JavaScript", "execution", "timed", "out"]


def test_a_list_as_json_has_every_field(toolcell: Command, config: str) -> None:
    done = toolcell("activity", "list", "-o", "json", "--server", "github", "--config", config)
    (record,) = json.loads(done.stdout)
    expected = {"kind": "call", "id": "0193-aaaa/1", "server": "github", "tool": "get_user", "result_bytes": 17}
    assert expected.items() <= record.items()


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--status", "error"], ["0193-bbbb"]),
        (["--status", "blocked"], ["0193-bbbb/1"]),
        (["--limit", "1"], ["0193-bbbb/1"]),
        (["--since", "1970-01-01T00:16:44Z"], ["0193-bbbb/1", "0193-bbbb"]),
        (["--since", "7d"], []),
    ],
    ids=str,
)
def test_flags_narrow_the_list(toolcell: Command, config: str, flags: list[str], expected: list[str]) -> None:
    done = toolcell("activity", "list", "-o", "json", "--config", config, *flags)
    assert [record["id"] for record in json.loads(done.stdout)] == expected


def test_an_empty_list_says_so_and_is_an_empty_array_in_json(toolcell: Command, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"data_dir": str(tmp_path / "nothing")}))
    assert toolcell("activity", "list", "--config", str(path)).stdout == b"No records.\n"
    assert toolcell("activity", "list", "-o", "json", "--config", str(path)).stdout == b"[]\n"


def test_a_run_is_shown_with_its_calls_and_its_source_and_without_secrets(toolcell: Command, config: str) -> None:
    done = toolcell("activity", "show", "0193-aaaa", "--config", config)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "\x1b" not in text
    assert "s3cr3t" not in text
    assert "script:       report" in text
    assert "call_tool('github', 'get_user', {})" in text
    assert '{"user":"octocat\\u001b[31m","token":"***"}' in text


def test_a_run_is_found_by_how_its_id_begins_and_a_call_by_its_number(toolcell: Command, config: str) -> None:
    run = json.loads(toolcell("activity", "show", "0193-b", "-o", "json", "--config", config).stdout)
    assert (run["id"], run["code"], run["call_count"]) == ("0193-bbbb", "TIMEOUT", 1)
    call = json.loads(toolcell("activity", "show", "0193-aaaa/1", "-o", "json", "--config", config).stdout)
    assert (call["id"], call["parent_id"], call["arguments"]["token"]) == ("0193-aaaa/1", "0193-aaaa", "***")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "0193"], "several runs begin with '0193': 0193-bbbb, 0193-aaaa"),
        (["show", "zzz"], "there is no record 'zzz'; toolcell activity list shows what there is"),
        (["show", "0193-aaaa/2"], "there is no record '0193-aaaa/2'"),
        (["show", "a/b/c"], "'a/b/c' is not the id of a run or call"),
        (["list", "--status", "sucess"], "--status must be one of running, success"),
        (["list", "--since", "yesterday"], "--since must be a time ago, as in 15m"),
        (["list", "--limit", "0"], "--limit"),
        (["list", "-o", "xml"], "xml"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_sentence_and_exit_2(
    toolcell: Command, config: str, arguments: list[str], sentence: str
) -> None:
    done = toolcell("activity", *arguments, "--config", config)
    assert (done.returncode, done.stdout) == (2, b"")
    assert sentence in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_a_damaged_store_is_one_sentence_and_exit_2(toolcell: Command, config: str, tmp_path: Path) -> None:
    (tmp_path / "data" / "records.sqlite3").write_bytes(b"garbage" * 1000)
    done = toolcell("activity", "list", "--config", config)
    assert done.returncode == 2
    assert done.stderr.startswith(b"toolcell: error: records.sqlite3 in the data dir is damaged")


def test_records_can_be_looked_at_while_another_process_writes(toolcell: Command, config: str, tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "data" / "records.sqlite3", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    done = toolcell("activity", "list", "--config", config)
    holder.close()
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_store_that_stays_locked_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="a store in the data dir cannot be used: database is locked"), stores():
        raise sqlite3.OperationalError("database is locked")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", 910.0),
        ("15m", 100.0),
        ("1h30m", -4400.0),
        ("7d", 1000.0 - 604_800),
        ("1970-01-01", 0.0),
        ("1970-01-01T00:00:10Z", 10.0),
        ("1970-01-01T01:00:10+01:00", 10.0),
        ("1970-01-01T00:00:10", 10.0),
    ],
)
def test_a_moment_is_a_time_ago_or_a_time(text: str, expected: float) -> None:
    assert moment("--since", text, 1000.0) == expected


@pytest.mark.parametrize("text", ["", "m", "15", "15 m", "-1h", "tomorrow", "1970-13-01", "9" * 400 + "d"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--since must be"):
        moment("--since", text, 1000.0)


def test_columns_line_up_whatever_the_script_of_their_text() -> None:
    text = table(("A", "B"), [("日本語", "1"), ("e\u0301", "2"), ("", "3")])
    assert len({width(line[: line.rindex(end)]) for line, end in zip(text.splitlines(), "B123", strict=True)}) == 1


def test_a_cell_cannot_steer_the_terminal_or_break_the_line() -> None:
    assert table(("A",), [("x\x1b[2J\n\u202ey",)]).splitlines() == ["A", "x\\u001b[2J \\u202ey"]
