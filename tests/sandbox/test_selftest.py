"""An engine whose limits do not hold, or whose guest is another, refuses to start (hostile case H09)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
import wasmtime

from toolcell.sandbox import Cell, Engine, EngineConfig, EngineError, GuestError, abi, native, selftest
from toolcell.sandbox import engine as engine_module
from toolcell.sandbox.engine import GUEST

if TYPE_CHECKING:
    from pathlib import Path

SECTION_IMPORT, FUNCTION = 2, 0


def leb(value: int) -> bytes:
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def install(folder: Path, wasm: bytes, digest: str | None = None) -> Path:
    guest = folder / "cell.wasm"
    guest.write_bytes(wasm)
    guest.with_suffix(".sha256").write_text(digest or hashlib.sha256(wasm).hexdigest())
    return guest


SMALL = """(module
  (import "toolcell" "take" (func (param i32 i32)))
  (import "toolcell" "wait" (func))
  {extra}
  (memory (export "memory") 64)
  (data (i32.const 1024) "\\01")
  (global (export "{page}") i32 (i32.const 1024))
  (func (export "run")))"""


@pytest.mark.parametrize(
    "wat",
    [
        SMALL.format(extra='(import "wasi_snapshot_preview1" "fd_write" (func))', page="cell_page"),
        SMALL.format(extra='(import "toolcell" "open" (func))', page="cell_page"),
        SMALL.format(extra='(global (export "extra") i32 (i32.const 0))', page="cell_page"),
        SMALL.format(extra="", page="cell_memory"),
        "(module)",
    ],
    ids=["a WASI import", "an import of ours", "an export", "another page", "nothing"],
)
def test_a_guest_with_another_boundary_is_refused(tmp_path: Path, wat: str) -> None:
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(wat)))
    with pytest.raises(EngineError, match="imports and exports"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


@pytest.mark.parametrize("version", ["00", "02", "ff"])
def test_a_guest_of_another_version_of_the_abi_is_refused(tmp_path: Path, version: str) -> None:
    wat = SMALL.format(extra="", page="cell_page").replace('"\\01"', f'"\\{version}"')
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(wat)))
    with pytest.raises(
        EngineError, match=rf"version {int(version, 16)} of the ABI and the host {abi.VERSION}: reinstall"
    ):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_a_guest_whose_mailbox_leaves_its_memory_is_refused(tmp_path: Path) -> None:
    wat = SMALL.format(extra="", page="cell_page").replace("i32 (i32.const 1024)", "i32 (i32.const 4194000)")
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(wat)))
    with pytest.raises(EngineError, match="outside its memory"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_a_guest_that_traps_while_it_is_made_is_refused(tmp_path: Path) -> None:
    wat = SMALL.format(extra="", page="cell_page").replace(
        '(func (export "run"))', '(func (export "run")) (func $no unreachable) (start $no)'
    )
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(wat)))
    with pytest.raises(RuntimeError, match="trapped"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_a_guest_that_runs_no_program_fails_the_self_test(tmp_path: Path) -> None:
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(SMALL.format(extra="", page="cell_page"))))
    with pytest.raises(EngineError, match="self-test failed"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_a_guest_with_another_digest_is_refused_before_it_is_compiled(tmp_path: Path) -> None:
    guest = install(tmp_path, GUEST.read_bytes(), "0" * 64)
    with pytest.raises(GuestError, match="SHA-256"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_a_guest_with_one_byte_changed_is_refused(tmp_path: Path) -> None:
    wasm = bytearray(GUEST.read_bytes())
    wasm[len(wasm) // 2] ^= 1
    guest = install(tmp_path, bytes(wasm), hashlib.sha256(GUEST.read_bytes()).hexdigest())
    with pytest.raises(GuestError, match="SHA-256"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


@pytest.mark.parametrize("missing", [".wasm", ".sha256"])
def test_a_missing_guest_says_how_to_get_one(tmp_path: Path, missing: str) -> None:
    guest = install(tmp_path, b"\0asm")
    guest.with_suffix(missing).unlink()
    with pytest.raises(GuestError, match="not built"):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


@pytest.mark.parametrize("wasm", [b"", b"\0asm", b"not wasm at all", b"\0asm\1\0\0\0\xff\xff"])
def test_a_guest_that_is_no_module_is_refused_and_nothing_crashes(tmp_path: Path, wasm: bytes) -> None:
    guest = install(tmp_path, wasm)
    with pytest.raises((EngineError, RuntimeError)):
        Engine.load(EngineConfig(max_cells=2, guest=guest))


def test_no_message_of_a_refusal_names_a_path(tmp_path: Path) -> None:
    guest = install(tmp_path, GUEST.read_bytes(), "0" * 64)
    with pytest.raises(GuestError) as raised:
        Engine.load(EngineConfig(max_cells=2, guest=guest))
    assert str(tmp_path) not in str(raised.value)


# ---- limits that do not hold ----


def test_the_self_test_passes_on_the_real_engine(engine: Engine) -> None:
    selftest.prove(engine)
    assert engine.live_cells == 0


def test_a_missing_memory_limiter_is_found(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    unlimited = native.store_limiter

    def generous(store: int, _memory: int, *others: int) -> None:
        unlimited(store, 512 << 20, *others)

    monkeypatch.setattr(native, "store_limiter", generous)
    with pytest.raises(EngineError, match="memory growth"):
        selftest.prove(engine)
    assert engine.live_cells == 0


def test_slices_that_do_not_yield_are_found(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    real = native.set_fuel_slice
    monkeypatch.setattr(native, "set_fuel_slice", lambda context, _fuel: real(context, 0))
    with pytest.raises(EngineError, match="self-test failed"):
        selftest.prove(engine)
    assert engine.live_cells == 0


def test_fuel_that_is_not_counted_is_found(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cell, "fuel_used", 1 << 40)
    with pytest.raises(EngineError, match="fuel was not counted"):
        selftest.prove(engine)
    assert engine.live_cells == 0


@pytest.mark.parametrize("name", ["wasm_simmd", "fuel", "", "consume_fuel_set"])
def test_a_misspelt_switch_is_an_error_and_not_silence(name: str) -> None:
    with pytest.raises(AttributeError):
        native.config_switch(native.config_new(), name, value=True)
    with pytest.raises(AttributeError):
        native.config_number(native.config_new(), name, 1)
    with pytest.raises(AttributeError):
        native.pooling_number(native.pooling_new(), name, 1)


@pytest.mark.parametrize(
    ("feature", "wat"),
    [
        ("threads", "(module (memory 1 1 shared))"),
        ("memory64", "(module (memory i64 1))"),
        ("several memories", "(module (memory 1) (memory 1))"),
        ("SIMD", "(module (func (result v128) (v128.const i64x2 0 0)))"),
        ("exceptions", "(module (tag))"),
        ("GC", "(module (type (struct)))"),
        ("tail calls", "(module (func (return_call 0)))"),
        ("reference types", "(module (func (result externref) (ref.null extern)))"),
    ],
)
def test_a_feature_that_the_guest_does_not_need_is_off(tmp_path: Path, feature: str, wat: str) -> None:
    guest = install(tmp_path, bytes(wasmtime.wat2wasm(wat)))
    with pytest.raises(RuntimeError) as raised:
        Engine.load(EngineConfig(max_cells=2, guest=guest))
    assert "compile" in str(raised.value), feature


def test_every_switch_is_part_of_the_key_of_compiled_code() -> None:
    switches = [*engine_module._ON, *engine_module._OFF]  # noqa: SLF001  # no other way to list them
    assert [name for name in switches if f"'{name}'" not in engine_module.CONFIGURATION] == []


def test_the_stack_sizes_leave_room_for_the_host_s_own_frames() -> None:
    assert engine_module.WASM_STACK_BYTES < engine_module.STACK_BYTES
