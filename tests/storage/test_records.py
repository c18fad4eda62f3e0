"""Runs and calls as they are kept: spec 8."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.storage.make import intend, intent, outcome, rows, start
from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode, RunCode
from toolcell.storage.records import Records

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def complaints() -> list[str]:
    return []


@pytest.fixture
def records(tmp_path: Path, complaints: list[str]) -> Iterator[Records]:
    records = Records(tmp_path, report=complaints.append, secrets=["hunter2-hunter2"], now=lambda: 1_000.0)
    yield records
    records.close()
    assert complaints == []


def test_a_run_is_one_row_from_its_start_to_its_end(records: Records, tmp_path: Path) -> None:
    records.run_started(start(source="return 'hunter2-hunter2'", script="report"))
    records.flush()
    assert rows(tmp_path, "SELECT id, status, source, script FROM run") == [
        {"id": "run-1", "status": "running", "source": "return '***'", "script": "report"}
    ]
    records.run_finished(outcome())
    records.flush()
    (row,) = rows(tmp_path, "SELECT * FROM run")
    expected = {"status": "success", "tenant": "acme", "key_id": "key-7", "fuel": 59_000, "result_bytes": 2}
    assert expected.items() <= row.items()
    assert (row["started_at"], row["finished_at"], row["code"]) == (1_000.0, 1_000.0, None)


@pytest.mark.parametrize(
    ("code", "status"),
    [(RunCode.TIMEOUT, "error"), (RunCode.RUNTIME_ERROR, "error"), (RunCode.CANCELLED, "cancelled")],
)
def test_a_failed_run_keeps_its_code_and_masked_message(
    records: Records, tmp_path: Path, code: RunCode, status: str
) -> None:
    records.run_started(start())
    records.run_finished(outcome(code=code, message="refused hunter2-hunter2"))
    records.flush()
    assert rows(tmp_path, "SELECT status, code, message FROM run") == [
        {"status": status, "code": code.value, "message": "refused ***"}
    ]


def test_an_intent_is_on_disk_when_it_is_acknowledged(records: Records, tmp_path: Path) -> None:
    seen: list[list[dict[str, object]]] = []
    told = threading.Event()

    def then(_durable: bool) -> None:  # noqa: FBT001
        seen.append(rows(tmp_path, "SELECT status, arguments FROM call"))
        told.set()

    records.intend(intent(user="octocat", token="abc123456"), then)  # noqa: S106
    assert told.wait(60)
    assert seen == [[{"status": "running", "arguments": '{"user":"octocat","token":"***"}'}]]


REFUSED = CallError(code=CallCode.TOOL_CHANGED, message="changed")
FAILED = CallError(code=CallCode.TOOL_ERROR, message="no such user")


@pytest.mark.parametrize(
    ("reply", "status", "code"),
    [
        (ToolReply(result={}, data=1, size_bytes=17), "success", None),
        (ToolReply(error=FAILED, size_bytes=17), "error", "TOOL_ERROR"),
        (ToolReply(error=REFUSED, dispatched=False, size_bytes=17), "blocked", "TOOL_CHANGED"),
    ],
    ids=["ok", "error", "refused late"],
)
def test_a_reply_ends_its_call(
    records: Records, tmp_path: Path, reply: ToolReply, status: str, code: str | None
) -> None:
    call = intent()
    assert intend(records, call)
    records.call_finished(call, reply)
    records.flush()
    assert rows(tmp_path, "SELECT status, code, result_bytes, finished_at FROM call") == [
        {"status": status, "code": code, "result_bytes": 17, "finished_at": 1_000.0}
    ]


def test_a_refused_call_is_recorded_as_blocked(records: Records, tmp_path: Path) -> None:
    records.call_blocked(intent(server="gitlab"), CallError(code=CallCode.SERVER_NOT_ALLOWED, message="not allowed"))
    records.flush()
    assert rows(tmp_path, "SELECT server, status, code, message FROM call") == [
        {"server": "gitlab", "status": "blocked", "code": "SERVER_NOT_ALLOWED", "message": "not allowed"}
    ]


def test_the_end_of_a_run_cancels_its_open_calls_and_no_late_reply_undoes_that(
    records: Records, tmp_path: Path
) -> None:
    records.run_started(start())
    done, late, foreign = intent(number=1), intent(number=2), intent("run-2")
    assert all(intend(records, call) for call in (done, late, foreign))
    records.call_finished(done, ToolReply(result={}))
    records.run_finished(outcome(code=RunCode.TIMEOUT))
    records.call_finished(late, ToolReply(result={}))
    records.flush()
    found = rows(tmp_path, "SELECT run, number, status FROM call ORDER BY run, number")
    assert [row["status"] for row in found] == ["success", "cancelled", "running"]


def test_what_cannot_be_text_in_utf8_is_recorded_all_the_same(records: Records, tmp_path: Path) -> None:
    assert intend(records, intent(server="s\ud800", text="\udfff"))
    assert rows(tmp_path, "SELECT server, arguments FROM call") == [{"server": "s?", "arguments": '{"text":"?"}'}]


def test_the_files_are_their_users_alone(records: Records, tmp_path: Path) -> None:
    assert intend(records, intent())
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}, modes
    assert {"records.sqlite3", "records.sqlite3-wal", "records.locks"} <= set(modes)


def test_an_entry_that_cannot_be_written_is_reported_and_spoils_no_other(tmp_path: Path) -> None:
    complaints: list[str] = []
    records = Records(tmp_path, report=complaints.append)
    assert intend(records, intent(number=1))
    assert not intend(records, intent(number=1))
    assert intend(records, intent(number=2))
    records.close()
    assert rows(tmp_path, "SELECT number FROM call") == [{"number": 1}, {"number": 2}]
    assert len(complaints) == 1
    assert "UNIQUE" in complaints[0]


def test_entries_that_fail_in_one_batch_leave_the_rest_of_it_written(tmp_path: Path) -> None:
    complaints: list[str] = []
    records = Records(tmp_path, report=complaints.append)
    answers: list[bool] = []
    blocker = threading.Event()

    def block(_durable: bool) -> None:  # noqa: FBT001
        blocker.wait(60)

    records.intend(intent(number=1), block)
    for number in (2, 2, 3):
        records.intend(intent(number=number), answers.append)
    blocker.set()
    records.close()
    assert answers == [True, False, True]


def test_on_a_full_disk_an_intent_is_refused_and_an_end_is_written_when_there_is_room(
    tmp_path: Path, complaints: list[str]
) -> None:
    records = Records(tmp_path, report=complaints.append)
    call = intent()
    assert intend(records, call)
    connection = records._writer._connection  # noqa: SLF001  # a disk that is full
    size = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {size}")
    big = {f"k{number}": "x" * 1000 for number in range(60)}
    assert not intend(records, intent(number=2, **big))
    records.call_finished(call, ToolReply(result={}))
    records.call_finished(intent(number=2), ToolReply(error=REFUSED, dispatched=False))
    assert complaints == ["records cannot be written: database or disk is full"]
    connection.execute("PRAGMA max_page_count = 1073741823")
    assert intend(records, intent(number=3, **big))
    records.close()
    found = rows(tmp_path, "SELECT number, status FROM call ORDER BY number")
    assert [row["status"] for row in found] == ["success", "blocked", "running"]


def test_while_another_process_holds_the_file_ends_wait_for_it(
    tmp_path: Path, complaints: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolcell.storage.database.BUSY_MS", 1)
    records = Records(tmp_path, report=complaints.append)
    call = intent()
    assert intend(records, call)
    holder = sqlite3.connect(tmp_path / "records.sqlite3", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    records.call_finished(call, ToolReply(result={}))
    assert not intend(records, intent(number=2))
    assert complaints == ["records cannot be written: database is locked"]
    holder.execute("ROLLBACK")
    holder.close()
    records.close()
    assert rows(tmp_path, "SELECT status FROM call") == [{"status": "success"}]


def test_after_close_an_intent_is_refused(tmp_path: Path, complaints: list[str]) -> None:
    records = Records(tmp_path, report=complaints.append)
    records.close()
    assert not intend(records, intent())


def test_a_caller_that_fails_does_not_stop_the_writer(tmp_path: Path, complaints: list[str]) -> None:
    records = Records(tmp_path, report=complaints.append)

    def then(_durable: bool) -> None:  # noqa: FBT001
        raise LookupError("gone")

    records.intend(intent(number=1), then)
    assert intend(records, intent(number=2))
    records.close()
    assert complaints == ["after a call was recorded: LookupError: gone"]


def test_calls_recorded_from_within_an_acknowledgement_do_not_wait_for_themselves(
    tmp_path: Path, complaints: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolcell.storage.writer.MAX_WAITING", 1)
    records = Records(tmp_path, report=complaints.append)
    told = threading.Event()

    def then(_durable: bool) -> None:  # noqa: FBT001
        for number in range(2, 5):
            records.call_blocked(intent(number=number), REFUSED)
        told.set()

    records.intend(intent(number=1), then)
    assert told.wait(60)
    records.close()
    assert len(rows(tmp_path, "SELECT 1 FROM call")) == 4


def test_many_threads_record_at_once_and_every_call_is_there_once(
    tmp_path: Path, complaints: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolcell.storage.writer.MAX_WAITING", 8)
    records = Records(tmp_path, report=complaints.append)

    def work(run: str) -> None:
        for number in range(25):
            call = intent(run, number)
            assert intend(records, call)
            records.call_finished(call, ToolReply(result={}))

    threads = [threading.Thread(target=work, args=(f"run-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records.close()
    assert rows(tmp_path, "SELECT status, count(*) AS n FROM call GROUP BY status") == [{"status": "success", "n": 200}]
    assert complaints == []


def test_intents_that_wait_together_share_one_commit(tmp_path: Path, complaints: list[str]) -> None:
    records = Records(tmp_path, report=complaints.append)
    statements: list[str] = []
    held, begun = threading.Event(), threading.Event()
    told = threading.Semaphore(0)

    def hold(_durable: bool) -> None:  # noqa: FBT001
        begun.set()
        held.wait(60)
        records._writer._connection.set_trace_callback(statements.append)  # noqa: SLF001  # on the writer's thread

    records.intend(intent(number=0), hold)
    assert begun.wait(60)
    for number in range(1, 51):
        records.intend(intent(number=number), lambda _durable: told.release())
    held.set()
    assert all(told.acquire(timeout=60) for _ in range(50))
    records.close()
    assert statements.count("COMMIT") == 1
    assert sum(statement.startswith("INSERT INTO call") for statement in statements) == 50


def test_an_intent_is_synced_and_an_end_is_not(tmp_path: Path, complaints: list[str]) -> None:
    records = Records(tmp_path, report=complaints.append)
    assert intend(records, intent())
    connection = records._writer._connection  # noqa: SLF001
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    records.call_finished(intent(), ToolReply(result={}))
    records.flush()
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 1
    assert intend(records, intent(number=2))
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    records.close()


def test_rows_of_a_process_that_is_gone_read_interrupted_and_those_of_a_living_one_stay(tmp_path: Path) -> None:
    living = Records(tmp_path, report=print)
    living.run_started(start("alive"))
    assert intend(living, intent("alive"))
    gone = Records(tmp_path, report=print)
    gone.run_started(start("dead"))
    assert intend(gone, intent("dead"))
    gone.close()
    Records(tmp_path, report=print).close()
    assert rows(tmp_path, "SELECT id, status FROM run ORDER BY id") == [
        {"id": "alive", "status": "running"},
        {"id": "dead", "status": "interrupted"},
    ]
    assert rows(tmp_path, "SELECT run, status FROM call ORDER BY run") == [
        {"run": "alive", "status": "running"},
        {"run": "dead", "status": "interrupted"},
    ]
    living.close()


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        Records(tmp_path, report=print).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
