"""The sentences of spec section 2 as requests and what must come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Value:
    """The program returns this."""

    value: Any


@dataclass(frozen=True)
class Fails:
    """The run ends with this code; the message has these parts, and the line is this where given."""

    code: str
    parts: tuple[str, ...] = ()
    line: int | None = None


@dataclass(frozen=True)
class Refused:
    """Nothing runs; the sentence has this part."""

    code: str
    part: str


Request = dict[str, Any]
Expected = Value | Fails | Refused


def code(text: str, **rest: Any) -> Request:
    return {"code": text} | rest


REQUESTS: dict[str, tuple[Request, Expected]] = {
    "input is optional and empty by default": (code("input"), Value({})),
    "input reaches the program": (code("input.a.b", input={"a": {"b": [1, None]}}), Value([1, None])),
    "language javascript": (code("1", language="javascript"), Value(1)),
    "language typescript": (code("const x: number = 1; x", language="typescript"), Value(1)),
    "another language": (code("1", language="python"), Refused("INVALID_LANGUAGE", "must be 'javascript' or")),
    "no source": ({}, Refused("INVALID_REQUEST", "exactly one of")),
    "two sources": (code("1", script="s"), Refused("INVALID_REQUEST", "exactly one of")),
    "empty source": (code(""), Refused("INVALID_REQUEST", "empty")),
    "source of 256 KiB": (code("1" + " " * 262_143), Value(1)),
    "source over 256 KiB": (code("1" + " " * 262_144), Refused("INVALID_REQUEST", "256 KiB")),
    "input is no object": (code("1", input=[1]), Refused("INVALID_REQUEST", "must be a JSON object")),
    "timeout 0": (code("1", options={"timeout_ms": 0}), Refused("INVALID_OPTIONS", "integer from 1 to 600000, not 0")),
    "timeout over": (code("1", options={"timeout_ms": 600_001}), Refused("INVALID_OPTIONS", "from 1 to 600000")),
    "timeout at its ends": (code("1", options={"timeout_ms": 600_000}), Value(1)),
    "calls negative": (code("1", options={"max_tool_calls": -1}), Refused("INVALID_OPTIONS", "at least 0, not -1")),
    "a boolean for a number": (code("1", options={"timeout_ms": True}), Refused("INVALID_OPTIONS", "")),
    "an unknown field": (code("1", inputs={}), Refused("INVALID_REQUEST", "'inputs'")),
    "an unknown option": (code("1", options={"timeout": 5}), Refused("INVALID_OPTIONS", "'options.timeout'")),
}

WHAT_MODELS_WRITE: dict[str, tuple[Request, Expected]] = {
    "last expression": (code("var a = 20; a * 2 + 2;"), Value(42)),
    "last expression in a block": (code("if (true) { 5 }"), Value(5)),
    "last expression over several lines": (
        code("var a = 1;\n({\n  a,\n  b: [\n    a\n  ]\n})"),
        Value({"a": 1, "b": [1]}),
    ),
    "top-level await": (code("const x = await Promise.resolve(4); x + 1"), Value(5)),
    "top-level return": (code("var r = {ok: true}; return r.ok ? 'yes' : 'no';"), Value("yes")),
    "return and await": (code("const x = await 1;\nreturn x + 1"), Value(2)),
    "a function called at once": (code("(() => { return 3 })();"), Value(3)),
    "a Promise": (code("(async () => { await null; return 6 })()"), Value(6)),
    "a fence": (code("```js\n1 + 1\n```"), Value(2)),
    "a fence without a language": (code("```\nreturn 1 + 1\n```\n"), Value(2)),
    "a byte order mark": (code("\ufeff1 + 1"), Value(2)),
    "CRLF": (code("var a = 1\r\nvar b = 2\r\na + b\r\n"), Value(3)),
    "export default value": (code("export default {a: 1}"), Value({"a": 1})),
    "export default function": (code("export default function () { return 7 }"), Value(7)),
    "export default async arrow": (code("export default async () => 8"), Value(8)),
    "a syntax error has its line": (code("1;\n2;\nlet x = ;"), Fails("SYNTAX_ERROR", line=3)),
    "a syntax error in a function body too": (code("const a = 1\n\nreturn a +"), Fails("SYNTAX_ERROR", line=3)),
    "an error in a fence has the caller's line": (code("```js\n\nnull.x\n```"), Fails("RUNTIME_ERROR", line=3)),
    "an error in TypeScript has the caller's line": (
        code("interface A {\n  a: string\n}\nconst x = null as any;\nx.y", language="typescript"),
        Fails("RUNTIME_ERROR", line=5),
    ),
    "a TypeScript error has its line": (code("const x: = 1", language="typescript"), Fails("TRANSPILE_ERROR", line=1)),
    "Python": (code("def main():\n    return 1"), Fails("SYNTAX_ERROR", ("Python", "JavaScript", "TypeScript"))),
    "shell": (code("curl -s https://example.com"), Fails("SYNTAX_ERROR", ("shell", "JavaScript", "TypeScript"))),
}

VALUES: dict[str, tuple[Request, Expected]] = {
    "null": (code("null"), Value(None)),
    "booleans": (code("[true, false]"), Value([True, False])),
    "numbers": (code("[0, -1.5, 1e21, 2**53]"), Value([0, -1.5, 1e21, 2**53])),
    "text": (code("'h\u00e9\\n\\u{1F600}'"), Value("h\u00e9\n\U0001f600")),
    "class instance": (code("class P { a = 1; #b = 2; get c() { return 3 } }; new P()"), Value({"a": 1})),
    "undefined property": (code("({a: undefined, b: 1})"), Value({"b": 1})),
    "array hole": (code("[1, , undefined]"), Value([1, None, None])),
    "toJSON of the value": (code("({toJSON() { return {a: 1} }})"), Value({"a": 1})),
    "lone surrogate": (code("'a\\ud800b'"), Value("a\ufffdb")),
    "500 levels": (code("let a = 1; for (let i = 0; i < 500; i++) a = [a]; a.length"), Value(1)),
    "a Date": (
        code("({items: [1, 2, 3, {when: new Date(0)}]})"),
        Fails("SERIALIZATION_ERROR", ("value.items[3].when is a Date", ".toISOString()")),
    ),
    "nothing": (code("var a = 1"), Fails("SERIALIZATION_ERROR", ("return",))),
    "undefined": (code("undefined"), Fails("SERIALIZATION_ERROR", ("return",))),
    "larger than the limit": (code("'x'.repeat(6 * 1024 * 1024)"), Fails("RESULT_TOO_LARGE", ("6,291,458",))),
    "patched JSON.stringify": (code("JSON.stringify = () => '0'; ({a: 1})"), Value({"a": 1})),
    "patched Object.prototype": (code("Object.prototype.toJSON = () => 0; ({a: 1})"), Value({"a": 1})),
    "patched Array.prototype": (code("Array.prototype.toJSON = () => 0; [1]"), Value([1])),
    **{
        f"unserializable {name}": (code(f"({{a: {text}}})"), Fails("SERIALIZATION_ERROR", ("value.a",)))
        for name, text in {
            "function": "() => 1",
            "symbol": "Symbol('s')",
            "BigInt": "10n",
            "RegExp": "/x/",
            "Map": "new Map([[1, 2]])",
            "Set": "new Set([1])",
            "WeakMap": "new WeakMap()",
            "typed array": "new Uint8Array(2)",
            "ArrayBuffer": "new ArrayBuffer(2)",
            "NaN": "NaN",
            "Infinity": "Infinity",
            "-Infinity": "-Infinity",
            "cycle": "(() => { const c = {}; c.self = c; return c })()",
            "501 levels": "(() => { let a = 1; for (let i = 0; i < 501; i++) a = [a]; return a })()",
        }.items()
    },
}

CODES: dict[str, tuple[Request, Expected]] = {
    "uncaught throw": (code("throw new TypeError('boom')"), Fails("RUNTIME_ERROR", ("TypeError: boom",))),
    "a thrown value that is no Error": (code("throw 'plain'"), Fails("RUNTIME_ERROR", ("plain",))),
    "the seeds' property of null": (
        code("var x = null; x.property"),
        Fails("RUNTIME_ERROR", ("TypeError: ", "property"), line=1),
    ),
    "unhandled rejection": (code("Promise.reject(new Error('lost')); 1"), Fails("RUNTIME_ERROR", ("lost",))),
    "endless recursion": (code("function f() { return f() + 1 } f()"), Fails("RUNTIME_ERROR", ("stack",))),
    "a Promise nothing settles": (code("await new Promise(() => {})"), Fails("RUNTIME_ERROR")),
    "an endless loop": (
        code("while (true) {}", options={"timeout_ms": 50}),
        Fails("TIMEOUT", ("JavaScript execution timed out",)),
    ),
    "an endless loop nobody can catch": (
        code("for (;;) { try { for (;;) {} } catch {} finally { continue } }", options={"timeout_ms": 50}),
        Fails("TIMEOUT"),
    ),
    "endless microtasks": (
        code("(function f() { Promise.resolve().then(f) })(); 1", options={"timeout_ms": 50}),
        Fails("TIMEOUT"),
    ),
    "too much memory": (code("const a = []; for (;;) a.push(new Array(1e5).fill(1))"), Fails("MEMORY_LIMIT_EXCEEDED")),
    "an unseen refusal ends the run": (
        code("call_tool('gitlab', 't', {}); 1", options={"allowed_servers": ["github"]}),
        Fails("SERVER_NOT_ALLOWED", ("Server 'gitlab' is not in the allowed servers list",)),
    ),
    "a refusal handed back ends the run": (
        code("call_tool('gitlab', 't', {})", options={"allowed_servers": ["github"]}),
        Fails("SERVER_NOT_ALLOWED"),
    ),
    "a refusal that was looked at does not": (
        code("const r = call_tool('gitlab', 't'); r.ok ? 1 : r.error.code", options={"allowed_servers": ["github"]}),
        Value("SERVER_NOT_ALLOWED"),
    ),
    "an unknown server is an envelope": (code("call_tool('github', 't', {}).error.code"), Value("SERVER_NOT_FOUND")),
    "malformed arguments are an envelope": (code("call_tool('github').error.code"), Value("INVALID_ARGS")),
    "each of two calls has its own answer": (
        code("['a', 'b'].map(s => call_tool(s, 't', {}).error.message.includes(`'${s}'`))"),
        Value([True, True]),
    ),
    "a batch has a slot for each request": (
        code("call_tools([{server: 'a', tool: 't'}, {server: 'b', tool: 't'}]).map(r => r.error.code)"),
        Value(["SERVER_NOT_FOUND", "SERVER_NOT_FOUND"]),
    ),
    "an empty batch": (code("call_tools([])"), Value([])),
}

GLOBALS: dict[str, tuple[Request, Expected]] = {
    "input is plain mutable data": (
        code("input.a.push(2); input.b = 1; input", input={"a": [1]}),
        Value({"a": [1, 2], "b": 1}),
    ),
    "ES2023": (code("[3, 1, 2].toSorted().at(-1) + [1].findLast(x => x)"), Value(4)),
    "structuredClone": (code("const a = {b: [1]}; const c = structuredClone(a); c.b.push(2); a"), Value({"b": [1]})),
    "text encoding": (code("new TextDecoder().decode(new TextEncoder().encode('h\u00e9'))"), Value("h\u00e9")),
    "URL": (
        code("const u = new URL('../b?q=1#f', 'https://h.example/a/c'); [u.href, u.searchParams.get('q')]"),
        Value(["https://h.example/b?q=1#f", "1"]),
    ),
    "base64": (code("[btoa('hi'), atob('aGk=')]"), Value(["aGk=", "hi"])),
    "queueMicrotask": (code("let a = 0; queueMicrotask(() => a++); await null; a"), Value(1)),
    "randomness": (code("crypto.randomUUID().length + crypto.getRandomValues(new Uint8Array(4)).length"), Value(40)),
    "performance.now": (code("typeof performance.now()"), Value("number")),
    **{
        f"{name} is explained": (code(use), Fails("RUNTIME_ERROR", ("ReferenceError", name)))
        for name, use in {
            "require": "require('fs')",
            "fetch": "await fetch('https://example.com')",
            "process": "process.env.HOME",
            "setTimeout": "setTimeout(() => {}, 1)",
        }.items()
    },
}

ALL = {
    f"{section}: {name}": case
    for section, cases in {
        "2.1 request": REQUESTS,
        "2.3 what models write": WHAT_MODELS_WRITE,
        "2.4 value": VALUES,
        "2.6 codes": CODES,
        "2.7 globals": GLOBALS,
    }.items()
    for name, case in cases.items()
}
