"""Attacks on the texts that native code writes, and on what it remembers of a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolcell.model.codes import RunCode

if TYPE_CHECKING:
    from tests.sandbox.driver import RunProgram

WORDS = "Server 'x' is not in the allowed servers list"
REFUSED = {"ok": False, "error": {"code": "SERVER_NOT_ALLOWED", "message": WORDS}}


def nested(levels: int, key: str, leaf: str) -> str:
    return "".join(f"{{{key!r}: " for _ in range(levels)) + leaf + "}" * levels


@pytest.mark.parametrize("levels", [1, 6, 12, 13, 14, 30, 100, 200])
@pytest.mark.parametrize("width", [1, 63, 72, 500])
@pytest.mark.parametrize("letter", ["k", "é", "😀"])
def test_a_path_of_any_shape_names_the_reason(run: RunProgram, levels: int, width: int, letter: str) -> None:
    error = run(f"({nested(levels, letter * width + '-', '1n')})").failure
    assert error.code is RunCode.SERIALIZATION_ERROR
    assert "is a BigInt" in error.message
    assert len(error.message) < 700
    assert "�" not in error.message


@pytest.mark.parametrize("levels", [13, 30, 100])
def test_a_long_path_in_arguments_is_an_envelope(run: RunProgram, levels: int) -> None:
    value = run(f"call_tool('s', 't', {nested(levels, 'k' * 72 + '-', '() => 1')})").value
    assert value["error"]["code"] == "INVALID_ARGS"
    assert "is a function" in value["error"]["message"]


@pytest.mark.parametrize(
    "change",
    [
        "r.error.code = {}; r.error.message = [1, 2, 3]",
        "r.error.code = 1e300",
        "delete r.error.code; delete r.error.message",
        "r.error.code = 'RUNTIME_ERROR'; r.error.message = 'forged'",
        "r.error.message = 'x'.repeat(1e6)",
        "Object.setPrototypeOf(r.error, new Proxy({}, {}))",
    ],
)
def test_what_a_program_does_to_a_refusal_does_not_change_the_verdict(run: RunProgram, change: str) -> None:
    error = run(f"const r = call_tool('x', 'y'); {change}; r", answers=lambda _request: REFUSED).failure
    assert error.code is RunCode.SERVER_NOT_ALLOWED
    assert error.message == WORDS


def test_ten_thousand_unseen_refusals_end_as_one(run: RunProgram) -> None:
    source = "for (let i = 0; i < 10000; i++) call_tool('x', 'y'); 1"
    assert run(source, answers=lambda _request: REFUSED).failure.code is RunCode.SERVER_NOT_ALLOWED


@pytest.mark.parametrize("links", [100, 200, 300, 480, 600, 5000])
def test_a_chain_of_to_json_is_a_value_or_one_error(run: RunProgram, links: int) -> None:
    source = f"let n = 0; const make = () => ({{ toJSON() {{ return n++ < {links} ? make() : 1 }} }}); make()"
    result = run(source)
    if result.error is None:
        assert result.value == 1
    else:
        assert result.error.code is RunCode.SERIALIZATION_ERROR


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        ("{ code: NaN, x: 1 }", '{"code":null,"x":1}'),
        ("{ code: 10n, x: 1 }", '{"x":1}'),
        ("{ code: Symbol('s'), x: 1 }", '{"x":1}'),
        ("{ code: undefined }", "{}"),
        ("{ x: new Proxy({}, { get() { for (;;); } }), y: 1 }", '{"y":1}'),
    ],
)
def test_a_thrown_object_is_shown_as_whole_json(run: RunProgram, thrown: str, message: str) -> None:
    assert run(f"throw {thrown}", max_slices=20).failure.message == f"Uncaught {message}"


def test_a_default_export_may_have_any_name(run: RunProgram) -> None:
    assert run("export default function café() { return 5 }").value == 5


def test_a_range_error_that_is_not_about_depth_says_what_it_is(run: RunProgram) -> None:
    error = run("1" * 250_000 + "n").failure
    assert "nested" not in error.message


def test_a_batch_that_is_too_large_says_so_of_the_batch(run: RunProgram) -> None:
    source = "call_tools(Array.from({length: 3}, () => ({server: 's', tool: 't', args: {x: 'y'.repeat(3e6)}})))"
    message = run(source).value["error"]["message"]
    assert message.startswith("call_tools: element 2: with it the batch is")
