"""Builds the guest: pinned sources in, one snapshotted `cell.wasm` out (design: the guest build).

Needs Python, pip and the `ziglang` and `wasmtime` packages; fetches nothing but the source distributions that
`sources.lock` pins by hash. Two builds of the same tree give the same bytes. Used by the wheel's build hook and as a
command: `python wasm/build.py [--output PATH] [--work DIR]`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import patches  # noqa: E402  (a sibling script, not a package)
import snapshot  # noqa: E402

DEFAULT_OUTPUT = HERE.parent / "src" / "toolcell" / "sandbox" / "guest" / "cell.wasm"
DEFAULT_WORK = HERE.parent / "build" / "guest"

TARGET = ("-target", "wasm32-wasi", "-mcpu=mvp+bulk_memory+sign_ext+nontrapping_fptoint+mutable_globals+multivalue")
COMMON = ("-g0", "-DNDEBUG", "-fno-exceptions", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-w")
QUICKJS_DEFINES = ("-D_GNU_SOURCE", "-DQUICKJS_NG_BUILD", "-D_WASI_EMULATED_SIGNAL")
CELL_FLAGS = ("-O3", "-fno-vectorize", "-fno-slp-vectorize", *QUICKJS_DEFINES)
PART_FLAGS = ("-O2", "-D_GNU_SOURCE")
CPP_FLAGS = ("-Os", "-std=c++20", "-fno-rtti")
LINK = (
    "-mexec-model=reactor",
    "-Wl,--gc-sections",
    "-Wl,--strip-all",
    "-Wl,-z,stack-size=98304",
    "-Wl,--export=cell_page",
    "-Wl,--export=__stack_pointer",  # for the snapshot, which takes it off again
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One translation unit: its source, its own flags, and the folders whose files it can include."""

    source: Path
    flags: tuple[str, ...] = ()
    includes: tuple[Path, ...] = ()


def fetch_sources(work: Path) -> dict[str, Path]:
    """The unpacked source distributions by project name, each verified against its pinned SHA-256."""
    pins = read_pins(HERE / "sources.lock")
    archives = work / "sdists"
    archives.mkdir(parents=True, exist_ok=True)
    if not all(find_archive(archives, digest) for digest in pins.values()):
        download(archives)
    unpacked = {}
    for name, digest in pins.items():
        archive = find_archive(archives, digest)
        if archive is None:
            msg = f"no source distribution with the pinned SHA-256 of {name}: see wasm/sources.lock"
            raise SystemExit(msg)
        unpacked[name] = unpack(archive, work / "sources" / digest[:16])
    return unpacked


def read_pins(lock: Path) -> dict[str, str]:
    """Project name to SHA-256, of each `name==version --hash=sha256:…` line."""
    pins = {}
    for line in lock.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            requirement, _, digest = line.partition(" --hash=sha256:")
            pins[requirement.partition("==")[0]] = digest.strip()
    return pins


def find_archive(folder: Path, digest: str) -> Path | None:
    """The file of that SHA-256 in the folder, if there is one."""
    for path in sorted(folder.glob("*.tar.gz")):
        if hashlib.sha256(path.read_bytes()).hexdigest() == digest:
            return path
    return None


def download(folder: Path) -> None:
    """Fetches every pinned source distribution with pip, which refuses a file of another hash.

    Only the pinned projects come as source: what pip needs to read their metadata may be wheels, which takes seconds
    where building it takes a quarter of an hour.
    """
    pinned = ",".join(read_pins(HERE / "sources.lock"))
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-binary", pinned, "--require-hashes", "-r", str(HERE / "sources.lock"), "-d", str(folder)]
    subprocess.run(command, check=True)


def unpack(archive: Path, folder: Path) -> Path:
    """The top folder of the unpacked archive; unpacks only once."""
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        with tarfile.open(archive) as tar:
            if hasattr(tarfile, "data_filter"):
                tar.extractall(partial, filter="data")
            else:  # Python before 3.11.4; the archive's hash is pinned
                tar.extractall(partial)  # noqa: S202
        partial.rename(folder)
    return next(folder.iterdir())


