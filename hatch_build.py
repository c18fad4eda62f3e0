"""Build hook: compiles the guest and puts it into the wheel.

The guest is never committed. A wheel, an editable install and ``uv sync`` all come through here;
``wasm/build.py`` does the work and needs only the packages named in ``build-system.requires``.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from types import ModuleType

GUEST = "toolcell/sandbox/guest/cell.wasm"
DIGEST = "toolcell/sandbox/guest/cell.sha256"
SKIP = "TOOLCELL_SKIP_GUEST"


class GuestBuildHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is absent when mypy runs
    """Hatchling's ``custom`` hook for this project."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the guest for a wheel or an editable install; an sdist carries the sources instead."""
        if self.target_name != "wheel":
            return
        if os.environ.get(SKIP) == "1":
            self.app.display_warning(f"{SKIP}=1: the guest is not built, so no program can run")
            return
        root = Path(self.root)
        guest = root / "src" / GUEST
        guest.parent.mkdir(parents=True, exist_ok=True)
        _load(root / "wasm").build(guest, root / "build" / "guest")
        if version != "editable":
            build_data["force_include"] |= {str(root / "src" / name): name for name in (GUEST, DIGEST)}


def _load(folder: Path) -> ModuleType:
    """Return ``wasm/build.py`` as a module, with its neighbours importable."""
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("toolcell_guest_build", folder / "build.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{folder / 'build.py'} is missing: the guest cannot be built")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
