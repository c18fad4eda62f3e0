from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolcell.model.calls import CallError, CallRecord, ToolReply
from toolcell.model.codes import CallCode, RunCode
from toolcell.model.outcome import LogEntry, Outcome, RunError, RunStats

STATS = RunStats(wall_ms=1.23456, queue_ms=0.0, fuel=7, peak_memory_bytes=9, tool_calls=1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALAR = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(
    SCALAR,
    lambda children: st.lists(children) | st.dictionaries(TEXT, children),
    max_leaves=20,
)


def test_a_success_has_the_keys_of_the_spec_in_their_order() -> None:
    outcome = Outcome(execution_id="x", stats=STATS, value_json=b"null")
    assert list(outcome.to_dict()) == ["ok", "value", "execution_id", "stats"]
    assert outcome.to_dict()["value"] is None


def test_a_failure_lists_its_calls_even_when_there_were_none() -> None:
    outcome = Outcome(execution_id="x", stats=STATS, error=RunError(code=RunCode.TIMEOUT, message="late"))
    body = outcome.to_dict()
    assert list(body) == ["ok", "error", "execution_id", "calls", "stats"]
    assert body["error"] == {"code": "TIMEOUT", "message": "late", "stack": ""}
    assert body["calls"] == []


def test_a_failure_says_which_calls_committed_and_where_it_happened() -> None:
    body = Outcome(
        execution_id="x",
        stats=STATS,
        error=RunError(code=RunCode.RUNTIME_ERROR, message="m", stack="s", line=3, column=7),
        calls=(CallRecord(server="github", tool="create_issue", ok=True),),
    ).to_dict()
    assert body["error"] == {"code": "RUNTIME_ERROR", "message": "m", "stack": "s", "line": 3, "column": 7}
    assert body["calls"] == [{"server": "github", "tool": "create_issue", "ok": True}]


def test_logs_appear_only_when_there_are_some() -> None:
    entry = LogEntry(level="warn", message="careful")
    body = Outcome(execution_id="x", stats=STATS, value_json=b"1", logs=(entry,)).to_dict()
    assert list(body) == ["ok", "value", "execution_id", "logs", "stats"]
    assert body["logs"] == ["careful"]


def test_stats_carry_every_figure_of_the_spec_with_times_to_the_microsecond() -> None:
    assert STATS.to_dict() == {
        "wall_ms": 1.235,
        "queue_ms": 0.0,
        "fuel": 7,
        "peak_memory_bytes": 9,
        "tool_calls": 1,
    }


@given(value=JSON, logs=st.lists(st.builds(LogEntry, level=TEXT, message=TEXT)))
def test_the_json_form_equals_the_plain_form_for_any_value(value: object, logs: list[LogEntry]) -> None:
    outcome = Outcome(execution_id="x", stats=STATS, value_json=json.dumps(value).encode(), logs=tuple(logs))
    assert json.loads(outcome.to_json()) == outcome.to_dict()


def test_the_values_own_json_text_is_passed_on_byte_for_byte() -> None:
    text = b'{"n":1e21,"m":-0.5,"s":"\xc3\xa9"}'
    assert text in Outcome(execution_id="x", stats=STATS, value_json=text).to_json()


def test_a_lone_surrogate_in_a_message_becomes_the_replacement_character() -> None:
    error = RunError(code=RunCode.RUNTIME_ERROR, message="a\ud800b")
    body: dict[str, Any] = json.loads(Outcome(execution_id="x", stats=STATS, error=error).to_json())
    assert body["error"]["message"] == "a\ufffdb"


def test_an_envelope_of_a_failed_call_shows_the_optional_fields_it_has() -> None:
    plain = ToolReply(error=CallError(code=CallCode.TOOL_ERROR, message="m"), result={"isError": True})
    assert plain.to_dict() == {
        "ok": False,
        "error": {"code": "TOOL_ERROR", "message": "m", "retryable": False},
        "result": {"isError": True},
    }
    busy = CallError(
        code=CallCode.QUEUE_FULL, message="m", retryable=True, retry_after_ms=5, suggestions=("a", "b")
    ).to_dict()
    assert busy["retry_after_ms"] == 5
    assert busy["suggestions"] == ["a", "b"]


def test_an_envelope_of_a_call_that_worked_has_result_and_data() -> None:
    assert ToolReply(result={"content": []}, data=None).to_dict() == {
        "ok": True,
        "result": {"content": []},
        "data": None,
    }
