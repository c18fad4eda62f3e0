"""What tests of several folders share: the command as a user meets it, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60
"""Seconds before a hung command fails its test; nothing measures against it."""


@dataclass(frozen=True)
class Command:
    """Runs ``toolcell`` as a process of its own."""

    home: Path

    def environ(self, **extra: str) -> dict[str, str]:
        measured = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **measured, **extra}

    def argv(self, *arguments: str | bytes) -> list[str | bytes]:
        return [sys.executable, "-m", "toolcell", *arguments]

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", **extra: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            self.argv(*arguments),
            input=stdin,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
            env=self.environ(**extra),
            cwd=self.home,
        )


@pytest.fixture(scope="session")
def toolcell(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command with an empty home, shared so that the compiled guest is made once."""
    return Command(tmp_path_factory.mktemp("home"))
