"""``toolcell upstream``: the servers, their state, and the decisions about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Site

WEB = {"name": "web", "url": "https://user:s3cr3t@example.com:8443/mcp?key=s3cr3t", "enabled": False}


def states(site: Site) -> dict[str, str]:
    return {server["name"]: server["state"] for server in site.json("upstream", "list")}


def test_servers_are_listed_in_the_order_of_the_file_without_connecting_and_without_credentials(site: Site) -> None:
    site.configure(
        WEB, {"name": "local", "command": "no-such-command", "args": ["--token=s3cr3t"], "quarantined": True}
    )
    done = site.run("upstream", "list")
    assert (done.returncode, done.stderr) == (0, b"")
    assert [line.split() for line in done.stdout.decode().splitlines()] == [
        ["NAME", "STATE", "PROTOCOL", "TARGET", "TOOLS", "WAITING"],
        ["web", "disabled", "auto", "https://example.com:8443/mcp", "0", "0"],
        ["local", "quarantined", "stdio", "no-such-command", "0", "0"],
    ]


def test_the_tools_a_server_listed_are_counted_and_those_that_wait(site: Site) -> None:
    site.configure(site.github(quarantined=True))
    site.states("--server", "github")
    (github,) = site.json("upstream", "list")
    assert (github["tools"], github["waiting"]) == (2, 2)


def test_a_decision_lasts_and_counts_over_the_configuration(site: Site) -> None:
    site.configure(site.github(quarantined=True))
    assert states(site) == {"github": "quarantined"}
    done = site.run("upstream", "approve", "github")
    assert done.stdout == b"github is approved; the first tools it lists are approved with it\n"
    assert states(site) == {"github": "ready"}
    assert set(site.states().values()) == {"approved"}
    assert site.run("upstream", "quarantine", "github").returncode == 0
    site.configure(site.github())
    assert states(site) == {"github": "quarantined"}


def test_approving_a_server_that_was_looked_at_approves_what_it_listed(site: Site) -> None:
    site.configure(site.github(quarantined=True))
    site.states("--server", "github")
    assert site.run("upstream", "approve", "github").stdout == b"github is approved with 2 tools\n"
    assert set(site.states().values()) == {"approved"}


def test_approving_a_server_that_is_not_quarantined_changes_nothing_about_its_tools(site: Site) -> None:
    site.states()
    site.offer()
    assert site.run("upstream", "approve", "github").stdout == b"github was not quarantined\n"


def test_logs_show_what_a_server_writes_to_stderr_and_steer_no_terminal(site: Site) -> None:
    done = site.run("upstream", "logs", "github")
    assert done.returncode == 0
    assert done.stdout.decode().splitlines() == ["listed server: up", "\\u001b[31mand red"]
    assert b", 2 tools" in done.stderr
    assert site.run("upstream", "logs", "github", "--tail", "1").stdout == b"\\u001b[31mand red\n"


def test_logs_of_a_server_that_cannot_start_say_why(site: Site) -> None:
    (site.folder / "tools.json").unlink()
    done = site.run("upstream", "logs", "github")
    assert done.returncode == 1
    assert b"Server 'github' is not connected" in done.stderr


@pytest.mark.parametrize("verb", ["approve", "quarantine", "logs"])
def test_a_server_that_is_not_configured_is_told_with_the_nearest_name(site: Site, verb: str) -> None:
    done = site.run("upstream", verb, "gitub")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"toolcell: error: there is no server 'gitub' in the configuration; did you mean 'github'?\n"
    )


def test_without_servers_there_is_nothing_to_list(site: Site) -> None:
    site.configure()
    assert site.run("upstream", "list").stdout == b"No servers. They stand under mcpServers in the configuration.\n"
    assert site.json("upstream", "list") == []


def test_the_log_of_a_server_elsewhere_is_elsewhere(site: Site) -> None:
    site.configure(WEB)
    done = site.run("upstream", "logs", "web")
    assert done.returncode == 2
    assert b"'web' speaks auto: its log is where it runs" in done.stderr
