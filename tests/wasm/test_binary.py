from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import wasmtime
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

GLOBAL = 6
ANY_NUMBER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ANY_NUMBER
@given(value=st.integers(0, 2**64))
def test_an_unsigned_number_is_read_as_it_was_written(part: Callable[[str], Any], value: int) -> None:
    binary = part("binary")
    written = binary.leb(value)
    assert binary.read_leb(b"\xff" + written + b"\x01", 1) == (value, 1 + len(written))


@pytest.mark.parametrize(
    ("value", "written"), [(0, b"\0"), (63, b"\x3f"), (64, b"\xc0\0"), (127, b"\xff\0"), (1 << 20, b"\x80\x80\xc0\0")]
)
def test_a_signed_number_keeps_a_bit_for_its_sign(part: Callable[[str], Any], value: int, written: bytes) -> None:
    assert part("binary").signed_leb(value) == written


def test_sections_are_found_in_their_order(part: Callable[[str], Any]) -> None:
    binary = part("binary")
    module = bytes(wasmtime.wat2wasm('(module (memory 1) (func (export "f")) (data (i32.const 0) "x"))'))
    found = binary.sections(module)
    assert [kind for kind, _ in found] == [1, 3, 5, 7, 10, 11]
    again = b"".join(bytes([kind]) + binary.leb(len(body)) + body for kind, body in found)
    assert module[:8] + again == module


@pytest.mark.parametrize(
    ("globals_", "mutable"),
    [
        ("(global i32 (i32.const 1024))", []),
        ("(global (mut i32) (i32.const -1))", [0]),
        ("(global i64 (i64.const -9)) (global (mut f32) (f32.const 1)) (global (mut f64) (f64.const 2))", [1, 2]),
        ("(global $a i32 (i32.const 5)) (global (mut i32) (global.get $a))", [1]),
    ],
)
def test_globals_that_may_change_are_told_from_those_that_may_not(
    part: Callable[[str], Any], globals_: str, mutable: list[int]
) -> None:
    binary = part("binary")
    body = dict(binary.sections(bytes(wasmtime.wat2wasm(f"(module {globals_})"))))[GLOBAL]
    assert binary.mutable_globals(body) == mutable


def test_a_global_that_cannot_be_read_is_an_error(part: Callable[[str], Any]) -> None:
    binary = part("binary")
    module = bytes(wasmtime.wat2wasm("(module (global i32 (i32.add (i32.const 1) (i32.const 2))))"))
    with pytest.raises(ValueError, match="more than one constant"):
        binary.mutable_globals(dict(binary.sections(module))[GLOBAL])
