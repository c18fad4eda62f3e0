"""``call_tool`` and ``call_tools`` inside the cell (spec 3.1 to 3.3): what is sent, and which refusal ends a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox.driver import ok, refused
from toolcell.model.codes import RunCode

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram
    from toolcell.sandbox import HostRequest


def echo(request: HostRequest) -> object:
    """Answer each call with its own arguments, as the host would."""
    body = json.loads(request.payload)
    if request.op == "calls":
        return [answer(call) for call in body["requests"]]
    return answer(body)


def answer(call: dict[str, Any]) -> object:
    if call["server"] == "spent":
        return refused("MAX_TOOL_CALLS_EXCEEDED", "Exceeded maximum tool calls limit (5)")
    if call["server"] == "closed":
        return refused("SERVER_NOT_ALLOWED", "Server 'closed' is not in the allowed servers list")
    if call["server"] == "missing":
        return refused("SERVER_NOT_FOUND", "no such server")
    return ok(call["args"])


# ---- what is sent ----

SENT = {
    "no args": ("call_tool('s', 't')", {}),
    "undefined args": ("call_tool('s', 't', undefined)", {}),
    "plain": ("call_tool('s', 't', { a: 1, b: [true, null, 'é'] })", {"a": 1, "b": [True, None, "é"]}),
    "undefined inside": ("call_tool('s', 't', { a: undefined, b: [undefined], c: null })", {"b": [None], "c": None}),
    "a Date inside": ("call_tool('s', 't', { d: new Date(0) })", {"d": "1970-01-01T00:00:00.000Z"}),
    "an invalid Date inside": ("call_tool('s', 't', { d: new Date(NaN) })", {"d": None}),
    "a class instance": ("call_tool('s', 't', new (class { q = 1; #p = 2 })())", {"q": 1}),
    "no prototype": ("call_tool('s', 't', Object.assign(Object.create(null), { a: 1 }))", {"a": 1}),
    "a Proxy": ("call_tool('s', 't', new Proxy({ a: 1 }, {}))", {"a": 1}),
    "a toJSON that gives an object": ("call_tool('s', 't', { toJSON: () => ({ z: 1 }) })", {"z": 1}),
    "a getter that counts": ("let n = 0; call_tool('s', 't', { get a() { return ++n } })", {"a": 1}),
    "a key named __proto__": ("call_tool('s', 't', JSON.parse('{\"__proto__\": 1}'))", {"__proto__": 1}),
    "the input": ("call_tool('s', 't', input)", {"x": "in"}),
    "minus zero": ("call_tool('s', 't', { z: -0 })", {"z": 0}),
    "a lone surrogate": ("call_tool('s', 't', { s: '\\ud800' })", {"s": "\ufffd"}),
    "more arguments than three": ("call_tool('s', 't', { a: 1 }, { b: 2 })", {"a": 1}),
}


@pytest.mark.parametrize("name", SENT)
def test_arguments_are_sent_as_their_json(run: RunProgram, name: str) -> None:
    source, args = SENT[name]
    result = run(source, input={"x": "in"}, answers=echo)
    assert result.calls == [{"server": "s", "tool": "t", "args": args}]
    assert result.value["data"] == args


PATCHES = {
    "Object.prototype.toJSON": "Object.prototype.toJSON = () => ({ server: 'admin' })",
    "JSON": "JSON.stringify = JSON.parse = () => 'steered'; globalThis.JSON = null",
    "Array.isArray and Object.keys": "Array.isArray = () => true; Object.keys = () => ['steered']",
    "Function.prototype.call": "Function.prototype.call = Function.prototype.apply = null",
    "Array methods": "Array.prototype.push = Array.prototype.map = Array.prototype.forEach = null",
    "Symbol.iterator": "Array.prototype[Symbol.iterator] = null",
    "Promise": "globalThis.Promise = null",
    "an index setter": "Object.defineProperty(Array.prototype, 0, { set() { throw 1 }, configurable: true })",
    "an ok setter": "Object.defineProperty(Object.prototype, 'ok', { set() { throw 1 }, get: () => 'steered' })",
    "an error getter": "Object.defineProperty(Object.prototype, 'error', { get: () => 'steered' })",
    "a data setter": "Object.defineProperty(Object.prototype, 'data', { set() { throw 1 } })",
    "a server getter": "Object.defineProperty(Object.prototype, 'server', { get: () => 'admin' })",
    "String.prototype.toString": "String.prototype.toString = String.prototype.valueOf = () => 'admin'",
}


@pytest.mark.parametrize("name", PATCHES)
def test_a_changed_builtin_changes_no_call(run: RunProgram, name: str) -> None:
    source = f"""
        const requests = [
            {{ server: 's', tool: 't', args: {{ a: 1 }} }},
            {{ server: 's', tool: 'u', args: {{ b: [2] }} }},
        ];
        {PATCHES[name]};
        const one = call_tool('s', 't', {{ a: 1 }});
        const two = call_tools(requests, {{ max_parallel: 2 }});
        [one.ok, one.data.a, two.length, two[0].data.a, two[1].ok, two[1].data.b[0]]"""
    result = run(source, answers=echo)
    assert result.value == [True, 1, 2, 1, True, 2]
    assert result.calls == [
        {"server": "s", "tool": "t", "args": {"a": 1}},
        {
            "requests": [
                {"server": "s", "tool": "t", "args": {"a": 1}},
                {"server": "s", "tool": "u", "args": {"b": [2]}},
            ],
            "max_parallel": 2,
        },
    ]  # fmt: skip


# ---- call_tool's arguments ----

BAD_CALL = {
    "nothing": ("", "server must be a string"),
    "no tool": ("'s'", "tool must be a string"),
    "an empty server": ("'', 't'", "server must not be empty"),
    "an empty tool": ("'s', ''", "tool must not be empty"),
    "a number": ("5, 't'", "server must be a string"),
    "null": ("'s', null", "tool must be a string"),
    "an object with toString": ("{ toString: () => 's' }, 't'", "server must be a string"),
    "a String object": ("new String('s'), 't'", "server must be a string"),
    "a Symbol": ("Symbol('s'), 't'", "server must be a string"),
    "a huge server": ("'x'.repeat(1e6), 't'", "server is longer than 1024 characters"),
    "a huge tool": ("'s', 'x'.repeat(1025)", "tool is longer than 1024 characters"),
    "null args": ("'s', 't', null", "args must be an object such as {id: 1}"),
    "array args": ("'s', 't', [1]", "args must be an object such as {id: 1}"),
    "string args": ("'s', 't', '{}'", "args must be an object such as {id: 1}"),
    "number args": ("'s', 't', 5", "args must be an object such as {id: 1}"),
    "function args": ("'s', 't', () => 1", "args must be an object such as {id: 1}"),
    "a Date": ("'s', 't', new Date(0)", "args must be an object such as {id: 1}"),
    "a boxed number": ("'s', 't', new Number(5)", "args must be an object such as {id: 1}"),
    "a boxed string": ("'s', 't', new String('x')", "args must be an object such as {id: 1}"),
    "a Proxy of an array": ("'s', 't', new Proxy([], {})", "args must be an object such as {id: 1}"),
    "a toJSON that gives an array": ("'s', 't', { toJSON: () => [1] }", "args must be an object such as {id: 1}"),
    "a toJSON that gives a string": ("'s', 't', { toJSON: () => '{' }", "args must be an object such as {id: 1}"),
    "a toJSON that gives nothing": ("'s', 't', { toJSON() {} }", "args must be an object"),
    "a toJSON that throws": ("'s', 't', { toJSON() { throw new Error('tj') } }", "args could not be read: tj"),
    "a getter that throws": ("'s', 't', { get a() { throw new Error('g') } }", "args.a could not be read: g"),
    "a Map": ("'s', 't', { a: [new Map()] }", "args.a[0] is a Map"),
    "a function inside": ("'s', 't', { f() {} }", "args.f is a function"),
    "NaN": ("'s', 't', { n: NaN }", "args.n is NaN"),
    "a BigInt": ("'s', 't', { n: 1n }", "args.n is a BigInt"),
    "a cycle": ("'s', 't', (o => o.me = o)({})", "args.me refers to an object that contains it"),
    "too deep": ("'s', 't', Array(2000).fill().reduce(a => ({ a }), {})", "is nested deeper than 500 levels"),
}


@pytest.mark.parametrize("name", BAD_CALL)
def test_a_call_that_cannot_be_one_is_an_envelope_and_sends_nothing(run: RunProgram, name: str) -> None:
    arguments, message = BAD_CALL[name]
    result = run(f"call_tool({arguments})")
    assert result.requests == []
    assert result.value["ok"] is False
    assert result.value["error"]["code"] == "INVALID_ARGS"
    assert result.value["error"]["retryable"] is False
    assert result.value["error"]["message"].startswith("call_tool: ")
    assert message in result.value["error"]["message"]


def test_args_of_500_levels_are_sent_and_of_501_are_not(run: RunProgram) -> None:
    source = (
        "let a = 1; for (let i = 0; i < 500; i++) a = { a }; [call_tool('s', 't', a).ok, call_tool('s', 't', { a }).ok]"
    )
    result = run(source, answers=lambda _request: ok())
    assert result.value == [True, False]


@pytest.mark.parametrize(("size", "sent"), [(1000, True), (1001, False)])
def test_the_size_limit_of_args_is_exact_and_names_both_sizes(run: RunProgram, size: int, *, sent: bool) -> None:
    frame = len('{"server":"s","tool":"t","args":{"x":""}}')
    source = f"call_tool('s', 't', {{ x: 'y'.repeat({size - frame}) }})"
    result = run(source, answers=lambda _request: ok(), max_args_bytes=1000)
    assert result.value["ok"] is sent
    assert len(result.requests) == sent
    if not sent:
        assert "the limit is 1000" in result.value["error"]["message"]


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "__proto__", "constructor", "../x", "\uff47ithub", "x" * 1024])
def test_an_odd_name_reaches_the_gate_as_it_was_written(run: RunProgram, name: str) -> None:
    result = run("call_tool(input.name, input.name).ok", input={"name": name}, answers=lambda _request: ok())
    assert result.value is True
    expected = name.encode("utf-8", "replace").decode() if name != "\ud800" else "\ufffd"
    assert result.calls[0]["server"] == result.calls[0]["tool"] == expected


def test_call_tool_is_fine_behind_await_and_in_callbacks(run: RunProgram) -> None:
    source = "await Promise.all([1, 2, 3].map(async id => (await call_tool('s', 't', { id })).data.id))"
    assert run(source, answers=echo).value == [1, 2, 3]


def test_a_tool_called_while_args_are_read_comes_first(run: RunProgram) -> None:
    source = "call_tool('outer', 't', { get a() { return call_tool('inner', 't', { n: 1 }).data.n } }).data"
    result = run(source, answers=echo)
    assert [call["server"] for call in result.calls] == ["inner", "outer"]
    assert result.value == {"a": 1}


def test_a_failed_call_can_be_told_in_a_try_and_never_throws(run: RunProgram) -> None:
    source = "let r; try { r = call_tool('missing', 't') } catch { r = 'threw' } r.error.code"
    assert run(source, answers=echo).value == "SERVER_NOT_FOUND"


# ---- call_tools' arguments ----

ONE = "{ server: 's', tool: 't' }"
BAD_BATCH = {
    "nothing": ("", "requests must be an array"),
    "an object": ("{}", "requests must be an array"),
    "a string": ("'x'", "requests must be an array"),
    "an array-like": ("{ length: 1, 0: " + ONE + " }", "requests must be an array"),
    "an iterable": ("new Set([" + ONE + "])", "requests must be an array"),
    "101 elements": ("Array(101).fill(" + ONE + ")", "at most 100 elements, this one has 101"),
    "four billion elements": ("Object.assign([], { length: 2 ** 32 - 1 })", "at most 100 elements"),
    "a hole": ("[" + ONE + ", , 1]", "element 1: is missing (a hole in the array)"),
    "null": ("[" + ONE + ", null]", "element 1: must be an object {server, tool, args}"),
    "an array": ("[['s', 't']]", "element 0: must be an object"),
    "a string element": ("['s.t']", "element 0: must be an object"),
    "a function": ("[() => 1]", "element 0: must be an object"),
    "no server": ("[{ tool: 't' }]", "element 0: server must be a string"),
    "an empty server": ("[" + ONE + ", { server: '', tool: 't' }]", "element 1: server must not be empty"),
    "an empty tool": ("[{ server: 's', tool: '' }]", "element 0: tool must not be empty"),
    "string args": ("[{ server: 's', tool: 't', args: '{}' }]", "element 0: args must be an object"),
    "null args": ("[{ server: 's', tool: 't', args: null }]", "element 0: args must be an object"),
    "a Date as args": ("[{ server: 's', tool: 't', args: new Date(0) }]", "element 0: args must be an object"),
    "a Map in args": ("[" + ONE + ", { server: 's', tool: 't', args: { m: /x/ } }]", "element 1: args.m is a RegExp"),
    "the first of two mistakes": ("[" + ONE + ", null, 5]", "element 1: "),
    "max_parallel 0": ("[" + ONE + "], { max_parallel: 0 }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel 33": ("[" + ONE + "], { max_parallel: 33 }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel 2.5": ("[" + ONE + "], { max_parallel: 2.5 }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel '8'": ("[" + ONE + "], { max_parallel: '8' }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel NaN": ("[" + ONE + "], { max_parallel: NaN }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel true": ("[" + ONE + "], { max_parallel: true }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel null": ("[" + ONE + "], { max_parallel: null }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel 8n": ("[" + ONE + "], { max_parallel: 8n }", "max_parallel must be an integer from 1 to 32"),
    "max_parallel Number(8)": ("[" + ONE + "], { max_parallel: new Number(8) }", "must be an integer from 1 to 32"),
    "null options": ("[" + ONE + "], null", "options must be an object"),
    "array options": ("[" + ONE + "], [8]", "options must be an object"),
    "number options": ("[" + ONE + "], 8", "options must be an object"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_BATCH)
def test_a_malformed_batch_is_one_envelope_and_sends_nothing(run: RunProgram, name: str) -> None:
    arguments, message = BAD_BATCH[name]
    result = run(f"call_tools({arguments})")
    assert result.requests == []
    assert result.value["ok"] is False
    assert result.value["error"]["code"] == "INVALID_ARGS"
    assert result.value["error"]["message"].startswith("call_tools: ")
    assert message in result.value["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "parallel"),
    [
        ("[r]", None),
        ("[r], {}", None),
        ("[r], undefined", None),
        ("[r], { max_parallel: undefined }", None),
        ("[r], { max_parallel: 1 }", 1),
        ("[r], { max_parallel: 32 }", 32),
        ("[r], { max_parallel: 8.0, retries: 3, colour: 'blue' }", 8),
        ("new Proxy([r], {})", None),
        ("new (class extends Array {})(r)", None),
        ("Object.freeze([Object.freeze(r)])", None),
        ("[{ ...r, comment: 'extra keys are ignored' }]", None),
    ],
)
def test_a_good_batch_is_one_request(run: RunProgram, arguments: str, parallel: int | None) -> None:
    result = run(f"const r = {{ server: 's', tool: 't', args: {{ a: 1 }} }}; call_tools({arguments})", answers=echo)
    assert result.calls == [{"requests": [{"server": "s", "tool": "t", "args": {"a": 1}}], "max_parallel": parallel}]
    assert [slot["data"] for slot in result.value] == [{"a": 1}]


def test_an_empty_batch_is_an_empty_array_and_asks_nobody(run: RunProgram) -> None:
    result = run("call_tools([])")
    assert result.value == []
    assert result.requests == []


def test_an_empty_batch_still_has_its_options_checked(run: RunProgram) -> None:
    assert run("call_tools([], { max_parallel: 0 })").value["error"]["code"] == "INVALID_ARGS"


def test_a_hundred_calls_are_one_request_and_keep_their_order(run: RunProgram) -> None:
    requests = "Array.from({ length: 100 }, (_, i) => ({ server: 's', tool: 't', args: { i } }))"
    source = f"call_tools({requests}).map(r => r.data.i)"
    result = run(source, answers=echo)
    assert result.value == list(range(100))
    assert len(result.requests) == 1


@pytest.mark.parametrize(
    "change", ["all.length = 1", "all.length = 0", "all.push({})", "delete all[1]", "all[1] = null"]
)
def test_an_array_changed_while_it_is_read_sends_nothing_odd(run: RunProgram, change: str) -> None:
    source = f"""
        const all = [{{ get server() {{ {change}; return 's' }}, tool: 't' }}, {{ server: 's', tool: 'u' }}];
        call_tools(all)"""
    result = run(source, answers=echo)
    if result.requests:
        assert len(result.value) == len(result.calls[0]["requests"]) <= 2
    else:
        assert result.value["error"]["code"] == "INVALID_ARGS"


@pytest.mark.parametrize(
    "arguments",
    ["[{ get server() { throw new TypeError('mine') } }]", "new Proxy([], { get() { throw new TypeError('mine') } })",
     "[], { get max_parallel() { throw new TypeError('mine') } }"],
)  # fmt: skip
def test_what_the_program_s_own_getter_throws_reaches_the_program(run: RunProgram, arguments: str) -> None:
    source = f"let seen; try {{ call_tools({arguments}) }} catch (e) {{ seen = e.message }} seen"
    assert run(source).value == "mine"


def test_a_batch_larger_than_the_limit_is_refused_whole(run: RunProgram) -> None:
    source = "call_tools(Array.from({ length: 100 }, () => ({ server: 's', tool: 't', args: { x: 'y'.repeat(1e5) } })))"
    result = run(source)
    assert result.requests == []
    assert result.value["error"]["code"] == "INVALID_ARGS"
    assert "the limit is 8388608" in result.value["error"]["message"]


# ---- refusals that a program does not look at (spec 3.3) ----

SPENT = "call_tool('spent', 't')"
BATCH = "call_tools([{ server: 'closed', tool: 't' }, { server: 's', tool: 't' }])"
UNSEEN = [
    f"{SPENT}; 1",
    f"{SPENT}",
    f"return {SPENT}",
    f"await {SPENT}; 5",
    f"Promise.resolve({SPENT})",
    f"const r = {SPENT}; r.ok; r",
    f"const r = {SPENT}; r.ok; Promise.resolve(r)",
    f"({{ r: 1, s: {SPENT}.result }})",
    f"{SPENT}.data",
    f"String({SPENT})",
    f"typeof {SPENT}",
    f"if ({SPENT}) 5",
    f"{SPENT} == null",
    f"for (let i = 0; i < 10; i++) {SPENT}; 5",
    f"new Map([[{SPENT}, 1]]).size",
    f"{SPENT}; throw new Error('because of it')",
    f"throw {SPENT}",
    f"{SPENT}; null.x",
    f"{SPENT}; ({{ f() {{}} }})",
    f"{SPENT}; undefined",
    f"{SPENT}; 'x'.repeat(6e6)",
    f"({{ get a() {{ {SPENT}; return 1 }} }})",
    f"new Proxy({SPENT}, {{}})",
    f"{BATCH}.length",
    f"{BATCH}; 1",
    f"{BATCH}",
    f"{BATCH}[1].ok",
    f"const b = {BATCH}; b[0].ok; b[0]",
]
SEEN = {
    f"{SPENT}.ok": False,
    f"{SPENT}.error.code": "MAX_TOOL_CALLS_EXCEEDED",
    f"{SPENT}?.['o' + 'k']": False,
    f"const {{ ok }} = {SPENT}; ok": False,
    f"const {{ error }} = {SPENT}; error.message": "Exceeded maximum tool calls limit (5)",
    f"Object.entries({SPENT}).length": 2,
    f"Object.values({{ ...{SPENT} }})[0]": False,
    f"Object.assign({{}}, {SPENT}).ok": False,
    f"JSON.parse(JSON.stringify({SPENT})).error.code": "MAX_TOOL_CALLS_EXCEEDED",
    f"structuredClone({SPENT}).ok": False,
    f"[{SPENT}].filter(r => r.ok).length": 0,
    f"(await {SPENT}).ok": False,
    f"const r = {SPENT}; r.ok ? 1 : 'partial'": "partial",
    f"const r = {SPENT}; r.error; [1]": [1],
    f"{BATCH}.map(r => r.ok)": [False, True],
    f"{BATCH}.filter(r => r.ok).length": 1,
    f"{BATCH}.find(r => !r.ok).error.code": "SERVER_NOT_ALLOWED",
    "call_tool('missing', 't'); 5": 5,
}


@pytest.mark.parametrize("source", UNSEEN)
def test_a_refusal_that_nobody_looked_at_ends_the_run_with_its_code(run: RunProgram, source: str) -> None:
    error = run(source, answers=echo).failure
    assert error.code in {RunCode.MAX_TOOL_CALLS_EXCEEDED, RunCode.SERVER_NOT_ALLOWED}
    assert error.message in {
        "Exceeded maximum tool calls limit (5)",
        "Server 'closed' is not in the allowed servers list",
    }


@pytest.mark.parametrize("source", SEEN)
def test_a_program_that_looks_gets_to_finish(run: RunProgram, source: str) -> None:
    assert run(source, answers=echo).value == SEEN[source]


def test_a_looked_at_refusal_inside_the_value_is_the_envelope(run: RunProgram) -> None:
    value = run(f"const r = {SPENT}; r.ok; ({{ r }})", answers=echo).value
    assert value["r"]["ok"] is False
    assert value["r"]["error"]["code"] == "MAX_TOOL_CALLS_EXCEEDED"


def test_the_first_of_several_unseen_refusals_names_the_code(run: RunProgram) -> None:
    error = run("call_tool('closed', 't'); call_tool('spent', 't'); 1", answers=echo).failure
    assert error.code is RunCode.SERVER_NOT_ALLOWED


def test_one_unseen_refusal_among_seen_ones_still_ends_the_run(run: RunProgram) -> None:
    assert run(f"{SPENT}.ok; {SPENT}.ok; {SPENT}; {SPENT}.ok; 1", answers=echo).error is not None


def test_a_console_line_shows_the_envelope_and_counts_as_a_look(run: RunProgram) -> None:
    result = run(f"console.log({SPENT}); 5", answers=echo)
    assert "MAX_TOOL_CALLS_EXCEEDED" in "".join(result.logs)
    assert result.value == 5


def test_a_refusal_behaves_like_an_ordinary_object(run: RunProgram) -> None:
    source = f"""
        'use strict';
        const r = {SPENT};
        r.index = 3;
        r.ok = 'changed';
        delete r.error;
        [r.index, r.ok, 'error' in r, Object.isFrozen(Object.freeze(r))]"""
    assert run(source, answers=echo).value == [3, "changed", False, True]
