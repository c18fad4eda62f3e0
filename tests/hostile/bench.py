"""A request's whole path without a server: the service, the gate, the worker's turns and a real cell.

Its clock moves only as turns are taken, so a deadline is a number of slices and no test depends on the machine. What
hostile.md says of every case is checked after every run.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.execution.ports import NoScripts
from toolcell.execution.service import ExecutionService
from toolcell.model.codes import RunCode
from toolcell.model.limits import RunDefaults
from toolcell.model.request import Caller
from toolcell.workers.cancel import Cancel
from toolcell.workers.inprocess import InProcessWorker

if TYPE_CHECKING:
    from toolcell.model.outcome import Outcome
    from toolcell.sandbox import Engine

PAGE = os.sysconf("SC_PAGE_SIZE")
UNIX_OFFSET = 1_700_000_000.0
LEAKS = re.compile(r"Traceback|File \"|\.py\b|\.wasm\b|site-packages|/(?:root|home|usr|tmp|work|proc)/|0x[0-9a-f]{8}")


class TurnClock:
    """Time that passes by ``per_turn`` seconds whenever somebody looks, and otherwise only in naps."""

    def __init__(self, per_turn: float = 0.001) -> None:
        self.time = 1000.0
        self.per_turn = per_turn

    def now(self) -> float:
        self.time += self.per_turn
        return self.time

    def unix(self) -> float:
        return self.time + UNIX_OFFSET

    def nap(self, until: float, inbox: object = None) -> None:
        self.time = max(self.time, until)


@dataclass
class Bench:
    """Runs programs as a request would, and checks the standing assertions of hostile.md after each."""

    engine: Engine
    faults: list[tuple[str, Exception]] = field(default_factory=list)

    def execute(
        self,
        code: str,
        *,
        timeout_ms: int = 1000,
        upstreams: FakeUpstreams | None = None,
        clock: TurnClock | None = None,
        memory_mb: int = 64,
        **request: Any,  # whatever JSON holds
    ) -> dict[str, Any]:
        """Return the answer to the request; its options are ``timeout_ms`` and those in ``request``."""
        options = {"timeout_ms": timeout_ms, **request.pop("options", {})}
        service = ExecutionService(
            enabled=True,
            defaults=RunDefaults(memory_bytes=memory_mb << 20),
            worker=lambda: InProcessWorker(self.engine, clock or TurnClock()),
            upstreams=upstreams or FakeUpstreams(),
            scripts=NoScripts(),
            report_fault=lambda execution_id, error: self.faults.append((execution_id, error)),
        )
        outcome = service.execute({"code": code, "options": options, **request}, Caller(), Cancel())
        return self._checked(outcome)

    def code_of(self, code: str, **request: Any) -> str:
        """Return the error's code, or ``"ok"``."""
        answer = self.execute(code, **request)
        return "ok" if answer["ok"] else answer["error"]["code"]

    def stands(self) -> None:
        """Assert that the engine is whole and free, and that the next plain program has its value."""
        assert self.engine.live_cells == 0
        assert self.faults == []
        service = ExecutionService(
            enabled=True,
            defaults=RunDefaults(),
            worker=lambda: InProcessWorker(self.engine, TurnClock()),
            upstreams=FakeUpstreams(),
            scripts=NoScripts(),
            report_fault=lambda execution_id, error: self.faults.append((execution_id, error)),
        )
        outcome = service.execute({"code": "1+1"}, Caller(), Cancel())
        assert outcome.value_json == b"2"
        assert outcome.stats.fuel < 1_000_000, "a plain program pays for what ran before it"

    def _checked(self, outcome: Outcome) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(outcome.to_json())
        check_shape(answer)
        self.stands()
        return answer


def check_shape(answer: dict[str, Any]) -> None:
    """Assert the shape of spec 2.5, and that an error says nothing of the host."""
    assert set(answer["stats"]) == {"wall_ms", "queue_ms", "fuel", "peak_memory_bytes", "tool_calls"}
    assert answer["execution_id"]
    assert all(isinstance(line, str) for line in answer.get("logs", []))
    if answer["ok"]:
        assert set(answer) - {"logs"} == {"ok", "value", "execution_id", "stats"}
        return
    error = answer["error"]
    assert set(answer) - {"logs"} == {"ok", "error", "calls", "execution_id", "stats"}
    assert set(error) - {"line", "column"} == {"code", "message", "stack"}
    assert RunCode(error["code"]) is not RunCode.EXECUTION_FAILED
    assert len(error["message"]) <= 20_000
    assert not LEAKS.search(error["message"] + error["stack"])


def resident_bytes() -> int:
    """Return this process's resident memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
