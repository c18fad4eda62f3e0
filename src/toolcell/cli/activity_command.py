"""``toolcell activity``: what was run and called, from the record store."""

from __future__ import annotations

import re
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from toolcell.bootstrap import activity_reader
from toolcell.cli import report
from toolcell.cli.configuration import load
from toolcell.cli.diagnostics import Diagnostics, UsageError
from toolcell.cli.since import moment
from toolcell.cli.table import shortened, table
from toolcell.cli.terminal import printable
from toolcell.model.activity import ActivityFilter, RunDetail, Status, timestamp
from toolcell.model.text import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcell.model.activity import Activity, CallDetail
    from toolcell.storage.activity import ActivityReader

app = typer.Typer(rich_markup_mode=None, help="What was run and which tools were called.")

MAX_LIMIT = 10_000
STATUSES = tuple(status.value for status in Status)
_CALL_ID = re.compile(r"(?P<run>[^/]+)(?:/(?P<number>[0-9]{1,9}))?")
_SHOWN_ARGUMENTS = 200


@app.command("list", help="List runs and calls, the newest first.")
def list_records(  # one parameter for each flag
    *,
    server: Annotated[str | None, typer.Option(help="Only calls to this server.", metavar="NAME")] = None,
    status: Annotated[str | None, typer.Option(help=f"Only {', '.join(STATUSES)}.", metavar="STATUS")] = None,
    since: Annotated[str | None, typer.Option(help="Only what started since: 15m, 2h, 7d or a time.")] = None,
    limit: Annotated[int, typer.Option(help="At most so many records.", min=1, max=MAX_LIMIT)] = 50,
    output: report.Output = report.Form.TABLE,
    config: report.Config = None,
) -> None:
    """Print the records that the flags ask for."""
    if status is not None and status not in STATUSES:
        raise UsageError(f"--status must be one of {', '.join(STATUSES)}{did_you_mean(status, STATUSES)}")
    start = None if since is None else moment("--since", since, time.time())
    wanted = ActivityFilter(server=server, status=status, since=start, limit=limit)
    with _reader(config) as reader:
        found = reader.list(wanted)
    if output is report.Form.JSON:
        report.say_json([record.to_dict() for record in found])
    elif found:
        report.say(table(_HEADS, [_row(record) for record in found]))
    else:
        report.say("No records.")


@app.command("show", help="Show one run with its calls, or one call.")
def show(
    record_id: Annotated[str, typer.Argument(metavar="ID", help="A run's id or how it begins; ID/N is its N-th call.")],
    *,
    output: report.Output = report.Form.TABLE,
    config: report.Config = None,
) -> None:
    """Print a run or a call in full."""
    parts = _CALL_ID.fullmatch(record_id)
    if parts is None:
        raise UsageError(f"{quoted(record_id)} is not the id of a run or call; toolcell activity list shows them")
    with _reader(config) as reader:
        run = _whole_id(reader, parts["run"])
        found = reader.call(run, int(parts["number"])) if parts["number"] else reader.run(run)
    if found is None:
        raise UsageError(f"there is no record {quoted(record_id)}; toolcell activity list shows what there is")
    if output is report.Form.JSON:
        report.say_json(found.to_dict())
    else:
        report.say(printable(_in_full(found)))


@contextmanager
def _reader(config: str | None) -> Iterator[ActivityReader]:
    settings = load(config, Diagnostics())
    with report.stores(), closing(activity_reader(settings)) as reader:
        yield reader


def _whole_id(reader: ActivityReader, beginning: str) -> str:
    """Return the id of the one run that begins like this, or ``beginning`` itself when none does."""
    found = reader.runs_beginning(beginning, 3)
    if len(found) > 1 and beginning not in found:
        raise UsageError(f"several runs begin with {quoted(beginning)}: {', '.join(found)}")
    return beginning if beginning in found or not found else found[0]


_HEADS = ("STARTED", "KIND", "STATUS", "MS", "WHAT", "ID", "DETAIL")


def _row(record: Activity) -> tuple[str, ...]:
    return (
        timestamp(record.started_at),
        record.kind,
        record.status,
        _milliseconds(record),
        _what(record),
        record.id,
        shortened(_why(record), 60),
    )


def _what(record: Activity) -> str:
    if record.kind == "call":
        return f"{record.server}.{record.tool}"
    return record.script or "inline"


def _why(record: Activity) -> str:
    return ": ".join(part for part in (record.code, record.message) if part)


def _milliseconds(record: Activity) -> str:
    return "" if record.wall_ms is None else f"{record.wall_ms:.1f}"


def _in_full(found: RunDetail | CallDetail) -> str:
    """Return a record as lines: its facts, then its calls and its source."""
    record = found.activity
    facts = [("id", record.id), ("status", record.status), ("started", timestamp(record.started_at))]
    facts += [("ms", _milliseconds(record)), ("tenant", record.tenant), ("key", record.key_id or "")]
    facts += [("error", _why(record)), ("result bytes", _number(record.result_bytes))]
    if not isinstance(found, RunDetail):
        return _facts([*facts, ("call", _what(record)), ("arguments", found.arguments)])
    facts += [("script", record.script or ""), ("language", found.language), ("fuel", _number(found.fuel))]
    facts += [("peak bytes", _number(found.peak_memory_bytes)), ("calls", str(found.call_count))]
    parts = [_facts(facts)]
    if found.calls:
        rows = [(*_row(call.activity)[2:5], shortened(call.arguments, _SHOWN_ARGUMENTS)) for call in found.calls]
        parts.append(table(("STATUS", "MS", "CALL", "ARGUMENTS"), rows))
    return "\n\n".join([*parts, found.source.strip("\n")])


def _facts(facts: list[tuple[str, str]]) -> str:
    return "\n".join(f"{name + ':':<14}{value}" for name, value in facts if value)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)
