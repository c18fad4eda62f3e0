"""What is decided about a server and its tools (spec 7), as plain values.

A decision about a tool is bound to the digest of its definition, so it ends with the definition.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class ServerDecision(StrEnum):
    """What an admin said about a whole server; it counts over the configuration file."""

    APPROVED = "approved"
    QUARANTINED = "quarantined"


class ToolState(StrEnum):
    """Whether a tool may be called, as its server describes it now."""

    APPROVED = "approved"
    PENDING = "pending"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool as its server describes it: canonical JSON text and the SHA-256 over it, in hex."""

    name: str
    digest: str
    canonical: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvals:
    """The decisions about one server: its own, whether it has a baseline, and the approved digests by tool.

    ``approved`` keeps every digest an admin or the baseline approved last for a tool, listed now or not.
    """

    decision: ServerDecision | None = None
    has_baseline: bool = False
    approved: Mapping[str, str] = field(default_factory=dict)

    def trusts(self, *, configured: bool) -> bool:
        """Return whether the server is trusted: as the configuration says, unless an admin decided."""
        return configured if self.decision is None else self.decision is ServerDecision.APPROVED
