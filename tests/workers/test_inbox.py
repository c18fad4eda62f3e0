from __future__ import annotations

import threading

from tests.execution.fake_cell import FakeCell, asks, value
from tests.workers.test_run import FakeHost
from toolcell.sandbox.values import Ending
from toolcell.workers.cancel import Cancel
from toolcell.workers.clock import SystemClock
from toolcell.workers.inbox import Inbox
from toolcell.workers.inprocess import drive
from toolcell.workers.run import Run

PATIENT_MS = 60_000


def test_steps_are_taken_in_the_order_they_came_and_once() -> None:
    inbox, taken = Inbox(), list[int]()
    for number in range(3):
        inbox.put(lambda number=number: taken.append(number))  # type: ignore[misc]
    assert inbox.take()
    assert taken == [0, 1, 2]
    assert not inbox.take()


def test_a_step_put_in_by_a_step_is_taken_too() -> None:
    inbox, taken = Inbox(), list[str]()
    inbox.put(lambda: inbox.put(lambda: taken.append("inner")))
    inbox.take()
    assert taken == ["inner"]


def test_a_wait_without_a_step_ends() -> None:
    Inbox().wait(0)
    Inbox().wait(-1)


def test_a_parked_run_goes_on_when_another_thread_has_an_answer() -> None:
    inbox, host = Inbox(), FakeHost()
    cell = FakeCell(asks(b"{}"), value(b"1"))
    run = Run(cell, host, timeout_ms=PATIENT_MS, clock=SystemClock(), cancel=Cancel())
    stepped_on: list[int] = []

    def answer() -> None:
        stepped_on.append(threading.get_ident())
        host.open[0][2](b'"late"')

    threading.Timer(0, lambda: inbox.put(answer)).start()
    assert drive(run, SystemClock(), inbox).end == Ending(value=b"1")
    assert cell.answers == [(1, b'"late"')]
    assert stepped_on == [threading.get_ident()]
