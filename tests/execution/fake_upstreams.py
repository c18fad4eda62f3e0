"""Upstreams that a test answers by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolcell.model.calls import CallError, ToolReply
from toolcell.model.codes import CallCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolcell.model.calls import ToolCall
    from toolcell.model.request import Caller


@dataclass
class Sent:
    """A call that went out and waits for the test to answer it."""

    call: ToolCall
    done: Callable[[ToolReply], None]
    cancelled: bool = False

    def reply(self, data: object = None) -> None:
        self.done(ToolReply(result={"content": []}, data=data))


@dataclass
class FakeUpstreams:
    """Knows the servers in ``servers``; answers at once when ``immediate``, else when the test does.

    Cancelling the calls whose numbers are in ``stubborn`` raises.
    """

    servers: set[str] = field(default_factory=lambda: {"github"})
    immediate: bool = False
    sent: list[Sent] = field(default_factory=list)
    stubborn: set[int] = field(default_factory=set)

    def refusal(self, call: ToolCall, caller: Caller) -> CallError | None:
        del caller
        if call.server in self.servers:
            return None
        return CallError(code=CallCode.SERVER_NOT_FOUND, message=f"no server {call.server}")

    def start(self, call: ToolCall, caller: Caller, done: Callable[[ToolReply], None]) -> Callable[[], None]:
        del caller
        sent = Sent(call, done)
        self.sent.append(sent)
        if self.immediate:
            sent.reply(call.args.get("echo"))

        def cancel() -> None:
            sent.cancelled = True
            if self.sent.index(sent) in self.stubborn:
                raise ConnectionError("the server is gone")

        return cancel
