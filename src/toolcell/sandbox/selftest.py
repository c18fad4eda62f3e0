"""Proof, at every start, that the engine's limits hold; an engine that fails it runs nothing.

A misspelt setting, another wasmtime or a guest built differently shows here, as a refusal to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.codes import RunCode
from toolcell.model.limits import MIB
from toolcell.sandbox.engine import EngineError
from toolcell.sandbox.values import CellLimits, Ended, Program, Running

if TYPE_CHECKING:
    from toolcell.sandbox.engine import Engine
    from toolcell.sandbox.values import Ending

_SLICE = 200_000
_SEED = bytes(32)
_LIMITS = CellLimits(memory_bytes=8 * MIB, fuel=40_000_000)

_RECURSION = "let n = 0; function f() { n++; f() } try { f() } catch (e) { ({name: e.name, deep: n > 2500}) }"
_GROWTH = "const kept = []; for (;;) kept.push(new Uint8Array(65536))"


def prove(engine: Engine) -> None:
    """Raise ``EngineError`` unless programs compute, loops are sliced, memory is capped and recursion is caught."""
    _expect(_run(engine, "1 + 1").value == b"2", "a program did not compute its value")
    _expect(_run(engine, _RECURSION).value == b'{"name":"RangeError","deep":true}', "recursion was not caught")
    grown = _run(engine, _GROWTH).error
    _expect(grown is not None and grown.code is RunCode.MEMORY_LIMIT_EXCEEDED, "memory growth was not stopped")
    _prove_slices(engine)


def _prove_slices(engine: Engine) -> None:
    cell = engine.start(Program(source="for (;;);", seed=_SEED), _LIMITS)
    try:
        for _ in range(3):
            _expect(isinstance(cell.step(_SLICE), Running), "an endless loop was not sliced")
        _expect(cell.fuel_used < 10 * _SLICE, "fuel was not counted")
    finally:
        cell.close()


def _run(engine: Engine, source: str) -> Ending:
    cell = engine.start(Program(source=source, seed=_SEED), _LIMITS)
    try:
        while True:
            event = cell.step(_LIMITS.fuel or _SLICE)
            if isinstance(event, Ended):
                return event.ending
            _expect(isinstance(event, Running), "a program without calls waits")
    finally:
        cell.close()


def _expect(holds: bool, otherwise: str) -> None:  # noqa: FBT001  (an assertion)
    if not holds:
        raise EngineError(f"self-test failed: {otherwise}, so no program will be run: reinstall toolcell")
