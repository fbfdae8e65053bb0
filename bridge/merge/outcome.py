"""Outcomes: what a merge call made of a key, by value."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, NoReturn, TypeVar

V_co = TypeVar("V_co", covariant=True)


class Action(enum.IntEnum):
    """What became of a key."""

    INSERT = 0
    UPDATE = 1
    KEEP = 2
    DELETE = 3
    SKIP = 4


INSERT, UPDATE, KEEP, DELETE, SKIP = Action


if TYPE_CHECKING:

    class _Fields(NamedTuple, Generic[V_co]):
        action: Action
        version: V_co | None
else:  # before Python 3.11 a NamedTuple can't be generic

    class _Fields(NamedTuple):
        action: Action
        version: object


class Outcome(_Fields[V_co]):
    """What a merge call made of a key.

    Attributes:
        action: KEEP if the older version stays, which does not count as an update, even to equal values; SKIP if there
            was none before and there is none after.
        version: what is there afterwards; None after DELETE and SKIP.
    """

    __slots__ = ()


class RowSource(enum.IntEnum):
    """Where the row comes from that a write leaves of a stored row, if there is one, and an incoming one.

    It is the outcome of a merge record by record: a number, as millions of these are held at a time.
    """

    STORED = 0
    INCOMING = 1
    MADE = 2
    NONE = 3


DELETED: Final[Outcome[NoReturn]] = Outcome(DELETE, None)
SKIPPED: Final[Outcome[NoReturn]] = Outcome(SKIP, None)


def of_another_key(key: str) -> str:
    """Return what is wrong where a merge returned a record with the key of another row."""
    return f"it returned a record of another key, {key}; return one of the same key, or none to delete the row"
