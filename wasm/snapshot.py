"""Freezes a module after its `init`: the heap that init built becomes the module's data (what Wizer does).

The guest has one memory, and its only global that can change is the stack pointer, which is where it was when `init`
returns. So the snapshot is: run `init`, read the memory, write it back as data segments; a global that did change, or
that cannot be seen, is an error. The other sections of a module are copied as they are (WebAssembly core specification,
binary format); memory, exports, start, data and custom sections change.

It is done twice. Each page that a run writes to costs a page fault, so a first snapshot is run with small programs, the
heap blocks they write to are found (`layout.py`), and the second init puts those blocks side by side.
"""

from __future__ import annotations

from dataclasses import dataclass

import wasmtime

import layout
from binary import leb, mutable_globals, read_leb, sections, signed_leb

PAGE = 65536
GAP = 16  # zero bytes shorter than this inside a segment cost less than a new segment's header

MEMORY, GLOBAL, EXPORT, START, DATA_COUNT, DATA, CUSTOM = 5, 6, 7, 8, 12, 11, 0
GLOBAL_KIND = 3  # of an export
BUILD_EXPORTS = frozenset({"init", "_initialize", "__stack_pointer"})


@dataclass(frozen=True, slots=True)
class Initialised:
    """The memory after init, and the addresses of its heap's blocks in the order they were made."""

    image: bytes
    blocks: tuple[int, ...]


def freeze(module: bytes) -> bytes:
    """The module with its heap as `init` left it; `RuntimeError` when init fails or a global may have changed."""
    first = initialise(module, hot=frozenset())
    hot = layout.hot_blocks(with_image(module, first.image), first.blocks)
    return with_image(module, initialise(module, hot=hot).image)


def initialise(module: bytes, *, hot: frozenset[int]) -> Initialised:
    """Runs `_initialize` and `init`; `hot` are the places, in the order of making, of blocks to keep together."""
    check_globals_are_seen(module)
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    compiled = wasmtime.Module(engine, module)
    linker = wasmtime.Linker(engine)
    blocks: list[int] = []
    linker.define_func("toolcell", "take", layout.take_type(), layout.planner(hot, blocks), access_caller=True)
    linker.define_unknown_imports_as_traps(compiled)
    exports = linker.instantiate(store, compiled).exports(store)
    before = global_values(exports, store)
    memory = exports["memory"]
    if "_initialize" in {export.name for export in compiled.exports}:
        exports["_initialize"](store)
    status = exports["init"](store)
    if status != 0:
        raise RuntimeError(f"the guest's init failed with status {status}")
    if global_values(exports, store) != before:
        raise RuntimeError("a global changed during init: the snapshot would lose it")
    return Initialised(bytes(memory.read(store, 0, memory.data_len(store))), tuple(blocks))


def check_globals_are_seen(module: bytes) -> None:
    """Raises `RuntimeError` when a global that can change is not exported: nobody could tell whether it did."""
    bodies = dict(sections(module))
    exported = {index for kind, index, _, _ in exports_of(bodies.get(EXPORT, b"\0")) if kind == GLOBAL_KIND}
    hidden = [index for index in mutable_globals(bodies.get(GLOBAL, b"\0")) if index not in exported]
    if hidden:
        raise RuntimeError(f"mutable globals {hidden} are not exported: the snapshot cannot see whether they changed")


def global_values(exports: wasmtime.InstanceExports, store: wasmtime.Store) -> dict[str, object]:
    """The exported globals' values by name."""
    return {name: item.value(store) for name, item in exports.items() if isinstance(item, wasmtime.Global)}


def with_image(module: bytes, image: bytes) -> bytes:
    """The module with this memory in place of its own, and without what only the build uses."""
    out = bytearray(module[:8])
    for kind, body in sections(module):
        if kind == MEMORY:
            out += section(kind, b"\x01\x00" + leb(len(image) // PAGE))
        elif kind == EXPORT:
            out += section(kind, without_build_exports(body))
        elif kind not in {START, DATA_COUNT, DATA, CUSTOM}:
            out += section(kind, body)
    return bytes(out + section(DATA, data_segments(image)))


def section(kind: int, body: bytes) -> bytes:
    """One section."""
    return bytes([kind]) + leb(len(body)) + body


def without_build_exports(body: bytes) -> bytes:
    """The export section without those that only the build uses."""
    kept = [entry for _, _, name, entry in exports_of(body) if name not in BUILD_EXPORTS]
    return leb(len(kept)) + b"".join(kept)


def exports_of(body: bytes) -> list[tuple[int, int, str, bytes]]:
    """Each export's kind, index and name, and its bytes in the section."""
    count, at = read_leb(body, 0)
    found = []
    for _ in range(count):
        start = at
        length, at = read_leb(body, at)
        name, kind = body[at : at + length].decode(), body[at + length]
        index, at = read_leb(body, at + length + 1)
        found.append((kind, index, name, body[start:at]))
    return found


def data_segments(image: bytes) -> bytes:
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
    at = skip_zeros(image, 0)
    while at < len(image):
        end = image.find(zeros, at)
        end = len(image) if end < 0 else end
        runs.append((at, end))
        at = skip_zeros(image, end)
    return runs


def skip_zeros(image: bytes, at: int) -> int:
    """The first index from `at` whose byte is not zero."""
    chunk = bytes(4096)
    while image[at : at + 4096] == chunk:
        at += 4096
    while at < len(image) and image[at] == 0:
        at += 1
    return at
