"""How fast a cell computes, against engines without isolation, and what counting fuel costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench import peers
from bench.cells import Cells, WrongAnswerError, load_unmetered
from bench.rows import Row, Target
from bench.sampling import MILLISECONDS, Candidate, compare
from toolcell.sandbox import Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.scale import Scale

_PEERS = (peers.QUICKJS, peers.QUICKJS_RS, peers.MINI_RACER)

FIB = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(27)"
LOOP = "(function () { let s = 0; for (let i = 0; i < 5000000; i++) s = (s + i) % 1000003; return s })()"
SORT = """(function () {
  let seed = 42;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const rows = Array.from({length: 200000}, () => ({key: next(), name: 'n' + (next() % 1000)}));
  rows.sort((a, b) => a.key - b.key);
  return rows[100000].key;
})()"""

WORKLOADS = {"fib(27)": (FIB, 0.8), "loop of 5M": (LOOP, 0.8), "sort of 200k objects": (SORT, 1.1)}
_MOST_OVERHEAD = 1.15


def compute(cells: Cells, scale: Scale) -> list[Row]:
    """Three workloads in our cell, in one that is not metered, and in each peer."""
    unmetered = Cells(engine=load_unmetered())
    rows = []
    for name, (source, at_most) in WORKLOADS.items():
        found = _compare(cells, unmetered, source, scale)
        ours, free = found.pop("ours"), found.pop("unmetered")
        rows.append(
            Row(
                name=name,
                unit="ms",
                ours=ours,
                peers=peers.entries(_PEERS, found),
                targets=(Target(figure="p50", at_most=at_most, peer=peers.QUICKJS),),
            )
        )
        rows.append(
            Row(
                name=f"{name}: fuel metering",
                unit="ratio",
                ours={"p50": ours["p50"] / free["p50"]},
                targets=(Target(figure="p50", at_most=_MOST_OVERHEAD),),
                reason=f"{free['p50']:.1f} ms without",
            )
        )
    return rows


def _compare(cells: Cells, unmetered: Cells, source: str, scale: Scale) -> dict[str, dict[str, float]]:
    program = Program(source=source)
    value = cells.value(program)
    unmetered.expect(program, value)
    runs: dict[str, Callable[[], object]] = {
        "ours": lambda: cells.value(program),
        "unmetered": lambda: unmetered.value(program),
    }
    for peer in filter(peers.has, _PEERS):
        runs[peer] = _evaluation(peer, source, value)
    candidates = {name: Candidate(run=run, runs=scale.long_runs) for name, run in runs.items()}
    return compare(candidates, min(scale.rounds, 5), MILLISECONDS)


def _evaluation(peer: str, source: str, value: bytes) -> Callable[[], object]:
    evaluate = peers.loaded(peer)
    if evaluate(source) != json.loads(value):
        raise WrongAnswerError(f"{peer} computes another value than {value!r}")
    return lambda: evaluate(source)
