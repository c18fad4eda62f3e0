"""What execution needs from outside, as protocols, each with the implementation for "there is none"."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from toolcell.model.approval import Approvals, ServerDecision
from toolcell.model.calls import CallError
from toolcell.model.codes import CallCode, RefusalCode
from toolcell.model.refusal import Refusal
from toolcell.model.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from toolcell.model.approval import ToolDefinition
    from toolcell.model.calls import ToolCall, ToolReply
    from toolcell.model.outcome import Outcome
    from toolcell.model.record import CallIntent, RunStart
    from toolcell.model.request import Caller, Language


class UpstreamPort(Protocol):
    """The tool servers that a caller may reach."""

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        """Return why the call may not be sent now, by the state of its server and tool; never blocks."""
        ...

    def start(self, call: ToolCall, caller: Caller, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        """Send the call; ``done`` gets the reply once, now or later, on any thread. Returns what cancels it."""
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


class RecordPort(Protocol):
    """Where runs and their calls are recorded (spec 8). Every method may be called from any thread.

    Only ``intend`` is waited for. The others are kept in order and written soon after; what a crash loses of
    them reads ``interrupted``, never ``success``.
    """

    def run_started(self, run: RunStart) -> None:
        """Record that a run starts."""
        ...

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Record that a call is about to be sent; dispatch it in ``then`` and not before.

        ``then`` is called once, at once or later from a thread of the store: ``True`` when the intent is
        durable, ``False`` when it cannot be kept. Such a call must not be sent.
        """
        ...

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        """Record the reply to an intended call; one that was not dispatched after all reads ``blocked``."""
        ...

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        """Record a call that was refused before it was intended."""
        ...

    def run_finished(self, outcome: Outcome) -> None:
        """Record how a run ended; its calls that have no reply yet become ``cancelled``."""
        ...


class NoRecords:
    """An installation that keeps no records."""

    def run_started(self, run: RunStart) -> None:
        """Forget the run."""

    def intend(self, intent: CallIntent, then: Callable[[bool], None]) -> None:
        """Let the call go out at once."""
        del intent
        then(True)  # noqa: FBT003  # the port's one answer

    def call_finished(self, intent: CallIntent, reply: ToolReply) -> None:
        """Forget the reply."""

    def call_blocked(self, intent: CallIntent, error: CallError) -> None:
        """Forget the refusal."""

    def run_finished(self, outcome: Outcome) -> None:
        """Forget the outcome."""


class ApprovalPort(Protocol):
    """The decisions about servers and tools (spec 7), kept for all processes of an installation.

    Every method may be called from any thread. ``toolcell.upstreams.quarantine`` says what they mean.
    """

    def of(self, server: str) -> Approvals:
        """Return what is decided now, also by another process; cheap enough to ask before each dispatch."""
        ...

    def listed(self, server: str, tools: Iterable[ToolDefinition], *, trusted: bool) -> Approvals:
        """Keep the complete list of what a server offers now and return the decisions after it.

        ``trusted`` is what the configuration says; an admin's decision about the server counts over it. The
        first list of a trusted server that is not empty becomes its baseline: approved as it is.
        """
        ...

    def approve_tool(self, server: str, tool: ToolDefinition) -> None:
        """Approve a tool as this definition describes it, in place of any earlier one."""
        ...

    def decide(self, server: str, decision: ServerDecision) -> None:
        """Approve or quarantine a server; approving one without a baseline takes what it listed last as it."""
        ...


class SessionApprovals:
    """Decisions that end with the process: for an installation without a store."""

    def __init__(self) -> None:
        self._approvals: dict[str, Approvals] = {}
        self._listed: dict[str, dict[str, str]] = {}

    def of(self, server: str) -> Approvals:
        """Return what was decided in this process."""
        return self._approvals.get(server, Approvals())

    def listed(self, server: str, tools: Iterable[ToolDefinition], *, trusted: bool) -> Approvals:
        """Keep the list; a trusted server's first one is approved."""
        digests = self._listed[server] = {tool.name: tool.digest for tool in tools}
        known = self.of(server)
        if known.trusts(configured=trusted) and digests and not known.has_baseline:
            self._approvals[server] = replace(known, has_baseline=True, approved=digests)
        return self.of(server)

    def approve_tool(self, server: str, tool: ToolDefinition) -> None:
        """Approve one definition."""
        known = self.of(server)
        self._approvals[server] = replace(known, approved={**known.approved, tool.name: tool.digest})

    def decide(self, server: str, decision: ServerDecision) -> None:
        """Keep the decision; approving takes what is listed as the baseline if there is none."""
        known = replace(self.of(server), decision=decision)
        digests = self._listed.get(server)
        if decision is ServerDecision.APPROVED and digests and not known.has_baseline:
            known = replace(known, has_baseline=True, approved=digests)
        self._approvals[server] = known
