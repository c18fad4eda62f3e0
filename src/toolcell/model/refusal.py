"""The one exception a front end answers: a request that was turned away before anything ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolcell.model.codes import RefusalCode


class Refusal(Exception):  # noqa: N818  # a refusal is the product's word, and not a fault
    """Nothing ran. ``message`` is for the caller; ``field`` is the part of the request at fault."""

    def __init__(self, code: RefusalCode, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
