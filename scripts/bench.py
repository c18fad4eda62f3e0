"""Measures a toolcell against its targets and its peers: prints a table, and writes JSON with ``--json FILE``.

``scripts/bench.py [--quick] [--only NAME…]``. Peers come from the ``bench`` dependency group and from ``node``; what is
missing is shown as such. See docs/internals/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.cells import Cells, load
from bench.compute import compute
from bench.deadlines import deadlines
from bench.environment import environment
from bench.processes import command_line, start_up, suspended
from bench.scale import SCALES
from bench.short_runs import fresh_cell, host_call, large_values, typescript
from bench.soak import soak
from bench.table import render

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.rows import Row
    from bench.scale import Scale

IN_CELLS = {
    "fresh": fresh_cell,
    "call": host_call,
    "large": large_values,
    "typescript": typescript,
    "compute": compute,
    "deadline": deadlines,
    "soak": soak,
}
IN_PROCESSES = {"cli": command_line, "startup": start_up}
NAMES = (*IN_CELLS, *IN_PROCESSES, "suspended")


def benchmarks(scale: Scale, cache_dir: Path) -> dict[str, Callable[[], list[Row]]]:
    """Return each benchmark by name; the first to need an engine loads it."""
    cells = Cells(engine=load(cache_dir))
    found: dict[str, Callable[[], list[Row]]] = {}
    for name, in_cells in IN_CELLS.items():
        found[name] = partial(in_cells, cells, scale)
    for name, in_processes in IN_PROCESSES.items():
        found[name] = partial(in_processes, scale)
    found["suspended"] = partial(suspended, scale, cache_dir)
    return found


def measure(scale: Scale, names: list[str]) -> list[Row]:
    """Run the named benchmarks in order and return their rows."""
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        available = benchmarks(scale, Path(folder))
        for name in names:
            print(f"{name}…", file=sys.stderr, flush=True)
            rows += available[name]()
    return rows


def read_arguments(given: Sequence[str]) -> argparse.Namespace:
    """Return the scale, the names, and the file to write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_const", dest="scale", const="quick", help="fewer rounds and runs")
    parser.add_argument("--scale", choices=SCALES, help="how much to measure; full by default")
    parser.set_defaults(scale="full")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything to this file too")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    return parser.parse_args(given)


def main() -> None:
    """Carry out the command line."""
    arguments = read_arguments(sys.argv[1:])
    about = environment()
    rows = measure(SCALES[arguments.scale], list(arguments.only))
    print(render(rows, about))
    if arguments.json:
        report = {"environment": about, "rows": [row.to_dict() for row in rows]}
        arguments.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
