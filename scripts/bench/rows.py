"""What a benchmark finds: figures, beside those of peers, against targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NOT_INSTALLED = "not installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound on one of our figures, or on its ratio to a peer's (``peer`` names it)."""

    figure: str
    at_most: float
    peer: str | None = None

    def __str__(self) -> str:
        name = self.figure if self.peer is None else f"{self.figure} / {self.peer}"
        return f"{name} <= {self.at_most:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. A peer's entry is its figures, or the reason why there are none.

    ``reason`` says why we have no figures ourselves, or what a reader must know about them.
    """

    name: str
    unit: str
    ours: dict[str, float] = field(default_factory=dict)
    peers: dict[str, dict[str, float] | str] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    reason: str = ""

    def ratio(self, figure: str, peer: str) -> float | None:
        """Return ours divided by the peer's, or ``None`` where one of them is not there."""
        theirs = self.peers.get(peer)
        if not isinstance(theirs, dict) or not theirs.get(figure) or figure not in self.ours:
            return None
        return self.ours[figure] / theirs[figure]

    def ratios(self) -> dict[str, float]:
        """Return our first figure's ratio to each peer that has it."""
        figure = next(iter(self.ours), "")
        found = {peer: self.ratio(figure, peer) for peer in self.peers}
        return {peer: ratio for peer, ratio in found.items() if ratio is not None}

    def met(self) -> str:
        """Return yes, no, not measured, or no target; a missing peer leaves its target not measured."""
        if not self.targets:
            return "no target" if self.ours else "not measured"
        values = [self._value(target) for target in self.targets]
        if any(
            value is not None and value > target.at_most for value, target in zip(values, self.targets, strict=True)
        ):
            return "no"
        return "not measured" if None in values else "yes"

    def to_dict(self) -> dict[str, Any]:
        """Return the row as it stands in the JSON file."""
        return {
            "name": self.name,
            "unit": self.unit,
            "ours": self.ours,
            "peers": self.peers,
            "targets": [str(target) for target in self.targets],
            "ratios": self.ratios(),
            "met": self.met(),
            "reason": self.reason,
        }

    def _value(self, target: Target) -> float | None:
        if target.peer is None:
            return self.ours.get(target.figure)
        return self.ratio(target.figure, target.peer)
