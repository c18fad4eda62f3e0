"""Where the configuration is looked for, and what is said when it or the data dir cannot be used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_exec import answer, refusal
from toolcell.bootstrap import data_dir
from toolcell.cli import configuration
from toolcell.cli.diagnostics import Diagnostics, UsageError
from toolcell.settings import DEFAULTS, Settings, SettingsError

if TYPE_CHECKING:
    from tests.conftest import Command

COMMANDS = {
    "code exec": ("code", "exec", "--code", "1"),
    "activity list": ("activity", "list"),
    "upstream list": ("upstream", "list"),
    "tools list": ("tools", "list"),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("target", ["nowhere", "mcp_config.json"], ids=["dangling", "looping"])
def test_a_link_that_leads_nowhere_is_a_configuration_that_cannot_be_read(
    toolcell: Command, tmp_path: Path, arguments: tuple[str, ...], target: str
) -> None:
    (tmp_path / ".toolcell").mkdir()
    (tmp_path / ".toolcell" / "mcp_config.json").symlink_to(target)
    assert "mcp_config.json: " in refusal(toolcell(*arguments, HOME=str(tmp_path)))


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_folder_in_a_loop_is_not_a_missing_configuration(
    toolcell: Command, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / ".toolcell").symlink_to(".toolcell")
    assert "cannot look for " in refusal(toolcell(*arguments, HOME=str(tmp_path)))


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    ("folder", "part"),
    [("~nosuchuser/x", "names a home that is not known here"), ("/a\0b", "has a NUL character")],
    ids=["unknown user", "NUL"],
)
def test_a_data_dir_that_cannot_be_is_a_wrong_configuration(
    toolcell: Command, tmp_path: Path, arguments: tuple[str, ...], folder: str, part: str
) -> None:
    config = tmp_path / "mcp_config.json"
    config.write_text(json.dumps({"enable_code_execution": True, "data_dir": folder}))
    said = refusal(toolcell(*arguments, "--config", str(config)))
    assert said.startswith(f"{config}: data_dir '")
    assert part in said


def test_a_data_dir_that_the_locale_cannot_write_is_a_wrong_configuration() -> None:
    with pytest.raises(SettingsError, match="cannot be written in this locale"):
        data_dir(Settings(data_dir="/a\ud800"))


def no_home(_: Path) -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_without_a_home_the_configuration_must_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "expanduser", no_home)
    with pytest.raises(UsageError, match=r"no home folder, so no .*: set HOME, or give --config"):
        configuration.load(None, Diagnostics())


def test_a_folder_that_is_kept_from_us_is_not_a_missing_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", denied)
    with pytest.raises(UsageError, match=r"cannot look for .*mcp_config\.json: Permission denied"):
        configuration.load(None, Diagnostics())


def test_a_home_that_is_no_folder_has_no_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/dev/null")
    assert configuration.load(None, Diagnostics()) == DEFAULTS.settings


def test_arguments_are_utf8_in_every_locale(toolcell: Command) -> None:
    arguments = ("--code", "'é' + input.a".encode(), "--input", '{"a":"ü"}'.encode())
    done = toolcell("code", "exec", *arguments, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert answer(done)["value"] == "éü"
