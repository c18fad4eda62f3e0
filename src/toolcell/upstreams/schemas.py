"""What a JSON schema could cost, found without running it.

A validator walks the tree of applied subschemas for each value. References make that tree larger than the text:
doubling ones make it exponential, and a recursive one endless unless it descends into the value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_VISITS = 100_000
MAX_SUBSCHEMAS = 20_000
MAX_SCHEMA_DEPTH = 200
_HERE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
"""Keywords whose subschemas apply to the same value."""
_BELOW = (
    *("properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"),
    *("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "contentSchema"),
)
"""Keywords whose subschemas apply to a value's parts."""
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"})
_VALUES = frozenset({"enum", "const", "default", "examples"})
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
_PATTERNS = frozenset({"pattern", "patternProperties"})


class _TooCostly(Exception):  # noqa: N818  # a state of the schema
    """The schema's cost has no bound that is small enough."""


def visits(schema: Mapping[str, Any]) -> int | None:
    """Return how many subschemas one value could meet at most, or ``None`` when that is too many or unknown."""
    try:
        return _Cost(schema).total
    except _TooCostly:
        return None


class _Cost:
    """Counts by following every reference; a schema within itself must be one level further down the value."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: dict[int, int] = {}
        self._looped: set[int] = set()
        self._loops: dict[int, frozenset[int]] = {}
        self.total = self._of(root, level=0)

    def _of(self, schema: Any, *, level: int) -> int:  # noqa: ANN401  # any JSON
        if not isinstance(schema, dict):
            return 1
        key = id(schema)
        if key in self._open:
            return self._again(key, level)
        if key in self._known:
            return self._known_again(key)
        if len(self._open) > MAX_SCHEMA_DEPTH or len(self._known) > MAX_SUBSCHEMAS:
            raise _TooCostly
        self._open[key] = level
        before = frozenset(self._looped)
        cost = 1 + sum(self._of(child, level=level + descends) for child, descends in self._applied(schema))
        del self._open[key]
        if cost > MAX_VISITS:
            raise _TooCostly
        self._known[key] = cost
        self._loops[key] = frozenset(self._looped) - before
        return cost

    def _known_again(self, key: int) -> int:
        """Meet a schema on another path; if it leads back to where both come from, that is twice."""
        if not self._loops[key].isdisjoint(self._open):
            raise _TooCostly
        return self._known[key]

    def _again(self, key: int, level: int) -> int:
        """Meet a schema inside itself: once and below is a list; at the same value it never ends; twice may double."""
        if key in self._looped or level == self._open[key]:
            raise _TooCostly
        self._looped.add(key)
        return 1

    def _applied(self, schema: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
        for keywords, descends in ((_HERE, False), (_BELOW, True)):
            for keyword in keywords:
                yield from ((child, descends) for child in _children(keyword, schema.get(keyword)))
        if any(name in schema for name in _DYNAMIC):
            raise _TooCostly
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield self._target(reference), False

    def _target(self, reference: str) -> Any:  # noqa: ANN401  # any JSON
        """Return what a reference within the document means; others are refused by the validator."""
        if reference == "#":
            return self._root
        if not reference.startswith("#/"):
            raise _TooCostly
        found: Any = self._root
        for step in reference[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise _TooCostly
            found = found[name]
        return found


def _children(keyword: str, value: object) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        if keyword in _NAMED:
            yield from value.values()
        else:
            yield value


def without_patterns(schema: Any, depth: int = 0) -> Any:  # noqa: ANN401  # any JSON
    """Return a copy that looks at no text: where a pattern decided which names are allowed, all are."""
    if depth > MAX_SCHEMA_DEPTH:
        return True
    if isinstance(schema, list):
        return [without_patterns(element, depth + 1) for element in schema]
    if not isinstance(schema, dict):
        return schema
    dropped = {"pattern", "patternProperties"}
    if "patternProperties" in schema:
        dropped |= {"additionalProperties", "unevaluatedProperties"}
    return {key: _kept(key, value, depth) for key, value in schema.items() if key not in dropped}


def _kept(key: str, value: Any, depth: int) -> Any:  # noqa: ANN401  # any JSON
    if key in _VALUES:
        return value
    if key in _NAMED and isinstance(value, dict):
        return {name: without_patterns(child, depth + 1) for name, child in value.items()}
    return without_patterns(value, depth + 1)


def nodes(value: object) -> int:
    """Return how many values there are in ``value``, itself included."""
    count, level = 0, [value]
    while level:
        count += len(level)
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
    return count
