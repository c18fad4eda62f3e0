from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model.test_outcome import JSON
from toolcell.model.strict_json import MalformedJson, parse

MALFORMED = {
    "duplicate key": (b'{"a":1,"b":{"k":1,"k":2}}', "has the key 'k' twice"),
    "NaN": (b'{"a":NaN}', "NaN is not a JSON number"),
    "Infinity": (b"[-Infinity]", "-Infinity is not a JSON number"),
    "an integer of 5,000 digits": (b"1" * 5000, "too many digits"),
    "UTF-16": ('{"a":1}'.encode("utf-16"), "is not UTF-8 text (byte 0)"),
    "trailing garbage": (b'{"a":1} x', "line 1 column 9"),
    "a second line at fault": (b'{"a":1,\n "b":}', "line 2 column 6"),
    "nothing": (b"", "is not JSON"),
    "100,000 levels": (b"[" * 100_000, "nested more than 500 levels"),
}


@pytest.mark.parametrize(("text", "reason"), MALFORMED.values(), ids=MALFORMED)
def test_malformed_text_is_named_for_what_is_wrong(text: bytes, reason: str) -> None:
    with pytest.raises(MalformedJson) as raised:
        parse(text)
    assert reason in str(raised.value)


@given(value=JSON)
def test_whatever_json_can_hold_is_read_as_it_was_written(value: object) -> None:
    assert parse(json.dumps(value).encode()) == value


@given(text=st.binary())
def test_arbitrary_bytes_are_read_or_malformed_and_nothing_else(text: bytes) -> None:
    with contextlib.suppress(MalformedJson):
        parse(text)


def test_a_byte_order_mark_is_allowed() -> None:
    assert parse(b'\xef\xbb\xbf{"a":1}') == {"a": 1}
