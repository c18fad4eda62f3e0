"""What ``console`` writes (spec 2.7): Node's forms, bounded, and never steered by the program it reports on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

LINE_BOUND = 32768
LINE_SLACK = 1024
"""What may follow a full line: brackets, and how much was left out."""

VALUES = {
    "primitives": (
        "'a', 1, -0, 1.5, NaN, true, null, undefined, 10n, Symbol('x')",
        "a 1 -0 1.5 NaN true null undefined 10n Symbol(x)",
    ),
    "strings inside": (
        "['it\\'s', 'q\"q', 'both\\'\"', '\\n\\t\\x01\\\\']",
        "[ \"it's\", 'q\"q', `both'\"`, '\\n\\t\\x01\\\\' ]",
    ),
    "nothing": ("", ""),
    "empty ones": ("[], {}, [[]], new Map(), new Set()", "[] {} [ [] ] Map(0) {} Set(0) {}"),
    "holes": (
        "[1, , 3], new Array(5), [undefined, , , null]",
        "[ 1, <1 empty item>, 3 ] [ <5 empty items> ] [ undefined, <2 empty items>, null ]",
    ),
    "keys": (
        "{ 'a-b': 2, 3: 4, '': 5, _ok: 6, [Symbol('k')]: 1 }",
        "{ '3': 4, 'a-b': 2, '': 5, _ok: 6, [Symbol(k)]: 1 }",
    ),
    "maps and sets": (
        "new Map([['a', 1], [{ b: 2 }, [3]]]), new Set([1, '2'])",
        "Map(2) { 'a' => 1, { b: 2 } => [ 3 ] } Set(2) { 1, '2' }",
    ),
    "dates": ("new Date(0), [new Date(NaN)]", "1970-01-01T00:00:00.000Z [ Invalid Date ]"),
    "far dates": ("new Date(-1), new Date(-1e14), new Date(8.64e15)", None),
    "regular expressions": ("/a+b/gi, [/x/dgimsuy]", "/a+b/gi [ /x/dgimsuy ]"),
    "classes": (
        "new (class Foo { constructor() { this.x = 1 } get y() { return 2 } }), class A {}, class B extends Map {}",
        "Foo { x: 1 } [class A] [class B extends Map]",
    ),
    "private fields are not shown": ("new (class P { #a = 1; b = 2 })", "P { b: 2 }"),
    "functions": (
        "function f() {}, () => 1, async () => {}, function* g() {}, Math.max",
        "[Function: f] [Function (anonymous)] [AsyncFunction (anonymous)] [GeneratorFunction: g] [Function: max]",
    ),
    "getters are named, not called": (
        "{ get a() { throw 1 }, set b(v) {}, get c() { return 1 }, set c(v) {} }",
        "{ a: [Getter], b: [Setter], c: [Getter/Setter] }",
    ),
    "null prototypes": (
        "Object.create(null), Object.assign(Object.create(null), { a: 1 })",
        "[Object: null prototype] {} [Object: null prototype] { a: 1 }",
    ),
    "binary data": (
        "new Uint8Array([1, 2, 3]), new Float64Array(2), new BigInt64Array(1)",
        "Uint8Array(3) [ 1, 2, 3 ] Float64Array(2) [ 0, 0 ] BigInt64Array(1) [ 0n ]",
    ),
    "buffers": (
        "new Uint8Array([1, 255]).buffer",
        "ArrayBuffer { [Uint8Contents]: <01 ff>, byteLength: 2 }",
    ),
    "promises": ("Promise.resolve(4), new Promise(() => {})", "Promise { 4 } Promise { <pending> }"),
    "boxes": (
        "new Number(3), new String('ab'), new Boolean(false), Object(3n)",
        "[Number: 3] [String: 'ab'] [Boolean: false] [BigInt: 3n]",
    ),
    "subclasses of built-ins": (
        """
            new (class X extends Map {})([[1, 2]]), new (class Y extends Array {})(1, 2),
              new (class Z extends Uint8Array {})(1)
            """,
        "X(1) [Map] { 1 => 2 } Y(2) [ 1, 2 ] Z(1) [Uint8Array] [ 0 ]",
    ),
    "tags": ("{ [Symbol.toStringTag]: 'T', a: 1 }, Math", None),
    "arrays and functions with members": (
        "Object.assign([1], { k: 'v' }), Object.assign(() => {}, { p: 1 })",
        "[ 1, k: 'v' ] [Function (anonymous)] { p: 1 }",
    ),
    "arguments": ("...(function () { return [arguments] })(1, 2)", "[Arguments] [ 1, 2 ]"),
    "URLs": (
        "new URL('http://x/?a=1'), new URLSearchParams('a=1&b=c d')",
        "URL { href: 'http://x/?a=1' } URLSearchParams { 'a' => '1', 'b' => 'c d' }",
    ),
    "a lone surrogate": ("'\\ud800', ['\\ud800']", "\ufffd [ '\\ud800' ]"),
    "a proxy is its target": ("new Proxy({ a: 1 }, { get() { throw 1 } }), new Proxy([1], {})", "{ a: 1 } [ 1 ]"),
    "a long string inside is split at its lines": (
        "['one\\n' + 'x'.repeat(80)]",
        "[\n  'one\\n' +\n    '" + "x" * 80 + "'\n]",
    ),
    "short arrays of numbers in columns": (
        "[1.25, -3, 100000, 22, 3, 4, 5, 6, 7, 8, 9, 10]",
        "[\n  1.25, -3, 100000,\n    22,  3,      4,\n     5,  6,      7,\n     8,  9,     10\n]",
    ),
    "rows of objects": (
        "[{ id: 1, name: 'first' }, { id: 2, name: 'second' }, { id: 3, name: 'the third' }, { id: 4, name: 'n' }]",
        (
            "[\n  { id: 1, name: 'first' },\n  { id: 2, name: 'second' },\n  { id: 3, name: 'the third' },\n"
            "  { id: 4, name: 'n' }\n]"
        ),
    ),
    "depth": ("{ a: { b: { c: { d: { e: { f: 1 } } } } } }", None),
}

KNOWN = {
    "far dates": "1969-12-31T23:59:59.999Z -001199-02-15T14:13:20.000Z +275760-09-13T00:00:00.000Z",
    "tags": "Object [T] { a: 1, [Symbol(Symbol.toStringTag)]: 'T' } Object [Math] {}",
    "depth": "{\n  a: {\n    b: { c: { d: { e: [Object] } } }\n  }\n}",
}

TEMPLATES = {
    "each kind": ("'%s is %d and %i, %f', 'Bob', 42.5, 42.9, '1.5x'", "Bob is 42.5 and 42, 1.5"),
    "JSON": ("'%j', { a: [1] }", '{"a":[1]}'),
    "objects": ("'%o %O', [1], { b: {} }", "[ 1 ] { b: {} }"),
    "%s shows an object shallowly": ("'%s', { a: { b: {} } }", "{ a: [Object] }"),
    "%c takes a style away": ("'%cred', 'color: red'", "red"),
    "%% is a sign": ("'100%% of %s', 'it'", "100% of it"),
    "no argument left": ("'%s %s', 'a'", "a %s"),
    "an unknown letter": ("'%x', 1", "%x 1"),
    "one argument is no template": ("'100% %s'", "100% %s"),
    "arguments left over": ("'a %s', 'b', { c: 1 }", "a b { c: 1 }"),
    "what is no number": ("'%d %i %f', {}, Symbol(), 'x'", "NaN NaN NaN"),
    "big integers": ("'%d %i', 5n, 6n", "5n 6n"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_is_written_as_node_writes_it(run: RunProgram, name: str) -> None:
    source, expected = VALUES[name]
    assert run(f"console.log({source}); 1").logs == [KNOWN.get(name, expected)]


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_filled(run: RunProgram, name: str) -> None:
    source, expected = TEMPLATES[name]
    assert run(f"console.log({source}); 1").logs == [expected]


def test_a_cycle_is_a_reference(run: RunProgram) -> None:
    lines = run("const a = { n: 1 }; a.me = a; a.list = [a]; console.log(a); 1").logs
    assert lines == ["<ref *1> { n: 1, me: [Circular *1], list: [ [Circular *1] ] }"]


def test_an_error_has_its_class_message_stack_members_and_cause(run: RunProgram) -> None:
    lines = run(
        """
        class ValidationError extends Error {}
        const e = new ValidationError('bad', { cause: { field: 'x' } }); e.code = 7
        console.log(e); 1
        """
    ).logs
    assert lines[0].startswith("ValidationError: bad\n    at ")
    assert lines[0].endswith(" {\n  code: 7,\n  [cause]: { field: 'x' }\n}")
    assert "<eval>" in lines[0]


def test_an_error_set_to_another_name_is_shown_by_it(run: RunProgram) -> None:
    assert (
        run("console.log(Object.assign(new Error('q'), { name: 'ToolError' })); 1").logs[0].startswith("ToolError: q")
    )


def test_levels_are_those_of_the_methods(run: RunProgram) -> None:
    result = run("for (const m of ['debug', 'log', 'info', 'warn', 'error', 'trace']) console[m](m); 1")
    assert result.levels == ["debug", "log", "info", "warn", "error", "debug"]
    assert result.logs[:5] == ["debug", "log", "info", "warn", "error"]


def test_trace_says_where(run: RunProgram) -> None:
    lines = run("function here() { console.trace('at', 1) }\nhere(); 1").logs
    assert lines[0].startswith("Trace: at 1\n    at here ")
    assert "(native)" not in lines[0]


TABLES = {
    "rows": (
        "[{ a: 1, b: 'x' }, { a: 2, c: { d: 1 } }]",
        ["(index)", "a", "b", "c"],
        [["0", "1", "'x'", ""], ["1", "2", "", "[Object]"]],
    ),
    "rows of arrays": ("[[1, 2], [3]]", ["(index)", "0", "1"], [["0", "1", "2"], ["1", "3", ""]]),
    "plain values": ("[1, 'a']", ["(index)", "Values"], [["0", "1"], ["1", "'a'"]]),
    "an object of rows": ("{ r: { x: 1 }, s: { x: 2 } }", ["(index)", "x"], [["r", "1"], ["s", "2"]]),
    "chosen columns": ("[{ a: 1, b: 2 }], ['b']", ["(index)", "b"], [["0", "2"]]),
    "a map": ("new Map([['k', 1]])", ["(iteration index)", "Key", "Values"], [["0", "'k'", "1"]]),
    "a set": ("new Set([7])", ["(iteration index)", "Values"], [["0", "7"]]),
    "wide characters": ("[{ 'é😀': 'ü' }]", ["(index)", "é😀"], [["0", "'ü'"]]),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_drawn(run: RunProgram, name: str) -> None:
    source, heads, rows = TABLES[name]
    lines = run(f"console.table({source}); 1").logs[0].split("\n")
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    assert cells == [heads, *rows]
    assert len({len(line) for line in lines}) == 1


def test_a_table_of_something_else_is_a_log(run: RunProgram) -> None:
    assert run("console.table(5); console.table('x', ['a']); 1").logs == ["5", "x"]


def test_a_long_table_says_how_many_rows_it_left_out(run: RunProgram) -> None:
    lines = run("console.table(Array.from({ length: 250 }, (_, i) => ({ i }))); 1").logs
    assert lines[0].endswith("\n... 150 more rows")


def test_groups_indent_what_is_inside_them(run: RunProgram) -> None:
    lines = run(
        "console.group('g'); console.log('a\\nb'); console.groupEnd(); console.groupEnd(); console.log('c'); 1"
    ).logs
    assert lines == ["g", "  a\n  b", "c"]


def test_indentation_does_not_lengthen_a_line_past_its_bound(run: RunProgram) -> None:
    line = run("for (let i = 0; i < 30; i++) console.group(); console.log('\\n'.repeat(30000)); 1").logs[0]
    assert line.startswith(" " * 40 + "\n")
    assert line.endswith(" more bytes")
    assert len(line.encode()) <= LINE_BOUND + LINE_SLACK


def test_counts_timers_and_assertions_keep_to_their_labels(run: RunProgram) -> None:
    lines = run(
        "console.count(); console.count('a'); console.count(); console.countReset(); console.count()\n"
        "console.assert(true, 'no'); console.assert(1 > 2, 'boo %s', 'x'); console.assert(false)\n"
        "console.time('t'); console.timeLog('t', 5); console.timeEnd('t'); console.timeEnd('t'); 1"
    ).logs
    assert lines[:4] == ["default: 1", "a: 1", "default: 2", "default: 1"]
    assert lines[4:6] == ["Assertion failed: boo x", "Assertion failed"]
    assert lines[6].startswith("t: ")
    assert lines[6].endswith("ms 5")
    assert lines[7].endswith("ms")
    assert lines[8] == "No timer 't': start it with console.time"


CUT = {
    "a string": ("'x'.repeat(1e6)", f"... {10**6 - LINE_BOUND} more characters", 2 * 16),
    "an array": ("new Array(1e6).fill(1)", "  ... 999900 more items\n]", 0),
    "an object": (
        "Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['k' + i, i]))",
        "  ... 4900 more properties\n}",
        0,
    ),
    "a map": ("new Map(Array.from({ length: 300 }, (_, i) => [i, i]))", "  ... 200 more items\n}", 0),
    "typed items": ("new Uint8Array(1e6)", "  ... 999900 more items\n]", 0),
}


@pytest.mark.parametrize("name", CUT)
def test_what_is_too_long_is_cut_and_says_by_how_much(run: RunProgram, name: str) -> None:
    source, tail, slack = CUT[name]
    line = run(f"console.log({source}); 1", memory_bytes=256 << 20).logs[0]
    assert line[-len(tail) :].startswith(tail[:8])
    assert len(line.encode()) <= LINE_BOUND + LINE_SLACK
    if not slack:
        assert line.endswith(tail)


def test_a_huge_string_costs_no_more_than_what_is_shown(run: RunProgram) -> None:
    small = run("const s = 'x'.repeat(4e4); 1").fuel
    shown = run("const s = 'x'.repeat(4e4); console.log(s); 1").fuel - small
    large = run("const s = 'x'.repeat(2e7); 1").fuel
    assert run("const s = 'x'.repeat(2e7); console.log(s, [s], { s }); 1").fuel - large < 10 * shown


def test_a_hostile_value_is_written_and_runs_nothing(run: RunProgram) -> None:
    lines = run(
        """
        const boom = () => { throw new Error('ran') }
        Object.defineProperty(Error.prototype, 'name', { get: boom })
        for (const [o, k] of [[Array.prototype, 'push'], [String.prototype, 'toString'], [Symbol.prototype,
          'toString'],
          [Map.prototype, 'entries'], [Object.prototype, 'toString'], [Array.prototype,
          Symbol.iterator]]) o[k] = boom
        const evil = Object.create(new Proxy({}, { getPrototypeOf: boom, get: boom, ownKeys: boom }))
        console.log(evil, [1], new Map().set(1, 2), Symbol('z'), { toString: boom, toJSON: boom,
          valueOf: boom })
        console.log('%s %d %j', { toString: boom }, { valueOf: boom }, { get a() { boom() } })
        console.log(new Error('e').message); 1
        """
    ).logs
    assert lines[0].split("\n") == [
        "[Object: null prototype] {} [ 1 ] Map(1) { 1 => 2 } Symbol(z) {",
        "  toString: [Function: boom],",
        "  toJSON: [Function: boom],",
        "  valueOf: [Function: boom]",
        "}",
    ]
    assert lines[1] == "{ toString: [Function: boom] } NaN { a: [Getter] }"
    assert lines[2] == "e"


def test_a_toJSON_that_logs_does_not_disturb_the_line_it_is_part_of(run: RunProgram) -> None:  # noqa: N802
    lines = run("console.log('<%j>', { toJSON() { console.log('inner'); return 5 } }, 'after'); 1").logs
    assert lines == ["inner", "<5> after"]


@pytest.mark.parametrize(
    "source",
    [
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; o",
        "let p = {}; for (let i = 0; i < 1000; i++) p = new Proxy(p, {}); p",
        "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy",
        "const b = new ArrayBuffer(8); const u = new Uint8Array(b); structuredClone(b, { transfer: [b] }); [b, u]",
        "const a = []; a[4e9] = 1; a",
        """
            Array.from({ length: 3000 }, (_, i) => Array.from({ length: 50 }, (_,
              j) => ({ [i]: { [j]: 'x'.repeat(9) } })))
            """,
        "2n ** 100000n",
        "Object.assign(new Error('x'.repeat(1e5)), { stack: 'y'.repeat(1e5) })",
    ],
)
def test_no_shape_of_value_is_too_much(run: RunProgram, source: str) -> None:
    result = run(
        f"const f = () => {{ {source.rpartition('; ')[0]}; return {source.rpartition('; ')[2]} }}\nconsole.log(f()); 1"
    )
    assert result.value == 1
    assert len(result.logs) == 1
    assert len(result.logs[0].encode()) <= LINE_BOUND + LINE_SLACK


def test_console_works_at_the_bottom_of_the_stack(run: RunProgram) -> None:
    result = run(
        """
        let deepest = 0
        function f(n) { deepest = n; console.log({ a: [n] }); console.table([{ n }]); f(n + 1) }
        let name; try { f(1) } catch (e) { name = e.name }
        [name, deepest > 500]
        """
    )
    assert result.value == ["RangeError", True]
