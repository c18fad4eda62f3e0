"""Which processes that write records are alive, told by locks that the kernel drops with their holder.

A process id can be reused and means nothing in another container; a lock cannot outlive the process that
holds it. Each process holds one byte of one file, and the number of that byte stands in its rows.
"""

from __future__ import annotations

import fcntl
import os
import struct
from typing import TYPE_CHECKING

from toolcell.model.activity import Status
from toolcell.storage.database import transaction, update

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from pathlib import Path

_FLOCK = struct.Struct("hhqqi4x")
"""``struct flock`` of 64-bit Linux: type, whence, start, length, pid."""


class ProcessLocks:
    """The lock file of a store; open for as long as this process writes to it."""

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(path, flags, 0o600)

    def hold(self, number: int) -> None:
        """Mark this process as the living one behind ``number``, a number that was never used before."""
        fcntl.fcntl(self._descriptor, fcntl.F_OFD_SETLK, _lock(fcntl.F_WRLCK, number))

    def is_alive(self, number: int) -> bool:
        """Return whether another process holds ``number``."""
        found = fcntl.fcntl(self._descriptor, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, number))
        return bool(_FLOCK.unpack(found)[0] != fcntl.F_UNLCK)

    def close(self) -> None:
        """Let go of this process's number."""
        os.close(self._descriptor)


def _lock(kind: int, number: int) -> bytes:
    return _FLOCK.pack(kind, os.SEEK_SET, number, 1, 0)


def enrol(connection: sqlite3.Connection, locks: ProcessLocks, now: float) -> int:
    """Give this process a number, and mark what dead ones left running as interrupted."""
    with transaction(connection):
        cursor = connection.execute("INSERT INTO process (pid, opened_at) VALUES (?, ?)", (os.getpid(), now))
        number = int(cursor.lastrowid or 0)
        locks.hold(number)
        known = [row["number"] for row in connection.execute("SELECT number FROM process WHERE number != ?", (number,))]
        _interrupt(connection, [other for other in known if not locks.is_alive(other)])
    return number


def interrupt_dead(connection: sqlite3.Connection, locks: ProcessLocks) -> None:
    """Mark what dead processes left running as interrupted; takes the write lock only if there is anything."""
    running = connection.execute(
        "SELECT process FROM run WHERE status = 'running' UNION SELECT process FROM call WHERE status = 'running'"
    )
    dead = [row["process"] for row in running.fetchall() if not locks.is_alive(row["process"])]
    if dead:
        with transaction(connection):
            _interrupt(connection, dead)


def _interrupt(connection: sqlite3.Connection, dead: Iterable[int]) -> None:
    for number in dead:
        row = {"process": number, "status": Status.INTERRUPTED}
        for table in ("run", "call"):
            update(connection, table, row, "process = :process AND status = 'running'")
        connection.execute("DELETE FROM process WHERE number = ?", (number,))
