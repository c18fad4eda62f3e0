"""``${env:NAME}`` references: secrets stay in the environment and out of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolcell.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(text: str, environ: Mapping[str, str], key: str) -> str:
    """Return ``text`` with every reference replaced; a variable that is not set is an error naming it."""

    def value_of(reference: re.Match[str]) -> str:
        name = reference[1]
        if name not in environ:
            raise SettingsError(f"{key} refers to the environment variable {name}, which is not set")
        return environ[name]

    return _REFERENCE.sub(value_of, text)
