"""The one place that builds the objects of a running toolcell, from its settings."""

from __future__ import annotations

from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING

from toolcell.execution.ports import NoScripts, NoUpstreams
from toolcell.execution.service import ExecutionService
from toolcell.model.limits import MIB, RunDefaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.settings import Settings
    from toolcell.workers.inprocess import InProcessWorker


def run_defaults(settings: Settings) -> RunDefaults:
    """Return what a run gets whose request says nothing."""
    return RunDefaults(
        timeout_ms=settings.code_execution_timeout_ms,
        max_tool_calls=settings.code_execution_max_tool_calls,
        max_parallel=settings.code_execution_max_parallel,
        memory_bytes=settings.code_execution_memory_mb * MIB,
        max_result_bytes=settings.code_execution_max_result_bytes,
    )


def local_service(settings: Settings, report_fault: Callable[[str, Exception], None]) -> ExecutionService:
    """Return a service that runs programs in this process; the engine is loaded by the first run."""

    @once
    def worker() -> InProcessWorker:
        from toolcell.sandbox.engine import Engine, EngineConfig  # noqa: PLC0415  # a refused request needs no engine
        from toolcell.workers.clock import SystemClock  # noqa: PLC0415
        from toolcell.workers.inprocess import InProcessWorker  # noqa: PLC0415

        cache = Path(settings.data_dir).expanduser() / "cache"
        return InProcessWorker(Engine.load(EngineConfig(max_cells=1, cache_dir=cache)), SystemClock())

    return ExecutionService(
        enabled=settings.enable_code_execution,
        defaults=run_defaults(settings),
        worker=worker,
        upstreams=NoUpstreams(),
        scripts=NoScripts(),
        report_fault=report_fault,
    )
