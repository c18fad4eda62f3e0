"""The operator's configuration: a file's text in, frozen ``Settings`` out (spec 11).

Only bootstrap and the command line read settings. The schema and pydantic with it are loaded when there is
a file to check; without one the defaults stand and start-up pays nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolcell.model.limits import MIB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolcell.model.servers import ServerSpec


class SettingsError(ValueError):
    """The configuration cannot be used; the message names every key at fault, its value and its range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every key of the configuration file, under its own name, with its built-in default."""

    enable_code_execution: bool = False
    code_execution_timeout_ms: int = 120_000
    code_execution_max_tool_calls: int = 0
    code_execution_pool_size: int = 10
    code_execution_max_parallel: int = 8
    code_execution_memory_mb: int = 64
    code_execution_max_result_bytes: int = 5 * MIB
    code_execution_queue_timeout_ms: int = 10_000
    listen: str = "127.0.0.1:8080"
    api_key: str | None = field(default=None, repr=False)
    data_dir: str = "~/.toolcell"
    call_tool_timeout: str = "2m"
    max_concurrent_requests: int = 0
    queue_size: int = 0
    queue_timeout: str = "30s"
    mcpServers: tuple[ServerSpec, ...] = ()  # noqa: N815  # the seeds' key


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A usable configuration and what its operator should still hear about it."""

    settings: Settings
    warnings: tuple[str, ...] = ()


def parse(text: bytes, environ: Mapping[str, str]) -> Loaded:
    """Return the settings in a file's text, or raise ``SettingsError`` naming all that is wrong."""
    from toolcell.settings import schema  # noqa: PLC0415  # pydantic costs more than a whole small run

    return schema.read(text, environ)


DEFAULTS = Loaded(settings=Settings(enable_code_execution=True))
"""With no file the person at the keyboard asked for the run, so the feature is on (spec 10)."""
