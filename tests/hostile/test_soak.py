"""Bounded forms of scripts/soak.py and scripts/suspended.py; the scripts give the full figures."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolcell.sandbox import Engine, EngineConfig

if TYPE_CHECKING:
    from types import ModuleType

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.soak
def test_thousands_of_runs_a_third_hostile_leave_memory_files_and_threads_flat(compiled: Path) -> None:
    engine = Engine.load(EngineConfig(max_cells=8, cache_dir=compiled))
    figures: dict[str, Any] = script("soak").soak(engine, 5_000, seed=7)
    assert figures["wrong"] == []
    assert {"value", "TIMEOUT", "MEMORY_LIMIT_EXCEEDED", "RUNTIME_ERROR", "SYNTAX_ERROR"} <= set(figures["endings"])


@pytest.mark.soak
def test_500_cells_suspended_at_once_resume_each_with_its_own_value(compiled: Path) -> None:
    engine = Engine.load(EngineConfig(max_cells=501, cache_dir=compiled))
    figures: dict[str, float] = script("suspended").measure(engine, 500)
    assert figures["wrong"] == 0
    assert figures["pss_bytes"] < 200 * 1024
