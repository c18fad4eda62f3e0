"""What to tell a model whose program does not parse because it is not in a language that runs here."""

from __future__ import annotations

import re
from itertools import islice

from toolcell.model.request import Language

_LANGUAGES = "toolcell runs JavaScript (the default) and TypeScript"

_PYTHON = re.compile(
    r"""
        \#!.*\bpython
      | (?:async\s+)?def\s+\w+\s*\(.*\)\s*(?:->[^:\n]*)?:\s*(?:\#.*)?$
      | from\s+[\w.]+\s+import\s+[\w(*]
      | import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*$
      | (?:if|elif|while|for|with|except|class)\b[^{}\n]*:\s*(?:\#.*)?$
      | (?:else|try|finally)\s*:\s*$
      | print\s*\(?\s*f["']
    """,
    re.VERBOSE,
)
_SHELL = re.compile(
    r"""
        \#!.*\b(?:ba|z|da|k)?sh\b
      | \$\s+\w
      | (?:sudo|curl|wget|grep|cat|ls|cd|mkdir|chmod|echo|find|sed|awk
         |git|npm|npx|pip3?|docker|kubectl|apt(?:-get)?|brew)
        \s+[-\w./~"'$@:]
      | export\s+\w+=
      | node\s+[-\w./]+
      | python3?\s+[-\w./]+
    """,
    re.VERBOSE,
)
_TYPESCRIPT = re.compile(
    r"""
        (?:export\s+)?(?:interface|enum|namespace)\s+\w+
      | (?:export\s+)?type\s+\w+(?:<[^=]*>)?\s*=
      | (?:const|let|var)\s+\w+\s*:\s*\S
      | (?:async\s+)?function\s+\w+\s*(?:<[^(]*>)?\([^)]*\w\??\s*:\s*\w
    """,
    re.VERBOSE,
)

SCANNED_CHARACTERS, SCANNED_LINES, SCANNED_WIDTH = 16_384, 40, 200
"""What is looked at of a text, in all, in lines that are not blank, and in each of these.

The first lines tell. The time is nobody's budget, so it must be small for every text: a pattern sees one short line,
from where it begins, and blank space before it is gone.
"""


def opening(source: str) -> tuple[str, ...]:
    """Return the lines that a hint is based on: the first ones that are not blank, stripped and cut."""
    lines = (line.strip() for line in source[:SCANNED_CHARACTERS].split("\n"))
    return tuple(line[:SCANNED_WIDTH] for line in islice(filter(None, lines), SCANNED_LINES))


def language_hint(source: str, language: Language) -> str | None:
    """Return a sentence for a program that is plainly something else, or ``None``.

    Meant for a text that failed to parse; a valid program may well match.
    """
    lines = opening(source)
    if lines and _SHELL.match(lines[0]):
        return f"This looks like a shell command; {_LANGUAGES}"
    if any(map(_PYTHON.match, lines)):
        return f"This looks like Python; {_LANGUAGES}"
    if language is Language.JAVASCRIPT and any(map(_TYPESCRIPT.match, lines)):
        return "This looks like TypeScript; set language to 'typescript'"
    return None
