"""The table of spec 2.4: each value has its JSON text, or one error that names the path and the way out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from toolcell.model.codes import RunCode
from toolcell.sandbox import DialectId

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

TEXTS = {
    "null": ("null", "null"),
    "true": ("true", "true"),
    "zero": ("0", "0"),
    "minus zero": ("-0", "0"),
    "minus zero inside": ("[-0, 0]", "[0,0]"),
    "an integer past 2**53": ("2 ** 53 + 1", "9007199254740992"),
    "the largest integer that is printed plainly": ("123456789012345680000", "123456789012345680000"),
    "an exponent": ("1e21", "1e+21"),
    "a small exponent": ("1e-7", "1e-7"),
    "the smallest number": ("5e-324", "5e-324"),
    "the largest number": ("1.7976931348623157e308", "1.7976931348623157e+308"),
    "a fraction": ("0.1 + 0.2", "0.30000000000000004"),
    "an integer in float clothes": ("[1.0, 1e5, 4294967296]", "[1,100000,4294967296]"),
    "an empty string": ("''", '""'),
    "an empty array": ("[]", "[]"),
    "an empty object": ("({})", "{}"),
    "boxed primitives": ("[new Number(5), new String('é'), new Boolean(false)]", '[5,"é",false]'),
    "an undefined property": ("({ a: undefined, b: 1 })", '{"b":1}'),
    "an undefined property last": ("({ b: 1, a: undefined })", '{"b":1}'),
    "only undefined properties": ("({ a: undefined })", "{}"),
    "a null property": ("({ a: null })", '{"a":null}'),
    "undefined elements": ("[undefined, 1]", "[null,1]"),
    "holes": ("[1, , 3]", "[1,null,3]"),
    "a sparse array": ("const a = []; a[5] = 1; a", "[null,null,null,null,null,1]"),
    "a longer length": ("const a = [1]; a.length = 3; a", "[1,null,null]"),
    "a shortened array": ("const a = [1, 2, 3]; a.length = 1; a", "[1]"),
    "an array's own properties": ("const a = [1]; a.x = 5; a", "[1]"),
    "a subclass of Array": ("new (class extends Array {})(2)", "[null,null]"),
    "arguments": ("(function () { return arguments })(1, 2)", '{"0":1,"1":2}'),
    "an array-like": ("({ length: 3, 0: 1 })", '{"0":1,"length":3}'),
    "keys in the language's order": ("({ b: 1, a: 2, 10: 3, 2: 4 })", '{"2":4,"10":3,"b":1,"a":2}'),
    "an object without prototype": ("Object.assign(Object.create(null), { a: 1 })", '{"a":1}'),
    "inherited properties": ("Object.create({ inherited: 1 })", "{}"),
    "not enumerable": ("Object.defineProperty({ a: 1 }, 'x', { value: 1 })", '{"a":1}'),
    "symbol keys": ("({ [Symbol('x')]: 1, a: 2 })", '{"a":2}'),
    "a key named __proto__": ('JSON.parse(\'{"__proto__":1}\')', '{"__proto__":1}'),
    "a class instance": ("new (class P { a = 1; #b = 2; get c() { return 3 } })()", '{"a":1}'),
    "a getter": ("({ get a() { return 5 } })", '{"a":5}'),
    "a getter is read once": ("let n = 0; ({ get a() { return ++n } })", '{"a":1}'),
    "a getter on an array": ("Object.defineProperty([1, 2], 0, { get() { return 7 } })", "[7,2]"),
    "frozen": ("Object.freeze([Object.freeze({ a: 1 })])", '[{"a":1}]'),
    "the same object twice": ("const o = { a: 1 }; [o, o]", '[{"a":1},{"a":1}]'),
    "a Proxy of an object": ("new Proxy({ a: 1 }, {})", '{"a":1}'),
    "a Proxy of an array": ("new Proxy([1, 2], {})", "[1,2]"),
    "a Proxy that makes its values up": (
        "new Proxy([], { get: (t, k) => k === 'length' ? 2 : k === 'toJSON' ? undefined : 'e' + String(k) })",
        '["e0","e1"]',
    ),
    "a Proxy that makes its keys up": (
        ("const made = { value: 1, enumerable: true, configurable: true }; new Proxy({}, { ownKeys: () => ['a'],"
         " get: (t, k) => k === 'toJSON' ? undefined : 1, getOwnPropertyDescriptor: () => made })"),
        '{"a":1}',
    ),
    "an Error": ("new RangeError('far')", '{"name":"RangeError","message":"far"}'),
    "a plain Error": ("new Error('x')", '{"name":"Error","message":"x"}'),
    "an Error of a class": ("class E extends Error { code = 'C' }; new E('x')",
                            '{"name":"Error","message":"x","code":"C"}'),
    "a DOMException": ("try { atob('*') } catch (e) { ({ name: e.name }) }", '{"name":"InvalidCharacterError"}'),
    "settled promises": (
        "Promise.allSettled([1, Promise.reject('no')])",
        '[{"status":"fulfilled","value":1},{"status":"rejected","reason":"no"}]',
    ),
}  # fmt: skip

TO_JSON = {
    "on the value": ("({ toJSON() { return 5 } })", "5"),
    "on a property, with its key": ("({ a: { toJSON(k) { return 'k=' + k } } })", '{"a":"k=a"}'),
    "on an element, with its index": ("[1, { toJSON(k) { return typeof k + k } }]", '[1,"string1"]'),
    "on a class": ("new (class { toJSON() { return { p: 1 } } })()", '{"p":1}'),
    "on an array": ("Object.assign([1], { toJSON() { return 'z' } })", '"z"'),
    "on a function": ("Object.assign(() => 1, { toJSON() { return 'f' } })", '"f"'),
    "on a Map of the program's own class": ("new (class extends Map { toJSON() { return 1 } })()", "1"),
    "that is not a function": ("({ toJSON: 5 })", '{"toJSON":5}'),
    "that returns nothing": ("({ a: { toJSON() {} }, b: [{ toJSON() {} }] })", '{"b":[null]}'),
    "that returns its object": ("new (class { a = 1; toJSON() { return this } })()", '{"a":1}'),
    "that returns an object with toJSON": ("({ toJSON: () => ({ toJSON: () => 3 }) })", "3"),
    "of URL": ("new URL('https://example.com/a')", '"https://example.com/a"'),
}

STEERING = {
    "Object.prototype.toJSON": "Object.prototype.toJSON = () => 'steered'",
    "Array.prototype.toJSON": "Array.prototype.toJSON = () => 'steered'",
    "String.prototype.toJSON": "String.prototype.toJSON = () => 'steered'",
    "Number.prototype.toJSON": "Number.prototype.toJSON = () => 'steered'",
    "Boolean.prototype.toJSON": "Boolean.prototype.toJSON = () => 'steered'",
    "JSON.stringify": "JSON.stringify = () => 'steered'",
    "JSON itself": "globalThis.JSON = null",
    "Array.prototype[Symbol.iterator]": "Array.prototype[Symbol.iterator] = null",
    "Object.keys": "Object.keys = () => []",
    "an index setter": "Object.defineProperty(Array.prototype, 0, { set() { throw 1 }, get() { return 'steered' } })",
    "a property setter": "Object.defineProperty(Object.prototype, 'a', { set() { throw 1 } })",
    "Object.prototype's keys": "Object.prototype.extra = 1",
    "String.prototype.toString": "String.prototype.toString = () => 'steered'",
    "Promise.prototype.then": "Promise.prototype.then = () => 'steered'",
    "Reflect.ownKeys": "Reflect.ownKeys = () => ['steered']",
}

CIRCULAR = "refers to an object that contains it (a cycle): return a copy without that reference"
ITERATOR = "is an iterator: return [...iterator]"
REFUSED = {
    "a function": ("() => 1", "value is a function: call it, or leave it out"),
    "an async function inside": ("({ a: [async () => 1] })", "value.a[0] is a function: call it, or leave it out"),
    "a class": ("(class A {})", "value is a function: call it, or leave it out"),
    "a Symbol": ("Symbol('x')", "value is a Symbol: return its .description"),
    "a boxed Symbol": ("[Object(Symbol.iterator)]", "value[0] is a Symbol: return its .description"),
    "a BigInt": ("({ n: 10n })", "value.n is a BigInt: return Number(x) or x.toString()"),
    "a large BigInt": ("[2n ** 200n]", "value[0] is a BigInt: return Number(x) or x.toString()"),
    "a boxed BigInt": ("Object(1n)", "value is a BigInt: return Number(x) or x.toString()"),
    "a Date": (
        "({ items: [1, 2, 3, { when: new Date(0) }] })",
        "value.items[3].when is a Date: return .toISOString()",
    ),
    "an invalid Date": ("new Date(NaN)", "value is a Date: return .toISOString()"),
    "a RegExp": ("/x/g", "value is a RegExp: return .source or .toString()"),
    "a Map": ("({ m: new Map() })", "value.m is a Map: return Object.fromEntries(map) or [...map]"),
    "a Set": ("new Set([1])", "value is a Set: return [...set]"),
    "a WeakMap": ("new WeakMap()", "value is a WeakMap: it cannot be listed, return plain data"),
    "a WeakSet": ("new WeakSet()", "value is a WeakSet: it cannot be listed, return plain data"),
    "a WeakRef": ("new WeakRef({})", "value is a WeakRef: return ref.deref()"),
    "a typed array": ("({ bytes: new Uint8Array(3) })", "value.bytes is a Uint8Array: return Array.from(it)"),
    "a BigInt typed array": ("new BigInt64Array(1)", "value is a BigInt64Array: return Array.from(it)"),
    "an ArrayBuffer": (
        "new ArrayBuffer(4)",
        "value is an ArrayBuffer: return Array.from(new Uint8Array(buffer))",
    ),
    "a DataView": (
        "new DataView(new ArrayBuffer(2))",
        "value is a DataView: return the numbers that you read from it",
    ),
    "NaN": ("({ a: { b: NaN } })", "value.a.b is NaN, which JSON cannot hold: return null or a number"),
    "Infinity": ("[1, 1e400]", "value[1] is Infinity, which JSON cannot hold: return null or a number"),
    "minus Infinity": ("-Infinity", "value is Infinity, which JSON cannot hold: return null or a number"),
    "a boxed NaN": ("new Number(NaN)", "value is NaN, which JSON cannot hold: return null or a number"),
    "a cycle": ("const a = {}; a.self = a; a", f"value.self {CIRCULAR}"),
    "a long cycle": ("const a = { x: [1, {}] }; a.x[1].b = a.x; a", f"value.x[1].b {CIRCULAR}"),
    "a cycle through a getter": ("const a = { get me() { return a } }; a", f"value.me {CIRCULAR}"),
    "a promise inside": ("({ p: Promise.resolve(1) })", "value.p is a Promise: await it before you return it"),
    "a generator": ("(function* () {})()", "value is a generator: return [...generator]"),
    "an async generator": ("(async function* () {})()", "value is an async generator: collect it with for await"),
    "an array iterator": ("[].values()", f"value {ITERATOR}"),
    "a map iterator": ("new Map().keys()", f"value {ITERATOR}"),
    "a string iterator": ("''[Symbol.iterator]()", f"value {ITERATOR}"),
    "a matchAll iterator": ("'ab'.matchAll(/a/g)", f"value {ITERATOR}"),
    "a wrapped iterator": ("Iterator.from({ next() {} })", f"value {ITERATOR}"),
    "an iterator helper": ("[1].values().map(x => x)", f"value {ITERATOR} or .toArray()"),
    "a getter that throws": ("({ get a() { throw new TypeError('boo') } })",
                             "value.a could not be read: TypeError: boo"),
    "a getter that throws null": ("[{ get a() { throw null } }]", "value[0].a could not be read: Uncaught null"),
    "a toJSON that throws": ("({ a: { toJSON() { throw new Error('tj') } } })", "value.a could not be read: tj"),
    "a toJSON that returns what JSON cannot hold": (
        "({ toJSON: () => ({ n: 1n }) })",
        "value.n is a BigInt: return Number(x) or x.toString()",
    ),
    "a revoked Proxy": (
        "const r = Proxy.revocable({}, {}); r.revoke(); ({ a: [r.proxy] })",
        "value.a[0] could not be read: TypeError: revoked proxy",
    ),
    "a revoked Proxy of an array": (
        "const r = Proxy.revocable([], {}); r.revoke(); r.proxy",
        "value could not be read: TypeError: revoked proxy",
    ),
    "a Proxy whose keys throw": (
        "new Proxy({}, { ownKeys() { throw new Error('ok') } })",
        "value could not be read: ok",
    ),
    "a Proxy of a function": ("new Proxy(() => 1, {})", "value is a function: call it, or leave it out"),
    "a key that is no name": (
        "({ 'a b': { é: () => 1 } })",
        'value["a b"]["é"] is a function: call it, or leave it out',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_a_value_has_its_json_text(run: RunProgram, name: str) -> None:
    source, text = TEXTS[name]
    json_text = run(source).json
    assert json_text is not None
    assert json_text.decode() == text


@pytest.mark.parametrize("name", TO_JSON)
def test_a_program_s_own_to_json_is_honoured(run: RunProgram, name: str) -> None:
    source, text = TO_JSON[name]
    json_text = run(source).json
    assert json_text is not None
    assert json_text.decode() == text


@pytest.mark.parametrize("name", STEERING)
def test_a_changed_builtin_does_not_steer_the_value(run: RunProgram, name: str) -> None:
    source = f"const v = {{ a: [1, 'x', true, {{ b: null }}] }}; {STEERING[name]}; v"
    assert run(source).value == {"a": [1, "x", True, {"b": None}]}


@pytest.mark.parametrize(
    "name", ["Function", "Date", "Map", "Set", "RegExp", "Uint8Array", "Symbol", "BigInt", "Promise"]
)
def test_to_json_on_a_builtin_prototype_makes_no_value_of_what_has_none(run: RunProgram, name: str) -> None:
    made = {
        "Function": "() => 1",
        "Symbol": "Symbol()",
        "BigInt": "1n",
        "RegExp": "/x/",
        "Promise": "Promise.resolve()",
    }
    source = f"{name}.prototype.toJSON = () => 'steered'; ({{ v: {made.get(name, f'new {name}()')} }})"
    error = run(source).failure
    assert error.code is RunCode.SERIALIZATION_ERROR
    assert error.message.startswith("value.v is a")


@pytest.mark.parametrize("name", REFUSED)
def test_what_json_cannot_hold_is_an_error_with_path_and_advice(run: RunProgram, name: str) -> None:
    source, message = REFUSED[name]
    error = run(source).failure
    assert error.code is RunCode.SERIALIZATION_ERROR
    assert error.message == message


def test_a_getter_may_change_the_object_that_is_being_written(run: RunProgram) -> None:
    source = """
        const o = { get a() { delete o.b; o.c = 3; for (let i = 0; i < 50; i++) o[i] = i; return 1 }, b: 2, d: 4 };
        o"""
    value = run(source).value
    assert value["a"] == 1
    assert value["d"] == 4


def test_a_getter_may_empty_the_array_that_is_being_written(run: RunProgram) -> None:
    source = "const a = [{ get x() { a.length = 0; a.push(1); return 1 } }, 2, 3]; a"
    value = run(source).value
    assert value[0] == {"x": 1}
    assert len(value) <= 3


def test_a_getter_may_turn_an_array_into_a_slow_one(run: RunProgram) -> None:
    source = "const a = [{ get x() { a[1000] = 1; Object.defineProperty(a, 1, { get: () => 'g' }); return 1 } }, 2]; a"
    assert run(source).value[:2] == [{"x": 1}, "g"]


def test_a_value_s_getter_may_still_call_a_tool(run: RunProgram) -> None:
    result = run("({ get a() { return call_tool('s', 't').ok } })", answers=[{"ok": True, "data": 1}])
    assert result.value == {"a": True}


# ---- strings ----


@pytest.mark.parametrize(
    "text",
    ["".join(map(chr, range(0x80))), "".join(map(chr, range(0x80, 0x250))), "\u2028\u2029\ufeff\uffff", "é😀𝄞"],
    ids=["ASCII", "Latin", "specials", "wide"],
)
def test_a_string_comes_out_as_it_went_in_and_as_python_writes_it(run: RunProgram, text: str) -> None:
    json_text = run("input.text", input={"text": text}).json
    assert json_text is not None
    assert json_text.decode() == json.dumps(text, ensure_ascii=False)


def test_every_ascii_character_is_escaped_as_python_escapes_it(run: RunProgram) -> None:
    source = "Array.from({ length: 128 }, (_, i) => String.fromCharCode(i))"
    json_text = run(source).json
    assert json_text is not None
    assert json_text.decode() == json.dumps([chr(i) for i in range(128)], separators=(",", ":"), ensure_ascii=False)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (r"'\ud800'", "\ufffd"),
        (r"'a\udc00b'", "a\ufffdb"),
        (r"'\ud800\ud800'", "\ufffd\ufffd"),
        (r"'\udc00\ud800'", "\ufffd\ufffd"),
        (r"'\ud83d\ude00'", "😀"),
        (r"'\ud83d' + '\ude00'", "😀"),
        (r"({ '\ud800': '\udfff' })", {"\ufffd": "\ufffd"}),
    ],
)
def test_a_lone_surrogate_becomes_the_replacement_character(run: RunProgram, source: str, value: object) -> None:
    assert run(source).value == value


def test_a_rope_is_written_as_one_string(run: RunProgram) -> None:
    assert run("let s = ''; for (let i = 0; i < 5000; i++) s += i % 10; s").value == "0123456789" * 500


# ---- depth and size ----


@pytest.mark.parametrize("wrap", ["[a]", "({ a })"])
@pytest.mark.parametrize("depth", [499, 500])
def test_a_value_of_500_levels_is_returned(run: RunProgram, wrap: str, depth: int) -> None:
    json_text = run(f"let a = 1; for (let i = 0; i < {depth}; i++) a = {wrap}; a").json
    assert json_text is not None
    assert json_text.count(b"]" if wrap == "[a]" else b"}") == depth


@pytest.mark.parametrize("wrap", ["[a]", "({ a })", "({ toJSON: (b => () => [b])(a) })"])
@pytest.mark.parametrize("depth", [501, 5_000, 100_000])
def test_a_deeper_value_is_refused(run: RunProgram, wrap: str, depth: int) -> None:
    error = run(f"let a = 1; for (let i = 0; i < {depth}; i++) a = {wrap}; a").failure
    assert error.code is RunCode.SERIALIZATION_ERROR
    assert error.message.endswith("is nested deeper than 500 levels: return a flatter value")
    assert len(error.message) < 500


@pytest.mark.parametrize(
    "source", ["const o = { toJSON() { return { x: o } } }; o", "const f = () => ({ get g() { return f() } }); f()"]
)
def test_a_value_that_grows_while_it_is_read_is_refused(run: RunProgram, source: str) -> None:
    assert "deeper than 500" in run(source).failure.message


@pytest.mark.parametrize(
    ("source", "size"),
    [("'x'.repeat(98)", 100), ("'é'.repeat(49)", 100), ("Array(49).fill(1)", 99), ("({ abc: 'x'.repeat(90) })", 100)],
)
def test_the_result_limit_is_exact(run: RunProgram, source: str, size: int) -> None:
    assert run(source, max_result_bytes=size).json is not None
    error = run(source, max_result_bytes=size - 1).failure
    assert error.code is RunCode.RESULT_TOO_LARGE
    assert f"is {size} bytes" in error.message
    assert f"is {size - 1} bytes" in error.message


def test_the_default_result_limit_is_5_mib(run: RunProgram) -> None:
    assert run("'x'.repeat(5 * 1024 * 1024 - 2)").error is None
    error = run("'x'.repeat(5 * 1024 * 1024 - 1)").failure
    assert error.code is RunCode.RESULT_TOO_LARGE
    assert "5,242,881 bytes" in error.message


@pytest.mark.parametrize("source", ["'x'.repeat(20e6)", "Array(1e6).fill('abcdef')", "({ ['k'.repeat(1e7)]: 1 })"])
def test_a_huge_value_is_refused_with_its_true_size(run: RunProgram, source: str) -> None:
    error = run(source).failure
    assert error.code is RunCode.RESULT_TOO_LARGE
    sizes = {"'": 20_000_002, "A": 9_000_001, "(": 10_000_006}
    assert f"{sizes[source[0]]:,} bytes" in error.message


# ---- the other dialect ----


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("new Date(0)", '"1970-01-01T00:00:00.000Z"'),
        ("({ d: new Date(NaN) })", '{"d":null}'),
        ("undefined", "null"),
        ("() => 1", "null"),
        ("({ f() {}, s: Symbol(), n: NaN, i: -Infinity })", '{"n":null,"i":null}'),
        ("[() => 1, Symbol(), undefined, NaN]", "[null,null,null,null]"),
        ("({ m: new Map([[1, 2]]), s: new Set([1]), r: /x/ })", '{"m":{},"s":{},"r":{}}'),
        ("new Uint8Array([1, 2])", '{"0":1,"1":2}'),
    ],
)
def test_the_pinkfish_dialect_follows_json_stringify(run: RunProgram, source: str, text: str) -> None:
    json_text = run(source, dialect=DialectId.PINKFISH).json
    assert json_text is not None
    assert json_text.decode() == text


@pytest.mark.parametrize("source", ["const a = {}; a.a = a; a", "({ n: 1n })"])
def test_the_pinkfish_dialect_refuses_what_json_stringify_throws_at(run: RunProgram, source: str) -> None:
    assert run(source, dialect=DialectId.PINKFISH).failure.code is RunCode.SERIALIZATION_ERROR
