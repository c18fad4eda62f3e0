"""``toolcell upstream``: the configured tool servers, and the decisions about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from toolcell.cli import report
from toolcell.cli.administration import look_at, office
from toolcell.cli.diagnostics import UsageError
from toolcell.cli.table import table
from toolcell.cli.terminal import printable
from toolcell.model.approval import ServerDecision, ToolState
from toolcell.model.servers import Protocol
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from toolcell.cli.administration import Office
    from toolcell.model.servers import ServerSpec

app = typer.Typer(rich_markup_mode=None, help="The tool servers of the configuration.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The server's name in the configuration.")]


@app.command("list", help="List the servers, their state and what is known of their tools; connects to none.")
def list_servers(*, output: report.Output = report.Form.TABLE, config: report.Config = None) -> None:
    """Print the configured servers."""
    with office(config) as desk:
        found = [_described(desk, spec) for spec in desk.settings.mcpServers]
    if output is report.Form.JSON:
        report.say_json(found)
    elif found:
        heads = ("NAME", "STATE", "PROTOCOL", "TARGET", "TOOLS", "WAITING")
        report.say(table(heads, [tuple(str(server[head.lower()]) for head in heads) for server in found]))
    else:
        report.say("No servers. They stand under mcpServers in the configuration.")


@app.command("approve", help="Let programs use a quarantined server; its tools are approved as it listed them first.")
def approve(name: Name, *, config: report.Config = None) -> None:
    """Approve a server."""
    with office(config) as desk:
        spec = desk.spec(name)
        before = state(spec, desk)
        desk.approvals.decide(name, ServerDecision.APPROVED)
        known = _described(desk, spec)
    if before == "ready":
        report.say(f"{printable(name)} was not quarantined")
    elif known["tools"]:
        report.say(f"{printable(name)} is approved with {known['tools'] - known['waiting']} tools")
    else:
        report.say(f"{printable(name)} is approved; the first tools it lists are approved with it")
    if known["waiting"]:
        report.say(f"{known['waiting']} of its tools wait: toolcell tools approve shows what changed")


@app.command("quarantine", help="Let no program use a server until it is approved again.")
def quarantine(name: Name, *, config: report.Config = None) -> None:
    """Quarantine a server."""
    with office(config) as desk:
        desk.spec(name)
        desk.approvals.decide(name, ServerDecision.QUARANTINED)
    report.say(f"{printable(name)} is quarantined; toolcell upstream approve lets programs use it again")


@app.command("logs", help="Connect to a server and show what it writes to stderr meanwhile.")
def logs(
    name: Name,
    *,
    tail: Annotated[int, typer.Option(help="At most so many lines, the last ones.", min=1, max=10_000)] = 100,
    config: report.Config = None,
) -> None:
    """Start a stdio server, list its tools, and print what it said."""
    with office(config) as desk:
        spec = desk.spec(name)
        if spec.protocol is not Protocol.STDIO:
            raise UsageError(f"{quoted(name)} speaks {spec.protocol}: its log is where it runs")
        (look,) = look_at(desk, [name])
    if look.stderr:
        report.say("\n".join(printable(line) for line in look.stderr[-tail:]))
    end = look.error or f"connected in {look.ms:.0f} ms, {look.tools} tools"
    typer.echo(f"toolcell: {printable(end)}", err=True)
    if look.error:
        raise typer.Exit(1)


def state(spec: ServerSpec, desk: Office) -> str:
    """Return whether programs may use the server: ``ready``, ``disabled`` or ``quarantined``."""
    if not spec.enabled:
        return "disabled"
    return "ready" if desk.approvals.of(spec.name).trusts(configured=not spec.quarantined) else "quarantined"


def _described(desk: Office, spec: ServerSpec) -> dict[str, Any]:
    from toolcell.upstreams.quarantine import state_of  # noqa: PLC0415  # only what the command needs

    decided = desk.approvals.of(spec.name)
    states = [state_of(tool.listed, decided) for tool in desk.approvals.tools(spec.name)]
    return {
        "name": spec.name,
        "state": state(spec, desk),
        "protocol": spec.protocol.value,
        "target": target(spec),
        "tools": len(states),
        "waiting": sum(one is not ToolState.APPROVED for one in states),
    }


def target(spec: ServerSpec) -> str:
    """Return what the server is reached by, without arguments, credentials or query."""
    if spec.protocol is Protocol.STDIO:
        return spec.command
    parts = urlsplit(spec.url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
