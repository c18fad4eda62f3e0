"""What TypeScript programs mean, construct by construct, and where their errors point.

The values are those of tsc's output, except where tsc 5.9 itself emits code that cannot run.
"""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sandbox.driver import RunProgram

ERASED = {
    "annotations": ("const f = (a: number, b?: string, ...c: Array<number>): number => a; f(1)", 1),
    "interface": ("interface A<T> extends B, C.D<T> { a?: T; readonly [k: string]: unknown; m(): void }\n1", 1),
    "alias": ("type A<T = {}> = T extends (infer U extends string)[] ? `x${U}` : never\n2", 2),
    "generic call": ("const id = <T,>(x: T): T => x; id<Map<string, number[]>>(3 as any)", 3),
    "shift after generics": ("const id = <T,>(x: T): T => x; id<Array<Array<number>>>([[1]] as any)[0][0] >> 0", 1),
    "comparison is no generic call": ("const a = 1, b = 2, c = 3, d = 4; [a < b, c > d]", [True, False]),
    "generic call in arguments": ("const f = (x: any) => x, a = <T, U>(n: number) => n; f(a<string, 2>(7))", 7),
    "instantiation": ("const f = <T,>(x: T) => [x]; const g = f<string>; g('a')", ["a"]),
    "as chain": ("const x = { a: 1 } as unknown as { a: number }; x.a as number + 1", 2),
    "as const": ("const x = [1, 'a'] as const; x", [1, "a"]),
    "as keeps grouping": ("const a = 1, b = 2, c = 3; a + b as number * c", 9),
    "satisfies": ("const x = { a: 1 } satisfies Record<string, number>; x.a", 1),
    "cast": ("const x = <any>{ a: <number>1 }; (<{ a: number }>x).a", 1),
    "cast in an arrow body": ("(() => <any>{ a: 1 })()", {"a": 1}),
    "non-null": ("const x: { a?: { b: number }[] } = { a: [{ b: 4 }] }; x.a![0]!.b! + 1", 5),
    "non-null before assignment": ("let o = { a: 1 }; o!.a! += 2; o!.a!++; o.a", 4),
    "optional call": ("const o: any = {}; [o.f?.<string>(1), o?.['x']!]", [None, None]),
    "definite": ("let x!: number; x = 5; x", 5),
    "this parameter": ("function f(this: { n: number }, a: number) { return this.n + a }\nf.call({ n: 1 }, 2)", 3),
    "predicates": (
        "function s(x: unknown): x is string { return true }\nfunction t(x: any): asserts x is 1 {}\ns(1)",
        True,
    ),
    "overloads": (
        "function f(a: string): void;\nfunction f(a: number): void\nfunction f(a: any) { return a }\nf(1)",
        1,
    ),
    "declare": ("declare const a: number, b: string; declare function f(): void\ndeclare enum E { A }\n1", 1),
    "declare module": ("declare module 'x' { export = y; const z: 1 }\ndeclare global { interface A {} }\n1", 1),
    "types only in a namespace": ("namespace A { export interface B {} export type C = 1 }\ntypeof A", "undefined"),
    "catch": ("try { throw 1 } catch (e: unknown) { (e as number) + 1 }", 2),
    "for": ("let n = 0; for (const x of <number[]>[1, 2]) n += x; for (let i: number = 0; i < 2; i++) n++; n", 5),
    "destructuring": ("const { a, b: [c] }: { a: number; b: number[] } = { a: 1, b: [2] }; a + c", 3),
    "destructured parameter": ("(({ a, b = 2 }: { a: number; b?: number }) => a + b)({ a: 1 })", 3),
    "async arrow": ("const f = async <T,>(x: T): Promise<T> => x; await f(1)", 1),
    "function types": ("let f: (a: (b: number) => void, ...c: any[]) => asserts a is any = null as any; f", None),
    "arrow as a conditional branch": ("const x = true ? (a: number): number => a : (b: number) => -b; x(1)", 1),
    "parenthesis before a colon": ("const b = 1, d = 2; [true ? (b) : d, false ? (b) : (d) ]", [1, 2]),
    "arrow after a parenthesis and colon": (
        "const b = 1; const f = false ? (b) : (c: number) => c + 1; (f as any)(1)",
        2,
    ),
    "case label in parentheses": ("let r = 0; switch (1 as number) { case (1): r = 1 }; r", 1),
    "contextual words as names": (
        "let type = 1, of = 2, as = 3, is = 4, declare = 5, namespace = 6; type + of + as",
        6,
    ),
    "type as an expression": ("let type = 1\ntype\n= 4\ntype", 4),
    "abstract as a name": ("var abstract = 1\nabstract\nclass A {}\nabstract", 1),
    "object members": (
        "const o = { f<T>(x: T): T { return x }, get g(): number { return 2 }, async: 1, get: 2 }; o.f(o.g)",
        2,
    ),
    "template": ("const x: number = 2; `${x as number}${`${x!}`}`", "22"),
    "regular expression": (
        "const a = 4, g = 2; const r: RegExp = /[/]<T>(x: y)/; [a / 2 / g, r.test('/<T>x: y')]",
        [1, True],
    ),
    "optional tuple labels": ("let t: [new: number, type?: string, ...rest: any[]] = [1]; t", [1]),
    "accessors and keyof": ("let k: keyof typeof globalThis | readonly `a${string}`[] = [] as any; k", []),
    "type-only imports": (
        "import type { A } from 'a'; import { type B } from 'b'; import { C } from 'c'; let c: C; 1",
        1,
    ),
    "type-only exports": ("interface A {} export type { A }; export type * from 'b'; export { type A as B }; 1", 1),
    "empty export": ("const x: number = 1; export {}; x", 1),
    "unicode": ("const é: 'ü' | '😀' = 'ü', 名: string = é; 名", "ü"),
}

