"""diff: the rows of two tables, or of one at two instants, compared by key, and the batch that makes one the other."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from pyspark.sql import functions as sf

from bridge.compare.differing import Counts, Difference
from bridge.compare.tables import keys_table
from bridge.engines import COMMIT
from bridge.errors import InputError
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT, differences
from bridge.report import SAMPLE, Report, as_notebook, json_rows
from bridge.spark import META_COLUMNS, common_types, kept, quoted, with_types
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame


@dataclasses.dataclass(frozen=True)
class DiffReport:
    """What `diff` answers.

    Attributes:
        identity: the columns that identify a row.
        names: what the sides are called.
        counts: how many keys differ, by kind; its commit is 1.
        differences: the keys that differ: `_pb_kind` (only-left, only-right, changed), the key, and the rows of both
            sides as `_pb_left` and `_pb_right`.
        alone: the columns that one side alone has; they are not compared.

    Added in 0.1.0.
    """

    identity: tuple[str, ...]
    names: tuple[str, str]
    counts: Counts
    differences: DataFrame
    alone: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether no key differs."""
        return not self.counts.total

    @property
    def verdict(self) -> str:
        """How many keys differ, in a sentence."""
        left, right = self.names
        if self.success:
            return f"{left} and {right} have the same rows."
        told = f"{self.counts.only_left} only in {left}, {self.counts.only_right} only in {right}"
        keys = "1 key differs" if self.counts.total == 1 else f"{self.counts.total} keys differ"
        return f"{keys}: {told}, {self.counts.changed} changed."

    @property
    def batch(self) -> DataFrame:
        """The batch that gives the left side the rows of the right one: these rows, and deletes.

        A delete is the left row with `_hoodie_is_deleted` true; in the other rows it is false.
        """
        row = sf.coalesce(RIGHT, LEFT)
        names = [name for name in self.differences.schema[RIGHT].dataType.names if name != IS_DELETED]  # type: ignore[attr-defined]
        columns = [row.getField(name).alias(name) for name in names]
        return self.differences.select(*columns, sf.col(RIGHT).isNull().alias(IS_DELETED))

    def _repr_html_(self) -> str:
        return as_notebook(self.to_report())

    def to_report(self, sample: int = SAMPLE) -> Report:
        """Return the report of the command line, with at most `sample` keys."""
        found = [self._difference(row) for row in json_rows(self.differences.orderBy(*self._order).limit(sample))]
        report = Report("diff", self.verdict, success=self.success, plan={"key": list(self.identity)})
        report.sides = self.names
        report.statistics = {"only_left": self.counts.only_left, "only_right": self.counts.only_right}
        report.statistics |= {"changed": self.counts.changed}
        report.results = [
            {"key": one.key, "kind": one.kind, "columns": one.columns, "left": one.left, "right": one.right}
            for one in found
        ]
        if self.alone:
            report.warnings.append(f"one side alone has {', '.join(self.alone)}, which is not compared")
        if found:
            report.body.append(keys_table(found, self.counts.total, self.names, "Keys that differ"))
        return report

    def to_json(self) -> str:
        """Return what `payload-bridge diff --output json` prints."""
        return self.to_report().as_json()

    @property
    def _order(self) -> list[Any]:
        return [quoted(name) for name in self.identity]

    def _difference(self, found: dict[str, Any]) -> Difference:
        left, right = found[LEFT], found[RIGHT]
        both = left is not None and right is not None
        columns = [name for name in left if left[name] != right[name]] if both else []
        return Difference({name: found[name] for name in self.identity}, found[KIND], columns, left, right)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.differences.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def diff(
    left: DataFrame, right: DataFrame, identity: Sequence[str], names: tuple[str, str] = ("left", "right")
) -> DiffReport:
    """Compare the rows of two frames, such as snapshots of tables, by key.

    Meta columns, and those that one side alone has, are not compared; numbers of two types are compared as the wider.

    Args:
        left: one side.
        right: the other.
        identity: the columns that identify a row: `HudiTable.identity`.
        names: what the sides are called.

    Raises:
        InputError: a side lacks a column of the key, or has a key twice.

    Added in 0.1.0.
    """
    key = tuple(identity)
    sides = [frame.drop(*META_COLUMNS) for frame in (left, right)]
    for frame, name in zip(sides, names, strict=True):
        missing = [column for column in key if column not in frame.columns]
        if missing or not key:
            msg = f"{name} has no column {', '.join(missing) or 'of a key'}; name the columns that identify its rows"
            raise InputError(msg)
        twice = frame.groupBy(*map(quoted, key)).count().where(sf.col("count") > 1).select(*map(quoted, key)).head()
        if twice is not None:
            told = ", ".join(f"{column}={value!r}" for column, value in twice.asDict().items())
            msg = f"{name} has several rows of the key {told}; compare by columns that identify a row"
            raise InputError(msg)
    shared = [name for name in sides[0].columns if name in sides[1].columns]
    alone = sorted({*sides[0].columns} ^ {*sides[1].columns})
    kinds = common_types(frame.select(*map(quoted, shared)) for frame in sides)
    one, other = (
        with_types(frame.select(*map(quoted, shared)), kinds).withColumn(COMMIT, sf.lit(1)) for frame in sides
    )
    found = kept(differences(one, other, key).drop(COMMIT))
    counted = {row[0]: int(row[1]) for row in found.groupBy(KIND).count().collect()}
    counts = Counts(1, *(counted.get(kind, 0) for kind in KINDS))
    return DiffReport(key, names, counts, found, tuple(alone))
