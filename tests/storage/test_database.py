"""Opening a store: created private, migrated in steps, and refused with a sentence when it cannot be used."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from toolcell.storage.database import Database, StoreError, transaction

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "CREATE TABLE a (x); INSERT INTO a VALUES (1)"
SECOND = "ALTER TABLE a ADD COLUMN y DEFAULT 2"


def test_a_new_file_and_its_folder_are_their_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "x.sqlite3"
    Database(path, (FIRST,))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    path.touch(0o644)
    path.chmod(0o644)
    Database(path, (FIRST,))
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_symlink_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "x.sqlite3").symlink_to(target)
    with pytest.raises(StoreError):
        Database(tmp_path / "x.sqlite3", (FIRST,))
    assert not target.exists()


def test_an_older_file_is_brought_to_the_current_schema_with_its_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    Database(path, (FIRST,))
    for _ in range(2):
        connection = Database(path, (FIRST, SECOND)).connect()
        assert [tuple(row) for row in connection.execute("SELECT * FROM a")] == [(1, 2)]
        assert tuple(connection.execute("SELECT version FROM schema_version").fetchone()) == (2,)
        connection.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    Database(path, (FIRST,))
    with pytest.raises(StoreError):
        Database(path, (FIRST, SECOND, "NOT SQL"))
    connection = Database(path, (FIRST,)).connect()
    assert [tuple(row) for row in connection.execute("SELECT * FROM a")] == [(1,)]
    connection.close()


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite3"
    Database(path, (FIRST, SECOND))
    with pytest.raises(StoreError, match=r"^x\.sqlite3 was made by a newer toolcell: upgrade this one"):
        Database(path, (FIRST,))


@pytest.mark.parametrize("content", [b"not a database" * 100, b"SQLite format 3\x00" + b"\xff" * 200])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"x\.sqlite3 in the data dir (is damaged|cannot be opened)") as raised:
        Database(path, (FIRST,))
    assert str(tmp_path) not in str(raised.value)
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        Database(tmp_path / "file" / "x.sqlite3", (FIRST,))


def test_the_file_is_in_wal_mode_and_syncs_what_is_committed(tmp_path: Path) -> None:
    connection = Database(tmp_path / "x.sqlite3", (FIRST,)).connect()
    values = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert values == {"journal_mode": "wal", "synchronous": 2}
    connection.close()


def test_a_transaction_that_is_left_by_an_exception_writes_nothing(tmp_path: Path) -> None:
    connection = Database(tmp_path / "x.sqlite3", (FIRST,)).connect()
    for error in (KeyboardInterrupt, sqlite3.IntegrityError):
        with pytest.raises(error):
            _write_and_raise(connection, error)
        assert connection.execute("SELECT count(*) FROM a").fetchone()[0] == 1
    assert not connection.in_transaction
    connection.close()


def test_opening_a_file_again_leaves_the_locks_of_its_open_connections_alone(tmp_path: Path) -> None:
    """A process that leaves last deletes the WAL; one that thinks it is the last would take it from under us."""
    path = tmp_path / "x.sqlite3"
    connection = Database(path, (FIRST,)).connect()
    with transaction(connection):
        connection.execute("INSERT INTO a VALUES (2)")
    Database(path, (FIRST,))
    leave = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM a').fetchall(); c.close()"
    subprocess.run([sys.executable, "-c", leave, str(path)], check=True)
    assert (tmp_path / "x.sqlite3-wal").exists()
    connection.close()


def test_many_processes_may_make_a_store_at_once(tmp_path: Path) -> None:
    make = (
        "import sys, pathlib; from toolcell.storage.database import Database; sys.stdin.readline();"
        "Database(pathlib.Path(sys.argv[1]), ('CREATE TABLE a (x)',)).connect().close()"
    )
    argv = [sys.executable, "-c", make, str(tmp_path / "data" / "x.sqlite3")]
    makers = [subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    for maker in makers:
        assert maker.stdin is not None
        maker.stdin.write(b"\n")
        maker.stdin.flush()
    assert [maker.communicate(timeout=60)[1] for maker in makers] == [b""] * 6


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite3").mkdir()
    with pytest.raises(StoreError, match="not a regular file"):
        Database(tmp_path / "x.sqlite3", (FIRST,))


def _write_and_raise(connection: sqlite3.Connection, error: type[BaseException]) -> None:
    with transaction(connection):
        connection.execute("INSERT INTO a VALUES (2)")
        raise error
