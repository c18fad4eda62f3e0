"""What is known of a run and of a call before they start: the first half of their records (spec 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolcell.model.calls import ToolCall
    from toolcell.model.request import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """A run that is about to start; ``script`` is the name of a stored script, ``source`` its text as run."""

    execution_id: str
    tenant: str
    key_id: str | None
    source: str
    script: str | None
    language: Language
    input_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallIntent:
    """A call that is about to be sent, or was refused: the ``number``-th of its run, counted from 1."""

    execution_id: str
    number: int
    tenant: str
    key_id: str | None
    call: ToolCall
