"""The snapshot is taken of a guest whose globals are as they were; else the build fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import wasmtime

if TYPE_CHECKING:
    from collections.abc import Callable

WAT = """(module
  (import "toolcell" "take" (func (param i32 i32)))
  (memory (export "memory") 1)
  (global $stack {stack} (mut i32) (i32.const 4096))
  (global (export "cell_page") i32 (i32.const 1024))
  (data (i32.const 8) "old")
  (func (export "init") (result i32) {init} i32.const {status})
  (func (export "run")))"""


def guest(init: str = "", *, stack: str = '(export "__stack_pointer")', status: int = 0) -> bytes:
    return bytes(wasmtime.wat2wasm(WAT.format(stack=stack, init=init, status=status)))


def test_what_init_wrote_is_in_the_memory_of_the_frozen_module(part: Callable[[str], Any]) -> None:
    snapshot = part("snapshot")
    module = guest("(i32.store (i32.const 65532) (i32.const 7))")
    image = snapshot.initialise(module, hot=frozenset()).image
    store = wasmtime.Store(wasmtime.Engine())
    frozen = wasmtime.Module(store.engine, snapshot.with_image(module, image))
    linker = wasmtime.Linker(store.engine)
    linker.define_unknown_imports_as_traps(frozen)
    memory = linker.instantiate(store, frozen).exports(store)["memory"]
    assert isinstance(memory, wasmtime.Memory)
    assert bytes(memory.read(store, 0, 65_536)) == image
    assert image[8:11] == b"old"
    assert image[65_532:] == b"\7\0\0\0"


def test_the_frozen_module_exports_nothing_that_only_the_build_uses(part: Callable[[str], Any]) -> None:
    frozen = wasmtime.Module(wasmtime.Engine(), part("snapshot").with_image(guest(), bytes(65_536)))
    assert [export.name for export in frozen.exports] == ["memory", "cell_page", "run"]


def test_a_stack_pointer_that_init_moves_fails_the_build(part: Callable[[str], Any]) -> None:
    module = guest("(global.set $stack (i32.const 4080))")
    with pytest.raises(RuntimeError, match="a global changed"):
        part("snapshot").initialise(module, hot=frozenset())


def test_a_stack_pointer_that_init_puts_back_is_fine(part: Callable[[str], Any]) -> None:
    module = guest("(global.set $stack (i32.const 0)) (global.set $stack (i32.const 4096))")
    assert len(part("snapshot").initialise(module, hot=frozenset()).image) == 65_536


def test_a_global_that_nobody_can_see_fails_the_build(part: Callable[[str], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"mutable globals \[0\] are not exported"):
        part("snapshot").initialise(guest(stack=""), hot=frozenset())


def test_an_init_that_fails_fails_the_build(part: Callable[[str], Any]) -> None:
    with pytest.raises(RuntimeError, match="status 3"):
        part("snapshot").initialise(guest(status=3), hot=frozenset())


@pytest.mark.parametrize(
    ("image", "runs"),
    [
        (b"", []),
        (bytes(10_000), []),
        (b"\1" + bytes(9_000) + b"\2", [(0, 1), (9_001, 9_002)]),
        (b"\1" + bytes(15) + b"\2" + bytes(16) + b"\3", [(0, 17), (33, 34)]),
    ],
)
def test_runs_cover_every_byte_that_is_not_zero(
    part: Callable[[str], Any], image: bytes, runs: list[tuple[int, int]]
) -> None:
    assert part("snapshot").nonzero_runs(image) == runs
