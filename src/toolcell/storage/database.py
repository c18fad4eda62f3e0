"""One SQLite file: private to its user, in WAL mode, brought to the current schema when it is opened.

Every store has a file of its own, so that losing or emptying one says nothing about another. What is written
to a file is written under SQLite's own locks; several processes may have it open.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

BUSY_MS = 5_000
"""How long a statement waits for another process to let go of the file."""

_PRIVATE_DIR, _PRIVATE_FILE, _OTHERS = 0o700, 0o600, 0o077
_KEPT_WAL_BYTES = 16 * 1024 * 1024
_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"


class StoreError(Exception):
    """A store cannot be used; the message is one sentence that says what to do."""


class Database:
    """A file and its schema: ``migrations[n]`` takes version ``n`` to ``n + 1``, in one transaction each."""

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path = path
        self._migrations = migrations
        with _explained(path), _alone(path.parent):
            _make_private(path)
            connection = self._connect()
            try:
                self._migrate(connection)
            finally:
                connection.close()

    def connect(self) -> sqlite3.Connection:
        """Return a connection of its own, or raise ``StoreError``; any thread may use it, one at a time."""
        with _explained(self.path):
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        if connection.execute("PRAGMA page_count").fetchone()[0] == 0:  # later it would only ask for the write lock
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA journal_size_limit = {_KEPT_WAL_BYTES}")
        return connection

    def _migrate(self, connection: sqlite3.Connection) -> None:
        if self._version(connection) == len(self._migrations):
            return
        with transaction(connection):
            connection.execute(_VERSION_TABLE)
            version = self._version(connection)
            if version > len(self._migrations):
                raise StoreError(f"{self.path.name} was made by a newer toolcell: upgrade this one, or move the file")
            for statements in self._migrations[version:]:
                _execute_all(connection, statements)
            connection.execute("DELETE FROM schema_version")
            connection.execute("INSERT INTO schema_version VALUES (?)", (len(self._migrations),))

    @staticmethod
    def _version(connection: sqlite3.Connection) -> int:
        exists = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
        found = connection.execute("SELECT version FROM schema_version").fetchone() if exists else None
        return int(found[0]) if found else 0


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write everything inside or nothing; the write lock is taken at the start, so nothing read is stale."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def insert(connection: sqlite3.Connection, table: str, row: Mapping[str, object]) -> None:
    """Add a row; the names of table and columns are ours, never a caller's."""
    columns = ", ".join(row)
    places = ", ".join(f":{column}" for column in row)
    connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({places})", row)  # noqa: S608  # names of ours


def update(connection: sqlite3.Connection, table: str, row: Mapping[str, object], where: str) -> None:
    """Set every member of ``row`` that is a column; ``where`` may name others as ``:name``."""
    changes = ", ".join(f"{column} = :{column}" for column in row if f":{column}" not in where.split())
    connection.execute(f"UPDATE {table} SET {changes} WHERE {where}", row)  # noqa: S608  # names of ours


def _execute_all(connection: sqlite3.Connection, statements: str) -> None:
    """Carry out statements one by one: ``executescript`` would commit the transaction they belong to."""
    for statement in statements.split(";"):
        if statement.strip():
            connection.execute(statement)


def _make_private(path: Path) -> None:
    """Create the file for its user only; SQLite gives its side files the same mode.

    A file that is there is not opened: closing it again would drop the locks that SQLite holds on it in this
    process (POSIX advisory locks belong to the file, not to the descriptor).
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE_FILE))
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            raise StoreError(f"{path.name} in the data dir is not a regular file: move it away") from None
        if found.st_mode & _OTHERS:
            path.chmod(_PRIVATE_FILE)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder while a store in it is made or migrated: SQLite cannot switch to WAL in two processes at once."""
    folder.mkdir(mode=_PRIVATE_DIR, parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise StoreError(f"{path.name} in the data dir cannot be opened: {error}") from None
    except sqlite3.DatabaseError as error:
        message = f"{path.name} in the data dir is damaged ({error}): move it away and a new one is made"
        raise StoreError(message) from None
    except OSError as error:
        raise StoreError(f"{path.name} in the data dir cannot be opened: {error.strerror}") from None
