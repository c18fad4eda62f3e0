"""How much is measured: counts for a full run, a quick one, and one that only proves that the bench works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Rounds per row and runs per round of what takes microseconds, milliseconds, and a process."""

    rounds: int
    short_runs: int
    peer_runs: int
    long_runs: int
    processes: int
    calls: int
    suspended: int
    deadlines: int
    soak: int


SCALES = {
    "full": Scale(
        rounds=9,
        short_runs=1_000,
        peer_runs=60,
        long_runs=1,
        processes=3,
        calls=2_000,
        suspended=10_000,
        deadlines=40,
        soak=20_000,
    ),
    "quick": Scale(
        rounds=5,
        short_runs=300,
        peer_runs=20,
        long_runs=1,
        processes=2,
        calls=500,
        suspended=500,
        deadlines=15,
        soak=2_000,
    ),
    "tiny": Scale(
        rounds=1,
        short_runs=3,
        peer_runs=1,
        long_runs=1,
        processes=1,
        calls=5,
        suspended=5,
        deadlines=2,
        soak=30,
    ),
}
