"""The only place that reads or writes a cell's linear memory.

Every address and length that comes out of a cell is hostile: 32-bit values are taken as unsigned, a range must lie
inside the memory as it is at that moment, and bytes are copied out before anyone looks at them.
"""

from __future__ import annotations

import ctypes

from toolcell.sandbox import abi, native

_MASK = 0xFFFFFFFF


class GuestFault(Exception):  # noqa: N818  # it is the guest's, and ends the run
    """A cell named a range outside its memory."""


class GuestMemory:
    """The linear memory of one live instance; unusable once its store is gone."""

    __slots__ = ("_base", "_clock", "_context", "_mailbox", "_memory")

    def __init__(self, context: int, memory: int, mailbox: int) -> None:
        self._context = context
        self._memory = memory
        self._base: int = native.memory_data(context, memory)
        self._mailbox: int = self._base + mailbox
        self._clock = ctypes.c_double.from_address(self._mailbox + abi.CLOCK_OFFSET)

    def size(self) -> int:
        """Return the memory's size in bytes now."""
        size: int = native.memory_data_size(self._context, self._memory)
        return size

    def read(self, pointer: int, length: int) -> bytes:
        """Return a copy of ``length`` bytes; raise ``GuestFault`` for a range outside the memory."""
        return ctypes.string_at(self._base + self._checked(pointer, length), length & _MASK)

    def write(self, pointer: int, data: bytes) -> None:
        """Copy ``data`` into the cell; raise ``GuestFault`` for a range outside the memory."""
        ctypes.memmove(self._base + self._checked(pointer, len(data)), data, len(data))

    def cell_part(self) -> tuple[int, ...]:
        """Return the fields that the cell writes, in the order of ``abi.CELL_FIELDS``."""
        return abi.CELL_PART.unpack(ctypes.string_at(self._mailbox, abi.CELL_PART.size))

    def wake_at(self) -> float:
        """Return the time in ms at which the cell wants to go on by itself; 0 is never."""
        (wake,) = abi.WAKE_AT.unpack(ctypes.string_at(self._mailbox + abi.WAKE_AT_OFFSET, 8))
        return float(wake)

    def put_program(self, data: bytes) -> None:
        """Write the host's part of the mailbox and what of the inbox follows it."""
        if len(data) > abi.HOST_PART.size + abi.INBOX_BYTES:
            raise ValueError("the program does not fit into the inbox")
        ctypes.memmove(self._mailbox + abi.HOST_OFFSET, data, len(data))

    def put_answer(self, call_id: int, payload: bytes, flags: int) -> None:
        """Write an answer's header, and its bytes if they fit into the inbox."""
        header = abi.ANSWER_PART.pack(call_id, len(payload), flags)
        ctypes.memmove(self._mailbox + abi.ANSWER_OFFSET, header, len(header))
        if len(payload) <= abi.INBOX_BYTES:
            ctypes.memmove(self._mailbox + abi.INBOX_OFFSET, payload, len(payload))

    def set_clock(self, milliseconds: float) -> None:
        """Set the cell's clock: milliseconds of Unix time."""
        self._clock.value = milliseconds

    def _checked(self, pointer: int, length: int) -> int:
        pointer &= _MASK
        length &= _MASK
        if pointer + length > self.size():
            raise GuestFault(f"range of {length} bytes at {pointer} is outside the cell's memory")
        return pointer
