"""Taking the time of several candidates fairly: warm, in turns, with the garbage collector off.

A machine drifts by more than most differences worth knowing. Candidates therefore take turns within a round, and a
figure is the median of the rounds' own figures.
"""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MICROSECONDS, MILLISECONDS = 1e3, 1e6
"""Nanoseconds in a unit."""

MIN_FOR_P99 = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is timed: ``run`` once per sample, or a batch that times itself and returns nanoseconds per run."""

    run: Callable[[], object]
    runs: int
    warm_up: int = 1
    times_itself: bool = False


def compare(candidates: Mapping[str, Candidate], rounds: int, unit: float) -> dict[str, dict[str, float]]:
    """Return p50, p99 (where a round has samples enough) and mean of each candidate, in units of ``unit`` ns."""
    for candidate in candidates.values():
        for _ in range(candidate.warm_up):
            candidate.run()
    taken: dict[str, list[dict[str, float]]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, candidate in candidates.items():
            taken[name].append(figures(_samples(candidate), unit))
    return {name: _medians(found) for name, found in taken.items()}


def figures(nanoseconds: Sequence[float], unit: float) -> dict[str, float]:
    """Return p50, p99 (of 100 samples or more) and mean."""
    ordered = sorted(nanoseconds)
    found = {"p50": median(ordered) / unit, "mean": fmean(ordered) / unit}
    if len(ordered) >= MIN_FOR_P99:
        found["p99"] = ordered[len(ordered) * 99 // 100] / unit
    return found


@contextmanager
def without_collector() -> Iterator[None]:
    """Collect garbage now, and not again within."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _samples(candidate: Candidate) -> list[float]:
    with without_collector():
        if candidate.times_itself:
            batch = candidate.run()
            return [float(sample) for sample in batch] if isinstance(batch, list) else []
        return [_time(candidate.run) for _ in range(candidate.runs)]


def _time(run: Callable[[], object]) -> float:
    began = time.perf_counter_ns()
    run()
    return float(time.perf_counter_ns() - began)


def _medians(found: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(entry[name] for entry in found) for name in found[0]}
