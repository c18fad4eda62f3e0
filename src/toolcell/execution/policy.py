"""The limits of one run, computed once from the request, the configuration and the caller's ceilings.

Precedence is request, then configuration. A ceiling is not a default: it can only be lowered, so an
explicit 0 or ``[]`` in a request lifts nothing (spec 2.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolcell.model.limits import RunLimits

if TYPE_CHECKING:
    from toolcell.model.limits import Ceilings, RunDefaults
    from toolcell.model.request import ExecutionRequest


def limits_for(request: ExecutionRequest, defaults: RunDefaults, ceilings: Ceilings) -> RunLimits:
    """Return what this run may use."""
    timeout_ms = defaults.timeout_ms if request.timeout_ms is None else request.timeout_ms
    calls = defaults.max_tool_calls if request.max_tool_calls is None else request.max_tool_calls
    return RunLimits(
        timeout_ms=timeout_ms if ceilings.timeout_ms is None else min(timeout_ms, ceilings.timeout_ms),
        max_tool_calls=_fewer(calls, ceilings.max_tool_calls or 0),
        allowed_servers=_narrower(request.allowed_servers, ceilings.allowed_servers),
        max_parallel=defaults.max_parallel,
        memory_bytes=defaults.memory_bytes,
        max_result_bytes=defaults.max_result_bytes,
    )


def _fewer(asked: int, ceiling: int) -> int:
    """Return the lower of two budgets in which 0 is unlimited."""
    if asked == 0 or ceiling == 0:
        return asked or ceiling
    return min(asked, ceiling)


def _narrower(asked: tuple[str, ...] | None, ceiling: frozenset[str] | None) -> frozenset[str] | None:
    """Return the servers both sides allow; absent and ``[]`` ask for all, and an empty result is none."""
    if not asked:
        return ceiling
    return frozenset(asked) if ceiling is None else ceiling.intersection(asked)
