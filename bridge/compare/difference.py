"""What a comparison finds: counts of the keys that differ, one such key, and an example with its versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.pipeline import KIND, LEFT, RIGHT
from bridge.report import json_rows
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.hudi import HudiTable
    from bridge.report import JsonObject

_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]
BY_IDENTITY = "_pb_by_identity"
"""Whether a key differs only because IGNORE_DEFAULTS compares objects."""


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
    shown = row[LEFT] or row[RIGHT]
    names = [name for name in table.identity if name in shown]
    return _difference(row, {name: shown[name] for name in names} or {_PARTITION: row[_PARTITION], _KEY: row[_KEY]})


def replayed_difference(sides: Comparison, row: JsonObject) -> Difference:
    """Return a row of `ReplayReport.differences`, in JSON values, as a difference."""
    found = _difference(row, {name: row[name] for name in sides.left.identity})
    if not row[BY_IDENTITY]:
        return found
    names = ", ".join(sides.missed_defaults())
    return found._replace(
        note="differs only because Hudi's IGNORE_DEFAULTS compares value and default by object identity: in "
        f"{names} the default overwrites; compared by value (fidelity intended, as in no release) the results are equal"
    )


def _difference(row: JsonObject, key: JsonObject) -> Difference:
    left, right = row[LEFT], row[RIGHT]
    both = left is not None and right is not None
    # The text tells 0.0 from -0.0, as the comparison does.
    columns = [name for name in left if repr(left[name]) != repr(right[name])] if both else []
    return Difference(key, row[KIND], columns, left, right)
