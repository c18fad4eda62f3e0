"""The commands as the command library sees them: help, and the errors of a malformed command line."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcell import __version__
from toolcell.cli import activity_command, doctor_command, tools_command, upstream_command
from toolcell.cli.diagnostics import UsageError
from toolcell.cli.exec_command import execute
from toolcell.cli.flags import EXEC_FLAGS, Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT = "Run the programs agents write, each in a fresh WebAssembly cell."

app = typer.Typer(
    name="toolcell", add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, help=_ABOUT
)
code = typer.Typer(rich_markup_mode=None, help="Run programs.")
app.add_typer(code, name="code")
app.add_typer(activity_command.app, name="activity")
app.add_typer(tools_command.app, name="tools")
app.add_typer(upstream_command.app, name="upstream")
app.command("doctor", help="Check that everything a run needs is there, and say what to do if not.")(
    doctor_command.doctor
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001  # typer calls it with the flag's value
    if wanted:
        typer.echo(f"toolcell {__version__}")
        raise typer.Exit


@app.callback()
def _toolcell(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    del version


def _exec(**given: Any) -> None:  # noqa: ANN401  # one value for each flag of the table
    values = {
        key: list(value) if isinstance(value, list) else [value]
        for key, value in given.items()
        if value not in (None, [])
    }
    raise typer.Exit(execute(values))


def _parameter(flag: Flag) -> Parameter:
    """Return a flag of the table as the keyword parameter that typer reads a flag from."""
    plain = list[str] | None if flag.repeatable else str | None
    option = typer.Option(flag.name, help=flag.help, metavar=flag.kind)
    return Parameter(flag.key, Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[plain, option])


_parameters = [_parameter(flag) for flag in EXEC_FLAGS]
_exec.__signature__ = Signature(_parameters)  # type: ignore[attr-defined]  # inspect reads it, PEP 362
_exec.__annotations__ = {parameter.name: parameter.annotation for parameter in _parameters}
code.command("exec", help="Run one program and print its answer as JSON.")(_exec)


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line, or raise ``UsageError``; an empty one asks for help."""
    try:
        return app(list(arguments) or ["--help"], prog_name="toolcell", standalone_mode=False) or 0
    except typer.TyperException as error:
        raise UsageError(error.format_message()) from None
