"""A request to run a program, in its parsed and trusted form, and who makes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from toolcell.model.limits import Ceilings


class Language(StrEnum):
    """The languages a program may be written in."""

    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks: the tenant everything is accounted to, and the ceilings of the key used."""

    tenant: str = "default"
    ceilings: Ceilings = field(default_factory=Ceilings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionRequest:
    """A request whose every field obeys spec 2.1; ``None`` means the caller did not say.

    Exactly one of ``code`` and ``script`` is set. ``input_json`` is a JSON object as UTF-8 text.
    """

    code: str | None = None
    script: str | None = None
    language: Language | None = None
    input_json: bytes = b"{}"
    timeout_ms: int | None = None
    max_tool_calls: int | None = None
    allowed_servers: tuple[str, ...] | None = None
