from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.contract.surfaces import CliSurface, ServiceSurface
from toolcell.bootstrap import local_service
from toolcell.settings import Settings

if TYPE_CHECKING:
    from tests.conftest import Command
    from tests.contract.surfaces import Surface


@pytest.fixture(scope="session")
def service_surface(toolcell: Command) -> ServiceSurface:
    settings = Settings(enable_code_execution=True, data_dir=str(toolcell.home / ".toolcell"))

    def fail(execution_id: str, error: Exception) -> None:
        sys.stderr.write(f"fault in {execution_id}: {error!r}\n")

    return ServiceSurface(local_service(settings, fail))


@pytest.fixture(scope="session")
def cli_surface(toolcell: Command) -> CliSurface:
    return CliSurface(toolcell)


@pytest.fixture(params=["service", "cli"])
def surface(request: pytest.FixtureRequest) -> Surface:
    chosen: Surface = request.getfixturevalue(f"{request.param}_surface")
    return chosen
