"""Outcomes: what a merge call made of a key, by value."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Never, TypeVar

if TYPE_CHECKING:
    from payloads import Record

V_co = TypeVar("V_co", covariant=True)


class Action(enum.IntEnum):
    """What became of a key."""

    INSERT = 0
    UPDATE = 1
    KEEP = 2
    DELETE = 3
    SKIP = 4


class Outcome(NamedTuple, Generic[V_co]):
    """What a merge call made of a key.

    Attributes:
        action: KEEP if the older version stays, which is no update even to equal values; SKIP if there was none and
            is none.
        version: what is there afterwards; None after DELETE and SKIP.
    """

    action: Action
    version: V_co | None


class RecordOutcome(NamedTuple):
    """What a write made of a key with one incoming row, and at most one stored row.

    Attributes:
        action: what became of the key.
        made: the record that the merge made. None if there is nothing to encode: the stored row stays, the incoming row
            is stored as it came, or no row is left.
    """

    action: Action
    made: Record | None = None


DELETED: Final[Outcome[Never]] = Outcome(Action.DELETE, None)
SKIPPED: Final[Outcome[Never]] = Outcome(Action.SKIP, None)
