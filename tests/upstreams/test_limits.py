from __future__ import annotations

import asyncio

import pytest

from toolcell.model.codes import CallCode
from toolcell.model.servers import LaneLimits
from toolcell.upstreams.limits import Lane
from toolcell.upstreams.replies import CallRefused

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Traffic:
    """Calls through one lane, each held until the test lets it go."""

    def __init__(self, **limits: float) -> None:
        self.lane = Lane("Server 'a'", LaneLimits(**limits))  # type: ignore[arg-type]
        self.started: list[int] = []
        self.codes: dict[int, CallCode] = {}
        self.hinted: list[bool] = []
        self.gates: dict[int, asyncio.Event] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}

    async def send(self, *numbers: int) -> None:
        for number in numbers:
            self.gates[number] = asyncio.Event()
            self.tasks[number] = asyncio.create_task(self._call(number))
        await settle()

    async def finish(self, number: int) -> None:
        self.gates[number].set()
        await self.tasks[number]
        await settle()

    async def _call(self, number: int) -> None:
        try:
            async with self.lane.place():
                self.started.append(number)
                await self.gates[number].wait()
        except CallRefused as refusal:
            self.codes[number] = refusal.error.code
            self.hinted.append(refusal.error.retryable and bool(refusal.error.retry_after_ms))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_without_a_limit_every_call_runs() -> None:
    traffic = Traffic()
    await traffic.send(*range(50))
    assert traffic.started == list(range(50))
    for number in range(50):
        await traffic.finish(number)
    assert traffic.lane.running == 0


async def test_calls_beyond_the_limit_wait_and_start_in_the_order_they_came() -> None:
    traffic = Traffic(max_concurrent=1, queue_size=9)
    await traffic.send(*range(10))
    for number in range(10):
        assert traffic.started == list(range(number + 1))
        await traffic.finish(number)
    assert (traffic.lane.running, traffic.codes) == (0, {})


async def test_without_a_queue_the_overflow_is_shed_at_once() -> None:
    traffic = Traffic(max_concurrent=1)
    await traffic.send(*range(10))
    assert traffic.started == [0]
    assert traffic.codes == dict.fromkeys(range(1, 10), CallCode.QUEUE_FULL)
    assert traffic.hinted == [True] * 9


async def test_a_call_that_waits_too_long_gives_up_with_queue_timeout() -> None:
    traffic = Traffic(max_concurrent=1, queue_size=5, queue_timeout=0.001)
    await traffic.send(0, 1)
    await asyncio.wait_for(traffic.tasks[1], 10)
    assert traffic.codes == {1: CallCode.QUEUE_TIMEOUT}
    await traffic.finish(0)
    assert (traffic.lane.running, traffic.lane.waiting) == (0, 0)


async def test_a_cancelled_call_leaves_its_place_to_the_next() -> None:
    traffic = Traffic(max_concurrent=1, queue_size=5)
    await traffic.send(0, 1, 2)
    traffic.tasks[1].cancel()
    traffic.tasks[0].cancel()
    await settle()
    assert traffic.started == [0, 2]
    await traffic.finish(2)
    assert traffic.lane.running == 0


async def test_a_place_handed_over_in_the_moment_of_a_cancel_is_handed_on() -> None:
    traffic = Traffic(max_concurrent=1, queue_size=5)
    await traffic.send(0, 1, 2)
    traffic.gates[0].set()
    await traffic.tasks[0]
    traffic.tasks[1].cancel()
    await settle()
    assert traffic.started[-1] == 2
    await traffic.finish(2)
    assert traffic.lane.running == 0
