"""A cell: one program in one fresh WebAssembly instance, as a resumable state machine.

It knows no event loop, no deadline and no tenant. What it takes from the outside is the time of day, for the program's
own clock and timers, and a seed if it was given none. ``step`` runs it for one slice of fuel and returns; everything
that waits is outside. ``close`` may come at any time, in any state.
"""

from __future__ import annotations

import ctypes
import os
import struct
import time
from typing import TYPE_CHECKING, NoReturn

from toolcell.model.request import Language
from toolcell.sandbox import abi, native
from toolcell.sandbox.endings import BROKEN_RULES, ending_of, out_of_fuel, trap_ending
from toolcell.sandbox.guest_memory import GuestFault, GuestMemory
from toolcell.sandbox.outbox import check_length, log_lines_in, requests_in, truncation
from toolcell.sandbox.values import Ended, Running, Waiting

if TYPE_CHECKING:
    from toolcell.sandbox.engine import Engine
    from toolcell.sandbox.values import CellLimits, Ending, Event, LogLine, Program

UNLIMITED_FUEL = 1 << 62
# wasmtime looks at the fuel only at loops and calls, so a program may end a little beyond its budget unnoticed: it gets
# this much more than its budget, and what it used is compared with the budget here.
_OVERRUN = 100_000
# One buffer for all that wasmtime writes: a trap and an error, the two bytes that a continuation reads, two handles.
_FAILURE, _READY, _MEMORY_HANDLE, _RUN_HANDLE, _SCRATCH = 0, 16, 32, 64, 96
_HANDLE = 8  # a ``wasmtime_extern_t`` is a kind, then the handle
_TWO_POINTERS = struct.Struct("=2Q")

_LANGUAGES = {Language.JAVASCRIPT: abi.LANGUAGE_JAVASCRIPT, Language.TYPESCRIPT: abi.LANGUAGE_TYPESCRIPT}
_RUNNING = Running()
_STILL_WAITING = Waiting()


