"""Runs one program in one real cell, answering its requests from a table: what the sandbox's tests stand on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from toolcell.model.request import Language
from toolcell.sandbox import CellLimits, DialectId, Ended, Program, Running, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolcell.sandbox import Cell, CellError, Ending, Engine, HostRequest

    Answers = Callable[[HostRequest], object] | Iterable[object] | None

SLICE = 2_000_000
MAX_SLICES = 20_000
"""A program of these tests that needs more fuel than this many slices has not ended: a test fails, none hangs."""


class StillRunning(AssertionError):  # noqa: N818  # a state; assertions report it
    """The program used all the slices that the test gave it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one run left: ``value`` is parsed JSON, ``json`` its text; ``error`` is set when there is no value."""

    ending: Ending
    logs: list[str]
    levels: list[str]
    fuel: int
    peak: int
    slices: int
    requests: list[HostRequest] = field(default_factory=list)

    @property
    def json(self) -> bytes | None:
        return self.ending.value

    @property
    def value(self) -> Any:
        assert self.ending.value is not None, f"the program has no value: {self.ending.error}"
        return json.loads(self.ending.value)

    @property
    def error(self) -> CellError | None:
        return self.ending.error

    @property
    def failure(self) -> CellError:
        """The error of a program that must have failed."""
        assert self.ending.error is not None, f"the program returned {self.ending.value!r}"
        return self.ending.error

    @property
    def calls(self) -> list[Any]:
        """The requests' payloads, parsed."""
        return [json.loads(request.payload) for request in self.requests]


class RunProgram(Protocol):
    """The ``run`` fixture; ``limits`` are those of ``CellLimits``."""

    def __call__(  # noqa: PLR0913  # one keyword for each thing a test may vary
        self,
        source: str,
        language: str = "javascript",
        input: Mapping[str, object] | bytes | None = None,  # noqa: A002
        *,
        answers: Answers = None,
        dialect: DialectId = DialectId.MCPPROXY,
        seed: bytes | None = None,
        max_slices: int = MAX_SLICES,
        slice_fuel: int = SLICE,
        **limits: int | None,
    ) -> Result: ...


def ok(data: object = None) -> dict[str, object]:
    """Return the envelope of a call that succeeded with ``data``."""
    text = json.dumps(data)
    return {"ok": True, "result": {"content": [{"type": "text", "text": text}]}, "data": data}


def refused(code: str, message: str = "no") -> dict[str, object]:
    """Return the envelope of a call that was not made."""
    return {"ok": False, "error": {"code": code, "message": message, "retryable": False}}


def bind(engine: Engine) -> RunProgram:
    """Return ``run`` on that engine."""

    def run(  # noqa: PLR0913  # see RunProgram
        source: str,
        language: str = "javascript",
        input: Mapping[str, object] | bytes | None = None,  # noqa: A002
        *,
        answers: Answers = None,
        dialect: DialectId = DialectId.MCPPROXY,
        seed: bytes | None = None,
        max_slices: int = MAX_SLICES,
        slice_fuel: int = SLICE,
        **limits: int | None,
    ) -> Result:
        text = input if isinstance(input, bytes) else json.dumps(input or {}).encode()
        program = Program(source=source, language=Language(language), input_json=text, dialect=dialect, seed=seed)
        cell = engine.start(program, CellLimits(**limits))  # type: ignore[arg-type]
        try:
            return drive(cell, answers, max_slices=max_slices, slice_fuel=slice_fuel)
        finally:
            cell.close()

    return run


def drive(cell: Cell, answers: Answers = None, *, max_slices: int = MAX_SLICES, slice_fuel: int = SLICE) -> Result:
    """Step the cell to its end; ``StillRunning`` when it takes more slices than that."""
    respond = _responder(answers)
    requests: list[HostRequest] = []
    for slices in range(1, max_slices + 1):
        event = cell.step(slice_fuel)
        if isinstance(event, Ended):
            lines = cell.take_logs()
            return Result(
                ending=event.ending,
                logs=[line.text for line in lines],
                levels=[line.level for line in lines],
                fuel=cell.fuel_used,
                peak=cell.peak_memory_bytes,
                slices=slices,
                requests=requests,
            )
        if isinstance(event, Waiting):
            assert event.requests, "the cell waits for nothing that a test can answer"
            requests += event.requests
            for request in event.requests:
                cell.answer(request.call_id, respond(request))
        else:
            assert isinstance(event, Running)
    raise StillRunning(f"the program did not end within {max_slices} slices")


def _responder(answers: Answers) -> Callable[[HostRequest], bytes]:
    if answers is None:
        return _unexpected
    if callable(answers):
        respond = answers
        return lambda request: _encoded(respond(request))
    queue = iter(answers)
    return lambda _request: _encoded(next(queue))


def _encoded(answer: object) -> bytes:
    return answer if isinstance(answer, bytes) else json.dumps(answer).encode()


def _unexpected(request: HostRequest) -> bytes:
    raise AssertionError(f"the program called out, and the test has no answer: {request}")
