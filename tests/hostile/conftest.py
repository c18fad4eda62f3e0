from __future__ import annotations

import pytest

from tests.hostile.bench import Bench
from tests.sandbox.conftest import compiled, engine, run

__all__ = ["bench", "compiled", "engine", "run"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak: thousands of runs; leave out with -m 'not soak' for a quick look")


@pytest.fixture(scope="session")
def bench(engine: object) -> Bench:
    """Return the whole path of a request, from its JSON to its answer, on the session's engine."""
    from toolcell.sandbox import Engine  # noqa: PLC0415

    assert isinstance(engine, Engine)
    return Bench(engine)
