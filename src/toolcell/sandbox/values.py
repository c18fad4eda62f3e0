"""What goes into a cell and what comes out: plain values, no behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from toolcell.model.limits import MAX_CALL_BYTES, MAX_LOG_BYTES, MIB
from toolcell.model.request import Language

if TYPE_CHECKING:
    from toolcell.model.codes import RunCode


class DialectId(IntEnum):
    """Which globals and value rules a cell follows; the numbers are those of ``wasm/abi.h``."""

    MCPPROXY = 0
    PINKFISH = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A source text, its input (a JSON object in UTF-8), and the 32-byte seed of its randomness.

    Without a seed the cell takes one from the operating system.
    """

    source: str
    language: Language = Language.JAVASCRIPT
    input_json: bytes = b"{}"
    dialect: DialectId = DialectId.MCPPROXY
    seed: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellLimits:
    """Bounds in bytes; ``fuel`` is an exact budget in wasmtime fuel units, ``None`` for no budget."""

    memory_bytes: int = 64 * MIB
    max_result_bytes: int = 5 * MIB
    max_args_bytes: int = MAX_CALL_BYTES
    max_log_bytes: int = MAX_LOG_BYTES
    fuel: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellError:
    """Why a program has no value. ``line`` and ``column`` are 1-based, of the caller's text."""

    code: RunCode
    message: str
    stack: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a program ended: a value, which is one JSON document, or an error; exactly one of them is set."""

    value: bytes | None = None
    error: CellError | None = None


@dataclass(frozen=True, slots=True)
class HostRequest:
    """What a program asks of its host: ``payload`` is JSON text whose form depends on ``op``."""

    call_id: int
    op: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Running:
    """The slice is used up; the program has more to do."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The program cannot go on without an answer, or before ``wake_at`` (Unix time in seconds).

    ``requests`` are those made since the last event.
    """

    requests: tuple[HostRequest, ...] = ()
    wake_at: float | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The program is over; the cell takes no more steps."""

    ending: Ending


Event = Running | Waiting | Ended


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of console output and its level: debug, log, info, warn or error."""

    level: str
    text: str
