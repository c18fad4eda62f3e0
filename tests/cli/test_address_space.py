"""What is said where the process may not reserve the addresses of a cell."""

from __future__ import annotations

import resource
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_exec import answer
from toolcell.sandbox import engine
from toolcell.sandbox.engine import Engine, EngineConfig, EngineError

if TYPE_CHECKING:
    from tests.conftest import Command


def test_too_small_an_address_space_is_a_sentence_and_no_abort(toolcell: Command) -> None:
    shell = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh"]
    done = subprocess.run(
        [*shell, *toolcell.argv("code", "exec", "--code", "1")],
        capture_output=True,
        check=False,
        timeout=60,
        env=toolcell.environ(),
    )
    assert done.returncode == 1
    assert answer(done)["error"]["code"] == "EXECUTION_FAILED"
    assert b"the address space of this process is limited to 3906 MiB" in done.stderr
    assert b"raise the limit" in done.stderr
    assert b"panicked" not in done.stderr


@pytest.mark.parametrize(("cells", "fewer"), [(1, 0), (64, 1)])
def test_fewer_cells_are_advised_where_there_are_several(
    monkeypatch: pytest.MonkeyPatch, cells: int, fewer: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (engine.CELL_ADDRESSES, engine.CELL_ADDRESSES))
    with pytest.raises(EngineError, match=f"an engine with max_cells={cells} reserves up to") as raised:
        Engine(EngineConfig(max_cells=cells))
    assert str(raised.value).count("or lower max_cells") == fewer


def test_what_an_engine_is_said_to_reserve_is_enough_for_it(toolcell: Command) -> None:
    enough = (2 * engine.CELL_ADDRESSES + engine.OTHER_ADDRESSES) // 1024
    shell = ["sh", "-c", f'ulimit -v {enough}; exec "$@"', "sh"]
    done = subprocess.run(
        [*shell, *toolcell.argv("code", "exec", "--code", "1")],
        capture_output=True,
        check=False,
        timeout=60,
        env=toolcell.environ(),
    )
    assert answer(done)["value"] == 1
