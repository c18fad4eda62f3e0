"""wasmtime's C API, as far as a cell needs it, bound with plain pointers.

The shared library is the one in the ``wasmtime`` wheel. It is loaded by path, because importing that package costs a
fifth of a second and its object layer ten times what a cell costs; prototypes here follow ``wasmtime.h`` of the
pinned version. Nothing above ``engine`` and ``cell`` uses this module.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from ctypes import c_bool, c_char_p, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

WASMTIME_VERSION = "50.0.1"


class ByteVec(ctypes.Structure):
    """``wasm_byte_vec_t``."""

    _fields_ = (("size", c_size_t), ("data", c_void_p))


class Extern(ctypes.Structure):
    """``wasmtime_extern_t``: a kind, then a union of which 24 bytes are read as they are."""

    _fields_ = (("kind", c_uint8), ("of", c_uint64 * 3))


class Instance(ctypes.Structure):
    """``wasmtime_instance_t``."""

    _fields_ = (("store_id", c_uint64), ("private", c_size_t))


HostFunction = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)
AsyncHostFunction = ctypes.CFUNCTYPE(
    None, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p
)


def library_path() -> Path:
    """Where the ``wasmtime`` distribution keeps its shared library for this machine."""
    spec = PathFinder.find_spec("wasmtime")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("the wasmtime package is not installed: install toolcell with its dependencies")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    name = "_libwasmtime.dylib" if sys.platform == "darwin" else "_libwasmtime.so"
    path = Path(next(iter(spec.submodule_search_locations))) / f"{sys.platform}-{machine}" / name
    if not path.exists():
        raise ImportError(f"wasmtime has no library for {sys.platform}-{machine}")
    return path


_dll = ctypes.CDLL(str(library_path()))


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:  # noqa: ANN401  (ctypes types)
    function = _dll[name]
    function.restype = result
    function.argtypes = arguments
    return function


# Engine and its configuration.
config_new = _bind("wasm_config_new", c_void_p)
engine_new = _bind("wasm_engine_new_with_config", c_void_p, c_void_p)
pooling_new = _bind("wasmtime_pooling_allocation_config_new", c_void_p)
pooling_delete = _bind("wasmtime_pooling_allocation_config_delete", None, c_void_p)
pooling_set = _bind("wasmtime_pooling_allocation_strategy_set", None, c_void_p, c_void_p)


def config_switch(config: int, name: str, *, value: bool) -> None:
    """Set a boolean of the configuration; an unknown name raises ``AttributeError`` and is never ignored."""
    _bind(f"wasmtime_config_{name}_set", None, c_void_p, c_bool)(config, value)


def config_number(config: int, name: str, value: int) -> None:
    """Set a number of the configuration."""
    _bind(f"wasmtime_config_{name}_set", None, c_void_p, c_uint64)(config, value)


def pooling_number(pool: int, name: str, value: int) -> None:
    """Set a number of the pooling allocator."""
    width = c_uint32 if name.startswith("total_") else c_size_t
    _bind(f"wasmtime_pooling_allocation_config_{name}_set", None, c_void_p, width)(pool, value)


# Modules.
module_new = _bind("wasmtime_module_new", c_void_p, c_void_p, c_char_p, c_size_t, ctypes.POINTER(c_void_p))
module_serialize = _bind("wasmtime_module_serialize", c_void_p, c_void_p, ctypes.POINTER(ByteVec))
module_deserialize_file = _bind(
    "wasmtime_module_deserialize_file", c_void_p, c_void_p, c_char_p, ctypes.POINTER(c_void_p)
)
module_imports = _bind("wasmtime_module_imports", None, c_void_p, ctypes.POINTER(ByteVec))
module_exports = _bind("wasmtime_module_exports", None, c_void_p, ctypes.POINTER(ByteVec))
importtype_module = _bind("wasm_importtype_module", ctypes.POINTER(ByteVec), c_void_p)
importtype_name = _bind("wasm_importtype_name", ctypes.POINTER(ByteVec), c_void_p)
exporttype_name = _bind("wasm_exporttype_name", ctypes.POINTER(ByteVec), c_void_p)
byte_vec_delete = _bind("wasm_byte_vec_delete", None, ctypes.POINTER(ByteVec))

# Host functions.
valtype_new = _bind("wasm_valtype_new", c_void_p, c_uint8)
valtype_vec_new = _bind("wasm_valtype_vec_new", None, ctypes.POINTER(ByteVec), c_size_t, c_void_p)
functype_new = _bind("wasm_functype_new", c_void_p, ctypes.POINTER(ByteVec), ctypes.POINTER(ByteVec))
linker_new = _bind("wasmtime_linker_new", c_void_p, c_void_p)
linker_define_func = _bind(
    "wasmtime_linker_define_func",
    c_void_p,
    c_void_p,
    c_char_p,
    c_size_t,
    c_char_p,
    c_size_t,
    c_void_p,
    HostFunction,
    c_void_p,
    c_void_p,
)
linker_define_async_func = _bind(
    "wasmtime_linker_define_async_func",
    c_void_p,
    c_void_p,
    c_char_p,
    c_size_t,
    c_char_p,
    c_size_t,
    c_void_p,
    AsyncHostFunction,
    c_void_p,
    c_void_p,
)
linker_instantiate_pre = _bind(
    "wasmtime_linker_instantiate_pre", c_void_p, c_void_p, c_void_p, ctypes.POINTER(c_void_p)
)

# Stores and instances: the hot path. Every pointer travels as a plain integer.
store_new = _bind("wasmtime_store_new", c_void_p, c_void_p, c_void_p, c_void_p)
store_context = _bind("wasmtime_store_context", c_void_p, c_void_p)
store_limiter = _bind("wasmtime_store_limiter", None, c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64)
store_delete = _bind("wasmtime_store_delete", None, c_void_p)
set_fuel = _bind("wasmtime_context_set_fuel", c_void_p, c_void_p, c_uint64)
get_fuel = _bind("wasmtime_context_get_fuel", c_void_p, c_void_p, c_void_p)
set_fuel_slice = _bind("wasmtime_context_fuel_async_yield_interval", c_void_p, c_void_p, c_uint64)
instantiate = _bind(
    "wasmtime_instance_pre_instantiate_async", c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p
)
export_get = _bind("wasmtime_instance_export_get", c_bool, c_void_p, c_void_p, c_char_p, c_size_t, c_void_p)
global_get = _bind("wasmtime_global_get", None, c_void_p, c_void_p, c_void_p)
memory_data = _bind("wasmtime_memory_data", c_void_p, c_void_p, c_void_p)
memory_data_size = _bind("wasmtime_memory_data_size", c_size_t, c_void_p, c_void_p)
call_async = _bind(
    "wasmtime_func_call_async",
    c_void_p,
    c_void_p,
    c_void_p,
    c_void_p,
    c_size_t,
    c_void_p,
    c_size_t,
    c_void_p,
    c_void_p,
)
future_poll = _bind("wasmtime_call_future_poll", c_bool, c_void_p)
future_delete = _bind("wasmtime_call_future_delete", None, c_void_p)

# Errors and traps.
error_message = _bind("wasmtime_error_message", None, c_void_p, ctypes.POINTER(ByteVec))
error_delete = _bind("wasmtime_error_delete", None, c_void_p)
trap_code = _bind("wasmtime_trap_code", c_bool, c_void_p, ctypes.POINTER(c_uint8))
trap_delete = _bind("wasm_trap_delete", None, c_void_p)

trap_new = _bind("wasmtime_trap_new", c_void_p, c_char_p, c_size_t)

strlen_address: int = ctypes.cast(ctypes.CDLL(None)["strlen"], c_void_p).value or 0
"""``strlen`` as a continuation callback: it reads 1 from the bytes ``01 00`` and 0 from ``00``, so a host that writes
one byte says "ready", and no Python runs while a suspended cell is polled."""


def take_bytes(vec: ByteVec) -> bytes:
    """Return the bytes of a vector and free it."""
    data = ctypes.string_at(vec.data, vec.size) if vec.size else b""
    byte_vec_delete(ctypes.byref(vec))
    return data


def check(error: int | None, doing: str) -> None:
    """Raise ``RuntimeError`` with wasmtime's message when a call returned an error."""
    if not error:
        return
    vec = ByteVec()
    error_message(error, ctypes.byref(vec))
    text = take_bytes(vec).decode(errors="replace")
    error_delete(error)
    raise RuntimeError(f"wasmtime failed {doing}: {text}")


