"""Kill -9 at random moments: nothing acknowledged is lost, and what was open reads ``interrupted``."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.storage.make import intend, intent, rows, start
from toolcell.storage.records import Records

if TYPE_CHECKING:
    from typing import IO

ROOT = Path(__file__).parents[2]


def under_load(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.storage.under_load", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def acknowledged(stream: IO[bytes], count: int | None = None) -> set[tuple[str, int]]:
    """Return the calls told on the stream: the next ``count`` lines, or all that is left of whole lines."""
    lines = [stream.readline() for _ in range(count)] if count else stream.read().splitlines(keepends=True)
    parts = [line.split() for line in lines if line.endswith(b"\n")]
    return {(run.decode(), int(number)) for run, number in parts}


@pytest.mark.parametrize("seed", range(6))
def test_no_acknowledged_call_is_lost_when_the_process_is_killed(tmp_path: Path, seed: int) -> None:
    moment = random.Random(seed)  # noqa: S311  # a moment, not a secret
    told: set[tuple[str, int]] = set()
    for _ in range(2):
        process = under_load(tmp_path)
        assert process.stdout is not None
        assert process.stderr is not None
        told |= acknowledged(process.stdout, moment.randrange(1, 200))
        process.kill()
        told |= acknowledged(process.stdout)
        assert process.wait() == -9
        assert process.stderr.read() == b""
        process.stdout.close()
        process.stderr.close()
    Records(tmp_path, report=print).close()
    kept = {
        (row["run"], row["number"]): row["status"] for row in rows(tmp_path, "SELECT run, number, status FROM call")
    }
    assert told <= set(kept)
    assert set(kept.values()) <= {"success", "interrupted"}
    never_finished = {status for (_, number), status in kept.items() if number % 3 == 0}
    assert never_finished <= {"interrupted"}
    assert {row["status"] for row in rows(tmp_path, "SELECT status FROM run")} == {"interrupted"}
    assert rows(tmp_path, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


def test_a_living_process_keeps_its_rows_while_another_one_is_killed(tmp_path: Path) -> None:
    living = Records(tmp_path, report=print)
    living.run_started(start("alive"))
    assert intend(living, intent("alive"))
    process = under_load(tmp_path)
    assert process.stdout is not None
    assert process.stderr is not None
    acknowledged(process.stdout, 10)
    process.kill()
    process.communicate()
    Records(tmp_path, report=print).close()
    assert rows(tmp_path, "SELECT status FROM run WHERE id = 'alive'") == [{"status": "running"}]
    assert rows(tmp_path, "SELECT DISTINCT status FROM run WHERE id != 'alive'") == [{"status": "interrupted"}]
    assert intend(living, intent("alive", number=2))
    living.close()
