"""What to tell a model whose program does not parse because it is not in a language that runs here."""

from __future__ import annotations

import re

from toolcell.model.request import Language

_LANGUAGES = "toolcell runs JavaScript (the default) and TypeScript"

_PYTHON = re.compile(
    r"""^\s*(?:
        \#!.*\bpython
      | (?:async\s+)?def\s+\w+\s*\(.*\)\s*(?:->[^:\n]*)?:\s*(?:\#.*)?$
      | from\s+[\w.]+\s+import\s+[\w(*]
      | import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*$
      | (?:if|elif|while|for|with|except|class)\b[^{}\n]*:\s*(?:\#.*)?$
      | (?:else|try|finally)\s*:\s*$
      | print\s*\(?\s*f["']
    )""",
    re.MULTILINE | re.VERBOSE,
)
_SHELL = re.compile(
    r"""\A\s*(?:
        \#!.*\b(?:ba|z|da|k)?sh\b
      | \$\s+\w
      | (?:sudo|curl|wget|grep|cat|ls|cd|mkdir|chmod|echo|find|sed|awk
         |git|npm|npx|pip3?|docker|kubectl|apt(?:-get)?|brew)
        \s+[-\w./~"'$@:]
      | export\s+\w+=
      | node\s+[-\w./]+
      | python3?\s+[-\w./]+
    )""",
    re.VERBOSE,
)
_TYPESCRIPT = re.compile(
    r"""^\s*(?:
        (?:export\s+)?(?:interface|enum|namespace)\s+\w+
      | (?:export\s+)?type\s+\w+(?:<[^=]*>)?\s*=
      | (?:const|let|var)\s+\w+\s*:\s*\S
      | (?:async\s+)?function\s+\w+\s*(?:<[^(]*>)?\([^)]*\w\??\s*:\s*\w
    )""",
    re.MULTILINE | re.VERBOSE,
)

_SCANNED = 4_000
"""Characters looked at: the first lines tell, and a pattern must not cost time on a long text."""


def language_hint(source: str, language: Language) -> str | None:
    """Return a sentence for a program that is plainly something else, or ``None``.

    Meant for a text that failed to parse; a valid program may well match.
    """
    start = source[:_SCANNED]
    if _SHELL.search(start):
        return f"This looks like a shell command; {_LANGUAGES}"
    if _PYTHON.search(start):
        return f"This looks like Python; {_LANGUAGES}"
    if language is Language.JAVASCRIPT and _TYPESCRIPT.search(start):
        return "This looks like TypeScript; set language to 'typescript'"
    return None
