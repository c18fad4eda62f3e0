"""hostile.md group F: values cross as they are, and what cannot cross says so. Details are in tests/sandbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.model.calls import ToolCall
from toolcell.model.refusal import Refusal

if TYPE_CHECKING:
    from tests.hostile.bench import Bench


def test_h47_a_planted_to_json_changes_neither_arguments_nor_result(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = """
        Object.prototype.toJSON = () => ({ server: 'admin', tool: 'drop' });
        Array.prototype.toJSON = String.prototype.toJSON = () => 'steered';
        const r = call_tool('github', 'get', { echo: { a: ['x'] } });
        const b = call_tools([{ server: 'github', tool: 'get', args: { echo: 1 } }]);
        ({ data: r.data, batch: b[0].data })"""
    answer = bench.execute(code, upstreams=upstreams)
    assert answer["value"] == {"data": {"a": ["x"]}, "batch": 1}
    assert [(sent.call.server, sent.call.tool) for sent in upstreams.sent] == [("github", "get")] * 2
    assert upstreams.sent[0].call.args == {"echo": {"a": ["x"]}}


def test_h48_replaced_builtins_change_no_batch(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = """
        const requests = [1, 2, 3].map(n => ({ server: 'github', tool: 't', args: { echo: n } }));
        JSON.stringify = JSON.parse = Array.isArray = Object.keys = () => 'steered';
        globalThis.Promise = null; Function.prototype.call = null;
        Array.prototype.push = Array.prototype.map = null; Array.prototype[Symbol.iterator] = null;
        const slots = call_tools(requests);
        [slots[0].data, slots[1].data, slots[2].data]"""
    assert bench.execute(code, upstreams=upstreams)["value"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("args", "sent"),
    [
        ("{ get echo() { return ++globalThis.n } }", {"echo": 1}),
        ("new Proxy({ echo: 1 }, { get: (t, k) => k === 'toJSON' ? undefined : ++globalThis.n })", {"echo": 1}),
        ("{ toJSON: () => ({ echo: ++globalThis.n }) }", {"echo": 1}),
        ("new (class { echo = ++globalThis.n })()", {"echo": 1}),
    ],
)
def test_h50_shifty_arguments_are_read_once_and_recorded_as_sent(bench: Bench, args: str, sent: object) -> None:
    upstreams = FakeUpstreams(immediate=True)
    answer = bench.execute(f"globalThis.n = 0; call_tool('github', 't', {args}).data", upstreams=upstreams)
    assert [dict(one.call.args) for one in upstreams.sent] == [sent]
    assert answer["value"] == 1


@pytest.mark.parametrize("args", ["[1]", "null", "'x'", "5", "new Date(0)", "new Number(1)", "() => 1", "new Map()"])
def test_h50_arguments_that_are_no_object_are_invalid(bench: Bench, args: str) -> None:
    upstreams = FakeUpstreams(immediate=True)
    assert bench.execute(f"call_tool('github', 't', {args}).error.code", upstreams=upstreams)["value"] == "INVALID_ARGS"
    assert upstreams.sent == []


NAMES = [
    "5",
    "{ toString: () => 'github' }",
    "Symbol('github')",
    "new String('github')",
    "''",
    "'x'.repeat(1e6)",
    "'git\\0hub'",
    "'\\ud800'",
    "'__proto__'",
    "'constructor'",
    "'GitHub'",
    "'github '",
    "'github\\n'",
    "'../github'",
    "'gith\\u200bub'",
    "'\\uff47ithub'",
    "['github']",
    "null",
    "true",
    "'github.t'",
    "'gîthub'",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("position", ["{}, 't'", "'github', {}"])
def test_h51_an_odd_name_reaches_no_server(bench: Bench, name: str, position: str) -> None:
    class OneTool(FakeUpstreams):
        def refusal(self, call, caller):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            assert isinstance(call.server, str)
            assert isinstance(call.tool, str)
            known = super().refusal(call, caller)
            return (
                known
                if call.tool == "t" or known
                else super().refusal(ToolCall(server="elsewhere", tool="t", args={}), caller)
            )

    upstreams = OneTool(immediate=True)
    code = f"const r = call_tool({position.format(name)}); [r.ok, r.error.code]"
    answer = bench.execute(code, upstreams=upstreams, options={"allowed_servers": ["github"]})
    assert answer["value"][0] is False
    assert answer["value"][1] in {"INVALID_ARGS", "SERVER_NOT_ALLOWED", "SERVER_NOT_FOUND"}
    assert upstreams.sent == []


OUTCOMES: dict[str, Any] = {
    "-0": 0,
    "2 ** 53 + 1": 9007199254740992,
    "null": None,
    "[undefined]": [None],
    "Promise.resolve(3)": 3,
    "new Proxy({ a: 1 }, {})": {"a": 1},
    "[1, , 2]": [1, None, 2],
    "[new Number(1), new String('s'), new Boolean(true)]": [1, "s", True],
    "'\\ud800'": "\ufffd",
    "({ toJSON: () => 1 })": 1,
}
REFUSED = {
    "NaN": "SERIALIZATION_ERROR",
    "Infinity": "SERIALIZATION_ERROR",
    "1e400": "SERIALIZATION_ERROR",
    "10n": "SERIALIZATION_ERROR",
    "Symbol()": "SERIALIZATION_ERROR",
    "undefined": "SERIALIZATION_ERROR",
    "() => 1": "SERIALIZATION_ERROR",
    "new Date(0)": "SERIALIZATION_ERROR",
    "/x/": "SERIALIZATION_ERROR",
    "new Map()": "SERIALIZATION_ERROR",
    "new Uint8Array(1)": "SERIALIZATION_ERROR",
    "const a = {}; a.a = a; a": "SERIALIZATION_ERROR",
    "const r = Proxy.revocable({}, {}); r.revoke(); r.proxy": "SERIALIZATION_ERROR",
    "({ get a() { throw new Error('x') } })": "SERIALIZATION_ERROR",
    "({ toJSON() { throw new Error('x') } })": "SERIALIZATION_ERROR",
    "Promise.reject(new Error('x'))": "RUNTIME_ERROR",
    "Promise.reject(new Error('x')); 1": "RUNTIME_ERROR",
    "new Promise(() => {})": "RUNTIME_ERROR",
    "(async () => { throw 1 })(); 1": "RUNTIME_ERROR",
}


@pytest.mark.parametrize("code", OUTCOMES)
def test_h53_a_value_has_its_exact_outcome(bench: Bench, code: str) -> None:
    assert bench.execute(code)["value"] == OUTCOMES[code]


@pytest.mark.parametrize("code", REFUSED)
def test_h53_h56_what_has_no_value_has_its_code(bench: Bench, code: str) -> None:
    assert bench.code_of(code) == REFUSED[code]


@pytest.mark.parametrize("key", ["Code", "CODE", "source", "Input"])
def test_h55_a_key_in_the_wrong_place_or_case_is_refused(bench: Bench, key: str) -> None:
    request: dict[str, Any] = {key: 5}
    with pytest.raises(Refusal, match=key):
        bench.execute("1", **request)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_h55_input_that_is_not_json_is_refused(bench: Bench, number: float) -> None:
    with pytest.raises(Refusal):
        bench.execute("1", input={"a": number})


def test_h55_a_huge_integer_of_the_input_is_a_number_or_refused(bench: Bench) -> None:
    try:
        answer = bench.execute("typeof input.a", input={"a": int("7" * 4000)})
    except Refusal:
        return
    assert answer["value"] == "number"


def test_h59_no_nesting_of_calls_exceeds_the_budget(bench: Bench) -> None:
    upstreams = FakeUpstreams(immediate=True)
    code = """
        const call = n => ({ server: 'github', tool: 't', args: { n } });
        const all = [1, 2, 3, 4].map(k => call_tools([call(k), { ...call(k), get args() {
          return { inner: call_tools([call(9), call(9)]).filter(r => r.ok).length } } }]));
        all.flat().filter(r => r.ok).length"""
    answer = bench.execute(code, upstreams=upstreams, options={"max_tool_calls": 7})
    assert answer["ok"]
    assert len(upstreams.sent) == 7


# ---- TypeScript is attack surface too ----

TYPESCRIPT = {
    "a megabyte of generics": "type T = " + "Array<" * 20_000 + "1" + ">" * 20_000 + "; 1",
    "unclosed generics": "let a: " + "A<" * 50_000,
    "nested namespaces": "namespace a {" * 10_000 + "}" * 10_000 + "; 1",
    "nested types": "let a: " + "{ a: " * 20_000 + "1" + "}" * 20_000 + " = 1; a",
    "nested function types": "let a: " + "(x: " * 20_000 + "1" + ") => 1" * 20_000 + "; 1",
    "conditional types": "type T<A> = " + "A extends 1 ? " * 20_000 + "1" + " : 1" * 20_000 + "; 1",
    "template types": "type T = " + "`${" * 20_000 + "1" + "}`" * 20_000 + "; 1",
    "a union of many": "type T = " + " | ".join(f"'{n}'" for n in range(20_000)) + "; 1",
    "recursive types": "type T = { a: T } | T[]; type U<A> = U<U<A>>; 1",
    "arrows or types": "a = " + "<T>(x: " * 20_000,
    "ambiguous arrows": "(a, " * 20_000 + "b" + ") => 1" * 20_000,
    "ambiguous generics": "f" + "<a" * 20_000 + ">(1)",
    "many generics": "f<a>(1);" * 20_000,
    "optional or ternary": "a ? (b) : c => " * 20_000 + "1",
    "type assertions": "1" + " as any" * 50_000,
    "non-null assertions": "a" + "!" * 200_000,
    "decorators": "@a " * 50_000 + "class A {}",
    "JSX": "<div>" * 20_000,
    "overloads": "function f(a: 1): 1;" * 20_000 + "function f(a: any) { return a } f(1)",
    "enum members": "enum E { " + ", ".join(f"A{n}" for n in range(20_000)) + " } E.A7",
    "abstract members": "abstract class A { " + "abstract m(): void;" * 20_000 + " } 1",
    "a NUL": "let a: number\0 = 1; a",
    "an open comment": "let a /* : number",
    "an open string type": "let a: 'x",
    "nothing": "",
    "only types": "interface A {} type B = A; declare const c: B",
}


@pytest.mark.parametrize("name", TYPESCRIPT)
def test_hostile_typescript_ends_in_an_allowed_way(bench: Bench, name: str) -> None:
    code = TYPESCRIPT[name][: 256 * 1024]
    if not code:
        code = "// nothing"
    answer = bench.execute(code, language="typescript", timeout_ms=5_000)
    if not answer["ok"]:
        allowed = {
            "TRANSPILE_ERROR",
            "SYNTAX_ERROR",
            "RUNTIME_ERROR",
            "SERIALIZATION_ERROR",
            "MEMORY_LIMIT_EXCEEDED",
            "TIMEOUT",
        }
        assert answer["error"]["code"] in allowed
        assert "stopped the engine" not in answer["error"]["message"]
        if answer["error"]["code"] == "TRANSPILE_ERROR":
            assert answer["error"]["line"] >= 1
            assert answer["error"]["column"] >= 1


def test_an_enum_s_endless_initialiser_runs_in_the_cell_and_times_out(bench: Bench) -> None:
    code = "enum E { A = (() => { for (;;); })() as number }"
    assert bench.code_of(code, language="typescript", timeout_ms=100) == "TIMEOUT"


def test_the_transpiler_lives_under_the_run_s_own_deadline(bench: Bench) -> None:
    code = "let a: A<B> = f<c>(1);\n" * 11_000
    answer = bench.execute(code, language="typescript", timeout_ms=1)
    assert answer["error"]["code"] == "TIMEOUT"
