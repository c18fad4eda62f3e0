"""hostile.md group B: a broken guest, a raising host function, a thread and a fork do nothing to the process."""

from __future__ import annotations

import ast
import multiprocessing
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.sandbox.driver import bind, drive, ok
from toolcell.model.codes import RunCode
from toolcell.sandbox import Cell, CellLimits, Ended, Engine, EngineConfig, Program, Waiting, abi, native
from toolcell.sandbox import cell as cell_module
from toolcell.sandbox.guest_memory import GuestFault, GuestMemory
from toolcell.sandbox.outbox import requests_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
HUGE_INPUT = b'{"text":"' + b"x" * 100_000 + b'"}'
SLICE = 1_000_000


@pytest.fixture
def cell(engine: Engine) -> Iterator[Cell]:
    """A cell that waits for the answer to a call."""
    cell = engine.start(Program(source="call_tool('s', 't').data"), CellLimits())
    assert isinstance(cell.step(10 * SLICE), Waiting)
    yield cell
    cell.close()


def memory_of(cell: Cell) -> GuestMemory:
    return cell._memory  # noqa: SLF001  # the boundary itself is under test


RANGES = [
    (0x80000010, 16),
    (-0x7FFFFFF0, 16),
    (0xFFFFFFFF, 1),
    (-1, 1),
    (0, 0xFFFFFFFF),
    (0, -1),
    (16, -16),
    (0xFFFFFFF0, 0x20),
    (0xFFFFFFFF, 0xFFFFFFFF),
    (1 << 31, 1 << 31),
    (2**32 + (1 << 31), 16),
]


@pytest.mark.parametrize(("pointer", "length"), RANGES)
def test_h10_a_range_outside_the_memory_is_a_fault_and_no_read(cell: Cell, pointer: int, length: int) -> None:
    with pytest.raises(GuestFault):
        memory_of(cell).read(pointer, length)


def test_h10_the_edge_of_the_memory_is_exact(cell: Cell) -> None:
    memory = memory_of(cell)
    size = memory.size()
    assert len(memory.read(size - 16, 16)) == 16
    for pointer, length in ((size - 15, 16), (size, 1), (size + 1, 0), (0, size + 1)):
        with pytest.raises(GuestFault):
            memory.read(pointer, length)
    with pytest.raises(GuestFault):
        memory.write(size - 3, b"four")


def test_h11_an_empty_range_is_an_empty_value(cell: Cell) -> None:
    memory = memory_of(cell)
    assert memory.read(0, 0) == b""
    assert memory.read(memory.size(), 0) == b""
    memory.write(0, b"")


@pytest.mark.parametrize(("pointer", "length"), [(1024, 5), (1024, 0), (1024, -1), (1024, 0xFFFFFFFF), *RANGES])
def test_h10_take_gives_nothing_but_the_pending_payload_to_a_range_inside(
    cell: Cell, pointer: int, length: int
) -> None:
    with pytest.raises(GuestFault):
        cell.take(pointer, length or 1)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("outbox_ptr", 0xFFFFFFF0),
        ("outbox_len", 0xFFFFFFFF),
        ("outbox_len", 1 << 31),
        ("outbox_len", 5),
        ("value_ptr", 0xFFFFFFF0),
        ("value_len", 0xFFFFFFFF),
        ("message_ptr", 0x80000000),
        ("message_len", 0xFFFFFFFF),
        ("stack_ptr", 0xFFFFFFFF),
        ("log_ptr", 0xFFFFFFFF),
        ("log_len", 0xFFFFFFFF),
        ("ending", 77),
        ("ending", abi.ENDING_INTERNAL),
        ("state", 99),
        ("state", abi.RUNNING),
        ("waiting_for", 0xFFFFFFFF),
        ("line", 0xFFFFFFFF),
    ],
)
@pytest.mark.parametrize("ending", ["value", "error"])
def test_h10_any_field_that_a_guest_bends_ends_its_run_and_nothing_else(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, field: str, value: int, ending: str
) -> None:
    index = abi.CELL_FIELDS.index(field)
    honest = GuestMemory.cell_part

    def bent(self: GuestMemory) -> tuple[int, ...]:
        part = list(honest(self))
        part[index] = value
        return tuple(part)

    source = "console.log('x'); ({ a: 1 })" if ending == "value" else "console.log('x'); throw new Error('x')"
    with closing(engine.start(Program(source=source), CellLimits())) as cell, monkeypatch.context() as patch:
        patch.setattr(GuestMemory, "cell_part", bent)
        for _ in range(5):
            event = cell.step(SLICE)
            if isinstance(event, Ended):
                assert (event.ending.value is None) != (event.ending.error is None)
                break
        assert len(cell.take_logs()) <= abi.LOG_BYTES // abi.LOG_HEADER.size
    assert bind(engine)("1 + 1").value == 2


