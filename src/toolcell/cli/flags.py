"""The flags of ``code exec``: declared once, for parsing, for help and for the docs.

The command library loads pydantic to convert even a plain string, which costs more than a whole small run.
So a well-formed command line is read by the few lines here, from the same table that the library's command
is built from; anything else (``--help``, a wrong flag, a missing value) goes to the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One flag that takes a value; ``repeatable`` ones keep every value and others the last."""

    name: str
    help: str
    kind: str = "TEXT"
    repeatable: bool = False

    @property
    def key(self) -> str:
        """Return the name that Python code uses: ``--input-file`` is ``input_file``."""
        return self.name.lstrip("-").replace("-", "_")


EXEC_FLAGS = (
    Flag(name="--code", help="The program itself."),
    Flag(name="--file", help="File to read the program from; - is stdin.", kind="PATH"),
    Flag(name="--script", help="Name of a stored script to run.", kind="NAME"),
    Flag(
        name="--language",
        help="javascript or typescript. Default: typescript for a .ts file, else javascript.",
    ),
    Flag(name="--input", help="Input as a JSON object. Default: {}.", kind="JSON"),
    Flag(name="--input-file", help="File to read the input from; - is stdin.", kind="PATH"),
    Flag(
        name="--timeout",
        help="Milliseconds, 1 to 600000. Default: configuration, else 120000.",
        kind="INTEGER",
    ),
    Flag(
        name="--max-tool-calls",
        help="Tool calls allowed; 0 is unlimited. Default: configuration, else 0.",
        kind="INTEGER",
    ),
    Flag(
        name="--allowed-servers",
        help="Comma-separated names of the servers that may be called. Default: all.",
        kind="NAMES",
        repeatable=True,
    ),
    Flag(
        name="--log-level",
        help="What to tell on stderr: trace, debug, info, warn or error. Default: info.",
        kind="LEVEL",
    ),
    Flag(name="--config", help="Configuration file. Default: ~/.toolcell/mcp_config.json.", kind="PATH"),
)


def read(arguments: Sequence[str], flags: Iterable[Flag] = EXEC_FLAGS) -> dict[str, list[str]] | None:
    """Return the values of each flag given, by key; ``None`` when the line is not made of known flags only."""
    by_name = {flag.name: flag for flag in flags}
    values: dict[str, list[str]] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        flag = by_name.get(name)
        given = value if equals else next(rest, None)
        if flag is None or given is None:
            return None
        values.setdefault(flag.key, []).append(given)
    return values
