"""Secrets out of what is recorded: pure functions from what was sent to what may be kept.

A secret is known by the name it stands under, by its shape, or because the configuration holds it. Masking
leaves numbers of tokens, page cursors' neighbours and plain data alone, and what it returns is bounded.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MASK = "***"
MAX_ARGUMENTS = 64 * 1024
"""Characters of a call's arguments that are kept, as JSON text."""

MAX_DEPTH = 64
MIN_SECRET = 6
"""A configured value shorter than this is a word, not a secret; masking it would garble everything."""

_MARGIN = 8 * 1024
"""Longer than any credential that is likely to meet a cut."""

_CUT = "…"
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET_WORDS = frozenset({"auth", "authorization", "bearer", "cookie", "credential", "credentials", "pwd", "secrets"})
_SECRET_ENDS = ("token", "password", "passwd", "passphrase", "secret", "apikey", "privatekey", "accesskey")
_SECRET_PAIRS = frozenset({("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("pass", "word")})

_KEYS = tuple(f"{kind}{joint}key" for kind in ("api", "access", "private") for joint in ("", "_", "-"))
_NAMES = ("authorization", "passphrase", "password", "passwd", "secret", "token", *_KEYS)
_NAME = f"(?:{'|'.join(_NAMES)})"

_Shape = tuple[str, tuple[str, ...], re.Pattern[str], str]


def _assigned(sign: str) -> _Shape:
    """Return the shape of a secret's name with a string after it: assignments, members and headers in a program."""
    value = r"(\"[^\"\n]+\"|'[^'\n]+'|`[^`]+`)"
    shape = re.compile(rf"({_NAME}[\"'`]?\s{{0,9}}{sign}\s{{0,9}}){value}", re.IGNORECASE)
    return sign, _NAMES, shape, rf'\1"{MASK}"'


_SHAPES: tuple[_Shape, ...] = (
    # scheme and credentials, as in an Authorization header
    (
        " ",
        ("bearer ", "basic "),
        re.compile(r"\b(Bearer|Basic) {1,9}[A-Za-z0-9._~+/=-]{6,}", re.IGNORECASE),
        rf"\1 {MASK}",
    ),
    # user information in a URL, RFC 3986 section 3.2.1
    ("@", ("://",), re.compile(r"(\b[A-Za-z][A-Za-z0-9+.-]{0,31}://)[^\s/?#@\"'`]+@"), rf"\1{MASK}@"),
    _assigned("="),
    _assigned(":"),
    # a parameter in a query string
    ("=", _NAMES, re.compile(rf"([?&;][\w.-]{{0,40}}{_NAME}=)[^\s&;#\"'`]+", re.IGNORECASE), rf"\1{MASK}"),
    # forms that issuers publish so that scanners find them; three parts of base64url are a JWT, RFC 7519
    ("_", ("gh",), re.compile(r"\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_-]{12,}"), MASK),
    ("-", ("glpat-", "sk-", "xox"), re.compile(r"\b(?:glpat-|sk-|xox[abprs]-)[A-Za-z0-9_-]{12,}"), MASK),
    ("A", ("akia",), re.compile(r"\bAKIA[A-Z0-9]{12,}"), MASK),
    (".", ("eyj",), re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"), MASK),
)
"""Text without the first member, or without one of the words in any case, cannot match; that is asked first, since
most text has none. Every pattern reads each character a bounded number of times: the text comes from a program.
"""


class Masking:
    """Masks text and JSON values. ``secrets`` are the values of credentials in the configuration."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = sorted({secret for secret in secrets if len(secret) >= MIN_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def text(self, text: str) -> str:
        """Return ``text`` without the secrets in it, fit to be stored as UTF-8."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        folded = text.lower()
        for sign, words, shape, replacement in _SHAPES:
            if sign in text and any(word in folded for word in words):
                text = shape.sub(replacement, text)
        return text.encode("utf-8", "replace").decode()

    def excerpt(self, text: str, limit: int) -> str:
        """Return the first ``limit`` characters of the masked text, with ``…`` if there are more.

        Of a longer text only the beginning is read: masking megabytes would hold up every other record. What
        stands near the end of what was read may be the beginning of a secret, and is left out.
        """
        if len(text) <= limit + _MARGIN:
            masked = self.text(text)
            return masked if len(masked) <= limit else masked[:limit] + _CUT
        masked = self.text(text[: limit + _MARGIN])
        return masked[: max(0, min(limit, len(masked) - _MARGIN))] + _CUT

    def arguments(self, arguments: Mapping[str, Any]) -> str:
        """Return the arguments of a call as JSON text, masked, and cut where they are too long or too deep."""
        budget = _Budget(MAX_ARGUMENTS)
        return json.dumps(self._value(arguments, budget, MAX_DEPTH), ensure_ascii=False, separators=(",", ":"))

    def _value(self, value: Any, budget: _Budget, depth: int) -> Any:  # noqa: ANN401  # any JSON
        if isinstance(value, str):
            return self._text(value, budget)
        if not isinstance(value, dict | list):
            return value if budget.take(24) else _CUT
        if depth == 0 or not budget.take(2):
            return _CUT
        return self._object(value, budget, depth) if isinstance(value, dict) else self._array(value, budget, depth)

    def _text(self, text: str, budget: _Budget) -> str:
        kept = self.excerpt(text, budget.left)
        budget.take(len(kept) + 4)
        return kept

    def _object(self, value: Mapping[str, Any], budget: _Budget, depth: int) -> dict[str, Any]:
        masked: dict[str, Any] = {}
        for key, member in value.items():
            if budget.spent:
                masked[_CUT] = f"{len(value) - len(masked)} more"
                break
            shown = self._text(key, budget)
            hidden = is_secret(key) and not (member is None or isinstance(member, bool) or member == "")
            masked[shown] = MASK if hidden else self._value(member, budget, depth - 1)
        return masked

    def _array(self, value: list[Any], budget: _Budget, depth: int) -> list[Any]:
        masked: list[Any] = []
        for element in value:
            if budget.spent:
                masked.append(f"{_CUT} {len(value) - len(masked)} more")
                break
            masked.append(self._value(element, budget, depth - 1))
        return masked


@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Return whether what stands under this name is a secret: ``apiKey``, ``X-Auth-Token``, not ``max_tokens``."""
    words = [word.lower() for word in _WORDS.findall(name[:256])]
    named = any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words)
    return named or not _SECRET_PAIRS.isdisjoint(pairwise(words))


def credentials(named: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return which values of headers and variables, given by name, are credentials: all but words, paths, numbers.

    Of a value in several words, as ``Bearer …``, the words that are no plain ones count too.
    """
    found: set[str] = set()
    for name, value in named:
        found.update(part for part in (value, *value.split()) if is_secret(name) or not _PLAIN.fullmatch(part))
    return frozenset(found - _SCHEMES)


_PLAIN = re.compile(
    r"[A-Za-z_.-]*"  # words
    r"|[0-9.,:-]*"  # numbers, addresses, times
    r"|[a-z*]+/[a-z.*+-]+[,;]?"  # media types
    r"|(?::?/[\w.+~-]+)+/?"  # absolute paths, also several as in PATH
    r"|[a-z]+://[\w.-]+(?::[0-9]+)?/?"  # URLs of a whole host
)
_SCHEMES = frozenset({"Bearer", "bearer", "Basic", "basic"})


class _Budget:
    """Characters that may still be kept."""

    def __init__(self, left: int) -> None:
        self._left = left

    @property
    def left(self) -> int:
        return max(0, self._left)

    @property
    def spent(self) -> bool:
        return self._left <= 0

    def take(self, size: int) -> bool:
        self._left -= size
        return self._left >= 0