@pytest.mark.parametrize(
    "outbox", [b"\1", b"\1\0\0\0" + b"\xff" * 8, b"\1\0\0\0" + b"\4\0\0\0" + b"\0\0\0\x80" + b"call"]
)
def test_h10_a_bent_outbox_is_a_fault(outbox: bytes) -> None:
    with pytest.raises(GuestFault):
        requests_in(outbox)


# ---- exceptions inside host functions ----


def step_to_the_end(cell: Cell) -> None:
    while not isinstance(cell.step(SLICE), Ended | Waiting):
        pass


class Boom(BaseException):
    """Not an Exception: nothing that catches those may stop it."""


@pytest.mark.parametrize(
    "raised", [Boom, KeyboardInterrupt, SystemExit, MemoryError, ValueError, GeneratorExit, RecursionError]
)
@pytest.mark.parametrize("function", ["take", "continuation"])
def test_h12_what_a_host_function_raises_surfaces_in_its_own_run(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, raised: type[BaseException], function: str
) -> None:
    def broken(*_arguments: object) -> bytes:
        raise raised("mine")

    bystander = engine.start(Program(source="call_tool('s', 't').data"), CellLimits())
    victim = engine.start(Program(source="call_tool('s', 't')", input_json=HUGE_INPUT), CellLimits())
    with closing(bystander), closing(victim):
        assert isinstance(bystander.step(10 * SLICE), Waiting)
        with monkeypatch.context() as patch:
            patch.setattr(Cell, function, broken)
            with pytest.raises(raised, match="mine"):
                step_to_the_end(victim)
        bystander.answer(1, b'{"ok":true,"data":5}')
        assert drive(bystander).value == 5
    assert engine.live_cells == 0


def test_h12_a_guest_fault_in_take_ends_only_that_run(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_arguments: object) -> None:
        raise GuestFault("bent")

    cell = engine.start(Program(source="1", input_json=HUGE_INPUT), CellLimits())
    with monkeypatch.context() as patch:
        patch.setattr(Cell, "take", fault)
        assert drive(cell).failure.code is RunCode.RUNTIME_ERROR
    cell.close()
    assert bind(engine)("1 + 1").value == 2


