"""The compiled guest on disk is used only when it is surely ours (hostile case H13); else it is compiled anew."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import wasmtime

from tests.sandbox.driver import bind
from toolcell.sandbox import Engine, EngineConfig, module_cache, native
from toolcell.sandbox.engine import GUEST

if TYPE_CHECKING:
    from collections.abc import Callable

    Load = Callable[[Path | None], tuple[str, ...]]


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a guest that compiles in no time."""
    wasm = bytes(wasmtime.wat2wasm('(module (func (export "run") (nop)))'))
    path = tmp_path_factory.mktemp("guest") / "cell.wasm"
    path.write_bytes(wasm)
    path.with_suffix(".sha256").write_text(hashlib.sha256(wasm).hexdigest())
    return path


@pytest.fixture
def load(engine: Engine, guest: Path) -> Callable[[Path | None], tuple[str, ...]]:
    """Return a function that loads the guest through a cache folder, and returns the module's exports."""
    return lambda folder: native.export_names(module_cache.load(engine.handle, guest, folder, "configuration"))


@pytest.fixture
def cache(tmp_path: Path, load: Load) -> Path:
    """Return a private folder that already holds the compiled guest."""
    load(tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch, cache: Path) -> list[int]:
    """Count how often the guest is compiled from here on."""
    assert module_file(cache).exists()
    seen: list[int] = []
    real = module_cache._compile  # noqa: SLF001

    def compile_guest(engine: int, wasm: bytes) -> int:
        seen.append(len(wasm))
        return real(engine, wasm)

    monkeypatch.setattr(module_cache, "_compile", compile_guest)
    return seen


def module_file(folder: Path) -> Path:
    (path,) = folder.glob("*.cwasm")
    return path


def test_a_module_in_a_private_folder_is_used(cache: Path, load: Load, compilations: list[int]) -> None:
    assert load(cache) == ("run",)
    assert compilations == []


def test_a_new_folder_is_made_private_and_filled(tmp_path: Path, load: Load, compilations: list[int]) -> None:
    folder = tmp_path / "a" / "b"
    assert load(folder) == ("run",)
    assert len(compilations) == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert module_file(folder).stat().st_mode & 0o777 == 0o600
    assert load(folder) == ("run",)
    assert len(compilations) == 1
    assert [path.suffix for path in folder.iterdir()] == [".cwasm"]


def _flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _link(path: Path) -> None:
    elsewhere = path.with_suffix(".elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _let_the_group_write(path: Path) -> None:
    path.chmod(0o620)


def _let_others_read(path: Path) -> None:
    path.chmod(0o604)


def _plant_other_code_under_its_true_digest(path: Path) -> None:
    """Someone who may write the folder can name any bytes by their digest: wasmtime must not take these."""
    data = b"\x7fELF" + path.read_bytes()[4:2000]
    key = path.stem.partition("-")[0]
    path.unlink()
    forged = path.with_name(f"{key}-{hashlib.sha256(data).hexdigest()}.cwasm")
    forged.write_bytes(data)
    forged.chmod(0o600)


@pytest.mark.parametrize(
    "tamper",
    [
        _flip_a_byte,
        _truncate,
        _empty,
        _link,
        _make_a_folder,
        _make_a_pipe,
        _let_the_group_write,
        _let_others_read,
        _plant_other_code_under_its_true_digest,
    ],
)
def test_an_odd_module_file_is_not_used(
    cache: Path, load: Load, compilations: list[int], tamper: Callable[[Path], None]
) -> None:
    tamper(module_file(cache))
    assert load(cache) == ("run",)
    assert len(compilations) == 1


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o722])
def test_a_folder_that_others_may_write_is_not_used(
    cache: Path, load: Load, compilations: list[int], mode: int
) -> None:
    cache.chmod(mode)
    before = sorted(cache.iterdir())
    assert load(cache) == ("run",)
    assert len(compilations) == 1
    assert sorted(cache.iterdir()) == before


def test_a_symlinked_folder_is_not_used(cache: Path, tmp_path: Path, load: Load, compilations: list[int]) -> None:
    link = tmp_path / "link"
    link.symlink_to(cache)
    assert load(link) == ("run",)
    assert len(compilations) == 1


def test_a_folder_that_cannot_be_made_costs_only_time(tmp_path: Path, load: Load, compilations: list[int]) -> None:
    (tmp_path / "file").write_text("")
    assert load(tmp_path / "file" / "cache") == ("run",)
    assert len(compilations) == 1


def test_someone_else_s_folder_is_not_used(
    cache: Path, load: Load, compilations: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert load(cache) == ("run",)
    assert len(compilations) == 1


def test_no_folder_means_to_compile_in_each_process(load: Load, compilations: list[int]) -> None:
    assert load(None) == load(None) == ("run",)
    assert len(compilations) == 2


def test_an_engine_of_a_cached_module_runs_programs(engine: Engine, compiled: Path, compilations: list[int]) -> None:
    assert engine.handle
    again = Engine.load(EngineConfig(max_cells=2, cache_dir=compiled))
    assert bind(again)("1 + 1").value == 2
    assert compilations == []


@pytest.mark.parametrize("part", ["configuration", "digest", "version", "processor"])
def test_the_key_changes_with_all_that_decides_the_code(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    before = module_cache._key("digest", "configuration")  # noqa: SLF001
    digest, configuration = "digest", "configuration"
    if part == "configuration":
        configuration = "another"
    elif part == "digest":
        digest = "another"
    elif part == "version":
        monkeypatch.setattr(native, "WASMTIME_VERSION", "0")
    else:
        monkeypatch.setattr(module_cache, "_cpu_features", lambda: "flags: fewer")
    assert module_cache._key(digest, configuration) != before  # noqa: SLF001


def test_a_module_that_cannot_be_put_in_place_leaves_nothing_behind(
    tmp_path: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_source: Path, _target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert load(tmp_path / "full") == ("run",)
    assert list((tmp_path / "full").iterdir()) == []


def test_modules_of_other_keys_are_swept_away(cache: Path, load: Load) -> None:
    old = cache / f"{'0' * 32}-{'1' * 64}.cwasm"
    old.write_bytes(b"old")
    for path in cache.iterdir():
        if path != old:
            path.unlink()
    assert load(cache) == ("run",)
    assert not old.exists()
    assert len(list(cache.iterdir())) == 1


def test_the_guest_in_the_package_has_the_digest_beside_it() -> None:
    assert hashlib.sha256(GUEST.read_bytes()).hexdigest() == GUEST.with_suffix(".sha256").read_text().strip()