LAYOUT = {
    "alias between statements": ("let a = 1\nlet b = a\ntype A = number\n[2].length\nb", 1),
    "call after an alias": ("const f = () => 7\ntype A = number\n(1 + 1)", 2),
    "parenthesis after as": ("let x: any = 1\nlet y = x as any\n(2 + 2)", 4),
    "bracket after as": ("let x: any = [5]\nlet y = x as number[]\n[0].length", 1),
    "template after satisfies": ("let x: any = 1\nlet y = x satisfies any\n`t`", "t"),
    "arrow with a return type over lines": ("const f = (a: number): Array<\n  number\n> => [a]\nf(1)", [1]),
    "async type parameters over lines": ("const f = async <\n  T,\n>(a: T) => a\nawait f(1)", 1),
    "return of a cast over lines": ("function f() { return <\n  any\n>5 }\nf()", 5),
    "field before a computed key": ("class A { x = 1\n  public ['y'] = 2 }\nnew A()", {"x": 1, "y": 2}),
    "field before a generator": (
        "class A { x = 1\n  private *g() { yield 3 } run() { return [...this.g()] } }\nnew A().run()",
        [3],
    ),
    "field named get": ("class A { get: number\n  x() { return 1 } }\nnew A().x()", 1),
    "index signature without semicolon": ("class A { a = 1\n  declare b: 1\n  ['c'] = 3 }\nnew A()", {"a": 1, "c": 3}),
    "overload without semicolon": ("class A { a = [1]\n  f(): void\n  f() { return 2 } }\nnew A().f()", 2),
}

CLASSES = {
    "members": (
        (
            "abstract class A<T> { abstract f(): T; protected static readonly n: any = 1; private x?: T; g?(): void }"
            " class B extends A<string> implements C, D<E> { override f(): string { return 'b' } declare z: number }"
            " new B().f()"
        ),
        "b",
    ),
    "parameter properties": (
        "class A { constructor(public x: number, private readonly y = 2) {} }\nnew A(1)",
        {"x": 1, "y": 2},
    ),
    "parameter properties come first": (
        "class A { z = 3; constructor(public x: number) {} }\nJSON.stringify(new A(1))",
        '{"x":1,"z":3}',
    ),
    "parameter properties after super": (
        "class A { a = 1 } class B extends A { constructor(public b: number) { super(); this.b++ } }\nnew B(2)",
        {"a": 1, "b": 3},
    ),
    "super with a body in its arguments": (
        (
            "class A { constructor(public f: any) {} } class B extends A"
            " { constructor(public b: number) { super(() => { return 1 })\n this.b += this.f() } }\nnew B(2).b"
        ),
        3,
    ),
    "super inside an expression": (
        "class A {}\nclass B extends A { r; constructor(public b: 2) { const s = super(); this.r = !!s } }\nnew B(2)",
        {"b": 2, "r": True},
    ),
    "constructor overloads": ("class A { constructor(x: string); constructor(public x: any) {} }\nnew A(1).x", 1),
    "fields": (
        "class A { a: number; b!: string; 'c'?: 1; #d: number = 4; get d(): number { return this.#d } }\nnew A().d",
        4,
    ),
    "static block and index": ("class A { static n: number; [k: string]: any; static { A.n = 2 } }\nA.n", 2),
    "generic heritage": (
        "class A<T> { constructor(public v: T) {} }\nclass B<T> extends A<T[]> {}\nnew B<number>([1]).v",
        [1],
    ),
    "class expression": ("const A = class<T> implements I { f(x: T) { return x } }; new A<number>().f(1)", 1),
}

