"""What may be told of an upstream's failure: one short line without secrets, URLs' credentials or host paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolcell.model.servers import ServerSpec

MAX_TEXT = 300
_SHORTEST_SECRET = 4
_USERINFO = re.compile(r"(https?://)[^\s/@?#]*@")
_QUERY = re.compile(r"(https?://[^\s?#]*)[?#][^\s'\"]*")
_PATH = re.compile(r"(?<![\w/:.])(?:/[\w.@+-]+){2,}/?")
_PLAIN_ENV = frozenset({"LANG", "PATH", "TERM", "TZ", "HOME"})


def secrets_of(spec: ServerSpec) -> tuple[str, ...]:
    """Return the configured texts that must not appear anywhere, the longest first."""
    values: list[str] = []
    for name, value in spec.headers.items():
        values += [value, *value.split()] if name.lower() != "accept" else []
    values += [value for name, value in spec.env.items() if name not in _PLAIN_ENV]
    values += re.findall(r"//([^/@?#]+)@", spec.url)
    values += re.findall(r"[?&][^=&#]+=([^&#]+)", spec.url)
    return tuple(
        sorted(
            {v for v in values if len(v) >= _SHORTEST_SECRET and v.lower() not in {"bearer", "basic"}},
            key=len,
            reverse=True,
        )
    )


def clean(text: str, secrets: Iterable[str] = ()) -> str:
    """Return ``text`` as one bounded printable line with secrets, credentials and paths masked."""
    for secret in secrets:
        text = text.replace(secret, "***")
    text = _PATH.sub("…", _QUERY.sub(r"\1", _USERINFO.sub(r"\1", text[: 10 * MAX_TEXT])))
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
