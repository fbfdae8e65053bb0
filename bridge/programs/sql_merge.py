"""MERGE INTO statements of Spark SQL as programs know them; plain Python, no Spark.

Source: MergeIntoHoodieTableCommand and ExpressionPayload of each release.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan


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
        fails_on_null: whether the condition can't hold where it finds null in the columns of the table.
        updated: the columns that the UPDATE clauses of the statement set, all together.
    """

    matched: bool
    action: ClauseAction
    condition: str | None = None
    values: Mapping[str, str] = {}
    reads: tuple[str, ...] = ()
    reads_in_values: bool = False
    fails_on_null: bool = True
    updated: frozenset[str] = frozenset()

    @property
    def lacks_columns(self) -> bool:
        """Whether another UPDATE sets columns that this one does not; partial rows of it fit no log block."""
        return self.action is ClauseAction.UPDATE and len(self.values) < len(self.updated)


_NO_CLAUSES: Final = (MergeClause(True, ClauseAction.NOTHING), MergeClause(False, ClauseAction.NOTHING))
_ORDER: Final = (ClauseAction.UPDATE, ClauseAction.DELETE, ClauseAction.INSERT)


class MergeStatement(NamedTuple):
    """A statement.

    Attributes:
        on: the columns of the table that ON compares, each with its value in the source, in Spark SQL.
        written: its clauses as they are written.
        source: the columns of the source, in lower case; none if they are those of the table.
        resolved: the columns of the table that the source lacks, each with the first value that an UPDATE assigns to
            it and that is a column of the source, or a cast of one. Hudi takes such a value for the ordering field.
        is_partial: whether its UPDATE clauses together leave out a column of the table.
    """

    on: Mapping[str, str]
    written: tuple[MergeClause, ...]
    source: frozenset[str] = frozenset()
    resolved: Mapping[str, str] = {}
    is_partial: bool = False

    @property
    def clauses(self) -> tuple[MergeClause, ...]:
        """The clauses in the order in which ExpressionPayload tries them.

        Updates come before the delete, whichever is written first. Of two with one condition the first has its place,
        and the second its values, since they are a map (serializeConditionalAssignments). The last two do nothing: they
        are for a matched and for another row of which no condition holds.
        """
        ordered = (one for action in _ORDER for one in self.written if one.action is action)
        tried = {(one.action, one.condition): one for one in ordered}.values()
        return (*(one._replace(updated=self.updated) for one in tried), *_NO_CLAUSES)

    @property
    def updated(self) -> frozenset[str]:
        """The columns that its UPDATE clauses set, all together."""
        return frozenset(name for one in self.updates for name in one.values)

    def is_insert(self, plan: MergePlan) -> bool:
        """Whether its writer inserts the rows without a look at the table (getOperationType)."""
        return not plan.ordering and not self.updates

    @property
    def updates(self) -> list[MergeClause]:
        """The clauses that update."""
        return [one for one in self.written if one.action is ClauseAction.UPDATE]

    @property
    def reorders(self) -> bool:
        """Whether a DELETE is written before an UPDATE, which is tried first."""
        actions = [one.action for one in self.written]
        return ClauseAction.DELETE in actions and ClauseAction.UPDATE in actions[actions.index(ClauseAction.DELETE) :]
