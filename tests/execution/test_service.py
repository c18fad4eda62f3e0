from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.fake_cell import FakeCell, FakeClock, asks, value
from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.execution.ports import NoScripts
from toolcell.execution.service import ExecutionService
from toolcell.model.codes import RefusalCode, RunCode
from toolcell.model.limits import Ceilings, RunDefaults
from toolcell.model.refusal import Refusal
from toolcell.model.request import Caller, Language
from toolcell.sandbox.values import CellError, Ended, Ending, LogLine, Running
from toolcell.workers.cancel import Cancel
from toolcell.workers.inprocess import drive
from toolcell.workers.job import Busy
from toolcell.workers.run import Run

if TYPE_CHECKING:
    from toolcell.model.outcome import Outcome
    from toolcell.workers.inbox import Inbox
    from toolcell.workers.job import Job
    from toolcell.workers.run import HostPort, Report

CALL = b'{"server":"github","tool":"create_issue","args":{}}'


@dataclass
class Bench:
    """A service whose one worker plays a fake cell."""

    cell: FakeCell
    enabled: bool = True
    upstreams: FakeUpstreams = field(default_factory=FakeUpstreams)
    jobs: list[Job] = field(default_factory=list)
    faults: list[tuple[str, Exception]] = field(default_factory=list)
    cancel: Cancel = field(default_factory=Cancel)

    def run(self, job: Job, host: HostPort, cancel: Cancel, inbox: Inbox) -> Report:
        self.jobs.append(job)
        clock = FakeClock()
        run = Run(self.cell, host, timeout_ms=job.limits.timeout_ms, clock=clock, cancel=cancel)
        return drive(run, clock, inbox)

    def execute(self, raw: object, caller: Caller | None = None) -> Outcome:
        service = ExecutionService(
            enabled=self.enabled,
            defaults=RunDefaults(),
            worker=lambda: self,
            upstreams=self.upstreams,
            scripts=NoScripts(),
            report_fault=lambda execution_id, error: self.faults.append((execution_id, error)),
        )
        return service.execute(raw, caller or Caller(), self.cancel)


def failed(code: RunCode, message: str, **place: Any) -> Ended:
    return Ended(Ending(error=CellError(code=code, message=message, **place)))


def test_a_program_that_returns_is_answered_with_its_value_and_figures() -> None:
    bench = Bench(FakeCell(Running(), value(b'{"a":1}')))
    body = bench.execute({"code": "({a: 1})"}).to_dict()
    assert body["ok"] is True
    assert body["value"] == {"a": 1}
    assert body["stats"]["fuel"] == 200


def test_the_job_carries_source_language_input_and_the_limits_of_request_and_policy() -> None:
    bench = Bench(FakeCell(value(b"1")))
    caller = Caller(ceilings=Ceilings(timeout_ms=50))
    bench.execute({"code": "1", "language": "typescript", "input": {"a": 1}, "options": {"timeout_ms": 500}}, caller)
    job = bench.jobs[0]
    assert (job.source, job.language, job.input_json) == ("1", Language.TYPESCRIPT, b'{"a":1}')
    assert job.limits.timeout_ms == 50


def test_a_switched_off_feature_refuses_before_it_looks_at_the_request() -> None:
    with pytest.raises(Refusal) as raised:
        Bench(FakeCell(Running()), enabled=False).execute("not even an object")
    assert raised.value.code is RefusalCode.FEATURE_DISABLED


def test_a_bad_request_starts_no_worker() -> None:
    bench = Bench(FakeCell(Running()))
    with pytest.raises(Refusal):
        bench.execute({})
    assert bench.jobs == []


def test_a_stored_script_is_not_found_where_there_are_none() -> None:
    with pytest.raises(Refusal) as raised:
        Bench(FakeCell(Running())).execute({"script": "daily"})
    assert raised.value.code is RefusalCode.SCRIPT_NOT_FOUND


def test_a_full_worker_is_a_busy_refusal() -> None:
    class Full(Bench):
        def run(self, job: Job, host: HostPort, cancel: Cancel, inbox: Inbox) -> Report:
            raise Busy

    with pytest.raises(Refusal) as raised:
        Full(FakeCell(Running())).execute({"code": "1"})
    assert raised.value.code is RefusalCode.BUSY


def test_a_program_error_keeps_code_message_stack_and_place() -> None:
    bench = Bench(FakeCell(failed(RunCode.RUNTIME_ERROR, "TypeError: x", stack="at <eval>:2:3", line=2, column=3)))
    assert bench.execute({"code": "1"}).to_dict()["error"] == {
        "code": "RUNTIME_ERROR",
        "message": "TypeError: x",
        "stack": "at <eval>:2:3",
        "line": 2,
        "column": 3,
    }


