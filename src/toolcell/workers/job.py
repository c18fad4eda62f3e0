"""What a worker is given to run, and nothing about who asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolcell.model.limits import RunLimits
    from toolcell.model.request import Language


class Busy(Exception):  # noqa: N818  # a state, not a fault
    """The worker has no room for another run now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program, its input as a JSON object in UTF-8, and the bounds of its run."""

    source: str
    language: Language
    input_json: bytes
    limits: RunLimits
