"""The one place that builds the objects of a running toolcell, from its settings."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING

from toolcell.execution.deferred import BrokenRecords, DeferredRecords
from toolcell.execution.ports import NoScripts, NoUpstreams
from toolcell.execution.service import ExecutionService
from toolcell.model.limits import MIB, RunDefaults
from toolcell.model.servers import LaneLimits
from toolcell.model.text import quoted
from toolcell.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.execution.ports import RecordPort, UpstreamPort
    from toolcell.settings import Settings
    from toolcell.storage.activity import ActivityReader
    from toolcell.storage.approvals import ApprovalStore
    from toolcell.storage.records import Records
    from toolcell.upstreams.port import Upstreams
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


def local_service(
    settings: Settings,
    report_fault: Callable[[str, Exception], None],
    watch: Callable[[RecordPort], RecordPort] = lambda records: records,
) -> ExecutionService:
    """Return a service that runs programs in this process; the engine is loaded by the first run.

    Servers are connected and stores opened by the first call that needs them. ``watch`` may wrap the records
    to see calls come and go. ``close`` the service to disconnect.
    """
    resources = ExitStack()

    @once
    def worker() -> InProcessWorker:
        from toolcell.sandbox.engine import Engine, EngineConfig  # noqa: PLC0415  # a refused request needs no engine
        from toolcell.workers.clock import SystemClock  # noqa: PLC0415
        from toolcell.workers.inprocess import InProcessWorker  # noqa: PLC0415

        cache = data_dir(settings) / "cache"
        return InProcessWorker(Engine.load(EngineConfig(max_cells=1, cache_dir=cache)), SystemClock())

    return ExecutionService(
        enabled=settings.enable_code_execution,
        defaults=run_defaults(settings),
        worker=worker,
        upstreams=_upstreams(settings, report_fault, resources),
        scripts=NoScripts(),
        report_fault=report_fault,
        records=watch(DeferredRecords(lambda: _records(settings, report_fault, resources))),
        resources=resources,
    )


def _upstreams(
    settings: Settings, report_fault: Callable[[str, Exception], None], resources: ExitStack
) -> UpstreamPort:
    if not settings.mcpServers:
        return NoUpstreams()
    upstreams = upstream_servers(settings, report_fault)
    resources.callback(upstreams.close)
    return upstreams


def upstream_servers(settings: Settings, report_fault: Callable[[str, Exception], None]) -> Upstreams:
    """Return the configured servers; each is connected when it is first needed. ``close`` them at the end."""
    from toolcell.settings.durations import seconds  # noqa: PLC0415  # nothing to load where there are no servers
    from toolcell.upstreams.port import Upstreams  # noqa: PLC0415

    return Upstreams(
        settings.mcpServers,
        approvals=lambda: approval_store(settings),
        everyone=LaneLimits(
            max_concurrent=settings.max_concurrent_requests,
            queue_size=settings.queue_size,
            queue_timeout=seconds(settings.queue_timeout),
        ),
        call_timeout=seconds(settings.call_tool_timeout),
        report_fault=report_fault,
    )


def _records(settings: Settings, report_fault: Callable[[str, Exception], None], resources: ExitStack) -> RecordPort:
    try:
        records = record_store(settings, lambda message: report_fault("records", RuntimeError(message)))
    except Exception as error:  # noqa: BLE001  # whatever keeps the store closed keeps calls from going out
        report_fault("records", error)
        return BrokenRecords()
    resources.callback(records.close)
    return records


def activity_reader(settings: Settings) -> ActivityReader:
    """Return what reads the records under the data dir."""
    from toolcell.storage.activity import ActivityReader  # noqa: PLC0415  # SQLite, only for who needs it

    return ActivityReader(data_dir(settings))


def approval_store(settings: Settings) -> ApprovalStore:
    """Return the decisions about servers and tools under the data dir."""
    from toolcell.storage.approvals import ApprovalStore  # noqa: PLC0415  # SQLite, only for who needs it

    return ApprovalStore(data_dir(settings))


def record_store(settings: Settings, report: Callable[[str], None]) -> Records:
    """Return the record store under the data dir; it masks every credential of the configuration."""
    from toolcell.storage.masking import credentials  # noqa: PLC0415
    from toolcell.storage.records import Records  # noqa: PLC0415  # SQLite, only for who needs it

    named = [pair for spec in settings.mcpServers for pair in (*spec.headers.items(), *spec.env.items())]
    secrets = credentials([*named, ("api_key", settings.api_key or "")])
    return Records(data_dir(settings), report=report, secrets=secrets)


def data_dir(settings: Settings) -> Path:
    """Return the folder of everything that outlives a process; ``SettingsError`` when none can have the name."""
    try:
        path = Path(settings.data_dir).expanduser()
        encoded = os.fsencode(path)
    except RuntimeError:
        raise SettingsError(f"data_dir {quoted(settings.data_dir)} names a home that is not known here") from None
    except UnicodeEncodeError:
        raise SettingsError(f"data_dir {quoted(settings.data_dir)} cannot be written in this locale") from None
    if b"\0" in encoded:
        raise SettingsError(f"data_dir {quoted(settings.data_dir)} has a NUL character")
    return path
