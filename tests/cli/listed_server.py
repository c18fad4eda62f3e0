"""A stdio MCP server that offers the tools a JSON file names, so that a test can change them between runs.

Usage: ``listed_server.py TOOLS.json``. A tool answers with its own name and keeps a line of it in ``TOOLS.calls``;
``hang`` never answers and ``fail`` reports an error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def tools() -> list[types.Tool]:
    return [types.Tool.model_validate(tool) for tool in json.loads(Path(sys.argv[1]).read_text())]


async def list_tools(_context: Any, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=tools(), ttl_ms=0, cache_scope="private")


async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    with Path(sys.argv[1]).with_suffix(".calls").open("a") as calls:
        calls.write(f"{params.name}\n")
    if params.name == "hang":
        await anyio.sleep_forever()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=params.name)], is_error=params.name == "fail"
    )


async def main() -> None:
    sys.stderr.write("listed server: up\n\x1b[31mand red\n")
    server = Server("listed", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
