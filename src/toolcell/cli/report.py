"""What the commands that look at things print: text for a person, or one line of JSON with ``-o json``."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolcell.cli.diagnostics import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Form(StrEnum):
    """How to print."""

    TABLE = "table"
    JSON = "json"


Output = Annotated[Form, typer.Option("--output", "-o", help="table or json.")]
Config = Annotated[
    str | None,
    typer.Option("--config", help="Configuration file. Default: ~/.toolcell/mcp_config.json.", metavar="PATH"),
]


@contextmanager
def stores() -> Iterator[None]:
    """Turn what keeps a store from being used into the command's one sentence."""
    import sqlite3  # noqa: PLC0415  # only for who needs a store

    from toolcell.storage.database import StoreError  # noqa: PLC0415

    try:
        yield
    except StoreError as error:
        raise UsageError(str(error)) from None
    except sqlite3.Error as error:
        raise UsageError(f"a store in the data dir cannot be used: {error}") from None


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
