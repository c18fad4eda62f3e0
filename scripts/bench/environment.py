"""Where the figures were taken: without it they say nothing."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from toolcell.sandbox.engine import GUEST
from toolcell.sandbox.native import WASMTIME_VERSION

_PEER_PACKAGES = ("quickjs-ng", "quickjs-rs", "mini-racer")


def environment() -> dict[str, str]:
    """Return processor, how busy it is, system, versions, the guest's digest and the revision of the tree."""
    return {
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "wasmtime": WASMTIME_VERSION,
        "guest_sha256": hashlib.sha256(GUEST.read_bytes()).hexdigest(),
        "revision": _output("git", "describe", "--always", "--dirty", "--abbrev=12"),
        "node": _output("node", "--version"),
        **{package: _version(package) for package in _PEER_PACKAGES},
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _output(*command: str) -> str:
    """Return what a command prints, or that it is not there."""
    try:
        done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=Path(__file__).parent)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "not there"
    return done.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
