"""A cell's memory is bounded, whatever fills it (hostile cases H32 to H40; spec 2.6)."""

from __future__ import annotations

import pytest

from tests.sandbox.driver import RunProgram, StillRunning, ok
from toolcell.model.codes import RunCode

MIB = 1 << 20

GROWING = {
    "array buffers": "const a = []; for (;;) a.push(new ArrayBuffer(1e6))",
    "small arrays": "const a = []; for (;;) a.push([])",
    "objects in a chain": "let o = {}; for (;;) o = { o }",
    "strings": "const a = []; for (let i = 0; ; i++) a.push('text number ' + i)",
    "one array": "const a = []; for (;;) a.push(1.5)",
    "a Map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
    "a Set of objects": "const s = new Set(); for (;;) s.add({})",
    "a WeakMap with live keys": "const w = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); w.set(o, o) }",
    "property names": "const o = {}; for (let i = 0; ; i++) o['name' + i] = i",
    "symbols": "const a = []; for (let i = 0; ; i++) a.push(Symbol(i))",
    "registered symbols": "const a = []; for (let i = 0; ; i++) a.push(Symbol.for('s' + i))",
    "closures": "const a = []; for (let i = 0; ; i++) a.push(() => i)",
    "promises": "const a = []; for (;;) a.push(new Promise(() => {}))",
    "pending jobs": "function f() { Promise.resolve().then(f); Promise.resolve().then(f) } f(); 1",
    "async recursion": "async function f() { await 0; return f() } f(); 1",
    "unhandled rejections": "for (;;) Promise.reject(1)",
    "generators": "const a = []; function* g() { yield 1 } for (;;) { const i = g(); i.next(); a.push(i) }",
    "BigInts": "const a = []; for (let i = 1n; ; i++) a.push(i << 5000n)",
    "regular expressions": "const a = []; for (let i = 0; ; i++) a.push(new RegExp('(a' + i + ')*'))",
    "functions from text": "const a = []; for (let i = 0; ; i++) a.push(new Function('return ' + i))",
    "classes": "const a = []; for (;;) a.push(class { m() {} static #p = 1 })",
    "errors": "const a = []; for (;;) a.push(new Error('x'))",
    "proxies": "let p = {}; for (;;) p = new Proxy(p, {})",
    "spread": "let a = [1]; for (;;) a = [...a, ...a]",
    "concat": "let a = [1]; for (;;) a = a.concat(a)",
    "a growing typed array": "let t = new Uint8Array(1); for (;;) { const u = new Uint8Array(t.length * 2); t = u }",
    "structured clones": "const a = []; const o = { x: [1, 2, 3] }; for (;;) a.push(structuredClone(o))",
    "URLs": "const a = []; for (let i = 0; ; i++) a.push(new URL('https://example.com/' + i))",
    "dates": "const a = []; for (;;) a.push(new Date())",
    "split": "'x'.repeat(2e6).split('').map(x => [x])",
    "an endless iterator": "[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: {} }) }) }]",
    "caught and gone on": "const a = []; for (;;) { try { for (;;) a.push(new Uint8Array(999)) } catch {} }",
    "in a finally": "const a = []; try { for (;;) a.push([]) } finally { for (;;) a.push([]) }",
    "in a promise's reaction": "const a = []; Promise.resolve().then(() => { for (;;) a.push([]) }).catch(() => 1)",
    "in a getter of the value": "({ get a() { const a = []; for (;;) a.push([]) } })",
}  # fmt: skip


@pytest.mark.parametrize("name", GROWING)
def test_growth_ends_the_run_and_stays_under_the_cap(run: RunProgram, name: str) -> None:
    result = run(GROWING[name], memory_bytes=8 * MIB)
    assert result.failure.code in {RunCode.MEMORY_LIMIT_EXCEEDED, RunCode.RUNTIME_ERROR}
    if result.failure.code is RunCode.RUNTIME_ERROR:
        assert "RangeError: " in result.failure.message
    assert result.peak <= 8 * MIB
    assert run("1 + 1").value == 2


@pytest.mark.parametrize("mebibytes", [4, 16, 64, 256])
def test_the_cap_is_the_limit_that_was_given(run: RunProgram, mebibytes: int) -> None:
    result = run("const a = []; for (;;) a.push(new ArrayBuffer(1e5))", memory_bytes=mebibytes * MIB)
    assert result.failure.code is RunCode.MEMORY_LIMIT_EXCEEDED
    assert f"{mebibytes} MiB" in result.failure.message
    assert mebibytes * MIB * 0.7 < result.peak <= mebibytes * MIB


@pytest.mark.parametrize(
    ("count", "piece"),
    [(48, "new Uint8Array(1024 * 1024)"), (48 * 16, "new Uint8Array(65536)"), (36 * 1024, "'x'.repeat(1000)")],
)
def test_a_program_may_use_most_of_its_memory(run: RunProgram, count: int, piece: str) -> None:
    source = f"const a = []; for (let i = 0; i < {count}; i++) a.push({piece}); a.length"
    assert run(source, memory_bytes=64 * MIB).value == count


