"""MERGE INTO statements of Spark SQL as programs know them; plain Python, no Spark.

Source: MergeIntoHoodieTableCommand and ExpressionPayload of each release.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class ClauseAction(enum.Enum):
    """What a clause does with a row of the source."""

    UPDATE = "update"
    DELETE = "delete"
    INSERT = "insert"
    NOTHING = "nothing"


class MergeClause(NamedTuple):
    """A WHEN clause.

    Attributes:
        matched: whether it is for rows whose key the table has.
        action: what it does.
        condition: its condition in Spark SQL, on the structs of the source and of the table; None without one.
        values: the values by the column of the table to which they are assigned, likewise.
        reads: the columns of the table that the condition and the values read.
        reads_in_values: whether a value does.
        is_lost: whether a merge-on-read table of 1.2 loses it: UPDATE clauses set different columns.
    """

    matched: bool
    action: ClauseAction
    condition: str | None = None
    values: Mapping[str, str] = {}
    reads: tuple[str, ...] = ()
    reads_in_values: bool = False
    is_lost: bool = False


_NO_CLAUSES: Final = (MergeClause(True, ClauseAction.NOTHING), MergeClause(False, ClauseAction.NOTHING))
_ORDER: Final = (ClauseAction.UPDATE, ClauseAction.DELETE, ClauseAction.INSERT)


class MergeStatement(NamedTuple):
    """A statement.

    Attributes:
        on: the columns of the table that ON compares, each with its value in the source, in Spark SQL.
        written: its clauses as they are written.
    """

    on: Mapping[str, str]
    written: tuple[MergeClause, ...]

    @property
    def clauses(self) -> tuple[MergeClause, ...]:
        """The clauses in the order in which ExpressionPayload tries them.

        Updates come before the delete, whichever is written first. The last two do nothing: they are for a matched and
        for another row of which no condition holds.
        """
        is_lost = len({frozenset(one.values) for one in self.updates}) > 1
        tried = (one for action in _ORDER for one in self.written if one.action is action)
        return (*(one._replace(is_lost=is_lost and one.action is ClauseAction.UPDATE) for one in tried), *_NO_CLAUSES)

    @property
    def updates(self) -> list[MergeClause]:
        """The clauses that update."""
        return [one for one in self.written if one.action is ClauseAction.UPDATE]

    @property
    def reorders(self) -> bool:
        """Whether a DELETE is written before an UPDATE, which is tried first."""
        actions = [one.action for one in self.written]
        return ClauseAction.DELETE in actions and ClauseAction.UPDATE in actions[actions.index(ClauseAction.DELETE) :]