ENUMS = {
    "numeric": ("enum E { A, B = 5, C }\n[E.A, E.C, E[5], E[6]]", [0, 6, "B", "C"]),
    "string": ("enum E { A = 'a', B = `b` }\n[E.A, E.B, Object.keys(E)]", ["a", "b", ["A", "B"]]),
    "negative and mixed": (
        "enum E { A = -2, B, C = 'c', D = 1 }\n[E.B, E[-1], E.D, Object.keys(E).length]",
        [-1, "B", 1, 7],
    ),
    "computed": ("enum E { A = 'xy'.length, B = A << 2, C = A | B }\n[E.A, E.B, E.C, E[8]]", [2, 8, 10, "B"]),
    "after a computed member": ("enum E { A = 1 << 3, B, C }\n[E.B, E[10]]", [9, "C"]),
    "alias of a string member": ("enum E { A = 'a', B = A }\n[E.B, Object.keys(E)]", ["a", ["A", "B"]]),
    "quoted names": (
        "enum E { 'a-b' = 1, 'c', D = c, ['e f'], default, G = E['a-b'] }\n[E['a-b'], E.D, E['e f'], E.default, E.G]",
        [1, 2, 3, 4, 1],
    ),
    "const": ("const enum E { A = 1, B }\n[E.B, E['A']]", [2, 1]),
    "merged": ("enum E { A = 1 }\nenum E { B = A + 1, C = E.A }\n[E.A, E.B, E.C, E[2]]", [1, 2, 1, "B"]),
    "in a block": ("let r: any; { enum E { A } enum E { B = A + 7 } r = E.B }\n[r, typeof E]", [7, "undefined"]),
    "members shadow": ("const A = 10; enum E { A = 1, B = A }\nE.B", 1),
    "member named as the enum": ("enum E { E = 3, F = E }\n[E.E, E.F]", [3, 3]),
    "over lines with comments": ("enum E { // first\n  A = 1, /* a */\n  B, // b\n}\nE.B", 2),
}

NAMESPACES = {
    "members": (
        (
            "namespace N { export const a = 1; export function f() { return a + b } const b = 2; export class C {} }\n"
            "[N.f(), Object.keys(N)]"
        ),
        [3, ["a", "f", "C"]],
    ),
    "live variables": (
        "namespace N { export let n: number = 0; export function inc() { n++ } }\nN.inc(); N.n += 5; N.inc(); N.n",
        7,
    ),
    "nested": (
        "namespace A.B { export const x = 1 }\nnamespace A { export namespace C { export const y = B.x + 1 } }\nA.C.y",
        2,
    ),
    "enum inside": ("namespace N { export enum E { A = 4 } export const e = E.A }\n[N.E.A, N.e]", [4, 4]),
    "merged parts": ("namespace N { export const a = 1 }\nnamespace N { export const b = a + 1 }\nN.b", 2),
    "merged with a function": ("function f() { return f.n }\nnamespace f { export const n = 3 }\nf()", 3),
    "merged with a class": ("class C { static m() { return C.n } }\nnamespace C { export const n = 3 }\nC.m()", 3),
    "destructured exports": ("namespace N { export const { a, b: [c] } = { a: 1, b: [2] } }\n[N.a, N.c]", [1, 2]),
    "aliases": (
        (
            "namespace N { export namespace M { export const x = 1; export interface I {} } }\n"
            "import M = N.M; import I = N.M.I; let i: I; M.x"
        ),
        1,
    ),
    "a member with its own name": ("namespace N { export const N = 2 }\nN.N", 2),
    "module keyword": ("module N { export const a = 1 }\nN.a", 1),
}

MEANINGS = {
    f"{group}: {name}": case
    for group, cases in {
        "erased": ERASED,
        "layout": LAYOUT,
        "classes": CLASSES,
        "enums": ENUMS,
        "namespaces": NAMESPACES,
    }.items()
    for name, case in cases.items()
}

