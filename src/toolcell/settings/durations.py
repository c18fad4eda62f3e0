"""Spans of time as an operator writes them: ``30s``, ``2m``, ``1m30s``, or a number of seconds."""

from __future__ import annotations

import re

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_WHOLE = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST = 24 * 3600.0


def seconds(value: object) -> float:
    """Return a positive number of seconds up to a day, or raise ``ValueError`` saying what would be right."""
    amount = _amount(value)
    if amount is None or not 0 < amount <= LONGEST:
        raise ValueError("a duration up to 24h, as in 30s, 2m or 1m30s, or a number of seconds")
    return amount


def _amount(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(value))
    return None
