"""Every example of the seeds that calls tools, as written, against real servers with those names and tools."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.surfaces import CliSurface, ServiceSurface
from tests.servers.started import SERVERS, url_of
from toolcell.bootstrap import local_service
from toolcell.settings import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Command
    from tests.contract.surfaces import Surface

OCTOCAT = {"login": "octocat", "name": "The Octocat", "public_repos": 8}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The servers of the examples: github over HTTP and the others as children; primary-db does not work."""
    child = {"command": sys.executable, "args": [str(SERVERS / "office.py"), "stdio"]}
    with url_of("office.py", "http") as url:
        yield {
            "enable_code_execution": True,
            "data_dir": str(tmp_path_factory.mktemp("data")),
            "mcpServers": [
                {"name": "github", "url": url, "protocol": "http", "enabled": True},
                {"name": "gitlab", "url": url, "protocol": "http"},
                {"name": "backup-db", **child},
                {"name": "primary-db", "command": "no-such-database"},
                {"name": "api-server", "url": url, "protocol": "streamable-http"},
                {"name": "api", "url": url},
            ],
        }


@pytest.fixture(scope="module")
def config_file(config: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "mcp_config.json"
    path.write_text(json.dumps(config))
    return path


@pytest.fixture(scope="module")
def service_surface(config: dict[str, Any]) -> Iterator[Surface]:
    def fail(execution_id: str, error: Exception) -> None:
        sys.stderr.write(f"fault in {execution_id}: {error!r}\n")

    service = local_service(parse(json.dumps(config).encode(), {}).settings, fail)
    yield ServiceSurface(service)
    service.close()


@pytest.fixture(scope="module")
def cli_surface(toolcell: Command, config_file: Path) -> Surface:
    def with_config(*arguments: str | bytes, **more: Any) -> Any:
        return toolcell(*arguments, "--config", str(config_file), **more)

    return CliSurface(with_config)  # type: ignore[arg-type]  # it is called and no more


EXAMPLES: dict[str, tuple[str, dict[str, Any], Any]] = {
    "full request with options": (
        (
            "var res = call_tool('github', 'get_user', {username: input.username});"
            " return res.ok ? res.result : {error: res.error};"
        ),
        {"username": "octocat"},
        lambda value: value["structuredContent"] == OCTOCAT and value["content"][0]["type"] == "text",
    ),
    "call_tool": (
        """
        var res = call_tool('github', 'get_user', {username: 'octocat'});

        if (res.ok) {
          return {
            name: res.result.name,
            repos: res.result.public_repos
          };
        } else {
          return {
            error: 'Failed to get user: ' + res.error.message
          };
        }
        """,
        {},
        {"name": "The Octocat", "repos": 8},
    ),
    "error handling": (
        """
        // Always check res.ok before accessing res.result
        var res = call_tool('server', 'tool', {arg: 'value'});

        if (!res.ok) {
          // Handle error
          return {error: res.error.message};
        }

        // Use result
        var data = res.result;
        """,
        {},
        lambda value: value["error"].startswith("Server 'server' not found"),
    ),
    "call_tools": (
        """
        var slots = call_tools(
          [1, 2, 3, 4, 5].map(function (n) {
            return {server: 'github', tool: 'get_pull_request',
                    args: {owner: 'acme', repo: 'api', pullNumber: n}};
          }),
          {max_parallel: 5}
        );

        var titles = slots.map(function (r) {
          if (!r.ok) { return 'ERR: ' + r.error.code; }
          return JSON.parse(r.result.content[0].text).title;
        });
        ({titles: titles});
        """,
        {},
        {"titles": [f"acme/api #{n}" for n in range(1, 6)]},
    ),
    "stored script": (
        """
        var rs = call_tools([1, 2, 3].map(function (n) {
          return {server: "github", tool: "get_pull_request",
                  args: {owner: input.owner, repo: input.repo, pullNumber: n}};
        }));
        ({titles: rs.map(function (r) { return r.ok ? JSON.parse(r.result.content[0].text).title : "ERR"; })});
        """,
        {"owner": "acme", "repo": "api"},
        {"titles": ["acme/api #1", "acme/api #2", "acme/api #3"]},
    ),
    "complex logic": (
        """
        (() => {
          // Conditional logic
          const user = call_tool('github', 'get_user', {username: input.username});
          if (!user.ok) {
            return {error: 'User not found'};
          }

          // Loop with accumulation
          const results = [];
          for (const repoName of input.repos) {
            const repo = call_tool('github', 'get_repo', {name: repoName});
            if (repo.ok) {
              results.push(repo.result);
            }
          }
          return {repos: results, count: results.length};
        })();
        """,
        {"username": "octocat", "repos": ["a", "missing", "bb"]},
        lambda value: value["count"] == 2 and value["repos"][1]["structuredContent"] == {"name": "bb", "stars": 2},
    ),
    "data transformation": (
        """
        (() => {
          const repos = call_tool('github', 'list_repos', {user: input.username});
          if (!repos.ok) return repos;

          // Filter and transform
          const activeRepos = repos.result
            .filter(r => !r.archived && r.pushed_at > input.since)
            .map(r => ({name: r.name, stars: r.stargazers_count, language: r.language}));

          return {repos: activeRepos, total: activeRepos.length};
        })();
        """,
        {"username": "octocat", "since": "2025-06-01"},
        {
            "repos": [
                {"name": "Hello-World", "stars": 80, "language": "C"},
                {"name": "octocat.github.io", "stars": 2, "language": "C"},
            ],
            "total": 2,
        },
    ),
    "pattern 1, sequential": (
        """
        (() => {
          // Fetch user, then fetch their repos
          const userRes = call_tool('github', 'get_user', {username: input.username});
          if (!userRes.ok) {
            return {error: userRes.error.message};
          }

          const reposRes = call_tool('github', 'list_repos', {user: input.username});
          if (!reposRes.ok) {
            return {error: reposRes.error.message};
          }

          return {
            user: userRes.result,
            repos: reposRes.result,
            repo_count: reposRes.result.length
          };
        })();
        """,
        {"username": "octocat"},
        lambda value: value["repo_count"] == 3 and value["user"]["structuredContent"] == OCTOCAT,
    ),
    "pattern 2, fallback": (
        """
        (() => {
          // Try primary server, fallback to secondary
          let result = call_tool('primary-db', 'query', {sql: input.query});

          if (!result.ok) {
            // Primary failed, try backup
            result = call_tool('backup-db', 'query', {sql: input.query});
          }

          return result.ok ? result.result : {error: 'Both databases unavailable'};
        })();
        """,
        {"query": "select 1"},
        lambda value: value["structuredContent"] == {"result": [{"sql": "select 1"}]},
    ),
    "pattern 3, loop": (
        """
        (() => {
          // Fetch details for multiple items
          const results = [];
          const errors = [];

          for (const id of input.ids) {
            const res = call_tool('api-server', 'get_item', {id});

            if (res.ok) {
              results.push(res.result);
            } else {
              errors.push({id, error: res.error});
            }
          }

          return {
            success: results,
            failed: errors,
            success_count: results.length,
            error_count: errors.length
          };
        })();
        """,
        {"ids": [1, -1, 2]},
        lambda value: (
            (value["success_count"], value["error_count"]) == (2, 1)
            and value["failed"][0]["id"] == -1
            and value["failed"][0]["error"]["code"] == "TOOL_ERROR"
        ),
    ),
    "pattern 4, transformation": (
        """
        (() => {
          // Get repos and compute statistics
          const reposRes = call_tool('github', 'list_repos', {user: input.username});
          if (!reposRes.ok) return reposRes;

          const repos = reposRes.result;
          const totalStars = repos.reduce((sum, r) => sum + (r.stargazers_count ?? 0), 0);
          const languages = {};

          for (const repo of repos) {
            const lang = repo.language ?? 'Unknown';
            languages[lang] = (languages[lang] ?? 0) + 1;
          }

          return {
            total_repos: repos.length,
            total_stars: totalStars,
            avg_stars: Math.round(totalStars / repos.length),
            languages
          };
        })();
        """,
        {"username": "octocat"},
        {"total_repos": 3, "total_stars": 102, "avg_stars": 34, "languages": {"C": 2, "Unknown": 1}},
    ),
    "tool errors": (
        """
        (() => {
          var res = call_tool('github', 'get_user', {username: 'nonexistent-user-12345'});
          if (!res.ok) {
            return {error: 'User not found: ' + res.error.message};
          }
          return res.result;
        })();
        """,
        {},
        lambda value: value["error"].startswith("User not found: ") and "nonexistent-user-12345" in value["error"],
    ),
    "best practice, bad": (
        """
        (() => {
          var user = call_tool('github', 'get_user', {username: input.username});
          return user.result.name;  // Crashes if user.ok is false
        })();
        """,
        {"username": "octocat"},
        "The Octocat",
    ),
    "best practice, good": (
        """
        (() => {
          var user = call_tool('github', 'get_user', {username: input.username});
          if (!user.ok) {
            return {error: user.error.message};
          }
          return {name: user.result.name};
        })();
        """,
        {"username": "torvalds"},
        {"name": "Linus Torvalds"},
    ),
    "cli, one call": (
        "call_tool('github', 'get_user', {username: input.user})",
        {"user": "octocat"},
        lambda value: value["ok"] is True and value["result"]["structuredContent"] == OCTOCAT,
    ),
    "cli, a variable": (
        "var r = call_tool('github','get_user',{username:input.user}); r",
        {"user": "octocat"},
        lambda value: value["ok"] is True,
    ),
    "cli, a file": (
        """
        const users = ['octocat', 'torvalds'];
        const names = users
          .map(username => call_tool('github', 'get_user', {username}))
          .filter(res => res.ok)
          .map(res => res.result.name);
        return {names};
        """,
        {},
        {"names": ["The Octocat", "Linus Torvalds"]},
    ),
}
ON_CLI = ("call_tools", "pattern 2, fallback", "cli, one call")
"""Those that also run as a process of their own; the program takes the same path, so a few stand for all."""


def check(surface: Surface, example: str) -> None:
    code, given, expected = EXAMPLES[example]
    body = surface.run({"code": code, "input": given}).body
    assert body.get("ok"), body
    assert expected(body["value"]) if callable(expected) else body["value"] == expected, body["value"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_seeds_runs_as_written(service_surface: Surface, example: str) -> None:
    check(service_surface, example)


@pytest.mark.parametrize("example", ON_CLI)
def test_it_does_on_the_command_line_too(cli_surface: Surface, example: str) -> None:
    check(cli_surface, example)


@pytest.mark.parametrize(
    ("code", "options", "error", "message"),
    [
        (
            "for(var i=0;i<10;i++){call_tool('api','ping',{})}",
            {"max_tool_calls": 5},
            "MAX_TOOL_CALLS_EXCEEDED",
            "Exceeded maximum tool calls limit (5)",
        ),
        (
            "for (var i = 0; i < 100; i++) { call_tool('api', 'ping', {}); }",
            {"max_tool_calls": 10},
            "MAX_TOOL_CALLS_EXCEEDED",
            "Exceeded maximum tool calls limit (10)",
        ),
        (
            "call_tool('gitlab', 'get_user', {username: 'test'})",
            {"allowed_servers": ["github"]},
            "SERVER_NOT_ALLOWED",
            "Server 'gitlab' is not in the allowed servers list",
        ),
    ],
)
def test_an_error_example_of_the_seeds_has_its_code_and_message(
    service_surface: Surface, code: str, options: dict[str, Any], error: str, message: str
) -> None:
    body = service_surface.run({"code": code, "options": options}).body
    assert (body["error"]["code"], body["error"]["message"]) == (error, message)
    assert len(body["calls"]) == options.get("max_tool_calls", 0)
