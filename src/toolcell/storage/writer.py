"""The one thread that writes records: it commits whatever has gathered, so many calls share one disk sync.

An *intent* is synced to disk before it is acknowledged (``synchronous = FULL``). Everything else is committed
without a sync of its own (``NORMAL``): it outlives the process at once and a power cut a little later.
What cannot be written is kept, in order, and tried again; intents are not, since their callers wait.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolcell.storage.database import transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_BATCH = 256
MAX_WAITING = 4_096
"""Entries not yet written; whoever adds more waits, so a program cannot outrun the disk into memory."""

RETRY_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing to write; ``then`` is for intents and hears whether it is durable."""

    work: Callable[[sqlite3.Connection], None]
    then: Callable[[bool], None] | None = None


class Writer:
    """Writes entries in the order they were added. ``tidy`` runs between batches and says if it has more to do."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        tidy: Callable[[sqlite3.Connection], bool],
        report: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._tidy = tidy
        self._report = report
        self._changed = threading.Condition()
        self._waiting: deque[Entry] = deque()
        self._unwritten: deque[Entry] = deque()
        self._closing = False
        self._idle = False
        self._full_sync = True
        self._failing = False
        self._lost = 0
        self._thread = threading.Thread(target=self._run, name="toolcell-records", daemon=True)
        self._thread.start()

    def add(self, entry: Entry) -> None:
        """Put an entry in line; waits while the line is at its bound. After ``close`` an intent is refused."""
        own = threading.current_thread() is self._thread
        with self._changed:
            self._changed.wait_for(lambda: own or self._closing or len(self._waiting) < MAX_WAITING)
            if not self._closing or own:
                self._waiting.append(entry)
                self._changed.notify_all()
                return
        self._tell((entry,), durable=False)

    def flush(self) -> None:
        """Return when all that was added is written, or has been tried, and ``tidy`` has nothing to do."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle and not self._waiting)

    def close(self) -> None:
        """Write what is in line, try once more what could not be written, and end; safe to repeat."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        more = True
        while (batch := self._next(wait=not more)) is not None:
            if batch or self._unwritten:
                self._write(batch)
            more = self._tidied()
        if self._unwritten:
            self._write(())
        lost = self._lost + len(self._unwritten)
        if lost:
            self._report(f"{lost} record entries could not be written and are lost")
        self._connection.close()

    def _next(self, *, wait: bool) -> list[Entry] | None:
        """Return the entries to write now, maybe none; ``None`` when the writer is closed and the line empty."""
        with self._changed:
            if wait:
                patience = RETRY_SECONDS if self._unwritten else None
                self._idle = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._closing or self._waiting, patience)
            if self._closing and not self._waiting:
                self._idle = True
                self._changed.notify_all()
                return None
            self._idle = False
            batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
            self._changed.notify_all()
            return batch

    def _write(self, batch: Iterable[Entry]) -> None:
        entries = [*self._unwritten, *batch]
        self._unwritten.clear()
        try:
            self._commit(entries)
        except sqlite3.OperationalError as error:  # the disk is full or the file is locked: later, perhaps
            self._complain(error)
            self._set_aside(entries)
        except Exception:  # noqa: BLE001  # one entry spoilt it for all
            self._write_one_by_one(entries)
        else:
            self._failing = False
            self._tell(entries, durable=True)

    def _write_one_by_one(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            try:
                self._commit((entry,))
            except Exception as error:  # noqa: BLE001  # a record of ours that SQLite refuses; the thread lives on
                self._complain(error)
                self._tell((entry,), durable=False)
            else:
                self._tell((entry,), durable=True)

    def _set_aside(self, entries: Iterable[Entry]) -> None:
        """Keep what can be written later, the oldest first, and refuse the intents."""
        kept = [entry for entry in entries if entry.then is None]
        self._unwritten.extend(kept[:MAX_WAITING])
        self._lost += len(kept[MAX_WAITING:])
        self._tell(entries, durable=False)

    def _commit(self, entries: Iterable[Entry]) -> None:
        self._sync(full=any(entry.then is not None for entry in entries))
        with transaction(self._connection):
            for entry in entries:
                entry.work(self._connection)

    def _sync(self, *, full: bool) -> None:
        if full is not self._full_sync:
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
            self._full_sync = full

    def _tidied(self) -> bool:
        try:
            return self._tidy(self._connection)
        except sqlite3.Error as error:
            self._complain(error)
            return False

    def _complain(self, error: Exception) -> None:
        """Report the first of a row of failures."""
        if not self._failing:
            self._failing = True
            self._report(f"records cannot be written: {error}")

    def _tell(self, entries: Iterable[Entry], *, durable: bool) -> None:
        for entry in entries:
            if entry.then is None:
                continue
            try:
                entry.then(durable)
            except Exception as error:  # noqa: BLE001  # the writer outlives whoever waited for it
                self._report(f"after a call was recorded: {type(error).__name__}: {error}")
