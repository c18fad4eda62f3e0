from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = "int a = 1;\nint b = 1;\n"


def test_patches_are_applied_one_after_the_other(part: Callable[[str], Any]) -> None:
    patches = part("patches")
    steps = (
        patches.Patch(reason="a is two", old="a = 1", new="a = 2"),
        patches.Patch(reason="two is three", old="= 2", new="= 3"),
        patches.Patch(reason="longer names", old="int", new="long", times=2),
    )
    assert patches.apply(SOURCE, steps) == "long a = 3;\nlong b = 1;\n"


@pytest.mark.parametrize(("old", "times", "found"), [("c = 1", 1, 0), ("= 1", 1, 2), ("a = 1", 2, 1)])
def test_a_patch_that_does_not_fit_fails_by_name(part: Callable[[str], Any], old: str, times: int, found: int) -> None:
    patches = part("patches")
    bad = patches.Patch(reason="a reason to be found by", old=old, new="", times=times)
    message = rf"does not fit \({found} places, expected {times}\): a reason to be found by"
    with pytest.raises(ValueError, match=message):
        patches.apply(SOURCE, (patches.Patch(reason="fits", old="b = 1", new="b = 1"), bad))


def test_every_patch_changes_something_for_a_reason(part: Callable[[str], Any]) -> None:
    idle = [patch.old for patch in part("patches").QUICKJS if patch.old == patch.new or not patch.reason]
    assert idle == []
