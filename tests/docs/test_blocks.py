"""Every code block of the documentation does what the page says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import ROOT, Block, blocks, of
from toolcell.settings import parse

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command

RUN_BY_A_TEST = {"console", "js", "ts", "json", "python"}
DRAWINGS = {"text"}
EXPECTED = re.compile(r"^// (?P<mark>[→✗]) (?P<rest>.+)\n\Z", re.MULTILINE)


def ids(found: list[Block]) -> list[str]:
    return [block.place for block in found]


def test_every_block_is_in_a_language_that_a_test_runs() -> None:
    assert {block.language for block in blocks()} <= RUN_BY_A_TEST | DRAWINGS


@pytest.fixture
def shell(toolcell: Command, tmp_path: Path) -> dict[str, str]:
    """Return an environment in which `toolcell` is the command under test and the examples lie at hand."""
    command = tmp_path / "bin" / "toolcell"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m toolcell "$@"\n')
    command.chmod(0o755)
    for example in (ROOT / "docs" / "examples").iterdir():
        shutil.copy(example, tmp_path)
    return toolcell.environ(PATH=f"{command.parent}:{os.environ['PATH']}")


def transcript(text: str) -> list[tuple[str, str]]:
    """Return each command of a console block with the output shown for it."""
    steps: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        else:
            command, output = steps.pop()
            steps.append((command, f"{output}{line}\n"))
    return steps


def matches(shown: str, real: str) -> bool:
    """Return whether real output is what the page shows, in which ``…`` stands for anything."""
    pattern = ".*?".join(re.escape(part) for part in shown.rstrip("\n").split("…"))
    return re.fullmatch(pattern, real.rstrip("\n"), re.DOTALL) is not None


@pytest.mark.parametrize("block", of("console"), ids=ids(of("console")))
def test_a_console_block_shows_what_its_commands_print(block: Block, shell: dict[str, str], tmp_path: Path) -> None:
    for command, shown in transcript(block.text):
        done = subprocess.run(
            ["bash", "-c", command],  # noqa: S607
            capture_output=True,
            check=False,
            timeout=60,
            env=shell,
            cwd=tmp_path,
            text=True,
        )
        real = done.stderr + done.stdout
        assert matches(shown, real), f"{command}\n{real}"


@pytest.mark.parametrize("block", of("js", "ts"), ids=ids(of("js", "ts")))
def test_a_program_block_ends_as_its_last_line_says(block: Block, toolcell: Command) -> None:
    expected = EXPECTED.search(block.text)
    assert expected is not None, "the last line of a program says what comes of it: // → value or // ✗ CODE"
    options = json.loads(block.attributes.removeprefix("options=") or "{}")
    flags = [f"--allowed-servers={','.join(options['allowed_servers'])}"] if options else []
    language = "typescript" if block.language == "ts" else "javascript"
    done = toolcell("code", "exec", "--file=-", f"--language={language}", *flags, stdin=block.text.encode())
    body = json.loads(done.stdout)
    if expected["mark"] == "→":
        assert body.get("value") == json.loads(expected["rest"]), body
    else:
        code, _, part = expected["rest"].partition(": ")
        assert body["error"]["code"] == code
        assert part in body["error"]["message"]


@pytest.mark.parametrize("block", of("json"), ids=ids(of("json")))
def test_a_configuration_block_is_accepted_without_a_warning(block: Block) -> None:
    assert block.attributes == "config"
    assert parse(block.text.encode(), {"TOOLCELL_KEY": "k"}).warnings == ()


@pytest.mark.parametrize("block", of("python"), ids=ids(of("python")))
def test_a_python_block_runs(block: Block) -> None:
    exec(compile(block.text, block.place, "exec"), {})  # noqa: S102
