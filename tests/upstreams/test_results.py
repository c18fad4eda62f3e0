from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.execution import wire
from toolcell.model.codes import CallCode
from toolcell.model.strict_json import depth_exceeds
from toolcell.upstreams.results import MAX_ERROR_TEXT, data_of, reply_of


def text(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": one} for one in texts]}


IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}
WRAP = {"type": "object", "properties": {"result": {"type": "array"}}, "required": ["result"]}


@pytest.mark.parametrize(
    ("result", "schema", "data"),
    [
        (text("plain words"), None, "plain words"),
        (text('{"name":"octocat"}'), None, {"name": "octocat"}),
        (text(" [1, 2]\n"), None, [1, 2]),
        (text("42"), None, 42),
        (text("-1.5e3"), None, -1500.0),
        (text("true"), None, True),
        (text("null"), None, None),
        (text('"quoted"'), None, "quoted"),
        (text(""), None, ""),
        (text("  "), None, "  "),
        (text("NaN"), None, "NaN"),
        (text("[NaN]"), None, "[NaN]"),
        (text("007"), None, "007"),
        (text("{'a': 1}"), None, "{'a': 1}"),
        (text("1234567890123456789"), None, "1234567890123456789"),
        (text("[" * 5000), None, "[" * 5000),
        (text('{"a":1}', "words", "[2]"), None, [{"a": 1}, "words", [2]]),
        ({"content": []}, None, None),
        ({}, None, None),
        ({"content": [IMAGE]}, None, IMAGE),
        ({"content": [{"type": "text", "text": "see"}, IMAGE]}, None, ["see", IMAGE]),
        ({**text("ignored"), "structuredContent": {"a": 1}}, None, {"a": 1}),
        ({**text("kept"), "structuredContent": None}, None, "kept"),
        ({"content": [], "structuredContent": [1]}, None, [1]),
        ({"content": [], "structuredContent": {"result": [1]}}, WRAP, [1]),
        ({"content": [], "structuredContent": {"result": [1]}}, None, {"result": [1]}),
        (
            {"content": [], "structuredContent": {"result": [1]}},
            {"properties": {"result": {}, "total": {}}},
            {"result": [1]},
        ),
        ({"content": [], "structuredContent": {"result": 1, "b": 2}}, WRAP, {"result": 1, "b": 2}),
        ({"content": [], "structuredContent": {"result": 5}}, {"x-fastmcp-wrap-result": True}, 5),
        ({"content": [], "structuredContent": {"result": 5}, "_meta": {"fastmcp": {"wrap_result": True}}}, None, 5),
    ],
)
def test_data_is_the_value_a_program_wants(result: dict[str, Any], schema: dict[str, Any] | None, data: object) -> None:
    assert data_of(result, schema) == data
    reply = reply_of(result, schema)
    assert reply.ok
    assert reply.result == result
    assert reply.data == data


def test_an_answer_that_says_it_failed_is_an_error_with_its_text_and_its_wire_form() -> None:
    result = {**text("no such user", "try again"), "isError": True}
    reply = reply_of(result, None)
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == (CallCode.TOOL_ERROR, "no such user\ntry again")
    assert reply.result == result
    assert reply.dispatched


def test_an_error_without_text_still_says_something_and_a_long_one_is_cut() -> None:
    silent = reply_of({"content": [IMAGE], "isError": True}, None)
    assert silent.error is not None
    assert silent.error.message == "The tool reported an error without saying which"
    long = reply_of({**text("x" * 100_000), "isError": True}, None)
    assert long.error is not None
    assert len(long.error.message) == MAX_ERROR_TEXT


def test_an_answer_over_the_cap_is_result_too_large_with_both_figures() -> None:
    reply = reply_of(text("x" * 2000), None, max_bytes=1024)
    assert reply.error is not None
    assert reply.error.code is CallCode.RESULT_TOO_LARGE
    assert reply.error.message == "The server's answer is 2039 bytes, and one call may return 1 KiB; ask for less"
    assert reply.result is None


@pytest.mark.parametrize("depth", [501, 2000, 50_000])
def test_an_answer_nested_too_deep_is_an_upstream_error(depth: int) -> None:
    nested: Any = None
    for _ in range(depth):
        nested = [nested]
    reply = reply_of({"content": [], "structuredContent": nested}, None)
    assert reply.error is not None
    assert reply.error.code is CallCode.UPSTREAM_ERROR


@pytest.mark.parametrize("content", [{}, "text", 5])
def test_content_that_is_no_array_is_an_upstream_error(content: object) -> None:
    reply = reply_of({"content": content}, None)
    assert reply.error is not None
    assert reply.error.code is CallCode.UPSTREAM_ERROR


def test_a_lone_surrogate_reaches_the_guest() -> None:
    assert wire.encode(reply_of(text("\ud800"), None)).startswith(b'{"ok":true')


def test_depth_is_counted_without_recursion() -> None:
    nested: Any = {}
    for _ in range(9):
        nested = {"a": nested}
    assert not depth_exceeds(nested, 10)
    assert depth_exceeds(nested, 9)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda c: st.lists(c) | st.dictionaries(st.text(), c),
)


@given(value=JSON)
def test_any_json_text_comes_back_as_its_value(value: object) -> None:
    assert data_of(text(json.dumps(value)), None) == value


@given(result=st.dictionaries(st.sampled_from(["content", "structuredContent", "isError", "_meta"]), JSON), schema=JSON)
def test_whatever_an_upstream_sends_is_one_envelope(result: dict[str, Any], schema: Any) -> None:
    reply = reply_of(result, schema if isinstance(schema, dict) else None)
    envelope = json.loads(wire.encode(reply))
    assert envelope["ok"] is reply.ok
