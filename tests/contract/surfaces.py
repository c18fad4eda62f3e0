"""The surfaces a run can be asked for on, behind one shape, so that one body tests them all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from toolcell.execution.request import OPTIONS
from toolcell.model.refusal import Refusal
from toolcell.model.request import Caller
from toolcell.workers.cancel import Cancel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import Command
    from toolcell.execution.service import ExecutionService


@dataclass(frozen=True)
class Reply:
    """What came back: the answer object, or the sentence of a refusal and its code where the surface has one."""

    body: dict[str, Any] = field(default_factory=dict)
    refusal: str | None = None
    code: str | None = None


class Surface(Protocol):
    def run(self, request: Mapping[str, Any]) -> Reply: ...


@dataclass(frozen=True)
class ServiceSurface:
    """The service itself, in this process."""

    service: ExecutionService

    def run(self, request: Mapping[str, Any]) -> Reply:
        try:
            outcome = self.service.execute(dict(request), Caller(), Cancel())
        except Refusal as refusal:
            return Reply(refusal=refusal.message, code=refusal.code.value)
        body: dict[str, Any] = json.loads(outcome.to_json())
        assert body == outcome.to_dict()
        return Reply(body=body)


@dataclass(frozen=True)
class CliSurface:
    """``toolcell code exec`` as a process; the program comes by stdin."""

    toolcell: Command

    def run(self, request: Mapping[str, Any]) -> Reply:
        done = self.toolcell("code", "exec", *cli_flags(request), stdin=str(request.get("code", "")).encode())
        if done.returncode == 2:
            assert done.stdout == b""
            return Reply(refusal=done.stderr.decode())
        body: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (0 if body["ok"] else 1)
        return Reply(body=body)


def cli_flags(request: Mapping[str, Any]) -> list[str]:
    """Return a request as flags; only for requests of which ``on_cli`` is true."""
    options = request.get("options", {})
    flags = ["--file", "-"]
    flags += [f"--language={request['language']}"] if "language" in request else []
    flags += [f"--input={json.dumps(request['input'])}"] if "input" in request else []
    flags += [f"--timeout={options['timeout_ms']}"] if "timeout_ms" in options else []
    flags += [f"--max-tool-calls={options['max_tool_calls']}"] if "max_tool_calls" in options else []
    flags += [f"--allowed-servers={','.join(options['allowed_servers'])}"] if options.get("allowed_servers") else []
    return flags


def on_cli(request: Mapping[str, Any]) -> bool:
    """Return whether flags can express the request."""
    known = set(request) <= {"code", "language", "input", "options"} and set(request.get("options", {})) <= set(OPTIONS)
    return known and isinstance(request.get("code"), str)
