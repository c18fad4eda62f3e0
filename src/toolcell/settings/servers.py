"""The ``mcpServers`` of a configuration file, as the seeds write them and as other MCP clients do.

A list of objects with a ``name`` each, or one object keyed by name. Faults name the server and the key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from toolcell.model.servers import LaneLimits, Protocol, ServerSpec
from toolcell.model.text import did_you_mean, kind, nearest, quoted
from toolcell.settings import SettingsError, durations
from toolcell.settings.references import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic_core import ErrorDetails

MAX_SERVERS = 1000
_MAX_NAME = 100
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_ALIASES = {"type": "protocol", "transport": "protocol", "cwd": "working_dir"}
"""Keys that other MCP clients use for ours."""
_NOT_OURS = frozenset(
    {"created", "updated", "isolation", "oauth", "shared", "skip_quarantine", "reconnect_on_use", "repository_url"}
)
"""Keys of MCPProxy's server objects that have no meaning here: its files work unchanged, with a warning."""
_PROTOCOLS = {
    "stdio": Protocol.STDIO,
    "http": Protocol.STREAMABLE_HTTP,
    "streamable-http": Protocol.STREAMABLE_HTTP,
    "sse": Protocol.SSE,
    "auto": Protocol.AUTO,
}


def _name(value: str) -> str:
    if not value.strip() or len(value) > _MAX_NAME or not value.isprintable():
        raise ValueError(f"1 to {_MAX_NAME} printable characters")
    return value


def _protocol(value: str) -> str:
    if value not in _PROTOCOLS:
        raise ValueError(f"one of {', '.join(_PROTOCOLS)}")
    return value


def _no_line_ends(value: str) -> str:
    if any(character in value for character in "\r\n\0"):
        raise ValueError("text without line ends")
    return value


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("text without NUL")
    return value


def _header_names(value: dict[str, str]) -> dict[str, str]:
    if not all(_HEADER.fullmatch(name) for name in value):
        raise ValueError("an object whose keys are HTTP header names")
    return value


def _variable_names(value: dict[str, str]) -> dict[str, str]:
    if not all(name and "=" not in name and "\0" not in name for name in value):
        raise ValueError("an object whose keys are names of environment variables")
    return value


_Seconds = Annotated[float, BeforeValidator(durations.seconds)]
_Text = Annotated[str, AfterValidator(_no_nul)]
_Line = Annotated[str, AfterValidator(_no_line_ends)]


