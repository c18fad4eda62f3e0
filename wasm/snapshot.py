"""Freezes a module after its `init`: the heap that init built becomes the module's data (what Wizer does).

QuickJS needs one memory and leaves no global changed, so the snapshot is: run `init`, read the memory, write it back as
data segments, drop the start of the world. The sections of a module are copied as they are (WebAssembly core
specification, binary format); only memory, export, data and custom sections change.
"""

from __future__ import annotations

import wasmtime

PAGE = 65536
GAP = 16  # zero bytes shorter than this inside a segment cost less than a new segment's header

MEMORY, EXPORT, START, DATA_COUNT, DATA, CUSTOM = 5, 7, 8, 12, 11, 0
DROPPED_EXPORTS = frozenset({"init", "_initialize"})


def freeze(module: bytes) -> bytes:
    """The module with its heap as `init` left it; raises `RuntimeError` when init fails or a global changed."""
    image = memory_after_init(module)
    out = bytearray(module[:8])
    for kind, body in sections(module):
        if kind in {START, DATA_COUNT, DATA, CUSTOM}:
            continue
        if kind == MEMORY:
            body = memory_section(len(image) // PAGE)
        elif kind == EXPORT:
            body = without_exports(body)
        out += bytes([kind]) + leb(len(body)) + body
    body = data_section(image)
    out += bytes([DATA]) + leb(len(body)) + body
    return bytes(out)


def memory_after_init(module: bytes) -> bytes:
    """The linear memory after `_initialize` and `init`, with every import a trap."""
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    compiled = wasmtime.Module(engine, module)
    linker = wasmtime.Linker(engine)
    linker.define_unknown_imports_as_traps(compiled)
    exports = linker.instantiate(store, compiled).exports(store)
    before = global_values(exports, store)
    if "_initialize" in {export.name for export in compiled.exports}:
        exports["_initialize"](store)
    status = exports["init"](store)
    if status != 0:
        msg = f"the guest's init failed with status {status}"
        raise RuntimeError(msg)
    if global_values(exports, store) != before:
        msg = "a global changed during init: the snapshot would lose it"
        raise RuntimeError(msg)
    memory = exports["memory"]
    return bytes(memory.read(store, 0, memory.data_len(store)))


def global_values(exports: object, store: wasmtime.Store) -> dict[str, object]:
    """The exported globals' values by name."""
    return {
        name: item.value(store)
        for name, item in exports.items()  # type: ignore[attr-defined]
        if isinstance(item, wasmtime.Global)
    }


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


def memory_section(pages: int) -> bytes:
    """One memory of at least `pages` pages; its most is the host's to say."""
    return b"\x01\x00" + leb(pages)


def without_exports(body: bytes) -> bytes:
    """The export section without those that only the build uses."""
    count, at = read_leb(body, 0)
    kept = []
    for _ in range(count):
        start = at
        length, at = read_leb(body, at)
        name = body[at : at + length].decode()
        _, at = read_leb(body, at + length + 1)
        if name not in DROPPED_EXPORTS:
            kept.append(body[start:at])
    return leb(len(kept)) + b"".join(kept)


def data_section(image: bytes) -> bytes:
    """Active segments that hold every nonzero run of the image."""
    runs = nonzero_runs(image)
    out = bytearray(leb(len(runs)))
    for start, end in runs:
        out += b"\x00\x41" + signed_leb(start) + b"\x0b" + leb(end - start) + image[start:end]
    return bytes(out)


def nonzero_runs(image: bytes) -> list[tuple[int, int]]:
    """Half-open ranges that cover every nonzero byte, joined across short gaps."""
    runs: list[tuple[int, int]] = []
    zeros = bytes(GAP)
    at = 0
    while at < len(image):
        if image[at] == 0:
            at = skip_zeros(image, at)
            continue
        end = image.find(zeros, at)
        end = len(image) if end < 0 else end
        runs.append((at, end))
        at = end
    return runs


def skip_zeros(image: bytes, at: int) -> int:
    """The first index from `at` whose byte is not zero."""
    chunk = bytes(4096)
    while image[at : at + 4096] == chunk:
        at += 4096
    while at < len(image) and image[at] == 0:
        at += 1
    return at


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
