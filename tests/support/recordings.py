"""Recorded tables of one patch release a release, paired by what wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config import SUCCESSORS
from tests.conformance.histories import load
from tests.conformance.replays import pairs
from tests.support.folders import HISTORIES

if TYPE_CHECKING:
    from payloads.builtin import BuiltinPayload
    from tests.conformance.replays import Question

OLD, LAST, NEW = "0.15.0", "1.0.2", "1.2.0"
"""The release before merge modes, the last one with every class, and the newest."""
RECORDED: Final = ("0.12.3", "0.13.1", "0.14.1", OLD, LAST, "1.1.1", NEW)
"""The patch releases, one a release."""


class Recordings:
    """The recorded tables of every release, by the payload class that wrote them."""

    def __init__(self) -> None:
        """Read them all."""
        self._of = {release: list(load(HISTORIES / release)) for release in RECORDED}

    def questions(self, payload: type[BuiltinPayload]) -> list[Question]:
        """Return the pairs of the old release and the newest that has the class."""
        return self.between(payload, OLD, NEW if payload.java_name in SUCCESSORS else LAST)

    def between(self, payload: type[BuiltinPayload], old: str, new: str) -> list[Question]:
        """Return the pairs of two releases, the older first."""
        chosen = [one for one in self._of[old] if one.payload_class == payload.java_name]
        return sorted(pairs(chosen, self._of[new]), key=lambda one: one.left.folder)
