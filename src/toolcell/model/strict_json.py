"""JSON text from outside, read without the surprises of Python's reader.

Duplicate keys, ``NaN``, ``Infinity``, encodings other than UTF-8 and nesting that would exhaust the stack
are errors here. Front ends and the command line read every text through this module.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolcell.model.limits import MAX_DEPTH
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from typing import NoReturn


class MalformedJson(ValueError):  # noqa: N818  # named for what the text is
    """The text is not JSON; the message says where or why, without a subject."""


def parse(text: bytes) -> object:
    """Return the value of UTF-8 JSON text, or raise ``MalformedJson``; a byte order mark is allowed."""
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedJson(f"is not UTF-8 text (byte {error.start})") from None
    try:
        return json.loads(decoded, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise MalformedJson(f"is not JSON: {error.msg}, line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise MalformedJson(f"is nested more than {MAX_DEPTH} levels deep") from None
    except MalformedJson:
        raise
    except ValueError:  # CPython refuses to convert integers of thousands of digits
        raise MalformedJson("holds an integer with too many digits") from None


def depth_exceeds(value: object, limit: int) -> bool:
    """Return whether ``value`` is nested more than ``limit`` levels deep, without recursion."""
    level = [value]
    for _ in range(limit):
        level = [child for node in level for child in _containers(node)]
        if not level:
            return False
    return True


def _containers(node: object) -> list[Any]:
    if isinstance(node, dict):
        return [child for child in node.values() if isinstance(child, dict | list)]
    if isinstance(node, list):
        return [child for child in node if isinstance(child, dict | list)]
    return []


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise MalformedJson(f"has the key {quoted(key)} twice in one object")
            seen.add(key)
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJson(f"is not JSON: {name} is not a JSON number")
