"""What a configuration file may say, checked by pydantic and reported in our own words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from toolcell.model.limits import MAX_PARALLEL, MAX_TIMEOUT_MS, MIB
from toolcell.model.strict_json import MalformedJson
from toolcell.model.strict_json import parse as parse_json
from toolcell.model.text import did_you_mean, kind, nearest, quoted
from toolcell.settings import Loaded, Settings, SettingsError, durations, servers
from toolcell.settings.references import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

_LISTEN = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]*):(?P<port>\d{1,5})")
_SECRET = frozenset({"api_key"})


def _listen(value: str) -> str:
    found = _LISTEN.fullmatch(value)
    if found is None or int(found["port"]) > 65_535:  # noqa: PLR2004  # the highest TCP port
        raise ValueError("host:port, as in 127.0.0.1:8080")
    return value


def _duration(value: str) -> str:
    durations.seconds(value)
    return value


class _File(BaseModel):
    """The keys of the file; a default is never used, since only the keys that were set are read."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    enable_code_execution: bool = False
    code_execution_timeout_ms: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_MS)] = 1
    code_execution_max_tool_calls: Annotated[int, Field(ge=0, le=1_000_000_000)] = 0
    code_execution_pool_size: Annotated[int, Field(ge=1, le=10_000)] = 1
    code_execution_max_parallel: Annotated[int, Field(ge=1, le=MAX_PARALLEL)] = 1
    code_execution_memory_mb: Annotated[int, Field(ge=8, le=1024)] = 8
    code_execution_max_result_bytes: Annotated[int, Field(ge=1024, le=64 * MIB)] = 1024
    code_execution_queue_timeout_ms: Annotated[int, Field(ge=0, le=MAX_TIMEOUT_MS)] = 0
    listen: Annotated[str, AfterValidator(_listen)] = ""
    api_key: Annotated[str, Field(min_length=1)] = ""
    data_dir: Annotated[str, Field(min_length=1)] = ""
    call_tool_timeout: Annotated[str, AfterValidator(_duration)] = ""
    max_concurrent_requests: Annotated[int, Field(ge=0, le=10_000)] = 0
    queue_size: Annotated[int, Field(ge=0, le=100_000)] = 0
    queue_timeout: Annotated[str, AfterValidator(_duration)] = ""
    mcpServers: Any = None  # noqa: N815  # the seeds' key; toolcell.settings.servers checks it


def read(text: bytes, environ: Mapping[str, str]) -> Loaded:
    """Return the settings of a file's text; see ``toolcell.settings.parse``."""
    try:
        raw = parse_json(text)
    except MalformedJson as error:
        raise SettingsError(str(error)) from None
    if not isinstance(raw, dict):
        raise SettingsError(f"must hold a JSON object, not {kind(raw)}")
    try:
        checked = _File.model_validate(raw)
    except ValidationError as error:
        raise SettingsError("; ".join(_sentence(fault, raw) for fault in error.errors())) from None
    values = {name: getattr(checked, name) for name in checked.model_fields_set}
    if "api_key" in values:
        values["api_key"] = expand(values["api_key"], environ, "api_key")
    warnings = _warnings(raw)
    if "mcpServers" in values:
        values["mcpServers"] = servers.read(values["mcpServers"], environ, warnings.append)
    return Loaded(settings=Settings(**values), warnings=tuple(warnings))


def _warnings(raw: Mapping[str, Any]) -> list[str]:
    known = list(_File.model_fields)
    return [
        f"{quoted(key)} is not a setting of toolcell and is ignored"
        + (did_you_mean(key, known) if nearest(key, known) else "")
        for key in raw
        if key not in _File.model_fields
    ]


def _sentence(fault: ErrorDetails, raw: Mapping[str, Any]) -> str:
    """Return key, value and range of one fault; a value that may be secret is named by its type only."""
    key, *steps = fault["loc"]
    path = str(key) + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"{path} must be {_rule(str(key), fault)}, not {_shown(str(key), fault['input'], raw)}"


def _shown(key: str, given: object, raw: Mapping[str, Any]) -> str:
    if given == "":
        return "an empty one"
    if key in _SECRET or isinstance(given, dict | list | None):
        return kind(given)
    return quoted(given) if isinstance(given, str) else str(raw[key]).lower()[:24]


def _rule(key: str, fault: ErrorDetails) -> str:
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    shape = _File.model_json_schema()["properties"][key]
    if shape["type"] == "integer":
        return f"an integer from {shape['minimum']} to {shape['maximum']}"
    return {"boolean": "true or false", "string": "a non-empty string"}[shape["type"]]
