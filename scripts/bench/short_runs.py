"""What a fresh cell costs, and what crosses its boundary: rows in microseconds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench import peers
from bench.rows import Row, Target
from bench.sampling import MICROSECONDS, MILLISECONDS, Candidate, compare
from toolcell.model.request import Language
from toolcell.sandbox import Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.cells import Cells
    from bench.scale import Scale

    Pair = tuple[Callable[[], object], Callable[[], object]]  # what is timed, and what is taken off it
    Pairs = dict[str, Pair]

SOURCE, VALUE = "({a:1})", b'{"a":1}'
PROGRAMS = Path(__file__).parent / "programs"
LARGE = 100_000

_FRESH_PEERS = (peers.QUICKJS, peers.QUICKJS_RS, peers.MINI_RACER, peers.NODE_VM, peers.NODE)
_CALLBACK_PEERS = (peers.QUICKJS, peers.QUICKJS_RS)
_PROMISES_ONLY = "its callbacks only give promises"

_ROWS = "const rows = Array.from({length: 1700}, (_, id) => ({id, name: 'row ' + id, tags: ['a', 'b'], price: id}));"
_CALLS = "let n = 0; for (let i = 0; i < %d; i++) n += call_tool('server', 'tool', {i}).data; n"
_NO_CALLS = "const f = (s, t, a) => ({data: 1}); let n = 0; for (let i = 0; i < %d; i++) n += f('s', 't', {i}).data; n"
_CALLBACKS = "(f => { let n = 0; for (let i = 0; i < %d; i++) n += f('argument'); return n })(host)"
_NO_CALLBACKS = "(f => { let n = 0; for (let i = 0; i < %d; i++) n += f('argument'); return n })(a => 1)"


def fresh_cell(cells: Cells, scale: Scale) -> list[Row]:
    """Start, run, read the value and close: one cell for each program, against a fresh context of each peer."""
    program = Program(source=SOURCE)
    cells.expect(program, VALUE)
    candidates = {
        "ours": Candidate(run=lambda: cells.value(program), runs=scale.short_runs, warm_up=scale.short_runs),
    }
    for peer in (peers.QUICKJS, peers.QUICKJS_RS, peers.MINI_RACER):
        if peers.has(peer):
            runs = scale.short_runs if peer == peers.QUICKJS else scale.peer_runs
            candidates[peer] = Candidate(run=peers.fresh(peer, SOURCE), runs=runs, warm_up=runs)
    if peers.has(peers.NODE_VM):
        batch = peers.node_vm(SOURCE, scale.peer_runs)
        candidates[peers.NODE_VM] = Candidate(run=batch, runs=1, times_itself=True)
        candidates[peers.NODE] = Candidate(run=peers.node_process, runs=1)
    found = compare(candidates, scale.rounds, MICROSECONDS)
    return [
        Row(
            name="fresh cell, ({a:1})",
            unit="us",
            ours=found.pop("ours"),
            peers=peers.entries(_FRESH_PEERS, found),
            targets=(
                Target(figure="p50", at_most=80),
                Target(figure="p99", at_most=250),
                Target(figure="p50", at_most=0.4, peer=peers.QUICKJS),
            ),
        )
    ]


def host_call(cells: Cells, scale: Scale) -> list[Row]:
    """One answered call: a loop of calls less the same loop without them."""
    calls = scale.calls
    with_calls, without = Program(source=_CALLS % calls), Program(source=_NO_CALLS % calls)
    for program in (with_calls, without):
        cells.expect(program, str(calls).encode())
    pairs: Pairs = {"ours": (lambda: cells.value(with_calls), lambda: cells.value(without))}
    for peer in _CALLBACK_PEERS:
        if peers.has(peer):
            pairs[peer] = _callback_pair(peer, calls)
    found = {peer: _per_call(figures, calls) for peer, figures in _differences(pairs, scale, MICROSECONDS).items()}
    return [
        Row(
            name="host call",
            unit="us",
            ours=found.pop("ours"),
            peers=peers.entries(_CALLBACK_PEERS, found) | {peers.MINI_RACER: _PROMISES_ONLY},
            targets=(Target(figure="p50", at_most=25),),
            reason="ours suspends the cell and carries an envelope as JSON; a peer's callback carries one string",
        )
    ]


def large_values(cells: Cells, scale: Scale) -> list[Row]:
    """A value of 100 KB out of a cell and a tool result of 100 KB into one, each less the same without crossing."""
    size = len(cells.value(Program(source=f"{_ROWS} rows")))
    text = "x" * LARGE
    reply = json.dumps({"ok": True, "result": {"content": [{"type": "text", "text": text}]}, "data": text}).encode()
    half = json.dumps({"ok": True, "result": {"content": []}, "data": text}).encode()
    answered = replace(cells, reply=half)
    call = Program(source="call_tool('server', 'tool').data.length")
    answered.expect(call, str(LARGE).encode())
    pairs: Pairs = {
        "out": (_run(cells, f"{_ROWS} rows"), _run(cells, f"{_ROWS} rows.length")),
        "in": (_run(answered, call.source), _run(cells, "call_tool('server', 'tool').data")),
        "twice": (_run(replace(cells, reply=reply), call.source), _run(cells, "call_tool('server', 'tool').data")),
    }
    found = _differences(pairs, scale, MILLISECONDS)
    bound = (Target(figure="p50", at_most=1),)
    return [
        Row(name="100 KB JSON value out", unit="ms", ours=found["out"], targets=bound, reason=f"{size:,} bytes"),
        Row(name="100 KB tool result in", unit="ms", ours=found["in"], targets=bound, reason=f"{len(half):,} bytes"),
        Row(name="... as content and data", unit="ms", ours=found["twice"], reason=f"{len(reply):,} bytes"),
    ]


def typescript(cells: Cells, scale: Scale) -> list[Row]:
    """Stripping the types of a 3 KB program: the program less the same program written without types."""
    typed = Program(source=(PROGRAMS / "orders.ts").read_text(), language=Language.TYPESCRIPT)
    plain = Program(source=(PROGRAMS / "orders.js").read_text())
    cells.expect(typed, cells.value(plain))
    pair: Pairs = {"strip": ((lambda: cells.value(typed)), (lambda: cells.value(plain)))}
    strip = _differences(pair, scale, MILLISECONDS)["strip"]
    whole = compare(
        {"ours": Candidate(run=lambda: cells.value(typed), runs=scale.peer_runs * 2)}, scale.rounds, MILLISECONDS
    )["ours"]
    size = f"{len(typed.source.encode()):,} bytes"
    bound = (Target(figure="p50", at_most=1.5),)
    return [
        Row(name="TypeScript 3 KB, types stripped", unit="ms", ours=strip, targets=bound, reason=size),
        Row(name="TypeScript 3 KB, whole run", unit="ms", ours=whole, reason=size),
    ]


def _run(cells: Cells, source: str) -> Callable[[], object]:
    program = Program(source=source)
    cells.value(program)
    return lambda: cells.value(program)


def _callback_pair(peer: str, calls: int) -> Pair:
    evaluate = peers.with_callback(peer, "host", lambda _argument: 1)
    return (lambda: evaluate(_CALLBACKS % calls)), (lambda: evaluate(_NO_CALLBACKS % calls))


def _differences(pairs: Pairs, scale: Scale, unit: float) -> dict[str, dict[str, float]]:
    """Return p50 and mean of each pair's first less its second, all of them interleaved."""
    runs = max(scale.peer_runs // 2, 1)
    candidates = {}
    for name, (whole, less) in pairs.items():
        candidates[f"{name} whole"] = Candidate(run=whole, runs=runs, warm_up=3)
        candidates[f"{name} less"] = Candidate(run=less, runs=runs, warm_up=3)
    found = compare(candidates, scale.rounds, unit)
    return {
        name: {figure: found[f"{name} whole"][figure] - found[f"{name} less"][figure] for figure in ("p50", "mean")}
        for name in pairs
    }


def _per_call(figures: dict[str, float], calls: int) -> dict[str, float]:
    return {name: figure / calls for name, figure in figures.items()}
