"""hostile.md group C: nothing outlives its deadline, and nothing can catch, delay or swallow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.execution.fake_upstreams import FakeUpstreams
from tests.hostile.bench import TurnClock
from tests.sandbox.driver import SLICE
from toolcell.sandbox import CellLimits, Program, Running

if TYPE_CHECKING:
    from tests.hostile.bench import Bench
    from toolcell.sandbox import Engine

ENDLESS = {
    "H19 while": "while(true){}",
    "H19 for": "for(;;);",
    "H19 labelled": "a:for(;;)continue a",
    "H19 do": "do {} while (1)",
    "H19 finally": "for (;;) { try { continue } finally { continue } }",
    "H19 caught": "for (;;) { try { for (;;); } catch {} }",
    "H19 return in finally": "(function f() { for (;;) { try { return } finally { continue } } })()",
    "H19 getter": "Object.defineProperty(globalThis, 'x', { get() { for (;;); } }); x",
    "H19 static block": "class A { static { for (;;); } }",
    "H19 eval": "eval('for(;;);')",
    "H19 generated function": "new Function('for(;;);')()",
    "H21 nested quantifiers": "/^(a+)+$/.test('a'.repeat(40) + '!')",
    "H21 two of them": "/(x+x+)+y/.test('x'.repeat(60))",
    "H21 backreference": "/^(.*)*\\1*b$/.test('a'.repeat(50))",
    "H21 replace": "'a'.repeat(5e4).replace(/(a*)*b/g, '')",
    "H21 split": "'x'.repeat(60).split(/(x+x+)+y/)",
    "H23 BigInt squares": "let x = 3n ** 20000n; for (;;) x = x * x % 7n ** 20000n",
    "H23 BigInt text": "for (let x = 7n ** 40000n;;) String(x)",
    "H23 BigInt parse": "const s = '7'.repeat(40000); for (;;) BigInt(s)",
    "H25 sort": "const a = Array.from({ length: 1e5 }, (_, i) => i); for (;;) a.sort(() => Math.random() - .5)",
    "H25 comparator": "[3, 1, 2].sort(() => { for (;;); })",
    "H25 native sort": "const a = new Float64Array(1e5); for (;;) a.map((_, i) => -i).sort()",
    "H25 big join": "Array(2 ** 32 - 1).join()",
    "H25 big indexOf": "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
    "H25 big reverse": "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
    "H26 microtasks": "(function f() { Promise.resolve().then(f) })(); 1",
    "H26 queueMicrotask": "(function f() { queueMicrotask(f) })(); 1",
    "H26 awaiting": "for (;;) await 0",
    "H26 rejections": "for (;;) try { await Promise.reject(1) } catch {}",
    "H26 catch chain": "(function f() { Promise.reject(1).catch(f) })(); await new Promise(() => {})",
    "H26 in a reaction": "Promise.resolve().then(() => { for (;;); }).catch(() => 1)",
    "H26 thenable": "await { then() { for (;;); } }",
    "H26 async generator": "for await (const x of (async function* () { for (;;) yield 1 })());",
    "H27 toJSON": "({ toJSON() { for (;;); } })",
    "H27 getter": "({ get a() { for (;;); } })",
    "H27 proxy keys": "new Proxy({}, { ownKeys() { for (;;); } })",
    "H27 proxy length": "new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 40 : 1 })",
    "H27 in the arguments of a call": "call_tool('github', 't', { get a() { for (;;); } })",
    "H27 in a batch": "call_tools([{ get server() { for (;;); } }])",
    "H27 in a log line": "console.log({ toString() { for (;;); } }, '%j', { toJSON() { for (;;); } }); for (;;);",
    "H27 stack limit": "Error.stackTraceLimit = { valueOf() { for (;;); } }; null.x",
    "H29 iterator": "[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }].length; for (;;);",
    "H29 destructuring": "const [...a] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }; for (;;);",
    "H29 for of": "for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) });",
    "H29 iterator helper": "({ __proto__: Iterator.prototype, next: () => ({ done: false }) }).drop(Infinity).next()",
    "JSON.parse reviver": "JSON.parse('[1]', () => { for (;;); })",
    "JSON.stringify": "JSON.stringify({ toJSON() { for (;;); } })",
    "string search": "for (;;) 'ab'.repeat(1e5).includes('ba'.repeat(4e4) + 'c')",
    "structuredClone": "structuredClone({ get a() { for (;;); } })",
    "Date": "new Date({ valueOf() { for (;;); } })",
    "template": "`${{ toString() { for (;;); } }}`",
}  # fmt: skip
STOPPED = {"TIMEOUT", "MEMORY_LIMIT_EXCEEDED"}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_program_is_stopped_at_its_deadline(bench: Bench, name: str) -> None:
    answer = bench.execute(ENDLESS[name], timeout_ms=300)
    assert answer["error"]["code"] in STOPPED
    if answer["error"]["code"] == "TIMEOUT":
        assert answer["error"]["message"] == "JavaScript execution timed out"
        assert answer["error"]["stack"] == ""
        assert answer["stats"]["fuel"] <= 310 * SLICE
    else:
        assert "29" in name, "only those that gather values may run out of memory first"


@pytest.mark.parametrize("name", ENDLESS)
def test_no_slice_of_an_endless_program_is_much_longer_than_asked(engine: Engine, name: str) -> None:
    cell = engine.start(Program(source=ENDLESS[name]), CellLimits())
    used = 0
    for _ in range(40):
        event = cell.step(SLICE)
        assert cell.fuel_used - used < 3 * SLICE, "a deadline is only as exact as a slice"
        used = cell.fuel_used
        if not isinstance(event, Running):
            break
    cell.close()


def test_h30_a_wait_and_then_a_loop_is_one_timeout_and_one_call(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    answer = bench.execute("call_tool('github', 'slow'); for (;;);", upstreams=upstreams)
    assert answer["error"]["code"] == "TIMEOUT"
    assert [call["tool"] for call in answer["calls"]] == ["slow"]
    assert len(upstreams.sent) == 1


def test_h30_a_call_without_an_answer_ends_at_the_deadline_and_is_cancelled(bench: Bench) -> None:
    upstreams = FakeUpstreams()
    clock = TurnClock()
    answer = bench.execute("call_tool('github', 'slow'); 1", upstreams=upstreams, clock=clock, timeout_ms=5000)
    assert answer["error"]["code"] == "TIMEOUT"
    assert "github.slow" in answer["error"]["message"]
    assert answer["calls"] == []
    assert upstreams.sent[0].cancelled
    assert 5000 <= answer["stats"]["wall_ms"] < 5010


def test_h30_waiting_uses_no_fuel(bench: Bench) -> None:
    answer = bench.execute("call_tool('github', 'slow')", timeout_ms=600_000)
    assert answer["error"]["code"] == "TIMEOUT"
    assert answer["stats"]["fuel"] < SLICE


def test_after_the_deadline_no_further_call_is_sent(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    answer = bench.execute("for (;;) call_tool('github', 't')", upstreams=upstreams, timeout_ms=100)
    assert answer["error"]["code"] == "TIMEOUT"
    sent = len(upstreams.sent)
    assert answer["stats"]["tool_calls"] == sent
    bench.stands()
    assert len(upstreams.sent) == sent


@pytest.mark.parametrize("timeout_ms", [1, 2, 10])
def test_a_tiny_deadline_is_a_timeout_and_no_crash(bench: Bench, timeout_ms: int) -> None:
    assert bench.code_of("for (;;);", timeout_ms=timeout_ms) == "TIMEOUT"


def test_failing_calls_in_a_caught_loop_stop_at_the_budget(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = "let no = 0; for (let i = 0; i < 100; i++) { try { if (!call_tool('github', 't').ok) no++ } catch {} } no"
    answer = bench.execute(code, upstreams=upstreams, options={"max_tool_calls": 16})
    assert answer["value"] == 84
    assert len(upstreams.sent) == 16
