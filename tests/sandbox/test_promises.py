"""Promises: settled ones have their value, stuck ones are found at once, and no rejection is silent (spec 2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sandbox.driver import ok, refused
from toolcell.model.codes import RunCode

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

STUCK = [
    "new Promise(() => {})",
    "await new Promise(() => {})",
    "await new Promise(() => {}); 5",
    "return new Promise(() => {})",
    "await Promise.race([])",
    "await Promise.all([1, new Promise(() => {})])",
    "await { then() {} }",
    "(async () => { await new Promise(() => {}) })()",
    "let go; const gate = new Promise(r => { go = r }); await gate; go()",
    "for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }) x",
    "export default async () => { await new Promise(() => {}) }",
    "const p = (async () => { await 0; return q })(); const q = (async () => { return await p })(); await p",
]

REJECTED = {
    "as the value": ("Promise.reject(new TypeError('r'))", "TypeError: r"),
    "and awaited": ("await Promise.reject(new TypeError('r'))", "TypeError: r"),
    "and forgotten": ("Promise.reject(new Error('forgotten')); 1", "forgotten"),
    "in an async function nobody awaits": ("(async () => { throw new TypeError('lost') })(); 5", "TypeError: lost"),
    "after an await": ("(async () => { await 0; null.x })(); 5", "TypeError: Cannot read property 'x' of null"),
    "in a reaction": ("Promise.resolve().then(() => { throw new Error('then') }); 1", "then"),
    "in a finally": ("Promise.resolve().finally(() => { throw new Error('fin') }); 1", "fin"),
    "in a microtask": ("queueMicrotask(() => { throw new Error('task') }); 1", "task"),
    "by the executor": ("new Promise(() => { throw new Error('ex') }); 1", "ex"),
    "by a thenable": ("await { then() { throw new Error('thenable') } }", "thenable"),
    "in a catch": ("Promise.reject(1).catch(() => { throw new Error('again') }); 1", "again"),
    "with undefined": ("new Promise((_, no) => no()); 1", "Uncaught undefined"),
    "by Promise.any": ("await Promise.any([Promise.reject(1)])", "AggregateError"),
    "by Promise.all, first": (
        "await Promise.all([Promise.reject(new Error('a')), Promise.reject(new Error('b'))])",
        "a",
    ),
    "many times": ("for (let i = 0; i < 1000; i++) Promise.reject(i); 1", "Uncaught 0"),
    "where the first 64 of many are handled": (
        (
            "const ps = []; for (let i = 0; i < 100; i++) ps.push(Promise.reject(i));"
            " for (let i = 0; i < 64; i++) ps[i].catch(() => {}); 1"
        ),
        "Uncaught 64",
    ),
    "in a derived promise": ("const p = Promise.reject(new Error('d')); p.then(() => {}); 1", "d"),
}

HANDLED = {
    "by catch": ("Promise.reject(1).catch(() => 7)", 7),
    "by try": ("try { await Promise.reject(new Error('c')) } catch (e) { e.message }", "c"),
    "later in the same job": ("const p = Promise.reject(1); p.catch(() => {}); 8", 8),
    "after an await": ("const p = Promise.reject(1); await 0; await p.catch(() => 9)", 9),
    "many awaits later": ("const p = Promise.reject(5); for (let i = 0; i < 50; i++) await 0; p.catch(x => x)", 5),
    "a thousand at a time": (
        (
            "const ps = []; for (let i = 0; i < 1000; i++) ps.push(Promise.reject(i));"
            " await 0; (await Promise.allSettled(ps)).length"
        ),
        1000,
    ),
    "a hundred thousand, one after the other": (
        "let n = 0; for (let i = 0; i < 100000; i++) { try { await Promise.reject(i) } catch { n++ } }; n",
        100_000,
    ),
    "by allSettled": (
        "(await Promise.allSettled([Promise.reject(1), 2])).map(r => r.status)",
        ["rejected", "fulfilled"],
    ),
    "by race": ("await Promise.race([2, Promise.reject(1)])", 2),
    "by any": ("await Promise.any([Promise.reject(1), 3])", 3),
}


@pytest.mark.parametrize("source", STUCK)
def test_a_promise_that_nothing_can_settle_is_found_at_once(run: RunProgram, source: str) -> None:
    error = run(source, max_slices=3).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert "Promise that nothing can settle" in error.message


@pytest.mark.parametrize("name", REJECTED)
def test_a_rejection_that_nobody_handles_ends_the_run(run: RunProgram, name: str) -> None:
    source, message = REJECTED[name]
    error = run(source).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert error.message == message


@pytest.mark.parametrize("name", HANDLED)
def test_a_handled_rejection_is_no_error(run: RunProgram, name: str) -> None:
    source, value = HANDLED[name]
    assert run(source).value == value


def test_a_stuck_program_names_the_rejection_that_stopped_it(run: RunProgram) -> None:
    source = "const p = (async () => { throw new Error('cause') })(); await new Promise(() => {})"
    assert run(source).failure.message == "cause"


def test_a_rejection_keeps_the_place_where_it_was_thrown(run: RunProgram) -> None:
    error = run("async function f() {\n  await 0\n  throw new Error('x')\n}\nawait f()").failure
    assert (error.line, error.column) == (3, 9)


def test_jobs_run_in_order_and_before_the_value_is_read(run: RunProgram) -> None:
    source = "const s = []; Promise.resolve().then(() => s.push(2)); queueMicrotask(() => s.push(3)); s.push(1); s"
    assert run(source).value == [1, 2, 3]


def test_a_microtask_may_still_call_a_tool(run: RunProgram) -> None:
    source = "let got; Promise.resolve().then(() => { got = call_tool('s', 't').data }); await 0; await 0; got"
    assert run(source, answers=[ok(5)]).value == 5


def test_an_unseen_refusal_outranks_the_stuck_promise_it_led_to(run: RunProgram) -> None:
    source = "call_tool('s', 't'); await new Promise(() => {})"
    assert run(source, answers=[refused("SERVER_NOT_ALLOWED")]).failure.code is RunCode.SERVER_NOT_ALLOWED


def test_an_unseen_refusal_outranks_the_rejection_it_led_to(run: RunProgram) -> None:
    source = "const r = call_tool('s', 't'); Promise.reject(new Error('x')); 1"
    assert run(source, answers=[refused("SERVER_NOT_ALLOWED")]).failure.code is RunCode.SERVER_NOT_ALLOWED


@pytest.mark.parametrize(
    "patch",
    [
        "Promise.prototype.then = () => { throw 1 }",
        "Promise = null",
        "Promise.resolve = null",
        "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 1 } })",
        "Promise.prototype.catch = null",
    ],
)
def test_a_changed_promise_does_not_reach_how_a_run_is_settled(run: RunProgram, patch: str) -> None:
    source = f"const p = Promise.resolve(6); {patch}; p"
    assert run(source).value == 6
