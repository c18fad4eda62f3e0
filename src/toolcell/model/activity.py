"""What was recorded, as whoever looks at it gets it (spec 8)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What became of a run or a call. ``blocked`` is for calls that were refused before they were sent."""

    RUNNING = "running"
    SUCCESS = "success"
    ERROR = "error"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityFilter:
    """Which records to list; ``None`` leaves a member out. A server has calls and no runs.

    ``since`` is in seconds since 1970. At most ``limit`` records are returned, the newest first.
    """

    tenant: str | None = None
    server: str | None = None
    status: str | None = None
    since: float | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One record of the list: a run, or a call whose ``parent_id`` is its run. Times in seconds since 1970."""

    kind: str
    id: str
    parent_id: str | None
    tenant: str
    key_id: str | None
    status: str
    code: str | None
    message: str | None
    started_at: float
    finished_at: float | None
    server: str | None
    tool: str | None
    script: str | None
    result_bytes: int | None

    @property
    def wall_ms(self) -> float | None:
        """Milliseconds from start to end, if it ended."""
        return None if self.finished_at is None else (self.finished_at - self.started_at) * 1000

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it: times as RFC 3339 text, absent members left out."""
        body = asdict(self) | {"started_at": timestamp(self.started_at), "wall_ms": rounded(self.wall_ms)}
        body["finished_at"] = None if self.finished_at is None else timestamp(self.finished_at)
        return {name: value for name, value in body.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDetail:
    """A call with its arguments: JSON text, masked and bounded."""

    activity: Activity
    arguments: str

    def to_dict(self) -> dict[str, Any]:
        """Return the call as JSON has it."""
        return self.activity.to_dict() | {"arguments": json.loads(self.arguments)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetail:
    """A run with its source, its figures and its first calls; ``call_count`` counts all of them."""

    activity: Activity
    language: str
    source: str
    input_bytes: int
    queue_ms: float | None
    fuel: int | None
    peak_memory_bytes: int | None
    call_count: int
    calls: tuple[CallDetail, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON has it; figures are absent until it has ended."""
        figures = {
            "language": self.language,
            "source": self.source,
            "input_bytes": self.input_bytes,
            "queue_ms": rounded(self.queue_ms),
            "fuel": self.fuel,
            "peak_memory_bytes": self.peak_memory_bytes,
            "call_count": self.call_count,
        }
        present = {name: value for name, value in figures.items() if value is not None}
        return self.activity.to_dict() | present | {"calls": [call.to_dict() for call in self.calls]}


def timestamp(seconds: float) -> str:
    """Return a time as RFC 3339 text in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rounded(milliseconds: float | None) -> float | None:
    """Return milliseconds to the microsecond."""
    return None if milliseconds is None else round(milliseconds, 3)
