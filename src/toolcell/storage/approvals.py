"""The approval store: ``ApprovalPort`` over SQLite (spec 7).

It keeps what was decided and what each server listed last, and decides nothing itself. Each decision is one
transaction, synced to disk before it is acknowledged, and counts at once in every process: a reader looks at
the file's version, which another process's commit changes, before it trusts what it has read.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolcell.model.approval import Approvals, ServerDecision, ToolDefinition
from toolcell.storage.database import Database, transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

FILE = "approvals.sqlite3"

_MIGRATIONS = (
    """
    CREATE TABLE server (name TEXT PRIMARY KEY, decision TEXT, decided_at REAL, baseline_at REAL, listed_at REAL);
    CREATE TABLE approved (
        server TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, definition TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (server, tool)
    );
    CREATE TABLE listed (
        server TEXT NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL, definition TEXT NOT NULL,
        PRIMARY KEY (server, tool)
    )
    """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool as its server listed it last, and the definition that is approved, if any is."""

    server: str
    listed: ToolDefinition
    approved: ToolDefinition | None


class ApprovalStore:
    """Keeps decisions in ``folder``; any thread may use it."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._connection = Database(folder / FILE, _MIGRATIONS).connect()
        self._lock = threading.Lock()
        self._now = now
        self._version = -1
        self._known: dict[str, Approvals] = {}

    def of(self, server: str) -> Approvals:
        """Return what is decided now, also by another process."""
        with self._lock:
            return self._of(server)

    def listed(self, server: str, tools: Iterable[ToolDefinition], *, trusted: bool) -> Approvals:
        """Keep the complete list of what a server offers; the first one of a trusted server is its baseline."""
        rows = [(server, _storable(tool.name), tool.digest, tool.canonical) for tool in tools]
        with self._lock:
            if not self._news(server, rows, trusted=trusted):
                return self._of(server)
            with transaction(self._connection):
                self._connection.execute("DELETE FROM listed WHERE server = ?", (server,))
                self._connection.executemany("INSERT OR REPLACE INTO listed VALUES (?, ?, ?, ?)", rows)
                self._touch(server, "listed_at")
                if self._is_due(server, trusted=trusted) and rows:
                    self._take_baseline(server)
            self._known.clear()
            return self._of(server)

    def approve_tool(self, server: str, tool: ToolDefinition) -> None:
        """Approve a tool as this definition describes it, in place of any earlier one."""
        with self._lock, transaction(self._connection):
            row = (server, _storable(tool.name), tool.digest, tool.canonical, self._now())
            self._connection.execute("INSERT OR REPLACE INTO approved VALUES (?, ?, ?, ?, ?)", row)
            self._known.clear()

    def decide(self, server: str, decision: ServerDecision) -> None:
        """Approve or quarantine a server; approving one without a baseline takes what it listed last as it."""
        with self._lock, transaction(self._connection):
            self._touch(server, "decided_at")
            self._connection.execute("UPDATE server SET decision = ? WHERE name = ?", (decision, server))
            if self._is_due(server, trusted=False) and self._listed(server):
                self._take_baseline(server)
            self._known.clear()

    def tools(self, server: str) -> tuple[ListedTool, ...]:
        """Return what a server listed last, by name, each beside what is approved of it."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT l.tool, l.digest, l.definition, a.digest AS approved_digest, a.definition AS approved"
                " FROM listed l LEFT JOIN approved a USING (server, tool) WHERE l.server = ? ORDER BY l.tool",
                (server,),
            ).fetchall()
        return tuple(
            ListedTool(
                server=server,
                listed=ToolDefinition(name=row["tool"], digest=row["digest"], canonical=row["definition"]),
                approved=ToolDefinition(name=row["tool"], digest=row["approved_digest"], canonical=row["approved"])
                if row["approved"]
                else None,
            )
            for row in rows
        )

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._connection.close()

    def _of(self, server: str) -> Approvals:
        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._version = version
            self._known.clear()
        known = self._known.get(server)
        if known is None:
            known = self._known[server] = self._read(server)
        return known

    def _read(self, server: str) -> Approvals:
        row = self._connection.execute("SELECT decision, baseline_at FROM server WHERE name = ?", (server,)).fetchone()
        approved = self._connection.execute("SELECT tool, digest FROM approved WHERE server = ?", (server,))
        return Approvals(
            decision=ServerDecision(row["decision"]) if row and row["decision"] else None,
            has_baseline=bool(row and row["baseline_at"]),
            approved={row["tool"]: row["digest"] for row in approved},
        )

    def _news(self, server: str, rows: list[tuple[str, str, str, str]], *, trusted: bool) -> bool:
        """Return whether a list says anything that is not stored yet."""
        due = bool(rows) and self._is_due(server, trusted=trusted)
        return due or self._listed(server) != {tool: digest for _, tool, digest, _ in rows}

    def _listed(self, server: str) -> dict[str, str]:
        found = self._connection.execute("SELECT tool, digest FROM listed WHERE server = ?", (server,))
        return {row["tool"]: row["digest"] for row in found}

    def _is_due(self, server: str, *, trusted: bool) -> bool:
        """Return whether the next list is the baseline."""
        known = self._read(server)
        return known.trusts(configured=trusted) and not known.has_baseline

    def _take_baseline(self, server: str) -> None:
        self._touch(server, "baseline_at")
        self._connection.execute(
            "INSERT OR REPLACE INTO approved SELECT server, tool, digest, definition, ? FROM listed WHERE server = ?",
            (self._now(), server),
        )

    def _touch(self, server: str, column: str) -> None:
        self._connection.execute("INSERT OR IGNORE INTO server (name) VALUES (?)", (server,))
        self._connection.execute(f"UPDATE server SET {column} = ? WHERE name = ?", (self._now(), server))  # noqa: S608


def _storable(name: str) -> str:
    """Return a name as UTF-8 can hold it; a tool whose name it cannot hold is never found approved."""
    return name.encode("utf-8", "replace").decode()
