"""What models write is accepted (spec 2.3), and an error is where the caller's own text has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from toolcell.model.codes import RunCode

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

INPUT = {"x": "in"}

PLAIN = {
    "an expression": ("1 + 1", 2),
    "the last of several": ("1; 2; 3", 3),
    "after a declaration": ("const a = 4; a * 2", 8),
    "an assignment": ("let a; a = 5", 5),
    "a block": ("if (true) { 3 } else { 4 }", 3),
    "a loop": ("for (const x of [1, 2]) x", 2),
    "a try": ("try { null.x } catch { 'caught' }", "caught"),
    "a switch": ("switch (1) { case 1: 5 }", 5),
    "a labelled value, as the language says": ("{ a: 1 }", 1),
    "an object in parentheses": ("({ a: 1 })", {"a": 1}),
    "an array over lines": ("[\n  1,\n  2,\n].map((x) => {\n  return x * 2\n})", [2, 4]),
    "a call over lines": ("f({\n  a: 1,\n})\nfunction f(o) { return o }", {"a": 1}),
    "a template over lines": ("`a\n${1 + 1}\nb`", "a\n2\nb"),
    "without semicolons": ("const a = 1\nconst b = 2\na + b", 3),
    "with a comment last": ("7 // done", 7),
    "with a hashbang": ("#!/usr/bin/env node\n8", 8),
    "in sloppy mode": ("undeclared = 9; undeclared", 9),
    "input": ("input.x", "in"),
}

AWAITS = {
    "a value": ("await 5", 5),
    "a declaration": ("const a = await Promise.resolve(3); a + 1", 4),
    "in parentheses": ("await (Promise.resolve(6))", 6),
    "an async function called at once": ("await (async () => {\n  await 0\n  return 7\n})()", 7),
    "an array literal": ("await [1, 2]", [1, 2]),
    "a template": ("await `x${1}`", "x1"),
    "a signed number": ("await -1", -1),
    "a regular expression's test": ("await /a/.test('a')", True),
    "in a declaration, in parentheses": ("const r = await (f()); async function f() { return 2 }\nr", 2),
    "in a loop": ("let n = 0; for (const p of [1, 2]) n += await p; n", 3),
    "an async iteration": ("let n = 0; for await (const x of [Promise.resolve(2)]) n += x; n", 2),
    "in a sync position": ("[await 1, await 2]", [1, 2]),
}

RETURNS = {
    "a value": ("return 7", 7),
    "an object": ("return { a: 1 }", {"a": 1}),
    "with await": ("const a = await 4; return a", 4),
    "an awaited value": ("return await 8", 8),
    "a promise": ("return Promise.resolve(9)", 9),
    "an async function called at once": ("return (async () => 3)()", 3),
    "early": ("if (input.x) return 'early'; return 'late'", "early"),
    "in a loop": ("for (const x of [1, 2, 3]) if (x > 1) return x", 2),
    "in a try": ("try { return 1 } finally { globalThis.done = true }", 1),
    "the seeds' arrow of names": ("const names = ['a'].map(n => ({n}))\nreturn { names };", {"names": [{"n": "a"}]}),
    "not the last statement's value": ("function f() {}\nreturn 3\n4", 3),
}

PROMISES = {
    "a promise": ("Promise.resolve(4)", 4),
    "a promise of a promise": ("Promise.resolve(Promise.resolve(2))", 2),
    "an async function called at once": ("(async () => { return { a: 1 } })()", {"a": 1}),
    "a main that is called": ("async function main() { return 3 }\nmain()", 3),
    "a chain": ("Promise.resolve(1).then(x => x + 1).finally(() => {})", 2),
    "Promise.all": ("Promise.all([1, Promise.resolve(2)])", [1, 2]),
    "an async function that returns a thenable": ("(async () => ({ then(f) { f(6) } }))()", 6),
}

EXPORTS = {
    "a value": ("export default 5", 5),
    "an object": ("export default { a: 1 }", {"a": 1}),
    "a template": ("export default `t${1}`", "t1"),
    "an expression over lines": ("export default [\n  1,\n].map(x => x)", [1]),
    "an arrow": ("export default () => 4", 4),
    "an arrow that takes the input": ("export default (given) => given", INPUT),
    "an async arrow": ("export default async ({ x }) => { await 0; return x }", "in"),
    "a function": ("export default function () { return 3 }", 3),
    "a named function": ("export default function main() { return 3 }", 3),
    "an async function": ("export default async function main(i) { return (await i).x }", "in"),
    "a name": ("const value = 6;\nexport default value", 6),
    "a name of a function": ("function go() { return 1 }\nexport default go;", 1),
    "a named function used above": ("const a = go();\nexport default function go() { return 2 }", 2),
    "a promise": ("export default Promise.resolve(7)", 7),
    "with await": ("export default await 8", 8),
    "after await": ("await 1; export default 9", 9),
    "after a comment": ("/* the program */ export default 3", 3),
    "with odd spaces": ("export   default\n\n 3", 3),
    "an instance": ("class A { v = 1 }\nexport default new A()", {"v": 1}),
}

WRAPPED = {
    "a fence": ("```\n1 + 1\n```", 2),
    "a js fence": ("```js\n1 + 1\n```", 2),
    "a javascript fence": ("```javascript\nawait 2\n```\n", 2),
    "a fence with blank lines around": ("\n\n```js\nreturn 3\n```\n\n", 3),
    "a fence with CRLF": ("```js\r\nreturn 4\r\n```\r\n", 4),
    "a ts fence": ("```ts\nconst a: number = 5; a\n```", 5),
    "a typescript fence": ("```typescript\nenum E { A = 6 }\nE.A\n```", 6),
    "a BOM": ("\ufeff7", 7),
    "a BOM and a fence": ("\ufeff```js\n8\n```", 8),
    "CRLF": ("const a = 1;\r\nconst b = 8;\r\na + b\r\n", 9),
    "CR alone": ("const a = 1\rconst b = 9\ra + b", 10),
    "line separators": ("const a = 1\u2028const b = 10\u2029a + b", 11),
    "an exporting fence": ("```js\nexport default async () => 12\n```", 12),
    "a fence inside a string": ("const md = '```js\\n1\\n```'; md.length", 11),
}


TABLES: dict[str, dict[str, tuple[str, Any]]] = {
    "plain": dict(PLAIN),
    "await": dict(AWAITS),
    "return": dict(RETURNS),
    "promise": dict(PROMISES),
    "export": dict(EXPORTS),
    "wrapped": dict(WRAPPED),
}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param(source, value, id=f"{kind}-{name}")
        for kind, table in TABLES.items()
        for name, (source, value) in table.items()
    ],
)
def test_what_models_write_has_its_value(run: RunProgram, source: str, value: Any) -> None:
    assert run(source, input=INPUT).value == value


@pytest.mark.parametrize(
    "source",
    ["", " \n", "// nothing", "let a = 1", "function f() {}", "class A {}", "return", "if (1) return", "undefined",
     "void 0", "await undefined", "return undefined", "export default undefined", "(() => {})()", "{}"],
)  # fmt: skip
def test_a_program_without_a_value_is_told_to_return_one(run: RunProgram, source: str) -> None:
    error = run(source).failure
    assert error.code is RunCode.SERIALIZATION_ERROR
    assert "returned nothing" in error.message
    assert "return" in error.message


@pytest.mark.parametrize("source", ["export default class A { }", "export default class { constructor() { null.x } }"])
def test_an_exported_class_is_a_value_and_is_not_called(run: RunProgram, source: str) -> None:
    assert run(source).failure.code is RunCode.SERIALIZATION_ERROR


@pytest.mark.parametrize(
    "source",
    [
        "globalThis.n = (globalThis.n ?? 0) + 1; n",
        "globalThis.n = (globalThis.n ?? 0) + 1; await n",
        "globalThis.n = (globalThis.n ?? 0) + 1; return n",
        "globalThis.n = (globalThis.n ?? 0) + 1; await 0; return n",
        "globalThis.n = (globalThis.n ?? 0) + 1; export default n",
        "export default () => { return globalThis.n = (globalThis.n ?? 0) + 1 }",
    ],
)
def test_a_program_runs_once_however_many_forms_were_tried(run: RunProgram, source: str) -> None:
    assert run(source).value == 1


def test_a_program_that_does_not_parse_calls_nothing(run: RunProgram) -> None:
    result = run("call_tool('a', 'b');\nawait call_tool('a', 'b');\nreturn call_tool('a', 'b'); }")
    assert result.failure.code is RunCode.SYNTAX_ERROR
    assert result.requests == []


# ---- syntax errors ----

SYNTAX = {
    "seed 003": ("var x = { missing bracket", 1, 19),
    "a missing value": ("const a = ;", 1, 11),
    "on a later line": ("const a = 1\nconst b = 2\nconst c = (1", 3, 13),
    "after await": ("await 1;\nconst a = ;", 2, 11),
    "after return": ("if (a) return 1;\nconst b = ;", 2, 11),
    "after both": ("const x = await f();\nreturn x +;", 2, 11),
    "before await": ("const a = ;\nawait 1", 1, 11),
    "an unknown token": ("let a = 1 @ 2", 1, 11),
    "an open comment": ("1 /* open", 1, 3),
    "an open string": ("x = 'open", 1, 5),
    "an open template": ("x = `open", 1, 5),
    "a stray bracket": ("}", 1, 1),
    "after a tab": ("\tconst = 1", 1, 8),
    "after a non-ASCII letter": ("'é'; const = 1", 1, 12),
    "after an astral character": ("'😀'; const = 1", 1, 13),
    "after CRLF": ("1\r\n2\r\nconst = 1", 3, 7),
    "after CR": ("1\r2\rconst = 1", 3, 7),
    "in a fence": ("```js\nconst = 1\n```", 2, 7),
    "after a BOM": ("\ufeffconst = 1", 1, 7),
    "static import": ("import fs from 'fs'", 1, 8),
    "named export": ("export const a = 1", 1, 1),
    "a second default": ("export default 1; export default 2", 1, 19),
    "await in a plain function": ("function f() { return await (1) }\nf()", 1, 23),
    "await in a plain arrow": ("[1].map(x => await (x))", 1, 14),
}  # fmt: skip


@pytest.mark.parametrize("name", SYNTAX)
def test_a_syntax_error_is_one_error_with_its_place(run: RunProgram, name: str) -> None:
    source, line, column = SYNTAX[name]
    error = run(source).failure
    assert error.code is RunCode.SYNTAX_ERROR
    assert error.message.startswith("SyntaxError: ")
    assert error.stack == ""
    assert (error.line, error.column) == (line, column)


@pytest.mark.parametrize("opening", ["(", "[", "{", "`${", "()=>", "-", "a?b:", "function a(){", "(x=>", "!", "new "])
@pytest.mark.parametrize("times", [20_000])
def test_nesting_too_deep_to_parse_is_a_syntax_error_with_advice(run: RunProgram, opening: str, times: int) -> None:
    error = run(opening * times).failure
    assert error.code is RunCode.SYNTAX_ERROR
    assert error.message


# ---- places of run-time errors ----

PLACES = {
    "seed 003": ("var x = null; x.property", 1, 17),
    "a throw": ("\n\n   throw new Error('pos')", 3, 10),
    "a chain over lines": ("const o = {}\no\n  .a\n  .b\n  .c", 4, 4),
    "an element": ("const a = []\na[0][1]", 2, 5),
    "a return of a literal": ("\n\nreturn null.x", 3, 13),
    "an arrow's body": ("const f = () =>\n  null.x\nf()", 2, 8),
    "a destructuring": ("\n\nconst { a } = null", 3, 1),
    "a spread": ("\n\n[...null]", 3, 1),
    "an object over lines": ("const o = {\n  a: 1,\n  b: ({}).x.y,\n}", 3, 13),
    "a template's hole": ("`a\nb\n${null.x}`", 3, 8),
    "after a template over lines": ("`line 1\nline 2`; null.x", 2, 15),
    "after a continued string": ("'a\\\nb'; null.x", 2, 10),
    "after a tab": ("\tnull.x", 1, 7),
    "after a non-ASCII string": ("'é'; null.x", 1, 11),
    "after an astral string": ("'😀'; null.x", 1, 12),
    "after a non-ASCII comment": ("/* é */ null.x", 1, 14),
    "a non-ASCII name": ("const é = null; é.x", 1, 19),
    "after CRLF": ("1\r\n2\r\nnull.x", 3, 6),
    "after CR": ("1\r2\rnull.x", 3, 6),
    "in a fence": ("```js\nnull.x\n```", 2, 6),
    "after a BOM": ("\ufeffnull.x", 1, 6),
    "in an exported function": ("export default function () {\n  null.x\n}", 2, 8),
    "in an exported arrow": ("export default () => null.x", 1, 27),
    "a call of nothing": ("const o = {}\no.missing(\n  1,\n  o.other,\n)", 2, 3),
    "a call over lines": ("function f(a) { throw new Error(a) }\nf(\n  'x',\n)", 1, 23),
    "a call with a spread": ("const f = 1\nf(\n  ...[1],\n)", 2, 1),
    "an element over lines": ("const a = {}\na[\n  'x'\n][\n  'y'\n]", 4, 2),
    "a private name": ("class A { #p; static t(o) { return o.#p } }\nA.t({})", 1, 38),
    "an optional chain": ("const a = {}\na?.b\n  .c", 3, 4),
    "in a callback": ("[1].map(function cb(x) { return x.y.z })", 1, 37),
    "after await": ("async function f() {\n  await 0\n  null.x\n}\nawait f()", 3, 8),
    "an unknown name": ("const a = 1\n  unknown", 2, 3),
    "in a condition": ("if (1) {\n\n  undefined.z\n}", 3, 13),
    "in a loop's head": ("for (const x of\n  null.y) {}", 2, 8),
    "a setter on null": ("const o = null\no.x = 1", 2, 3),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_run_time_error_is_where_the_caller_s_text_has_it(run: RunProgram, name: str) -> None:
    source, line, column = PLACES[name]
    error = run(source).failure
    assert error.code is RunCode.RUNTIME_ERROR
    assert (error.line, error.column) == (line, column)
    assert f"<eval>:{line}:{column}" in error.stack


def test_a_stack_lists_the_frames_of_the_caller_s_text(run: RunProgram) -> None:
    error = run("function f() {\n  return g()\n}\nfunction g() {\n  throw new Error('in g')\n}\nf()").failure
    assert error.stack.splitlines() == [
        "in g",
        "    at g (<eval>:5:9)",
        "    at f (<eval>:2:10)",
        "    at <eval>:7:1",
    ]


def test_a_caller_s_frame_is_at_the_callee_and_not_at_an_argument(run: RunProgram) -> None:
    source = "const o = { f() { throw new Error('x') } }\nconst v = { a: { b: 1 } }\no.f(\n  v.a.b,\n)"
    assert run(source).failure.stack.splitlines()[-1] == "    at <eval>:3:3"


def test_a_long_line_with_one_non_ascii_letter_costs_no_more_than_plain_ascii(run: RunProgram) -> None:
    plain = run("'e';" + "(1);" * 20_000).fuel
    assert run("'é';" + "(1);" * 20_000).fuel < 6 * plain
