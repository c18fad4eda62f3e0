"""A call's arguments against the tool's input schema, before anything is sent.

The schema comes from the server and may be hostile. Patterns run in time linear in their text; references to
network and disk fail; work is bounded by what schema and arguments together could cost. A schema that cannot be
used within those bounds checks nothing: the server still decides about its own tool.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from toolcell.model.codes import CallCode
from toolcell.model.text import nearest, quoted
from toolcell.upstreams import schemas
from toolcell.upstreams.replies import CallRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_WORK = 2_000_000
"""Schema visits that one check may cost: other calls wait that long for the loop, a fraction of a second at worst."""
MAX_SHOWN_FAULTS = 5
MAX_SHOWN_NAMES = 40
_MAX_TEXT = 300
_PATTERN_BYTES = 1 << 20


class ArgumentCheck:
    """The check of one tool's arguments, compiled once for its definition."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self._visits = schemas.visits(schema)
        self._validator = _compiled(schema) if self._visits is not None else None

    @property
    def names(self) -> tuple[str, ...]:
        """The argument names the schema knows, in its order."""
        properties = self._schema.get("properties")
        return tuple(properties) if isinstance(properties, dict) else ()

    @property
    def complete(self) -> bool:
        """Whether the whole schema is checked, and not only the names."""
        return self._validator is not None

    def check(self, tool: str, args: Mapping[str, Any]) -> None:
        """Raise ``CallRefused`` with ``INVALID_ARGS`` naming what is wrong and what would be right."""
        missing = self._missing(args)
        faults = [*missing, *self._unknown(args, misspelt=bool(missing))]
        if not faults and self._validator is not None and self._affordable(args):
            faults = _faults(self._validator, args)
        if faults:
            shown = "; ".join(faults[:MAX_SHOWN_FAULTS])
            raise CallRefused(CallCode.INVALID_ARGS, f"{quoted(tool)}: {shown}{self._accepted()}")

    def _missing(self, args: Mapping[str, Any]) -> list[str]:
        required = self._schema.get("required")
        if not isinstance(required, list):
            return []
        return [
            f"argument {quoted(name)} is missing" for name in required if isinstance(name, str) and name not in args
        ]

    def _unknown(self, args: Mapping[str, Any], *, misspelt: bool) -> list[str]:
        """Return the names the schema does not know: where it forbids them, or where one is missing."""
        closed = self._schema.get("additionalProperties") is False and "patternProperties" not in self._schema
        if not (closed or misspelt):
            return []
        faults = []
        for name in args:
            if name not in self.names:
                close = nearest(name, self.names)
                hint = f", did you mean {' or '.join(quoted(one) for one in close)}?" if close else ""
                faults.append(f"argument {quoted(name)} is unknown{hint}")
        return faults

    def _accepted(self) -> str:
        names = [name + ("" if name in self._required() else "?") for name in self.names[:MAX_SHOWN_NAMES]]
        return f". Its arguments are: {', '.join(quoted(name) for name in names)}" if names else ""

    def _required(self) -> list[Any]:
        required = self._schema.get("required")
        return required if isinstance(required, list) else []

    def _affordable(self, args: Mapping[str, Any]) -> bool:
        return self._visits is not None and self._visits * schemas.nodes(args) <= MAX_WORK


def _compiled(schema: Mapping[str, Any]) -> jsonschema_rs.Validator | None:
    """Return the validator, without the patterns if those are the trouble, or ``None``."""
    for candidate in (schema, schemas.without_patterns(schema)):
        try:
            return jsonschema_rs.validator_for(
                dict(candidate),
                offline=True,
                validate_formats=False,
                pattern_options=jsonschema_rs.RegexOptions(size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES),
            )
        except (ValueError, TypeError, RecursionError, jsonschema_rs.ReferencingError):
            continue
    return None


def _faults(validator: jsonschema_rs.Validator, args: Mapping[str, Any]) -> list[str]:
    try:
        return [_sentence(fault) for fault in islice(validator.iter_errors(dict(args)), MAX_SHOWN_FAULTS)]
    except (ValueError, TypeError, RecursionError):
        return []


def _sentence(fault: jsonschema_rs.ValidationError) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.instance_path)
    message = fault.message if len(fault.message) <= _MAX_TEXT else fault.message[: _MAX_TEXT - 1] + "…"
    text = f"{path.lstrip('.')[:_MAX_TEXT]}: {message}" if path else message
    return "".join(c if c.isprintable() else "?" for c in text)
