"""From what a cell left in its mailbox, or from the trap that ended it, to an ``Ending``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from toolcell.model.codes import RunCode
from toolcell.model.limits import MIB
from toolcell.sandbox import abi, native
from toolcell.sandbox.guest_memory import GuestFault
from toolcell.sandbox.json_check import is_json
from toolcell.sandbox.values import CellError, Ending

if TYPE_CHECKING:
    from toolcell.sandbox.guest_memory import GuestMemory
    from toolcell.sandbox.values import CellLimits

_CODES = {
    abi.ENDING_SYNTAX_ERROR: RunCode.SYNTAX_ERROR,
    abi.ENDING_TRANSPILE_ERROR: RunCode.TRANSPILE_ERROR,
    abi.ENDING_RUNTIME_ERROR: RunCode.RUNTIME_ERROR,
    abi.ENDING_SERIALIZATION_ERROR: RunCode.SERIALIZATION_ERROR,
}
_REFUSALS = frozenset({RunCode.MAX_TOOL_CALLS_EXCEEDED, RunCode.SERVER_NOT_ALLOWED})
_MAX_TEXT = 16_384

TRAP_STACK_OVERFLOW = 0
TRAP_OUT_OF_FUEL = 11

_ADVICE = "make the program simpler or nest less, and report it to toolcell's maintainers if that does not help"

BROKEN_RULES = Ending(
    error=CellError(
        code=RunCode.RUNTIME_ERROR,
        message=f"The program made its cell break the rules between cell and host, so it was stopped: {_ADVICE}",
    )
)


def ending_of(part: tuple[int, ...], memory: GuestMemory, limits: CellLimits) -> Ending:
    """Return the ending that the mailbox describes; ``GuestFault`` when that cannot be true."""
    kind = part[abi.ENDING]
    if kind == abi.ENDING_VALUE:
        return Ending(value=_value(memory, part[abi.VALUE_PTR], part[abi.VALUE_LEN], limits))
    if kind == abi.ENDING_RESULT_TOO_LARGE:
        return _too_large(part[abi.VALUE_TOTAL], limits)
    message = _text(memory, part[abi.MESSAGE_PTR], part[abi.MESSAGE_LEN])
    if kind == abi.ENDING_REFUSED:
        return _refused(message)
    if kind not in _CODES:
        return _error(RunCode.EXECUTION_FAILED, f"the cell ended in state {kind}")
    return Ending(
        error=CellError(
            code=_CODES[kind],
            message=message,
            stack=_text(memory, part[abi.STACK_PTR], part[abi.STACK_LEN]),
            line=part[abi.LINE] or None,
            column=part[abi.COLUMN] or None,
        )
    )


def out_of_fuel(limits: CellLimits) -> Ending:
    """Return the ending of a program that used more than its exact budget."""
    return _error(
        RunCode.TIMEOUT, f"JavaScript execution used up its budget of {limits.fuel:,} units of fuel: do less in one run"
    )


def trap_ending(trap: int, error: int, part: tuple[int, ...], limits: CellLimits) -> Ending:
    """Return what a trap means, and free it; the cell is to be discarded."""
    code = ctypes.c_uint8(255)
    if trap:
        native.trap_code(trap, ctypes.byref(code))
    native.discard(trap, error)
    if code.value == TRAP_OUT_OF_FUEL:
        return out_of_fuel(limits)
    if part[abi.STATE] == abi.ENDED and part[abi.ENDING] == abi.ENDING_MEMORY_LIMIT_EXCEEDED:
        return _memory_limit(limits)
    if code.value == TRAP_STACK_OVERFLOW:
        return _error(RunCode.RUNTIME_ERROR, "RangeError: Maximum call stack size exceeded")
    return _error(RunCode.RUNTIME_ERROR, f"The program stopped the engine that ran it: {_ADVICE}")


def _value(memory: GuestMemory, pointer: int, length: int, limits: CellLimits) -> bytes:
    if length > limits.max_result_bytes:
        raise GuestFault(f"a value of {length} bytes is above the limit that the cell was given")
    text = memory.read(pointer, length)
    if not is_json(text):
        raise GuestFault("the value is not a JSON text")
    return text


def _error(code: RunCode, message: str) -> Ending:
    return Ending(error=CellError(code=code, message=message))


def _memory_limit(limits: CellLimits) -> Ending:
    message = (
        f"The program used more than the {limits.memory_bytes / MIB:g} MiB of memory that a cell has: hold less at"
        " once, for example by reducing each reply to what you need before the next call"
    )
    return _error(RunCode.MEMORY_LIMIT_EXCEEDED, message)


def _too_large(total: int, limits: CellLimits) -> Ending:
    about = "more than " if total >= 256 << 20 else ""
    message = (
        f"The value is {about}{total:,} bytes of JSON; the limit for what a program returns is"
        f" {limits.max_result_bytes:,} bytes. Return a summary, a count or a page of it"
    )
    return _error(RunCode.RESULT_TOO_LARGE, message)


def _refused(message: str) -> Ending:
    code, _, text = message.partition("\n")
    known = RunCode(code) if code in _REFUSALS else RunCode.EXECUTION_FAILED
    return _error(known, text)


def _text(memory: GuestMemory, pointer: int, length: int) -> str:
    return memory.read(pointer, min(length, _MAX_TEXT)).decode("utf-8", "replace") if length else ""
