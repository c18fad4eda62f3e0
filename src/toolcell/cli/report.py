"""What the commands that look at things print: text for a person, or one line of JSON with ``-o json``."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from toolcell.cli.diagnostics import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

Store = TypeVar("Store")


class Form(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"


Output = Annotated[Form, typer.Option("--output", "-o", help="table or json.")]
Config = Annotated[
    str | None,
    typer.Option("--config", help="Configuration file. Default: ~/.toolcell/mcp_config.json.", metavar="PATH"),
]


def opened(store: Callable[[], Store]) -> Store:
    """Return the store that ``store`` opens; one that cannot be used is told in its own sentence."""
    from toolcell.storage.database import StoreError  # noqa: PLC0415  # SQLite, only for who needs it

    try:
        return store()
    except StoreError as error:
        raise UsageError(str(error)) from None


def say(text: str) -> None:
    """Write lines to stdout, as UTF-8 whatever the locale; a reader that left is no error."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.flush()
    except OSError as error:
        from toolcell.cli.output import detach  # noqa: PLC0415  # hardly ever

        detach()
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"stdout cannot be written: {error.strerror}") from None


def say_json(value: Any) -> None:  # noqa: ANN401  # any JSON
    """Write one value as one line of JSON."""
    say(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
