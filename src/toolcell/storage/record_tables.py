"""The tables of the record store."""

from __future__ import annotations

FILE, LOCKS = "records.sqlite3", "records.locks"


MIGRATIONS = (
    """
    CREATE TABLE process (number INTEGER PRIMARY KEY AUTOINCREMENT, pid INTEGER NOT NULL, opened_at REAL NOT NULL);
    CREATE TABLE run (
        id TEXT NOT NULL UNIQUE, process INTEGER NOT NULL, tenant TEXT NOT NULL, key_id TEXT,
        status TEXT NOT NULL, code TEXT, message TEXT, started_at REAL NOT NULL, finished_at REAL,
        language TEXT NOT NULL, script TEXT, source TEXT NOT NULL, input_bytes INTEGER NOT NULL, result_bytes INTEGER,
        wall_ms REAL, queue_ms REAL, fuel INTEGER, peak_memory_bytes INTEGER, tool_calls INTEGER,
        bytes INTEGER NOT NULL
    );
    CREATE INDEX run_by_time ON run (started_at);
    CREATE INDEX run_running ON run (process) WHERE status = 'running';
    CREATE TABLE call (
        run TEXT NOT NULL, number INTEGER NOT NULL, process INTEGER NOT NULL, tenant TEXT NOT NULL, key_id TEXT,
        server TEXT NOT NULL, tool TEXT NOT NULL, arguments TEXT NOT NULL,
        status TEXT NOT NULL, code TEXT, message TEXT, started_at REAL NOT NULL, finished_at REAL,
        result_bytes INTEGER, bytes INTEGER NOT NULL, UNIQUE (run, number)
    );
    CREATE INDEX call_by_time ON call (started_at);
    CREATE INDEX call_by_server ON call (server, started_at);
    CREATE INDEX call_running ON call (process) WHERE status = 'running';
    CREATE TABLE usage (records INTEGER NOT NULL, bytes INTEGER NOT NULL);
    INSERT INTO usage VALUES (0, 0)
    """,
)

ROW_BYTES = 230
"""What a call takes beside its arguments, indexes included: 12,000 calls with ids of 36 characters took 250 bytes each,
27 of them arguments."""