def test_a_timeout_says_so_and_names_what_was_in_flight() -> None:
    bench = Bench(FakeCell(asks(CALL)))
    outcome = bench.execute({"code": "call_tool(…)"})
    assert outcome.error is not None
    assert outcome.error.code is RunCode.TIMEOUT
    assert (
        outcome.error.message == "JavaScript execution timed out; in flight, with unknown effect: github.create_issue"
    )
    assert bench.upstreams.sent[0].cancelled


def test_a_timeout_of_a_pure_program_has_the_seeds_message() -> None:
    cell = FakeCell(Running())
    bench = Bench(cell)
    clock_moves = {"code": "for(;;);", "options": {"timeout_ms": 1}}

    class Late(FakeClock):
        def now(self) -> float:
            self.time += 0.01
            return self.time

    bench.run = lambda job, host, cancel, inbox: drive(  # type: ignore[method-assign]
        Run(cell, host, timeout_ms=job.limits.timeout_ms, clock=Late(), cancel=cancel), FakeClock(), inbox
    )
    outcome = bench.execute(clock_moves)
    assert outcome.error is not None
    assert outcome.error.message == "JavaScript execution timed out"


def test_a_failed_run_lists_the_calls_that_committed() -> None:
    bench = Bench(FakeCell(asks(CALL), failed(RunCode.RUNTIME_ERROR, "later")))
    bench.upstreams.immediate = True
    body = bench.execute({"code": "1"}).to_dict()
    assert body["calls"] == [{"server": "github", "tool": "create_issue", "ok": True}]
    assert body["stats"]["tool_calls"] == 1


def test_console_lines_survive_a_failure() -> None:
    cell = FakeCell(failed(RunCode.RUNTIME_ERROR, "later"))
    cell.logs = [LogLine("warn", "before")]
    assert Bench(cell).execute({"code": "1"}).to_dict()["logs"] == ["before"]


def test_a_cancelled_run_is_answered_as_cancelled() -> None:
    bench = Bench(FakeCell(Running()))
    bench.cancel.request()
    outcome = bench.execute({"code": "1"})
    assert outcome.error is not None
    assert outcome.error.code is RunCode.CANCELLED


def test_python_source_gets_a_hint_with_its_syntax_error() -> None:
    bench = Bench(FakeCell(failed(RunCode.SYNTAX_ERROR, "SyntaxError: unexpected token")))
    outcome = bench.execute({"code": "def f():\n  return 1"})
    assert outcome.error is not None
    assert outcome.error.message == (
        "SyntaxError: unexpected token. This looks like Python; toolcell runs JavaScript (the default) and TypeScript"
    )


def test_a_runtime_error_of_a_program_that_looks_like_python_gets_no_hint() -> None:
    bench = Bench(FakeCell(failed(RunCode.RUNTIME_ERROR, "ReferenceError: x")))
    outcome = bench.execute({"code": "import os"})
    assert outcome.error is not None
    assert outcome.error.message == "ReferenceError: x"


def test_a_bug_of_ours_is_answered_with_an_id_and_no_detail() -> None:
    def fail() -> None:
        raise RuntimeError("/secret/path")

    bench = Bench(FakeCell(Running(), on_step=fail))
    outcome = bench.execute({"code": "1"})
    text = outcome.to_json().decode()
    assert outcome.error is not None
    assert outcome.error.code is RunCode.EXECUTION_FAILED
    assert outcome.execution_id in outcome.error.message
    assert "/secret/path" not in text
    assert [(found, str(error)) for found, error in bench.faults] == [(outcome.execution_id, "/secret/path")]


def test_a_fault_the_engine_reports_of_itself_keeps_its_detail_from_the_caller() -> None:
    bench = Bench(FakeCell(failed(RunCode.EXECUTION_FAILED, "state 9 at 0x1234")))
    outcome = bench.execute({"code": "1"})
    assert "0x1234" not in outcome.to_json().decode()
    assert "state 9" in str(bench.faults[0][1])


def test_runs_have_ids_that_sort_by_their_start() -> None:
    ids = [Bench(FakeCell(value(b"1"))).execute({"code": "1"}).execution_id for _ in range(3)]
    assert len(set(ids)) == 3
    assert [run_id[14] for run_id in ids] == ["7"] * 3
