"""The bounds of a run: fixed ones, the operator's defaults, a tenant's ceilings and their result."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB

MAX_SOURCE_BYTES = 256 * KIB
MAX_INPUT_BYTES = 8 * MIB
MAX_DEPTH = 500
MAX_TIMEOUT_MS = 600_000
MAX_LOG_BYTES = 64 * KIB
MAX_BATCH = 100
MAX_PARALLEL = 32
MAX_CALL_CONTAINERS = 500_000
"""Arrays and objects in one ``call_tool`` or ``call_tools`` request: each costs the host some 60 bytes to read."""

MAX_CALL_BYTES = 8 * MIB
"""One ``call_tool`` or ``call_tools`` request as JSON text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDefaults:
    """What the operator's configuration gives a run whose request says nothing (spec 11)."""

    timeout_ms: int = 120_000
    max_tool_calls: int = 0
    max_parallel: int = 8
    memory_bytes: int = 64 * MIB
    max_result_bytes: int = 5 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """What a key's or tenant's policy allows at most; ``None`` leaves a bound to the request (spec 2.1)."""

    timeout_ms: int | None = None
    max_tool_calls: int | None = None
    allowed_servers: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """The bounds one run lives under, computed once before it starts.

    ``max_tool_calls`` 0 is unlimited. ``allowed_servers`` ``None`` is every server the caller may use, and
    an empty set is none.
    """

    timeout_ms: int
    max_tool_calls: int
    allowed_servers: frozenset[str] | None
    max_parallel: int
    memory_bytes: int
    max_result_bytes: int
    max_log_bytes: int = MAX_LOG_BYTES
