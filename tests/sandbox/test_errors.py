"""What a thrown value becomes: its own words, bounded, with the place, and nothing that a program could forge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from toolcell.model.codes import RunCode

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

MESSAGES = {
    "an Error, as seed 000": ("throw new Error('Something went wrong')", "Something went wrong"),
    "a TypeError of the engine, as seed 003": (
        "var x = null; x.property",
        "TypeError: Cannot read property 'property' of null",
    ),
    "an Error without words": ("throw new Error()", "Error"),
    "a TypeError without words": ("throw new TypeError()", "TypeError"),
    "a name of one's own": ("const e = new Error('x'); e.name = 'MyError'; throw e", "MyError: x"),
    "an empty name": ("const e = new Error('x'); e.name = ''; throw e", "x"),
    "a class that names itself": (
        "class E extends Error { constructor(m) { super(m); this.name = 'E' } }\nthrow new E('x')",
        "E: x",
    ),
    "a class that does not": ("class E extends Error {}\nthrow new E('x')", "x"),
    "an object": ("throw { code: 404, why: 'gone', more: {} }", 'Uncaught {"code":404,"why":"gone"}'),
    "what Promise.any rejects with": (
        "await Promise.any([Promise.reject(new Error('first')), Promise.reject(new Error('second'))])",
        "AggregateError: first",
    ),
    "a BigInt": ("throw 10n", "Uncaught 10"),
    "not a number": ("throw NaN", "Uncaught NaN"),
    "an AggregateError": ("throw new AggregateError([new Error('z')], 'several')", "AggregateError: several"),
    "a DOMException": ("throw new DOMException('gone', 'AbortError')", "AbortError: gone"),
    "a string": ("throw 'text'", "Uncaught text"),
    "a number": ("throw 5", "Uncaught 5"),
    "null": ("throw null", "Uncaught null"),
    "undefined": ("throw undefined", "Uncaught undefined"),
    "a boolean": ("throw false", "Uncaught false"),
    "an object with a message": ("throw { message: 'm', code: 'C' }", "Uncaught m"),
    "an unknown name": ("unknown", "ReferenceError: unknown is not defined"),
    "a constant": ("const a = 1; a = 2", "TypeError: 'a' is read-only"),
    "JSON.parse": (
        "JSON.parse('{')",
        "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ),
    "a lone surrogate": ("throw new Error('\\ud800')", "\ufffd"),
    "non-ASCII": ("throw new Error('é😀')", "é😀"),
    "a frozen Error": ("throw Object.freeze(new Error('cold'))", "cold"),
    "an Error without prototype": ("throw Object.setPrototypeOf(new Error('x'), null)", "x"),
}

UNREADABLE = {
    "an array": "throw [1]",
    "a function": "throw () => 1",
    "a Symbol": "throw Symbol('q')",
    "a Map": "throw new Map()",
    "the global object": "throw globalThis",
    "a Proxy of an Error": "throw new Proxy(new Error('x'), {})",
    "a revoked Proxy": "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy",
}

HOSTILE = {
    "a message that loops": "Object.defineProperty(e, 'message', { get() { for (;;); } })",
    "a name that loops": "Object.defineProperty(e, 'name', { get() { for (;;); } })",
    "a stack that loops": "Object.defineProperty(e, 'stack', { get() { for (;;); } })",
    "a message that throws": "Object.defineProperty(e, 'message', { get() { throw 1 } })",
    "a message that is no string": "e.message = { toString() { for (;;); } }",
    "a name that is no string": "e.name = { toString() { for (;;); } }",
    "a toString that loops": "e.toString = () => { for (;;); }",
    "a toJSON that loops": "e.toJSON = () => { for (;;); }",
    "a prototype that is a looping Proxy": "Object.setPrototypeOf(e, new Proxy({}, { get() { for (;;); } }))",
    "a Proxy chain": "for (let i = 0; i < 200; i++) Object.setPrototypeOf(e, new Proxy(Object.create(null), {}))",
    "a prepareStackTrace that loops": "Error.prepareStackTrace = () => { for (;;); }",
    "a changed Error.prototype.toString": "Error.prototype.toString = () => { for (;;); }",
    "no Error.prototype.name": "delete Error.prototype.name",
    "a cause that is itself": "e.cause = e",
    "Symbol.toPrimitive": "e[Symbol.toPrimitive] = () => { for (;;); }",
    "Symbol.toStringTag": "Object.defineProperty(e, Symbol.toStringTag, { get() { for (;;); } })",
    "a long prototype chain": "let p = e; for (let i = 0; i < 5000; i++) p = Object.setPrototypeOf(p, {}) && {}",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_thrown_value_s_own_words_are_the_message(run: RunProgram, name: str) -> None:
    source, message = MESSAGES[name]
    error = run(source).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert error.message == message


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_thrown_value_without_words_is_named_as_what_it_is(run: RunProgram, name: str) -> None:
    error = run(UNREADABLE[name]).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert error.message.startswith("Uncaught a")


@pytest.mark.parametrize("name", HOSTILE)
def test_reading_a_hostile_error_runs_none_of_its_code(run: RunProgram, name: str) -> None:
    error = run(f"const e = new Error('mine'); {HOSTILE[name]}; throw e", max_slices=20).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert error.message in {"mine", "Error"}


@pytest.mark.parametrize("thrown", ["new Proxy({}, { get() { for (;;); } })", "{ get message() { for (;;); } }",
                                    "{ toString() { for (;;); } }", "{ toJSON() { for (;;); } }"])  # fmt: skip
def test_reading_a_hostile_object_runs_none_of_its_code(run: RunProgram, thrown: str) -> None:
    assert run(f"throw {thrown}", max_slices=20).failure.code is RunCode.RUNTIME_ERROR


@pytest.mark.parametrize(
    "code", ["TIMEOUT", "EXECUTION_FAILED", "SERVER_NOT_ALLOWED", "MEMORY_LIMIT_EXCEEDED", "CANCELLED"]
)
@pytest.mark.parametrize(
    "how", ["e.code = '{}'", "e.name = '{}'", "e.message = '{}\\nfree'", "Error.prototype.code = '{}'"]
)
def test_a_program_cannot_forge_a_run_code(run: RunProgram, code: str, how: str) -> None:
    error = run(f"const e = new Error('x'); {how.format(code)}; throw e").failure
    assert error.code is RunCode.RUNTIME_ERROR


def test_a_program_cannot_write_its_stack(run: RunProgram) -> None:
    error = run("const e = new Error('x'); e.stack = 'forged at /etc/passwd:1:1'; throw e").failure
    assert error.stack == "x\n    at <eval>:1:11"
    assert (error.line, error.column) == (1, 11)


def test_a_stack_of_its_own_size_changes_nothing(run: RunProgram) -> None:
    assert run("const e = new Error('x'); e.stack = 'z'.repeat(5e6); throw e").failure.stack.startswith("x\n    at ")


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_a_huge_message_is_cut_and_says_so(run: RunProgram, letter: str) -> None:
    error = run(f"throw new Error('{letter}'.repeat(5e6))").failure
    assert len(error.message.encode()) <= 8192
    assert len(error.stack.encode()) <= 8192
    assert error.message.startswith(letter * 1000)
    assert "\ufffd" not in error.message
    if letter == "x":
        assert error.message.endswith("[cut here: the text has 5000000 characters]")


def test_a_huge_name_is_cut_too(run: RunProgram) -> None:
    error = run("const e = new Error('why'); e.name = 'n'.repeat(5e6); throw e").failure
    assert len(error.message.encode()) <= 8192


def test_a_huge_thrown_string_is_cut(run: RunProgram) -> None:
    assert len(run("throw 'x'.repeat(5e6)").failure.message.encode()) <= 8192


def test_a_deep_stack_is_bounded_and_starts_where_it_was_thrown(run: RunProgram) -> None:
    error = run(
        "Error.stackTraceLimit = 1e9\nfunction f(n) { if (n) f(n - 1); else throw new Error('deep') }\nf(900)"
    ).failure
    assert error.stack.splitlines()[1].startswith("    at f (<eval>:2:")
    assert len(error.stack) <= 8192


def test_no_stack_is_kept_where_the_program_switched_it_off(run: RunProgram) -> None:
    error = run("Error.stackTraceLimit = 0; throw new Error('x')").failure
    assert error.message == "x"
    assert error.line is None


FRAME = re.compile(r"    at (?:(?:async )?[\w$.<>\[\] #]+ )?\(?(?:<eval>:\d+:\d+|<input>:\d+:\d+|native)\)?")


@pytest.mark.parametrize(
    "source",
    [
        "null.x",
        "[3, 1].sort(() => null.x)",
        "new Promise(() => null.x)",
        "eval('null.x')",
        "new Function('null.x')()",
        "JSON.parse('[1]', () => null.x)",
        "[1].map(x => ({ get y() { return null.z } }).y)",
        "class A { static m() { new A() } constructor() { null.x } }\nA.m()",
        "(async () => { await 0; null.x })()",
        "call_tool.call(null, Symbol(), { get a() { null.x } }); null.x",
        "structuredClone(() => 1)",
        "new URL('nonsense')",
        "function f() { f() }\nf()",
        "Reflect.apply(() => null.x, null, [])",
    ],
)
def test_a_frame_is_of_the_caller_s_text_or_native_and_never_of_the_host(run: RunProgram, source: str) -> None:
    error = run(source).failure
    frames = [line for line in error.stack.splitlines() if line.startswith("    at ")]
    assert frames
    assert [frame for frame in frames if not FRAME.fullmatch(frame)] == []
    assert not re.search(r"\.c\b|\.js\b|\.py\b|wasm|/\w+/|toolcell", error.stack)


@pytest.mark.parametrize(
    "source",
    [
        "Object.defineProperty(f, 'name', { value: 'x\\n    at /etc/passwd' })",
        "Object.defineProperty(f, 'name', { value: 'n'.repeat(5e6) })",
        "Object.defineProperty(f, 'name', { get() { for (;;); } })",
        "Object.defineProperty(f, 'name', { value: Symbol() })",
    ],
)
def test_a_hostile_function_name_keeps_the_stack_bounded(run: RunProgram, source: str) -> None:
    error = run(f"function f() {{ null.x }}\n{source}\nf()", max_slices=500).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert len(error.stack) <= 8192


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("require", "call_tool"),
        ("fetch", "call_tool"),
        ("process", "input"),
        ("setTimeout", "call_tool"),
        ("setInterval", "timers"),
        ("Buffer", "TextEncoder"),
        ("window", "globalThis"),
        ("module", "modules"),
    ],
)
def test_an_absent_global_says_what_to_use_instead(run: RunProgram, name: str, instead: str) -> None:
    error = run(f"{name}('x')").failure
    assert error.message.startswith(f"ReferenceError: {name} is not defined: ")
    assert instead in error.message


@pytest.mark.parametrize("name", ["require", "fetch", "process", "setTimeout"])
def test_typeof_an_absent_global_is_undefined(run: RunProgram, name: str) -> None:
    assert run(f"typeof {name}").value == "undefined"
