"""The two stacks of a cell (wasm/src/cell/stack.c): what is deep works, is caught, and leaves the cell as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

DEEP = "function down(n, leaf) { return n === 0 ? leaf() : down(n - 1, leaf) }"


def test_plain_recursion_goes_2500_frames_deep(run: RunProgram) -> None:
    assert run(f"{DEEP} down(2500, () => 'bottom')").value == "bottom"


def test_recursion_without_end_is_a_range_error_and_the_program_goes_on(run: RunProgram) -> None:
    source = "function f() { return f() + 1 } let name; try { f() } catch (e) { name = e.name } [name, 1 + 1]"
    assert run(source).value == ["RangeError", 2]


def test_the_second_stack_is_used_again_and_again(run: RunProgram) -> None:
    source = f"{DEEP} let n = 0; for (let i = 0; i < 50; i++) n += down(1000, () => 1); n"
    result = run(source)
    assert result.value == 50
    assert result.peak < 3 * 2**20


@pytest.mark.parametrize("depth", [0, 100, 300, 340, 360, 400, 1000, 2400])
def test_a_call_suspends_and_resumes_at_any_depth(run: RunProgram, depth: int) -> None:
    source = f"{DEEP} const one = () => call_tool('s', 't', {{}}).data; [down({depth}, one), down({depth}, one)]"
    assert run(source, answers=lambda _request: {"ok": True, "data": 7}).value == [7, 7]


@pytest.mark.parametrize("depth", range(200, 500, 10))
def test_an_exception_crosses_from_one_stack_to_the_other(run: RunProgram, depth: int) -> None:
    source = (
        f"{DEEP} let m; try {{ down({depth}, () => null.x) }} catch (e) {{ m = e.name }} [m, down({depth}, () => 1)]"
    )
    assert run(source).value == ["TypeError", 1]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("JSON.parse('['.repeat(2000) + ']'.repeat(2000)).length", 1),
        ("let a = []; for (let i = 0; i < 1500; i++) a = [a]; JSON.stringify(a).length", 3002),
        ("let a = 1; for (let i = 0; i < 500; i++) a = [a]; String(a)", "1"),
        ("let a = 1; for (let i = 0; i < 1000; i++) a = [a]; a.flat(Infinity)", [1]),
        ("let a = 1; for (let i = 0; i < 490; i++) a = {a}; JSON.stringify(a).length", 490 * 6 + 1),
        ("(" * 1000 + "1" + ")" * 1000, 1),
        ("let f = () => 1; for (let i = 0; i < 800; i++) { const g = f; f = () => g() } f()", 1),
        ("class A {} let C = A; for (let i = 0; i < 300; i++) C = class extends C {}; new C() instanceof A", True),
        ("let s = 'x'; for (let i = 0; i < 200; i++) s = [s].map(v => v)[0]; s", "x"),
        ("async function f(n) { return n ? await f(n - 1) : 'end' } await f(1500)", "end"),
        ("function* g(n) { if (n) yield* g(n - 1); yield n } [...g(200)].length", 201),
    ],
)
def test_what_nests_deeply_works(run: RunProgram, source: str, value: object) -> None:
    assert run(source).value == value


def test_one_frame_larger_than_both_stacks_is_an_error(run: RunProgram) -> None:
    source = "const many = Array(200000).fill(1); Math.max(...many) + Math.max.apply(null, many)"
    result = run(source)
    assert result.error is not None or result.value == 2
    assert "engine" not in (result.failure.message if result.error is not None else "")


def test_a_function_with_very_many_locals_does_not_wrap_the_stack(run: RunProgram) -> None:
    names = ",".join(f"v{n}" for n in range(30_000))
    result = run(
        f"function wide() {{ var {names}; return 1 }} let r; try {{ r = wide() }} catch (e) {{ r = e.name }} r"
    )
    assert result.value in {1, "RangeError"}


DEPTHS = "const bad = []; for (let d = 0; d < 1500; d++) { try { rec(d) } catch (e) { bad.push(d) } } bad"


@pytest.mark.parametrize(
    "leaf",
    [
        "(() => eval('1'))()",
        "eval('('.repeat(40) + '1' + ')'.repeat(40))",
        "new Function('return 1')()",
        "(function () { return 1 }).bind(null)()",
        "(function () { return 1 }).bind(null, ...Array(50).fill(0))()",
        "new Proxy({}, { get: () => 1 }).x",
        "new Proxy(() => 1, { apply: () => 1 })()",
        "new Proxy(class {}, { construct: () => ({}) }) && 1",
        "[...(function* () { yield 1 })()].length",
        "[3, 1, 2].sort((a, b) => a - b)[0]",
        "'abc'.replace(/b/, () => 'x').length",
        "JSON.parse('{\"a\":[1,2]}', (k, v) => v).a.length",
        "JSON.stringify({ a: 1, toJSON() { return 1 } }).length",
        "[[1, [2, [3]]]].flat(Infinity).length",
        "/(((((a)))))+/.test('aaa')",
        "structuredClone({ a: [1] }).a[0]",
        "new URL('https://a.b/c').pathname.length",
        "`${{ toString() { return 'x' } }}`.length",
        "Reflect.construct(class { constructor() { this.x = 1 } }, []).x",
        "console.log({ a: 1 }) ?? 1",
    ],
)
def test_nothing_ordinary_fails_where_the_first_stack_ends(run: RunProgram, leaf: str) -> None:
    source = f"function rec(n) {{ if (n === 0) return {leaf}; const r = rec(n - 1); return r }} {DEPTHS}"
    assert run(source, max_slices=5000).value == []


def test_async_functions_do_not_fail_there_either(run: RunProgram) -> None:
    source = (
        "async function rec(n) { if (n === 0) { await 0; return (function () { return eval('1') }).bind(null)() }"
        " return await rec(n - 1) } let n = 0; for (let d = 0; d < 700; d++) n += await rec(d); n"
    )
    assert run(source, max_slices=5000).value == 700


@pytest.mark.parametrize(
    "change",
    [
        "Object.defineProperty(Object.prototype, 'value', { value: 'forged', writable: false })",
        "Object.defineProperty(Object.prototype, 'value', { set() {}, get() { return 'forged' } })",
        "Object.prototype.then = function (resolve) { resolve('forged') }",
    ],
)
def test_object_prototype_has_no_say_in_the_value_of_an_async_script(run: RunProgram, change: str) -> None:
    assert run(f"{change}; await 1; 42").value == 42
