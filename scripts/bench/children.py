"""Measurements that need a process of their own: each is a command here, and prints one JSON object.

``python -m bench.children NAME ARGUMENT…`` with this folder's parent on the path.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.sandbox import Cell

SCRIPTS = Path(__file__).resolve().parent.parent


def ask(name: str, *arguments: str) -> dict[str, Any]:
    """Run a command of this module in a new process and return what it printed."""
    command = [sys.executable, "-m", "bench.children", name, *arguments]
    environment = os.environ | {"PYTHONPATH": f"{SCRIPTS}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)  # noqa: S603
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def suspended(count: str, cache_dir: str) -> dict[str, float]:
    """Start many cells that wait for a tool, then answer each: its own value must come back."""
    from bench.cells import load  # noqa: PLC0415  # the other command times this import

    engine = load(Path(cache_dir), max_cells=int(count) + 1)
    before = pss_kib()
    began = time.perf_counter()
    cells = [_suspended_cell(engine, number) for number in range(int(count))]
    started = time.perf_counter()
    held = pss_kib() - before
    resumed_at = time.perf_counter()
    correct = sum(_resume(cell, number) for number, cell in enumerate(cells))
    resumed = time.perf_counter() - resumed_at
    return {
        "start_s": started - began,
        "start_us_each": (started - began) / len(cells) * 1e6,
        "pss_kib_each": held / len(cells),
        "resume_us_each": resumed / len(cells) * 1e6,
        "wrong": len(cells) - correct,
    }


def start_up(cache_dir: str) -> dict[str, float]:
    """Time the import of the sandbox and the loading of an engine, from the cache or, with ``-``, by compiling."""
    began = time.perf_counter()
    import toolcell.sandbox  # noqa: PLC0415  # this is what is timed

    imported = time.perf_counter()
    config = toolcell.sandbox.EngineConfig(max_cells=1, cache_dir=None if cache_dir == "-" else Path(cache_dir))
    toolcell.sandbox.Engine.load(config)
    return {"import_ms": (imported - began) * 1e3, "load_ms": (time.perf_counter() - imported) * 1e3}


def pss_kib() -> int:
    """Return this process's proportional set size: memory that it shares is counted by its share."""
    found = re.search(r"^Pss:\s+(\d+) kB$", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("/proc/self/smaps_rollup has no Pss line")
    return int(found[1])


def _suspended_cell(engine: Any, number: int) -> Cell:  # noqa: ANN401  # an Engine, imported by the command
    from toolcell.sandbox import CellLimits, Program, Waiting  # noqa: PLC0415

    source = f"call_tool('server', 'tool', {{number: {number}}}).data + {number}"
    cell: Cell = engine.start(Program(source=source), CellLimits())
    event = cell.step(2_000_000)
    if not isinstance(event, Waiting):
        raise TypeError(f"a cell that calls a tool gave {event}")
    cell.answer(event.requests[0].call_id, b'{"ok":true,"result":{"content":[]},"data":%d}' % (number * 3))
    return cell


def _resume(cell: Cell, number: int) -> bool:
    event: Any = cell.step(2_000_000)
    cell.close()
    return bool(event.ending.value == str(number * 4).encode())


COMMANDS: dict[str, Callable[..., dict[str, float]]] = {"suspended": suspended, "start_up": start_up}

if __name__ == "__main__":
    print(json.dumps(COMMANDS[sys.argv[1]](*sys.argv[2:])))
