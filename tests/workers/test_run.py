from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.fake_cell import UNIX_OFFSET, FakeCell, FakeClock, asks, value
from toolcell.model.codes import RunCode
from toolcell.sandbox.values import CellError, Ended, Ending, LogLine, Running, Waiting
from toolcell.workers.cancel import Cancel
from toolcell.workers.inprocess import drive
from toolcell.workers.run import Parked, Report, Run, Stop

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeHost:
    """Keeps requests until a test answers them, or answers at once with ``immediate``."""

    def __init__(self, immediate: bytes | None = None) -> None:
        self.immediate = immediate
        self.open: list[tuple[str, bytes, Callable[[bytes], None]]] = []
        self.closed = 0

    def receive(self, op: str, payload: bytes, answer: Callable[[bytes], None]) -> None:
        if self.immediate is None:
            self.open.append((op, payload, answer))
        else:
            answer(self.immediate)

    def close(self) -> None:
        self.closed += 1

    def in_flight(self) -> tuple[str, ...]:
        return tuple(op for op, _, _ in self.open)


def make(cell: FakeCell, host: FakeHost | None = None, timeout_ms: int = 1000) -> tuple[Run, FakeClock, Cancel]:
    clock, cancel = FakeClock(), Cancel()
    run = Run(cell, host or FakeHost(), timeout_ms=timeout_ms, clock=clock, cancel=cancel)
    return run, clock, cancel


def test_a_program_that_returns_is_reported_with_its_figures_and_logs() -> None:
    cell = FakeCell(Running(), value(b"42"))
    cell.logs = [LogLine("log", "hello")]
    run, clock, _ = make(cell)
    assert run.turn() is None
    clock.time += 0.25
    report = run.turn()
    assert isinstance(report, Report)
    assert report.end == Ending(value=b"42")
    assert report.logs == (LogLine("log", "hello"),)
    assert (report.wall_ms, report.fuel, report.peak_memory_bytes) == (250.0, 200, 65_536)


def test_a_finished_run_frees_its_cell_and_closes_its_host() -> None:
    cell, host = FakeCell(value(b"1")), FakeHost()
    run, _, _ = make(cell, host)
    run.turn()
    run.close()
    assert (cell.closed, host.closed) == (1, 1)


def test_an_endless_program_times_out_on_the_first_turn_after_its_deadline() -> None:
    cell = FakeCell(Running())
    run, clock, _ = make(cell, timeout_ms=100)
    clock.time += 0.0999
    assert run.turn() is None
    clock.time += 0.0001
    report = run.turn()
    assert isinstance(report, Report)
    assert report.end is Stop.TIMEOUT
    assert cell.steps == 1
    assert cell.closed == 1


@given(slices=st.lists(st.floats(min_value=0.0001, max_value=0.05), min_size=1, max_size=50))
def test_no_slice_starts_after_the_deadline(slices: list[float]) -> None:
    clock, starts = FakeClock(), list[float]()
    lengths = iter(slices)

    def step() -> None:
        starts.append(clock.time)
        clock.time += next(lengths, 0.05)

    begin = clock.time
    run = Run(FakeCell(Running(), on_step=step), FakeHost(), timeout_ms=200, clock=clock, cancel=Cancel())
    report = drive(run, clock)
    assert report.end is Stop.TIMEOUT
    assert all(start < begin + 0.2 for start in starts)
    assert report.wall_ms / 1000 <= 0.2 + max([*slices, 0.05]) + 1e-6


def test_a_cancelled_run_gets_no_further_slice() -> None:
    cell = FakeCell(Running())
    run, _, cancel = make(cell)
    run.turn()
    cancel.request()
    report = run.turn()
    assert isinstance(report, Report)
    assert report.end is Stop.CANCELLED
    assert cell.steps == 1


def test_a_wish_to_cancel_wins_over_a_deadline_that_passed_too() -> None:
    run, clock, cancel = make(FakeCell(Running()))
    cancel.request()
    clock.time += 100
    report = run.turn()
    assert isinstance(report, Report)
    assert report.end is Stop.CANCELLED


def test_a_request_answered_at_once_leaves_the_run_runnable() -> None:
    cell = FakeCell(asks(b"{}"), value(b"1"))
    run, _, _ = make(cell, FakeHost(immediate=b'"yes"'))
    assert run.turn() is None
    assert cell.answers == [(1, b'"yes"')]
    assert isinstance(run.turn(), Report)


def test_a_parked_run_is_not_stepped_until_an_answer_comes() -> None:
    cell, host = FakeCell(asks(b"{}"), value(b"1")), FakeHost()
    run, clock, _ = make(cell, host)
    assert run.turn() == Parked(clock.time + 1.0)
    assert run.turn() == Parked(clock.time + 1.0)
    assert cell.steps == 1
    host.open[0][2](b"null")
    assert isinstance(run.turn(), Report)


def test_a_parked_run_times_out_and_names_what_was_in_flight() -> None:
    host = FakeHost()
    run, clock, _ = make(FakeCell(asks(b"{}")), host)
    report = drive(run, clock)
    assert report.end is Stop.TIMEOUT
    assert report.in_flight == ("call",)
    assert host.closed == 1


def test_an_answer_after_the_end_touches_no_cell() -> None:
    cell, host = FakeCell(asks(b"{}")), FakeHost()
    run, clock, _ = make(cell, host)
    drive(run, clock)
    host.open[0][2](b"late")
    assert cell.answers == []


def test_a_timer_wakes_the_run_at_its_time_of_day() -> None:
    clock = FakeClock()
    cell = FakeCell(Waiting((), clock.time + UNIX_OFFSET + 0.25), value(b"1"))
    run = Run(cell, FakeHost(), timeout_ms=1000, clock=clock, cancel=Cancel())
    report = drive(run, clock)
    assert report.end == Ending(value=b"1")
    assert report.wall_ms == pytest.approx(250.0, abs=0.01)


def test_a_timer_beyond_the_deadline_does_not_outlive_it() -> None:
    clock = FakeClock()
    cell = FakeCell(Waiting((), clock.time + UNIX_OFFSET + 3600), value(b"1"))
    report = drive(Run(cell, FakeHost(), timeout_ms=1000, clock=clock, cancel=Cancel()), clock)
    assert report.end is Stop.TIMEOUT
    assert report.wall_ms == 1000.0


def test_several_requests_of_one_turn_all_reach_the_host_in_order() -> None:
    host = FakeHost()
    run, _, _ = make(FakeCell(asks(b"1", b"2", b"3")), host)
    run.turn()
    assert [payload for _, payload, _ in host.open] == [b"1", b"2", b"3"]


def test_a_fault_while_stepping_still_frees_the_cell() -> None:
    def fail() -> None:
        raise RuntimeError("engine fault")

    cell = FakeCell(Running(), on_step=fail)
    run, clock, _ = make(cell)
    with pytest.raises(RuntimeError, match="engine fault"):
        drive(run, clock)
    assert cell.closed == 1


def test_a_host_that_fails_to_close_still_lets_the_cell_go() -> None:
    class Stubborn(FakeHost):
        def close(self) -> None:
            raise ConnectionError("the server is gone")

    cell = FakeCell(Running())
    run, _, _ = make(cell, Stubborn())
    with pytest.raises(ConnectionError):
        run.close()
    run.close()
    assert cell.closed == 1


def test_a_programs_own_error_is_reported_as_it_is() -> None:
    error = CellError(code=RunCode.RUNTIME_ERROR, message="boom")
    run, clock, _ = make(FakeCell(Ended(Ending(error=error))))
    assert drive(run, clock).end == Ending(error=error)
