# ruff: noqa: S608  # queries are put together from constants of this module; every value is bound
"""Reading the record store: lists, and one run or call in full.

Looking is also when rows of processes that died since are seen to be ``interrupted``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolcell.model.activity import Activity, CallDetail, RunDetail
from toolcell.storage.database import Database
from toolcell.storage.processes import ProcessLocks, interrupt_dead
from toolcell.storage.record_tables import FILE, LOCKS, MIGRATIONS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

    from toolcell.model.activity import ActivityFilter

MAX_CALLS = 1_000
"""Calls shown with their run."""

_SHARED = "tenant, key_id, status, code, message, started_at, finished_at, result_bytes"
_RUNS = (
    "SELECT 'run' AS kind, id, NULL AS parent_id, NULL AS server, NULL AS tool, script, 0 AS number,"
    f" {_SHARED} FROM run"
)
_CALLS = (
    "SELECT 'call' AS kind, run || '/' || number AS id, run AS parent_id, server, tool, NULL AS script, number,"
    f" {_SHARED} FROM call"
)
_NEWEST = "ORDER BY started_at DESC, kind, number DESC"


class ActivityReader:
    """Reads the records in ``folder``; creates the store when there is none yet."""

    def __init__(self, folder: Path) -> None:
        self._connection = Database(folder / FILE, MIGRATIONS).connect()
        self._locks = ProcessLocks(folder / LOCKS)

    def list(self, wanted: ActivityFilter) -> tuple[Activity, ...]:
        """Return the records that the filter lets through, the newest first."""
        interrupt_dead(self._connection, self._locks)
        query, values = _list_query(wanted)
        return tuple(_activity(row) for row in self._connection.execute(query, values))

    def run(self, execution_id: str, tenant: str | None = None) -> RunDetail | None:
        """Return one run, of this tenant if one is given, or ``None``."""
        interrupt_dead(self._connection, self._locks)
        where, values = _where({"id = ?": execution_id, "tenant = ?": tenant})
        row = self._one(f"SELECT * FROM run {where}", values)
        found = self._one(f"{_RUNS} {where}", values)
        if row is None or found is None:
            return None
        return RunDetail(
            activity=_activity(found),
            language=row["language"],
            source=row["source"],
            input_bytes=row["input_bytes"],
            queue_ms=row["queue_ms"],
            fuel=row["fuel"],
            peak_memory_bytes=row["peak_memory_bytes"],
            call_count=self._connection.execute("SELECT count(*) FROM call WHERE run = ?", (execution_id,)).fetchone()[
                0
            ],
            calls=self._calls("WHERE run = ? ORDER BY number LIMIT ?", (execution_id, MAX_CALLS)),
        )

    def call(self, execution_id: str, number: int, tenant: str | None = None) -> CallDetail | None:
        """Return one call of a run, or ``None``."""
        interrupt_dead(self._connection, self._locks)
        calls = self._calls(*_where({"run = ?": execution_id, "number = ?": number, "tenant = ?": tenant}))
        return calls[0] if calls else None

    def runs_beginning(self, prefix: str, limit: int) -> tuple[str, ...]:
        """Return the ids of up to ``limit`` runs that begin with these characters."""
        found = self._connection.execute(
            "SELECT id FROM run WHERE substr(id, 1, ?) = ? ORDER BY started_at DESC LIMIT ?",
            (len(prefix), prefix, limit),
        )
        return tuple(row["id"] for row in found)

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()
        self._locks.close()

    def _calls(self, tail: str, values: Iterable[object]) -> tuple[CallDetail, ...]:
        found = self._connection.execute(_CALLS.replace(" FROM", ", arguments FROM") + f" {tail}", tuple(values))
        return tuple(CallDetail(activity=_activity(row), arguments=row["arguments"]) for row in found)

    def _one(self, query: str, values: Iterable[object]) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._connection.execute(query, tuple(values)).fetchone()
        return row


def _list_query(wanted: ActivityFilter) -> tuple[str, list[object]]:
    """Return the query over both tables: each gives its newest, so that no index is read beyond the limit."""
    conditions = {"tenant = ?": wanted.tenant, "status = ?": wanted.status, "started_at >= ?": wanted.since}
    call_where, call_values = _where(conditions | {"server = ?": wanted.server})
    calls = f"SELECT * FROM ({_CALLS} {call_where} {_NEWEST} LIMIT ?)"
    if wanted.server is not None:
        return calls, [*call_values, wanted.limit]
    run_where, run_values = _where(conditions)
    runs = f"SELECT * FROM ({_RUNS} {run_where} {_NEWEST} LIMIT ?)"
    return f"{calls} UNION ALL {runs} {_NEWEST} LIMIT ?", [
        *call_values,
        wanted.limit,
        *run_values,
        wanted.limit,
        wanted.limit,
    ]


def _where(conditions: dict[str, Any]) -> tuple[str, list[object]]:
    present = {text: value for text, value in conditions.items() if value is not None}
    return f"WHERE {' AND '.join(present)}" if present else "", list(present.values())


def _activity(row: sqlite3.Row) -> Activity:
    return Activity(**{name: row[name] for name in Activity.__dataclass_fields__})
