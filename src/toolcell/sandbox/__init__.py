"""The cell: untrusted JavaScript in a fresh WebAssembly instance, as a resumable state machine.

Above it ``workers`` give cells their turns; below it are wasmtime and the guest of ``wasm/``. Pure: no event loop, no
network, no threads, no tenant.
"""

from __future__ import annotations

from toolcell.sandbox.cell import Cell
from toolcell.sandbox.engine import CellsExhausted, Engine, EngineConfig, EngineError
from toolcell.sandbox.module_cache import GuestError
from toolcell.sandbox.values import (
    CellError,
    CellLimits,
    DialectId,
    Ended,
    Ending,
    Event,
    HostRequest,
    LogLine,
    Program,
    Running,
    Waiting,
)

__all__ = [
    "Cell",
    "CellError",
    "CellLimits",
    "CellsExhausted",
    "DialectId",
    "Ended",
    "Ending",
    "Engine",
    "EngineConfig",
    "EngineError",
    "Event",
    "GuestError",
    "HostRequest",
    "LogLine",
    "Program",
    "Running",
    "Waiting",
]
