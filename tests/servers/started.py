"""Test servers as processes of their own, and the specs by which toolcell finds them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcell.model.servers import Protocol, ServerSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVERS = Path(__file__).parent
TRANSPORTS = ("stdio", "http", "sse")
_PATHS = {"http": "/mcp", "sse": "/sse"}


@contextmanager
def url_of(script: str, transport: str, *more: str) -> Iterator[str]:
    """Yield the URL of a started server, and stop it after."""
    argv = [sys.executable, str(SERVERS / script), transport, *more]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}{_PATHS[transport]}"
        finally:
            process.kill()


def stdio(name: str, script: str = "office.py", *more: str, **spec: Any) -> ServerSpec:
    """Return the spec of a server that toolcell starts itself."""
    args = (str(SERVERS / script), "stdio", *more)
    return ServerSpec(name=name, protocol=Protocol.STDIO, command=sys.executable, args=args, **spec)


@contextmanager
def spec_of(transport: str, name: str = "office", script: str = "office.py", **spec: Any) -> Iterator[ServerSpec]:
    """Yield the spec of a server over any transport."""
    if transport == "stdio":
        yield stdio(name, script, **spec)
        return
    protocol = Protocol.STREAMABLE_HTTP if transport == "http" else Protocol.SSE
    with url_of(script, transport) as url:
        yield ServerSpec(name=name, protocol=protocol, url=url, **spec)
