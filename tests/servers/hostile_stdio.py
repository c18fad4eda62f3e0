"""A stdio server that does everything wrong, one way for each tool, without any SDK.

Flags change what it does before a call: ``--endless``, ``--repeat``, ``--names``, ``--mute``, ``--dies``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

MIB = 1024 * 1024
added: list[str] = []


def send(**message: Any) -> None:
    raw(json.dumps({"jsonrpc": "2.0", **message}))


def raw(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def said(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


def answered(number: int, result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":{number},"result":{result}}}'


def nested(depth: int) -> str:
    return '{"content":[],"structuredContent":' + '{"a":' * depth + "1" + "}" * depth + "}"


def environment(_id: int, _args: Any) -> dict[str, Any]:
    fds = [fd for fd in range(1000) if is_open(fd)]
    own = {"env": dict(os.environ), "pgid": os.getpgid(0), "pid": os.getpid(), "cwd": str(Path.cwd()), "argv": sys.argv}
    return {"content": [], "structuredContent": {**own, "fds": fds}}


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def noise(_id: int, _args: Any) -> dict[str, Any]:
    for line in (
        "starting…",
        "",
        "{",
        "[1]",
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"2.0","id":null}',
        "\x1b[31mred",
        "null",
    ):
        raw(line)
    return said("after noise")


def noise_forever(_id: int, _args: Any) -> None:
    while True:
        raw("x" * 100)


def flood(_id: int, _args: Any) -> dict[str, Any]:
    for number in range(20_000):
        send(method="notifications/message", params={"level": "info", "data": number})
    return said("after the flood")


def stderr_flood(_id: int, _args: Any) -> dict[str, Any]:
    for _ in range(200):
        sys.stderr.write("e" * 65_536 + "\n")
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    return said("after stderr")


def endless_line(_id: int, _args: Any) -> None:
    while True:
        sys.stdout.write("x" * MIB)


def changes(_id: int, args: Any) -> dict[str, Any]:
    added.append(args["name"])
    send(method="notifications/tools/list_changed")
    return said("changed")


def asks(_id: int, _args: Any) -> dict[str, Any]:
    answers = []
    params: dict[str, Any] = {
        "sampling/createMessage": {"messages": [], "maxTokens": 1},
        "elicitation/create": {"message": "your password?", "requestedSchema": {"type": "object", "properties": {}}},
        "roots/list": {},
    }
    for number, (method, given) in enumerate(params.items()):
        send(id=f"ask{number}", method=method, params=given)
        answers.append(json.loads(sys.stdin.readline()))
    return said(json.dumps(["result" if "result" in answer else "error" for answer in answers]))


def silent(_id: int, _args: Any) -> None:
    return None


def wrong_id(_id: int, _args: Any) -> None:
    send(id=_id + 1000, result=said("not yours"))
    send(id=_id, result=said("yours"))


def twice(_id: int, _args: Any) -> dict[str, Any]:
    send(id=_id, result=said("first"))
    return said("second")


def crash_after(_id: int, _args: Any) -> None:
    send(id=_id, result=said("gone"))
    os._exit(3)


def tell_pid(_id: int, args: Any) -> dict[str, Any]:
    Path(args["path"]).write_text(str(os.getpid()))
    return said("told")


CALLS: dict[str, Any] = {
    "tell_pid": tell_pid,
    "echo": lambda _id, args: {"content": [], "structuredContent": {"args": args}},
    "environment": environment,
    "noise": noise,
    "noise_forever": noise_forever,
    "malformed": lambda _id, _args: raw(answered(_id, '{"content":5}')),
    "no_object": lambda _id, _args: raw(answered(_id, "[1]")),
    "wrong_id": wrong_id,
    "twice": twice,
    "deep": lambda _id, _args: raw(answered(_id, nested(100_000))),
    "big_answer": lambda _id, _args: said("x" * 9 * MIB),
    "huge_answer": lambda _id, _args: said("x" * 20 * MIB),
    "endless_line": endless_line,
    "silent": silent,
    "crash": lambda _id, _args: os._exit(3),
    "crash_after": crash_after,
    "stderr_flood": stderr_flood,
    "flood": flood,
    "changes": changes,
    "asks": asks,
    "error": lambda _id, _args: send(
        id=_id, error={"code": -32603, "message": "at /home/ann/app/db.py\nhttps://u:pw@h/x?key=abc"}
    ),
    "secret_error": lambda _id, _args: send(
        id=_id, error={"code": -1, "message": f"bad token {os.environ.get('TOKEN')}"}
    ),
}


def tools() -> list[dict[str, Any]]:
    names = [*CALLS, *added]
    if "--names" in sys.argv:
        names += [
            "n" * 10_000,
            "new\nline",
            "\x1b[31mred",
            "rtl\u202eevil",
            "",
            "../../etc",
            "emoji-😀",
            "dup",
            "dup",
            "nul\0",
        ]
    return [{"name": name, "description": "x", "inputSchema": {"type": "object"}} for name in names]


def page(params: dict[str, Any]) -> dict[str, Any]:
    if "--endless" in sys.argv:
        number = int(params.get("cursor") or 0)
        return {"tools": [{"name": f"t{number}", "inputSchema": {"type": "object"}}], "nextCursor": str(number + 1)}
    if "--repeat" in sys.argv:
        return {"tools": tools(), "nextCursor": "same"}
    if "--pages" in sys.argv:
        number = int(params.get("cursor") or 0)
        listed = tools()[number : number + 5]
        return {"tools": listed} | ({"nextCursor": str(number + 5)} if listed[4:] else {})
    return {"tools": tools()}


def answer(message: dict[str, Any]) -> None:
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if method == "initialize":
        info = {"name": "hostile", "version": "0"}
        capabilities = {"tools": {"listChanged": True}}
        send(id=number, result={"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info})
    elif method == "tools/list":
        send(id=number, result=page(params))
    elif method == "tools/call":
        result = CALLS.get(params["name"], lambda _id, _args: said("added"))(number, params.get("arguments"))
        if result is not None:
            send(id=number, result=result)
    elif number is not None:
        send(id=number, error={"code": -32601, "message": "no"})


def main() -> None:
    if "--dies" in sys.argv:
        sys.stderr.write("cannot open the database\n")
        sys.exit(1)
    while "--mute" in sys.argv:
        time.sleep(60)
    for line in sys.stdin:
        answer(json.loads(line))
    while "--lingers" in sys.argv:
        time.sleep(60)


if __name__ == "__main__":
    main()
