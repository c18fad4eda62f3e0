"""Names for runs."""

from __future__ import annotations

import os
import time

_VERSION, _VARIANT = 0x7, 0b10


def new_execution_id() -> str:
    """Return a fresh UUID of version 7 (RFC 9562): later runs sort after earlier ones.

    Built here because importing ``uuid`` costs more than a small run.
    """
    random = int.from_bytes(os.urandom(10))
    head = time.time_ns() // 1_000_000 << 80 | _VERSION << 76 | (random >> 62 & 0xFFF) << 64
    digits = f"{head | _VARIANT << 62 | random & (1 << 62) - 1:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
