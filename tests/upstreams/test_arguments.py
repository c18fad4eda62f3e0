from __future__ import annotations

import signal
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.model.codes import CallCode
from toolcell.upstreams.arguments import ArgumentCheck
from toolcell.upstreams.replies import CallRefused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

WATCHDOG = 30
"""Seconds after which a check counts as hung; each should take milliseconds."""

ISSUE = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 1},
        "labels": {"type": "array", "items": {"type": "string"}},
        "priority": {"type": "integer", "minimum": 1, "maximum": 5},
    },
    "required": ["title"],
    "additionalProperties": False,
}


def refused(schema: dict[str, Any], args: dict[str, Any]) -> str:
    with pytest.raises(CallRefused) as raised:
        ArgumentCheck(schema).check("create_issue", args)
    assert raised.value.error.code is CallCode.INVALID_ARGS
    assert not raised.value.reply().dispatched
    return raised.value.error.message


@contextmanager
def no_hang() -> Iterator[None]:
    def hung(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError("the check hangs")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(WATCHDOG)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def test_arguments_that_fit_pass() -> None:
    ArgumentCheck(ISSUE).check("create_issue", {"title": "x", "labels": ["a"], "priority": 1})
    ArgumentCheck({}).check("anything", {"a": 1})


def test_a_misspelt_name_is_named_with_the_missing_one_and_all_there_are() -> None:
    assert refused(ISSUE, {"titel": "x"}) == (
        "'create_issue': argument 'title' is missing; argument 'titel' is unknown, did you mean 'title'?."
        " Its arguments are: 'title', 'labels?', 'priority?'"
    )


def test_a_misspelt_name_is_named_also_where_the_schema_allows_others() -> None:
    assert "argument 'titel' is unknown" in refused({**ISSUE, "additionalProperties": True}, {"titel": "x"})


def test_other_names_pass_where_the_schema_allows_them() -> None:
    ArgumentCheck({**ISSUE, "additionalProperties": True}).check("create_issue", {"title": "x", "more": 1})


@pytest.mark.parametrize(
    ("args", "part"),
    [
        ({"title": 5}, "title: 5 is not of type"),
        ({"title": "x", "labels": ["a", 2]}, "labels[1]: 2 is not of type"),
        ({"title": "x", "priority": 9}, "priority: 9 is greater than the maximum of 5"),
        ({"title": ""}, "title: "),
    ],
)
def test_a_wrong_value_is_named_by_its_path(args: dict[str, Any], part: str) -> None:
    assert part in refused(ISSUE, args)


def test_a_message_is_bounded_and_printable() -> None:
    message = refused(ISSUE, {"title": ["\x1b[31m" + "x" * 100_000]})
    assert len(message) < 1000
    assert message.isprintable()


def doubling(levels: int) -> dict[str, Any]:
    """A schema of some kilobytes whose expansion is 2 to the power of ``levels``."""
    steps: dict[str, Any] = {f"s{i}": {"anyOf": [{"$ref": f"#/$defs/s{i + 1}"}] * 2} for i in range(levels)}
    return {"$defs": {**steps, f"s{levels}": {"type": "null"}}, "$ref": "#/$defs/s0"}


TREE = {"anyOf": [{"properties": {"a": {"$ref": "#"}}, "required": ["a", "z"]}] * 2}
LIST = {"type": "object", "properties": {"next": {"$ref": "#"}, "value": {"type": "integer"}}}
HOSTILE: dict[str, dict[str, Any]] = {
    "a pattern that backtracks": {"properties": {"a": {"pattern": "^(a+)+$"}}},
    "a pattern with look-around": {"properties": {"a": {"pattern": "^(?=(a+)+$)"}}},
    "a pattern of a gigabyte": {"properties": {"a": {"pattern": "(((a{1000}){1000}){1000})"}}},
    "a doubling schema": doubling(60),
    "a schema that is itself": {"$ref": "#"},
    "a schema within itself": {"allOf": [{"$ref": "#"}]},
    "two schemas within each other": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"not": {"$ref": "#/$defs/a"}}},
    },
    "a tree that doubles at each level": TREE,
    "a dynamic reference": {"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}},
    "an unknown dialect": {"$schema": "http://127.0.0.1:9/schema"},
    "a wrong type": {"type": "strnig"},
    "a wrong keyword value": {"properties": 5, "required": "a"},
    "required names that are no text": {"required": [1, None]},
}


@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_schema_neither_hangs_nor_crashes_the_check(schema: dict[str, Any]) -> None:
    deep: Any = "a" * 50 + "!"
    for _ in range(400):
        deep = {"a": deep}
    with no_hang():
        check = ArgumentCheck(schema)
        for args in ({"a": "a" * 50_000 + "!"}, deep):
            with suppress(CallRefused):
                check.check("t", args)


def test_large_arguments_against_a_large_schema_are_left_to_the_server() -> None:
    schema = {"properties": {"a": {"items": {"allOf": [{"type": "integer"}] * 5000}}}}
    with no_hang():
        ArgumentCheck(schema).check("t", {"a": ["x"] * 100_000})


def test_a_recursive_schema_that_is_a_list_is_checked() -> None:
    assert ArgumentCheck(LIST).complete
    assert "next.next.value" in refused(LIST, {"next": {"next": {"value": "x"}}})


@pytest.mark.parametrize("reference", ["file:///etc/hostname", "/etc/hostname", "other.json", "#anchor"])
def test_a_reference_out_of_the_document_is_not_followed(reference: str) -> None:
    ArgumentCheck({"properties": {"a": {"$ref": reference}}}).check("t", {"a": 1})


def test_a_reference_to_a_url_makes_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as canary:
        url = f"http://127.0.0.1:{canary.getsockname()[1]}/schema.json"
        for schema in ({"$ref": url}, {"$schema": url}, {"$id": url, "$ref": "x"}, {"allOf": [{"$ref": url}]}):
            ArgumentCheck(schema).check("t", {"a": 1})
        canary.settimeout(0)
        with pytest.raises(BlockingIOError):
            canary.accept()


def test_where_a_pattern_cannot_be_used_the_rest_is_still_checked() -> None:
    schema = {
        "properties": {"pattern": {"type": "string", "pattern": "(?!x)"}, "n": {"type": "integer"}},
        "additionalProperties": False,
    }
    ArgumentCheck(schema).check("grep", {"pattern": "x", "n": 1})
    assert "n: 'x' is not of type" in refused(schema, {"n": "x"}).replace('"', "'")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)
)
SCHEMAS = st.dictionaries(
    st.sampled_from(["type", "properties", "required", "items", "$ref", "pattern", "anyOf", "enum"]), JSON
)


@given(schema=SCHEMAS, args=st.dictionaries(st.text(), JSON))
def test_whatever_the_schema_the_check_passes_or_refuses(schema: dict[str, Any], args: dict[str, Any]) -> None:
    with suppress(CallRefused):
        ArgumentCheck(schema).check("t", args)
