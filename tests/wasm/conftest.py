from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

WASM = Path(__file__).parents[2] / "wasm"


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a script of ``wasm/`` as a module; they find each other on the path, as when ``build.py`` is run."""
    monkeypatch.syspath_prepend(str(WASM))

    def load(name: str) -> Any:
        module = import_module(name)
        assert module.__file__ == str(WASM / f"{name}.py"), f"another module is named {name}"
        return module

    return load
