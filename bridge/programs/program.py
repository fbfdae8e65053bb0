"""The contract of programs: how the sorted versions of one key reach a program, and how it emits outcomes.

A program sees the versions of a key in order (`start`, `accept` each, `finish`) and emits outcomes. It keeps what the
merge needs and no more, so a key of any number of versions streams. Plain Python, no Spark.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Action, Carrier
    from mergers import HoodieKey
    from payloads import Ordering, Record


class Origin(enum.IntEnum):
    """Where a version comes from; the order in which a key's versions are merged."""

    STORED = 0
    LOG = 1
    INCOMING = 2


class Arrival(NamedTuple):
    """One version as it arrives at a program.

    Attributes:
        origin: stored, log or incoming.
        commit: number of the commit that brought it; 0 for stored rows.
        record: its data; None for a delete that carries none.
        source: the row that the record is.
        is_delete: whether it is a log's delete entry.
        ordering: an ordering value that overrides the record's own; a delete entry always has one.
        identity: of a delete without data, a record of its key and partition columns.
        clause: of a row of a MERGE INTO, the number of the clause that takes it, among `MergeStatement.clauses`.
    """

    origin: Origin
    commit: int
    record: Record | None
    source: object  # the engine's own name of the row, which programs only pass on
    is_delete: bool = False
    ordering: Ordering | None = None
    identity: Record | None = None
    clause: int | None = None


class Emit(Protocol):
    """Takes an outcome: the action, the row (None or without data: the bare key), and what the program adds."""

    def __call__(self, action: Action, row: Carrier | None, *extras: object) -> None:
        """Take one outcome."""


class Program(Protocol):
    """What the engines run."""

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take the next version of the key."""

    def finish(self, emit: Emit) -> None:
        """End the key."""

    def held(self) -> Iterator[Carrier]:
        """Give the carriers whose rows the program still needs."""
