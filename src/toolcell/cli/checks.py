"""What ``toolcell doctor`` looks at: each check says what it found and, when that is bad, what to do."""

from __future__ import annotations

import platform
import shutil
import sys
import time
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.metadata import version
from typing import TYPE_CHECKING

from toolcell import __version__
from toolcell.bootstrap import activity_reader, data_dir, local_service
from toolcell.cli import report
from toolcell.cli.administration import look_at
from toolcell.cli.diagnostics import UsageError
from toolcell.cli.upstream_command import state
from toolcell.model.approval import ToolState
from toolcell.model.limits import MIB
from toolcell.model.request import Caller
from toolcell.model.servers import Protocol
from toolcell.workers.cancel import Cancel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcell.cli.administration import Look, Office
    from toolcell.model.servers import ServerSpec
    from toolcell.settings import Settings

_LOW_SPACE = 256 * MIB
_OTHERS_WRITE = 0o022


class Verdict(StrEnum):
    """How bad it is; ``FAIL`` makes the command's exit code 1."""

    OK = "ok"
    NOTE = "note"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding and, when it is not as it should be, what to do about it."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the check as JSON has it."""
        body = {"name": self.name, "verdict": self.verdict.value, "found": self.found, "advice": self.advice}
        return {key: value for key, value in body.items() if value}


def python() -> Check:
    """Return whether this Python and system are ones that toolcell runs on."""
    found = f"{platform.python_version()} on {sys.platform} {platform.machine()}, toolcell {__version__}"
    if sys.platform != "linux":
        advice = "run it on Linux: isolation and stores are tested nowhere else"
        return Check(name="python", verdict=Verdict.NOTE, found=found, advice=advice)
    return Check(name="python", verdict=Verdict.OK, found=found)


def cell(settings: Settings) -> Check:
    """Return whether the engine passes its self-test and a program runs to its value."""
    faults: list[Exception] = []
    service = local_service(replace(settings, enable_code_execution=True), lambda _, error: faults.append(error))
    started = time.monotonic()
    outcome = service.execute({"code": "1 + 1"}, Caller(), Cancel())
    ms = (time.monotonic() - started) * 1000
    service.close()
    wasmtime = f"wasmtime {version('wasmtime')}"
    if outcome.value_json == b"2":
        found = f"{wasmtime}, guest and self-test passed, 1 + 1 ran in {ms:.0f} ms with the start"
        return Check(name="cell", verdict=Verdict.OK, found=found)
    why = str(faults[0]) if faults else str(outcome.error and outcome.error.message)
    return Check(name="cell", verdict=Verdict.FAIL, found=f"{wasmtime}: {why}", advice="reinstall toolcell")


def feature(settings: Settings) -> Check:
    """Return whether code execution is switched on."""
    if settings.enable_code_execution:
        return Check(name="code execution", verdict=Verdict.OK, found="on")
    advice = 'set "enable_code_execution": true in the configuration to run programs'
    return Check(name="code execution", verdict=Verdict.NOTE, found="off", advice=advice)


def folder(settings: Settings) -> Check:
    """Return whether the data dir is private and has room, and its stores can be opened."""
    path = data_dir(settings)
    try:
        with report.stores():
            activity_reader(settings).close()
    except UsageError as error:
        advice = f"make {path} a folder that you own and can write to"
        return Check(name="data dir", verdict=Verdict.FAIL, found=str(error), advice=advice)
    free = shutil.disk_usage(path).free
    found = f"{path}, {free // MIB} MiB free"
    if free < _LOW_SPACE:
        advice = "free some space: a call whose record cannot be kept is not sent"
        return Check(name="data dir", verdict=Verdict.FAIL, found=found, advice=advice)
    if path.stat().st_mode & _OTHERS_WRITE:
        advice = f"chmod 700 {path}: other users can replace what is in it"
        return Check(name="data dir", verdict=Verdict.NOTE, found=found, advice=advice)
    return Check(name="data dir", verdict=Verdict.OK, found=found)


def servers(desk: Office) -> Iterator[Check]:
    """Yield a check for each server in the order of the file; those in use are connected, all at once."""
    states = {spec.name: state(spec, desk) for spec in desk.settings.mcpServers}
    looks = {look.server: look for look in look_at(desk, [name for name, one in states.items() if one == "ready"])}
    for spec in desk.settings.mcpServers:
        if spec.name in looks:
            yield _looked_at(desk, spec, looks[spec.name])
        else:
            yield _left_alone(spec, states[spec.name])


def _left_alone(spec: ServerSpec, standing: str) -> Check:
    advice = {
        "disabled": 'set "enabled": true in the configuration to use it',
        "quarantined": f"look at its tools with toolcell tools list --server {spec.name},"
        f" then let programs use it with toolcell upstream approve {spec.name}",
    }[standing]
    return Check(name=spec.name, verdict=Verdict.NOTE, found=f"{standing}, not connected", advice=advice)


def _looked_at(desk: Office, spec: ServerSpec, look: Look) -> Check:
    if look.error is not None:
        return Check(name=spec.name, verdict=Verdict.FAIL, found=look.error, advice=_advice(spec, look.error))
    found = f"connected in {look.ms:.0f} ms, {look.tools} tools, protocol {look.version}"
    if look.left_out:
        found += f", {look.left_out} definitions left out as unusable"
    waiting = _waiting(desk, spec.name)
    if waiting:
        advice = f"see what changed and approve it with toolcell tools approve {spec.name}"
        found += f", {waiting} wait for approval"
        return Check(name=spec.name, verdict=Verdict.NOTE, found=found, advice=advice)
    return Check(name=spec.name, verdict=Verdict.OK, found=found)


def _waiting(desk: Office, name: str) -> int:
    from toolcell.upstreams.quarantine import state_of  # noqa: PLC0415  # loaded with the servers

    decided = desk.approvals.of(name)
    return sum(state_of(tool.listed, decided) is not ToolState.APPROVED for tool in desk.approvals.tools(name))


_ADVICE = (
    ("not installed", "install the command, or give its full path as command"),
    ("did not answer within", "see that it runs; if it is slow to start, raise its init_timeout"),
    ("HTTP 401", "check the credentials in its headers"),
    ("HTTP 403", "check the credentials in its headers"),
    ("HTTP 404", "check the path of its url"),
    ("cannot be reached", "check its url, and that the server runs"),
)


def _advice(spec: ServerSpec, error: str) -> str:
    """Return what to do about a failure, by its words; every message of the sessions is known to end somewhere."""
    for words, advice in _ADVICE:
        if words in error:
            return advice
    if spec.protocol is Protocol.STDIO:
        return f"read what it writes with toolcell upstream logs {spec.name}"
    return "check its url and protocol, and that the server runs"
