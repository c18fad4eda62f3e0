from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox.driver import RunProgram, bind
from toolcell.sandbox import Engine, EngineConfig

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session's folder of compiled guests: only the first engine pays for compiling."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="session")
def engine(compiled: Path) -> Engine:
    """One engine for the session."""
    return Engine.load(EngineConfig(cache_dir=compiled))


@pytest.fixture(scope="session")
def run(engine: Engine) -> RunProgram:
    """Run one program to its end in a fresh cell: ``run(source).value``."""
    return bind(engine)


@pytest.fixture(scope="session")
def run_ts(run: RunProgram) -> Callable[[str], Any]:
    """Return the value of a TypeScript program."""
    return lambda source: run(source, language="typescript").value
