"""The fenced code blocks of the documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block, its language, what else its info string says, and where it stands."""

    language: str
    attributes: str
    text: str
    place: str


def blocks() -> list[Block]:
    """Return every block of every page."""
    found = []
    for page in PAGES:
        content = page.read_text()
        for fence in _FENCE.finditer(content):
            language, _, attributes = fence["info"].partition(" ")
            line = content.count("\n", 0, fence.start()) + 1
            found.append(Block(language, attributes, fence["text"], f"{page.relative_to(ROOT)}:{line}"))
    return found


def of(*languages: str) -> list[Block]:
    """Return the blocks in these languages."""
    return [block for block in blocks() if block.language in languages]
