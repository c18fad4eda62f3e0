from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.model.servers import Protocol, ServerSpec
from toolcell.upstreams.telling import MAX_TEXT, clean, secrets_of

SPEC = ServerSpec(
    name="a",
    protocol=Protocol.STREAMABLE_HTTP,
    url="https://ann:pa55word@a.example/mcp?key=canary-key",
    headers={"Authorization": "Bearer canary-token", "Accept": "application/json"},
    env={"TOKEN": "canary-env", "LANG": "C.UTF-8"},
)


def test_the_secrets_of_a_server_are_its_headers_env_and_url_credentials() -> None:
    assert set(secrets_of(SPEC)) == {"Bearer canary-token", "canary-token", "canary-env", "ann:pa55word", "canary-key"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain words", "plain words"),
        ("token canary-token refused", "token *** refused"),
        ("see https://u:p@h.example/x?a=b#c now", "see https://h.example/x now"),
        ("open /home/ann/.config/x.json: denied", "open …: denied"),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("a/b and 1/2 stay", "a/b and 1/2 stay"),
    ],
)
def test_a_text_is_one_line_without_secrets_credentials_or_paths(text: str, told: str) -> None:
    assert clean(text, secrets_of(SPEC)) == told


@given(before=st.text(), after=st.text())
def test_no_secret_survives_whatever_stands_around_it(before: str, after: str) -> None:
    told = clean(f"{before}canary-token{after}", secrets_of(SPEC))
    assert "canary-token" not in told
    assert told.isprintable() or told == ""
    assert len(told) <= MAX_TEXT
