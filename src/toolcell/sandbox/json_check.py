"""Whether bytes are one JSON document, told without building what they say.

A value is passed on byte for byte, spliced into an answer: text that is no document could end the answer early and
forge the rest of it. A small text is parsed. Python's reader makes up to 50 bytes of objects of each byte of a hostile
text and takes seconds over 5 MiB; SQLite's checks the same text in a tenth of a second and in bounded memory.
"""

from __future__ import annotations

import json
from typing import NoReturn

SMALL = 65_536
"""Bytes up to which a text is parsed with ``json``: the usual value, and no SQLite to load for it."""


def is_json(text: bytes) -> bool:
    """Return whether ``text`` is exactly one JSON document (RFC 8259) in UTF-8."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError:
        return False
    if len(text) > SMALL:
        return "\0" not in decoded and _is_json_to_sqlite(decoded)  # to SQLite a NUL ends the text
    try:
        json.loads(decoded, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _is_json_to_sqlite(text: str) -> bool:
    import sqlite3  # noqa: PLC0415  # 10 ms that only large values need

    database = sqlite3.connect(":memory:")
    try:
        (valid,) = database.execute("SELECT json_valid(?)", (text,)).fetchone()
    finally:
        database.close()
    return bool(valid)
