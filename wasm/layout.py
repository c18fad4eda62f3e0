"""Which heap blocks of a snapshot small programs write to, found by running some and looking.

A program is run again and again with a little more fuel each time, and the memory is compared with the snapshot after
each: a reference count that goes up and down again is seen too. Deterministic, so two builds agree.
"""

from __future__ import annotations

import importlib.util
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

import wasmtime

if TYPE_CHECKING:
    from collections.abc import Callable

PLAN_ASK = 0  # the second argument of `take` at build time, see cell/memory.c
FUEL_STEP = 150
PAGE = 4096
GRANULE = 8

PROGRAMS = (
    "({a:1})",
    "1+1",
    "const xs = [3, 1, 2].map(x => x * 2); ({sum: xs.reduce((a, b) => a + b, 0), text: `n=${xs.length}`})",
    "let n = 0; for (const k of Object.keys(input)) n += input[k].length; return {n, at: JSON.stringify([n])}",
)
"""What programs do before they do anything special: literals, arrays, closures, loops, the input."""

_SPEC = importlib.util.spec_from_file_location(
    "toolcell_abi", Path(__file__).resolve().parent.parent / "src" / "toolcell" / "sandbox" / "abi.py"
)
if _SPEC is None or _SPEC.loader is None:
    raise ImportError("src/toolcell/sandbox/abi.py is missing: build from a whole source tree")
abi = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(abi)


def take_type() -> wasmtime.FuncType:
    """The type of `take`; a new one for each engine, which keeps it."""
    return wasmtime.FuncType([wasmtime.ValType.i32(), wasmtime.ValType.i32()], [])


def planner(hot: frozenset[int], blocks: list[int]) -> Callable[[wasmtime.Caller, int, int], None]:
    """The host's `take` of the build: says whether the next block is hot, and notes in `blocks` where it lies."""

    def take(caller: wasmtime.Caller, pointer: int, question: int) -> None:
        if question != PLAN_ASK:
            blocks.append(pointer)
        else:
            caller["memory"].write(caller, bytes([len(blocks) in hot]), pointer)

    return take


def hot_blocks(frozen: bytes, blocks: tuple[int, ...]) -> frozenset[int]:
    """The places, in order of making, of the blocks that a run of any of the programs writes to."""
    written: set[int] = set()
    cell = Rerun(frozen)
    for program in PROGRAMS:
        written |= cell.addresses_written(program)
    by_address = sorted((address, place) for place, address in enumerate(blocks))
    addresses = [address for address, _ in by_address]
    hot = set()
    for address in written:
        at = bisect_right(addresses, address) - 1
        if at >= 0:
            hot.add(by_address[at][1])
    return frozenset(hot)


class Rerun:
    """Runs a program from the snapshot, each time in a fresh instance and with more fuel."""

    def __init__(self, frozen: bytes) -> None:
        config = wasmtime.Config()
        config.consume_fuel = True
        self._engine = wasmtime.Engine(config)
        self._module = wasmtime.Module(self._engine, frozen)
        self._linker = wasmtime.Linker(self._engine)
        self._linker.define_unknown_imports_as_traps(self._module)

    def addresses_written(self, program: str) -> set[int]:
        """Every address, to a granule, whose content differed at some moment of the run."""
        written: set[int] = set()
        fuel, ended = FUEL_STEP, False
        while not ended:
            ended = self._run(program, fuel, written)
            fuel += FUEL_STEP
        return written

    def _run(self, program: str, fuel: int, written: set[int]) -> bool:
        store = wasmtime.Store(self._engine)
        store.set_fuel(fuel)
        exports = self._linker.instantiate(store, self._module).exports(store)
        memory = exports["memory"]
        memory.write(store, request(program), exports["cell_page"].value(store) + abi.HOST_OFFSET)
        before = bytes(memory.read(store, 0, memory.data_len(store)))
        try:
            exports["run"](store)
        except wasmtime.Trap as trap:
            if trap.trap_code is not wasmtime.TrapCode.OUT_OF_FUEL:
                raise
            ended = False
        else:
            ended = True
        after = bytes(memory.read(store, 0, memory.data_len(store)))
        written.update(differences(before, after))
        return ended


def request(program: str) -> bytes:
    """The host's part of the mailbox for a program, its input and a fixed seed."""
    source, given = program.encode(), b'{"a":"x","b":[1,2]}'
    limits = (64 << 20, 5 << 20, 8 << 20, 65536)
    header = abi.HOST_PART.pack(0, 0, len(source), len(given), *limits, 0, 0, 0, 0, 1e12, 1e12, bytes(range(32)))
    return bytes(header + source + b"\0" + given + b"\0")


def differences(before: bytes, after: bytes) -> set[int]:
    """The addresses, to a granule, at which two images of one memory differ."""
    found = set()
    for page in range(0, len(before), PAGE):
        old, new = before[page : page + PAGE], after[page : page + PAGE]
        if old != new:
            places = range(0, PAGE, GRANULE)
            found.update(page + at for at in places if old[at : at + GRANULE] != new[at : at + GRANULE])
    return found
