"""What is recorded holds no secret, and loses nothing else that fits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcell.storage.masking import MASK, MAX_ARGUMENTS, MAX_DEPTH, Masking, credentials, is_secret

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "c4n4ryVALUE0123456789"

names = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=8).filter(
    lambda name: not is_secret(name)
)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="ascii", categories=["L", "Zs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=20,
)
secret_names = st.sampled_from(
    """
    authorization Authorization token access_token accessToken X-Auth-Token password PASSWORD db_password
    api_key apiKey x-api-key APIKEY secret clientSecret private_key Cookie
    """.split()  # noqa: SIM905  # seventeen names read better as a paragraph
)
carriers = st.sampled_from(
    [
        "Bearer {}",
        "authorization: bearer {}",
        "Basic {}",
        "https://user:{}@host/path",
        "postgres://{}@db:5432/x",
        "https://host/?apikey={}&page=2",
        "https://host/?page=2&access_token={}",
        'const password = "{}";',
        "headers = {{'api-key': '{}'}}",
        "token=`{}`",
        "ghp_{}",
        "sk-{}",
        "xoxb-{}",
        "eyJhbGciOi.{}.abc",
    ]
)


def _paths(value: Any, plant: Callable[[Any], Any]) -> Any:
    """Return ``value`` with one planted member at its deepest first place."""
    if isinstance(value, dict) and value:
        first = next(iter(value))
        return {**value, first: _paths(value[first], plant)}
    if isinstance(value, list) and value:
        return [_paths(value[0], plant), *value[1:]]
    return plant(value)


@given(plain, secret_names)
def test_what_stands_under_a_secret_name_is_masked_wherever_it_is(value: Any, name: str) -> None:
    planted = _paths({"args": value}, lambda leaf: {name: CANARY, "kept": leaf})
    text = Masking().arguments(planted)
    assert CANARY not in text
    assert MASK in text


@given(plain, secret_names)
def test_what_stands_deep_under_a_secret_name_is_masked_too(value: Any, name: str) -> None:
    assert CANARY not in Masking().arguments({name: {"a": [value, {"b": CANARY}]}})


@given(carriers, st.text(max_size=30), st.text(max_size=30))
def test_a_secret_is_known_by_its_shape_inside_any_text(carrier: str, before: str, after: str) -> None:
    secret = carrier.format(CANARY)
    text = f"{before} {secret} {after}"
    assert CANARY not in Masking().text(text)
    assert CANARY not in Masking().arguments({"note": text})


@given(st.text(min_size=6, max_size=40).filter(lambda text: text.encode("utf-8", "replace").decode() == text), plain)
def test_a_credential_of_the_configuration_is_masked_as_value_key_and_part(secret: str, value: Any) -> None:
    masking = Masking([secret])
    for text in (masking.text(f"before{secret}after"), masking.text(secret)):
        assert secret not in text.replace(MASK, "")
    kept = json.loads(masking.arguments({"a": [secret, value], f"key{secret}": 1}))
    assert secret not in str(kept["a"][0]).replace(MASK, "")


@given(plain)
def test_plain_data_is_kept_as_it_is(value: Any) -> None:
    assert json.loads(Masking().arguments({"args": value})) == {"args": value}


@given(st.text(), carriers)
def test_masking_twice_changes_nothing_more(text: str, carrier: str) -> None:
    once = Masking().text(text + " " + carrier.format(CANARY))
    assert Masking().text(once) == once


@pytest.mark.parametrize(
    "name", ["max_tokens", "tokens", "author", "monkey", "keyboard", "page", "secretary", "authored"]
)
def test_a_name_that_only_resembles_a_secret_one_is_plain(name: str) -> None:
    assert json.loads(Masking().arguments({name: "value"})) == {name: "value"}


@pytest.mark.parametrize("value", [None, True, False, ""])
def test_under_a_secret_name_what_cannot_be_a_secret_stays(value: object) -> None:
    assert json.loads(Masking().arguments({"password": value})) == {"password": value}


def test_a_short_configured_value_masks_nothing() -> None:
    assert Masking(["a", "on", ""]).text("a button on a page") == "a button on a page"


def test_of_two_credentials_one_of_which_begins_the_other_nothing_is_left() -> None:
    assert Masking(["secret-1", "secret-123456"]).text("x secret-123456 y") == f"x {MASK} y"


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "x" * (4 * MAX_ARGUMENTS)},
        {"list": list(range(100_000))},
        {f"key {number}": number for number in range(100_000)},
        {"many": ["x" * 1000] * 10_000},
        {"empty": [[]] * 200_000},
    ],
    ids=["text", "numbers", "keys", "texts", "arrays"],
)
def test_long_arguments_are_cut_and_say_so(arguments: dict[str, Any]) -> None:
    text = Masking().arguments(arguments)
    assert len(text) <= 2 * MAX_ARGUMENTS
    assert "…" in text
    json.loads(text)


def test_a_secret_at_the_place_of_the_cut_is_masked_whole() -> None:
    text = Masking([CANARY]).arguments({"text": "x" * (MAX_ARGUMENTS - 20) + CANARY})
    assert CANARY[:6] not in text


def test_deep_arguments_are_cut_at_the_depth_that_is_kept() -> None:
    deep: Any = "bottom"
    for _ in range(499):
        deep = [deep]
    text = Masking().arguments({"deep": deep})
    assert text.count("[") == MAX_DEPTH - 1
    assert "bottom" not in text


def test_lone_surrogates_become_storable() -> None:
    assert Masking().arguments({"a\ud800": "\udfff"}).encode() == b'{"a?":"?"}'


@pytest.mark.parametrize(
    "text",
    [
        "eyJ-" * 250_000,
        "token" * 200_000,
        "a." * 500_000,
        "Bearer " * 150_000,
        "token=" * 150_000,
        "?" + "a" * 1_000_000,
        "a://" * 250_000,
        "sk-" * 300_000,
    ],
    ids=lambda text: text[:8],
)
def test_no_text_makes_masking_read_it_more_than_a_few_times(text: str) -> None:
    """A quadratic pattern would need hours for these; the run of the test is its bound."""
    assert len(Masking().text(text)) > 0


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("Authorization", "Bearer abc123def456", {"Bearer abc123def456", "abc123def456"}),
        ("X-Custom", "deadbeef0123-zz", {"deadbeef0123-zz"}),
        ("DATABASE_URL", "postgres://u:p4ssw0rd@host/db", {"postgres://u:p4ssw0rd@host/db"}),
        ("DB_PASSWORD", "correcthorse", {"correcthorse"}),
        ("WEBHOOK", "https://hooks.example/T0/B0/x9", {"https://hooks.example/T0/B0/x9"}),
        ("NODE_ENV", "production", set()),
        ("PATH", "/usr/local/bin:/usr/bin", set()),
        ("PORT", "8080", set()),
        ("Accept", "application/json", set()),
        ("API_BASE", "https://api.example.com:8443/", set()),
    ],
)
def test_a_configured_value_is_a_credential_by_its_name_or_because_it_is_no_plain_word(
    name: str, value: str, found: set[str]
) -> None:
    assert credentials([(name, value)]) == found


@given(st.integers(0, 300), carriers)
def test_an_excerpt_never_ends_in_the_beginning_of_a_secret(short: int, carrier: str) -> None:
    secret = carrier.format(CANARY)
    text = "x " * 100 + secret + " y" * 9_000
    shown = Masking([CANARY]).excerpt(text, short)
    assert len(shown) <= short + 1
    assert CANARY[:8] not in shown


def test_of_a_text_full_of_secrets_no_end_is_shown_that_was_not_read_whole() -> None:
    text = f"Bearer {CANARY} " * 5_000
    assert CANARY[:4] not in Masking().excerpt(text, 4_096)


def test_an_excerpt_of_a_short_text_is_the_text() -> None:
    assert Masking().excerpt("abc", 3) == "abc"
    assert Masking().excerpt("abcd", 3) == "abc…"