def patched_quickjs(sources: dict[str, Path], work: Path) -> Path:
    """A folder that holds quickjs.c with our patches; its headers stay upstream's."""
    folder = work / "patched"
    folder.mkdir(parents=True, exist_ok=True)
    original = (sources["quickjs-ng"] / "upstream-quickjs" / "quickjs.c").read_text()
    write_if_changed(folder / "quickjs.c", patches.apply(original, patches.QUICKJS))
    return folder


def write_if_changed(path: Path, text: str) -> None:
    """Writes the text unless the file already holds it, so that object caching sees no change."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def units(sources: dict[str, Path], work: Path) -> list[Unit]:
    """Every translation unit of the guest: the engine, the cell around it, and ada for URLs."""
    quickjs = sources["quickjs-ng"] / "upstream-quickjs"
    ada = sources["ada-url"] / "ada_url"
    own = (HERE, HERE / "src", HERE / "src" / "cell", patched_quickjs(sources, work), quickjs)
    found = [
        Unit(source=quickjs / name, flags=("-O2", *QUICKJS_DEFINES), includes=(quickjs,))
        for name in ("dtoa.c", "libregexp.c", "libunicode.c")
    ]
    for path in sorted((HERE / "src").glob("*.c")):
        flags = CELL_FLAGS if path.name == "cell.c" else PART_FLAGS
        found.append(Unit(source=path, flags=flags, includes=(*own, ada)))
    cpp = sorted((HERE / "src").glob("*.cpp"))
    return found + [Unit(source=path, flags=CPP_FLAGS, includes=(*own, ada)) for path in cpp]


def compile_unit(unit: Unit, work: Path) -> Path:
    """The unit's object file, compiled unless one with the same inputs is there."""
    command = ["cc" if unit.source.suffix == ".c" else "c++", *TARGET, *COMMON, *unit.flags]
    command += [f"-I{folder}" for folder in unit.includes]
    target = work / "objects" / f"{unit.source.stem}-{digest_of(unit, command)}.o"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        zig([*command, "-c", str(unit.source), "-o", str(target)], work)
    return target


def digest_of(unit: Unit, command: list[str]) -> str:
    """A digest over everything that decides the object's bytes."""
    digest = hashlib.sha256(" ".join([version("ziglang"), *command]).encode())
    files = {unit.source}
    for folder in unit.includes:
        files.update(path for path in folder.glob("*") if path.suffix in {".c", ".h", ".inc"})
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:20]


def zig(arguments: list[str], work: Path) -> None:
    """Runs the pinned zig compiler with a cache of its own under the work folder."""
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(work / "zig"), "ZIG_LOCAL_CACHE_DIR": str(work / "zig")}
    subprocess.run([sys.executable, "-m", "ziglang", *arguments], check=True, env=os.environ | caches)


def link(objects: list[Path], work: Path) -> Path:
    """The linked module, before its snapshot."""
    linked = work / "linked.wasm"
    zig(["c++", *TARGET, "-O2", *LINK, *map(str, objects), "-o", str(linked)], work)
    return linked


def build(output: Path = DEFAULT_OUTPUT, work: Path = DEFAULT_WORK) -> None:
    """Writes the snapshotted guest to `output`; intermediate files stay in `work` for the next build."""
    work.mkdir(parents=True, exist_ok=True)
    sources = fetch_sources(work)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        objects = list(pool.map(lambda unit: compile_unit(unit, work), units(sources, work)))
    finished = snapshot.freeze(link(objects, work).read_bytes())
    output.parent.mkdir(parents=True, exist_ok=True)
    replace_file(output.with_suffix(".sha256"), hashlib.sha256(finished).hexdigest().encode())
    replace_file(output, finished)


def replace_file(path: Path, data: bytes) -> None:
    """Writes the file whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.replace(path)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT)
    parser.add_argument("--work", type=Path, default=DEFAULT_WORK)
    arguments = parser.parse_args()
    build(arguments.output.resolve(), arguments.work.resolve())
    size = arguments.output.stat().st_size
    digest = hashlib.sha256(arguments.output.read_bytes()).hexdigest()
    print(f"{arguments.output}: {size:,} bytes, sha256 {digest}")


if __name__ == "__main__":
    main()
