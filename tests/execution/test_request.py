from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.test_outcome import JSON, TEXT
from toolcell.execution.request import FIELDS, OPTIONS, parse_request
from toolcell.model.codes import RefusalCode
from toolcell.model.refusal import Refusal
from toolcell.model.request import ExecutionRequest, Language


def refused(raw: object) -> Refusal:
    with pytest.raises(Refusal) as raised:
        parse_request(raw)
    return raised.value


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth - 1):
        value = {"a": value}
    return value


def test_a_request_with_nothing_but_code_leaves_the_rest_unsaid() -> None:
    assert parse_request({"code": "1"}) == ExecutionRequest(code="1")


def test_every_field_is_taken_over() -> None:
    raw = {
        "code": "1",
        "language": "typescript",
        "input": {"a": [1, None, "é"]},
        "options": {"timeout_ms": 5, "max_tool_calls": 0, "allowed_servers": ["github"]},
    }
    assert parse_request(raw) == ExecutionRequest(
        code="1",
        language=Language.TYPESCRIPT,
        input_json='{"a":[1,null,"é"]}'.encode(),
        timeout_ms=5,
        max_tool_calls=0,
        allowed_servers=("github",),
    )


def test_a_stored_script_is_named_instead_of_code() -> None:
    assert parse_request({"script": "fetch-prs"}) == ExecutionRequest(script="fetch-prs")


INVALID_REQUESTS: dict[str, tuple[object, str]] = {
    "not an object": ([], "The request must be a JSON object, not an array"),
    "null": (None, "The request must be a JSON object, not null"),
    "neither source": ({}, "exactly one of 'code'"),
    "both sources": ({"code": "1", "script": "s"}, "exactly one of 'code'"),
    "empty code": ({"code": ""}, "code must be a non-empty string"),
    "code is a number": ({"code": 1}, "code must be a non-empty string, not a number"),
    "code is null": ({"code": None}, "code must be a non-empty string, not null"),
    "empty script": ({"script": ""}, "script must be a non-empty string"),
    "unknown field": ({"code": "1", "inputs": {}}, "'inputs' is not a known field; did you mean 'input'?"),
    "wrong case": ({"Code": "1"}, "'Code' is not a known field; did you mean 'code'?"),
    "an option outside options": ({"code": "1", "timeout_ms": 5}, "'timeout_ms' is not a field of the request; it"),
    "code too long": ({"code": "x" * 262_145}, "code is 262145 bytes; the limit is 256 KiB"),
    "code too long in bytes": ({"code": "é" * 131_073}, "code is 262146 bytes; the limit is 256 KiB"),
    "code with half a pair": ({"code": "a\ud800"}, "code has half of a surrogate pair at character 2"),
    "input is an array": ({"code": "1", "input": []}, "input must be a JSON object, not an array"),
    "input is null": ({"code": "1", "input": None}, "input must be a JSON object, not null"),
    "NaN in input": ({"code": "1", "input": {"a": [1, float("nan")]}}, "input.a[1] is not a finite number"),
    "infinity in input": ({"code": "1", "input": {"a b": float("inf")}}, "input['a b'] is not a finite number"),
    "an integer no double holds": ({"code": "1", "input": {"a": 10**400}}, "input.a is not a finite number"),
    "input too deep": ({"code": "1", "input": nested(501)}, "input is nested more than 500 levels deep"),
    "input far too deep": ({"code": "1", "input": nested(100_000)}, "input is nested more than 500 levels deep"),
    "input too large": ({"code": "1", "input": {"a": "x" * 8_388_608}}, "the limit is 8 MiB"),
    "bytes in input": ({"code": "1", "input": {"a": b"x"}}, "input.a is not a JSON value"),
}


@pytest.mark.parametrize(("raw", "message"), INVALID_REQUESTS.values(), ids=INVALID_REQUESTS)
def test_a_request_that_breaks_a_rule_is_refused_naming_field_and_limit(raw: object, message: str) -> None:
    refusal = refused(raw)
    assert refusal.code is RefusalCode.INVALID_REQUEST
    assert message in refusal.message


