from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from toolcell.sandbox import abi

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("changed", "found"), [([], set()), ([0], {0}), ([7, 8], {0, 8}), ([4095, 4096], {4088, 4096}), ([9999], {9992})]
)
def test_differences_are_found_to_a_granule(part: Callable[[str], Any], changed: list[int], found: set[int]) -> None:
    after = bytearray(10_000)
    for at in changed:
        after[at] = 1
    assert part("layout").differences(bytes(10_000), bytes(after)) == found


def test_the_blocks_that_programs_write_to_are_hot_and_others_are_not(
    part: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = part("layout")
    written = {100: {48, 104}, 200: {208}}

    class Rerun:
        def __init__(self, frozen: bytes) -> None:
            assert frozen == b"frozen"

        def addresses_written(self, program: str) -> set[int]:
            return written[200 if program == layout.PROGRAMS[0] else 100]

    monkeypatch.setattr(layout, "Rerun", Rerun)
    blocks = (200, 64, 100, 300)  # in the order of making; 48 lies before all of them
    assert layout.hot_blocks(b"frozen", blocks) == {0, 2}


def test_a_program_is_asked_for_with_the_host_s_part_of_the_mailbox(part: Callable[[str], Any]) -> None:
    data = part("layout").request("1+1")
    assert len(data) > abi.HOST_PART.size
    language, dialect, source_len, input_len = abi.HOST_PART.unpack_from(data)[:4]
    assert (language, dialect) == (abi.LANGUAGE_JAVASCRIPT, abi.DIALECT_MCPPROXY)
    text = data[abi.HOST_PART.size :]
    assert text[:source_len] == b"1+1"
    assert len(text) == source_len + 1 + input_len + 1
