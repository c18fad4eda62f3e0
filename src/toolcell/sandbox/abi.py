"""The mailbox's layout as the host sees it. ``wasm/abi.h`` is the source; a test compares the two."""

from __future__ import annotations

import struct

VERSION = 1
INBOX_BYTES = 2_560
LOG_BYTES = 65_536

RUNNING, WAITING, ENDED = 0, 1, 2

(
    ENDING_VALUE,
    ENDING_SYNTAX_ERROR,
    ENDING_TRANSPILE_ERROR,
    ENDING_RUNTIME_ERROR,
    ENDING_MEMORY_LIMIT_EXCEEDED,
    ENDING_SERIALIZATION_ERROR,
    ENDING_RESULT_TOO_LARGE,
    ENDING_REFUSED,
    ENDING_INTERNAL,
) = range(9)

LANGUAGE_JAVASCRIPT, LANGUAGE_TYPESCRIPT = 0, 1
DIALECT_MCPPROXY, DIALECT_PINKFISH = 0, 1
ANSWER_REJECT = 2

CELL_FIELDS = (
    "version",
    "state",
    "ending",
    "value_ptr",
    "value_len",
    "value_total",
    "message_ptr",
    "message_len",
    "stack_ptr",
    "stack_len",
    "line",
    "column",
    "log_ptr",
    "log_len",
    "log_dropped",
    "outbox_ptr",
    "outbox_len",
    "waiting_for",
)
"""The 32-bit fields that the cell writes, in order from offset 0; ``wake_at`` (a double) follows."""

(
    VERSION_FIELD,
    STATE,
    ENDING,
    VALUE_PTR,
    VALUE_LEN,
    VALUE_TOTAL,
    MESSAGE_PTR,
    MESSAGE_LEN,
    STACK_PTR,
    STACK_LEN,
    LINE,
    COLUMN,
    LOG_PTR,
    LOG_LEN,
    LOG_DROPPED,
    OUTBOX_PTR,
    OUTBOX_LEN,
    WAITING_FOR,
) = range(len(CELL_FIELDS))

CELL_PART = struct.Struct("<18I")
WAKE_AT = struct.Struct("<d")
WAKE_AT_OFFSET = 72

HOST_OFFSET = 128
HOST_PART = struct.Struct("<12I2d32s")
"""language, dialect, source_len, input_len, four limits, three answer fields, padding, start_ms, clock_ms, seed."""

ANSWER_OFFSET = HOST_OFFSET + 32
ANSWER_PART = struct.Struct("<3I")
CLOCK_OFFSET = HOST_OFFSET + 56
INBOX_OFFSET = HOST_OFFSET + HOST_PART.size

REQUEST_HEADER = struct.Struct("<3I")
LOG_HEADER = struct.Struct("<2I")
LOG_LEVELS = ("debug", "log", "info", "warn", "error")

IMPORTS = (("toolcell", "take"), ("toolcell", "wait"))
EXPORTS = ("cell_page", "memory", "run")
