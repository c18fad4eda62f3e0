"""A reply as a program sees it: ``result`` is the wire form; names it does not own come from ``data`` (spec 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

WIRE = {"content": [{"type": "text", "text": "{}"}], "_meta": {"a": 1}}
ROWS = [{"n": 1, "keep": True}, {"n": 2, "keep": False}, {"n": 3, "keep": True}]


def ask(run: RunProgram, data: Any, program: str) -> Any:  # JSON
    reply = {"ok": True, "result": WIRE, "data": data}
    return run(f"const res = call_tool('s', 't'); {program}", answers=lambda _request: reply).value


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("res.result.filter(r => r.keep).map(r => r.n)", [1, 3]),
        ("res.result.length", 3),
        ("res.result[1].n", 2),
        ("[...res.result].length", 3),
        ("let n = 0; for (const r of res.result) n += r.n; n", 6),
        ("res.result.reduce((sum, r) => sum + r.n, 0)", 6),
        ("res.result.find(r => r.n === 2).keep", False),
        ("const [first, ...rest] = res.result; [first.n, rest.length]", [1, 2]),
        ("Array.from(res.result, r => r.n)", [1, 2, 3]),
        ("res.result.slice(1).length", 2),
        ("Math.max(...res.result.map(r => r.n))", 3),
        ("res.data.length", 3),
        ("res.result.content[0].type", "text"),
    ],
)
def test_an_array_is_read_through_the_result(run: RunProgram, program: str, value: object) -> None:
    assert ask(run, ROWS, program) == value


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("res.result.name", "octocat"),
        ("res.result.missing === undefined", True),
        ("const { name, repos } = res.result; [name, repos]", ["octocat", 8]),
        ("'name' in res.result", True),
        ("Object.keys(res.result)", ["content", "_meta"]),
        ("JSON.parse(JSON.stringify(res.result))", WIRE),
        ("res.result", WIRE),
        ("({ r: res.result })", {"r": WIRE}),
        ("res.data", {"name": "octocat", "repos": 8}),
        ("({ ...res.result })", WIRE),
        ("res.result.name = 'mine'; [res.result.name, res.data.name]", ["mine", "octocat"]),
        ("res.data.name = 'new'; res.result.name", "new"),
        ("structuredClone(res.result)", WIRE),
    ],
)
def test_an_object_is_read_through_the_result_and_the_wire_form_is_what_it_is(
    run: RunProgram, program: str, value: object
) -> None:
    assert ask(run, {"name": "octocat", "repos": 8}, program) == value


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("res.result.toUpperCase()", "HELLO WORLD"),
        ("res.result.length", 11),
        ("res.result[0]", "h"),
        ("`${res.result}`", "hello world"),
        ("res.result.split(' ')", ["hello", "world"]),
        ("[...res.result].length", 11),
        ("res.result.includes('wor')", True),
        ("res.result + '!'", "hello world!"),
        ("res.result", WIRE),
    ],
)
def test_a_text_is_read_through_the_result(run: RunProgram, program: str, value: object) -> None:
    assert ask(run, "hello world", program) == value


@pytest.mark.parametrize("data", [None, 5, True, 0])
def test_data_that_has_no_names_leaves_the_result_as_it_is(run: RunProgram, data: object) -> None:
    assert ask(run, data, "[res.data, res.result.content.length]") == [data, 1]


def test_names_of_data_never_hide_those_of_the_wire_form(run: RunProgram) -> None:
    data = {"content": "mine", "_meta": 2, "__proto__": {"x": 1}, "toJSON": "text"}
    assert ask(run, data, "[res.result.content[0].type, res.result._meta.a, res.data.content]") == ["text", 1, "mine"]
    assert ask(run, data, "res.result") == WIRE


def test_each_slot_of_a_batch_falls_through(run: RunProgram) -> None:
    slots = [{"ok": True, "result": WIRE, "data": {"n": n}} for n in range(3)]
    source = "call_tools([1, 2, 3].map(n => ({server: 's', tool: 't', args: {n}}))).map(slot => slot.result.n)"
    assert run(source, answers=lambda _request: slots).value == [0, 1, 2]
