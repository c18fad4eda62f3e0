"""`scripts/bench.py`: that every benchmark runs and reports; never how fast anything is."""

from __future__ import annotations

import importlib
import json
import runpy
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scripts.bench.rows import NOT_INSTALLED, Row, Target
from scripts.bench.sampling import Candidate, compare, figures

from tests.conftest import PATIENCE
from tests.docs.blocks import ROOT
from toolcell.sandbox import CellLimits, Ended, Ending, Program

if TYPE_CHECKING:
    from pathlib import Path

QUICK_TO_RUN = ("fresh", "call", "large", "typescript", "soak", "suspended")
EVERY = {"fresh", "call", "large", "typescript", "compute", "deadline", "soak", "cli", "startup", "suspended"}
VERDICTS = {"yes", "no", "not measured", "no target"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the bench writes when it measures as little as it can."""
    file: Path = tmp_path_factory.mktemp("bench") / "report.json"
    command = [sys.executable, "scripts/bench.py", "--scale", "tiny", "--json", str(file), "--only", *QUICK_TO_RUN]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "fresh cell" in done.stdout
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_the_report_says_where_its_figures_were_taken(report: dict[str, Any]) -> None:
    about = report["environment"]
    assert {"cpu", "cores", "load", "kernel", "python", "wasmtime", "guest_sha256", "revision"} <= set(about)
    assert len(about["guest_sha256"]) == 64


def test_without_arguments_everything_is_measured_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    arguments = runpy.run_path(str(ROOT / "scripts" / "bench.py"))["read_arguments"]([])
    assert arguments.scale == "full"
    assert set(arguments.only) == EVERY


def test_every_row_has_figures_and_a_verdict(report: dict[str, Any]) -> None:
    for row in report["rows"]:
        assert set(row) == {"name", "unit", "ours", "peers", "targets", "ratios", "met", "reason"}
        assert row["met"] in VERDICTS
        assert row["ours"], row["name"]
        assert all(isinstance(figure, int | float) for figure in row["ours"].values())


def test_a_peer_has_figures_or_says_why_not(report: dict[str, Any]) -> None:
    fresh = next(row for row in report["rows"] if row["name"].startswith("fresh cell"))
    assert set(fresh["peers"]) == {"quickjs-ng", "quickjs-rs", "mini-racer", "node", "node:vm"}
    for found in fresh["peers"].values():
        assert found == NOT_INSTALLED or found["p50"] > 0


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ({"p50": 30.0, "p99": 90.0}, {"p50": 100.0}, "yes"),
        ({"p50": 30.0, "p99": 101.0}, {"p50": 100.0}, "no"),
        ({"p50": 50.0, "p99": 90.0}, {"p50": 100.0}, "no"),
        ({"p50": 30.0, "p99": 90.0}, NOT_INSTALLED, "not measured"),
        ({"p50": 30.0}, {"p50": 100.0}, "not measured"),
        ({"p50": 30.0, "p99": 101.0}, NOT_INSTALLED, "no"),
        ({}, {"p50": 100.0}, "not measured"),
    ],
)
def test_a_row_meets_its_targets_only_when_each_was_measured(
    ours: dict[str, float], theirs: dict[str, float] | str, verdict: str
) -> None:
    targets = (Target(figure="p99", at_most=100), Target(figure="p50", at_most=0.4, peer="peer"))
    assert Row(name="a row", unit="us", ours=ours, peers={"peer": theirs}, targets=targets).met() == verdict


def test_candidates_take_turns_and_a_batch_may_time_itself() -> None:
    turns: list[str] = []

    def batch() -> list[float]:
        turns.append("batch")
        return [1.0, 2.0, 6.0]

    candidates = {
        "each": Candidate(run=lambda: turns.append("each"), runs=2),
        "batch": Candidate(run=batch, runs=1, times_itself=True),
    }
    found = compare(candidates, rounds=2, unit=1)
    assert turns == ["each", "batch", "each", "each", "batch", "each", "each", "batch"]
    assert found["batch"] == {"p50": 2.0, "mean": 3.0}


def test_a_p99_needs_a_hundred_samples() -> None:
    assert "p99" not in figures([1.0] * 99, 1)
    assert figures([float(sample) for sample in range(100)], 1)["p99"] == 99


def test_the_engine_without_metering_runs_a_loop_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    engine = importlib.import_module("bench.cells").load_unmetered()
    cell = engine.start(Program(source="let n = 0; for (; n < 10000; n++); n"), CellLimits())
    assert cell.step(1) == Ended(Ending(value=b"10000"))
    cell.close()
