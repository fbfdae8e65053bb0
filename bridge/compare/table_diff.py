"""diff: the rows of two tables, or of one at two instants, compared by key, and the batch that makes one the other."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.compare.difference import Counts, Difference
from bridge.compare.rows_view import rows_view
from bridge.compare.same_types import compared_types
from bridge.compare.tables import keys_table
from bridge.engines import COMMIT
from bridge.errors import InputError
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT, differences
from bridge.redaction import current, shown_values
from bridge.report import PAGE_KEYS, Judged, Listing, Report, Severity, json_rows, limit_of
from bridge.spark import META_COLUMNS, kept, promoted, quoted, with_types
from payloads.builtin import IS_DELETED
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.report import JsonObject, View


@dataclasses.dataclass(frozen=True, repr=False)
class DiffReport(Judged, Listing):
    """The result of `diff`.

    Attributes:
        identity: the columns that identify a row.
        names: the labels of both in reports.
        counts: how many keys differ, by kind; its commit is 1.
        differences: the keys that differ: `_pb_kind` (only-left, only-right, changed), the key, and the rows of both
            sides as `_pb_left` and `_pb_right`, in the types in which they were compared.
        alone: the columns that only one side has; they are not compared.
        schema: the columns that both have, under the names and in the types of the left side.
    """

    identity: tuple[str, ...]
    names: tuple[str, str]
    counts: Counts
    differences: DataFrame
    alone: tuple[str, ...] = ()
    schema: spark_types.StructType = dataclasses.field(default_factory=spark_types.StructType)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a key differs, or one side has a column that the other lacks."""
        return frozenset({Severity.CHANGED if self.counts.total or self.alone else Severity.UNCHANGED})

    @property
    def verdict(self) -> str:
        """How many keys differ, and which columns were not compared, in a sentence."""
        left, right = self.names
        alone = f"{', '.join(self.alone)} {'is' if len(self.alone) == 1 else 'are'} on one side only, and not compared"
        if not self.counts.total:
            same = f"{left} and {right} have the same rows"
            return f"{same} in the columns of both, but {alone}." if self.alone else f"{same}."
        told = f"{self.counts.only_left:,} only in {left}, {self.counts.only_right:,} only in {right}"
        keys = "1 key differs" if self.counts.total == 1 else f"{self.counts.total:,} keys differ"
        return f"{keys}: {told}, {self.counts.changed:,} changed{f'; {alone}' if self.alone else ''}."

    @property
    def batch(self) -> DataFrame:
        """The batch that gives the left side the rows of the right one: these rows, and deletes.

        A delete is the left row with `_hoodie_is_deleted` true; in the other rows it is false. Names and types
        are those of the left side.

        Raises:
            InputError: one side alone has a column, or the right one has a value that a type of the left can't hold.
        """
        if self.alone:
            msg = (
                f"no batch gives {self.names[0]} the rows of {self.names[1]}, because {', '.join(self.alone)} "
                f"{'is' if len(self.alone) == 1 else 'are'} on one side only; give both sides the same columns"
            )
            raise InputError(msg)
        row, wide = sf.coalesce(RIGHT, LEFT), self._compared
        fields = [field for field in self.schema if field.name != IS_DELETED]
        self._check_values(
            [field for field in fields if field.dataType.simpleString() != wide[field.name].simpleString()]
        )
        columns = [promoted(row.getField(one.name), wide[one.name], one.dataType).alias(one.name) for one in fields]
        return self.differences.select(*columns, sf.col(RIGHT).isNull().alias(IS_DELETED))

    @property
    def _compared(self) -> dict[str, spark_types.DataType]:
        row = self.differences.schema[RIGHT].dataType
        return {field.name: field.dataType for field in row}  # type: ignore[attr-defined]

    def _check_values(self, narrowed: Sequence[spark_types.StructField]) -> None:
        """Refuse values of the right side that do not survive the types of the left one."""
        if not narrowed:
            return

        def is_lost(field: spark_types.StructField) -> Column:
            kind, value = self._compared[field.name], sf.col(RIGHT).getField(field.name)
            back = promoted(promoted(value, kind, field.dataType), field.dataType, kind)
            differs = sf.to_json(sf.struct(back.alias("one"))) != sf.to_json(sf.struct(value.alias("one")))
            return sf.coalesce(sf.max(differs), sf.lit(False))

        found = self.differences.select(*(is_lost(field).alias(str(at)) for at, field in enumerate(narrowed))).collect()
        for field, lost in zip(narrowed, found[0], strict=True):
            if lost:
                msg = (
                    f"{self.names[1]} has values of {field.name} that its type in {self.names[0]}, "
                    f"{field.dataType.simpleString()}, can't hold; change the type of that column first"
                )
                raise InputError(msg)

    def to_view(self, limit: int = PAGE_KEYS) -> View:
        """Return what a page shows, with at most `limit` keys."""
        counts = (self.counts.only_left, self.counts.only_right, self.counts.changed)
        return rows_view(self._first(limit), counts, self.names, self.verdict, "Keys that differ")

    def _first(self, limit: int) -> list[Difference]:
        return [self._difference(row) for row in json_rows(self.differences.orderBy(*self._order).limit(limit))]

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` keys; without it all, or a readable number if not `whole`."""
        found = self._first(limit_of(sample, whole=whole))
        report = Report("diff", self.verdict, self.severities, plan={"key": list(self.identity)})
        report.sides = self.names
        report.statistics = {"only_left": self.counts.only_left, "only_right": self.counts.only_right}
        report.statistics |= {"changed": self.counts.changed}
        report.results = [
            {"key": one.key, "kind": one.kind, "columns": one.columns, "left": one.left, "right": one.right}
            for one in found
        ]
        if found:
            report.body.append(keys_table(found, self.counts.total, self.names, "Keys that differ"))
        return report

    @property
    def _order(self) -> list[Any]:
        return [quoted(name) for name in self.identity]

    def _difference(self, found: JsonObject) -> Difference:
        left, right = found[LEFT], found[RIGHT]
        both = left is not None and right is not None
        columns = [name for name in left if repr(left[name]) != repr(right[name])] if both else []
        return Difference({name: found[name] for name in self.identity}, found[KIND], columns, left, right)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.differences.unpersist()


def diff(
    left: DataFrame, right: DataFrame, key: Sequence[str], names: tuple[str, str] = ("left", "right")
) -> DiffReport:
    """Compare the rows of two frames, such as snapshots of tables, by key.

    Meta columns are not compared. Columns are found by name, in upper or lower case; columns of only one frame are not
    compared, but the verdict names them. Columns of two types are compared in a type that holds the values of both:
    integers, decimals, or a float and a double, by its decimal text.

    Args:
        left: the first frame.
        right: the second frame.
        key: the columns that identify a row: of a table its partition and key columns.
        names: the labels of both in reports.

    Raises:
        InputError: a side lacks a column of the key, has a key twice, or columns whose names differ only in case; or
            neither type of a column holds the values of the other.
    """
    sides = [frame.drop(*META_COLUMNS) for frame in (left, right)]
    for frame, name in zip(sides, names, strict=True):
        _check_names(frame, name)
        current().learn(frame.schema.jsonValue())
    spelt = {name.lower(): name for name in sides[0].columns}
    sides[1] = sides[1].toDF(*(spelt.get(name.lower(), name) for name in sides[1].columns))
    key = tuple(spelt.get(name.lower(), name) for name in key)
    for frame, name in zip(sides, names, strict=True):
        _check_key(frame, key, name)
    shared = [quoted(name) for name in sides[0].columns if name in sides[1].columns]
    alone = sorted({*sides[0].columns} ^ {*sides[1].columns})
    sides = [frame.select(*shared) for frame in sides]
    kinds = compared_types(sides[0].schema, sides[1].schema, names)
    one, other = (with_types(frame, kinds).withColumn(COMMIT, sf.lit(1)) for frame in sides)
    found = kept(differences(one, other, key).drop(COMMIT))
    counted = {row[0]: int(row[1]) for row in found.groupBy(KIND).count().collect()}
    counts = Counts(1, *(counted.get(kind, 0) for kind in KINDS))
    return DiffReport(key, names, counts, found, tuple(alone), sides[0].schema)


def _check_names(frame: DataFrame, side: str) -> None:
    """Refuse names that differ only in case."""
    seen: dict[str, str] = {}
    for name in frame.columns:
        if (other := seen.get(name.lower())) is not None:
            msg = f"{side} has the columns {other} and {name}, but names are compared case-insensitively; rename one"
            raise InputError(msg)
        seen[name.lower()] = name


def _check_key(frame: DataFrame, key: tuple[str, ...], side: str) -> None:
    """Refuse columns that do not identify the rows of a side."""
    missing = [column for column in key if column not in frame.columns]
    if missing or not key:
        near = "".join(did_you_mean(name, frame.columns) for name in missing)
        msg = (
            f"{side} has no column {', '.join(missing) or 'of a key'}; name those of {', '.join(frame.columns)} that "
            f"identify its rows{near}"
        )
        raise InputError(msg)
    twice = frame.groupBy(*map(quoted, key)).count().where(sf.col("count") > 1).select(*map(quoted, key)).head()
    if twice is not None:
        values = {column: "" if value is None else str(value) for column, value in twice.asDict().items()}
        told = ", ".join(f"{column}={text or 'null'}" for column, text in shown_values(values).items())
        msg = f"{side} has several rows of the key {told}; compare by columns that identify a row"
        raise InputError(msg)
