"""The language, sampled by year in the shape of the conformance suite, and then whatever programs chance makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.sandbox.driver import SLICE, StillRunning, drive, ok
from toolcell.model.codes import RunCode
from toolcell.model.request import Language
from toolcell.sandbox import CellLimits, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sandbox.driver import RunProgram
    from toolcell.sandbox import Engine

SAMPLES = Path(__file__).parent / "ecmascript"
HARNESS = (SAMPLES / "harness.js").read_text()
YEARS = range(2015, 2024)


def features() -> Iterator[object]:
    for year in YEARS:
        for part in (SAMPLES / f"es{year}.js").read_text().split("//# ")[1:]:
            name, _, body = part.partition("\n")
            yield pytest.param(body, id=f"ES{year}-{name}")


@pytest.mark.parametrize("body", list(features()))
@pytest.mark.parametrize("mode", ["", "'use strict';"], ids=["sloppy", "strict"])
def test_the_language_has_the_feature(run: RunProgram, body: str, mode: str) -> None:
    assert run(f"{mode}{HARNESS}\n{body}\n'passed'").value == "passed"


def test_the_harness_notices_a_false_assertion(run: RunProgram) -> None:
    assert run(f"{HARNESS}\nassert.sameValue(0, -0)").failure.message == "TestError: 0 is not 0 "
    assert "nothing was thrown" in run(f"{HARNESS}\nassert.throws(TypeError, () => 1)").failure.message


@pytest.mark.parametrize("body", list(features()))
def test_typescript_runs_plain_javascript_of_every_year(run: RunProgram, body: str) -> None:
    assert run(f"{HARNESS}\n{body}\n'passed'", language="typescript").value == "passed"


# ---- programs by chance ----

ALLOWED = set(RunCode) - {RunCode.EXECUTION_FAILED, RunCode.CANCELLED, RunCode.TRANSPILE_ERROR}
BUDGET = CellLimits(memory_bytes=8 << 20, fuel=30_000_000, max_result_bytes=100_000)

names = st.sampled_from(["a", "b", "input", "globalThis", "Object", "Array", "Promise", "JSON", "call_tool", "console"])
literals = st.one_of(
    st.integers(-(2**40), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(max_size=8).map(json.dumps),
    st.sampled_from(
        ["null", "undefined", "NaN", "1n", "true", "[]", "{}", "/a+/g", "Symbol()", "new Map()", "new Date(0)", "this"]
    ),
)


def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "**", "%", "==", "in", "instanceof", "??", "||", ",", "=", "<<", "?."])
    wrappers = st.sampled_from(
        [
            "({})", "[{}]", "({{ a: {} }})", "`${{{}}}`", "(() => {})()", "(async () => {})()", "new ({})",
            "typeof ({})", "await ({})", "({{ get a() {{ return {} }} }})", "new Proxy({}, {{}})", "[...[{}]]", "{}.a",
            "{}[0]", "{}()",
            "Promise.reject({})", "call_tool('s', 't', {{ v: {} }})", "call_tools([{}])", "JSON.stringify({})",
            "Object.freeze({})", "structuredClone({})", "console.log({})", "eval(String({}))", "new Error({})",
            "(function* () {{ yield {} }})()", "Array.from({{ length: 5 }}, () => {})", "{}.toString()",
            "({{ toJSON() {{ return {} }} }})", "Object.setPrototypeOf({{}}, {})", "delete ({})", "({{ ...{} }})",
        ]
    )  # fmt: skip
    return st.one_of(
        st.tuples(inner, operators, inner).map(" ".join),
        st.tuples(wrappers, inner).map(lambda pair: pair[0].format(pair[1])),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]}) ? ({parts[1]}) : ({parts[2]})"),
    )


expressions = st.recursive(st.one_of(literals, names), combine, max_leaves=12)
STATEMENTS = [
    "{}", "let a = {}", "var b = {}", "return {}", "throw {}", "if ({}) {{ {} }}", "for (const a of [{}]) {{ {} }}",
    "try {{ {} }} catch (a) {{ {} }}", "try {{ {} }} finally {{ {} }}", "while ({}) {{ {}; break }}",
    "export default {}",
    "for (;;) {{ {}; if ({}) break }}", "switch ({}) {{ case 1: {} }}", "function f() {{ return {} }} f()",
    "class A {{ static a = {} }}", "queueMicrotask(() => {})", "Object.prototype.toJSON = () => {}",
    "Array.prototype[0] = {}", "const {{ a: c }} = {}", "label: for (;;) {{ {}; break label }}", "import({})",
    "globalThis.a = {}", "JSON.stringify = {}", "Promise.prototype.then = {}", "f(); async function f() {{ await {} }}",
]  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = []
    for _ in range(draw(st.integers(1, 5))):
        statement = draw(st.sampled_from(STATEMENTS))
        wanted = statement.replace("{{", "").replace("}}", "").count("{}")
        lines.append(statement.format(*(draw(expressions) for _ in range(wanted))))
    return draw(st.sampled_from([";\n", "\n", ";"])).join(lines)


SEEDS = [path.read_text() for path in sorted(SAMPLES.glob("es20*.js"))]


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Cut, copy and overwrite pieces of real programs."""
    text = HARNESS + draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        other = draw(st.integers(0, len(text)))
        piece = draw(
            st.one_of(
                st.just(""),
                st.just(text[other : other + 30]),
                st.sampled_from(
                    ["(", "{", "`", "/", "*/", "\n", "await ", "yield ", "\0", "\u2028", "🏳", "#", "...", "=>"]
                ),
            )
        )
        text = text[:start] + piece + text[end:]
    return text


def check(engine: Engine, source: str, language: Language = Language.JAVASCRIPT) -> None:
    """Run it: it ends in an allowed way, and the next program is not touched by it."""
    cell = engine.start(Program(source=source, language=language, input_json=b'{"x":[1,{}]}'), BUDGET)
    try:
        result = drive(cell, lambda _request: ok(), max_slices=50_000, slice_fuel=SLICE)
    except StillRunning as error:
        raise AssertionError("the budget did not end it") from error
    finally:
        cell.close()
    if result.error is None:
        json.loads(result.json or b"")
    else:
        allowed = ALLOWED | {RunCode.TRANSPILE_ERROR} if language is Language.TYPESCRIPT else ALLOWED
        assert result.error.code in allowed, result.error
        assert "stopped the engine" not in result.error.message
        assert "broke" not in result.error.message
    after = engine.start(Program(source="1+1"), CellLimits())
    assert drive(after).value == 2
    after.close()
    assert engine.live_cells == 0


RELAXED = settings(
    max_examples=250,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@RELAXED
@given(source=programs())
@example(source="export default class { static a = this }")
@example(source="eval(String(globalThis.a = Object.freeze(this)))")
def test_a_program_of_the_grammar_ends_in_an_allowed_way(engine: Engine, source: str) -> None:
    check(engine, source)


@RELAXED
@given(source=mutations())
def test_a_mutated_program_ends_in_an_allowed_way(engine: Engine, source: str) -> None:
    check(engine, source)


@settings(RELAXED, max_examples=150)
@given(source=st.one_of(programs(), mutations()))
def test_the_same_as_typescript_ends_in_an_allowed_way(engine: Engine, source: str) -> None:
    check(engine, source, Language.TYPESCRIPT)


@settings(RELAXED, max_examples=150)
@given(source=st.text(max_size=200))
def test_any_text_at_all_ends_in_an_allowed_way(engine: Engine, source: str) -> None:
    check(engine, source)
