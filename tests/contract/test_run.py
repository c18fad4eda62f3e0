"""Spec section 2, sentence by sentence, on every surface with one body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.cases import ALL, Expected, Fails, Refused, Request, Value
from tests.contract.surfaces import on_cli

if TYPE_CHECKING:
    from tests.contract.surfaces import Reply, Surface

SURFACES = ("service", "cli")


CASES = [
    pytest.param(name, request, expected, id=f"{section}, {name}")
    for section, (request, expected) in ALL.items()
    for name in SURFACES
    if name != "cli" or on_cli(request)
]
"""Every case on every surface that can express it."""


def check(reply: Reply, expected: Expected) -> None:
    if isinstance(expected, Refused):
        assert reply.refusal is not None, reply.body
        assert expected.part in reply.refusal
        assert reply.code in {None, expected.code}
        return
    assert reply.refusal is None
    if isinstance(expected, Value):
        assert reply.body.get("error") is None
        assert reply.body["ok"] is True
        assert reply.body["value"] == expected.value
        return
    check_failure(reply.body, expected)


def check_failure(body: dict[str, Any], expected: Fails) -> None:
    assert body["ok"] is False, body
    error = body["error"]
    assert error["code"] == expected.code, error
    assert all(part in error["message"] for part in expected.parts), error
    assert expected.line is None or error["line"] == expected.line, error


@pytest.mark.parametrize(("surface", "request_", "expected"), CASES, indirect=["surface"])
def test_the_contract_holds(surface: Surface, request_: Request, expected: Expected) -> None:
    check(surface.run(request_), expected)


def test_a_success_has_the_fields_of_the_spec_and_no_other(surface: Surface) -> None:
    body = surface.run({"code": "1"}).body
    assert list(body) == ["ok", "value", "execution_id", "stats"]
    assert set(body["stats"]) == {"wall_ms", "queue_ms", "fuel", "peak_memory_bytes", "tool_calls"}


def test_a_failure_has_the_fields_of_the_spec_and_keeps_its_log(surface: Surface) -> None:
    body = surface.run({"code": "console.log('before');\nthrow new Error('x')"}).body
    assert list(body) == ["ok", "error", "execution_id", "logs", "calls", "stats"]
    assert body["logs"] == ["before"]
    assert body["calls"] == []
    assert body["error"]["line"] == 2


def test_a_stack_is_in_frames_of_the_callers_text_and_names_no_path(surface: Surface) -> None:
    stack = surface.run({"code": "function f() {\n  null.x\n}\nf()"}).body["error"]["stack"]
    assert "<eval>:2:" in stack
    assert "<eval>:4:" in stack
    assert "/" not in stack.replace("</", "")


def test_a_log_is_cut_at_64_kib_and_says_so(surface: Surface) -> None:
    body = surface.run({"code": "for (let i = 0; i < 5000; i++) console.log('x'.repeat(50)); 1"}).body
    assert body["value"] == 1
    assert sum(len(line) for line in body["logs"]) < 70_000
    assert "truncated" in body["logs"][-1]


def test_nothing_of_one_run_is_visible_to_the_next(surface: Surface) -> None:
    surface.run({"code": "globalThis.left = 1; Array.prototype.left = 1; 1"})
    assert surface.run({"code": "[typeof left, [].left === undefined]"}).body["value"] == ["undefined", True]


def test_every_run_has_its_own_randomness(surface: Surface) -> None:
    program = {"code": "[Math.random(), crypto.randomUUID()]"}
    first, second = surface.run(program).body["value"], surface.run(program).body["value"]
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_every_run_has_its_own_id(surface: Surface) -> None:
    assert surface.run({"code": "1"}).body["execution_id"] != surface.run({"code": "1"}).body["execution_id"]


@pytest.mark.parametrize("program", ["for(;;);", "throw 1", "const a=[]; for(;;) a.push([a])", "f(", "()=>1"])
def test_after_any_failure_the_next_run_is_unaffected(surface: Surface, program: str) -> None:
    surface.run({"code": program, "options": {"timeout_ms": 300}})
    assert surface.run({"code": "1 + 1"}).body["value"] == 2
