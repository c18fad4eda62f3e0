"""A moment as people name it on a command line: ``15m``, ``2h30m``, ``7d``, or an RFC 3339 time."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from toolcell.cli.diagnostics import UsageError
from toolcell.model.text import quoted

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_AGO = re.compile(r"(?:[0-9]{1,9}[dhms])+")
_PART = re.compile(r"([0-9]+)([dhms])")


def moment(flag: str, text: str, now: float) -> float:
    """Return the seconds since 1970 that ``text`` means; a time without a zone is in UTC."""
    if _AGO.fullmatch(text):
        return now - sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(text))
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        message = f"{flag} must be a time ago, as in 15m, 2h or 7d, or a time, as in 2026-01-31T12:00Z"
        raise UsageError(f"{message}; not {quoted(text)}") from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
