"""From how a run ended to the answer its caller gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.codes import RunCode
from toolcell.model.outcome import LogEntry, Outcome, RunError, RunStats
from toolcell.workers.run import Stop

if TYPE_CHECKING:
    from toolcell.execution.gate import Gate
    from toolcell.sandbox.values import CellError
    from toolcell.workers.job import Job
    from toolcell.workers.run import Report

_STOPS = {
    Stop.TIMEOUT: (RunCode.TIMEOUT, "JavaScript execution timed out"),
    Stop.CANCELLED: (RunCode.CANCELLED, "The run was cancelled"),
}
_MAY_BE_FOREIGN = frozenset({RunCode.SYNTAX_ERROR, RunCode.TRANSPILE_ERROR})


def outcome_of(report: Report, job: Job, *, execution_id: str, gate: Gate, queue_ms: float) -> Outcome:
    """Return the outcome of a finished run."""
    return Outcome(
        execution_id=execution_id,
        value_json=None if isinstance(report.end, Stop) else report.end.value,
        error=_error(report, job, execution_id),
        logs=tuple(LogEntry(level=line.level, message=line.text) for line in report.logs),
        calls=gate.answered,
        stats=RunStats(
            wall_ms=report.wall_ms,
            queue_ms=queue_ms,
            fuel=report.fuel,
            peak_memory_bytes=report.peak_memory_bytes,
            tool_calls=gate.spent,
        ),
    )


def fault(execution_id: str) -> Outcome:
    """Return the outcome of a run that our own fault ended: an id to look for, and no detail."""
    return Outcome(
        execution_id=execution_id,
        error=_our_fault(execution_id),
        stats=RunStats(wall_ms=0.0, queue_ms=0.0, fuel=0, peak_memory_bytes=0, tool_calls=0),
    )


def _our_fault(execution_id: str) -> RunError:
    message = (
        "The run failed inside toolcell, which is no fault of the program: toolcell's log (on the command line: stderr)"
        f" has the details under {execution_id}; report them to toolcell's maintainers"
    )
    return RunError(code=RunCode.EXECUTION_FAILED, message=message)


def _error(report: Report, job: Job, execution_id: str) -> RunError | None:
    if isinstance(report.end, Stop):
        code, message = _STOPS[report.end]
        return RunError(code=code, message=message + _in_flight(report.in_flight))
    if report.end.error is None:
        return None
    if report.end.error.code is RunCode.EXECUTION_FAILED:
        return _our_fault(execution_id)
    return _program_error(report.end.error, job)


def _in_flight(calls: tuple[str, ...]) -> str:
    if not calls:
        return ""
    return f"; in flight, with unknown effect: {', '.join(calls)}"


def _program_error(error: CellError, job: Job) -> RunError:
    message = error.message
    if error.code in _MAY_BE_FOREIGN:
        from toolcell.execution.hints import language_hint  # noqa: PLC0415  # its patterns cost 5 ms to compile

        hint = language_hint(job.source, job.language)
        message = f"{message}. {hint}" if hint else message
    return RunError(code=error.code, message=message, stack=error.stack, line=error.line, column=error.column)
