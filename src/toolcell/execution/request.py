"""From the raw object a surface received to an ``ExecutionRequest``: every rule of spec 2.1, in one place.

Nothing is dropped in silence: an unknown key, a wrong type or a figure out of range is a refusal that
names the field and what it allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolcell.execution.program_input import encode_input
from toolcell.model.codes import RefusalCode
from toolcell.model.limits import MAX_SOURCE_BYTES, MAX_TIMEOUT_MS
from toolcell.model.refusal import Refusal
from toolcell.model.request import ExecutionRequest, Language
from toolcell.model.text import did_you_mean, kind, quoted, sized

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("code", "script", "language", "input", "options")
OPTIONS = ("timeout_ms", "max_tool_calls", "allowed_servers")


def parse_request(raw: object) -> ExecutionRequest:
    """Return the request, or raise the ``Refusal`` that answers it."""
    if not isinstance(raw, dict):
        raise Refusal(RefusalCode.INVALID_REQUEST, f"The request must be a JSON object, not {kind(raw)}")
    _only_known(raw, FIELDS, "", RefusalCode.INVALID_REQUEST)
    code, script = _source(raw)
    options = raw.get("options", {})
    if not isinstance(options, dict):
        raise _invalid_option("options", f"must be an object, not {kind(options)}")
    _only_known(options, OPTIONS, "options.", RefusalCode.INVALID_OPTIONS)
    return ExecutionRequest(
        code=code,
        script=script,
        language=_language(raw),
        input_json=encode_input(raw["input"]) if "input" in raw else b"{}",
        timeout_ms=_integer(options, "timeout_ms", 1, MAX_TIMEOUT_MS),
        max_tool_calls=_integer(options, "max_tool_calls", 0, None),
        allowed_servers=_servers(options),
    )


def _only_known(raw: Mapping[str, Any], known: tuple[str, ...], prefix: str, code: RefusalCode) -> None:
    for key in raw:
        if key not in known:
            raise Refusal(code, _unknown(str(key), known, prefix), field=f"{prefix}{key}")


def _unknown(key: str, known: tuple[str, ...], prefix: str) -> str:
    name = quoted(prefix + key)
    if not prefix and key in OPTIONS:
        return f"{name} is not a field of the request; it belongs inside 'options'"
    return f"{name} is not a known field{did_you_mean(prefix + key, [prefix + field for field in known])}"


def _source(raw: Mapping[str, Any]) -> tuple[str | None, str | None]:
    if ("code" in raw) == ("script" in raw):
        raise Refusal(
            RefusalCode.INVALID_REQUEST,
            "Provide exactly one of 'code' (inline source) or 'script' (the name of a stored script)",
        )
    field = "code" if "code" in raw else "script"
    text = raw[field]
    if not isinstance(text, str) or not text:
        given = "" if isinstance(text, str) else f", not {kind(text)}"
        raise Refusal(RefusalCode.INVALID_REQUEST, f"{field} must be a non-empty string{given}", field=field)
    if field == "script":
        return None, text
    check_source_size(text)
    return text, None


def check_source_size(source: str) -> None:
    """Refuse a program over 256 KiB of UTF-8, or one that UTF-8 cannot hold."""
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        message = f"code has half of a surrogate pair at character {error.start + 1}"
        raise Refusal(RefusalCode.INVALID_REQUEST, message, field="code") from None
    if size > MAX_SOURCE_BYTES:
        message = f"code is {size} bytes; the limit is {sized(MAX_SOURCE_BYTES)}"
        raise Refusal(RefusalCode.INVALID_REQUEST, message, field="code")


def _language(raw: Mapping[str, Any]) -> Language | None:
    if "language" not in raw:
        return None
    given = raw["language"]
    if isinstance(given, str) and given in tuple(Language):
        return Language(given)
    shown = quoted(given) if isinstance(given, str) else kind(given)
    message = f"language must be 'javascript' or 'typescript', not {shown}"
    raise Refusal(RefusalCode.INVALID_LANGUAGE, message, field="language")


def _integer(options: Mapping[str, Any], name: str, low: int, high: int | None) -> int | None:
    """Return an option that must be an integer; ``3.0`` is one, as in JSON Schema, and ``true`` is not."""
    if name not in options:
        return None
    value = options[name]
    expected = f"must be an integer of at least {low}" if high is None else f"must be an integer from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _invalid_option(f"options.{name}", f"{expected}, not {kind(value)}")
    whole = isinstance(value, int) or value.is_integer()
    if not whole or value < low or (high is not None and value > high):
        raise _invalid_option(f"options.{name}", f"{expected}, not {str(value)[:24]}")
    return int(value)


def _servers(options: Mapping[str, Any]) -> tuple[str, ...] | None:
    if "allowed_servers" not in options:
        return None
    field, names = "options.allowed_servers", options["allowed_servers"]
    if not isinstance(names, list | tuple):
        raise _invalid_option(field, f"must be an array of server names, not {kind(names)}")
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise _invalid_option(f"{field}[{index}]", f"must be a string, not {kind(name)}")
    return tuple(names)


def _invalid_option(field: str, rule: str) -> Refusal:
    return Refusal(RefusalCode.INVALID_OPTIONS, f"{field} {rule}", field=field)
