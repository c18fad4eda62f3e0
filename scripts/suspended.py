"""Suspends many cells at once in one process, says what each costs, and resumes every one of them.

    python scripts/suspended.py --cells 10000

Each cell waits for a tool with state of its own; memory is PSS from /proc/self/smaps_rollup, since resident memory
counts the shared image once per cell. The exit code is 1 when a cell resumes wrongly.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from toolcell.model.limits import KIB
from toolcell.sandbox import CellLimits, Ended, Engine, EngineConfig, Program, Waiting

if TYPE_CHECKING:
    from toolcell.sandbox import Cell

SLICE = 1_000_000
SOURCE = """
const mine = { n: %d, list: [1, 2, 3].map(x => x * %d) };
const reply = call_tool('github', 'get_user', { id: mine.n });
[mine.n, mine.list[2], reply.data];
"""


def pss_bytes() -> int:
    """Return this process's proportional set size."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("Pss:"))


def suspend(engine: Engine, number: int) -> Cell:
    """Return a cell that waits for its call's answer."""
    cell = engine.start(Program(source=SOURCE % (number, number)), CellLimits())
    event = cell.step(SLICE)
    if not isinstance(event, Waiting) or json.loads(event.requests[0].payload)["args"] != {"id": number}:
        raise AssertionError(f"cell {number} does not wait for its own call: {event}")
    return cell


def resume(cell: Cell, number: int) -> bool:
    """Answer the cell's call, run it to its end and say whether its value is its own."""
    cell.answer(1, b'{"ok":true,"data":"answer %d"}' % number)
    event = cell.step(SLICE)
    cell.close()
    wanted = f'[{number},{3 * number},"answer {number}"]'.encode()
    return isinstance(event, Ended) and event.ending.value == wanted


def measure(engine: Engine, cells: int) -> dict[str, float]:
    """Return times in µs and bytes for each cell, and how many resumed wrongly."""
    suspend(engine, 0).close()
    before = pss_bytes()
    began = time.perf_counter()
    waiting = [suspend(engine, number) for number in range(cells)]
    started = time.perf_counter()
    held = pss_bytes() - before
    resuming = time.perf_counter()
    order = sorted(range(cells), key=lambda number: number * 7919 % 10007)
    wrong = sum(not resume(waiting[number], number) for number in order)
    ended = time.perf_counter()
    return {
        "cells": cells,
        "start_us": round((started - began) / cells * 1e6, 1),
        "pss_bytes": round(held / cells),
        "resume_us": round((ended - resuming) / cells * 1e6, 1),
        "wrong": wrong + engine.live_cells,
    }


def main() -> None:
    """Read the command line, measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        engine = Engine.load(EngineConfig(max_cells=arguments.cells + 1, cache_dir=Path(cache)))
        figures = measure(engine, arguments.cells)
    print(json.dumps(figures, indent=2))
    sys.exit(bool(figures["wrong"]))


if __name__ == "__main__":
    main()
