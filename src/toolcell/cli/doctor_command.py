"""``toolcell doctor``: whether everything a run needs is there, and what to do if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from toolcell.cli import checks, report
from toolcell.cli.administration import office
from toolcell.cli.checks import Check, Verdict
from toolcell.cli.configuration import load
from toolcell.cli.diagnostics import Diagnostics, Level, UsageError
from toolcell.cli.terminal import printable
from toolcell.settings import DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = {Verdict.OK: "ok  ", Verdict.NOTE: "note", Verdict.FAIL: "FAIL"}


def doctor(*, output: report.Output = report.Form.TABLE, config: report.Config = None) -> None:
    """Print each finding as it is made; exit code 1 when one of them keeps programs from working."""
    found = []
    for check in _all(config):
        found.append(check)
        if output is report.Form.TABLE:
            report.say(_lines(check))
    if output is report.Form.JSON:
        report.say_json([check.to_dict() for check in found])
    if any(check.verdict is Verdict.FAIL for check in found):
        raise typer.Exit(1)


def _all(config: str | None) -> Iterator[Check]:
    """Yield every check; a configuration that cannot be read still lets the others be made."""
    yield checks.python()
    try:
        settings = load(config, Diagnostics())
    except UsageError as error:
        yield Check(name="configuration", verdict=Verdict.FAIL, found=str(error), advice="correct the file")
        yield checks.cell(DEFAULTS.settings)
        return
    count = len(settings.mcpServers)
    yield Check(name="configuration", verdict=Verdict.OK, found=f"{count} servers" if count else "no servers")
    yield checks.feature(settings)
    yield checks.cell(settings)
    place = checks.folder(settings)
    yield place
    if place.verdict is not Verdict.FAIL:
        with office(config, Level.ERROR) as desk:  # the warnings were heard above
            yield from checks.servers(desk)


def _lines(check: Check) -> str:
    """Return a finding on one line, and the advice, if any, on the next."""
    line = f"{_MARKS[check.verdict]}  {printable(check.name)}: {printable(check.found)}"
    return f"{line}\n      → {printable(check.advice)}" if check.advice else line
