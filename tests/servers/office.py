"""An MCP server with the names and tools that the examples call, over any transport.

Run as ``office.py stdio``, ``office.py http`` or ``office.py sse``.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ImageContent, TextContent

office = MCPServer("office")
held: dict[str, anyio.Event] = {}
cancelled: list[str] = []
USERS = {
    "octocat": {"login": "octocat", "name": "The Octocat", "public_repos": 8},
    "torvalds": {"login": "torvalds", "name": "Linus Torvalds", "public_repos": 9},
}


@office.tool()
def get_user(username: str) -> dict[str, Any]:
    """A user by name."""
    if username not in USERS:
        raise ToolError(f"no user {username}")
    return USERS[username]


@office.tool()
def list_repos(user: str) -> list[dict[str, Any]]:
    """The repositories of a user."""
    return [
        {"name": "Hello-World", "archived": False, "pushed_at": "2026-01-01", "stargazers_count": 80, "language": "C"},
        {"name": "old", "archived": True, "pushed_at": "2011-01-01", "stargazers_count": 20, "language": None},
        {
            "name": f"{user}.github.io",
            "archived": False,
            "pushed_at": "2026-02-01",
            "stargazers_count": 2,
            "language": "C",
        },
    ]


@office.tool()
def get_repo(name: str) -> dict[str, Any]:
    """A repository by name."""
    if name == "missing":
        raise ToolError("no such repository")
    return {"name": name, "stars": len(name)}


@office.tool(structured_output=False)
def get_pull_request(owner: str, repo: str, pullNumber: int) -> str:  # noqa: N803  # the seeds' name
    """A pull request, as JSON text."""
    return f'{{"title": "{owner}/{repo} #{pullNumber}"}}'


@office.tool()
def get_item(id: int) -> dict[str, Any]:  # noqa: A002  # the seeds' name
    """An item by id."""
    if id < 0:
        raise ToolError("no such item")
    return {"id": id, "label": f"item {id}"}


@office.tool()
def query(sql: str) -> list[dict[str, Any]]:
    """The rows of a query."""
    return [{"sql": sql}]


@office.tool()
def ping() -> str:
    """Pong."""
    return "pong"


@office.tool()
async def sleep(seconds: float) -> float:
    """Take a while."""
    await anyio.sleep(seconds)
    return seconds


@office.tool()
async def hold(key: str) -> str:
    """Wait until somebody releases the key."""
    held[key] = anyio.Event()
    try:
        await held[key].wait()
    except BaseException:
        cancelled.append(key)
        raise
    return key


@office.tool()
def release(key: str) -> str:
    """Let the call that holds the key go on."""
    held[key].set()
    return key


@office.tool()
def holding() -> dict[str, list[str]]:
    """The keys that were held, and those whose calls were cancelled."""
    return {"held": list(held), "cancelled": cancelled}


@office.tool()
def picture() -> CallToolResult:
    """An image with a caption."""
    return CallToolResult(
        content=[TextContent(text="a dot"), ImageContent(data="AA==", mime_type="image/png")], _meta={"dpi": 72}
    )


@office.tool()
def text(text: str) -> CallToolResult:
    """The text as it is."""
    return CallToolResult(content=[TextContent(text=text)])


def main(transport: str) -> None:
    """Serve until stopped; over HTTP the first line on stdout is the port."""
    if transport == "stdio":
        office.run("stdio")
    else:
        serve(office.streamable_http_app() if transport == "http" else office.sse_app())


def serve(app: Any) -> None:
    """Serve an ASGI application on a free port, which is printed."""
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every small answer takes 40 ms.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
