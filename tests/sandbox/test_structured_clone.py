"""``structuredClone`` copies what the HTML standard copies, and refuses the rest (spec 2.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram


def test_a_clone_is_deep_and_keeps_cycles_and_shared_parts(run: RunProgram) -> None:
    result = run(
        """
        const shared = { s: 1 }, a = { list: [shared, shared], m: new Map([[shared, new Set([shared])]]) };
          a.self = a
        const c = structuredClone(a), [[key, set]] = c.m
        return [c !== a, c.self === c, c.list[0] === c.list[1], c.list[0] !== shared, key === c.list[0],
          set.has(key)]
        """
    )
    assert result.value == [True] * 6


CLONES = {
    "holes and members of an array": ("""
        const a = [1, , 3]; a.x = 5; const c = structuredClone(a); [c, 1 in c, c.x]
        """, [[1, None, 3], False, 5]),
    "a date": ("structuredClone(new Date(5)).getTime()", 5),
    "a regular expression": ("""
        const r = /a(b)/gi; r.lastIndex = 2; const c = structuredClone(r); [c.source, c.flags, c.lastIndex]
        """, ["a(b)", "gi", 0]),
    "a class instance, as a plain object": (
        """
            class F { constructor() { this.a = 1 } get g() { return 2 } };
              const c = structuredClone(new F()); [c, c.constructor === Object]
            """,
        [{"a": 1}, True],
    ),
    "what a getter gives": ("structuredClone({ get a() { return { z: 1 } } })", {"a": {"z": 1}}),
    "not symbols": ("structuredClone({ [Symbol('a')]: 1, b: 2 })", {"b": 2}),
    "a view, with its whole buffer": (
        """
            const v = structuredClone(new Uint8Array([1, 2, 3, 4]).subarray(1, 3));
              [[...v], v.byteOffset, v.buffer.byteLength]
            """,
        [[2, 3], 1, 4],
    ),
    "views that share": (
        """
        const b = new ArrayBuffer(4), { x, y } = structuredClone({ x: new Uint8Array(b), y: new DataView(b,
          1, 2) })
        return [x.buffer === y.buffer, y.byteOffset, y.byteLength]
        """,
        [True, 1, 2],
    ),
    "boxes": ("""
        [new Number(3), new String('ab'), Object(true)].map((b) => structuredClone(b)).map((b) => [typeof b,
          b.valueOf()])
        """,
              [["object", 3], ["object", "ab"], ["object", True]]),
    "an error": (
        """
        const c = structuredClone(Object.assign(new TypeError('m', { cause: { k: 1 } }), { extra: 1 }))
        return [c instanceof TypeError, c.name, c.message, c.cause, Object.keys(c)]
        """,
        [True, "TypeError", "m", {"k": 1}, []],
    ),
    "an error of another name": ("const e = new Error('m'); e.name = 'Mine'; structuredClone(e).name", "Error"),
    "a DOMException": ("""
        const c = structuredClone(new DOMException('m', 'AbortError')); [c.name, c.message, c.code]
        """, ["AbortError", "m", 20]),
    "depth that no stack could": (
        """
        let o = {}; for (let i = 0; i < 20000; i++) o = { o }
        let c = structuredClone(o), n = 0; while ((c = c.o)) n++
        n
        """,
        20000,
    ),
    "an array that shrinks under it": ("""
        const a = [{ get x() { a.length = 1; return 1 } }, 2, 3]; structuredClone(a)
        """, [{"x": 1}, 2, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", CLONES)
def test_a_clone_has(run: RunProgram, name: str) -> None:
    source, expected = CLONES[name]
    value = run(source).value
    if name == "an array that shrinks under it":
        assert value in ([{"x": 1}, 2, 3], [{"x": 1}, None, None])
    else:
        assert value == expected


@pytest.mark.parametrize(
    "source",
    [
        *("() => 1", "Symbol('a')", "{ a: { b() {} } }", "new WeakMap()", "Promise.resolve()", "new Proxy({}, {})"),
        *(
            "class {}",
            "new WeakRef({})",
            "(function* () {})()",
            "Object(Symbol())",
            "new URL('a:b')",
            "new TextDecoder()",
        ),
    ],
)
def test_what_cannot_be_cloned_is_refused(run: RunProgram, source: str) -> None:
    result = run(
        f"""
        try {{ structuredClone({source}) }} catch (e) {{
          return [e.name, e.code, e instanceof DOMException, e.message]
        }}
        """
    )
    assert result.value[:3] == ["DataCloneError", 25, True]
    assert result.value[3].endswith(" could not be cloned")


def test_a_transfer_moves_a_buffer(run: RunProgram) -> None:
    result = run(
        """
        const b = new Uint8Array([7, 8]).buffer, c = structuredClone({ b, v: new Uint8Array(b) },
          { transfer: [b] })
        const kept = new ArrayBuffer(8);
          try { structuredClone({ f() {}, kept }, { transfer: [kept] }) } catch {}
        const again = (t) => { try { structuredClone(1, { transfer: t }) } catch (e) { return e.name } }
        return [b.byteLength, c.b.byteLength, c.v.buffer === c.b, [...c.v], kept.byteLength, again([b]),
          again([kept, kept]), again([{}])]
        """
    )
    assert result.value == [0, 2, True, [7, 8], 8, "DataCloneError", "DataCloneError", "DataCloneError"]
