from __future__ import annotations

import json
from typing import Any

import pytest

from toolcell.model.servers import LaneLimits, Protocol, ServerSpec
from toolcell.settings import Loaded, SettingsError, parse


def load(servers: object, **environ: str) -> Loaded:
    return parse(json.dumps({"mcpServers": servers}).encode(), environ)


def one(server: dict[str, Any], **environ: str) -> ServerSpec:
    (spec,) = load([server], **environ).settings.mcpServers
    return spec


def fault(servers: object, **environ: str) -> str:
    with pytest.raises(SettingsError) as raised:
        load(servers, **environ)
    return str(raised.value)


HTTP = {"name": "a", "url": "https://a.example/mcp"}


def test_a_server_with_a_url_has_the_documented_defaults() -> None:
    spec = one(HTTP)
    assert (spec.protocol, spec.enabled, spec.quarantined) == (Protocol.AUTO, True, False)
    assert spec.lane == LaneLimits(max_concurrent=0, queue_size=0, queue_timeout=30.0)
    assert (spec.init_timeout, spec.call_timeout) == (30.0, None)


def test_a_command_alone_is_a_stdio_server() -> None:
    assert one({"name": "a", "command": "srv", "args": ["x"]}).protocol is Protocol.STDIO


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http", Protocol.STREAMABLE_HTTP),
        ("streamable-http", Protocol.STREAMABLE_HTTP),
        ("sse", Protocol.SSE),
        ("auto", Protocol.AUTO),
    ],
)
def test_each_protocol_is_written_as_in_the_seeds(written: str, meant: Protocol) -> None:
    assert one({**HTTP, "protocol": written}).protocol is meant


@pytest.mark.parametrize(("written", "meant"), [("2m", 120.0), ("1m30s", 90.0), ("250ms", 0.25), (5, 5.0), (0.5, 0.5)])
def test_a_duration_is_written_as_in_go_or_in_seconds(written: object, meant: float) -> None:
    spec = one({**HTTP, "call_timeout": written, "init_timeout": written, "queue_timeout": written})
    assert (spec.call_timeout, spec.init_timeout, spec.lane.queue_timeout) == (meant, meant, meant)


@pytest.mark.parametrize("written", [0, -1, "0s", "soon", True, None, "25h", [], 1e9])
def test_another_duration_is_refused_naming_server_and_key(written: object) -> None:
    assert fault([{**HTTP, "init_timeout": written}]).startswith("mcpServers[0].init_timeout must be a duration")


def test_the_object_form_of_other_clients_is_the_same_list() -> None:
    servers = {
        "a": {"type": "http", "url": "https://a.example/mcp"},
        "b": {"command": "b", "cwd": "/srv", "disabled": True},
    }
    first, second = load(servers).settings.mcpServers
    assert (first.name, first.protocol) == ("a", Protocol.STREAMABLE_HTTP)
    assert (second.name, second.working_dir, second.enabled) == ("b", "/srv", False)


def test_references_are_replaced_in_headers_env_args_and_url() -> None:
    server = {
        "name": "a",
        "url": "https://${env:HOST}/mcp",
        "command": "x",
        "args": ["--key=${env:KEY}"],
        "env": {"K": "${env:KEY}"},
        "headers": {"Authorization": "Bearer ${env:KEY}"},
    }
    spec = one(server, KEY="s3cret", HOST="a.example")
    assert spec.url == "https://a.example/mcp"
    assert spec.args == ("--key=s3cret",)
    assert spec.env == {"K": "s3cret"}
    assert spec.headers == {"Authorization": "Bearer s3cret"}
    assert "s3cret" not in repr(spec)


def test_a_reference_to_nothing_names_server_key_and_variable() -> None:
    server = {**HTTP, "headers": {"X-Key": "${env:NOPE}"}}
    assert fault([server]) == ("mcpServers[0].headers.X-Key refers to the environment variable NOPE, which is not set")
    assert not one({**server, "enabled": False}).enabled


@pytest.mark.parametrize(
    ("server", "message"),
    [
        ({"url": "https://a"}, "mcpServers[0] needs a name"),
        ({"name": "", "url": "https://a"}, "mcpServers[0].name must be 1 to 100 printable characters"),
        ({"name": "a\n", "url": "https://a"}, "mcpServers[0].name must be 1 to 100 printable characters"),
        ({"name": "a"}, "mcpServers[0] ('a') needs a url that starts with http:// or https://, or a command"),
        ({"name": "a", "url": "file:///etc/passwd"}, "mcpServers[0] ('a') needs a url that starts with http"),
        ({"name": "a", "url": "https://"}, "mcpServers[0] ('a') needs a url that starts with http"),
        ({"name": "a", "url": "https://a:x"}, "mcpServers[0] ('a') needs a url that starts with http"),
        ({"name": "a", "protocol": "stdio"}, "mcpServers[0] ('a') speaks stdio and needs a command"),
        ({**HTTP, "protocol": "ftp"}, "mcpServers[0].protocol must be one of stdio, http, streamable-http, sse, auto"),
        ({**HTTP, "enabled": "yes"}, "mcpServers[0].enabled must be true or false, not a string"),
        ({**HTTP, "queue_size": -1}, "mcpServers[0].queue_size must be an integer from 0 to 100000, not -1"),
        ({**HTTP, "max_concurrent_requests": True}, "mcpServers[0].max_concurrent_requests must be an integer"),
        ({**HTTP, "args": "x y"}, "mcpServers[0].args must be an array of strings, not a string"),
        ({**HTTP, "env": {"A": 1}}, "mcpServers[0].env.A must be a string, not 1"),
        ({**HTTP, "env": {"A=B": "x"}}, "mcpServers[0].env must be an object whose keys are names of environment"),
        ({**HTTP, "headers": {"a b": "x"}}, "mcpServers[0].headers must be an object whose keys are HTTP header names"),
        ({**HTTP, "headers": {"a": "x\r\nb: y"}}, "mcpServers[0].headers.a must be text without line ends"),
        ({**HTTP, "comand": "x"}, "mcpServers[0] has the key 'comand', which is not a setting of a server; did you"),
    ],
)
def test_a_fault_names_the_server_the_key_and_what_would_be_right(server: dict[str, Any], message: str) -> None:
    assert fault([server]).startswith(message)


def test_a_line_end_cannot_come_in_through_a_reference() -> None:
    server = {**HTTP, "headers": {"a": "${env:X}"}}
    assert fault([server], X="v\r\nb: c") == "mcpServers[0].headers.a must be text without line ends"


def test_every_faulty_server_is_told_at_once() -> None:
    text = fault([{"name": "a"}, HTTP, {"name": "b", "protocol": 1}])
    assert "mcpServers[0]" in text
    assert "mcpServers[2]" in text


def test_a_name_used_twice_is_refused() -> None:
    assert fault([HTTP, HTTP]) == "mcpServers has the name 'a' twice"


def test_a_secret_is_never_shown_in_a_fault() -> None:
    assert "s3cret" not in fault([{**HTTP, "headers": "s3cret", "env": ["s3cret"], "args": "s3cret"}])


def test_keys_of_mcpproxy_that_mean_nothing_here_are_warnings() -> None:
    loaded = load([{**HTTP, "created": "2025-01-01T00:00:00Z", "isolation": {}}])
    assert loaded.settings.mcpServers[0].name == "a"
    assert loaded.warnings == (
        "mcpServers[0].created is a key of MCPProxy that toolcell does not use",
        "mcpServers[0].isolation is a key of MCPProxy that toolcell does not use",
    )
