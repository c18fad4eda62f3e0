"""The engine: wasmtime configured once, the guest compiled once, and everything a new cell is made from.

One engine belongs to one thread. Mistakes in the configuration abort the process or are silent, so it is built here
alone, and ``Engine.load`` proves by running hostile programs that its limits hold, or refuses (``selftest``).
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from toolcell.model.limits import MIB
from toolcell.sandbox import abi, module_cache, native
from toolcell.sandbox.cell import Cell
from toolcell.sandbox.guest_memory import GuestFault, GuestMemory

if TYPE_CHECKING:
    from toolcell.sandbox.values import CellLimits, Program

_T = TypeVar("_T")

GUEST = Path(__file__).parent / "guest" / "cell.wasm"

STACK_BYTES = 16 * MIB
WASM_STACK_BYTES = 15 * MIB  # above the async stack's size wasmtime aborts the process

RESIDENT_BYTES = 512 * 1024
"""The memory of a fresh guest; a test compares it with the one that was built."""

RESIDENT_CELLS = 256
"""Up to so many cells an engine leaves a dropped cell's pages in place and copies the snapshot over them: no page fault
at all and a third less time, for up to ``RESIDENT_BYTES`` a cell. A larger engine gives the pages back."""

CELL_ADDRESSES = 4 * 1024 * MIB + 64 * MIB
"""Address space, not memory, that the pool reserves for a cell: all that 32 bits reach, the guard and the stack.

Measured: 4.05 GiB a cell, from 2 to 1001 of them.
"""

OTHER_ADDRESSES = 1024 * MIB
"""Address space for the rest of the process: the interpreter, the libraries and the threads that compile."""

_OFF = (
    "wasm_threads",
    "shared_memory",
    "wasm_tail_call",
    "wasm_reference_types",
    "wasm_function_references",
    "wasm_gc",
    "wasm_simd",
    "wasm_relaxed_simd",
    "wasm_multi_memory",
    "wasm_memory64",
    "wasm_exceptions",
    "wasm_component_model",
    "wasm_component_model_async",
    "wasm_component_model_more_async_builtins",
    "wasm_component_model_async_stackful",
    "wasm_component_model_map",
    "wasm_component_model_implements",
    "wasm_stack_switching",
    "wasm_custom_page_sizes",
    "wasm_wide_arithmetic",
    "memory_may_move",
)
_ON = ("consume_fuel", "wasm_bulk_memory", "wasm_multi_value", "memory_init_cow")

CONFIGURATION = f"on {_ON} off {_OFF} stacks {STACK_BYTES} {WASM_STACK_BYTES}"
"""What decides the compiled code besides the guest; part of the cache's key."""

_REINSTALL = "reinstall toolcell, or rebuild its guest from the same sources"


class EngineError(Exception):
    """The engine cannot be trusted to isolate programs, so none is run."""


