"""hostile.md group A: a program has the language, what spec 2.7 gives it, and no way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sandbox.driver import drive
from toolcell.sandbox import CellLimits, Ended, Program

if TYPE_CHECKING:
    from tests.hostile.bench import Bench
    from toolcell.sandbox import Engine

LANGUAGE = {
    "AggregateError", "Array", "ArrayBuffer", "AsyncDisposableStack", "BigInt", "BigInt64Array", "BigUint64Array",
    "Boolean", "DataView", "Date", "DisposableStack", "Error", "EvalError", "FinalizationRegistry", "Float16Array",
    "Float32Array", "Float64Array", "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "Iterator", "JSON",
    "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp",
    "Set", "String", "SuppressedError", "Symbol", "SyntaxError", "TypeError", "URIError", "Uint16Array", "Uint32Array",
    "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "decodeURI", "decodeURIComponent", "encodeURI",
    "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "undefined",
    "unescape",
}  # fmt: skip
GIVEN = {
    "DOMException", "TextDecoder", "TextEncoder", "URL", "URLSearchParams", "atob", "btoa", "call_tool", "call_tools",
    "console", "crypto", "input", "performance", "queueMicrotask", "structuredClone",
}  # fmt: skip
ABSENT = [
    "require", "process", "std", "os", "bjson", "Worker", "WebAssembly", "Deno", "Bun", "fetch", "XMLHttpRequest",
    "WebSocket", "setTimeout", "setInterval", "setImmediate", "scriptArgs", "print", "gc", "navigator", "Atomics",
    "SharedArrayBuffer", "window", "self", "global", "module", "exports", "Buffer", "importScripts", "document",
    "localStorage", "__dirname", "__filename", "alert", "load", "read", "quit",
]  # fmt: skip


def test_h01_the_globals_are_the_frozen_list(bench: Bench) -> None:
    answer = bench.execute("Object.getOwnPropertyNames(globalThis)")
    assert set(answer["value"]) == LANGUAGE | GIVEN


@pytest.mark.parametrize("name", ABSENT)
def test_h01_a_name_of_other_places_is_undefined(bench: Bench, name: str) -> None:
    assert bench.execute(f"typeof {name}")["value"] == "undefined"


@pytest.mark.parametrize("code", ["import('os')", "await import('./x.js')", "await import('data:text/javascript,1')",
                                  "(async () => import('std'))()", "eval('import(\"os\")')"])  # fmt: skip
def test_h02_a_dynamic_import_is_a_rejected_promise(bench: Bench, code: str) -> None:
    assert bench.code_of(code) == "RUNTIME_ERROR"


@pytest.mark.parametrize("code", ["import x from 'y'", "import 'os'", "import * as s from 's'", "export * from 'x'"])
def test_h02_a_static_import_is_a_syntax_error(bench: Bench, code: str) -> None:
    assert bench.code_of(code) == "SYNTAX_ERROR"


@pytest.mark.parametrize(
    "code",
    [
        "(function(){}).constructor('return typeof process')()",
        "[].constructor.constructor('return typeof process')()",
        "(async()=>{}).constructor('return typeof process')()",
        "(function*(){}).constructor('yield typeof process')().next().value",
        "console.log.constructor('return typeof process')()",
        "call_tool.constructor('return typeof process')()",
        "input.constructor.constructor('return typeof process')()",
        "new URL('https://a').constructor.constructor('return typeof process')()",
        "Reflect.getPrototypeOf(async function*(){}).constructor('return typeof process') && typeof process",
        "eval('typeof process')",
        "(0, eval)('typeof process')",
        "(function(){ return typeof this.process })()",
    ],
)
def test_h03_constructors_of_functions_stay_inside(bench: Bench, code: str) -> None:
    assert bench.execute(code)["value"] == "undefined"


def test_h03_this_at_the_top_is_the_cell_s_own_global(bench: Bench) -> None:
    assert bench.execute("(function () { return this === globalThis })()")["value"] is True


@pytest.mark.parametrize("code", ["new Int8Array(new ArrayBuffer(2**30)).sort()", "new SharedArrayBuffer(2**30)",
                                  "new ArrayBuffer(1, { maxByteLength: 2**31 }).resize(2**31)"])  # fmt: skip
def test_h05_a_gibibyte_is_an_error_and_no_trap(bench: Bench, code: str) -> None:
    answer = bench.execute(code)
    assert answer["error"]["code"] == "RUNTIME_ERROR"
    assert answer["error"]["line"] == 1


FINALISERS = [
    "new FinalizationRegistry(() => call_tool('github', 'late')).register({}, 1); 1",
    "globalThis.r = new FinalizationRegistry(() => call_tool('github', 'late')); r.register({}, 1); 1",
    "globalThis.r = new FinalizationRegistry(() => call_tool('github', 'late')); r.register(globalThis.o = {}, 1); 1",
    "globalThis.r = new FinalizationRegistry(f => f('github', 'late')); r.register(new WeakRef({}), call_tool); 1",
]


@pytest.mark.parametrize("code", FINALISERS)
def test_h07_finalisers_call_nothing_after_the_end(engine: Engine, code: str) -> None:
    cell = engine.start(Program(source=code), CellLimits())
    try:
        result = drive(cell, lambda _request: {"ok": True}, max_slices=50)
        assert result.error is not None or result.value == 1
        assert cell.step(1_000_000) == Ended(result.ending)
        assert len(result.requests) <= 1, "before the end a finaliser is a job like any other"
    finally:
        cell.close()


PIECES = [
    "(?<=a)",
    "(?<!b)",
    "(?<n>a)",
    "(?<n>b)",
    "|",
    "[a-z]",
    "[\\p{L}--[a-c]]",
    "(?=x)",
    "a{2,5}?",
    "\\k<n>",
    "\\b",
    ".",
    "*",
    "+",
    "(?:",
    ")",
    "(",
    "[^",
    "]",
    "{1000}",
    "^",
    "$",
    "\\u{1F600}",
    "\\d",
    "(?i:A)",
    "\\1",
]


@pytest.mark.parametrize("flags", ["", "u", "v", "s", "i", "gy"])
def test_h06_regular_expressions_by_chance_have_allowed_outcomes(bench: Bench, flags: str) -> None:
    code = f"""
        const pieces = input.pieces, text = 'aab xyz 😀 ABC 123 ' + 'ab'.repeat(20);
        let made = 0, state = {len(flags) + 1};
        const next = n => (state = (state * 48271) % 2147483647) % n;
        for (let i = 0; i < 1500; i++) {{
          let source = '';
          for (let k = next(9) + 1; k > 0; k--) source += pieces[next(pieces.length)];
          try {{ const re = new RegExp(source, '{flags}'); made++; re.exec(text); text.replace(re, '$<n>$1') }}
          catch (e) {{ if (!(e instanceof SyntaxError || e instanceof RangeError)) throw e }}
        }}
        made"""
    answer = bench.execute(code, input={"pieces": PIECES}, timeout_ms=20_000)
    if answer["ok"]:
        assert answer["value"] > 50
    else:
        assert answer["error"]["code"] in {"TIMEOUT", "MEMORY_LIMIT_EXCEEDED"}
