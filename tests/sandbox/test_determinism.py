"""The same program, input and seed give the same answer and the same fuel; only the seed differs (H31, H74)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.sandbox.driver import drive, ok
from toolcell.model.codes import RunCode
from toolcell.sandbox import CellLimits, Ended, Program, Running

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram
    from toolcell.sandbox import Engine

SEED = bytes(range(32))
PROGRAMS = {
    "arithmetic": "let n = 0; for (let i = 0; i < 1000; i++) n += i * i; n",
    "random numbers": "[Math.random(), crypto.randomUUID(), ...crypto.getRandomValues(new Uint8Array(8))]",
    "a sort by chance": "Array.from({ length: 200 }, (_, i) => i).sort(() => Math.random() - 0.5)",
    "hashed collections": "const m = new Map(); for (let i = 0; i < 500; i++) m.set({}, i); [...m.values()].length",
    "object keys": "const o = {}; for (let i = 0; i < 300; i++) o['k' + (i * 7919) % 1000] = i; Object.keys(o)",
    "garbage": "for (let i = 0; i < 20000; i++) ({ a: [i] }); input.x",
    "promises": "await Promise.all([3, 1, 2].map(async x => { await 0; return x }))",
    "a regular expression": "'the quick brown fox'.replace(/(\\w+)/g, w => w.toUpperCase())",
    "an error": "null.x",
    "recursion to the limit": "let d = 0; function f() { d++; f() } try { f() } catch { d }",
    "memory to the limit": "const a = []; for (;;) a.push(new Uint8Array(100000))",
    "console": "console.log({ a: [1, { b: 2 }] }); 1",
    "a syntax error": "const = 1",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_repeats_exactly(run: RunProgram, name: str) -> None:
    runs = [run(PROGRAMS[name], input={"x": 5}, seed=SEED, memory_bytes=8 << 20) for _ in range(20)]
    assert len({(result.json, result.error, result.fuel, result.peak, tuple(result.logs)) for result in runs}) == 1


def test_a_hundred_runs_use_the_same_fuel(run: RunProgram) -> None:
    source = "let s = ''; for (let i = 0; i < 50; i++) s += Math.random(); [s, input, new Map([[{}, 1]]).size]"
    runs = [run(source, input={"a": [1, 2, 3]}, seed=SEED) for _ in range(100)]
    assert len({(result.json, result.fuel) for result in runs}) == 1


@pytest.mark.parametrize("slice_fuel", [10_000, 123_457, 1_000_000, 1 << 40])
def test_the_size_of_slices_changes_neither_answer_nor_fuel(run: RunProgram, slice_fuel: int) -> None:
    source = "let n = 0; for (let i = 0; i < 20000; i++) n += Math.random(); n"
    whole = run(source, seed=SEED)
    sliced = run(source, seed=SEED, slice_fuel=slice_fuel)
    assert (sliced.json, sliced.fuel) == (whole.json, whole.fuel)


def test_what_ran_before_in_the_same_engine_changes_nothing(run: RunProgram) -> None:
    source = "[Math.random(), Object.keys(globalThis).length, typeof leftover]"
    first = run(source, seed=SEED)
    run("globalThis.leftover = 1; Math.random = () => 7; Object.prototype.x = 1; const a = []; for (;;) a.push([])")
    run("for (;;);", fuel=1_000_000)
    again = run(source, seed=SEED)
    assert (again.json, again.fuel) == (first.json, first.fuel)


@pytest.mark.parametrize(
    "expression", ["Math.random()", "crypto.randomUUID()", "[...crypto.getRandomValues(new Uint8Array(16))]"]
)
def test_other_seeds_give_other_numbers(run: RunProgram, expression: str) -> None:
    values = [run(expression, seed=bytes([n]) * 32).json for n in range(50)]
    assert len(set(values)) == 50


def test_runs_without_a_seed_all_differ(run: RunProgram) -> None:
    values = [run("Math.random()").value for _ in range(1000)]
    assert len(set(values)) == 1000
    assert all(0 <= value < 1 for value in values)
    in_tenths = [sum(int(value * 10) == tenth for value in values) for tenth in range(10)]
    chi_square = sum((count - 100) ** 2 / 100 for count in in_tenths)
    assert chi_square < 40, "nine degrees of freedom: one in 100,000 honest runs is above this"


def test_seeds_that_differ_in_one_bit_anywhere_differ(run: RunProgram) -> None:
    source = "crypto.randomUUID()"
    values = {run(source, seed=bytes(n == place for n in range(32))).value for place in range(32)}
    assert len(values) == 32


# ---- an exact budget ----


@pytest.mark.parametrize("source", ["1 + 1", "let n = 0; for (let i = 0; i < 5000; i++) n += i; n", "[3, 1, 2].sort()"])
def test_a_budget_of_just_what_it_needs_suffices_and_one_less_does_not(run: RunProgram, source: str) -> None:
    needed = run(source, seed=SEED).fuel
    assert run(source, seed=SEED, fuel=needed).error is None
    error = run(source, seed=SEED, fuel=needed - 1).failure
    assert error.code is RunCode.TIMEOUT
    assert f"{needed - 1:,}" in error.message


@pytest.mark.parametrize("slice_fuel", [10_000, 1 << 40])
def test_a_budget_ends_an_endless_loop_whatever_the_slices(run: RunProgram, slice_fuel: int) -> None:
    result = run("for (;;);", fuel=3_000_000, slice_fuel=slice_fuel)
    assert result.failure.code is RunCode.TIMEOUT
    assert result.fuel == 3_000_000


def test_a_budget_cannot_be_caught(run: RunProgram) -> None:
    source = "for (;;) { try { for (;;); } catch {} finally { globalThis.kept = 1 } }"
    assert run(source, fuel=2_000_000).failure.code is RunCode.TIMEOUT


def test_a_budget_spans_calls(run: RunProgram) -> None:
    source = "for (;;) call_tool('s', 't')"
    result = run(source, fuel=3_000_000, answers=lambda _request: ok())
    assert result.failure.code is RunCode.TIMEOUT
    assert len(result.requests) > 1


# ---- time ----


def test_time_stands_still_within_a_step(run: RunProgram) -> None:
    source = "const t = Date.now(); for (let i = 0; i < 10000; i++); [Date.now() - t, performance.now() % 1]"
    assert run(source, slice_fuel=1 << 40).value == [0, 0]


def test_the_clock_is_the_host_s_in_whole_milliseconds(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_700_000_000.1234567]
    monkeypatch.setattr("toolcell.sandbox.cell.time.time", lambda: now[0])
    source = "const t = Date.now(); while (Date.now() === t); [t, Date.now(), performance.now(), new Date().getTime()]"
    cell = engine.start(Program(source=source), CellLimits())
    assert isinstance(cell.step(1_000_000), Running)
    now[0] += 5
    event = cell.step(1_000_000)
    assert isinstance(event, Ended)
    assert event.ending.value == b"[1700000000123,1700000005123,5000,1700000005123]"
    cell.close()


def test_a_clock_that_goes_back_does_no_harm(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_700_000_000.0]
    monkeypatch.setattr("toolcell.sandbox.cell.time.time", lambda: now[0])
    cell = engine.start(Program(source="while (performance.now() >= 0); performance.now()"), CellLimits())
    cell.step(1_000_000)
    now[0] -= 5
    assert drive(cell).value == -5000
    cell.close()
