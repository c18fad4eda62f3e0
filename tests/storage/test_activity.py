"""What was recorded is found again, the newest first, by what one remembers of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storage.make import intend, intent, outcome, start
from toolcell.model.activity import ActivityFilter
from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode, RunCode
from toolcell.storage.activity import MAX_CALLS, ActivityReader
from toolcell.storage.records import Records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REFUSED = CallError(code=CallCode.SERVER_DISABLED, message="off")


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[ActivityReader]:
    """Two runs: one with two calls at 101 and 102, and a failed one at 200 whose call was refused."""
    clock = [100.0]
    records = Records(tmp_path, report=print, now=lambda: clock[0])

    def at(seconds: float) -> None:
        records.flush()
        clock[0] = seconds

    records.run_started(start("run-1", source="call()", script="report"))
    first, second = intent("run-1", 1, user="octocat"), intent("run-1", 2, server="gitlab")
    at(101.0)
    assert intend(records, first)
    records.call_finished(first, ToolReply(result={}, size_bytes=9))
    at(102.0)
    assert intend(records, second)
    at(103.0)
    records.call_finished(second, ToolReply(error=CallError(code=CallCode.TOOL_ERROR, message="no")))
    records.run_finished(outcome("run-1"))
    at(200.0)
    records.run_started(start("run-2"))
    at(201.0)
    records.call_blocked(intent("run-2", 1), REFUSED)
    records.run_finished(outcome("run-2", code=RunCode.TIMEOUT))
    records.close()
    reader = ActivityReader(tmp_path)
    yield reader
    reader.close()


def ids(reader: ActivityReader, **wanted: object) -> list[str]:
    return [record.id for record in reader.list(ActivityFilter(**wanted))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["run-2/1", "run-2", "run-1/2", "run-1/1", "run-1"]),
        ({"limit": 2}, ["run-2/1", "run-2"]),
        ({"server": "github"}, ["run-2/1", "run-1/1"]),
        ({"server": "github", "limit": 1}, ["run-2/1"]),
        ({"server": "nobody"}, []),
        ({"status": "success"}, ["run-1/1", "run-1"]),
        ({"status": "blocked"}, ["run-2/1"]),
        ({"status": "error", "server": "gitlab"}, ["run-1/2"]),
        ({"since": 150.0}, ["run-2/1", "run-2"]),
        ({"tenant": "acme", "since": 150.0, "limit": 1}, ["run-2/1"]),
        ({"tenant": "other"}, []),
    ],
    ids=str,
)
def test_the_filter_lets_through_what_it_says(
    reader: ActivityReader, wanted: dict[str, object], expected: list[str]
) -> None:
    assert ids(reader, **wanted) == expected


def test_a_record_tells_what_when_and_how_long(reader: ActivityReader) -> None:
    call = reader.list(ActivityFilter(server="gitlab"))[0]
    assert call.to_dict() == {
        "kind": "call",
        "id": "run-1/2",
        "parent_id": "run-1",
        "tenant": "acme",
        "key_id": "key-7",
        "status": "error",
        "code": "TOOL_ERROR",
        "message": "no",
        "started_at": "1970-01-01T00:01:42.000Z",
        "finished_at": "1970-01-01T00:01:43.000Z",
        "server": "gitlab",
        "tool": "get_user",
        "result_bytes": 0,
        "wall_ms": 1000.0,
    }


def test_a_run_in_full_has_its_source_figures_and_calls(reader: ActivityReader) -> None:
    detail = reader.run("run-1")
    assert detail is not None
    body = detail.to_dict()
    assert (body["source"], body["script"], body["fuel"], body["call_count"]) == ("call()", "report", 59_000, 2)
    assert [call["arguments"] for call in body["calls"]] == [{"user": "octocat"}, {}]


def test_one_call_in_full_has_its_arguments(reader: ActivityReader) -> None:
    call = reader.call("run-1", 1)
    assert call is not None
    assert call.to_dict()["arguments"] == {"user": "octocat"}
    assert reader.call("run-1", 3) is None


def test_another_tenant_finds_nothing(reader: ActivityReader) -> None:
    assert reader.run("run-1", tenant="other") is None
    assert reader.call("run-1", 1, tenant="other") is None
    assert reader.run("run-1", tenant="acme") is not None


def test_runs_are_found_by_the_beginning_of_their_id(reader: ActivityReader) -> None:
    assert reader.runs_beginning("run-", 5) == ("run-2", "run-1")
    assert reader.runs_beginning("run-1", 5) == ("run-1",)
    assert reader.runs_beginning("run_", 5) == ()
    assert reader.runs_beginning("%", 5) == ()


def test_without_a_store_there_is_nothing_to_list(tmp_path: Path) -> None:
    reader = ActivityReader(tmp_path / "new")
    assert reader.list(ActivityFilter()) == ()
    assert reader.run("run-1") is None
    reader.close()


def test_a_run_that_died_since_reads_interrupted_when_it_is_looked_at(tmp_path: Path) -> None:
    reader = ActivityReader(tmp_path)
    records = Records(tmp_path, report=print)
    records.run_started(start("run-1"))
    records.flush()
    assert [record.status for record in reader.list(ActivityFilter())] == ["running"]
    records.close()
    assert [record.status for record in reader.list(ActivityFilter())] == ["interrupted"]
    reader.close()


def test_of_very_many_calls_the_first_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    records = Records(tmp_path, report=print)
    records.run_started(start("run-1"))
    for number in range(1, MAX_CALLS + 6):
        records.call_blocked(intent("run-1", number), REFUSED)
    records.close()
    reader = ActivityReader(tmp_path)
    detail = reader.run("run-1")
    assert detail is not None
    assert (len(detail.calls), detail.call_count) == (MAX_CALLS, MAX_CALLS + 5)
    reader.close()
