from __future__ import annotations

import pytest

from toolcell.model.text import did_you_mean, kind, nearest, quoted, sized


def test_a_long_or_unprintable_name_is_shown_short_and_harmless() -> None:
    assert quoted("a\x1b[31m\n") == "'a?[31m?'"
    assert quoted("x" * 1_000_000) == "'" + "x" * 59 + "…'"
    assert quoted("\ud800") == "'?'"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "a boolean"),
        (1, "a number"),
        (1.5, "a number"),
        ("", "a string"),
        ([], "an array"),
        ({}, "an object"),
        (None, "null"),
    ],
)
def test_a_value_is_named_by_its_json_type(value: object, name: str) -> None:
    assert kind(value) == name


def test_sizes_are_shown_in_the_unit_they_are_whole_in() -> None:
    assert [sized(n) for n in (5 * 1024 * 1024, 256 * 1024, 1500)] == ["5 MiB", "256 KiB", "1500 bytes"]


def test_a_slip_in_a_name_finds_the_name_whatever_its_case() -> None:
    assert nearest("TimeOut_ms", ["timeout_ms", "max_tool_calls"]) == ("timeout_ms",)
    assert nearest("z" * 10_000_000, ["timeout_ms"]) == ()


def test_a_name_like_no_other_is_answered_with_all_there_are() -> None:
    assert did_you_mean("zzz", ["a", "b"]) == "; known are 'a', 'b'"
