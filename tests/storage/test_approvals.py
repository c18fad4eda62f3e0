"""Decisions about servers and tools outlive processes and count at once in all of them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from toolcell.execution.ports import SessionApprovals
from toolcell.model.approval import ServerDecision, ToolDefinition
from toolcell.storage.approvals import ApprovalStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolcell.execution.ports import ApprovalPort


def tool(name: str, version: int = 1) -> ToolDefinition:
    return ToolDefinition(name=name, digest=f"{name}-{version}", canonical=f'{{"name":"{name}","v":{version}}}')


A, B, A2 = tool("a"), tool("b"), tool("a", 2)


@pytest.fixture(params=["stored", "session"])
def approvals(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApprovalPort]:
    """The same rules hold for the store and for its stand-in."""
    if request.param == "session":
        yield SessionApprovals()
        return
    store = ApprovalStore(tmp_path)
    yield store
    store.close()


def test_nothing_is_decided_about_an_unknown_server(approvals: ApprovalPort) -> None:
    known = approvals.of("github")
    assert (known.decision, known.has_baseline, dict(known.approved)) == (None, False, {})


def test_the_first_list_of_a_trusted_server_is_its_baseline(approvals: ApprovalPort) -> None:
    known = approvals.listed("github", [A, B], trusted=True)
    assert known.has_baseline
    assert known.approved == {"a": "a-1", "b": "b-1"}
    assert approvals.of("github") == known
    assert approvals.of("gitlab").approved == {}


def test_an_empty_list_is_no_baseline(approvals: ApprovalPort) -> None:
    assert not approvals.listed("github", [], trusted=True).has_baseline
    assert approvals.listed("github", [A], trusted=True).approved == {"a": "a-1"}


def test_a_later_list_approves_nothing(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A], trusted=True)
    for _ in range(3):
        assert approvals.listed("github", [A2, B], trusted=True).approved == {"a": "a-1"}


def test_the_list_of_a_quarantined_server_is_no_baseline(approvals: ApprovalPort) -> None:
    known = approvals.listed("github", [A], trusted=False)
    assert not known.has_baseline
    assert known.approved == {}


def test_approving_a_server_approves_what_it_listed_last(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A], trusted=False)
    approvals.listed("github", [A2], trusted=False)
    approvals.decide("github", ServerDecision.APPROVED)
    known = approvals.of("github")
    assert (known.decision, known.has_baseline, known.approved) == (ServerDecision.APPROVED, True, {"a": "a-2"})
    assert approvals.listed("github", [A2, B], trusted=True).approved == {"a": "a-2"}


def test_approving_a_server_again_approves_no_change_of_its_tools(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A], trusted=True)
    approvals.decide("github", ServerDecision.QUARANTINED)
    approvals.listed("github", [A2, B], trusted=True)
    approvals.decide("github", ServerDecision.APPROVED)
    assert approvals.of("github").approved == {"a": "a-1"}


def test_a_server_approved_unseen_gets_its_baseline_from_its_first_list(approvals: ApprovalPort) -> None:
    approvals.decide("github", ServerDecision.APPROVED)
    assert not approvals.of("github").has_baseline
    assert approvals.listed("github", [A], trusted=False).approved == {"a": "a-1"}


def test_a_server_quarantined_by_an_admin_gets_no_baseline_whatever_the_configuration_says(
    approvals: ApprovalPort,
) -> None:
    approvals.decide("github", ServerDecision.QUARANTINED)
    assert not approvals.listed("github", [A], trusted=True).has_baseline


def test_quarantine_keeps_what_was_approved_of_the_tools(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A], trusted=True)
    approvals.decide("github", ServerDecision.QUARANTINED)
    known = approvals.of("github")
    assert known.decision is ServerDecision.QUARANTINED
    assert known.approved == {"a": "a-1"}


def test_approving_a_tool_binds_to_the_definition_that_was_shown(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A], trusted=True)
    approvals.listed("github", [A2, B], trusted=True)
    approvals.approve_tool("github", A2)
    assert approvals.of("github").approved == {"a": "a-2"}
    approvals.approve_tool("github", B)
    assert approvals.of("github").approved == {"a": "a-2", "b": "b-1"}


def test_a_tool_that_left_and_came_back_unchanged_is_still_approved(approvals: ApprovalPort) -> None:
    approvals.listed("github", [A, B], trusted=True)
    approvals.listed("github", [B], trusted=True)
    assert approvals.listed("github", [A, B], trusted=True).approved == {"a": "a-1", "b": "b-1"}


def test_decisions_outlive_the_process_that_made_them(tmp_path: Path) -> None:
    first = ApprovalStore(tmp_path)
    first.listed("github", [A], trusted=True)
    first.decide("gitlab", ServerDecision.QUARANTINED)
    first.close()
    second = ApprovalStore(tmp_path)
    assert second.of("github").approved == {"a": "a-1"}
    assert second.of("gitlab").decision is ServerDecision.QUARANTINED
    second.close()


def test_a_decision_of_another_process_counts_at_once(tmp_path: Path) -> None:
    ours, theirs = ApprovalStore(tmp_path), ApprovalStore(tmp_path)
    ours.listed("github", [A], trusted=True)
    assert ours.of("github").decision is None
    theirs.decide("github", ServerDecision.QUARANTINED)
    assert ours.of("github").decision is ServerDecision.QUARANTINED
    theirs.approve_tool("github", B)
    assert ours.of("github").approved == {"a": "a-1", "b": "b-1"}
    ours.close()
    theirs.close()


def test_of_two_processes_that_list_first_one_sets_the_baseline(tmp_path: Path) -> None:
    ours, theirs = ApprovalStore(tmp_path), ApprovalStore(tmp_path)
    ours.of("github")
    theirs.listed("github", [A], trusted=True)
    assert ours.listed("github", [A2, B], trusted=True).approved == {"a": "a-1"}
    ours.close()
    theirs.close()


def test_a_list_that_says_nothing_new_is_not_written(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path)
    store.listed("github", [A, B], trusted=True)
    reader = sqlite3.connect(tmp_path / "approvals.sqlite3")
    before = reader.execute("PRAGMA data_version").fetchone()
    store.listed("github", [B, A], trusted=True)
    assert reader.execute("PRAGMA data_version").fetchone() == before
    store.listed("github", [B], trusted=True)
    assert reader.execute("PRAGMA data_version").fetchone() != before
    reader.close()
    store.close()


def test_each_listed_tool_is_shown_beside_what_is_approved_of_it(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path)
    store.listed("github", [A, tool("c")], trusted=True)
    store.listed("github", [B, A2], trusted=True)
    shown = [(each.listed, each.approved) for each in store.tools("github")]
    assert shown == [(A2, A), (B, None)]
    assert store.tools("gitlab") == ()
    store.close()


def test_a_name_that_utf8_cannot_hold_is_kept_and_never_approved(tmp_path: Path) -> None:
    odd = ToolDefinition(name="\ud800", digest="odd", canonical="{}")
    store = ApprovalStore(tmp_path)
    known = store.listed("github", [odd], trusted=True)
    assert "\ud800" not in known.approved
    store.close()
