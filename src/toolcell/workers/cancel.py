"""How a run is told to stop from outside: by a signal handler, another thread or another task."""

from __future__ import annotations


class Cancel:
    """A request to stop, seen by the run between two slices.

    One flag and no lock, so that a signal handler may set it at any moment.
    """

    __slots__ = ("_requested",)

    def __init__(self) -> None:
        self._requested = False

    def request(self) -> None:
        """Ask the run to stop; asking twice is the same."""
        self._requested = True

    @property
    def requested(self) -> bool:
        """Whether the run was asked to stop."""
        return self._requested
