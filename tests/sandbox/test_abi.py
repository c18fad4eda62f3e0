"""The two descriptions of the boundary, and the module that was built from one of them, agree."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
import wasmtime

from toolcell.sandbox import abi
from toolcell.sandbox.engine import GUEST

HEADER = (Path(__file__).parents[2] / "wasm" / "abi.h").read_text()
SIZES = {"uint32_t": 4, "double": 8, "uint8_t": 1}
CODES = {"uint32_t": "I", "double": "d"}


def defines() -> dict[str, int]:
    found = re.findall(r"^#define (\w+) (\d+)\b", HEADER, re.MULTILINE)
    return {name: int(value) for name, value in found}


def members(struct_name: str) -> list[tuple[str, str, int]]:
    """Each member's type, name and count."""
    body = re.search(rf"struct {struct_name} \{{(.*?)\n\}};", HEADER, re.DOTALL)
    assert body is not None
    text = re.sub(r"/\*.*?\*/", "", body[1], flags=re.DOTALL)
    constants = defines()
    return [
        (kind, name, constants.get(count, 0) or int(count or 1))
        for kind, name, count in re.findall(r"(\w+) (\w+)(?:\[(\w+)\])?;", text)
    ]


def offsets(struct_name: str) -> dict[str, int]:
    found, at = {}, 0
    for kind, name, count in members(struct_name):
        assert at % SIZES[kind] == 0, f"the compiler would pad before {name}"
        found[name] = at
        at += SIZES[kind] * count
    found["(end)"] = at
    return found


MAILBOX = offsets("cell_mailbox")


@pytest.mark.parametrize(
    ("in_header", "in_python"),
    [
        ("TOOLCELL_ABI_VERSION", abi.VERSION),
        ("TOOLCELL_INBOX_BYTES", abi.INBOX_BYTES),
        ("TOOLCELL_LOG_BYTES", abi.LOG_BYTES),
        ("CELL_RUNNING", abi.RUNNING),
        ("CELL_WAITING", abi.WAITING),
        ("CELL_ENDED", abi.ENDED),
    ],
)
def test_a_number_of_the_header_is_the_same_in_python(in_header: str, in_python: int) -> None:
    assert defines()[in_header] == in_python


@pytest.mark.parametrize("prefix", ["ENDING_", "LANGUAGE_", "DIALECT_"])
def test_an_enumeration_has_the_same_members_on_both_sides(prefix: str) -> None:
    in_header = {name: value for name, value in defines().items() if name.startswith(prefix)}
    assert in_header == {name: value for name, value in vars(abi).items() if name.startswith(prefix)}


def test_every_answer_flag_that_python_sends_is_one_of_the_header() -> None:
    in_python = {name: value for name, value in vars(abi).items() if name.startswith("ANSWER_") and type(value) is int}
    del in_python["ANSWER_OFFSET"]
    assert in_python.items() <= defines().items()


def test_every_define_of_the_header_is_known_to_this_test() -> None:
    known = ("TOOLCELL_", "CELL_", "ENDING_", "LANGUAGE_", "DIALECT_", "ANSWER_")
    assert [name for name in defines() if not name.startswith(known)] == []


def test_the_fields_that_the_cell_writes_have_the_header_s_order() -> None:
    words = [name for kind, name, count in members("cell_mailbox") if kind == "uint32_t" and count == 1]
    assert tuple(words[: len(abi.CELL_FIELDS)]) == abi.CELL_FIELDS
    assert abi.CELL_PART.size == MAILBOX["wake_at"] == abi.WAKE_AT_OFFSET


def test_each_field_s_index_is_its_place() -> None:
    names = ["VERSION_FIELD" if name == "version" else name.upper() for name in abi.CELL_FIELDS]
    assert [getattr(abi, name) for name in names] == list(range(len(names)))


def test_the_host_s_part_is_packed_as_the_header_lays_it_out() -> None:
    assert MAILBOX["language"] == abi.HOST_OFFSET
    assert MAILBOX["answer_call"] == abi.ANSWER_OFFSET
    assert MAILBOX["clock_ms"] == abi.CLOCK_OFFSET
    assert MAILBOX["inbox"] == abi.INBOX_OFFSET
    assert MAILBOX["(end)"] == abi.INBOX_OFFSET + abi.INBOX_BYTES
    between = [item for item in members("cell_mailbox") if abi.HOST_OFFSET <= MAILBOX[item[1]] < abi.INBOX_OFFSET]
    layout = "".join(f"{count}s" if kind == "uint8_t" else CODES[kind] for kind, _, count in between)
    assert struct.calcsize("<" + layout) == abi.HOST_PART.size


@pytest.mark.parametrize(("name", "layout"), [("cell_request", abi.REQUEST_HEADER), ("cell_log_line", abi.LOG_HEADER)])
def test_a_record_has_the_header_s_size(name: str, layout: struct.Struct) -> None:
    assert offsets(name)["(end)"] == layout.size


def test_the_log_levels_are_numbered_as_the_header_says() -> None:
    spelled = re.search(r"uint32_t level; /\* (.*?) \*/", HEADER)
    assert spelled is not None
    assert spelled[1] == ", ".join(f"{number} {name}" for number, name in enumerate(abi.LOG_LEVELS))


def test_the_built_guest_imports_two_functions_and_exports_three_things() -> None:
    module = wasmtime.Module(wasmtime.Engine(), GUEST.read_bytes())
    assert sorted((item.module, item.name) for item in module.imports) == [("toolcell", "take"), ("toolcell", "wait")]
    assert sorted(item.name for item in module.exports) == sorted(abi.EXPORTS)
    assert all(isinstance(item.type, wasmtime.FuncType) for item in module.imports)


def test_the_built_guest_asks_for_no_wasi_function() -> None:
    assert b"wasi" not in GUEST.read_bytes()
