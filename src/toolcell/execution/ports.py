"""What execution needs from outside, as protocols, each with the implementation for "there is none"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolcell.model.calls import CallError
from toolcell.model.codes import CallCode, RefusalCode
from toolcell.model.refusal import Refusal
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.model.calls import ToolCall, ToolReply
    from toolcell.model.request import Caller, Language


class UpstreamPort(Protocol):
    """The tool servers that a caller may reach."""

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        """Return why the call may not be sent now, by the state of its server and tool; never blocks."""
        ...

    def start(self, call: ToolCall, caller: Caller, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Send the call; ``done`` gets the reply once, now or later. Returns what cancels it."""
        ...


class NoUpstreams:
    """An installation without tool servers."""

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        """Refuse every call: there is no such server."""
        del caller
        message = f"Server {quoted(call.server)} not found: no upstream servers are configured"
        return CallError(code=CallCode.SERVER_NOT_FOUND, message=message)

    def start(self, call: ToolCall, caller: Caller, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Never reached, since every call is refused."""
        del caller, done
        raise LookupError(f"no upstream for {call}")


class ScriptPort(Protocol):
    """The stored scripts that a caller may run."""

    def read(self, name: str, language: Language | None, caller: Caller) -> tuple[str, Language]:
        """Return the source and language of a stored script, or raise the ``Refusal`` that says why not."""
        ...


class NoScripts:
    """An installation without stored scripts."""

    def read(self, name: str, language: Language | None, caller: Caller) -> tuple[str, Language]:
        """Refuse every name."""
        del language, caller
        raise Refusal(
            RefusalCode.SCRIPT_NOT_FOUND,
            f"Cannot execute stored script: stored script {quoted(name)} not found. Stored scripts are not"
            " available here; send the source inline as 'code'",
            field="script",
        )
