"""``toolcell tools``: what the servers offer, what changed, and which of it programs may call."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcell.cli import report
from toolcell.cli.administration import look_at, office
from toolcell.cli.diagnostics import Level, UsageError
from toolcell.cli.table import shortened, table
from toolcell.cli.terminal import printable
from toolcell.cli.upstream_command import state
from toolcell.model.approval import ToolState
from toolcell.model.text import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolcell.cli.administration import Office
    from toolcell.storage.approvals import ListedTool

app = typer.Typer(rich_markup_mode=None, help="The tools of the servers.")

_DESCRIPTION = 60


@app.command("list", help="List the tools as their servers listed them last, and whether they may be called.")
def list_tools(
    *,
    server: Annotated[str | None, typer.Option(help="Only tools of this server.", metavar="NAME")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Ask every server again.")] = False,
    output: report.Output = report.Form.TABLE,
    config: report.Config = None,
) -> None:
    """Print the tools that the store knows; servers that were never asked are asked first."""
    with office(config) as desk:
        names = [desk.spec(server).name] if server else [spec.name for spec in desk.settings.mcpServers]
        _ask(desk, names, again=refresh, even_quarantined=server is not None)
        found = [_described(desk, tool) for name in names for tool in desk.approvals.tools(name)]
    if output is report.Form.JSON:
        report.say_json(found)
    elif found:
        rows = [(t["server"], t["tool"], t["state"], shortened(t["description"], _DESCRIPTION)) for t in found]
        report.say(table(("SERVER", "TOOL", "STATE", "DESCRIPTION"), rows))
    else:
        report.say("No tools.")


@app.command("approve", help="Show what changed in tools and approve them as they are now.")
def approve(
    server: Annotated[str, typer.Argument(metavar="SERVER", help="The server's name in the configuration.")],
    tools: Annotated[
        list[str] | None, typer.Argument(metavar="TOOL...", help="Default: every tool that waits.")
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve without asking.")] = False,
    config: report.Config = None,
) -> None:
    """Approve tools by the definitions that are shown, and no others."""
    with office(config) as desk:
        desk.spec(server)
        chosen = _chosen(desk, server, tools or [])
        if not chosen:
            report.say(f"No tool of {printable(server)} waits for approval.")
            return
        report.say("\n\n".join(_changes(tool) for tool in chosen))
        _confirm(len(chosen), yes=yes)
        for tool in chosen:
            desk.approvals.approve_tool(server, tool.listed)
    report.say(f"Approved: {', '.join(printable(tool.listed.name) for tool in chosen)}")


def _ask(desk: Office, names: Sequence[str], *, again: bool, even_quarantined: bool) -> None:
    """Ask servers for their tools: those never asked, or all; a quarantined one only when it is named."""
    usable = {"ready", "quarantined"} if even_quarantined else {"ready"}
    due = [
        name for name in names if state(desk.spec(name), desk) in usable and (again or not desk.approvals.tools(name))
    ]
    for look in look_at(desk, due):
        if look.error:
            desk.diagnostics.say(Level.WARN, look.error)


def _described(desk: Office, tool: ListedTool) -> dict[str, Any]:
    definition = json.loads(tool.listed.canonical)
    return {
        "server": tool.server,
        "tool": tool.listed.name,
        "state": _state(desk, tool).value,
        "description": definition.get("description", ""),
        "digest": tool.listed.digest,
    }


def _state(desk: Office, tool: ListedTool) -> ToolState:
    from toolcell.upstreams.quarantine import state_of  # noqa: PLC0415  # only what the command needs

    return state_of(tool.listed, desk.approvals.of(tool.server))


def _chosen(desk: Office, server: str, names: Sequence[str]) -> list[ListedTool]:
    """Return the tools that wait, or those of them that are named; a name that is not listed is an error."""
    listed = {tool.listed.name: tool for tool in desk.approvals.tools(server)}
    for name in names:
        if name not in listed:
            hint = did_you_mean(name, listed) if listed else ": it has listed none yet; see toolcell tools list"
            raise UsageError(f"{quoted(server)} lists no tool {quoted(name)}{hint}")
    chosen = [listed[name] for name in names] or list(listed.values())
    return [tool for tool in chosen if _state(desk, tool) is not ToolState.APPROVED]


def _changes(tool: ListedTool) -> str:
    """Return what an admin has to read before approving a tool."""
    from toolcell.upstreams.quarantine import difference  # noqa: PLC0415  # only what the command needs

    how = "is new" if tool.approved is None else "changed since it was approved"
    lines = (printable(line) for line in difference(tool.approved, tool.listed))
    return "\n".join([f"{printable(f'{tool.server}.{tool.listed.name}')} {how}:", *lines])


def _confirm(count: int, *, yes: bool) -> None:
    """Ask the person at the terminal; without one, ``--yes`` has to say it."""
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("nothing approved: add --yes to approve what is shown")
    if not typer.confirm(f"Approve {count} {'tool' if count == 1 else 'tools'} as shown?"):
        raise UsageError("nothing approved")
