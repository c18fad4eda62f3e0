from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.execution import hints
from toolcell.execution.hints import language_hint
from toolcell.model.request import Language

FOREIGN = {
    "Python function": ("def main(x: int) -> int:\n    return x\n", "Python"),
    "Python import": ("import os\nprint(os.getcwd())", "Python"),
    "Python from": ("from json import dumps", "Python"),
    "Python loop": ("for x in range(10):\n    print(x)", "Python"),
    "Python else": ("x = 1\nif x:\n  pass\nelse:\n  pass", "Python"),
    "Python f-string": ('print(f"{x}")', "Python"),
    "Python shebang": ("#!/usr/bin/env python3\nx = 1", "Python"),
    "shell shebang": ("#!/bin/bash\nset -e", "a shell command"),
    "curl": ("curl -s https://example.com | jq .", "a shell command"),
    "ls": ("ls -la /tmp", "a shell command"),
    "prompt": ("$ npm install", "a shell command"),
    "export": ("export KEY=1", "a shell command"),
    "TypeScript": ("interface A { b: string }\n1", "TypeScript; set language to 'typescript'"),
    "indented after blank lines": ("\n\t\n  \n  import os\r\n", "Python"),
    "shell after blank lines": ("\n \n  curl -s https://example.com", "a shell command"),
    "TypeScript annotation": ("const x: number = 1", "TypeScript; set language to 'typescript'"),
}


@pytest.mark.parametrize(("source", "name"), FOREIGN.values(), ids=FOREIGN)
def test_a_text_in_another_language_is_told_so(source: str, name: str) -> None:
    hint = language_hint(source, Language.JAVASCRIPT)
    assert hint is not None
    assert hint.startswith(f"This looks like {name}")


@pytest.mark.parametrize(
    "source",
    [
        "const x = {",
        "for (const x of [1,2) { }",
        "import fs from 'fs'; fs.readFile(",
        "if (a) { b } else { c ",
        "switch (x) { case 1: y( }",
        "label: for (;;) { break label",
        "find(x => x.id === 3",
        "const git = call_tool('git', 'log', {}",
    ],
)
def test_broken_javascript_gets_no_hint(source: str) -> None:
    assert language_hint(source, Language.JAVASCRIPT) is None


def test_a_typescript_run_is_not_told_to_be_typescript() -> None:
    assert language_hint("const x: number = {", Language.TYPESCRIPT) is None


def test_a_hint_for_a_hostile_text_looks_at_its_beginning_only() -> None:
    assert language_hint("(" * 262_144 + "\ndef f():", Language.JAVASCRIPT) is None


class Seen:
    """A pattern that keeps what it is matched against."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def match(self, line: str) -> None:
        self.lines.append(line)


@given(
    unit=st.text(alphabet="\n\t \r\x0b\x0c\u2028(<:d#", min_size=1, max_size=12),
    end=st.sampled_from(["", "(", "\nif x", "def f("]),
)
def test_no_text_makes_a_pattern_see_more_than_a_few_short_lines(unit: str, end: str) -> None:
    patterns = {name: Seen() for name in ("_SHELL", "_PYTHON", "_TYPESCRIPT")}
    text = (unit * (262_144 // len(unit)))[: 262_144 - len(end)] + end
    with pytest.MonkeyPatch.context() as patch:
        for name, pattern in patterns.items():
            patch.setattr(hints, name, pattern)
        language_hint(text, Language.JAVASCRIPT)
    for pattern in patterns.values():
        assert len(pattern.lines) <= hints.SCANNED_LINES
        assert all(line and line == line.lstrip() and len(line) <= hints.SCANNED_WIDTH for line in pattern.lines)
