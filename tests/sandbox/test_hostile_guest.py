"""What the host makes of a guest that is not ours any more: every size and text it claims is checked first."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
import wasmtime
from hypothesis import given
from hypothesis import strategies as st

from toolcell.model.codes import RunCode
from toolcell.sandbox import (
    CellLimits,
    Ended,
    Engine,
    EngineConfig,
    HostRequest,
    Program,
    Waiting,
    abi,
    json_check,
    native,
)
from toolcell.sandbox.guest_memory import GuestFault
from toolcell.sandbox.json_check import is_json
from toolcell.sandbox.outbox import MAX_OP_BYTES, MAX_REQUESTS, log_lines_in, requests_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from toolcell.sandbox import Event

PAGE, DATA = 1024, 131_072
WAT = """(module
  (import "toolcell" "take" (func $take (param i32 i32)))
  (import "toolcell" "wait" (func $wait))
  (memory (export "memory") 320)
  (global (export "cell_page") i32 (i32.const {page}))
  (data (i32.const {page}) "{mailbox}")
  (data (i32.const {at}) "{data}")
  (func (export "run") {run}))"""


def escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def mailbox(**fields: int) -> bytes:
    values = {"version": abi.VERSION, **fields}
    return abi.CELL_PART.pack(*(values.get(name, 0) for name in abi.CELL_FIELDS))


@pytest.fixture
def bent(tmp_path: Path) -> Callable[..., Engine]:
    """An engine whose guest finds its mailbox as the test says, and then waits or returns."""

    def build(data: bytes = b"", run: str = "", **fields: int) -> Engine:
        wat = WAT.format(page=PAGE, at=DATA, mailbox=escaped(mailbox(**fields)), data=escaped(data), run=run)
        wasm = bytes(wasmtime.wat2wasm(wat))
        guest = tmp_path / "cell.wasm"
        guest.write_bytes(wasm)
        guest.with_suffix(".sha256").write_text(hashlib.sha256(wasm).hexdigest())
        return Engine(EngineConfig(max_cells=2, guest=guest))  # no self-test: it would refuse this guest

    return build


def first_event(engine: Engine, **limits: int) -> Event:
    cell = engine.start(Program(source="1"), CellLimits(**limits))
    try:
        return cell.step(1_000_000)
    finally:
        cell.close()
        assert engine.live_cells == 0


def assert_stopped(event: Event) -> None:
    assert isinstance(event, Ended)
    assert event.ending.error is not None
    assert event.ending.error.code is RunCode.RUNTIME_ERROR
    assert "break the rules" in event.ending.error.message
    assert "simpler" in event.ending.error.message


# ---- the value ----


def test_a_value_that_is_json_is_taken(bent: Callable[..., Engine]) -> None:
    event = first_event(bent(b'{"a":1}', state=abi.ENDED, value_ptr=DATA, value_len=7))
    assert isinstance(event, Ended)
    assert event.ending.value == b'{"a":1}'


@pytest.mark.parametrize(
    ("pointer", "length"), [(DATA, 1001), (DATA, 2**32 - 1), (2**32 - 1, 2), (320 * 65_536 - 4, 5), (0, 2**31)]
)
def test_a_value_longer_than_its_limit_or_the_memory_is_not_copied(
    bent: Callable[..., Engine], pointer: int, length: int
) -> None:
    engine = bent(b" " * 1001, state=abi.ENDED, value_ptr=pointer, value_len=length)
    assert_stopped(first_event(engine, max_result_bytes=1000))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"nul",
        b'1,"ok":false',
        b'1},"error":{',
        b"NaN",
        b"[1,Infinity]",
        b"\xff",
        b"1\0",
        b"\xef\xbb\xbf1",
        b"1\x002",
    ],
)
def test_a_value_that_is_no_json_document_is_not_passed_on(bent: Callable[..., Engine], text: bytes) -> None:
    assert_stopped(first_event(bent(text, state=abi.ENDED, value_ptr=DATA, value_len=len(text))))


# ---- requests ----


def packed(*requests: tuple[bytes, bytes]) -> bytes:
    return b"".join(
        abi.REQUEST_HEADER.pack(number, len(op), len(payload)) + op + payload
        for number, (op, payload) in enumerate(requests, start=1)
    )


def waiting_with(bent: Callable[..., Engine], data: bytes, length: int | None = None) -> Event:
    size = len(data) if length is None else length
    engine = bent(data, "call $wait", state=abi.WAITING, outbox_ptr=DATA, outbox_len=size)
    return first_event(engine, max_args_bytes=1000)


def test_as_many_requests_as_there_may_be_are_handed_over(bent: Callable[..., Engine]) -> None:
    event = waiting_with(bent, packed(*[(b"call", b"{}")] * MAX_REQUESTS))
    assert isinstance(event, Waiting)
    assert event.requests == tuple(HostRequest(n, "call", b"{}") for n in range(1, MAX_REQUESTS + 1))


@pytest.mark.parametrize(
    "data",
    [
        packed(*[(b"call", b"{}")] * (MAX_REQUESTS + 1)),
        packed((b"c" * (MAX_OP_BYTES + 1), b"")),
        packed((b"", b"{}")),
        abi.REQUEST_HEADER.pack(1, 4, 2**32 - 4) + b"call",
        abi.REQUEST_HEADER.pack(1, 2**32 - 1, 1),
        packed((b"call", b"{}")) + b"\0" * (abi.REQUEST_HEADER.size - 1),
        packed((b"call", b"x" * 1000))[:-1],
    ],
    ids=["too many", "a long name", "no name", "a long payload", "a name beyond 32 bits", "half a header", "cut short"],
)
def test_an_outbox_that_is_not_what_it_must_be_stops_the_cell(bent: Callable[..., Engine], data: bytes) -> None:
    assert_stopped(waiting_with(bent, data))


def test_an_outbox_longer_than_any_request_is_not_copied(
    bent: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[int] = []
    monkeypatch.setattr("toolcell.sandbox.guest_memory.GuestMemory.read", lambda _self, _at, size: copied.append(size))
    assert_stopped(waiting_with(bent, b"", length=16 << 20))
    assert copied == []


@given(st.binary(max_size=400))
def test_any_bytes_are_requests_or_a_fault(data: bytes) -> None:
    try:
        found = requests_in(data)
    except GuestFault:
        return
    assert sum(abi.REQUEST_HEADER.size + len(r.op) + len(r.payload) for r in found) == len(data)


@given(st.binary(max_size=400))
def test_any_bytes_are_log_lines_no_longer_than_they_are(data: bytes) -> None:
    assert sum(len(line.text) for line in log_lines_in(data)) <= len(data)


# ---- whether a text is JSON ----


BAD = [
    "",
    " ",
    "1 2",
    "nan",
    "NaN",
    "-Infinity",
    "01",
    '"\x01"',
    '"\\x"',
    "[1,]",
    "{a:1}",
    "'a'",
    '1,"ok":false',
    "1e",
    "\0",
    "1\0",
]
GOOD = ["1", "null", '"é"', "-0.5e21", '{"a":[{}]}', "[" * 500 + "]" * 500, '"\\ud800"', ' {"a" : 1} ']


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_json_is_refused_at_every_size(text: str) -> None:
    assert not is_json(text.encode())
    assert not is_json(("[" + "0," * json_check.SMALL + text + "]").encode() + b"]" * (text == ""))


@pytest.mark.parametrize("text", GOOD)
def test_what_is_json_is_accepted_at_every_size(text: str) -> None:
    assert is_json(text.encode())
    if not text.startswith("[["):
        assert is_json(("[" + "0," * json_check.SMALL + text + "]").encode())


def test_a_large_value_of_the_deepest_nesting_a_program_may_return_is_accepted() -> None:
    deep = b"[" * 499 + b"]" * 499
    assert is_json(b"[" + (deep + b",") * 200 + b"1]")


@given(st.text(alphabet='[]{},:"\\ 01.e-+truefalsn', max_size=30))
def test_both_readers_agree_about_any_text(text: str) -> None:
    padding = " " * (json_check.SMALL + 1)
    assert is_json(text.encode()) == is_json((text + padding).encode())


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_whatever_python_writes_is_json(value: object) -> None:
    assert is_json(json.dumps(value).encode())


# ---- what a failed cell holds ----


def test_a_cell_that_cannot_be_opened_is_counted_back(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object) -> int:
        raise MemoryError

    for name in ("store_new", "store_context", "store_limiter", "set_fuel", "call_async"):
        with monkeypatch.context() as patched:
            patched.setattr(native, name, fails)
            with pytest.raises(MemoryError):
                engine.start(Program(source="1"), CellLimits())
        assert engine.live_cells == 0, name


def test_a_program_that_is_no_text_is_counted_back(engine: Engine) -> None:
    with pytest.raises(AttributeError):
        engine.start(Program(source=None), CellLimits())  # type: ignore[arg-type]
    assert engine.live_cells == 0


def test_a_trap_of_an_interrupted_host_function_is_freed(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    freed: list[tuple[int, int]] = []
    real = native.discard

    def count(trap: int, error: int) -> None:
        freed.append((trap, error))
        real(trap, error)

    monkeypatch.setattr(native, "discard", count)
    cell = engine.start(Program(source="1", input_json=b'{"a":"' + b"x" * abi.INBOX_BYTES + b'"}'), CellLimits())

    def interrupted(_pointer: int, _length: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(cell), "take", lambda _self, pointer, length: interrupted(pointer, length))
    with pytest.raises(KeyboardInterrupt):
        cell.step(1_000_000)
    assert [sum(map(bool, pair)) for pair in freed] == [1]
    assert engine.live_cells == 0