class Cell:
    """One program's run. Made by ``Engine.start``; not safe to share between threads."""

    __slots__ = (
        "_answers",
        "_context",
        "_ended",
        "_engine",
        "_fuel",
        "_fuel_given",
        "_future",
        "_limits",
        "_log_read",
        "_logs",
        "_memory",
        "_peak",
        "_pending",
        "_scratch",
        "_scratch_at",
        "_slice",
        "_store",
        "_waiting_for",
        "_wake_at",
        "broken_by",
    )

    def __init__(self, engine: Engine, program: Program, limits: CellLimits) -> None:
        self._engine = engine
        self._limits = limits
        self._answers: dict[int, tuple[bytes, int]] = {}
        self._logs: list[LogLine] = []
        self._log_read = 0
        self._ended: Ended | None = None
        self._waiting_for: int | None = None  # None: not waiting; 0: any answer
        self._wake_at: float | None = None
        self._pending = b""
        self._peak = self._fuel = self._future = self._slice = 0
        self.broken_by: BaseException | None = None  # raised inside a host function, to be raised again outside
        self._scratch = ctypes.create_string_buffer(_SCRATCH)
        self._scratch_at = ctypes.addressof(self._scratch)
        self._fuel_given = UNLIMITED_FUEL if limits.fuel is None else limits.fuel + _OVERRUN
        self._store = 0
        try:
            self._store = native.store_new(engine.handle, None, None)
            self._context: int = native.store_context(self._store)
            self._open(program)
        except BaseException:
            self._free()  # and `Engine.start` counts it back
            raise

    # ---- the state machine ----

    def step(self, fuel: int) -> Event:
        """Run for about ``fuel`` units and say what the program needs next; never blocks on the outside."""
        if self._ended is not None:
            return self._ended
        if not self._store:
            raise RuntimeError("the cell is closed")
        if self._waiting_for is not None and not self._may_resume():
            return _STILL_WAITING if self._wake_at is None else Waiting(wake_at=self._wake_at)
        if fuel != self._slice:
            native.set_fuel_slice(self._context, fuel)
            self._slice = fuel
        self._memory.set_clock(time.time() * 1000.0)
        finished = self._engine.poll(self, self._future)
        if self.broken_by is not None:
            self._raise_broken(self.broken_by)
        try:
            return self._finish() if finished else self._look()
        except GuestFault:
            return self._end(BROKEN_RULES)

    def answer(self, call_id: int, payload: bytes, *, reject: bool = False) -> None:
        """Give the JSON text that a request waits for; the next step resumes the program."""
        if self._store and self._ended is None:
            self._answers[call_id] = (payload, abi.ANSWER_REJECT if reject else 0)

    def close(self) -> None:
        """Drop the instance with everything in it; safe in any state, and to repeat."""
        if self._store:
            if self._ended is None:
                self._keep_figures()
            self._free()
            self._engine.closed()

    # ---- figures and logs ----

    @property
    def fuel_used(self) -> int:
        """Fuel used so far, in wasmtime's units: about one for each WebAssembly instruction."""
        if self._store and self._ended is None:
            self._keep_figures()
        return self._fuel

    @property
    def peak_memory_bytes(self) -> int:
        """The linear memory's size, which never shrinks."""
        if self._store and self._ended is None:
            self._keep_figures()
        return self._peak

    def take_logs(self) -> list[LogLine]:
        """Return the console lines since the last time; after the end, a note of what did not fit."""
        if self._store:
            self._read_logs()
        logs, self._logs = self._logs, []
        return logs

    # ---- opening and dropping ----

    def _open(self, program: Program) -> None:
        engine, context, at = self._engine, self._context, self._scratch_at
        native.store_limiter(self._store, self._limits.memory_bytes, -1, -1, -1, -1)
        native.set_fuel(context, self._fuel_given)
        engine.instantiate(context, at + _FAILURE, at + _MEMORY_HANDLE, at + _RUN_HANDLE)
        self._memory = GuestMemory(context, at + _MEMORY_HANDLE + _HANDLE, engine.mailbox)
        self._put_program(program)
        self._future = native.call_async(context, at + _RUN_HANDLE + _HANDLE, None, 0, None, 0, at, at + 8)

    def _free(self) -> None:
        if self._future:
            native.future_delete(self._future)
            self._future = 0
        if self._store:
            native.store_delete(self._store)
            self._store = 0

    def _put_program(self, program: Program) -> None:
        limits = self._limits
        source = program.source.encode("utf-8", "replace")
        now = time.time() * 1000.0
        header = abi.HOST_PART.pack(
            _LANGUAGES[program.language],
            program.dialect,
            len(source),
            len(program.input_json),
            limits.memory_bytes,
            limits.max_result_bytes,
            limits.max_args_bytes,
            limits.max_log_bytes,
            0,
            0,
            0,
            0,
            now,
            now,
            program.seed or os.urandom(32),
        )
        text = source + b"\0" + program.input_json + b"\0"
        if len(text) <= abi.INBOX_BYTES:
            self._memory.put_program(header + text)
        else:
            self._pending = text
            self._memory.put_program(header)

    # ---- after a poll ----

    def _may_resume(self) -> bool:
        """Hand over the answer that the program waits for, if there is one or its time has come."""
        wanted = self._waiting_for or next(iter(self._answers), 0)
        if wanted in self._answers:
            payload, flags = self._answers.pop(wanted)
            self._pending = payload
            self._memory.put_answer(wanted, payload, flags)
        elif self._wake_at is not None and time.time() >= self._wake_at:
            self._memory.put_answer(0, b"", 0)
        else:
            return False
        self._waiting_for = None
        self._scratch[_READY] = b"\x01"
        return True

    def _look(self) -> Event:
        part = self._memory.cell_part()
        if part[abi.STATE] != abi.WAITING:
            return _RUNNING
        if self._is_over_budget():
            return self._end(out_of_fuel(self._limits))
        self._waiting_for = part[abi.WAITING_FOR]
        wake = self._memory.wake_at()
        self._wake_at = wake / 1000.0 if wake > 0 else None
        length = part[abi.OUTBOX_LEN]
        check_length(length, self._limits.max_args_bytes)
        return Waiting(requests_in(self._memory.read(part[abi.OUTBOX_PTR], length)), self._wake_at)

    def _finish(self) -> Ended:
        native.future_delete(self._future)
        self._future = 0
        self._keep_figures()
        part = self._memory.cell_part()
        trap, error = _TWO_POINTERS.unpack_from(self._scratch, _FAILURE)
        if trap or error:
            self._fuel = min(self._fuel, self._limits.fuel or self._fuel)
            return self._end(trap_ending(trap, error, part, self._limits))
        if self._is_over_budget():
            return self._end(out_of_fuel(self._limits))
        if part[abi.STATE] != abi.ENDED:
            raise GuestFault("the program returned without an ending")
        return self._end(ending_of(part, self._memory, self._limits))

    def _end(self, ending: Ending) -> Ended:
        self._ended = Ended(ending)
        return self._ended

    def _keep_figures(self) -> None:
        left = ctypes.c_uint64()
        native.get_fuel(self._context, ctypes.addressof(left))
        self._fuel = self._fuel_given - left.value
        self._peak = self._memory.size()

    def _is_over_budget(self) -> bool:
        """Tell whether the run used more than its budget, and say that it used all of it: no more was its own."""
        budget = self._limits.fuel
        if budget is None:
            return False
        self._keep_figures()
        over, self._fuel = self._fuel > budget, min(self._fuel, budget)
        return over

    def _read_logs(self) -> None:
        part = self._memory.cell_part()
        end = min(part[abi.LOG_LEN], abi.LOG_BYTES)
        if end > self._log_read:
            try:
                data = self._memory.read(part[abi.LOG_PTR] + self._log_read, end - self._log_read)
            except GuestFault:
                return
            self._log_read = end
            self._logs += log_lines_in(data)
        if self._ended is not None and part[abi.LOG_DROPPED] and self._log_read <= abi.LOG_BYTES:
            self._log_read = abi.LOG_BYTES + 1
            self._logs.append(truncation(part[abi.LOG_DROPPED], self._limits.max_log_bytes))

    def _raise_broken(self, broken: BaseException) -> NoReturn:
        self.broken_by = None
        native.discard(*_TWO_POINTERS.unpack_from(self._scratch, _FAILURE))
        self.close()
        raise broken

    # ---- what the host functions need ----

    def continuation(self) -> bytes:
        """Return the ``wasmtime_async_continuation_t`` that polls this cell's ready byte."""
        self._scratch[_READY] = b"\x00"  # it still says what the last wait was told
        return native.CONTINUATION.pack(native.strlen_address, self._scratch_at + _READY, 0)

    def take(self, pointer: int, length: int) -> None:
        """Copy the pending payload into the cell; ``GuestFault`` when the range or the length is wrong."""
        if length & 0xFFFFFFFF != len(self._pending):
            raise GuestFault("the cell asked for another length than the payload has")
        self._memory.write(pointer, self._pending)
        self._pending = b""
