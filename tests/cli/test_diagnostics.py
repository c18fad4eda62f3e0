from __future__ import annotations

import pytest

from toolcell.cli.diagnostics import Diagnostics, Level


@pytest.fixture
def failure() -> Exception:
    """Return an exception that has a traceback."""
    with pytest.raises(RuntimeError) as raised:
        raise RuntimeError("broken\x1b[2J\nin two lines")
    return raised.value


def test_a_fault_of_ours_is_one_harmless_sentence_with_its_run(
    failure: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    Diagnostics().fault("run-1", failure)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "toolcell: error: run run-1 failed inside toolcell: RuntimeError: broken\\u001b[2J in two lines\n"
    )


def test_a_traceback_is_shown_to_who_debugs(failure: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    Diagnostics(Level.DEBUG).fault("run-1", failure)
    lines = capsys.readouterr().err.splitlines()
    assert "toolcell: debug: Traceback (most recent call last):" in lines
    assert all(line.startswith("toolcell: ") for line in lines)


@pytest.mark.parametrize("level", list(Level))
def test_what_is_below_the_level_is_not_said(level: Level, capsys: pytest.CaptureFixture[str]) -> None:
    say = Diagnostics(level)
    for each in Level:
        say.say(each, each.name)
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition(" ")[2] for line in said] == [each.name for each in Level if each >= level]
