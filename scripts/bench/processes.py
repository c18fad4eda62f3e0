"""Whole processes: the command line, the pieces of a start, and ten thousand cells held at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench import peers
from bench.cells import WrongAnswerError
from bench.children import ask
from bench.rows import Row, Target
from bench.sampling import MILLISECONDS, Candidate, compare
from toolcell.sandbox.engine import GUEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.scale import Scale

_MIB = 1 << 20


def command_line(scale: Scale) -> list[Row]:
    """``toolcell code exec --code '1+1'`` with a warm cache, against a node process that does nothing."""
    with TemporaryDirectory() as home:
        run = _exec(home)
        run()
        candidates = {"ours": Candidate(run=run, runs=scale.processes)}
        if peers.has(peers.NODE):
            candidates[peers.NODE] = Candidate(run=peers.node_process, runs=scale.processes)
        found = compare(candidates, scale.rounds, MILLISECONDS)
    return [
        Row(
            name="toolcell code exec --code '1+1'",
            unit="ms",
            ours=found.pop("ours"),
            peers=peers.entries((peers.NODE,), found),
            targets=(Target(figure="p50", at_most=300), Target(figure="p50", at_most=3, peer=peers.NODE)),
        )
    ]


def start_up(scale: Scale) -> list[Row]:
    """The parts of a start, each in new processes, and the sizes on disk."""
    with TemporaryDirectory() as cache:
        ask("start_up", cache)  # fills the cache, and the byte code of every import
        warm = [ask("start_up", cache) for _ in range(scale.rounds)]
        cached = sum(file.stat().st_size for file in Path(cache).iterdir())
    cold = [ask("start_up", "-") for _ in range(min(scale.rounds, 3))]
    return [
        Row(name="import toolcell.sandbox", unit="ms", ours={"p50": median(found["import_ms"] for found in warm)}),
        Row(name="engine, compiled module cached", unit="ms", ours={"p50": median(found["load_ms"] for found in warm)}),
        Row(name="engine, compiled anew", unit="ms", ours={"p50": median(found["load_ms"] for found in cold)}),
        Row(name="guest, .wasm", unit="MiB", ours={"size": GUEST.stat().st_size / _MIB}),
        Row(name="guest, compiled", unit="MiB", ours={"size": cached / _MIB}),
    ]


def suspended(scale: Scale, cache_dir: Path) -> list[Row]:
    """Cells that all wait for a tool in one process: memory each, and whether each resumes with its own value."""
    if not Path("/proc/self/smaps_rollup").exists():
        return [Row(name="suspended cells", unit="KiB", reason="this system does not tell a process's PSS")]
    found = ask("suspended", str(scale.suspended), str(cache_dir))
    if found["wrong"]:
        raise WrongAnswerError(f"{found['wrong']} of {scale.suspended} suspended cells gave another cell's value")
    name = f"{scale.suspended:,} suspended cells"
    bound = (Target(figure="each", at_most=150),)
    return [
        Row(
            name=f"{name}: PSS", unit="KiB", ours={"each": found["pss_kib_each"]}, targets=bound, reason="all answered"
        ),
        Row(name=f"{name}: start", unit="us", ours={"each": found["start_us_each"]}),
        Row(name=f"{name}: resume", unit="us", ours={"each": found["resume_us_each"]}),
    ]


def _exec(home: str) -> Callable[[], None]:
    script = Path(sys.executable).with_name("toolcell")
    start = [str(script)] if script.exists() else [sys.executable, "-m", "toolcell"]
    command = [*start, "code", "exec", "--code", "1+1"]
    environment = os.environ | {"HOME": home}

    def run() -> None:
        subprocess.run(command, capture_output=True, check=True, env=environment)  # noqa: S603

    return run
