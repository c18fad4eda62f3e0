"""Every code a caller or a program can meet, one enum for each kind of error.

A *refusal* means that nothing ran. A *run code* is the verdict on a program that was started. A *call
code* is the reply to one tool call, read by the program. Front ends keep one table per enum.
"""

from __future__ import annotations

from enum import StrEnum


class RefusalCode(StrEnum):
    """Why a request was turned away before its program started (spec 2.2, 9)."""

    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_OPTIONS = "INVALID_OPTIONS"
    INVALID_LANGUAGE = "INVALID_LANGUAGE"
    INVALID_SCRIPT_NAME = "INVALID_SCRIPT_NAME"
    SCRIPT_UNUSABLE = "SCRIPT_UNUSABLE"
    SCRIPT_NOT_FOUND = "SCRIPT_NOT_FOUND"
    FEATURE_DISABLED = "FEATURE_DISABLED"
    BUSY = "BUSY"


class RunCode(StrEnum):
    """How a program that was started failed (spec 2.6)."""

    SYNTAX_ERROR = "SYNTAX_ERROR"
    TRANSPILE_ERROR = "TRANSPILE_ERROR"
    RUNTIME_ERROR = "RUNTIME_ERROR"
    TIMEOUT = "TIMEOUT"
    MEMORY_LIMIT_EXCEEDED = "MEMORY_LIMIT_EXCEEDED"
    SERIALIZATION_ERROR = "SERIALIZATION_ERROR"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    MAX_TOOL_CALLS_EXCEEDED = "MAX_TOOL_CALLS_EXCEEDED"
    SERVER_NOT_ALLOWED = "SERVER_NOT_ALLOWED"
    CANCELLED = "CANCELLED"
    EXECUTION_FAILED = "EXECUTION_FAILED"


class CallCode(StrEnum):
    """Why one tool call has no result (spec 3.3)."""

    INVALID_ARGS = "INVALID_ARGS"
    MAX_TOOL_CALLS_EXCEEDED = "MAX_TOOL_CALLS_EXCEEDED"
    SERVER_NOT_ALLOWED = "SERVER_NOT_ALLOWED"
    ACCESS_DENIED = "ACCESS_DENIED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    SERVER_NOT_FOUND = "SERVER_NOT_FOUND"
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND"
    SERVER_DISABLED = "SERVER_DISABLED"
    SERVER_QUARANTINED = "SERVER_QUARANTINED"
    TOOL_PENDING_APPROVAL = "TOOL_PENDING_APPROVAL"
    TOOL_CHANGED = "TOOL_CHANGED"
    TOOL_DISABLED = "TOOL_DISABLED"
    NOT_CONNECTED = "NOT_CONNECTED"
    QUEUE_FULL = "QUEUE_FULL"
    QUEUE_TIMEOUT = "QUEUE_TIMEOUT"
    UPSTREAM_TIMEOUT = "UPSTREAM_TIMEOUT"
    UPSTREAM_ERROR = "UPSTREAM_ERROR"
    TOOL_ERROR = "TOOL_ERROR"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"


RETRYABLE_CALLS = frozenset({CallCode.QUEUE_FULL, CallCode.QUEUE_TIMEOUT})
"""Calls that were never sent for want of room: the same call may succeed later."""
