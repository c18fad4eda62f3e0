"""Our own side: an engine, and a program run in a fresh cell as the worker runs it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolcell.sandbox import CellLimits, Ended, Engine, EngineConfig, Program, Waiting, native
from toolcell.workers.run import SLICE_FUEL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolcell.sandbox import Ending

LIMITS = CellLimits()
REPLY = b'{"ok":true,"result":{"content":[]},"data":1}'


class WrongAnswerError(Exception):
    """A program did not give the value that it must: its time means nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Runs programs in fresh cells of one engine and answers each of their calls at once."""

    engine: Engine
    reply: bytes = REPLY

    def ending(self, program: Program) -> Ending:
        """Return how the program ended."""
        cell = self.engine.start(program, LIMITS)
        try:
            while not isinstance(event := cell.step(SLICE_FUEL), Ended):
                if isinstance(event, Waiting):
                    for request in event.requests:
                        cell.answer(request.call_id, self.reply)
            return event.ending
        finally:
            cell.close()

    def value(self, program: Program) -> bytes:
        """Return the program's value as JSON text; raise ``WrongAnswerError`` when it has none."""
        ending = self.ending(program)
        if ending.value is None:
            raise WrongAnswerError(f"{program.source[:60]!r} ended with {ending.error}")
        return ending.value

    def expect(self, program: Program, value: bytes) -> None:
        """Raise ``WrongAnswerError`` unless the program's value is this."""
        found = self.value(program)
        if found != value:
            raise WrongAnswerError(f"{program.source[:60]!r} gave {found[:60]!r} instead of {value[:60]!r}")


def load(cache_dir: Path | None, *, max_cells: int = 64) -> Engine:
    """Return a proven engine, as the product loads it."""
    return Engine.load(EngineConfig(max_cells=max_cells, cache_dir=cache_dir))


def load_unmetered() -> Engine:
    """Return an engine that counts no fuel: it cannot stop a loop, so it exists only to tell what metering costs."""
    with _fuel_off():
        return Engine(EngineConfig())


@contextmanager
def _fuel_off() -> Iterator[None]:
    switch = native.config_switch

    def without_fuel(config: int, name: str, *, value: bool) -> None:
        switch(config, name, value=value and name != "consume_fuel")

    native.config_switch = without_fuel
    try:
        yield
    finally:
        native.config_switch = switch
