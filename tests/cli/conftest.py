"""A configuration with a real stdio server whose tools a test can change."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess

    from tests.conftest import Command

SERVER = Path(__file__).parent / "listed_server.py"

GET_USER = {
    "name": "get_user",
    "description": "Return a user.\nIt is free.",
    "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
}
LIST_USERS = {"name": "list_users", "description": "Return all users.", "inputSchema": {"type": "object"}}


@dataclass(frozen=True)
class Site:
    """A folder with a configuration, a data dir and the list of what the server offers."""

    command: Command
    folder: Path

    def offer(self, *tools: dict[str, Any]) -> None:
        (self.folder / "tools.json").write_text(json.dumps(tools))

    def configure(self, *servers: dict[str, Any], **keys: Any) -> None:
        body = {"data_dir": str(self.folder / "data"), "mcpServers": servers, "enable_code_execution": True}
        (self.folder / "config.json").write_text(json.dumps(body | keys))

    def github(self, **keys: Any) -> dict[str, Any]:
        args = [str(SERVER), str(self.folder / "tools.json")]
        return {"name": "github", "command": sys.executable, "args": args, **keys}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return self.command(*arguments, "--config", str(self.folder / "config.json"))

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "-o", "json")
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    def states(self, *arguments: str) -> dict[str, str]:
        """Return the state of each tool, as ``tools list`` with these arguments tells it."""
        return {tool["tool"]: tool["state"] for tool in self.json("tools", "list", *arguments)}


@pytest.fixture
def site(toolcell: Command, tmp_path: Path) -> Site:
    """One trusted server with two tools."""
    site = Site(toolcell, tmp_path)
    site.offer(GET_USER, LIST_USERS)
    site.configure(site.github())
    return site