class CellsExhausted(Exception):  # noqa: N818  # a state, not a fault
    """Every cell that this engine may hold at once is in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig:
    """How many cells may live at once, how large one may grow, and where compiled code is kept.

    ``cache_dir`` ``None`` compiles anew in each process.
    """

    max_cells: int = 64
    max_memory_bytes: int = 1024 * MIB
    cache_dir: Path | None = None
    guest: Path = GUEST


class Engine:
    """Makes cells. Lives as long as its process: host functions are registered once and never freed."""

    def __init__(self, config: EngineConfig) -> None:
        _require_addresses(config.max_cells + 1)
        self.config = config
        self.handle: int = native.engine_new(_configuration(config))
        self.mailbox = 0
        self.live_cells = 0
        self._running: Cell | None = None
        self._wait = native.AsyncHostFunction(self._on_wait)
        self._take = native.HostFunction(self._on_take)
        self._instance = native.Instance()
        self._instance_at = ctypes.addressof(self._instance)
        self._prepared = 0
        self._prepare(module_cache.load(self.handle, config.guest, config.cache_dir, CONFIGURATION))

    @classmethod
    def load(cls, config: EngineConfig | None = None) -> Self:
        """Return an engine whose limits have been seen to hold; raise ``EngineError`` otherwise."""
        from toolcell.sandbox import selftest  # noqa: PLC0415  # it runs cells, so it stands above this module

        engine = cls(config or EngineConfig())
        selftest.prove(engine)
        return engine

    def start(self, program: Program, limits: CellLimits) -> Cell:
        """Return a fresh cell that has not run yet; ``CellsExhausted`` when there is no room for it."""
        if self.live_cells >= self.config.max_cells:
            raise CellsExhausted(f"all {self.config.max_cells} cells are in use: try again when one has ended")
        most = self.config.max_memory_bytes
        if limits.memory_bytes > most:
            raise ValueError(f"memory_bytes is {limits.memory_bytes}; a cell of this engine has at most {most}")
        self.live_cells += 1
        try:
            return Cell(self, program, limits)
        except BaseException:
            self.closed()
            raise

    # ---- used by cells ----

    def poll(self, cell: Cell, future: int) -> bool:
        """Run the cell's future for one slice; true when it is done."""
        self._running = cell
        try:
            done: bool = native.future_poll(future)
        finally:
            self._running = None
        return done

    def closed(self) -> None:
        """Count one cell less."""
        self.live_cells -= 1

    def instantiate(self, context: int, failure: int, memory: int, run: int) -> None:
        """Make an instance and write the handles of its memory and of `run` (``wasmtime_extern_t``) to the addresses.

        ``failure`` is room for a trap and an error. Raises ``RuntimeError`` when there is no room for an instance.
        """
        future = native.instantiate(self._prepared, context, self._instance_at, failure, failure + 8)
        while not native.future_poll(future):
            pass
        native.future_delete(future)
        if ctypes.c_uint64.from_address(failure).value:
            native.trap_delete(ctypes.c_uint64.from_address(failure).value)
            raise RuntimeError("the guest trapped while an instance was made")
        native.check(ctypes.c_uint64.from_address(failure + 8).value, "to make an instance")
        native.export_get(context, self._instance_at, b"memory", 6, memory)
        native.export_get(context, self._instance_at, b"run", 3, run)

    # ---- host functions: called on a cell's own stack, so nothing may be raised out of them ----

    def _on_wait(self, *arguments: int) -> None:
        continuation = arguments[7]
        cell = self._running
        try:
            packed = cell.continuation() if cell is not None else native.FINISHED
        except BaseException as error:  # noqa: BLE001  # a signal's exception too
            packed = self._keep(error, native.FINISHED)
        ctypes.memmove(continuation, packed, len(packed))

    def _on_take(self, *arguments: int) -> int | None:
        cell = self._running
        try:
            pointer, length = native.i32_arguments(arguments[2], 2)
            if cell is not None:
                cell.take(pointer, length)
        except GuestFault:
            return native.new_trap()
        except BaseException as error:  # noqa: BLE001  # a signal's exception too
            return self._keep(error, native.new_trap())
        return None

    def _keep(self, error: BaseException, instead: _T) -> _T:
        """Leave what was raised on the cell, which raises it again outside of the guest."""
        if self._running is not None:
            self._running.broken_by = error
        return instead

    # ---- making it ----

    def _prepare(self, module: int) -> None:
        """Link the module that instances are made from, after checking its boundary."""
        names = native.import_names(module), native.export_names(module)
        if names != (abi.IMPORTS, abi.EXPORTS):
            found = ", ".join(["/".join(name) for name in names[0]] + list(names[1])) or "none"
            raise EngineError(f"the guest's imports and exports are not those of the ABI ({found}): {_REINSTALL}")
        linker = native.linker_new(self.handle)
        native.define_async(linker, abi.IMPORTS[1], self._wait)
        native.define(linker, abi.IMPORTS[0], self._take, parameters=2)
        prepared = ctypes.c_void_p()
        native.check(native.linker_instantiate_pre(linker, module, ctypes.byref(prepared)), "to link the guest")
        if prepared.value is None:
            raise EngineError(f"wasmtime linked nothing: {_REINSTALL}")
        self._prepared = prepared.value
        self.mailbox = self._find_mailbox()

    def _find_mailbox(self) -> int:
        """Return the mailbox's address in the guest, read from one throw-away instance, if it is one we can read."""
        store = native.store_new(self.handle, None, None)
        try:
            context = native.store_context(store)
            scratch = ctypes.create_string_buffer(3 * 32)
            at = ctypes.addressof(scratch)
            native.set_fuel(context, 1)
            native.set_fuel_slice(context, 1)
            self.instantiate(context, at, at + 32, at + 64)
            address = native.read_global(context, self._instance_at, b"cell_page")
            _check_mailbox(GuestMemory(context, at + 32 + 8, address), address)
            return address
        finally:
            native.store_delete(store)


def _check_mailbox(memory: GuestMemory, address: int) -> None:
    if address + abi.INBOX_OFFSET + abi.INBOX_BYTES > memory.size():
        raise EngineError(f"the guest's mailbox lies outside its memory: {_REINSTALL}")
    version = memory.cell_part()[abi.VERSION_FIELD]
    if version != abi.VERSION:
        raise EngineError(f"the guest speaks version {version} of the ABI and the host {abi.VERSION}: {_REINSTALL}")


def _require_addresses(cells: int) -> None:
    """Raise ``EngineError`` where wasmtime could not reserve the cells' addresses: it would abort the process."""
    try:
        import resource  # noqa: PLC0415  # not every system has it
    except ImportError:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    needed = cells * CELL_ADDRESSES + OTHER_ADDRESSES
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return
    raise EngineError(
        f"the address space of this process is limited to {limit // MIB} MiB, and an engine with max_cells={cells - 1}"
        f" reserves up to {needed // MIB} MiB of it, most of it never used: raise the limit"
        f" ('ulimit -v unlimited', LimitAS= in systemd){', or lower max_cells' if cells > 2 else ''}"  # noqa: PLR2004
    )


def _configuration(config: EngineConfig) -> int:
    handle: int = native.config_new()
    for name in _ON:
        native.config_switch(handle, name, value=True)
    for name in _OFF:
        native.config_switch(handle, name, value=False)
    native.config_number(handle, "async_stack_size", STACK_BYTES)
    native.config_number(handle, "max_wasm_stack", WASM_STACK_BYTES)
    pool: int = native.pooling_new()
    for name in ("total_memories", "total_core_instances", "total_stacks", "total_tables"):
        native.pooling_number(pool, name, config.max_cells + 1)
    native.pooling_number(pool, "max_memory_size", config.max_memory_bytes)
    native.pooling_number(pool, "table_elements", 8192)
    native.pooling_number(pool, "table_keep_resident", 65536)  # saves two page faults in every cell
    if config.max_cells <= RESIDENT_CELLS:
        native.pooling_number(pool, "linear_memory_keep_resident", RESIDENT_BYTES)
    native.pooling_set(handle, pool)
    native.pooling_delete(pool)
    return handle
