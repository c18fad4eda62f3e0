"""Runs, calls and stores for the tests of this folder."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any

from toolcell.model.calls import ToolCall
from toolcell.model.outcome import Outcome, RunError, RunStats
from toolcell.model.record import CallIntent, RunStart
from toolcell.model.request import Language

if TYPE_CHECKING:
    from pathlib import Path

    from toolcell.model.codes import RunCode
    from toolcell.storage.records import Records

STATS = RunStats(wall_ms=12.5, queue_ms=0.5, fuel=59_000, peak_memory_bytes=1_048_576, tool_calls=1)


def start(run: str = "run-1", source: str = "1 + 1", script: str | None = None) -> RunStart:
    return RunStart(
        execution_id=run,
        tenant="acme",
        key_id="key-7",
        source=source,
        script=script,
        language=Language.JAVASCRIPT,
        input_bytes=2,
    )


def intent(run: str = "run-1", number: int = 1, server: str = "github", **args: Any) -> CallIntent:
    call = ToolCall(server=server, tool="get_user", args=args)
    return CallIntent(execution_id=run, number=number, tenant="acme", key_id="key-7", call=call)


def outcome(run: str = "run-1", code: RunCode | None = None, message: str = "no") -> Outcome:
    if code is None:
        return Outcome(execution_id=run, stats=STATS, value_json=b"42")
    return Outcome(execution_id=run, stats=STATS, error=RunError(code=code, message=message))


def intend(records: Records, call: CallIntent) -> bool:
    """Record an intent and return what it was told."""
    answers: list[bool] = []
    told = threading.Event()

    def then(durable: bool) -> None:  # noqa: FBT001  # the port's one answer
        answers.append(durable)
        told.set()

    records.intend(call, then)
    assert told.wait(60)
    return answers[0]


def rows(folder: Path, query: str) -> list[dict[str, Any]]:
    connection = sqlite3.connect(folder / "records.sqlite3")
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(query)]
    finally:
        connection.close()