@pytest.mark.parametrize(
    "source",
    ["'x'.repeat(2 ** 30 - 1)", "''.padEnd(2 ** 29, 'ab')", "let s = 'x'; for (;;) s += s", "new ArrayBuffer(2 ** 30)",
     "new Uint8Array(2 ** 31 - 1)", "'ab'.repeat(2 ** 28).length"],
)  # fmt: skip
def test_one_impossible_request_is_an_error_that_a_program_may_catch(run: RunProgram, source: str) -> None:
    assert run(source).failure.code is RunCode.RUNTIME_ERROR
    caught = run(f"let name; try {{ {source} }} catch (e) {{ name = e.name }} name").value
    assert caught in {"RangeError", "InternalError"}


GARBAGE = {
    "objects": "for (let i = 0; i < 300000; i++) ({ a: [i], b: 'x' + i })",
    "cycles": "for (let i = 0; i < 100000; i++) { const a = {}, b = { a }; a.b = b }",
    "buffers": "for (let i = 0; i < 2000; i++) new Uint8Array(100000)",
    "closures in cycles": "for (let i = 0; i < 50000; i++) { const o = {}; o.f = () => o }",
    "promises": "for (let i = 0; i < 30000; i++) await new Promise(r => r())",
    "strings": "for (let i = 0; i < 3000; i++) 'x'.repeat(10000) + i",
    "regular expressions": "for (let i = 0; i < 5000; i++) new RegExp('a' + i).test('b')",
    "maps": "for (let i = 0; i < 2000; i++) new Map([[1, {}], [2, {}]])",
    "blocks of growing size": "for (let i = 1; i < 3000; i++) new Array(i).fill(i)",
    "blocks of shrinking size": "for (let i = 3000; i > 0; i--) new Array(i).fill(i)",
    "blocks of every size": "for (let i = 0; i < 20000; i++) 'x'.repeat((i * 7919) % 3000)",
    "calls": "for (let i = 0; i < 3000; i++) call_tool('s', 't', { text: 'x'.repeat(1000) })",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_does_not_count_against_the_limit(run: RunProgram, name: str) -> None:
    source = f"{GARBAGE[name]}; 'done'"
    assert run(source, memory_bytes=8 * MIB, answers=lambda _request: ok("y" * 1000)).value == "done"


# ---- what leaves the cell ----


def test_a_million_console_lines_are_cut_and_the_program_goes_on(run: RunProgram) -> None:
    result = run("for (let i = 0; i < 200000; i++) console.log('line ' + i); 5")
    assert result.value == 5
    assert sum(len(line.encode()) for line in result.logs[:-1]) <= 64 * 1024
    assert result.logs[0] == "line 0"
    assert "truncated" in result.logs[-1]


def test_one_huge_console_line_is_cut_and_the_program_goes_on(run: RunProgram) -> None:
    result = run("console.log('x'.repeat(2e7)); console.log('after'); 5")
    assert result.value == 5
    assert sum(len(line.encode()) for line in result.logs) <= 70 * 1024


@pytest.mark.parametrize("limit", [0, 1, 8, 9, 100, 65_536])
def test_the_log_s_limit_is_kept_exactly_and_said(run: RunProgram, limit: int) -> None:
    result = run("for (let i = 0; i < 20000; i++) console.log('é'); 1", max_log_bytes=limit)
    assert result.value == 1
    assert sum(len(line.encode()) + 8 for line in result.logs[:-1]) <= limit + 8
    assert "truncated" in result.logs[-1]
    assert set(result.logs[:-1]) <= {"é", ""}


@pytest.mark.parametrize("ending", ["throw new Error('x')", "null.x", "(() => 1)", "const a = []; for (;;) a.push([])",
                                    "function f() { f() } f()", "await new Promise(() => {})"])  # fmt: skip
def test_logs_are_kept_on_every_failing_path(run: RunProgram, ending: str) -> None:
    result = run(f"console.log('before'); {ending}", memory_bytes=8 * MIB)
    assert result.error is not None
    assert result.logs == ["before"]


def test_logs_of_a_program_that_is_stopped_can_still_be_read(run: RunProgram) -> None:
    with pytest.raises(StillRunning):
        run("console.log('before'); for (;;);", max_slices=3)
    result = run("console.log('before'); for (;;);", fuel=1_000_000)
    assert result.logs == ["before"]


def test_huge_args_are_refused_before_anything_is_sent(run: RunProgram) -> None:
    result = run("call_tool('s', 't', { x: 'y'.repeat(50e6) }).error.code", memory_bytes=256 * MIB)
    assert result.value == "INVALID_ARGS"
    assert result.requests == []


def test_a_huge_batch_is_refused_before_anything_is_sent(run: RunProgram) -> None:
    source = """
        const x = 'y'.repeat(1e6);
        call_tools(Array.from({ length: 100 }, () => ({ server: 's', tool: 't', args: { x } }))).error.code"""
    result = run(source)
    assert result.value == "INVALID_ARGS"
    assert result.requests == []
