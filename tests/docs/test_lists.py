"""The documentation lists exactly what the code has."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import PAGES, ROOT
from toolcell.cli.flags import EXEC_FLAGS
from toolcell.model.codes import CallCode, RefusalCode, RunCode
from toolcell.settings import Settings
from toolcell.settings.schema import _File

if TYPE_CHECKING:
    from enum import StrEnum

    from tests.conftest import Command

DOCS = ROOT / "docs"

STANDARD = set(
    """
    AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date
    DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity
    Int16Array Int32Array Int8Array Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError
    Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array
    Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI
    encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
    """.split()  # noqa: SIM905  # sixty names read better as a paragraph
)
"""The global names of ECMAScript itself, with those of stage 3 that the engine has."""


def headings(page: str, under: str | None = None) -> list[str]:
    """Return the third-level headings of a page, or of one of its sections."""
    text = (DOCS / page).read_text()
    if under is not None:
        text = re.split(r"^## ", text.split(f"\n## {under}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("section", "codes"), [("Refusals", RefusalCode), ("Run errors", RunCode), ("Call errors", CallCode)]
)
def test_every_code_has_a_heading_in_the_order_of_its_enum(section: str, codes: type[StrEnum]) -> None:
    assert [heading.removesuffix(" (of a call)") for heading in headings("errors.md", section)] == list(codes)


def test_every_setting_has_a_heading() -> None:
    assert headings("settings.md") == [field.name for field in fields(Settings)]


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_a_setting_is_documented_with_its_real_range_and_default(field: object) -> None:
    name, default = field.name, field.default  # type: ignore[attr-defined]
    section = (DOCS / "settings.md").read_text().split(f"### {name}\n", 1)[1].split("\n#", 1)[0]
    shape = _File.model_json_schema()["properties"][name]
    for bound in ("minimum", "maximum"):
        if bound in shape:
            assert re.search(rf"\b{shape[bound]}\b", section), f"{bound} {shape[bound]}"
    if isinstance(default, bool | int | str):
        shown = json.dumps(default).strip('"')
        assert f"Default {shown}." in section.replace("`", "")


def test_every_flag_has_a_heading() -> None:
    assert headings("cli.md") == [flag.name for flag in EXEC_FLAGS]


def test_every_global_beyond_the_language_has_a_heading(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "Object.getOwnPropertyNames(globalThis)")
    beyond = set(json.loads(done.stdout)["value"]) - STANDARD
    assert sorted(headings("what-a-cell-has.md", "Globals")) == sorted(beyond)


def test_every_link_between_pages_leads_somewhere() -> None:
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text())
        if not (page.parent / target).exists()
    ]
    assert dead == []


def test_the_agents_page_stays_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text().splitlines()) <= 80
