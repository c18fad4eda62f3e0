from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from typing import Any

import pytest

from toolcell.settings import DEFAULTS, Settings, SettingsError, parse
from toolcell.settings.schema import _File

GETTING_STARTED = {
    "enable_code_execution": True,
    "mcpServers": [{"name": "github", "url": "https://api.github.com/mcp", "protocol": "http", "enabled": True}],
}

RANGES = {
    "code_execution_timeout_ms": (1, 600_000),
    "code_execution_max_tool_calls": (0, 1_000_000_000),
    "code_execution_pool_size": (1, 10_000),
    "code_execution_max_parallel": (1, 32),
    "code_execution_memory_mb": (8, 1024),
    "code_execution_max_result_bytes": (1024, 64 * 1024 * 1024),
    "code_execution_queue_timeout_ms": (0, 600_000),
    "max_concurrent_requests": (0, 10_000),
    "queue_size": (0, 100_000),
}


def read(raw: object, **environ: str) -> Settings:
    return parse(json.dumps(raw).encode(), environ).settings


def fault(raw: object, **environ: str) -> str:
    with pytest.raises(SettingsError) as raised:
        read(raw, **environ)
    return str(raised.value)


def test_the_seeds_getting_started_file_works_as_written() -> None:
    settings = read(GETTING_STARTED)
    assert settings.enable_code_execution
    assert settings.mcpServers[0].name == "github"


def test_an_empty_file_leaves_the_feature_off_and_the_seeds_defaults() -> None:
    assert read({}) == Settings()
    assert not Settings().enable_code_execution
    assert Settings().code_execution_timeout_ms == 120_000


def test_without_a_file_the_feature_is_on() -> None:
    assert DEFAULTS.settings.enable_code_execution


@pytest.mark.parametrize(("key", "bounds"), RANGES.items())
def test_a_number_is_taken_at_both_ends_of_its_range_and_refused_beyond(key: str, bounds: tuple[int, int]) -> None:
    low, high = bounds
    assert [getattr(read({key: value}), key) for value in bounds] == [low, high]
    for beyond in (low - 1, high + 1):
        assert fault({key: beyond}) == f"{key} must be an integer from {low} to {high}, not {beyond}"


@pytest.mark.parametrize("value", [True, "5", 1.5, None, [], {}])
@pytest.mark.parametrize("key", RANGES)
def test_a_number_of_another_type_is_refused_naming_key_and_range(key: str, value: object) -> None:
    assert fault({key: value}).startswith(f"{key} must be an integer from")


@pytest.mark.parametrize("value", [1, "true", None])
def test_the_switch_takes_only_true_and_false(value: object) -> None:
    assert fault({"enable_code_execution": value}).startswith("enable_code_execution must be true or false, not ")


def test_every_fault_of_a_file_is_told_at_once() -> None:
    text = fault({"code_execution_pool_size": 0, "listen": "nowhere"})
    assert "code_execution_pool_size" in text
    assert "listen must be host:port" in text


@pytest.mark.parametrize("listen", ["127.0.0.1:8080", ":8080", "[::1]:80", "localhost:0"])
def test_a_listen_address_is_host_and_port(listen: str) -> None:
    assert read({"listen": listen}).listen == listen


@pytest.mark.parametrize("listen", ["8080", "a:b", "a:65536", "a b:1", "::1:80"])
def test_another_listen_address_is_refused(listen: str) -> None:
    assert fault({"listen": listen}) == f"listen must be host:port, as in 127.0.0.1:8080, not '{listen}'"


@pytest.mark.parametrize("text", ["2m", "30s", "1m30s", "500ms", "0.5h"])
def test_a_duration_is_written_as_in_go(text: str) -> None:
    assert read({"call_tool_timeout": text}).call_tool_timeout == text


@pytest.mark.parametrize("text", ["2", "m", "2 m", "-1s", ""])
def test_another_duration_is_refused(text: str) -> None:
    assert fault({"call_tool_timeout": text}).startswith("call_tool_timeout must be a duration")


def test_a_key_that_is_not_ours_is_a_warning_with_the_nearest_of_ours() -> None:
    loaded = parse(b'{"code_execution_timeout": 5, "top_k": 5}', {})
    assert loaded.settings == Settings()
    assert "did you mean 'code_execution_timeout_ms'" in loaded.warnings[0]
    assert loaded.warnings[1] == "'top_k' is not a setting of toolcell and is ignored"


def test_a_secret_comes_from_the_environment_and_is_never_shown() -> None:
    settings = read({"api_key": "${env:KEY}"}, KEY="s3cret")
    assert settings.api_key == "s3cret"
    assert "s3cret" not in repr(settings)
    assert fault({"api_key": "${env:KEY}"}) == "api_key refers to the environment variable KEY, which is not set"
    assert "s3cret" not in fault({"api_key": ["s3cret"], "mcpServers": "s3cret"})


@pytest.mark.parametrize("servers", [None, "x", 1, [1], [[]], {"a": 1}])
def test_servers_are_an_array_of_objects(servers: Any) -> None:
    assert fault({"mcpServers": servers}).startswith("mcpServers")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[]", "must hold a JSON object, not an array"),
        (b"{", "is not JSON"),
        (b'{"listen":"a:1","listen":"b:2"}', "has the key 'listen' twice"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_a_file_that_is_not_one_json_object_is_refused(text: bytes, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason.replace("(", r"\(")):
        parse(text, {})


def test_the_file_and_the_settings_have_the_same_keys() -> None:
    assert set(_File.model_fields) == {field.name for field in fields(Settings)}


def test_reading_no_file_loads_no_pydantic() -> None:
    script = "import sys, toolcell.settings; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
