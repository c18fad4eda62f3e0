"""The gate, batches and the desk together, since a program meets them only so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.fake_upstreams import FakeUpstreams
from toolcell.execution import wire
from toolcell.execution.desk import Desk
from toolcell.execution.gate import Gate
from toolcell.execution.ports import NoUpstreams
from toolcell.model.calls import CallRecord
from toolcell.model.limits import MAX_CALL_CONTAINERS, RunLimits
from toolcell.model.request import Caller


class Counter:
    """A desk with its gate, and every answer it gave."""

    def __init__(
        self,
        upstreams: FakeUpstreams | NoUpstreams,
        *,
        max_tool_calls: int = 0,
        allowed: frozenset[str] | None = None,
        max_parallel: int = 8,
    ) -> None:
        limits = RunLimits(
            timeout_ms=1000,
            max_tool_calls=max_tool_calls,
            allowed_servers=allowed,
            max_parallel=max_parallel,
            memory_bytes=1,
            max_result_bytes=1,
        )
        self.gate = Gate(limits=limits, caller=Caller(), upstreams=upstreams)
        self.desk = Desk(gate=self.gate, max_parallel=max_parallel)
        self.answers: list[Any] = []

    def call(self, server: str, tool: str = "t", args: dict[str, Any] | None = None) -> None:
        self.send("call", {"server": server, "tool": tool, "args": args or {}})

    def calls(self, *servers: str, max_parallel: int | None = None) -> None:
        requests = [{"server": s, "tool": "t", "args": {"echo": i}} for i, s in enumerate(servers)]
        self.send("calls", {"requests": requests, "max_parallel": max_parallel})

    def send(self, op: str, body: object) -> None:
        self.desk.receive(op, json.dumps(body).encode(), lambda text: self.answers.append(json.loads(text)))

    def codes(self) -> list[str]:
        return [envelope["error"]["code"] if "error" in envelope else "ok" for envelope in self.answers]


def test_a_call_to_a_known_server_is_sent_once_and_its_reply_comes_back() -> None:
    upstreams = FakeUpstreams(immediate=True)
    counter = Counter(upstreams)
    counter.call("github", args={"echo": [1]})
    assert counter.answers == [{"ok": True, "result": {"content": []}, "data": [1]}]
    assert counter.gate.answered == (CallRecord(server="github", tool="t", ok=True),)


def test_without_upstreams_every_server_is_not_found() -> None:
    counter = Counter(NoUpstreams())
    counter.call("github")
    assert counter.answers == [
        {
            "ok": False,
            "error": {
                "code": "SERVER_NOT_FOUND",
                "message": "Server 'github' not found: no upstream servers are configured",
                "retryable": False,
            },
        }
    ]
    assert counter.gate.spent == 0


def test_the_budget_is_checked_before_the_allow_list_and_that_before_the_server() -> None:
    counter = Counter(FakeUpstreams(immediate=True), max_tool_calls=1, allowed=frozenset({"github", "gone"}))
    counter.call("gitlab")
    counter.call("gone")
    counter.call("github")
    counter.call("gitlab")
    assert counter.codes() == ["SERVER_NOT_ALLOWED", "SERVER_NOT_FOUND", "ok", "MAX_TOOL_CALLS_EXCEEDED"]
    assert counter.answers[0]["error"]["message"] == "Server 'gitlab' is not in the allowed servers list"
    assert counter.answers[3]["error"]["message"] == "Exceeded maximum tool calls limit (1)"


def test_a_refused_call_costs_no_budget() -> None:
    counter = Counter(FakeUpstreams(immediate=True), max_tool_calls=1)
    for _ in range(10):
        counter.call("unknown")
    counter.call("github")
    assert counter.codes() == ["SERVER_NOT_FOUND"] * 10 + ["ok"]


@pytest.mark.parametrize(
    "name", ["GitHub", "github ", "github\u0000", "\uff47ithub", "github/../gitlab", "githubx", "git", "__proto__"]
)
def test_names_are_compared_exactly(name: str) -> None:
    upstreams = FakeUpstreams(immediate=True)
    counter = Counter(upstreams, allowed=frozenset({"github"}))
    counter.call(name)
    assert counter.codes() == ["SERVER_NOT_ALLOWED"]
    assert upstreams.sent == []


def test_a_batch_answers_once_with_its_slots_in_input_order() -> None:
    upstreams = FakeUpstreams()
    counter = Counter(upstreams)
    counter.calls("github", "nope", "github")
    upstreams.sent[1].reply("second")
    assert counter.answers == []
    upstreams.sent[0].reply("first")
    slots = counter.answers[0]
    assert [slot.get("data") for slot in slots] == ["first", None, "second"]
    assert slots[1]["error"]["code"] == "SERVER_NOT_FOUND"


def test_a_batch_never_has_more_calls_out_than_its_bound() -> None:
    upstreams = FakeUpstreams()
    counter = Counter(upstreams, max_parallel=8)
    counter.calls(*["github"] * 10, max_parallel=3)
    assert len(upstreams.sent) == 3
    for index in range(10):
        assert len(upstreams.sent) <= index + 3
        upstreams.sent[index].reply(index)
    assert [slot["data"] for slot in counter.answers[0]] == list(range(10))


def test_a_batch_of_instant_replies_does_not_nest() -> None:
    counter = Counter(FakeUpstreams(immediate=True), max_parallel=1)
    counter.calls(*["github"] * 100)
    assert [slot["data"] for slot in counter.answers[0]] == list(range(100))


def test_the_budget_of_a_batch_falls_on_its_first_elements() -> None:
    upstreams = FakeUpstreams(immediate=True)
    counter = Counter(upstreams, max_tool_calls=2)
    counter.calls("github", "nope", "github", "github")
    assert [slot["ok"] for slot in counter.answers[0]] == [True, False, True, False]
    assert counter.answers[0][3]["error"]["code"] == "MAX_TOOL_CALLS_EXCEEDED"
    assert len(upstreams.sent) == 2


def test_a_server_that_goes_away_during_a_batch_refuses_the_rest_and_gives_their_budget_back() -> None:
    upstreams = FakeUpstreams()
    counter = Counter(upstreams, max_tool_calls=3, max_parallel=1)
    counter.calls("github", "github", "github")
    upstreams.servers.clear()
    upstreams.sent[0].reply()
    assert [slot["ok"] for slot in counter.answers[0]] == [True, False, False]
    assert counter.gate.spent == 1
    assert len(upstreams.sent) == 1


def test_after_the_end_nothing_is_sent_and_what_is_out_is_cancelled() -> None:
    upstreams = FakeUpstreams()
    counter = Counter(upstreams, max_parallel=1)
    counter.calls("github", "github")
    assert counter.desk.in_flight() == ("github.t",)
    counter.desk.close()
    upstreams.sent[0].reply()
    counter.call("github")
    assert upstreams.sent[0].cancelled
    assert len(upstreams.sent) == 1
    assert counter.answers == []


MALFORMED: dict[str, tuple[str, object]] = {
    "unknown operation": ("open_file", {}),
    "not an object": ("call", []),
    "no server": ("call", {"tool": "t", "args": {}}),
    "empty server": ("call", {"server": "", "tool": "t", "args": {}}),
    "server is a number": ("call", {"server": 1, "tool": "t", "args": {}}),
    "args is an array": ("call", {"server": "s", "tool": "t", "args": []}),
    "requests is a string": ("calls", {"requests": "abc"}),
    "101 requests": ("calls", {"requests": [{"server": "s", "tool": "t", "args": {}}] * 101}),
    "max_parallel 0": ("calls", {"requests": [], "max_parallel": 0}),
    "max_parallel true": ("calls", {"requests": [], "max_parallel": True}),
    "a server's name of 1025 characters": ("call", {"server": "s" * 1025, "tool": "t", "args": {}}),
    "a tool's name of 1025 characters": ("call", {"server": "s", "tool": "t" * 1025, "args": {}}),
    "one bad element": ("calls", {"requests": [{"server": "github", "tool": "t", "args": {}}, None]}),
}


@pytest.mark.parametrize(("op", "body"), MALFORMED.values(), ids=MALFORMED)
def test_a_bent_request_is_one_invalid_args_envelope_and_sends_nothing(op: str, body: object) -> None:
    upstreams = FakeUpstreams(immediate=True)
    counter = Counter(upstreams)
    counter.send(op, body)
    assert counter.codes() == ["INVALID_ARGS"]
    assert upstreams.sent == []
    assert counter.gate.spent == 0


def call_with(args: bytes) -> bytes:
    return b'{"server":"github","tool":"t","args":{"a":' + args + b"}}"


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b"x" * (8 * 1024 * 1024 + 1),
        call_with(b"1").decode().encode("utf-16"),
        call_with(b"NaN"),
        call_with(b"[-Infinity]"),
        call_with(b"1e999"),
        call_with(b"-1E+0309"),
        call_with(b"9" * 400 + b".5"),
        call_with(b"9" * 5000),
        call_with(b'1,"a":2'),
        call_with(b"[" * 500 + b"]" * 500),
    ],
)
def test_a_payload_that_is_no_json_is_invalid_args(payload: bytes) -> None:
    answers: list[bytes] = []
    upstreams = FakeUpstreams()
    Counter(upstreams).desk.receive("call", payload, answers.append)
    assert json.loads(answers[0])["error"]["code"] == "INVALID_ARGS"
    assert upstreams.sent == []


@pytest.mark.parametrize("args", [b"1e308", b'"1e999"', b"[" * 499 + b"]" * 499, b'"' + b"[" * 900 + b'"'])
def test_a_payload_at_a_bound_is_a_call(args: bytes) -> None:
    upstreams = FakeUpstreams()
    Counter(upstreams).desk.receive("call", call_with(args), lambda _text: None)
    assert [sent.call.args for sent in upstreams.sent] == [{"a": json.loads(args)}]


def test_a_cancellation_that_raises_leaves_no_other_call_out() -> None:
    upstreams = FakeUpstreams(stubborn={0, 3})
    counter = Counter(upstreams)
    counter.calls("github", "github", "github")
    counter.calls("github", "github")
    with pytest.raises(ConnectionError):
        counter.desk.close()
    assert [sent.cancelled for sent in upstreams.sent] == [True] * 5


@pytest.mark.parametrize("data", [float("nan"), {1, 2}, object()])
def test_an_answer_that_json_cannot_carry_is_an_upstream_error(data: object) -> None:
    upstreams = FakeUpstreams()
    counter = Counter(upstreams)
    counter.call("github")
    upstreams.sent[0].reply(data)
    assert counter.codes() == ["UPSTREAM_ERROR"]


@given(
    limit=st.integers(0, 6),
    batches=st.lists(st.lists(st.sampled_from(["github", "nope", "barred"]), min_size=1, max_size=5), max_size=6),
)
def test_whatever_a_program_asks_no_more_is_sent_than_its_budget(limit: int, batches: list[list[str]]) -> None:
    upstreams = FakeUpstreams(servers={"github", "barred"}, immediate=True)
    counter = Counter(upstreams, max_tool_calls=limit, allowed=frozenset({"github", "nope"}))
    for batch in batches:
        counter.calls(*batch)
    asked = sum(name == "github" for batch in batches for name in batch)
    assert len(upstreams.sent) == (min(asked, limit) if limit else asked)
    assert all(sent.call.server == "github" for sent in upstreams.sent)
    assert [len(answer) for answer in counter.answers] == [len(batch) for batch in batches]


def test_more_containers_than_the_host_will_build_are_refused_unread() -> None:
    payload = b'{"server":"s","tool":"t","args":{"a":[' + b"[]," * (MAX_CALL_CONTAINERS + 1) + b"0]}}"
    with pytest.raises(wire.BadCall, match="more than 500,000 arrays and objects"):
        wire.decode("call", payload)