def discard(trap: int, error: int) -> None:
    """Free a trap and an error; 0 is none."""
    if trap:
        trap_delete(trap)
    if error:
        error_delete(error)


CONTINUATION = struct.Struct("=3Q")
"""``wasmtime_async_continuation_t``: callback, env, finalizer."""

_ONE = ctypes.create_string_buffer(b"\x01")
FINISHED = CONTINUATION.pack(strlen_address, ctypes.addressof(_ONE), 0)
"""A continuation that is ready at once."""

_VALUE_BYTES, _VALUE_OFFSET = 32, 8  # sizeof(wasmtime_val_t), and where its number is


def i32_arguments(values: int, count: int) -> tuple[int, ...]:
    """Return the unsigned 32-bit arguments of a host function from its ``wasmtime_val_t`` array."""
    return tuple(c_uint32.from_address(values + index * _VALUE_BYTES + _VALUE_OFFSET).value for index in range(count))


def new_trap() -> int:
    """Return a trap that ends the guest."""
    text = b"host function refused"
    trap: int = trap_new(text, len(text))
    return trap


def _functype(parameters: int) -> int:
    taken, given = ByteVec(), ByteVec()
    types = (c_void_p * parameters)(*[valtype_new(0) for _ in range(parameters)])
    valtype_vec_new(ctypes.byref(taken), parameters, types)
    valtype_vec_new(ctypes.byref(given), 0, None)
    handle: int = functype_new(ctypes.byref(taken), ctypes.byref(given))
    return handle