class _Server(BaseModel):
    """The keys of one server."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    name: Annotated[str, AfterValidator(_name)]
    description: str = ""
    url: _Line = ""
    protocol: Annotated[str, AfterValidator(_protocol)] = "auto"
    command: _Text = ""
    args: list[_Text] = Field(default=[])
    working_dir: _Text | None = None
    env: Annotated[dict[str, _Text], AfterValidator(_variable_names)] = Field(default={})
    headers: Annotated[dict[str, _Line], AfterValidator(_header_names)] = Field(default={})
    enabled: bool = True
    quarantined: bool = False
    max_concurrent_requests: Annotated[int, Field(ge=0, le=10_000)] = 0
    queue_size: Annotated[int, Field(ge=0, le=100_000)] = 0
    queue_timeout: _Seconds = 30.0
    init_timeout: _Seconds = 30.0
    call_timeout: _Seconds | None = None


_RULES = {
    "args": "an array of strings",
    "enabled": "true or false",
    "quarantined": "true or false",
    "env": "an object of strings",
    "headers": "an object of strings",
    "max_concurrent_requests": "an integer from 0 to 10000",
    "queue_size": "an integer from 0 to 100000",
}


def read(raw: object, environ: Mapping[str, str], warn: Callable[[str], None]) -> tuple[ServerSpec, ...]:
    """Return the servers in file order, or raise ``SettingsError`` naming all that is wrong with them."""
    faults: list[str] = []
    specs: list[ServerSpec] = []
    for place, given in _elements(raw):
        try:
            specs.append(_spec(place, given, environ, warn))
        except SettingsError as error:
            faults.append(str(error))
    names = [spec.name for spec in specs]
    faults += [
        f"mcpServers has the name {quoted(name)} twice" for name in sorted({n for n in names if names.count(n) > 1})
    ]
    if faults:
        raise SettingsError("; ".join(faults))
    return tuple(specs)


def _elements(raw: object) -> list[tuple[str, dict[str, Any]]]:
    if isinstance(raw, dict):
        pairs = [(f"mcpServers.{name}", given, name) for name, given in raw.items()]
    elif isinstance(raw, list):
        pairs = [(f"mcpServers[{index}]", given, None) for index, given in enumerate(raw)]
    else:
        raise SettingsError(f"mcpServers must be an array of objects, one for each server, not {kind(raw)}")
    if len(pairs) > MAX_SERVERS:
        raise SettingsError(f"mcpServers has {len(pairs)} servers; the limit is {MAX_SERVERS}")
    elements = []
    for place, given, name in pairs:
        if not isinstance(given, dict):
            raise SettingsError(f"{place} must be an object, not {kind(given)}")
        elements.append((place, given if name is None else {"name": name, **given}))
    return elements


def _spec(place: str, given: dict[str, Any], environ: Mapping[str, str], warn: Callable[[str], None]) -> ServerSpec:
    raw = _known(place, given, warn)
    try:
        server = _Server.model_validate(raw)
    except ValidationError as error:
        raise SettingsError("; ".join(_sentence(place, fault) for fault in error.errors())) from None

    def expanded(text: str, key: str) -> str:
        return expand(text, environ, f"{place}.{key}") if server.enabled else text

    spec = ServerSpec(
        name=server.name,
        protocol=_settled(server),
        description=server.description,
        url=expanded(server.url, "url"),
        headers={key: _header(expanded(value, f"headers.{key}"), place, key) for key, value in server.headers.items()},
        command=server.command,
        args=tuple(expanded(value, "args") for value in server.args),
        working_dir=server.working_dir,
        env={key: expanded(value, f"env.{key}") for key, value in server.env.items()},
        enabled=server.enabled,
        quarantined=server.quarantined,
        lane=LaneLimits(
            max_concurrent=server.max_concurrent_requests,
            queue_size=server.queue_size,
            queue_timeout=server.queue_timeout,
        ),
        init_timeout=server.init_timeout,
        call_timeout=server.call_timeout,
    )
    _check_target(place, spec)
    return spec


def _known(place: str, given: dict[str, Any], warn: Callable[[str], None]) -> dict[str, Any]:
    """Return the object under our own key names; a key nobody knows is an error."""
    raw: dict[str, Any] = {}
    for key, value in given.items():
        if key in _NOT_OURS:
            warn(f"{place}.{key} is a key of MCPProxy that toolcell does not use")
        elif key == "disabled" and isinstance(value, bool):
            raw.setdefault("enabled", not value)
        elif (name := _ALIASES.get(key, key)) in _Server.model_fields:
            raw[name] = value
        else:
            hint = did_you_mean(key, list(_Server.model_fields)) if nearest(key, list(_Server.model_fields)) else ""
            raise SettingsError(f"{place} has the key {quoted(key)}, which is not a setting of a server{hint}")
    return raw


def _header(value: str, place: str, key: str) -> str:
    """Return a header's value again, now that its references are replaced: they may hold anything."""
    try:
        return _no_line_ends(value)
    except ValueError as error:
        raise SettingsError(f"{place}.headers.{key} must be {error}") from None


def _settled(server: _Server) -> Protocol:
    """Return the protocol with ``auto`` narrowed to stdio when there is a command and no URL."""
    protocol = _PROTOCOLS[server.protocol]
    return Protocol.STDIO if protocol is Protocol.AUTO and server.command and not server.url else protocol


def _check_target(place: str, spec: ServerSpec) -> None:
    if spec.protocol is Protocol.STDIO:
        if not spec.command:
            raise SettingsError(f"{place} ({quoted(spec.name)}) speaks stdio and needs a command")
        return
    try:
        parts = urlsplit(spec.url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(
            f"{place} ({quoted(spec.name)}) needs a url that starts with http:// or https://, or a command"
        )


def _sentence(place: str, fault: ErrorDetails) -> str:
    key, *steps = fault["loc"]
    path = f"{place}.{key}" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    if fault["type"] == "missing":
        return f"{place} needs a {key}"
    return f"{path} must be {_rule(str(key), fault)}, not {_shown(fault['input'])}"


def _rule(key: str, fault: ErrorDetails) -> str:
    if fault["type"] == "value_error":
        return str(fault["ctx"]["error"])
    return _RULES.get(key, "a string") if len(fault["loc"]) == 1 else "a string"


def _shown(given: object) -> str:
    """Return what was given, by its type where it may be a secret."""
    return str(given) if type(given) is int else kind(given)
