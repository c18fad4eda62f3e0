"""What one server offers: its tools as it listed them last, bounded and with names that can be shown.

A listing comes page by page from a server that may never end it. Names that would steer a terminal or fill a
screen, second tools of one name and definitions beyond the bounds are left out, and counted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from toolcell.model.limits import KIB, MIB
from toolcell.upstreams import quarantine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolcell.model.approval import ToolDefinition
    from toolcell.upstreams.arguments import ArgumentCheck

MAX_PAGES = 1000
MAX_TOOLS = 10_000
MAX_NAME = 200
MAX_DEFINITION_BYTES = 256 * KIB
MAX_LISTING_BYTES = 32 * MIB


class BadListing(Exception):  # noqa: N818  # what the server sent
    """The listing cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True)
class Tool:
    """One tool as its server describes it, in wire form, with its definition and its argument check."""

    wire: Mapping[str, Any]
    definition: ToolDefinition

    @property
    def name(self) -> str:
        """The name it is called by."""
        return self.definition.name

    @property
    def description(self) -> str:
        """What it says of itself."""
        text = self.wire.get("description")
        return text if isinstance(text, str) else ""

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """The schema of its arguments."""
        schema = self.wire.get("inputSchema")
        return schema if isinstance(schema, dict) else {}

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """The schema of its structured content, where it has one."""
        schema = self.wire.get("outputSchema")
        return schema if isinstance(schema, dict) else None

    @cached_property
    def arguments(self) -> ArgumentCheck:
        """The check of its arguments, compiled at the first call."""
        from toolcell.upstreams.arguments import ArgumentCheck  # noqa: PLC0415  # the validator loads when it is used

        return ArgumentCheck(self.input_schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The tools of one server by name, in its order, and how many were left out."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    left_out: int = 0


class PageSource(Protocol):
    """Who fetches a page of ``tools/list``: the tools in wire form, the next cursor."""

    async def page(self, cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
        """Return one page."""
        ...


async def fetch(source: PageSource) -> Catalog:
    """Return the whole listing, or raise ``BadListing`` for one that repeats, never ends or is too large."""
    listed: list[dict[str, Any]] = []
    seen: set[str] = set()
    cursor: str | None = None
    size = 0
    for _ in range(MAX_PAGES):
        page, cursor = await source.page(cursor)
        size += len(json.dumps(page))
        listed += page
        if size > MAX_LISTING_BYTES or len(listed) > MAX_TOOLS:
            raise BadListing(f"it lists more than {MAX_TOOLS} tools or {MAX_LISTING_BYTES // MIB} MiB of them")
        if not cursor:
            return build(listed)
        if cursor in seen:
            raise BadListing("its tools/list repeats a page cursor and would never end")
        seen.add(cursor)
    raise BadListing(f"its tools/list does not end after {MAX_PAGES} pages")


def build(listed: Iterable[Mapping[str, Any]]) -> Catalog:
    """Return the catalog of listed tools; of two with one name the first counts."""
    tools: dict[str, Tool] = {}
    left_out = 0
    for wire in listed:
        tool = _tool(wire)
        if tool is None or tool.name in tools:
            left_out += 1
        else:
            tools[tool.name] = tool
    return Catalog(tools=tools, left_out=left_out)


def _tool(wire: Mapping[str, Any]) -> Tool | None:
    name = wire.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME or not name.isprintable():
        return None
    try:
        definition = quarantine.define(wire)
    except (ValueError, RecursionError):
        return None
    return Tool(wire, definition) if len(definition.canonical) <= MAX_DEFINITION_BYTES else None
