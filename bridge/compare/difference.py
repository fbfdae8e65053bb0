"""What a comparison finds: counts of the keys that differ, one such key, and an example with its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.pipeline import KIND, LEFT, RIGHT
from bridge.report import json_rows
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.hudi import HudiTable
    from bridge.report import JsonObject

_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]


class Counts(NamedTuple):
    """How many keys differ after a commit, by kind."""

    commit: int
    only_left: int
    only_right: int
    changed: int

    @property
    def total(self) -> int:
        """How many keys differ."""
        return self.only_left + self.only_right + self.changed


class Difference(NamedTuple):
    """A key that differs, in JSON values.

    Attributes:
        key: the columns that identify the row.
        kind: one of `KINDS`.
        columns: those whose values differ, if both sides have the key.
        left: the row on the left side; None if there is none.
        right: the row on the right side.
        note: a remark, as a sentence.
    """

    key: JsonObject
    kind: str
    columns: list[str]
    left: JsonObject | None
    right: JsonObject | None
    note: str | None = None


class Example(NamedTuple):
    """A difference, the commit after which it shows, and the versions of its key until then, in order of arrival.

    `row` has the columns that identify it as the texts that `explain` takes, empty for null.
    """

    commit: int
    difference: Difference
    versions: list[JsonObject]
    row: dict[str, str]


def collected(table: HudiTable, frame: DataFrame, limit: int | None = None) -> list[Difference]:
    """Collect rows of a table that differ, with the columns of `ReadersReport.differences`, by partition and key."""
    ordered = frame.orderBy(_PARTITION, _KEY, KIND)
    return [difference_of(table, row) for row in json_rows(ordered if limit is None else ordered.limit(limit))]


def difference_of(table: HudiTable, row: JsonObject) -> Difference:
    """Return a row of `ReadersReport.differences`, in JSON values, as a difference."""
    left, right = row[LEFT], row[RIGHT]
    both = left is not None and right is not None
    columns = [name for name in left if repr(left[name]) != repr(right[name])] if both else []
    shown = left or right
    names = [name for name in table.identity if name in shown]
    key = {name: shown[name] for name in names} or {_PARTITION: row[_PARTITION], _KEY: row[_KEY]}
    return Difference(key, row[KIND], columns, left, right)
