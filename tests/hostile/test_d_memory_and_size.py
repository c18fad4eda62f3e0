"""hostile.md group D: memory and size through a whole request, with this process's own memory watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.execution.fake_upstreams import FakeUpstreams
from tests.hostile.bench import resident_bytes

if TYPE_CHECKING:
    from tests.hostile.bench import Bench

MIB = 1 << 20
BOUNDED = {"MEMORY_LIMIT_EXCEEDED", "RUNTIME_ERROR", "TIMEOUT"}
GROWTH = {
    "H32 buffers": "var a = []; for (;;) a.push(new ArrayBuffer(1e6))",
    "H33 caught": "const a = []; for (;;) { try { for (;;) a.push(new ArrayBuffer(1e6)) } catch {} }",
    "H33 caught in promises": "const a = []; for (;;) await (async () => { for (;;) a.push([]) })().catch(() => 1)",
    "H35 repeat": "'x'.repeat(2 ** 30 - 1)",
    "H35 padEnd": "''.padEnd(2 ** 29, 'ab')",
    "H35 doubling": "let s = 'x'; for (;;) s += s",
    "H35 array of strings": "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
    "H40 Map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
    "H40 Set": "const m = new Set(); for (let i = 0; ; i++) m.add('k' + i)",
    "H40 WeakMap": "const w = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); w.set(o, {}) }",
    "H40 symbols": "const a = []; for (let i = 0; i < 1e7; i++) a.push(Symbol())",
    "H40 property names": "const o = {}; for (let i = 0; i < 1e7; i++) o['p' + i] = i",
    "H40 shapes": "const a = []; for (let i = 0; ; i++) { a[i] = {}; for (let j = 9; j--;) a[i]['k' + i + j] = 1 }",
}  # fmt: skip


@pytest.mark.parametrize("name", GROWTH)
def test_growth_is_bounded_in_the_cell_and_in_the_process(bench: Bench, name: str) -> None:
    before = resident_bytes()
    answer = bench.execute(GROWTH[name], timeout_ms=20_000)
    assert answer["error"]["code"] in BOUNDED - {"TIMEOUT"}
    assert answer["stats"]["peak_memory_bytes"] <= 64 * MIB
    assert resident_bytes() - before < 16 * MIB, "the cell's memory is given back"


def test_h32_h40_many_bombs_leave_the_process_where_it_was(bench: Bench) -> None:
    bomb = "const a = []; for (;;) a.push(new Uint8Array(1e5).fill(7))"
    bench.execute(bomb, memory_mb=32)
    before = resident_bytes()
    for _ in range(20):
        assert bench.code_of(bomb, memory_mb=32) == "MEMORY_LIMIT_EXCEEDED"
    assert resident_bytes() - before < 8 * MIB


def test_h35_an_impossible_string_is_refused_before_it_is_made(bench: Bench) -> None:
    answer = bench.execute("'x'.repeat(2 ** 30 - 1)")
    assert answer["stats"]["fuel"] < 1_000_000
    assert answer["stats"]["peak_memory_bytes"] < 8 * MIB


@pytest.mark.parametrize("code", ["'x'.repeat(20e6)", "Array(1e6).fill('abcdef')", "({ ['k'.repeat(1e7)]: 1 })",
                                  "const s = 'x'.repeat(1e6); Array(20).fill(s)"])  # fmt: skip
def test_h36_a_huge_result_is_too_large_and_never_decoded(bench: Bench, code: str) -> None:
    before = resident_bytes()
    assert bench.code_of(code, timeout_ms=20_000) == "RESULT_TOO_LARGE"
    assert resident_bytes() - before < 16 * MIB


@pytest.mark.parametrize("code", ["let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; a",
                                  "const s = 'x'.repeat(1e6); Array(1e5).fill(s)",
                                  "new Proxy([], { get: (t, k) => k === 'length' ? 1e9 : 1 })"])  # fmt: skip
def test_h36_a_result_that_only_counts_up_is_stopped(bench: Bench, code: str) -> None:
    answer = bench.execute(code, timeout_ms=2_000)
    assert answer["error"]["code"] in {"RESULT_TOO_LARGE", "TIMEOUT"}


@pytest.mark.parametrize(
    "code",
    [
        "throw new Error('x'.repeat(5e6))",
        "throw 'x'.repeat(5e6)",
        "const e = new Error('m'); e.stack = 's'.repeat(5e6); throw e",
        "const e = new Error('m'); e.name = 'n'.repeat(5e6); throw e",
        "throw { message: 'x'.repeat(5e6) }",
        "Promise.reject(new Error('x'.repeat(5e6)))",
    ],
)
def test_h37_a_huge_error_is_cut(bench: Bench, code: str) -> None:
    error = bench.execute(code, timeout_ms=5_000)["error"]
    assert error["code"] == "RUNTIME_ERROR"
    assert len(error["message"].encode()) + len(error["stack"].encode()) <= 20_000
    if "message" not in code and "stack" not in code and "name" not in code:
        assert "cut here" in error["message"]


@pytest.mark.parametrize(
    "code",
    ["for (let i = 0; i < 100000; i++) console.log('line', i); 5", "console.log('x'.repeat(2e7)); 5",
     "for (let i = 0; i < 2000; i++) console.error({ a: 'y'.repeat(100) }); 5",
     "console.table(Array.from({ length: 5000 }, (_, i) => ({ i, s: 'x'.repeat(50) }))); 5"],
)  # fmt: skip
def test_h38_a_flood_of_logs_is_cut_marked_and_survived(bench: Bench, code: str) -> None:
    answer = bench.execute(code, timeout_ms=20_000)
    assert answer["value"] == 5
    assert sum(len(line.encode()) for line in answer["logs"]) <= 66 * 1024
    text = answer["logs"][-1]
    assert "truncated" in text or "more" in text


def test_h39_huge_arguments_are_refused_and_not_sent(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = "call_tool('github', 't', { x: 'y'.repeat(50e6) }).error.code"
    assert bench.execute(code, upstreams=upstreams, memory_mb=256, timeout_ms=20_000)["value"] == "INVALID_ARGS"
    assert upstreams.sent == []


def test_h39_a_huge_batch_is_refused_whole_and_costs_no_budget(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = """
        const x = 'y'.repeat(1e6), r = { server: 'github', tool: 't', args: { x } };
        const refused = call_tools(Array(100).fill(r)).error.code;
        [refused, call_tool('github', 't').ok]"""
    answer = bench.execute(code, upstreams=upstreams, timeout_ms=20_000, options={"max_tool_calls": 1})
    assert answer["value"] == ["INVALID_ARGS", True]
    assert len(upstreams.sent) == 1


def test_an_answer_too_large_for_the_cell_is_a_memory_error(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = "const x = 'y'.repeat(3e6); const kept = []; for (;;) kept.push(call_tool('github', 't', { echo: x }).data)"
    answer = bench.execute(code, upstreams=upstreams, memory_mb=32, timeout_ms=60_000)
    assert answer["error"]["code"] == "MEMORY_LIMIT_EXCEEDED"
    assert len(answer["calls"]) == len(upstreams.sent)
