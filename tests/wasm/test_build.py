from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from toolcell.sandbox.engine import GUEST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.slow
def test_another_build_in_another_folder_gives_the_same_bytes(part: Callable[[str], Any], tmp_path: Path) -> None:
    """The guest in the package was built from this tree too, in a work folder of its own."""
    pytest.importorskip("ziglang", reason="only a machine with the compiler can build the guest")
    build = part("build")
    work = tmp_path / "elsewhere" / "work"
    work.mkdir(parents=True)
    for shared in ("sdists", "zig"):  # neither download nor compile again what is not ours
        if (build.DEFAULT_WORK / shared).is_dir():
            (work / shared).symlink_to(build.DEFAULT_WORK / shared)
    output = tmp_path / "out" / "cell.wasm"
    build.build(output, work)
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    assert output.with_suffix(".sha256").read_text() == digest
    assert digest == GUEST.with_suffix(".sha256").read_text().strip(), (
        "the guest in the package is another one: it is older than wasm/ (run wasm/build.py), or the build is not"
        " reproducible"
    )


@pytest.fixture
def unit(part: Callable[[str], Any], tmp_path: Path) -> Any:
    (tmp_path / "one.c").write_text('#include "one.h"\n')
    (tmp_path / "one.h").write_text("#define ONE 1\n")
    return part("build").Unit(source=tmp_path / "one.c", flags=("-O2",), includes=(tmp_path,))


@pytest.mark.parametrize("change", ["source", "header", "new header", "command", "compiler"])
def test_an_object_is_compiled_again_when_anything_it_is_made_from_changes(
    part: Callable[[str], Any], tmp_path: Path, unit: Any, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    build, command = part("build"), ["cc", "-O2"]
    before = build.digest_of(unit, command)
    assert build.digest_of(unit, command) == before
    if change == "source":
        (tmp_path / "one.c").write_text("int one;\n")
    elif change == "header":
        (tmp_path / "one.h").write_text("#define ONE 2\n")
    elif change == "new header":
        (tmp_path / "two.h").write_text("")
    elif change == "command":
        command.append("-g")
    else:
        monkeypatch.setattr(build, "version", lambda _name: "0.0.0")
    assert build.digest_of(unit, command) != before


def test_every_pinned_source_has_its_name_and_the_digest_of_its_archive(part: Callable[[str], Any]) -> None:
    build = part("build")
    pins = build.read_pins(build.HERE / "sources.lock")
    assert set(pins) == {"quickjs-ng", "ada-url"}
    assert all(len(digest) == 64 and int(digest, 16) for digest in pins.values())


def test_an_archive_is_found_by_its_bytes_and_not_by_its_name(part: Callable[[str], Any], tmp_path: Path) -> None:
    build = part("build")
    (tmp_path / "quickjs_ng-1.tar.gz").write_bytes(b"forged")
    (tmp_path / "renamed.tar.gz").write_bytes(b"true")
    assert build.find_archive(tmp_path, hashlib.sha256(b"true").hexdigest()) == tmp_path / "renamed.tar.gz"
    assert build.find_archive(tmp_path, "0" * 64) is None


def test_a_source_of_another_digest_stops_the_build(
    part: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = part("build")
    monkeypatch.setattr(build, "download", lambda folder: (folder / "quickjs_ng-1.tar.gz").write_bytes(b"forged"))
    with pytest.raises(SystemExit, match="pinned SHA-256"):
        build.fetch_sources(tmp_path)
    assert not (tmp_path / "sources").exists()


def test_a_file_is_replaced_whole(part: Callable[[str], Any], tmp_path: Path) -> None:
    target = tmp_path / "cell.wasm"
    target.write_bytes(b"old")
    part("build").replace_file(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["cell.wasm"]
    assert target.read_bytes() == b"new"
