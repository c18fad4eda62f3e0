"""Many runs in one process, a third of them hostile: memory, descriptors and threads must stay as they are."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cells import LIMITS
from bench.rows import Row, Target
from toolcell.model.request import Language
from toolcell.sandbox import CellLimits, Ended, Program
from toolcell.workers.run import SLICE_FUEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.cells import Cells
    from bench.scale import Scale

_SAMPLES = 20
_HOUR = 3_600
_SMALL = CellLimits(memory_bytes=4 << 20)

_FRIENDLY = (
    Program(source="[1, 2, 3].map(n => n * n)"),
    Program(source="let n = 0; for (let i = 0; i < 5; i++) n += call_tool('server', 'tool', {i}).data; n"),
    Program(source="const total: number = 1 + 1; total", language=Language.TYPESCRIPT),
    Program(source="console.log('a line'); await Promise.resolve(input)", input_json=b'{"a": [1, 2, 3]}'),
)
_HOSTILE = (
    Program(source="function f() { f() } f()"),
    Program(source="const kept = []; for (;;) kept.push(new Uint8Array(65536))"),
)


def soak(cells: Cells, scale: Scale) -> list[Row]:
    """Growth after the first fifth, by a straight line through samples of the resident size."""
    kinds = _kinds(cells)
    _repeat(kinds, scale.soak // 5)
    threads, descriptors = _threads(), _descriptors()
    resident, began = [_resident_kib()], time.perf_counter()
    for _ in range(_SAMPLES):
        _repeat(kinds, max(scale.soak // _SAMPLES, 1))
        resident.append(_resident_kib())
    slope = _slope(resident) * _SAMPLES / 1024
    hours = (time.perf_counter() - began) / _HOUR
    figures = {
        "growth": slope,
        "per_hour": slope / hours,
        "threads": _threads() - threads,
        "descriptors": _descriptors() - descriptors,
    }
    return [
        Row(
            name=f"soak, {scale.soak:,} mixed runs: RSS",
            unit="MiB",
            ours=figures,
            targets=(
                Target(figure="growth", at_most=1),
                Target(figure="threads", at_most=0),
                Target(figure="descriptors", at_most=0),
            ),
            reason=f"{hours * _HOUR:.0f} s are too short to tell growth per hour",
        )
    ]


def _kinds(cells: Cells) -> list[Callable[[], object]]:
    """Return one function for each kind of run; every third is hostile."""
    friendly = [_whole(cells, program) for program in _FRIENDLY]
    recursion, growth = (_bounded(cells, program) for program in _HOSTILE)
    return [
        friendly[0],
        friendly[1],
        recursion,
        friendly[2],
        friendly[3],
        growth,
        friendly[0],
        friendly[1],
        _cut(cells),
    ]


def _whole(cells: Cells, program: Program) -> Callable[[], object]:
    return lambda: cells.value(program)


def _bounded(cells: Cells, program: Program) -> Callable[[], object]:
    def run() -> None:
        cell = cells.engine.start(program, _SMALL)
        while not isinstance(cell.step(SLICE_FUEL), Ended):
            pass
        cell.close()

    return run


def _cut(cells: Cells) -> Callable[[], object]:
    """Return a run that is dropped in the middle of an endless loop."""

    def run() -> None:
        cell = cells.engine.start(Program(source="for (;;);"), LIMITS)
        cell.step(SLICE_FUEL)
        cell.close()

    return run


def _repeat(kinds: list[Callable[[], object]], count: int) -> None:
    for number in range(count):
        kinds[number % len(kinds)]()


def _slope(values: list[int]) -> float:
    """Return the least-squares slope per step."""
    middle, mean = (len(values) - 1) / 2, sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in range(len(values)))
    return sum((at - middle) * (value - mean) for at, value in enumerate(values)) / spread


def _resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def _threads() -> int:
    return _entries("/proc/self/task")


def _descriptors() -> int:
    return _entries("/proc/self/fd")


def _entries(folder: str) -> int:
    return sum(1 for _ in Path(folder).iterdir())
