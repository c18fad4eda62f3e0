"""The record store: ``RecordPort`` over SQLite (spec 8).

A run and each of its calls is one row that is written when it starts and updated when it ends. A row whose
process died before the end reads ``interrupted``. Arguments, sources and messages are masked and bounded.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toolcell.model.activity import Status
from toolcell.storage.database import Database, insert, update
from toolcell.storage.masking import Masking
from toolcell.storage.processes import ProcessLocks, enrol
from toolcell.storage.record_tables import FILE, LOCKS, MIGRATIONS
from toolcell.storage.retention import Retention, shed
from toolcell.storage.rows import Row, Rows
from toolcell.storage.writer import Entry, Writer

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from toolcell.model.calls import CallError, ToolReply
    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart

_OPEN_CALL = "run = :run AND number = :number AND status = 'running'"


class Records:
    """Keeps records in ``folder``. ``secrets`` are never stored; ``report`` hears of what cannot be written."""

    def __init__(
        self,
        folder: Path,
        *,
        report: Callable[[str], None],
        secrets: Iterable[str] = (),
        retention: Retention | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._rows = Rows(Masking(secrets))
        self._retention = retention or Retention()
        self._now = now
        database = Database(folder / FILE, MIGRATIONS)
        connection = database.connect()
        self._locks = ProcessLocks(folder / LOCKS)
        self._process = enrol(connection, self._locks, now())
        self._writer = Writer(connection, tidy=self._tidy, report=report)

    def run_started(self, run: RunStart) -> None:
        """Record that a run starts."""
        at = self._now()
        self._add(lambda connection: self._insert(connection, "run", self._rows.run(run) | {"started_at": at}))

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Record a call that is about to be sent; ``then`` hears, from the writer's thread, if that is durable."""
        at = self._now()

        def work(connection: sqlite3.Connection) -> None:
            self._insert(connection, "call", self._rows.call(intent) | {"started_at": at})

        self._writer.add(Entry(work=work, then=then))

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        """Record a call that was refused before it was intended."""
        end = {"started_at": self._now(), "finished_at": self._now()}

        def work(connection: sqlite3.Connection) -> None:
            self._insert(connection, "call", self._rows.call(intent) | self._rows.blocked(error) | end)

        self._add(work)

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        """Record the reply to an intended call."""
        at = self._now()
        row = self._rows.call_end(intent, reply) | {"finished_at": at}

        def work(connection: sqlite3.Connection) -> None:
            if not reply.dispatched and not _is_known(connection, row):  # its intent could not be kept
                self._insert(connection, "call", self._rows.call(intent) | row | {"started_at": at})
            else:
                update(connection, "call", row, _OPEN_CALL)

        self._add(work)

    def run_finished(self, outcome: Outcome) -> None:
        """Record how a run ended; its calls without a reply become ``cancelled``."""
        row = self._rows.run_end(outcome) | {"finished_at": self._now()}
        calls = {"run": outcome.execution_id, "status": Status.CANCELLED, "finished_at": row["finished_at"]}

        def work(connection: sqlite3.Connection) -> None:
            update(connection, "run", row, "id = :id")
            update(connection, "call", calls, "run = :run AND +status = 'running'")

        self._add(work)

    def flush(self) -> None:
        """Return when everything recorded so far is written."""
        self._writer.flush()

    def close(self) -> None:
        """Write what is left and let the file go; safe to repeat."""
        self._writer.close()
        self._locks.close()

    def _add(self, work: Callable[[sqlite3.Connection], None]) -> None:
        self._writer.add(Entry(work=work))

    def _insert(self, connection: sqlite3.Connection, table: str, row: dict[str, object]) -> None:
        insert(connection, table, {**row, "process": self._process})
        connection.execute("UPDATE usage SET records = records + 1, bytes = bytes + :bytes", row)

    def _tidy(self, connection: sqlite3.Connection) -> bool:
        return shed(connection, self._retention, self._now())


def _is_known(connection: sqlite3.Connection, row: Row) -> bool:
    return connection.execute("SELECT 1 FROM call WHERE run = :run AND number = :number", row).fetchone() is not None
