"""What ``Cell`` promises to whoever steps it: its events, its answers, and ``close`` in every state."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.sandbox.driver import RunProgram, drive, ok
from toolcell.model.codes import RunCode
from toolcell.sandbox import (
    CellLimits,
    CellsExhausted,
    Ended,
    Engine,
    EngineConfig,
    Program,
    Running,
    Waiting,
    abi,
)
from toolcell.sandbox.engine import RESIDENT_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from toolcell.sandbox import Cell

CALL = "call_tool('github', 'get', {id: 1}).data"
SLICE = 1_000_000


def start(engine: Engine, source: str, **limits: int) -> Cell:
    return engine.start(Program(source=source), CellLimits(**limits))


def until_waiting(cell: Cell) -> Waiting:
    for _ in range(100):
        event = cell.step(SLICE)
        if isinstance(event, Waiting):
            return event
        assert isinstance(event, Running)
    raise AssertionError("the program did not wait")


# ---- events ----


def test_a_short_program_ends_in_its_first_step(engine: Engine) -> None:
    cell = start(engine, "1 + 1")
    event = cell.step(SLICE)
    assert isinstance(event, Ended)
    assert event.ending.value == b"2"
    cell.close()


def test_a_long_program_runs_slice_after_slice(engine: Engine) -> None:
    cell = start(engine, "for (;;);")
    used = []
    for _ in range(5):
        assert isinstance(cell.step(SLICE), Running)
        used.append(cell.fuel_used)
    cell.close()
    assert used == sorted(set(used))
    assert used[-1] - used[0] == pytest.approx(4 * SLICE, rel=0.05)


def test_a_step_s_fuel_may_change_from_step_to_step(engine: Engine) -> None:
    cell = start(engine, "for (;;);")
    cell.step(SLICE)
    before = cell.fuel_used
    cell.step(10 * SLICE)
    assert cell.fuel_used - before > 5 * SLICE
    cell.close()


def test_an_ended_cell_gives_its_ending_again_at_every_step(engine: Engine) -> None:
    cell = start(engine, "'x'")
    first = cell.step(SLICE)
    assert cell.step(SLICE) is first
    cell.close()
    assert cell.step(SLICE) is first


def test_a_call_is_an_event_with_its_request(engine: Engine) -> None:
    cell = start(engine, CALL)
    event = until_waiting(cell)
    (request,) = event.requests
    assert request.op == "call"
    assert json.loads(request.payload) == {"server": "github", "tool": "get", "args": {"id": 1}}
    assert event.wake_at is None
    cell.close()


def test_a_waiting_cell_uses_no_fuel_however_often_it_is_stepped(engine: Engine) -> None:
    cell = start(engine, CALL)
    until_waiting(cell)
    used = cell.fuel_used
    for _ in range(100):
        assert cell.step(SLICE) == Waiting()
    assert cell.fuel_used == used
    cell.close()


def test_requests_are_reported_once(engine: Engine) -> None:
    cell = start(engine, CALL)
    assert len(until_waiting(cell).requests) == 1
    event = cell.step(SLICE)
    assert isinstance(event, Waiting)
    assert event.requests == ()
    cell.close()


# ---- answers ----


def test_an_answer_resumes_the_program(engine: Engine) -> None:
    cell = start(engine, CALL)
    (request,) = until_waiting(cell).requests
    cell.answer(request.call_id, json.dumps(ok({"n": 5})).encode())
    assert drive(cell).value == {"n": 5}
    cell.close()


def test_an_answer_to_another_call_does_not_resume_the_program(engine: Engine) -> None:
    cell = start(engine, CALL)
    (request,) = until_waiting(cell).requests
    cell.answer(request.call_id + 1, b"null")
    assert cell.step(SLICE) == Waiting()
    cell.answer(request.call_id, json.dumps(ok(1)).encode())
    assert drive(cell).value == 1
    cell.close()


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"nul", b'{"ok":true}trailing', b"[" * 100_000])
def test_an_answer_that_is_not_json_ends_the_run_with_an_error(engine: Engine, payload: bytes) -> None:
    cell = start(engine, CALL)
    (request,) = until_waiting(cell).requests
    cell.answer(request.call_id, payload)
    assert drive(cell).failure.code in {RunCode.RUNTIME_ERROR, RunCode.EXECUTION_FAILED}
    cell.close()


@pytest.mark.parametrize("size", [0, 1, abi.INBOX_BYTES - 40, abi.INBOX_BYTES, abi.INBOX_BYTES + 1, 1_000_000])
def test_an_answer_of_any_size_arrives_whole(run: RunProgram, size: int) -> None:
    source = "const r = call_tool('a', 'b').data; [r.length, r.slice(-1)]"
    text = "y" * max(size - 1, 0) + "z" * min(size, 1)
    envelope = b'{"ok":true,"data":' + json.dumps(text).encode() + b"}"
    assert run(source, answers=lambda _request: envelope).value == [size, "z"[:size]]


@pytest.mark.parametrize("size", range(abi.INBOX_BYTES - 4, abi.INBOX_BYTES + 5))
def test_an_answer_at_the_inbox_s_edge_arrives_whole(run: RunProgram, size: int) -> None:
    envelope = b'{"ok":true,"data":"' + b"x" * (size - 21) + b'"}'
    assert len(envelope) == size
    assert run("call_tool('a', 'b').data.length", answers=lambda _request: envelope).value == size - 21


def test_an_answer_larger_than_the_memory_left_is_a_memory_error(run: RunProgram) -> None:
    envelope = b'{"ok":true,"data":"' + b"x" * 9_000_000 + b'"}'
    result = run("call_tool('a', 'b').ok", answers=lambda _request: envelope, memory_bytes=8 << 20)
    assert result.failure.code is RunCode.MEMORY_LIMIT_EXCEEDED


def test_many_requests_in_one_run_are_answered_each_in_its_turn(run: RunProgram) -> None:
    source = "let sum = 0; for (let i = 0; i < 2000; i++) sum += call_tool('a', 'b', {i}).data; sum"
    result = run(source, answers=lambda request: ok(json.loads(request.payload)["args"]["i"]))
    assert result.value == sum(range(2000))
    ids = [request.call_id for request in result.requests]
    assert len(set(ids)) == 2000


def test_requests_of_growing_size_do_not_disturb_each_other(run: RunProgram) -> None:
    source = "[1, 10, 1000, 100000, 10, 1].map(n => call_tool('a', 'b', {s: 'q'.repeat(n)}).data)"
    result = run(source, answers=lambda request: ok(len(json.loads(request.payload)["args"]["s"])))
    assert result.value == [1, 10, 1000, 100_000, 10, 1]


# ---- programs of every size ----


@pytest.mark.parametrize("size", [20, abi.INBOX_BYTES - 3, abi.INBOX_BYTES - 2, abi.INBOX_BYTES, 200_000])
def test_a_program_around_the_inbox_s_size_runs_whole(run: RunProgram, size: int) -> None:
    source = "/*" + "x" * (size - len("/**/input.a") - len('{"a":1}')) + "*/input.a"
    assert run(source, input=b'{"a":1}').value == 1


@pytest.mark.parametrize("size", [abi.INBOX_BYTES - 20, abi.INBOX_BYTES, 1_000_000])
def test_an_input_around_the_inbox_s_size_arrives_whole(run: RunProgram, size: int) -> None:
    assert run("input.text.length", input={"text": "é" * size}).value == size


def test_a_program_larger_than_the_cell_s_memory_is_a_memory_error(run: RunProgram) -> None:
    result = run("1", input={"text": "x" * 9_000_000}, memory_bytes=8 << 20)
    assert result.failure.code is RunCode.MEMORY_LIMIT_EXCEEDED


def test_a_lone_surrogate_in_the_source_does_not_stop_the_program(run: RunProgram) -> None:
    assert run("'a\udc80b'.length").value == 3


def test_a_nul_in_the_source_is_not_its_end(run: RunProgram) -> None:
    assert run("'a\0b'.length").value == 3


# ---- close ----


@pytest.mark.parametrize("source", ["1", "for (;;);", CALL, "[]."])
def test_a_cell_may_be_closed_before_its_first_step(engine: Engine, source: str) -> None:
    before = engine.live_cells
    cell = start(engine, source)
    assert engine.live_cells == before + 1
    cell.close()
    assert engine.live_cells == before


def test_closing_twice_counts_once(engine: Engine) -> None:
    before = engine.live_cells
    cell = start(engine, "1")
    cell.close()
    cell.close()
    assert engine.live_cells == before


def test_a_closed_cell_takes_no_step_and_no_answer(engine: Engine) -> None:
    cell = start(engine, CALL)
    (request,) = until_waiting(cell).requests
    cell.close()
    cell.answer(request.call_id, b"{}")
    with pytest.raises(RuntimeError, match="closed"):
        cell.step(SLICE)


def test_a_closed_cell_keeps_its_figures(engine: Engine) -> None:
    cell = start(engine, "for (;;);")
    cell.step(SLICE)
    fuel, peak = cell.fuel_used, cell.peak_memory_bytes
    cell.close()
    assert (cell.fuel_used, cell.peak_memory_bytes) == (fuel, peak)
    assert fuel > 0
    assert peak > 0
    assert cell.take_logs() == []


def test_cells_closed_in_the_middle_of_a_loop_leave_the_engine_whole(engine: Engine) -> None:
    for slices in range(300):
        cell = start(engine, "let i = 0; for (;;) { i++; [i].map(x => x + 1) }")
        for _ in range(slices % 4):
            assert isinstance(cell.step(50_000), Running)
        cell.close()
    assert engine.live_cells == 0


def test_cells_closed_in_the_middle_of_a_wait_leave_the_engine_whole(engine: Engine) -> None:
    for answered in range(300):
        cell = start(engine, "for (let i = 0; i < 9; i++) call_tool('a', 'b', {i})")
        for _ in range(answered % 5):
            for request in until_waiting(cell).requests:
                cell.answer(request.call_id, json.dumps(ok()).encode())
        cell.close()
    assert engine.live_cells == 0


def test_cells_closed_with_an_answer_on_its_way_leave_the_engine_whole(engine: Engine) -> None:
    for _ in range(100):
        cell = start(engine, CALL)
        (request,) = until_waiting(cell).requests
        cell.answer(request.call_id, b"x" * 100_000)
        cell.close()
    assert engine.live_cells == 0


def test_cells_closed_after_every_kind_of_ending_leave_the_engine_whole(engine: Engine) -> None:
    sources = ["1", "throw 1", "(", "()=>1", "let a = []; for (;;) a.push([])", "function f() { f() } f()"]
    for source in sources * 20:
        cell = start(engine, source, memory_bytes=8 << 20)
        drive(cell)
        cell.close()
    assert engine.live_cells == 0


# ---- many cells ----


def test_interleaved_cells_do_not_see_each_other(engine: Engine) -> None:
    cells = [start(engine, f"globalThis.mine = {n}; call_tool('s{n}', 't').data + globalThis.mine") for n in range(30)]
    waiting = [until_waiting(cell) for cell in cells]
    for n in reversed(range(30)):
        (request,) = waiting[n].requests
        assert json.loads(request.payload)["server"] == f"s{n}"
        cells[n].answer(request.call_id, json.dumps(ok(1000 * n)).encode())
    assert [drive(cell).value for cell in cells] == [1001 * n for n in range(30)]
    for cell in cells:
        cell.close()


def test_an_engine_without_room_says_so_and_has_room_again_later(compiled: Path) -> None:
    engine = Engine.load(EngineConfig(max_cells=2, cache_dir=compiled))
    cells = [start(engine, "1"), start(engine, "2")]
    with pytest.raises(CellsExhausted, match="all 2 cells"):
        start(engine, "3")
    cells.pop().close()
    cells.append(start(engine, "3"))
    assert [drive(cell).value for cell in cells] == [1, 3]
    for cell in cells:
        cell.close()


def test_a_memory_limit_above_the_engine_s_is_refused_before_a_cell_is_made(engine: Engine) -> None:
    with pytest.raises(ValueError, match="memory_bytes"):
        start(engine, "1", memory_bytes=engine.config.max_memory_bytes + 1)
    assert engine.live_cells == 0


def test_logs_are_handed_over_once_and_in_order(engine: Engine) -> None:
    cell = start(engine, "console.log('one'); call_tool('a', 'b'); console.warn('two')")
    (request,) = until_waiting(cell).requests
    assert [(line.level, line.text) for line in cell.take_logs()] == [("log", "one")]
    cell.answer(request.call_id, json.dumps(ok()).encode())
    drive_error = cell.step(50 * SLICE)
    assert isinstance(drive_error, Ended)
    assert [(line.level, line.text) for line in cell.take_logs()] == [("warn", "two")]
    assert cell.take_logs() == []
    cell.close()


def test_a_fresh_guest_is_exactly_the_memory_that_an_engine_keeps_resident(run: RunProgram) -> None:
    assert run("1").peak == RESIDENT_BYTES
