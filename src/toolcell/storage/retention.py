"""How much of the past is kept: the oldest records go first, a few at a time, so that no writer waits long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolcell.model.limits import MIB
from toolcell.storage.database import transaction

if TYPE_CHECKING:
    import sqlite3

STEP_ROWS = 200
_FEW_ROWS = 16
_STEP_PAGES = 256
_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """The bounds of the record store: days, records (runs and calls together) and bytes."""

    max_age_days: float = 30
    max_records: int = 200_000
    max_bytes: int = 256 * MIB


def shed(connection: sqlite3.Connection, bounds: Retention, now: float) -> bool:
    """Delete up to ``STEP_ROWS`` rows beyond the bounds; return whether more remains to be deleted.

    Runs go with their calls, the oldest first; what is still running stays. When only running runs are left,
    their oldest finished calls go.
    """
    excess = _excess(connection, bounds, now)
    if excess == 0:
        return False
    with transaction(connection):
        oldest = connection.execute(
            "SELECT id FROM run WHERE status != 'running' ORDER BY started_at LIMIT 1"
        ).fetchone()
        deleted = _shed_run(connection, oldest["id"]) if oldest else _shed_calls(connection, excess)
    # A script, because a statement without columns is left by ``execute`` after its first page.
    connection.executescript(f"PRAGMA incremental_vacuum({_STEP_PAGES})")
    return deleted > 0


def _excess(connection: sqlite3.Connection, bounds: Retention, now: float) -> int:
    """Return how many rows to delete in this step, at most; 0 when the store is within its bounds."""
    used = connection.execute("SELECT records, bytes FROM usage").fetchone()
    if used["records"] > bounds.max_records:
        return min(int(used["records"]) - bounds.max_records, STEP_ROWS)
    if used["bytes"] > bounds.max_bytes:
        return _FEW_ROWS
    oldest = connection.execute(
        "SELECT started_at FROM run WHERE status != 'running' ORDER BY started_at LIMIT 1"
    ).fetchone()
    return STEP_ROWS if oldest is not None and oldest["started_at"] < now - bounds.max_age_days * _DAY else 0


def _shed_run(connection: sqlite3.Connection, run: str) -> int:
    calls = connection.execute(
        "DELETE FROM call WHERE rowid IN (SELECT rowid FROM call WHERE run = ? LIMIT ?) RETURNING bytes",
        (run, STEP_ROWS),
    ).fetchall()
    if len(calls) < STEP_ROWS:
        calls += connection.execute("DELETE FROM run WHERE id = ? RETURNING bytes", (run,)).fetchall()
    return _count_out(connection, calls)


def _shed_calls(connection: sqlite3.Connection, limit: int) -> int:
    calls = connection.execute(
        "DELETE FROM call WHERE rowid IN"
        " (SELECT rowid FROM call WHERE status != 'running' ORDER BY started_at LIMIT ?) RETURNING bytes",
        (limit,),
    ).fetchall()
    return _count_out(connection, calls)


def _count_out(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> int:
    freed = sum(row["bytes"] for row in rows)
    connection.execute("UPDATE usage SET records = records - ?, bytes = bytes - ?", (len(rows), freed))
    return len(rows)
