"""From the flags of ``code exec`` to the request object that any other surface would have received."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from toolcell.cli import files
from toolcell.cli.diagnostics import UsageError
from toolcell.model.codes import RefusalCode
from toolcell.model.limits import MAX_INPUT_BYTES, MAX_SOURCE_BYTES
from toolcell.model.strict_json import MalformedJson
from toolcell.model.strict_json import parse as parse_json
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolcell.model.refusal import Refusal

TYPESCRIPT_SUFFIXES = frozenset({".ts", ".mts", ".cts"})
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_MAX_INPUT_TEXT = 4 * MAX_INPUT_BYTES
"""Room for indentation in an input file; the bound on the input itself is checked on compact JSON."""

_FLAGS = {
    "language": "--language",
    "input": "--input",
    "script": "--script",
    "options.timeout_ms": "--timeout",
    "options.max_tool_calls": "--max-tool-calls",
    "options.allowed_servers": "--allowed-servers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The flags as given; ``None`` and ``()`` are flags that were not."""

    code: str | None = None
    file: str | None = None
    script: str | None = None
    language: str | None = None
    input: str | None = None
    input_file: str | None = None
    timeout: str | None = None
    max_tool_calls: str | None = None
    allowed_servers: tuple[str, ...] = ()
    log_level: str = "info"
    config: str | None = None

    @classmethod
    def of(cls, values: Mapping[str, list[str]]) -> Arguments:
        """Return the arguments of a parsed command line; of a repeated flag the last value counts."""
        single = {key: given[-1] for key, given in values.items() if key != "allowed_servers"}
        return cls(**single, allowed_servers=tuple(values.get("allowed_servers", ())))


def request_of(given: Arguments) -> dict[str, Any]:
    """Return the request object that the flags spell, as any other surface would receive it."""
    raw = _source(given)
    if given.language is not None:
        raw["language"] = given.language
    program_input = _input(given)
    if program_input is not None:
        raw["input"] = program_input
    options = {
        "timeout_ms": _integer("--timeout", given.timeout),
        "max_tool_calls": _integer("--max-tool-calls", given.max_tool_calls),
        "allowed_servers": _servers(given.allowed_servers),
    }
    raw["options"] = {name: value for name, value in options.items() if value is not None}
    return raw


def _source(given: Arguments) -> dict[str, Any]:
    sources = [text for text in (given.code, given.file, given.script) if text is not None]
    if len(sources) != 1:
        raise UsageError(f"give exactly one of --code, --file and --script; {len(sources) or 'none'} given")
    if given.script is not None:
        return {"script": _utf8("--script", given.script)}
    if given.file is None:
        return {"code": _utf8("--code", given.code or "")}
    if files.STDIN == given.file == given.input_file:
        raise UsageError("--file and --input-file cannot both be stdin")
    source = files.read_text("--file", given.file, MAX_SOURCE_BYTES)
    if not source:
        raise UsageError(f"--file: {given.file} is empty")
    implied = PurePath(given.file).suffix in TYPESCRIPT_SUFFIXES
    return {"code": source} | ({"language": "typescript"} if implied else {})


def _input(given: Arguments) -> object:
    if given.input is not None and given.input_file is not None:
        raise UsageError("give at most one of --input and --input-file")
    if given.input is not None:
        flag, text = "--input", _utf8("--input", given.input).encode()
    elif given.input_file is not None:
        flag, text = "--input-file", files.read("--input-file", given.input_file, _MAX_INPUT_TEXT)
    else:
        return None
    try:
        value = parse_json(text)
    except MalformedJson as error:
        raise UsageError(f"{flag} {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{flag} must be a JSON object")
    return value


def _integer(flag: str, text: str | None) -> int | None:
    if text is None:
        return None
    if _INTEGER.fullmatch(text) is None:
        raise UsageError(f"{flag} must be an integer, not {quoted(text)}")
    return int(text)


def _servers(given: tuple[str, ...]) -> list[str] | None:
    if not given:
        return None
    names = [name.strip() for part in given for name in _utf8("--allowed-servers", part).split(",")]
    if not all(names):
        raise UsageError("--allowed-servers has an empty name; leave the flag out to allow every server")
    return names


def _utf8(flag: str, text: str) -> str:
    """Return an argument as the UTF-8 that the shell passed; Python decoded it in the locale's coding (PEP 383)."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        raise UsageError(f"{flag} is not UTF-8 text") from None


def sentence_of(refusal: Refusal, given: Arguments) -> str:
    """Return a refusal in terms of given."""
    if refusal.code is RefusalCode.FEATURE_DISABLED:
        return refusal.message
    field = refusal.field or ""
    flag = _FLAGS.get(field)
    if field == "code":
        flag = "--code" if given.file is None else "--file"
    if field == "input" and given.input_file is not None:
        flag = "--input-file"
    if flag is None or not refusal.message.startswith(field):
        return refusal.message
    return flag + refusal.message.removeprefix(field)