def test_h12_eight_engines_in_eight_threads_do_not_mix(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = cell_module.Cell.take

    def take(self: Cell, pointer: int, length: int) -> None:
        if self._limits.max_log_bytes % 3 == 0:  # marks the runs that are to break
            raise Boom(str(self._limits.max_log_bytes))
        honest(self, pointer, length)

    monkeypatch.setattr(cell_module.Cell, "take", take)

    def work(worker: int) -> int:
        engine = Engine(EngineConfig(max_cells=4, cache_dir=compiled))
        wrong = 0
        for turn in range(250):
            mark = 1000 + worker * 1000 + turn
            cell = engine.start(
                Program(source=f"[{mark}, input.text.length]", input_json=HUGE_INPUT), CellLimits(max_log_bytes=mark)
            )
            try:
                wrong += drive(cell).value != [mark, 100_000] or mark % 3 == 0
            except Boom as error:
                wrong += str(error) != str(mark) or mark % 3 != 0
            finally:
                cell.close()
        return wrong + engine.live_cells

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [0] * 8


# ---- the source itself ----

AUDITED = {"native.py", "guest_memory.py", "module_cache.py"}
FORBIDDEN = {"pickle", "marshal", "shelve", "eval", "exec", "compile", "get_buffer_ptr", "data_ptr", "deserialize"}


def names_in(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.name.partition(".")[0] for alias in node.names)
    return found


@pytest.mark.parametrize("path", sorted((ROOT / "src" / "toolcell").rglob("*.py")), ids=lambda path: path.name)
def test_h14_no_module_but_the_audited_ones_reads_raw_memory_or_revives_code(path: Path) -> None:
    used = names_in(path)
    if path.parent.name == "sandbox" and path.name in AUDITED:
        return
    assert used & FORBIDDEN - {"compile"} == set()
    assert not {"memmove", "string_at", "memory_data", "module_deserialize_file"} & used or path.name == "engine.py"
    if path.parent.name != "sandbox":
        assert "ctypes" not in used


def test_h18_a_cell_polls_only_its_own_engine_s_future(engine: Engine, compiled: Path) -> None:
    other = Engine(EngineConfig(max_cells=2, cache_dir=compiled))
    mine = engine.start(Program(source="call_tool('mine', 't').data"), CellLimits())
    theirs = other.start(Program(source="call_tool('theirs', 't').data"), CellLimits())
    events = [cell.step(10 * SLICE) for cell in (mine, theirs, mine, theirs)]
    payloads = [event.requests[0].payload for event in events[:2] if isinstance(event, Waiting)]
    assert [b"mine" in payloads[0], b"theirs" in payloads[1]] == [True, True]
    for cell in (theirs, mine):
        cell.answer(1, b'{"ok":true,"data":1}')
        assert drive(cell).value == 1
        cell.close()
    assert (engine.live_cells, other.live_cells) == (0, 0)


# ---- stacks, threads, processes ----

DEEP = """
    import sys, threading
    from pathlib import Path
    from toolcell.sandbox import *
    engine = Engine.load(EngineConfig(max_cells=2, cache_dir=Path(sys.argv[1])))
    SOURCES = [
        "function f() { f() } f()",
        "JSON.parse('['.repeat(200000))",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; String(a)",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a, null, 1)",
        "let a = {}; for (let i = 0; i < 100000; i++) a = new Proxy(a, {}); a.x",
        "let f = () => 1; for (let i = 0; i < 100000; i++) f = f.bind(null); f()",
        "new RegExp('(?:'.repeat(20000) + ')'.repeat(20000)).test('')",
        "eval('('.repeat(20000))",
        "class A extends Array { get length() { return this.length } } new A().length",
        "const o = {}; o.toString = () => o + ''; o + ''",
        "[].concat(...Array(60000).fill([1])); function* g() { yield* g() } [...g()]",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; a.flat(Infinity)",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; structuredClone(a)",
        "let a = {}; for (let i = 0; i < 100000; i++) a = { a }; console.log(a); a",
        "let p = {}; for (let i = 0; i < 5000; i++) p = Object.create(p, { x: { get() { return super.x } } }); p.y",
        "'x'.replace(/x/, function r() { return 'x'.replace(/x/, r) })",
        "[3, 1].sort(function s() { return [3, 1].sort(s) })",
        "Reflect.construct(function F() { return Reflect.construct(F, []) }, [])",
        "const h = { get: (t, k, r) => r[k] }; new Proxy({}, h).x",
        "let s = 'a'; for (let i = 0; i < 50000; i++) s = 'b' + s + 'c'; s.length + s.indexOf('a')",
    ]
    def run(source):
        cell = engine.start(Program(source=source), CellLimits(fuel=2_000_000_000))
        while not isinstance(event := cell.step(50_000_000), Ended):
            assert isinstance(event, Running)
        cell.close()
        error = event.ending.error
        return "value" if error is None else error.code.value + ": " + error.message
    def main():
        for source in SOURCES:
            outcome = run(source)
            assert "stopped the engine" not in outcome, (source, outcome)
            assert run("1 + 1") == "value"
        print("survived")
    if sys.argv[2] == "thread":
        threading.stack_size(int(sys.argv[3]))
        thread = threading.Thread(target=main)
        thread.start()
        thread.join()
    else:
        main()
"""


@pytest.mark.parametrize(("where", "stack"), [("main", "0"), ("thread", str(256 * 1024)), ("thread", str(8 << 20))])
def test_h16_deep_recursion_is_caught_on_every_stack(engine: Engine, compiled: Path, where: str, stack: str) -> None:
    assert engine.handle
    command = [sys.executable, "-c", textwrap.dedent(DEEP), str(compiled), where, stack]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "survived\n"), done.stderr[-2000:]


