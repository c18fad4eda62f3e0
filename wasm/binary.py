"""The few pieces of the WebAssembly binary format that the snapshot reads and writes."""

from __future__ import annotations


def sections(module: bytes) -> list[tuple[int, bytes]]:
    """Each section's id and body, in order."""
    found = []
    at = 8
    while at < len(module):
        kind = module[at]
        size, at = read_leb(module, at + 1)
        found.append((kind, module[at : at + size]))
        at += size
    return found


def leb(value: int) -> bytes:
    """Unsigned LEB128."""
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def signed_leb(value: int) -> bytes:
    """Signed LEB128 of a non-negative number."""
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        done = value == 0 and not byte & 0x40
        out.append(byte if done else byte | 0x80)
        if done:
            return bytes(out)


def read_leb(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned LEB128 at `at`, and the index after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


I32_CONST, I64_CONST, F32_CONST, F64_CONST, GLOBAL_GET, END = 0x41, 0x42, 0x43, 0x44, 0x23, 0x0B


def mutable_globals(body: bytes) -> list[int]:
    """The places in a global section of those that may change; the guest imports no global, so they are indices too."""
    count, at = read_leb(body, 0)
    found = []
    for index in range(count):
        if body[at + 1]:
            found.append(index)
        at = after_constant(body, at + 2)
    return found


def after_constant(body: bytes, at: int) -> int:
    """The index after the constant expression at `at`; `ValueError` for one that no linker of ours writes."""
    opcode = body[at]
    if opcode in {I32_CONST, I64_CONST, GLOBAL_GET}:
        _, at = read_leb(body, at + 1)
    elif opcode in {F32_CONST, F64_CONST}:
        at += 5 if opcode == F32_CONST else 9
    else:
        raise ValueError(f"a global starts with the instruction {opcode:#x}")
    if body[at] != END:
        raise ValueError("a global's first value is more than one constant")
    return at + 1
