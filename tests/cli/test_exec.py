from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Command

ENABLED = '{"enable_code_execution": true}'


def answer(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    """Return the one JSON object on stdout."""
    assert done.stdout.count(b"\n") == 1, done
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def refusal(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the one sentence on stderr of a command line that was refused."""
    assert done.returncode == 2, done
    assert done.stdout == b""
    text = done.stderr.decode()
    assert text.startswith("toolcell: error: ")
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    return text.removeprefix("toolcell: error: ").rstrip("\n")


def test_the_answer_alone_is_on_stdout_as_one_line_of_json(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "({ result: input.value * 2 })", "--input", '{"value": 21}')
    assert done.returncode == 0
    assert done.stderr == b""
    assert answer(done)["value"] == {"result": 42}


def test_equals_signs_and_spaces_separate_a_flag_from_its_value_alike(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code=input.a + input.b", '--input={"a":5,"b":10}')
    assert answer(done)["value"] == 15


def test_a_program_that_throws_is_an_answer_with_exit_code_1(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "throw new Error('Test error')")
    assert done.returncode == 1
    error = answer(done)["error"]
    assert error["code"] == "RUNTIME_ERROR"
    assert "Test error" in error["message"]


def test_an_endless_program_times_out_with_exit_code_1(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "while(true){}", "--timeout=50")
    assert done.returncode == 1
    assert answer(done)["error"]["message"] == "JavaScript execution timed out"


def test_a_file_and_an_input_file_are_read(toolcell: Command, tmp_path: Path) -> None:
    program, given = tmp_path / "p.js", tmp_path / "in.json"
    program.write_text("input.items.length")
    given.write_bytes(b'\xef\xbb\xbf{\n  "items": [1, 2, 3]\n}')
    done = toolcell("code", "exec", "--file", str(program), "--input-file", str(given))
    assert answer(done)["value"] == 3


@pytest.mark.parametrize("suffix", [".ts", ".mts", ".cts"])
def test_a_typescript_file_is_run_as_typescript(toolcell: Command, tmp_path: Path, suffix: str) -> None:
    program = tmp_path / f"p{suffix}"
    program.write_text("const x: number = 42; x")
    assert answer(toolcell("code", "exec", "--file", str(program)))["value"] == 42


def test_the_language_flag_wins_over_the_name_of_the_file(toolcell: Command, tmp_path: Path) -> None:
    program = tmp_path / "p.ts"
    program.write_text("const x: number = 42; x")
    done = toolcell("code", "exec", "--file", str(program), "--language", "javascript")
    assert answer(done)["error"]["code"] == "SYNTAX_ERROR"


def test_a_dash_reads_the_program_or_the_input_from_stdin(toolcell: Command) -> None:
    assert answer(toolcell("code", "exec", "--file", "-", stdin=b"6 * 7"))["value"] == 42
    done = toolcell("code", "exec", "--code", "input.a", "--input-file", "-", stdin=b'{"a": "x"}')
    assert answer(done)["value"] == "x"


def test_a_call_without_upstreams_is_an_envelope_the_program_reads(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "call_tool('github','get_user',{}).error.code")
    assert answer(done)["value"] == "SERVER_NOT_FOUND"


def test_allowed_servers_are_split_at_commas_and_gathered_from_repeats(toolcell: Command) -> None:
    program = "['a','b','c','d'].map(s => call_tool(s,'t',{}).error.code)"
    done = toolcell("code", "exec", "--code", program, "--allowed-servers", "a, b", "--allowed-servers=c")
    assert answer(done)["value"] == ["SERVER_NOT_FOUND"] * 3 + ["SERVER_NOT_ALLOWED"]


BAD_USAGE: dict[str, tuple[tuple[str | bytes, ...], str]] = {
    "no source": ((), "give exactly one of --code, --file and --script; none given"),
    "two sources": (("--code", "1", "--file", "x"), "give exactly one of --code, --file and --script; 2 given"),
    "empty code": (("--code", ""), "--code must be a non-empty string"),
    "unknown flag": (("--code", "1", "--cod"), "No such option: --cod (Possible options: --code, --config)"),
    "unknown flag first": (("--verbose",), "No such option: --verbose"),
    "flag without a value": (("--code",), "Option '--code' requires an argument."),
    "stray argument": (("--code", "1", "extra"), "Got unexpected extra argument(s) (extra)"),
    "unknown language": (
        ("--code", "1", "--language", "ruby"),
        "--language must be 'javascript' or 'typescript', not 'ruby'",
    ),
    "input no JSON": (
        ("--code", "1", "--input", "{a:1}"),
        "--input is not JSON: Expecting property name enclosed in double quotes, line 1 column 2",
    ),
    "input no object": (("--code", "1", "--input", "[1]"), "--input must be a JSON object"),
    "input NaN": (("--code", "1", "--input", '{"a":NaN}'), "--input is not JSON: NaN is not a JSON number"),
    "input infinite": (("--code", "1", "--input", '{"a":1e999}'), "--input.a is not a finite number"),
    "input twice a key": (("--code", "1", "--input", '{"a":1,"a":2}'), "--input has the key 'a' twice in one object"),
    "two inputs": (
        ("--code", "1", "--input", "{}", "--input-file", "x"),
        "give at most one of --input and --input-file",
    ),
    "timeout word": (("--code", "1", "--timeout", "soon"), "--timeout must be an integer, not 'soon'"),
    "timeout fraction": (("--code", "1", "--timeout", "1.5"), "--timeout must be an integer, not '1.5'"),
    "timeout 0": (("--code", "1", "--timeout", "0"), "--timeout must be an integer from 1 to 600000, not 0"),
    "timeout over": (
        ("--code", "1", "--timeout", "600001"),
        "--timeout must be an integer from 1 to 600000, not 600001",
    ),
    "calls negative": (
        ("--code", "1", "--max-tool-calls", "-1"),
        "--max-tool-calls must be an integer of at least 0, not -1",
    ),
    "empty server": (
        ("--code", "1", "--allowed-servers", "a,,b"),
        "--allowed-servers has an empty name; leave the flag out to allow every server",
    ),
    "log level": (
        ("--code", "1", "--log-level", "loud"),
        "--log-level must be one of trace, debug, info, warn, error, not 'loud'",
    ),
    "code not UTF-8": (("--code", b"'\xff'"), "--code is not UTF-8 text"),
    "input not UTF-8": (("--code", "1", "--input", b'{"a":"\xff"}'), "--input is not UTF-8 text"),
    "no such file": (("--file", "nope.js"), "--file: cannot read nope.js: No such file or directory"),
    "a directory": (("--file", "/"), "--file: cannot read /: Is a directory"),
    "no such input": (
        ("--code", "1", "--input-file", "nope"),
        "--input-file: cannot read nope: No such file or directory",
    ),
    "no such config": (("--code", "1", "--config", "nope"), "--config: cannot read nope: No such file or directory"),
    "both from stdin": (("--file", "-", "--input-file", "-"), "--file and --input-file cannot both be stdin"),
    "endless file": (("--file", "/dev/zero"), "--file: /dev/zero is larger than 256 KiB"),
    "endless input": (("--code", "1", "--input-file", "/dev/zero"), "--input-file: /dev/zero is larger than 32 MiB"),
    "stored script": (
        ("--script", "daily"),
        (
            "Cannot execute stored script: stored script 'daily' not found. Stored scripts are not available here;"
            " send the source inline as 'code'"
        ),
    ),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD_USAGE.values(), ids=BAD_USAGE)
def test_a_wrong_command_line_is_one_sentence_and_exit_code_2(
    toolcell: Command, arguments: tuple[str | bytes, ...], sentence: str
) -> None:
    assert refusal(toolcell("code", "exec", *arguments)) == sentence


BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "empty program": ("--file", b"", "is empty"),
    "program not UTF-8": ("--file", b"1;\xff", "is not UTF-8 text (byte 2)"),
    "program too long": ("--file", b"x" * 262_145, "is larger than 256 KiB"),
    "config not JSON": ("--config", b"{", "is not JSON"),
    "config out of range": (
        "--config",
        b'{"code_execution_timeout_ms": 0}',
        "code_execution_timeout_ms must be an integer from 1 to 600000, not 0",
    ),
    "feature off": ("--config", b"{}", "Code execution is switched off; set enable_code_execution to true"),
}


@pytest.mark.parametrize(("flag", "content", "part"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_cannot_be_used_is_one_sentence_and_exit_code_2(
    toolcell: Command, tmp_path: Path, flag: str, content: bytes, part: str
) -> None:
    file = tmp_path / "given"
    file.write_bytes(content)
    source = () if flag == "--file" else ("--code", "1")
    assert part in refusal(toolcell("code", "exec", *source, flag, str(file)))


def test_a_switched_off_feature_reads_no_program(toolcell: Command, tmp_path: Path) -> None:
    config = tmp_path / "mcp_config.json"
    config.write_text("{}")
    done = toolcell("code", "exec", "--file", "nope.js", "--config", str(config))
    assert "Code execution is switched off" in refusal(done)


def test_a_configuration_sets_the_limits_of_a_run(toolcell: Command, tmp_path: Path) -> None:
    config = tmp_path / "mcp_config.json"
    config.write_text('{"enable_code_execution": true, "code_execution_timeout_ms": 30}')
    done = toolcell("code", "exec", "--code", "for(;;);", "--config", str(config))
    assert answer(done)["error"]["code"] == "TIMEOUT"


def test_the_configuration_in_the_home_is_found_without_a_flag(toolcell: Command, tmp_path: Path) -> None:
    (tmp_path / ".toolcell").mkdir()
    (tmp_path / ".toolcell" / "mcp_config.json").write_text('{"enable_code_execution": false}')
    assert "switched off" in refusal(toolcell("code", "exec", "--code", "1", HOME=str(tmp_path)))


def test_an_unknown_setting_is_a_warning_on_stderr_and_the_program_runs(toolcell: Command, tmp_path: Path) -> None:
    config = tmp_path / "mcp_config.json"
    config.write_text('{"enable_code_execution": true, "top_k": 5}')
    done = toolcell("code", "exec", "--code", "1", "--config", str(config))
    assert answer(done)["value"] == 1
    assert b"warn: " in done.stderr
    assert b"'top_k' is not a setting of toolcell" in done.stderr


def test_console_lines_are_in_the_answer_and_on_stderr_only_when_debugging(toolcell: Command) -> None:
    quiet = toolcell("code", "exec", "--code", "console.warn('careful'); 1")
    assert answer(quiet)["logs"] == ["careful"]
    assert quiet.stderr == b""
    loud = toolcell("code", "exec", "--code", "console.warn('careful'); 1", "--log-level", "debug")
    assert b"console.warn: careful" in loud.stderr
    assert answer(loud)["value"] == 1


def test_a_program_cannot_steer_the_terminal_through_its_log(toolcell: Command) -> None:
    program = r"console.log('\x1b[2J\ntoolcell: error: forged'); 1"
    done = toolcell("code", "exec", "--code", program, "--log-level", "debug")
    assert b"\x1b" not in done.stderr
    assert not any(line.startswith(b"toolcell: error: forged") for line in done.stderr.splitlines())


def on_terminal(toolcell: Command, *arguments: str, **extra: str) -> bytes:
    """Return what the command writes when stdout is a terminal."""
    leader, follower = pty.openpty()
    done = subprocess.run(
        toolcell.argv(*arguments),
        stdout=follower,
        check=False,
        timeout=60,
        env=toolcell.environ(**{"TERM": "xterm", **extra}),
    )
    os.close(follower)
    assert done.returncode == 0
    written = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:  # Linux reports the end of a terminal so
            part = b""
        if not part:
            break
        written += part
    os.close(leader)
    return written.replace(b"\r\n", b"\n")


def test_on_a_terminal_the_answer_is_indented_and_coloured(toolcell: Command) -> None:
    shown = on_terminal(toolcell, "code", "exec", "--code", "({a: 'x'})")
    assert b'  \x1b[36m"value"\x1b[0m: {\n    \x1b[36m"a"\x1b[0m: \x1b[32m"x"\x1b[0m\n  }' in shown


@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_is_left_out_where_it_is_not_wanted(toolcell: Command, extra: dict[str, str]) -> None:
    shown = on_terminal(toolcell, "code", "exec", "--code", "({a: 'x'})", **extra)
    assert b"\x1b" not in shown
    assert json.loads(shown)["value"] == {"a": "x"}


def test_on_a_terminal_a_value_cannot_steer_it(toolcell: Command) -> None:
    program = r"'\x1b[2J\x9b2J\u202e\u2028'"
    shown = on_terminal(toolcell, "code", "exec", "--code", program, NO_COLOR="1")
    assert json.loads(shown)["value"] == "\x1b[2J\x9b2J\u202e\u2028"
    assert not set("\x1b\x9b\u202e\u2028") & set(shown.decode())


def test_ctrl_c_cancels_the_run_with_an_answer_and_exit_code_130(toolcell: Command) -> None:
    with subprocess.Popen(
        toolcell.argv("code", "exec", "--code", "for(;;);", "--timeout", "600000", "--log-level", "debug"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=toolcell.environ(),
    ) as process:
        assert process.stderr is not None
        while b"running" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["error"]["code"] == "CANCELLED"


def test_ctrl_c_before_the_run_leaves_quietly(toolcell: Command) -> None:
    with subprocess.Popen(
        toolcell.argv("code", "exec", "--file", "-"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=toolcell.environ(),
    ) as process:
        assert process.stdin is not None
        # More than a pipe holds: the write returns once the command has begun to read.
        process.stdin.write(b"x" * 100_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_reader_that_left_is_no_traceback(toolcell: Command) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        toolcell.argv("code", "exec", "--code", "1"),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
        env=toolcell.environ(),
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_full_disk_is_one_sentence(toolcell: Command) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123  # a device
        done = subprocess.run(
            toolcell.argv("code", "exec", "--code", "1"),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            env=toolcell.environ(),
        )
    assert done.returncode == 1
    assert done.stderr == b"toolcell: error: stdout cannot be written: No space left on device\n"


def test_a_closed_stdout_is_one_sentence(toolcell: Command) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *toolcell.argv("code", "exec", "--code", "1")],  # noqa: S607
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
        env=toolcell.environ(),
    )
    assert done.returncode == 1
    assert done.stderr == b"toolcell: error: stdout is closed\n"


def test_the_largest_value_reaches_stdout_whole(toolcell: Command) -> None:
    done = toolcell("code", "exec", "--code", "'x'.repeat(5 * 1024 * 1024 - 2)")
    assert len(answer(done)["value"]) == 5 * 1024 * 1024 - 2
