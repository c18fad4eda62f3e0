"""The record store stays within its bounds, and the oldest goes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage.make import intend, intent, outcome, rows, start
from toolcell.model.calls import CallError
from toolcell.model.codes import CallCode
from toolcell.storage.records import Records
from toolcell.storage.retention import STEP_ROWS, Retention

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

DAY = 86_400
REFUSED = CallError(code=CallCode.SERVER_DISABLED, message="off")


class Clock:
    """A time of day that a test sets."""

    def __init__(self) -> None:
        self.at = 1_000_000.0

    def __call__(self) -> float:
        return self.at


def run(records: Records, name: str, calls: int = 0) -> None:
    records.run_started(start(name))
    for number in range(1, calls + 1):
        records.call_blocked(intent(name, number), REFUSED)
    records.run_finished(outcome(name))


def names(folder: Path) -> list[str]:
    return [row["id"] for row in rows(folder, "SELECT id FROM run ORDER BY started_at, rowid")]


def settle(records: Records) -> None:
    """Close when nothing is left to write or to delete."""
    records.flush()
    records.close()


def used(folder: Path) -> tuple[int, int]:
    (row,) = rows(folder, "SELECT * FROM usage")
    return row["records"], row["bytes"]


def test_beyond_the_number_of_records_the_oldest_runs_go_with_their_calls(tmp_path: Path) -> None:
    clock = Clock()
    records = Records(tmp_path, report=print, retention=Retention(max_records=6), now=clock)
    for number in range(4):
        clock.at += 1
        run(records, f"run-{number}", calls=2)
        records.flush()
    settle(records)
    assert names(tmp_path) == ["run-2", "run-3"]
    assert {row["run"] for row in rows(tmp_path, "SELECT run FROM call")} == {"run-2", "run-3"}
    assert used(tmp_path)[0] == 6


def test_records_older_than_the_bound_go_when_something_is_written(tmp_path: Path) -> None:
    clock = Clock()
    records = Records(tmp_path, report=print, retention=Retention(max_age_days=30), now=clock)
    run(records, "old", calls=1)
    clock.at += 30 * DAY
    run(records, "edge")
    records.flush()
    assert names(tmp_path) == ["old", "edge"]
    clock.at += 1
    run(records, "new")
    settle(records)
    assert names(tmp_path) == ["edge", "new"]
    assert rows(tmp_path, "SELECT * FROM call") == []


def test_a_running_run_stays_while_finished_ones_are_there(tmp_path: Path) -> None:
    records = Records(tmp_path, report=print, retention=Retention(max_records=2), now=Clock())
    records.run_started(start("open"))
    for number in range(4):
        run(records, f"run-{number}")
    settle(records)
    assert names(tmp_path) == ["open", "run-3"]


def test_one_run_that_makes_calls_without_end_keeps_its_newest_ones(tmp_path: Path) -> None:
    clock = Clock()
    records = Records(tmp_path, report=print, retention=Retention(max_records=50), now=clock)
    records.run_started(start("loop"))
    open_call = intent("loop", 1)
    assert intend(records, open_call)
    for number in range(2, 1_000):
        clock.at += 1
        records.call_blocked(intent("loop", number), REFUSED)
    settle(records)
    kept = rows(tmp_path, "SELECT number, status FROM call ORDER BY number")
    assert kept[0] == {"number": 1, "status": "running"}
    assert kept[-1]["number"] == 999
    assert used(tmp_path)[0] <= 50
    assert names(tmp_path) == ["loop"]


def test_no_step_deletes_more_than_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = Records(tmp_path, report=print, now=Clock())
    run(records, "big", calls=STEP_ROWS + 5)
    settle(records)
    shares: list[int] = []
    from toolcell.storage import retention  # noqa: PLC0415  # to count what it deletes

    counted = retention._count_out  # noqa: SLF001

    def count(connection: object, deleted: list[object]) -> int:
        shares.append(len(deleted))
        return counted(connection, deleted)  # type: ignore[arg-type]

    monkeypatch.setattr(retention, "_count_out", count)
    settle(Records(tmp_path, report=print, retention=Retention(max_records=0), now=Clock()))
    assert shares == [STEP_ROWS, 6]
    assert used(tmp_path) == (0, 0)


def test_the_file_shrinks_when_records_go(tmp_path: Path) -> None:
    records = Records(tmp_path, report=print, now=Clock())
    for number in range(40):
        records.run_started(start(f"run-{number}", source="x" * 100_000))
        records.run_finished(outcome(f"run-{number}"))
    settle(records)
    before = (tmp_path / "records.sqlite3").stat().st_size
    settle(Records(tmp_path, report=print, retention=Retention(max_bytes=200_000), now=Clock()))
    assert before > 4_000_000
    assert (tmp_path / "records.sqlite3").stat().st_size < 400_000
    assert names(tmp_path) == ["run-39"]


@settings(max_examples=15, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 5_000), min_size=1, max_size=12),
    bound=st.integers(500, 20_000),
    limit=st.integers(1, 20),
)
def test_whatever_is_recorded_the_bounds_hold_and_the_usage_is_what_is_there(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], bound: int, limit: int
) -> None:
    folder, clock = tmp_path_factory.mktemp("records"), Clock()
    records = Records(folder, report=print, retention=Retention(max_bytes=bound, max_records=limit), now=clock)
    for number, size in enumerate(sizes):
        clock.at += 1
        records.run_started(start(f"run-{number}", source="x" * size))
        records.call_blocked(intent(f"run-{number}"), REFUSED)
        records.run_finished(outcome(f"run-{number}"))
    settle(records)
    count, size = used(folder)
    (runs,) = rows(folder, "SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM run")
    (calls,) = rows(folder, "SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM call")
    assert (runs["n"] + calls["n"], runs["bytes"] + calls["bytes"]) == (count, size)
    assert size <= bound
    assert count <= limit