def in_another_process(cache: Path) -> int:
    engine = Engine(EngineConfig(max_cells=2, cache_dir=cache))
    return int(bind(engine)("40 + 2").value)


def _child(cache: Path, queue: multiprocessing.Queue[int]) -> None:
    queue.put(in_another_process(cache))


def test_h17_a_spawned_process_makes_its_own_engine(engine: Engine, compiled: Path) -> None:
    assert engine.handle
    context = multiprocessing.get_context("spawn")
    queue: multiprocessing.Queue[int] = context.Queue()
    child = context.Process(target=_child, args=(compiled, queue))
    child.start()
    assert queue.get(timeout=60) == 42
    child.join(30)
    assert child.exitcode == 0


FORKED = """
    import os, sys
    from pathlib import Path
    from toolcell.sandbox import *
    def run(engine, source):
        cell = engine.start(Program(source=source), CellLimits())
        while not isinstance(event := cell.step(10_000_000), Ended):
            pass
        cell.close()
        return event.ending.value
    cache = Path(sys.argv[1])
    engine = Engine(EngineConfig(max_cells=2, cache_dir=cache))
    assert run(engine, "1 + 1") == b"2"
    child = os.fork()
    if child == 0:
        os.alarm(10) if hasattr(os, "alarm") else __import__("signal").alarm(10)
        again = run(engine, "2 + 2")
        own = run(Engine(EngineConfig(max_cells=2, cache_dir=cache)), "3 + 3")
        os._exit(0 if (again, own) == (b"4", b"6") else 1)
    _, status = os.waitpid(child, 0)
    assert run(engine, "4 + 4") == b"8"
    print(os.waitstatus_to_exitcode(status))
"""


def test_h17_a_forked_process_works_and_hangs_nowhere(engine: Engine, compiled: Path) -> None:
    assert engine.handle
    command = [sys.executable, "-c", textwrap.dedent(FORKED), str(compiled)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr[-2000:]


def test_importing_the_sandbox_starts_no_thread_and_opens_no_socket() -> None:
    code = "import os, toolcell.sandbox; print(len(os.listdir('/proc/self/task')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "1\n"


def test_an_engine_is_refused_nothing_by_a_missing_home(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name not in {"PATH", "PYTHONPATH"}:
            monkeypatch.delenv(name)
    assert bind(engine)("typeof process").value == "undefined"


def test_every_pending_answer_of_a_closed_cell_is_dropped(engine: Engine) -> None:
    respond: Callable[[object], object] = lambda _request: ok()  # noqa: E731
    cell = engine.start(Program(source="for (;;) call_tool('s', 't')"), CellLimits(fuel=5_000_000))
    assert drive(cell, respond).error is not None
    cell.close()
    cell.answer(1, b"{}")
    assert native.WASMTIME_VERSION
