"""What the gate does with replies and records; ``test_desk`` has its checks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.execution.gate import Admitted, Gate
from toolcell.model.calls import CallError, CallRecord, ToolCall, ToolReply
from toolcell.model.codes import CallCode
from toolcell.model.limits import RunLimits
from toolcell.model.request import Caller

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart

CALL = ToolCall(server="github", tool="t", args={})
LIMITS = RunLimits(
    timeout_ms=1, max_tool_calls=1, allowed_servers=None, max_parallel=1, memory_bytes=1, max_result_bytes=1
)


@dataclass
class FakeRecords:
    """Keeps what happened; an intent is durable when the test says so."""

    events: list[tuple[str, int]] = field(default_factory=list)
    then: list[Callable[[bool], None]] = field(default_factory=list)

    def run_started(self, run: RunStart) -> None:
        self.events.append(("run", 0))

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        self.events.append(("intended", intent.number))
        self.then.append(then)

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        self.events.append(("finished" if reply.dispatched else "blocked", intent.number))

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        self.events.append(("blocked", intent.number))

    def run_finished(self, outcome: Outcome) -> None:
        self.events.append(("over", 0))


class Bench:
    def __init__(self) -> None:
        self.upstreams, self.records = FakeUpstreams(), FakeRecords()
        self.replies: list[ToolReply] = []
        self.gate = Gate(limits=LIMITS, caller=Caller(), upstreams=self.upstreams, records=self.records)

    def send(self) -> Callable[[], None]:
        admitted = self.gate.admit(CALL)
        assert isinstance(admitted, Admitted)
        return self.gate.send(admitted, self.replies.append)


def test_nothing_goes_out_before_its_intent_is_kept() -> None:
    bench = Bench()
    bench.send()
    assert bench.upstreams.sent == []
    bench.records.then[0](True)  # noqa: FBT003
    bench.upstreams.sent[0].reply(7)
    assert bench.records.events == [("intended", 1), ("finished", 1)]
    assert bench.gate.answered == (CallRecord(server="github", tool="t", ok=True),)


def test_a_call_whose_intent_cannot_be_kept_is_not_sent_and_costs_nothing() -> None:
    bench = Bench()
    bench.send()
    bench.records.then[0](False)  # noqa: FBT003
    assert bench.upstreams.sent == []
    assert bench.replies[0].error is not None
    assert (bench.gate.spent, bench.gate.answered) == (0, ())
    assert bench.records.events[-1] == ("blocked", 1)


def test_a_call_cancelled_before_its_intent_is_kept_is_never_sent() -> None:
    bench = Bench()
    bench.send()()
    bench.records.then[0](True)  # noqa: FBT003
    assert bench.upstreams.sent == []


def test_a_call_cancelled_after_it_was_sent_is_cancelled_upstream() -> None:
    bench = Bench()
    cancel = bench.send()
    bench.records.then[0](True)  # noqa: FBT003
    cancel()
    assert bench.upstreams.sent[0].cancelled


def test_a_call_that_was_not_dispatched_after_all_gives_its_budget_back_and_is_no_commitment() -> None:
    bench = Bench()
    bench.send()
    bench.records.then[0](True)  # noqa: FBT003
    full = CallError(code=CallCode.QUEUE_FULL, message="full", retryable=True)
    bench.upstreams.sent[0].done(ToolReply(error=full, dispatched=False))
    assert (bench.gate.spent, bench.gate.answered) == (0, ())
    assert isinstance(bench.gate.admit(CALL), Admitted)
    assert bench.records.events == [("intended", 1), ("blocked", 1)]


def test_a_refused_call_is_recorded_under_its_own_number() -> None:
    bench = Bench()
    bench.gate.admit(ToolCall(server="nowhere", tool="t", args={}))
    bench.send()
    assert isinstance(bench.gate.admit(CALL), CallError)
    assert bench.records.events == [("blocked", 1), ("intended", 2), ("blocked", 3)]


def test_what_other_threads_say_goes_through_the_post() -> None:
    upstreams, waiting, replies = FakeUpstreams(immediate=True), list[object](), list[ToolReply]()
    gate = Gate(limits=LIMITS, caller=Caller(), upstreams=upstreams, post=waiting.append)
    admitted = gate.admit(CALL)
    assert isinstance(admitted, Admitted)
    gate.send(admitted, replies.append)
    while waiting:
        assert replies == []
        waiting.pop(0)()  # type: ignore[operator]
    assert len(replies) == 1
