from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolcell.model.codes import CallCode, RefusalCode, RunCode

if TYPE_CHECKING:
    from enum import StrEnum


@pytest.mark.parametrize("codes", [CallCode, RefusalCode, RunCode])
def test_a_code_is_spelled_as_it_is_named(codes: type[StrEnum]) -> None:
    assert [code.value for code in codes] == [code.name for code in codes]


def test_codes_of_the_whole_run_and_of_one_call_share_only_what_the_spec_shares() -> None:
    shared = {code.value for code in RunCode} & {code.value for code in CallCode}
    assert shared == {"MAX_TOOL_CALLS_EXCEEDED", "SERVER_NOT_ALLOWED", "RESULT_TOO_LARGE"}


def test_no_refusal_is_also_a_verdict() -> None:
    assert not {code.value for code in RefusalCode} & {code.value for code in RunCode}
