"""The peers, each used as its own documentation shows; one that is not installed has no entry."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from typing import TYPE_CHECKING

from bench.rows import NOT_INSTALLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Evaluate = Callable[[str], Any]  # source in, value out

QUICKJS, QUICKJS_RS, MINI_RACER, NODE, NODE_VM = "quickjs-ng", "quickjs-rs", "mini-racer", "node", "node:vm"
_MODULES = {QUICKJS: "quickjs", QUICKJS_RS: "quickjs_rs", MINI_RACER: "py_mini_racer"}
_LONG = 600.0

_VM = """
const vm = require('node:vm');
const one = () => { const t = process.hrtime.bigint(); JSON.stringify(vm.runInNewContext(%(source)s));
                    return Number(process.hrtime.bigint() - t) };
for (let i = 0; i < %(runs)d; i++) one();
console.log(JSON.stringify(Array.from({length: %(runs)d}, one)));
"""


def has(peer: str) -> bool:
    """Return whether this peer can be measured here."""
    if peer in {NODE, NODE_VM}:
        return shutil.which("node") is not None
    return importlib.util.find_spec(_MODULES[peer]) is not None


def entries(wanted: Iterable[str], found: dict[str, dict[str, float]]) -> dict[str, dict[str, float] | str]:
    """Return a row's peers: what was found, or that the peer is not installed."""
    return {peer: found.get(peer, NOT_INSTALLED) for peer in wanted}


def fresh(peer: str, source: str) -> Callable[[], str]:
    """Return a function that evaluates the source in a new context, gives its value as JSON, and drops the context."""
    return _FRESH[peer](source)


def loaded(peer: str) -> Evaluate:
    """Return the ``eval`` of a context that is already there, with no time limit."""
    if peer == QUICKJS:
        import quickjs  # noqa: PLC0415  # an optional peer

        context = quickjs.Context()
        return context.eval
    if peer == QUICKJS_RS:
        import quickjs_rs  # noqa: PLC0415  # an optional peer

        runtime = quickjs_rs.Runtime(memory_limit=None)
        guest = runtime.new_context(timeout=_LONG)
        return guest.eval
    import py_mini_racer  # noqa: PLC0415  # an optional peer

    racer = py_mini_racer.MiniRacer()
    return racer.eval


def with_callback(peer: str, name: str, function: Callable[[str], int]) -> Evaluate:
    """Return the ``eval`` of a context in which ``name`` is a blocking call to ``function``."""
    if peer == QUICKJS:
        import quickjs  # noqa: PLC0415  # an optional peer

        context = quickjs.Context()
        context.add_callable(name, function)
        return context.eval
    import quickjs_rs  # noqa: PLC0415  # an optional peer

    runtime = quickjs_rs.Runtime()
    guest = runtime.new_context(timeout=_LONG)
    guest.register(name, function)
    return guest.eval


def node_vm(source: str, runs: int) -> Callable[[], list[float]]:
    """Return a function that starts node and returns ns per run of the source, each in a new context."""
    script = _VM % {"source": json.dumps(source), "runs": runs}

    def batch() -> list[float]:
        done = subprocess.run(["node", "-e", script], capture_output=True, check=True, text=True)  # noqa: S603, S607
        return [float(sample) for sample in json.loads(done.stdout)]

    return batch


def _fresh_quickjs(source: str) -> Callable[[], str]:
    import quickjs  # noqa: PLC0415  # an optional peer

    def run() -> str:
        context = quickjs.Context()
        text: str = context.eval(source).json()
        del context
        return text

    return run


def _fresh_quickjs_rs(source: str) -> Callable[[], str]:
    import quickjs_rs  # noqa: PLC0415  # an optional peer

    def run() -> str:
        runtime = quickjs_rs.Runtime()
        context = runtime.new_context()
        try:
            return json.dumps(context.eval(source), separators=(",", ":"))
        finally:
            context.close()
            runtime.close()

    return run


def _fresh_mini_racer(source: str) -> Callable[[], str]:
    import py_mini_racer  # noqa: PLC0415  # an optional peer

    wrapped = f"JSON.stringify({source})"

    def run() -> str:
        racer = py_mini_racer.MiniRacer()
        try:
            return str(racer.eval(wrapped))
        finally:
            racer.close()

    return run


def node_process() -> None:
    """Run a node process that does nothing."""
    subprocess.run(["node", "-e", "1"], capture_output=True, check=True)  # noqa: S607


_FRESH = {QUICKJS: _fresh_quickjs, QUICKJS_RS: _fresh_quickjs_rs, MINI_RACER: _fresh_mini_racer}
