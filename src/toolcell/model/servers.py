"""An upstream tool server as its operator configured it: checked values, references already replaced."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Protocol(StrEnum):
    """How a server is spoken to; ``AUTO`` with a URL tries streamable HTTP, then SSE."""

    STDIO = "stdio"
    STREAMABLE_HTTP = "streamable-http"
    SSE = "sse"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLimits:
    """How many calls run at once (0 is unlimited), how many more may wait, and for how many seconds."""

    max_concurrent: int = 0
    queue_size: int = 0
    queue_timeout: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """One configured server; what may be secret is kept out of its ``repr``. Times are seconds."""

    name: str
    protocol: Protocol
    description: str = ""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    working_dir: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    enabled: bool = True
    quarantined: bool = False
    lane: LaneLimits = LaneLimits()
    init_timeout: float = 30.0
    call_timeout: float | None = None