INVALID_OPTIONS: dict[str, tuple[object, str]] = {
    "options is an array": ([], "options must be an object, not an array"),
    "options is null": (None, "options must be an object, not null"),
    "unknown option": ({"timeout": 5}, "'options.timeout' is not a known field; did you mean 'options.timeout_ms'?"),
    "timeout 0": ({"timeout_ms": 0}, "options.timeout_ms must be an integer from 1 to 600000, not 0"),
    "timeout negative": ({"timeout_ms": -1}, "from 1 to 600000, not -1"),
    "timeout over": ({"timeout_ms": 600_001}, "from 1 to 600000, not 600001"),
    "timeout fraction": ({"timeout_ms": 1.5}, "from 1 to 600000, not 1.5"),
    "timeout NaN": ({"timeout_ms": float("nan")}, "from 1 to 600000, not nan"),
    "timeout boolean": ({"timeout_ms": True}, "from 1 to 600000, not a boolean"),
    "timeout string": ({"timeout_ms": "5"}, "from 1 to 600000, not a string"),
    "timeout null": ({"timeout_ms": None}, "from 1 to 600000, not null"),
    "calls negative": ({"max_tool_calls": -1}, "options.max_tool_calls must be an integer of at least 0, not -1"),
    "calls infinite": ({"max_tool_calls": float("inf")}, "of at least 0, not inf"),
    "calls boolean": ({"max_tool_calls": False}, "of at least 0, not a boolean"),
    "servers string": ({"allowed_servers": "github"}, "options.allowed_servers must be an array of server names"),
    "servers of numbers": ({"allowed_servers": ["a", 1]}, "options.allowed_servers[1] must be a string, not a number"),
}


@pytest.mark.parametrize(("options", "message"), INVALID_OPTIONS.values(), ids=INVALID_OPTIONS)
def test_an_option_that_breaks_a_rule_is_refused_naming_it_and_its_range(options: object, message: str) -> None:
    refusal = refused({"code": "1", "options": options})
    assert refusal.code is RefusalCode.INVALID_OPTIONS
    assert message in refusal.message
    assert refusal.field is not None
    assert refusal.field.startswith("options")


@pytest.mark.parametrize("language", ["JavaScript", "python", "", 1, None, ["javascript"], {}])
def test_another_language_is_refused(language: object) -> None:
    refusal = refused({"code": "1", "language": language})
    assert refusal.code is RefusalCode.INVALID_LANGUAGE
    assert refusal.message.startswith("language must be 'javascript' or 'typescript', not ")


def test_the_longest_source_the_deepest_input_and_the_ends_of_ranges_are_taken() -> None:
    assert parse_request({"code": "x" * 262_144}).code is not None
    assert parse_request({"code": "1", "input": nested(500)}).input_json.count(b"{") == 500
    for timeout in (1, 600_000, 5.0):
        assert parse_request({"code": "1", "options": {"timeout_ms": timeout}}).timeout_ms == timeout


def test_a_lone_surrogate_in_input_travels_as_an_escape() -> None:
    assert parse_request({"code": "1", "input": {"a": "\ud800"}}).input_json == b'{"a":"\\ud800"}'


@given(value=st.dictionaries(TEXT, JSON))
def test_input_arrives_as_the_json_it_was(value: dict[str, Any]) -> None:
    assert json.loads(parse_request({"code": "1", "input": value}).input_json) == value


@given(
    raw=st.dictionaries(
        st.sampled_from([*FIELDS, *OPTIONS, "extra"]),
        JSON | st.dictionaries(st.sampled_from([*OPTIONS, "extra"]), JSON | st.floats()) | st.floats(),
    )
)
def test_any_object_is_a_request_or_one_refusal(raw: dict[str, Any]) -> None:
    try:
        request = parse_request(raw)
    except Refusal:
        return
    assert (request.code is None) != (request.script is None)
    assert request.timeout_ms is None or 1 <= request.timeout_ms <= 600_000