def define(linker: int, name: tuple[str, str], function: Any, *, parameters: int) -> None:  # noqa: ANN401  (ctypes)
    """Give the linker a host function of that many i32 parameters and no result."""
    module, field = (part.encode() for part in name)
    kind = _functype(parameters)
    error = linker_define_func(linker, module, len(module), field, len(field), kind, function, None, None)
    check(error, f"to define {name}")


def define_async(linker: int, name: tuple[str, str], function: Any) -> None:  # noqa: ANN401  (ctypes)
    """Give the linker a host function without parameters that suspends its caller."""
    module, field = (part.encode() for part in name)
    kind = _functype(0)
    error = linker_define_async_func(linker, module, len(module), field, len(field), kind, function, None, None)
    check(error, f"to define {name}")


def _name(vec: Any) -> str:  # noqa: ANN401  (ctypes)
    return ctypes.string_at(vec.contents.data, vec.contents.size).decode()


def import_names(module: int) -> tuple[tuple[str, str], ...]:
    """Return the module and field name of every import, sorted."""
    vec = ByteVec()
    module_imports(module, ctypes.byref(vec))
    items = (c_void_p * vec.size).from_address(vec.data) if vec.size else ()
    return tuple(sorted((_name(importtype_module(item)), _name(importtype_name(item))) for item in items))


def export_names(module: int) -> tuple[str, ...]:
    """Return the name of every export, sorted."""
    vec = ByteVec()
    module_exports(module, ctypes.byref(vec))
    items = (c_void_p * vec.size).from_address(vec.data) if vec.size else ()
    return tuple(sorted(_name(exporttype_name(item)) for item in items))


def read_global(context: int, instance: int, name: bytes) -> int:
    """Return the value of an exported i32 global."""
    item, value = Extern(), ctypes.create_string_buffer(_VALUE_BYTES)
    if not export_get(context, instance, name, len(name), ctypes.byref(item)):
        raise RuntimeError(f"the guest has no global {name.decode()}")
    global_get(context, ctypes.byref(item.of), value)
    return int.from_bytes(value.raw[_VALUE_OFFSET : _VALUE_OFFSET + 4], "little")
