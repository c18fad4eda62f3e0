"""A server that is a child process: newline-delimited JSON-RPC over its pipes.

The child has a clean environment, a process group of its own, no inherited descriptors and, on Linux, dies
with the thread that started it. A line longer than the bound ends the connection; stderr goes into a ring.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

from toolcell.model.limits import KIB, MIB

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Mapping

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from toolcell.model.servers import ServerSpec

    Incoming = MemoryObjectSendStream[SessionMessage | Exception]
    Outgoing = MemoryObjectReceiveStream[SessionMessage]
    Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]

SAFE_VARIABLES = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
MAX_LINE_BYTES = 16 * MIB
MAX_NOISE_LINES = 1000
"""Lines in a row that are no JSON-RPC: more is not a server with a stray print but something else."""
STDERR_BYTES = 64 * KIB
GRACE = 1.0
"""Seconds a child has to end after its stdin closed, and again after SIGTERM."""

_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*[,}]')
_TIED_START = """
import ctypes, os, sys
parent, path, argv = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
if os.getppid() != parent:
    sys.exit(1)
try:
    os.execv(path, argv)
except OSError as error:
    sys.exit(f"cannot be started: {error.strerror}")
"""
"""Ties the child's life to ours (PR_SET_PDEATHSIG) and becomes it; a fork hook in a threaded process could hang."""


class CannotStart(Exception):  # noqa: N818  # the state of the command
    """The command cannot be run; the message says why, without paths."""


class StderrRing:
    """The last of what a server wrote to stderr."""

    def __init__(self, limit: int = STDERR_BYTES) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        """Keep the chunk and forget the oldest beyond the limit."""
        self._chunks.append(chunk[-self._limit :])
        self._size += len(self._chunks[-1])
        while self._size - len(self._chunks[0]) >= self._limit:
            self._size -= len(self._chunks.popleft())

    def lines(self) -> list[str]:
        """Return what is kept, as lines; the first one may have lost its beginning."""
        text = b"".join(self._chunks)[-self._limit :].decode("utf-8", "replace")
        return text.splitlines()


def environment(spec: ServerSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables a child gets: six harmless ones, then those configured for it."""
    safe = {name: environ[name] for name in SAFE_VARIABLES if name in environ and not environ[name].startswith("()")}
    return {**safe, **spec.env}


@asynccontextmanager
async def connect(spec: ServerSpec, stderr: StderrRing, ended: Callable[[str], None]) -> AsyncIterator[Streams]:
    """Yield the streams of a started child; ``ended`` is told why when it stops by itself."""
    process = await _start(spec)
    read_writer, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, write_reader = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_read(process, read_writer, ended)),
        asyncio.create_task(_write(process, write_reader)),
        asyncio.create_task(_keep_stderr(process, stderr)),
    ]
    try:
        yield read, write
    finally:
        with anyio.CancelScope(shield=True):
            await _stop(process, tasks[1])
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for stream in (read, write, read_writer, write_reader):
                stream.close()


async def _start(spec: ServerSpec) -> Process:
    variables = environment(spec, os.environ)
    path = shutil.which(spec.command, path=variables.get("PATH", os.defpath))
    if path is None:
        raise CannotStart("its command is not installed, or is not on the PATH it gets")
    argv = [path, *spec.args]
    if sys.platform == "linux":
        argv = [sys.executable, "-I", "-S", "-c", _TIED_START, str(os.getpid()), path, *argv]
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=variables,
            cwd=spec.working_dir,
            start_new_session=True,
            limit=MAX_LINE_BYTES,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its command or directory is not valid"
        raise CannotStart(f"its command cannot be started: {reason}") from None


async def _read(process: Process, into: Incoming, ended: Callable[[str], None]) -> None:
    """Pass on each line as a message until the child's stdout ends or breaks a bound."""
    assert process.stdout is not None  # noqa: S101  # created with a pipe
    noise = 0
    reason = "it ended by itself"
    try:
        while noise <= MAX_NOISE_LINES:
            line = await process.stdout.readuntil(b"\n")
            message = _message(line)
            noise = noise + 1 if message is None else 0
            if message is not None:
                await into.send(message)
        reason = "it writes something other than MCP messages to its stdout"
    except asyncio.IncompleteReadError:
        pass
    except (asyncio.LimitOverrunError, ValueError):
        reason = f"it sent a message larger than {MAX_LINE_BYTES // MIB} MiB"
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return
    finally:
        into.close()
    ended(reason)


def _message(line: bytes) -> SessionMessage | None:
    """Return the message of a line; one that cannot be read but names a request of ours fails that request."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        found = _ID.search(line)
        if found is None or not _is_object(line):
            return None
        error = ErrorData(code=PARSE_ERROR, message="The server's answer is malformed or nested too deep")
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error))


def _is_object(line: bytes) -> bool:
    return line.lstrip().startswith(b"{")


async def _write(process: Process, out: Outgoing) -> None:
    assert process.stdin is not None  # noqa: S101  # created with a pipe
    with contextlib.suppress(OSError, anyio.ClosedResourceError):
        async for outgoing in out:
            text = outgoing.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode("utf-8", "replace") + b"\n")
            await process.stdin.drain()
    out.close()


async def _keep_stderr(process: Process, ring: StderrRing) -> None:
    assert process.stderr is not None  # noqa: S101  # created with a pipe
    while chunk := await process.stderr.read(4096):
        ring.write(chunk)


async def _stop(process: Process, writer: asyncio.Task[None]) -> None:
    """Let the child end, then make it: stdin closes, SIGTERM, SIGKILL, each to its whole group."""
    await asyncio.wait({writer}, timeout=0.1)
    if process.stdin is not None:
        process.stdin.close()
    if not await _gone(process):
        _signal_group(process, signal.SIGTERM)
        await _gone(process)
    _signal_group(process, signal.SIGKILL)
    await _gone(process)
    transport: Any = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()


async def _gone(process: Process) -> bool:
    """Return whether the child ended within the grace; its pipes may live on in a grandchild."""
    waiting = asyncio.ensure_future(process.wait())
    done, _ = await asyncio.wait({waiting}, timeout=GRACE)
    if not done:
        waiting.cancel()
    return process.returncode is not None


def _signal_group(process: Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