REFUSED = {
    "missing operand": ("let x: number = ;", 1, 17, "Unexpected token ';'"),
    "missing type": ("let a = 1\nlet x: = 2", 2, 8, "Unexpected token '='"),
    "second line": ("const a: number = 1\nfunction f(a: { b: string ) {}", 2, 27, "Unexpected token ')'"),
    "end of input": ("interface A {\n  a: string\n", 3, 1, "end of input"),
    "decorator": ("class A {\n  @log f() {}\n}", 2, 3, "Decorators are not supported"),
    "element": ("const x = <div>Hello there</div>", 1, 11, "JSX is not supported"),
    "element with an attribute": ("const x = 1\nconst y = <a href='b'/>", 2, 11, "JSX is not supported"),
    "export =": ("const a = 1\nexport = a", 2, 8, "use export default"),
    "import require": ("import a = require('a')", 1, 12, "use import"),
    "numeric enum member": ("enum E { 1 = 2 }", 1, 10, "numeric name"),
    "enum member after a string": ("enum E { A = 'a', B }", 1, 19, "needs a value"),
    "bad annotation": ("(a: number, b)", 1, 3, "Unexpected token ':'"),
    "columns are UTF-16 units": ("const é = '😀', x: = 1", 1, 20, "Unexpected token '='"),
    "line separator": ("let a = 1\u2028let x: = 2", 2, 8, "Unexpected token '='"),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_a_typescript_program_has_the_value_of_its_javascript(run_ts: Callable[[str], Any], name: str) -> None:
    source, value = MEANINGS[name]
    assert run_ts(source) == value


@pytest.mark.parametrize("name", REFUSED)
def test_text_that_is_no_typescript_is_refused_where_it_goes_wrong(run: RunProgram, name: str) -> None:
    source, line, column, message = REFUSED[name]
    error = run(source, language="typescript").failure
    assert (error.code, error.line, error.column) == ("TRANSPILE_ERROR", line, column)
    assert message in error.message


def test_a_runtime_error_points_into_the_typescript(run: RunProgram) -> None:
    source = dedent("""\
        interface A { a: string }
        type B<T> = {
          [K in keyof T]: T
        }
        enum E {
          X = 1,
        }
        function f<T extends A>(
          a: T,
        ): Array<
          number
        > { return (a as any).b.c }
        f<A>({ a: 'x' } as A)
    """)
    typed = run(source, language="typescript").failure
    assert (typed.line, typed.column) == (12, 25)


ANNOTATED = """
let total: number = 0
function add(n: number): void { total += n }
add(1), add<number>(2); missing(total as number)
"""
PLAIN = """
let total         = 0
function add(n        )       { total += n }
add(1), add        (2); missing(total          )
"""


def test_columns_are_those_of_the_same_javascript(run: RunProgram) -> None:
    typed = run(ANNOTATED, language="typescript").failure
    plain = run(PLAIN).failure
    assert (typed.line, typed.column, typed.message) == (plain.line, plain.column, plain.message)


def test_a_type_with_wide_characters_moves_no_column(run: RunProgram) -> None:
    source = "const a: 'é' | '名' | '😀' = (null as any).wide"
    error = run(source, language="typescript").failure
    assert error.column == 1 + len(source[: source.index("wide")].encode("utf-16-le")) // 2


def test_plain_javascript_runs_the_same_as_typescript(run: RunProgram) -> None:
    source = dedent("""\
        label: for (const [k, v] of Object.entries({ a: 1, b: 2 })) { if (k < 'b' && v > 0) continue label }
        const o = { async *g() { yield 1 }, get x() { return 2 }, ['c' + 1]: 3, if: 4 };
        const t = (a, b = (1, 2), ...c) => ({ a, b, c });
        let i = 8, g = 2; i++ / 2 / g;
        [o.x, o.c1, o.if, t`x${1}`.b, i < g > 1, /=[/]/.source, `${`}`}`, 1..toString(), 0x1F.toString()]
    """)
    assert run(source, language="typescript").value == run(source).value


@pytest.mark.parametrize(
    "opening", ["(", "<", "[", "{", "a<", "namespace a{", "type X=A<", "x=class{a=", "`${", "a?(b):c=>", "() => "]
)
def test_deep_nesting_is_an_error_of_the_program(run: RunProgram, opening: str) -> None:
    source = opening * (200_000 // len(opening))
    assert run(source, language="typescript").failure.code in {"TRANSPILE_ERROR", "SYNTAX_ERROR"}


def test_a_computed_member_runs_in_the_cell(run: RunProgram) -> None:
    source = "let n = 0; enum E { A = (() => { while (n < 1e4) n++; return n })() }\n[E.A, n]"
    assert run(source, language="typescript").value == [10_000, 10_000]
