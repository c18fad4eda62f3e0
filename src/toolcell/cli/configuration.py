"""Which configuration file holds, and what it says."""

from __future__ import annotations

import os
from pathlib import Path

from toolcell.cli import files
from toolcell.cli.diagnostics import Diagnostics, Level, UsageError
from toolcell.model.limits import MIB
from toolcell.settings import DEFAULTS, Settings, SettingsError, parse

DEFAULT_CONFIG = "~/.toolcell/mcp_config.json"
_MAX_BYTES = 8 * MIB


def load(config: str | None, say: Diagnostics) -> Settings:
    """Return the settings of ``--config``, else of the default file, else the built-in ones."""
    path = config or str(Path(DEFAULT_CONFIG).expanduser())
    if config is None and not Path(path).exists():
        return DEFAULTS.settings
    say.say(Level.DEBUG, f"configuration: {path}")
    try:
        loaded = parse(files.read("--config", path, _MAX_BYTES), os.environ)
    except SettingsError as error:
        raise UsageError(f"{path}: {error}") from None
    for warning in loaded.warnings:
        say.say(Level.WARN, f"{path}: {warning}")
    return loaded.settings
