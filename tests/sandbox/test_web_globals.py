"""What a cell has besides the language, what it has not, and what it says about that (spec 2.7; hostile H01)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from toolcell.sandbox import DialectId

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram


def words(text: str) -> list[str]:
    return text.split()


LANGUAGE = words("""
    AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView
    Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function
    Infinity Int16Array Int32Array Int8Array Iterator JSON Map Math NaN Number Object Promise Proxy RangeError
    ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array
    Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI
    encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
""")

WEB = words("""
    DOMException TextDecoder TextEncoder URL URLSearchParams atob btoa console crypto performance queueMicrotask
    structuredClone
""")

ABSENT = words("""
    require module exports process std os bjson Worker WebAssembly Deno Bun fetch XMLHttpRequest WebSocket
    setTimeout setInterval setImmediate scriptArgs print gc navigator Atomics SharedArrayBuffer window self
    global document Buffer fs localStorage alert prompt __dirname Intl AbortController InternalError callTool
""")

HINTS = {
    "require": (
        "a cell has no modules; everything it offers is global (input, call_tool, call_tools, console, URL, ...)"
    ),
    "fetch": "a cell has no network; call a tool with call_tool(server, tool, args)",
    "process": "a cell has no process and no environment; values come in through input",
    "setTimeout": "a cell has no timers; call_tool waits for its answer by itself, so nothing needs a delay",
    "Buffer": "use Uint8Array with TextEncoder and TextDecoder, and atob, btoa or Uint8Array.fromBase64 for base64",
    "window": "use globalThis",
    "callTool": "here it is call_tool(server, tool, args)",
    "print": "use console.log(...)",
    "True": "this is JavaScript: true, false, null",
}


def test_the_globals_are_exactly_these(run: RunProgram) -> None:
    names = set(run("Object.getOwnPropertyNames(globalThis)").value)
    assert names >= {*LANGUAGE, *WEB}
    own = names - {*LANGUAGE, *WEB}
    assert own >= {"input", "call_tool", "call_tools"}
    assert own <= {
        "input",
        "call_tool",
        "call_tools",
        "list_servers",
        "search_tools",
        "describe_tool",
        "tools",
        "ToolError",
    }


def test_what_is_absent_is_undefined_to_typeof_and_not_a_property(run: RunProgram) -> None:
    source = ", ".join(f"[typeof {name}, '{name}' in globalThis]" for name in ABSENT)
    assert run(f"[{source}]").value == [["undefined", False]] * len(ABSENT)


@pytest.mark.parametrize("name", HINTS)
def test_using_what_is_absent_says_what_to_use(run: RunProgram, name: str) -> None:
    assert run(f"{name}('x')").failure.message == f"ReferenceError: {name} is not defined: {HINTS[name]}"


def test_a_name_of_the_program_s_own_gets_no_hint(run: RunProgram) -> None:
    assert run("resutl.length").failure.message == "ReferenceError: resutl is not defined"


def test_a_program_may_define_what_is_absent(run: RunProgram) -> None:
    assert run(
        "const require = (n) => n + '!'; var process = { env: { A: 1 } }; [require('fs'), process.env.A]"
    ).value == [
        "fs!",
        1,
    ]


def test_a_hint_is_of_the_dialect_that_runs(run: RunProgram) -> None:
    message = run("return require('fs')", dialect=DialectId.PINKFISH).failure.message
    assert "(callTool, readArtifact, createArtifact, " in message
    assert "call_tool" not in message


def test_every_hint_fits_whole_into_its_message(run: RunProgram) -> None:
    for name in ABSENT:
        message = run(f"{name}.x").failure.message
        assert not message.endswith(" "), message
        assert len(message.encode()) < 255, message


def test_globals_are_hidden_from_enumeration_and_can_be_replaced(run: RunProgram) -> None:
    result = run(
        f"const names = {json.dumps(WEB)}\n"
        "const odd = names.filter((n) => {\n"
        "  const d = Object.getOwnPropertyDescriptor(globalThis, n)\n"
        "  return d.enumerable || !d.writable || !d.configurable\n"
        "})\n"
        "URL = 5; const was = structuredClone; structuredClone = null\n"
        "return [odd, URL, structuredClone, was({ a: 1 })]"
    )
    assert result.value == [[], 5, None, {"a": 1}]


def test_functions_and_classes_look_native(run: RunProgram) -> None:
    result = run(
        """
        const native = (f) => String(f).includes('[native code]')
        return [[URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, console.log,
          crypto.randomUUID,
          performance.now, queueMicrotask, atob].every(native),
         [URL.name, URL.length, URLSearchParams.length, TextDecoder.length, structuredClone.length],
         [new URL('a:b'), new URLSearchParams(), new TextEncoder(), new TextDecoder(), console, crypto,
          performance]
           .map((o) => Object.prototype.toString.call(o)),
         [URL, TextEncoder, TextDecoder, URLSearchParams].map((C) => { try { C('a:b');
          return 'ran' } catch (e) { return e.name } })]
        """
    )
    assert result.value == [
        True,
        ["URL", 1, 0, 0, 1],
        [
            f"[object {n}]"
            for n in ("URL", "URLSearchParams", "TextEncoder", "TextDecoder", "console", "Crypto", "Performance")
        ],
        ["TypeError"] * 4,
    ]


def test_randomness_is_of_the_run_s_own_seed(run: RunProgram) -> None:
    source = "[crypto.randomUUID(), [...crypto.getRandomValues(new Uint32Array(4))]]"
    first, again = run(source, seed=b"a" * 32).value, run(source, seed=b"a" * 32).value
    assert first == again
    assert first != run(source, seed=b"b" * 32).value
    assert first != run(source).value
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", first[0])


def test_random_values_fill_exactly_the_view_they_are_given(run: RunProgram) -> None:
    result = run(
        """
        const b = new Uint8Array(64); const same = crypto.getRandomValues(b.subarray(16,
          48)).buffer === b.buffer
        const name = (f) => { try { f() } catch (e) { return e.name } }
        return [same, b.subarray(0, 16).every((x) => !x), b.subarray(48).every((x) => !x), b.subarray(16,
          48).some((x) => x),
         name(() => crypto.getRandomValues(new Float32Array(1))),
          name(() => crypto.getRandomValues(new Uint8Array(65537))),
         name(() => crypto.getRandomValues([]))]
        """
    )
    assert result.value == [*[True] * 4, "TypeMismatchError", "QuotaExceededError", "TypeMismatchError"]


def test_performance_counts_whole_milliseconds_from_the_start_of_the_run(run: RunProgram) -> None:
    now, origin, date = run("[performance.now(), performance.timeOrigin, Date.now()]").value
    assert now == int(now) >= 0
    assert origin == int(origin)
    assert 0 <= date - origin - now <= 1


def test_a_microtask_runs_after_the_script(run: RunProgram) -> None:
    assert run("const seen = []; queueMicrotask(() => seen.push('m')); seen.push('s'); await null; seen").value == [
        "s",
        "m",
    ]


def test_nothing_here_depends_on_what_a_program_may_replace(run: RunProgram) -> None:
    result = run(
        """
        const boom = () => { throw new Error('steered') }, found = []
        for (const C of [Object, Array, Map, Set, String, RegExp, Date, Promise, Uint8Array, ArrayBuffer,
          Error]) {
          for (const k of Reflect.ownKeys(C.prototype)) {
            if (k !== 'constructor' && k !== 'length' && Object.getOwnPropertyDescriptor(C.prototype,
          k).writable) found.push([C.prototype, k])
          }
        }
        for (let i = 0, n = found.length; i < n; i++) found[i][0][found[i][1]] = boom
        JSON.stringify = JSON.parse = Object.keys = Array.from = Array.isArray = Reflect.ownKeys = boom
        const c = structuredClone({ a: [1], m: new Map(), r: /x/g, d: new Date(1), u: new Uint8Array(2),
          e: new Error('q') })
        const u = new URL('http://x/?a=1'); u.searchParams.append('b', '2')
        console.log({ a: [1] }, 'x', new Error('shown'))
        const bytes = new TextEncoder().encode('hé')
        return { a: c.a[0], size: c.e.message, href: u.href, text: new TextDecoder().decode(bytes),
          id: crypto.randomUUID().length }
        """
    )
    assert result.value == {"a": 1, "size": "q", "href": "http://x/?a=1&b=2", "text": "hé", "id": 36}
    assert result.logs[0].startswith("{ a: [ 1 ] } x Error: shown\n")


def test_arguments_that_fight_back_end_in_an_ordinary_error(run: RunProgram) -> None:
    result = run(
        """
        const evil = { toString() { throw new RangeError('mine') } }
        const name = (f) => { try { f(); return 'none' } catch (e) { return e.message } }
        return [name(() => new URL(evil)), name(() => new URLSearchParams({ a: evil })),
          name(() => new TextEncoder().encode(evil)),
         name(() => structuredClone({ get a() { return evil.toString() } })),
          name(() => { new URL('a:b').href = evil }),
         name(() => new TextDecoder().decode(new Uint8Array(1), { get stream() { return evil.toString() } })),
         name(() => new URLSearchParams({ [Symbol.iterator]: () => ({ next: () => evil.toString() }) }))]
        """
    )
    assert result.value == ["mine"] * 7


def test_a_buffer_that_goes_away_while_it_is_read_is_no_danger(run: RunProgram) -> None:
    result = run(
        """
        const b = new ArrayBuffer(1 << 16), u = new Uint8Array(b)
        const gone = () => { try { structuredClone(b, { transfer: [b] }) } catch {} ; return false }
        const text = new TextDecoder().decode(u, { get stream() { return gone() } })
        const into = new Uint8Array(new ArrayBuffer(16))
        const r = new TextEncoder().encodeInto({ toString() { structuredClone(into.buffer,
          { transfer: [into.buffer] }); return 'abc' } }, into)
        return [text.length, r, u.length]
        """
    )
    assert result.value == [0, {"read": 0, "written": 0}, 0]
