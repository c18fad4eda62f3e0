"""``toolcell code exec``: one run in this process, and its exit code."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from toolcell.bootstrap import local_service
from toolcell.cli.configuration import load
from toolcell.cli.diagnostics import LEVELS, Diagnostics, Level, UsageError
from toolcell.cli.entry import EXIT_INTERRUPTED
from toolcell.cli.exec_request import Arguments, request_of, sentence_of
from toolcell.cli.output import Unwritable, print_outcome
from toolcell.model.codes import RunCode
from toolcell.model.refusal import Refusal
from toolcell.model.request import Caller
from toolcell.model.text import quoted
from toolcell.workers.cancel import Cancel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import FrameType

    from toolcell.execution.ports import RecordPort
    from toolcell.model.outcome import Outcome

EXIT_OK, EXIT_FAILED = 0, 1


def execute(values: Mapping[str, list[str]]) -> int:
    """Run the program, print the answer and return the exit code, or raise ``UsageError``."""
    given = Arguments.of(values)
    say = Diagnostics(_level(given.log_level))
    service = local_service(load(given.config, say), say.fault, _watched)
    with closing(service):
        try:
            service.require_enabled()
            raw = request_of(given)
            with _cancelled_by_interrupt() as cancel:
                say.say(Level.DEBUG, "running; Ctrl-C cancels")
                outcome = service.execute(raw, Caller(), cancel)
        except Refusal as refusal:
            raise UsageError(sentence_of(refusal, given)) from None
        _echo_console(outcome, say)
        return _answer(outcome, say)


def _watched(records: RecordPort) -> RecordPort:
    """Return the records with a line of progress for a person at a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return records
    from toolcell.cli.progress import Progress  # noqa: PLC0415  # its patterns cost 4 ms to compile

    return Progress(records, sys.stderr)


def _level(name: str) -> Level:
    if name not in LEVELS:
        raise UsageError(f"--log-level must be one of {', '.join(LEVELS)}, not {quoted(name)}")
    return Level[name.upper()]


@contextmanager
def _cancelled_by_interrupt() -> Iterator[Cancel]:
    """Yield a cancel that the first Ctrl-C sets; a second one ends the process the hard way."""
    cancel = Cancel()

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        cancel.request()
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


def _echo_console(outcome: Outcome, say: Diagnostics) -> None:
    for entry in outcome.logs:
        say.say(Level.DEBUG, f"console.{entry.level}: {entry.message}")


def _answer(outcome: Outcome, say: Diagnostics) -> int:
    try:
        print_outcome(outcome, os.environ)
    except Unwritable as error:
        if str(error):
            say.say(Level.ERROR, str(error))
        return EXIT_FAILED
    if outcome.error is None:
        return EXIT_OK
    return EXIT_INTERRUPTED if outcome.error.code is RunCode.CANCELLED else EXIT_FAILED
