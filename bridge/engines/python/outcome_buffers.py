"""Outcomes that wait for the end of their batch: rows of one kind, and what is known of all before they are given."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.errors import SchemaError

if TYPE_CHECKING:
    from bridge.merge import Action, MergePoint


class UnfitOutcomeError(SchemaError):
    """A merged record can't be stored: it does not fit its schema, or has the key of another row.

    Attributes:
        reason: what is wrong and what to do.
        owner: a row of its key.
        point: the merge point that made it.
    """

    def __init__(self, reason: str, owner: Any, point: MergePoint) -> None:
        super().__init__(reason, owner, point)
        self.reason = reason
        self.owner = owner
        self.point = point


@dataclasses.dataclass(slots=True)
class PendingOutcomes:
    """Outcomes whose rows are made in one way."""

    rows: list[Any] = dataclasses.field(default_factory=list)
    added: list[tuple[object, ...]] = dataclasses.field(default_factory=list)

    def add(self, row: object, *added: object) -> None:
        """Note a row, its action, and what else the program adds."""
        self.rows.append(row)
        self.added.append(added)

    def of(self, actions: tuple[Action, ...]) -> list[Any]:
        """Return the rows with one of these actions."""
        return [row for row, added in zip(self.rows, self.added, strict=True) if added[0] in actions]


Position = tuple[int, ...]
"""How many outcomes of each kind there are, which tells where those of a key begin."""


class BatchOutcomes(NamedTuple):
    """What was noted of the rows of a batch.

    Attributes:
        rows: a row of the key of each outcome.
        actions: the actions of these.
        kept: the rows that are in the result.
        of_open: the actions of outcomes without a row here: those of the key that began in an earlier batch.
        kept_before: the origins of its rows in earlier batches that are in the result.
        made: how many records are in the result that are no rows of the input.
    """

    rows: list[int]
    actions: list[Action]
    kept: list[int]
    of_open: list[Action]
    kept_before: list[int]
    made: int
