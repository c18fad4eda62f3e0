"""The one way to run a program, whatever surface asked: spec 2.2, top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolcell.execution import verdict
from toolcell.execution.desk import Desk
from toolcell.execution.gate import Gate
from toolcell.execution.ids import new_execution_id
from toolcell.execution.policy import limits_for
from toolcell.execution.ports import NoRecords
from toolcell.execution.request import parse_request
from toolcell.model.codes import RefusalCode, RunCode
from toolcell.model.record import RunStart
from toolcell.model.refusal import Refusal
from toolcell.model.request import Language
from toolcell.workers.inbox import Inbox
from toolcell.workers.job import Busy, Job
from toolcell.workers.run import Stop

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from toolcell.execution.ports import RecordPort, ScriptPort, UpstreamPort
    from toolcell.model.limits import RunDefaults
    from toolcell.model.outcome import Outcome
    from toolcell.model.request import Caller, ExecutionRequest
    from toolcell.workers.cancel import Cancel
    from toolcell.workers.run import HostPort, Report


class EngineFault(Exception):  # noqa: N818  # the word of the house for what is ours to mend
    """What the engine reported of itself; it goes to the log and not to the caller."""


class WorkerPort(Protocol):
    """Runs one program to its end."""

    def run(self, job: Job, host: HostPort, cancel: Cancel, inbox: Inbox) -> Report:
        """Return how the run ended, having taken the steps in its inbox; the deadline starts when the cell does."""
        ...


class ExecutionService:
    """Answers execution requests: a ``Refusal`` when nothing ran, an ``Outcome`` when something did."""

    def __init__(  # noqa: PLR0913  # the parts a run is made of
        self,
        *,
        enabled: bool,
        defaults: RunDefaults,
        worker: Callable[[], WorkerPort],
        upstreams: UpstreamPort,
        scripts: ScriptPort,
        report_fault: Callable[[str, Exception], None],
        records: RecordPort | None = None,
        resources: AbstractContextManager[object] | None = None,
    ) -> None:
        self._enabled = enabled
        self._defaults = defaults
        self._worker = worker
        self._upstreams = upstreams
        self._scripts = scripts
        self._report_fault = report_fault
        self._records = records or NoRecords()
        self._resources = resources

    def execute(self, raw: object, caller: Caller, cancel: Cancel) -> Outcome:
        """Run what ``raw`` asks for: the request as the surface received it, parsed from JSON."""
        self.require_enabled()
        request = parse_request(raw)
        source, language = self._source(request, caller)
        limits = limits_for(request, self._defaults, caller.ceilings)
        job = Job(source=source, language=language, input_json=request.input_json, limits=limits)
        return self._run(job, caller, cancel, request.script)

    def close(self) -> None:
        """Let go of connections and stores; no run may follow."""
        if self._resources is not None:
            self._resources.__exit__(None, None, None)

    def require_enabled(self) -> None:
        """Refuse when the feature is off: surfaces ask before they read anything for the request."""
        if not self._enabled:
            message = "Code execution is switched off; set enable_code_execution to true in the configuration"
            raise Refusal(RefusalCode.FEATURE_DISABLED, message)

    def _source(self, request: ExecutionRequest, caller: Caller) -> tuple[str, Language]:
        if request.script is not None:
            return self._scripts.read(request.script, request.language, caller)
        return request.code or "", request.language or Language.JAVASCRIPT

    def _run(self, job: Job, caller: Caller, cancel: Cancel, script: str | None) -> Outcome:
        """Run the job and record it."""
        execution_id = new_execution_id()
        start = RunStart(
            execution_id=execution_id,
            tenant=caller.tenant,
            key_id=None,
            source=job.source,
            script=script,
            language=job.language,
            input_bytes=len(job.input_json),
        )
        self._records.run_started(start)
        outcome = self._outcome(job, caller, cancel, execution_id)
        self._records.run_finished(outcome)
        return outcome

    def _outcome(self, job: Job, caller: Caller, cancel: Cancel, execution_id: str) -> Outcome:
        """Return what became of the job; whatever goes wrong on our side ends here, reported once under its id."""
        inbox = Inbox()
        gate = Gate(
            limits=job.limits,
            caller=caller,
            upstreams=self._upstreams,
            records=self._records,
            execution_id=execution_id,
            post=inbox.put,
        )
        desk = Desk(gate=gate, max_parallel=job.limits.max_parallel)
        try:
            report = self._worker().run(job, desk, cancel, inbox)
        except Busy:
            message = "Every cell is in use; try again shortly"
            raise Refusal(RefusalCode.BUSY, message) from None
        except Exception as error:  # noqa: BLE001  # the one place where a bug becomes an answer
            self._report_fault(execution_id, error)
            return verdict.fault(execution_id)
        self._report_engine_fault(report, execution_id)
        return verdict.outcome_of(report, job, execution_id=execution_id, gate=gate, queue_ms=0.0)

    def _report_engine_fault(self, report: Report, execution_id: str) -> None:
        error = None if isinstance(report.end, Stop) else report.end.error
        if error is not None and error.code is RunCode.EXECUTION_FAILED:
            self._report_fault(execution_id, EngineFault(error.message))
