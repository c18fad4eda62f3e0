"""hostile.md group E: recursion and nesting are errors that a program may catch, never a trap."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.model.limits import MAX_SOURCE_BYTES
from toolcell.model.refusal import Refusal

if TYPE_CHECKING:
    from tests.hostile.bench import Bench


def test_h41_recursion_names_the_call_depth(bench: Bench) -> None:
    error = bench.execute("function f(){return f()+1} f()")["error"]
    assert error["code"] == "RUNTIME_ERROR"
    assert error["message"] == "RangeError: Maximum call stack size exceeded"
    assert error["line"] == 1


def test_h41_recursion_can_be_caught_and_the_program_goes_on(bench: Bench) -> None:
    code = (
        "let d = 0; const f = () => f(++d); try { f() } catch (e) { [e.name, d > 2500, call_tool('github', 't').ok] }"
    )
    answer = bench.execute(code, upstreams=FakeUpstreams(immediate=True))
    assert answer["value"] == ["RangeError", True, True]


def test_h41_recursion_can_be_caught_a_hundred_times(bench: Bench) -> None:
    code = "let n = 0; function f() { f() } for (let i = 0; i < 100; i++) { try { f() } catch { n++ } } n"
    assert bench.execute(code, timeout_ms=5_000)["value"] == 100


@pytest.mark.parametrize(
    "code",
    [
        "const o = { toString() { return '' + o } }; String(o)",
        "const o = { get x() { return o.x } }; o.x",
        "class A { constructor() { new A() } } new A()",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x",
        "function* g() { yield* g() } [...g()]",
        "async function f() { await f() } await f()",
        "const f = () => [1].map(f); f()",
        "const f = () => 'x'.replace(/x/, f); f()",
        "const f = () => [2, 1].sort(f); f()",
        "const f = () => JSON.parse('[1]', f); f()",
        "const f = () => JSON.stringify({ toJSON: f }); f()",
        "const f = () => Reflect.apply(f, null, []); f()",
        "const f = () => eval('f()'); f()",
        "const f = () => new Function('f', 'return f()')(f); f()",
        "const f = () => structuredClone({ get a() { return f() } }); f()",
        "const f = () => call_tool('github', { toString: f }, { get a() { return f() } }); f()",
        "const f = () => call_tool('github', 't', { get a() { return f() } }); f()",
        "const o = { [Symbol.toPrimitive]: () => +o }; +o",
        "const f = async () => { await f() }; f(); 1",
        "JSON.parse('['.repeat(200000))",
        "JSON.parse('['.repeat(200000) + ']'.repeat(200000))",
        "let a = []; for (let i = 0; i < 200000; i++) a = [a]; String(a)",
        "let a = []; for (let i = 0; i < 200000; i++) a = [a]; a.flat(Infinity).length",
        "let p = {}; for (let i = 0; i < 100000; i++) p = new Proxy(p, {}); p.x",
        "let f = () => 1; for (let i = 0; i < 100000; i++) f = f.bind(); f()",
    ],
)
def test_h41_every_way_to_recurse_is_an_error_of_the_program(bench: Bench, code: str) -> None:
    answer = bench.execute(code, timeout_ms=5_000, upstreams=FakeUpstreams(immediate=True))
    if not answer["ok"]:
        assert answer["error"]["code"] in {"RUNTIME_ERROR", "MEMORY_LIMIT_EXCEEDED", "SERIALIZATION_ERROR"}
        assert "stopped the engine" not in answer["error"]["message"]


OPENINGS = [
    "(",
    "[",
    "{",
    "`${",
    "()=>",
    "-",
    "a?b:",
    "function a(){",
    "a=>",
    "!",
    "~",
    "typeof ",
    "new ",
    "async()=>{",
    "[a=",
    "{a:",
    "({a:",
    "a[",
    "a(",
    "if(1)",
    "for(;;)",
    "while(1)",
    "do ",
    "try{",
    "class A{static{",
    "(x=",
    "`${`",
    "yield ",
    "await ",
    "a??(",
    "a&&(",
    "...",
    "label:",
    "switch(1){case 1:",
    "({get a(){",
    "/*",
    "'",
]


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_h43_source_nested_20000_deep_is_an_error_at_once(bench: Bench, opening: str, language: str) -> None:
    answer = bench.execute((opening * 20_000)[:MAX_SOURCE_BYTES], timeout_ms=3_000, language=language)
    assert answer["error"]["code"] in {"SYNTAX_ERROR", "TRANSPILE_ERROR", "RUNTIME_ERROR"}
    assert "stopped the engine" not in answer["error"]["message"]


CLOSED = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("({a:", "1", "})"),
    ("`${", "1", "}`"),
    ("()=>", "1", ""),
    ("(", "()=>1", ")"),
    ("!", "1", ""),
    ("1?", "1", ":0"),
    ("function f(){", "", "}"),
    ("{", "", "}"),
    ("if(1)", ";", ""),
    ("a[", "0", "]"),
    ("1+(", "1", ")"),
    ("new class{x=", "1", "}"),
]


@pytest.mark.parametrize(("opening", "middle", "closing"), CLOSED)
@pytest.mark.parametrize("depth", [300, 2_000, 20_000])
def test_h43_well_formed_nesting_runs_or_is_one_error(
    bench: Bench, opening: str, middle: str, closing: str, depth: int
) -> None:
    depth = min(depth, MAX_SOURCE_BYTES // (len(opening + closing)) - 10)
    code = opening * depth + middle + closing * depth
    answer = bench.execute(code, timeout_ms=5_000)
    if not answer["ok"]:
        allowed = {"SYNTAX_ERROR", "RUNTIME_ERROR", "SERIALIZATION_ERROR", "MEMORY_LIMIT_EXCEEDED"}
        assert answer["error"]["code"] in allowed
        assert "stopped the engine" not in answer["error"]["message"]


@pytest.mark.parametrize(
    "pattern",
    [
        "'('.repeat(20000)",
        "'(?:'.repeat(20000)",
        "'['.repeat(20000)",
        "'(?='.repeat(5000)",
        "'(a'.repeat(20000) + ')'.repeat(20000)",
        "'(?:a|'.repeat(9000) + ')*'.repeat(9000)",
    ],
)
def test_h43_nested_regular_expressions_are_an_error_of_the_program(bench: Bench, pattern: str) -> None:
    assert bench.code_of(f"new RegExp({pattern}).test('a')", timeout_ms=5_000) in {"RUNTIME_ERROR", "TIMEOUT"}


@pytest.mark.parametrize("depth", [501, 5_000, 100_000])
def test_h45_a_result_nested_too_deep_is_a_serialization_error(bench: Bench, depth: int) -> None:
    code = f"let a = []; for (let i = 1; i < {depth}; i++) a = [a]; a"
    assert bench.code_of(code, timeout_ms=5_000) == "SERIALIZATION_ERROR"


def test_h45_a_result_nested_500_deep_comes_back_whole(bench: Bench) -> None:
    value = bench.execute("let a = []; for (let i = 1; i < 500; i++) a = [a]; a")["value"]
    depth = 1
    while value:
        (value,) = value
        depth += 1
    assert depth == 500


def test_h46_arguments_nested_2000_deep_are_invalid_and_not_sent(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = "let a = {}; for (let i = 0; i < 2000; i++) a = { a }; call_tool('github', 't', a).error.code"
    assert bench.execute(code, upstreams=upstreams)["value"] == "INVALID_ARGS"
    assert upstreams.sent == []


@pytest.mark.parametrize("depth", [501, 2_000])
def test_h46_input_nested_too_deep_is_refused(bench: Bench, depth: int) -> None:
    nested: object = 1
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(Refusal):
        bench.execute("1", input={"a": nested})


def test_h46_input_nested_within_the_limit_arrives(bench: Bench) -> None:
    nested = json.loads("[" * 490 + "]" * 490)
    code = "let d = 0, a = input.a; while (a) { a = a[0]; d++ } d"
    assert bench.execute(code, input={"a": nested})["value"] == 490


@pytest.mark.parametrize("depth", [300, 2_000, 50_000])
def test_h46_an_upstream_s_nested_answer_never_ends_the_service(bench: Bench, depth: int) -> None:
    nested: object = 1
    for _ in range(depth):
        nested = [nested]

    class Deep(FakeUpstreams):
        def start(self, call, caller, done):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            cancel = super().start(call, caller, done)
            self.sent[-1].reply(nested)
            return cancel

    answer = bench.execute("const r = call_tool('github', 't'); [r.ok, r.error?.code ?? null]", upstreams=Deep())
    assert answer["value"][1] in {None, "UPSTREAM_ERROR"}
