"""Runs many programs in one process, a third of them hostile, and says whether memory, files and threads stay flat.

    python scripts/soak.py --runs 100000

Each hostile run is followed by `1 + 1`, which must be 2. The exit code is 1 when a program ended in a way that is not
allowed, or when a figure grew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from toolcell.model.codes import RunCode
from toolcell.model.limits import MIB
from toolcell.model.request import Language
from toolcell.sandbox import CellLimits, Ended, Engine, EngineConfig, Program, Waiting

if TYPE_CHECKING:
    from toolcell.sandbox import Ending

SLICE = 1_000_000
LIMITS = CellLimits(memory_bytes=16 * MIB, fuel=20_000_000)
WARM_UP = 0.2  # of the runs: pools fill, Python's own caches settle
GROWTH = 4 * MIB

PLAIN = (
    "1 + 1",
    "({ a: [1, 2, { b: 'x' }] })",
    "input.items.map(x => x * 2)",
    "const r = call_tool('s', 't', { id: 1 }); r.data",
    "call_tools([1, 2, 3].map(id => ({ server: 's', tool: 't', args: { id } }))).map(r => r.ok)",
    "await Promise.all([1, 2].map(async x => { await 0; return x }))",
    "console.log('line', { a: 1 }); return JSON.stringify(input)",
    "[...'the quick brown fox'.matchAll(/\\w+/g)].map(m => m[0])",
    "const m = new Map(); for (let i = 0; i < 500; i++) m.set('k' + i, i); m.size",
    "export default async ({ items }) => items.length",
)
TYPESCRIPT = (
    "interface A { x: number } const a: A = { x: 1 }; a.x as number",
    "enum E { A = 1, B } namespace N { export const v = E.B } N.v",
    "let a: = 1",
)
HOSTILE = (
    "for (;;);",
    "const a = []; for (;;) a.push(new Uint8Array(1e5))",
    "let s = 'x'; for (;;) s += s",
    "function f() { f() } f()",
    "/^(a+)+$/.test('a'.repeat(40) + '!')",
    "(function f() { Promise.resolve().then(f) })(); 1",
    "({ toJSON() { for (;;); } })",
    "const a = {}; a.a = a; a",
    "throw new Error('x'.repeat(1e6))",
    "Promise.reject(1); 1",
    "await new Promise(() => {})",
    "(" * 5000,
    "const = 1",
    "JSON.parse('['.repeat(100000))",
    "for (let i = 0; i < 5000; i++) console.log('flood ' + i)",
    "Object.prototype.toJSON = () => 1; JSON.stringify = null; ({ a: 1 })",
    "for (;;) call_tool('s', 't')",
    "const r = Proxy.revocable({}, {}); r.revoke(); r.proxy",
    "call_tool('s', 't', { x: 'y'.repeat(1e5) }); new Array(2 ** 32 - 1).fill(0)",
    "const a = []; for (;;) { try { for (;;) a.push({}) } catch {} }",
)
ABANDONED = ("for (;;);", "call_tool('s', 't'); 1", "for (;;) call_tool('s', 't')")


@dataclass
class Figures:
    """What this process holds."""

    resident: int
    files: int
    threads: int

    @classmethod
    def now(cls) -> Figures:
        """Return the figures of this moment."""
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(
            resident=pages * os.sysconf("SC_PAGE_SIZE"),
            files=sum(1 for _ in Path("/proc/self/fd").iterdir()),
            threads=sum(1 for _ in Path("/proc/self/task").iterdir()),
        )


@dataclass
class Soak:
    """A seeded sequence of runs on one engine."""

    engine: Engine
    random: Random
    wrong: list[str] = field(default_factory=list)
    endings: dict[str, int] = field(default_factory=dict)

    def turn(self) -> None:
        """Run one program, or abandon one."""
        kind = self.random.random()
        if kind < 0.30:  # noqa: PLR2004  # with the abandoned ones: a third
            self._hostile(self.random.choice(HOSTILE))
        elif kind < 0.34:  # noqa: PLR2004
            self._abandon(self.random.choice(ABANDONED))
        elif kind < 0.45:  # noqa: PLR2004
            self._note(self._run(self.random.choice(TYPESCRIPT), Language.TYPESCRIPT))
        else:
            self._note(self._run(self.random.choice(PLAIN)))

    def _hostile(self, source: str) -> None:
        self._note(self._run(source))
        after = self._run("1 + 1")
        if after.value != b"2":
            self.wrong.append(f"1 + 1 gave {after} after {source[:60]}")

    def _abandon(self, source: str) -> None:
        cell = self.engine.start(Program(source=source), LIMITS)
        for _ in range(self.random.randrange(4)):
            cell.step(SLICE // 10)
        cell.close()

    def _run(self, source: str, language: Language = Language.JAVASCRIPT) -> Ending:
        program = Program(source=source, language=language, input_json=b'{"items":[1,2,3]}')
        cell = self.engine.start(program, LIMITS)
        try:
            while True:
                event = cell.step(SLICE)
                if isinstance(event, Ended):
                    cell.take_logs()
                    return event.ending
                if isinstance(event, Waiting):
                    for request in event.requests:
                        cell.answer(
                            request.call_id, b'[{"ok":true}]' if request.op == "calls" else b'{"ok":true,"data":1}'
                        )
        finally:
            cell.close()

    def _note(self, ending: Ending) -> None:
        name = "value" if ending.error is None else ending.error.code.value
        self.endings[name] = self.endings.get(name, 0) + 1
        if ending.error is not None and ending.error.code is RunCode.EXECUTION_FAILED:
            self.wrong.append(ending.error.message)
        if ending.error is not None and "stopped the engine" in ending.error.message:
            self.wrong.append(ending.error.message)


def soak(engine: Engine, runs: int, seed: int) -> dict[str, object]:
    """Return the figures before and after, the endings by code, and what went wrong."""
    made = Soak(engine, Random(seed))  # noqa: S311  # chooses programs, guards nothing
    began = time.monotonic()
    before = Figures.now()
    for number in range(runs):
        if number == int(runs * WARM_UP):
            before = Figures.now()
        made.turn()
    after = Figures.now()
    if after.resident - before.resident > GROWTH:
        made.wrong.append(f"resident memory grew by {(after.resident - before.resident) / MIB:.1f} MiB")
    if (after.files, after.threads) != (before.files, before.threads):
        made.wrong.append("files or threads were left behind")
    if engine.live_cells:
        made.wrong.append(f"{engine.live_cells} cells were left behind")
    return {
        "runs": runs,
        "seconds": round(time.monotonic() - began, 1),
        "before": vars(before),
        "after": vars(after),
        "endings": made.endings,
        "wrong": made.wrong[:20],
    }


def main() -> None:
    """Read the command line, soak, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        figures = soak(Engine.load(EngineConfig(cache_dir=Path(cache))), arguments.runs, arguments.seed)
    print(json.dumps(figures, indent=2))
    sys.exit(bool(figures["wrong"]))


if __name__ == "__main__":
    main()
