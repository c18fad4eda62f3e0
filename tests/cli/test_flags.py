from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.cli import app, flags
from toolcell.cli.flags import EXEC_FLAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import Command

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
LINES = st.lists(st.tuples(st.sampled_from(EXEC_FLAGS), TEXT, st.booleans()), max_size=8).map(
    lambda parts: [
        word for flag, value, joined in parts for word in ([f"{flag.name}={value}"] if joined else [flag.name, value])
    ]
)


def last(values: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return what counts: every value of a repeatable flag, the last of any other."""
    return {
        flag.key: values[flag.key][slice(None) if flag.repeatable else slice(-1, None)]
        for flag in EXEC_FLAGS
        if flag.key in values
    }


@given(line=LINES)
def test_the_quick_reader_and_the_command_library_read_the_same(line: list[str]) -> None:
    seen: list[Mapping[str, list[str]]] = []

    def execute(values: Mapping[str, list[str]]) -> int:
        seen.append(values)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "execute", execute)
        app.run(["code", "exec", *line])
    quick = flags.read(line)
    assert quick is not None
    assert last(quick) == seen[0]


@pytest.mark.parametrize(
    "line", [["--help"], ["--code"], ["--cod", "1"], ["1"], ["--code", "1", "x"], ["-c", "1"], ["--", "x"]]
)
def test_anything_but_known_flags_with_values_goes_to_the_command_library(line: list[str]) -> None:
    assert flags.read(line) is None


def test_a_plain_run_loads_neither_the_command_library_nor_pydantic_nor_asyncio(toolcell: Command) -> None:
    script = (
        "import sys; from toolcell.cli.entry import run; run(['code', 'exec', '--code', '1'])\n"
        "print(sorted({'typer', 'pydantic', 'asyncio', 'rich', 'wasmtime'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, timeout=60, env=toolcell.environ()
    )
    assert done.stderr == b"[]\n"


def test_help_names_every_flag(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--help")
    assert done.returncode == 0
    assert all(flag.name in done.stdout.decode() for flag in EXEC_FLAGS)


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("--version",), 0, f"toolcell {version('toolcell')}\n".encode()),
        ((), 0, b"Usage: toolcell"),
        (("--help",), 0, b"Usage: toolcell"),
        (("code", "--help"), 0, b"Usage: toolcell code"),
    ],
)
def test_what_is_asked_about_the_command_is_on_stdout(
    toolcell: Command, arguments: tuple[str, ...], code: int, part: bytes
) -> None:
    done = toolcell(*arguments)
    assert done.returncode == code
    assert part in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nope",), b"toolcell: error: No such command 'nope'.\n"),
        (("code",), b"toolcell: error: Missing command.\n"),
        (("code", "nope"), b"toolcell: error: No such command 'nope'.\n"),
    ],
)
def test_an_unknown_command_is_one_sentence_and_exit_code_2(
    toolcell: Command, arguments: tuple[str, ...], sentence: bytes
) -> None:
    done = toolcell(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", sentence)
