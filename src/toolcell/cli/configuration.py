"""Which configuration file holds, and what it says."""

from __future__ import annotations

import os
from pathlib import Path

from toolcell.bootstrap import data_dir
from toolcell.cli import files
from toolcell.cli.diagnostics import Diagnostics, Level, UsageError
from toolcell.model.limits import MIB
from toolcell.settings import DEFAULTS, Settings, SettingsError, parse

DEFAULT_CONFIG = "~/.toolcell/mcp_config.json"
_MAX_BYTES = 8 * MIB


def load(config: str | None, say: Diagnostics) -> Settings:
    """Return the settings of ``--config``, else of the default file, else the built-in ones."""
    path = _default_file() if config is None else config
    settings = DEFAULTS.settings if path is None else _read(path, say)
    try:
        data_dir(settings)
    except SettingsError as error:
        raise UsageError(f"{path}: {error}" if path else str(error)) from None
    return settings


def _default_file() -> str | None:
    """Return the default file if there is one; a link that leads nowhere is one, and so is one that is kept from us."""
    try:
        path = Path(DEFAULT_CONFIG).expanduser()
    except RuntimeError:
        raise UsageError(f"no home folder, so no {DEFAULT_CONFIG}: set HOME, or give --config") from None
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"cannot look for {path}: {error.strerror}") from None
    except ValueError:  # what cannot be a name
        raise UsageError("the home folder's name is not valid: set HOME, or give --config") from None
    return str(path)


def _read(path: str, say: Diagnostics) -> Settings:
    say.say(Level.DEBUG, f"configuration: {path}")
    try:
        loaded = parse(files.read("--config", path, _MAX_BYTES), os.environ)
    except SettingsError as error:
        raise UsageError(f"{path}: {error}") from None
    for warning in loaded.warnings:
        say.say(Level.WARN, f"{path}: {warning}")
    return loaded.settings
