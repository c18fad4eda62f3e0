from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox.driver import RunProgram, bind
from toolcell.sandbox import Engine, EngineConfig

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """One engine for the session; its compiled guest is kept in a folder of the session."""
    return Engine.load(EngineConfig(cache_dir=tmp_path_factory.mktemp("compiled")))


@pytest.fixture(scope="session")
def run(engine: Engine) -> RunProgram:
    """Run one program to its end in a fresh cell: ``run(source).value``."""
    return bind(engine)


@pytest.fixture(scope="session")
def run_ts(run: RunProgram) -> Callable[[str], Any]:
    """Return the value of a TypeScript program."""
    return lambda source: run(source, language="typescript").value
