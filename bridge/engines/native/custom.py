"""A user's merger as expressions: the versions of a key are gathered and folded, then met by the stored row.

Unlike a rule that chooses by a maximum, any merge needs its versions one after the other, so those of a key are
gathered in one array. A key with one version, as most have, is not folded.

Hudi tells by identity whether a merge gave back a version or made a row; columns tell by values. A row that a merge
makes is data, whatever its delete flag says.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import ACTION, ADDED_TYPES, IS_DELETE, MADE, NEWER, ORDERING, PREFIX
from bridge.engines.native.java_values import is_delete
from bridge.engines.native.merges import MergeInputs
from bridge.engines.native.rules import HISTORY
from bridge.engines.native.size import full_outer
from bridge.engines.native.versioned import inserted, outcome_of
from bridge.merge import Action, of_another_key
from bridge.spark import quoted
from mergers import HoodieSparkRecord
from payloads import PayloadBridgeError, PayloadFailedError
from payloads.user import CallGuard, error_text, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame

    from bridge.engines.job import Job
    from bridge.engines.native.merges import Merges
    from bridge.engines.native.versions import Versions
    from mergers.columns import MergesColumns
    from payloads import AvroSchema

ROW, _LEFT, _ITEMS = f"{PREFIX}row", f"{PREFIX}left", f"{PREFIX}items"


class ColumnMerge:
    """The user's merge of two structs, its answer in their type."""

    def __init__(
        self, merger: MergesColumns, props: Mapping[str, str], schema: AvroSchema, kind: spark_types.StructType
    ) -> None:
        """Take the merger, what it is given besides the versions, and the type of a row."""
        self._merger, self._props, self._schema, self._kind = merger, props, schema, kind
        self._name = f"{type(merger).__qualname__}.merge_columns"
        self._guard = CallGuard(type(merger).__qualname__)

    def __call__(self, older: Column, newer: Column, older_dead: Column, newer_dead: Column) -> Column:
        """Return what the merger makes of two rows.

        Raises:
            PayloadFailedError: the merger raised, returned no column, took too long, or would have ended the process.
        """
        sides = HoodieSparkRecord(None, older, deletes=older_dead), HoodieSparkRecord(None, newer, deletes=newer_dead)
        try:
            with self._guard:
                made = self._guard.call(
                    "merge_columns", self._merger.merge_columns, *sides, self._schema, self._props
                ).cast(self._kind)
        except PayloadBridgeError:
            raise
        except Exception as error:
            msg = f"{self._name} raised {type(error).__name__}: {one_line(error_text(error))}; fix the class"
            raise PayloadFailedError(msg) from error
        return made

    def is_same(self, one: Column, other: Column) -> Column:
        """Whether two rows have the same values; 0.0 and -0.0, which Spark takes for equal, are two."""
        zeros = [
            _zeros(one.getField(field.name), field.dataType).eqNullSafe(
                _zeros(other.getField(field.name), field.dataType)
            )
            for field in self._kind.fields
            if _has_floats(field.dataType)
        ]
        return functools.reduce(operator.and_, zeros, one.eqNullSafe(other))

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:  # noqa: ARG002
        """Return a version."""
        return _struct(row, dead, sf.lit(False))

    def fold(self, older: Column, newer: Column) -> Column:
        """Merge two versions of the newer side."""
        # An array of one, so that the merge is written, and evaluated, once.
        answers = sf.array(self(older["row"], newer["row"], older["dead"], newer["dead"]))
        return sf.transform(answers, lambda answer: self._version(answer, older, newer))[0]

    def merged_with_stored(self, old: Column, new: Column, is_dead: Column) -> Column:
        """Return the row that is left, as a struct with null for none, where a version meets a stored row."""
        answers = sf.array(self(old, new, sf.lit(False), is_dead))
        left = sf.transform(answers, lambda row: sf.when(~self.deletes(row, new, is_dead), row))
        return sf.struct(left[0].alias("row"))

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become."""

        def outcome(row: Column) -> Column:
            is_new = self.is_same(row, new["row"])
            kept = sf.when(self.is_same(row, old) & ~is_new, int(Action.KEEP))
            deleted = kept.when(self.deletes(row, new["row"], new["dead"]), int(Action.DELETE))
            return outcome_of(deleted.otherwise(int(Action.UPDATE)), row, ~is_new | new["made"])

        answers = sf.array(self(old, new["row"], sf.lit(False), new["dead"]))
        return sf.transform(answers, outcome)[0]

    @staticmethod
    def insert(new: Column) -> Column:
        """Return what a version without a stored row becomes."""
        return inserted(new)

    def deletes(self, merged: Column, new: Column, is_dead: Column) -> Column:
        """Whether a merge with the stored row deletes it: it gave null, or the newer version, a delete."""
        return merged.isNull() | (self.is_same(merged, new) & is_dead)

    def _version(self, answer: Column, older: Column, newer: Column) -> Column:
        is_older, is_newer = self.is_same(answer, older["row"]), self.is_same(answer, newer["row"])
        # In a log a delete without data deletes unless the older version stays: what is made of it is not used.
        row = sf.when(newer["row"].isNotNull() | is_older, answer)
        dead = sf.when(is_newer, newer["dead"]).when(is_older, older["dead"]).otherwise(row.isNull())
        made = sf.when(is_newer, newer["made"]).when(is_older, older["made"]).otherwise(row.isNotNull())
        return _struct(row, dead, made)


def joined_by_merger(versions: Versions, sides: list[DataFrame], job: Job) -> DataFrame:
    """Return the outcomes of `upsert`, `snapshot` and `compact`: the stored side, then the newer one."""
    stored, newer = sides
    names = tuple(field.name for field in job.schema.fields)
    merge, kind = merge_of(versions, job, newer, names)
    combined = folded_versions(versions, newer, names, merge)
    both = full_outer(versions.rows(stored), versions.keys(stored), combined, versions.outer(stored, newer))
    old, new = sf.struct(*(quoted(name).alias(name) for name in names)), sf.col(ROW)
    untouched = outcome_of(Action.KEEP, sf.lit(None).cast(kind), sf.lit(False))  # the columns of the join have its row
    left = (
        sf.when(versions.is_absent_above(), untouched)
        .when(versions.is_absent_below(), merge.insert(new))
        .otherwise(merge.outcome(old, new))
    )
    # Spark would push a filter by the action below this, and merge twice; it leaves what is not deterministic in place.
    left = sf.when(sf.monotonically_increasing_id() >= 0, left)
    outcomes = both.withColumn(_LEFT, left).withColumn(ACTION, action_of(versions, job, sf.col(_LEFT)))
    is_written = sf.col(ACTION).isin(int(Action.INSERT), int(Action.UPDATE))
    identity = {*job.plan.partition, *job.plan.key}
    data = []
    for name in versions.names:
        written = sf.col(_LEFT)["row"].getField(name) if name in names else sf.lit(None)
        bare = sf.coalesce(quoted(name), sf.col(versions.new[name])) if name in identity else sf.lit(None)
        kept = sf.when(sf.col(ACTION) == int(Action.KEEP), quoted(name)).otherwise(bare)
        data.append(sf.when(is_written, written).otherwise(kept).alias(name))
    made = (is_written & sf.col(_LEFT)["made"]).alias(MADE)
    row_counts = [sf.coalesce(sf.col(NEWER), sf.lit(0)).alias(NEWER), made] if job.row_counts else []
    return outcomes.select(*data, ACTION, *row_counts)


def action_of(versions: Versions, job: Job, left: Column) -> Column:
    """Return the action of what is left of a key; fails where the row that is written has another key."""
    action, row = left["action"], left["row"]
    is_written, checked = action.isin(int(Action.INSERT), int(Action.UPDATE)), action
    for name in job.plan.key:
        told = sf.format_string(of_another_key(f"{name}=%s"), row[name].cast("string"))
        failure = versions.failures.raised(versions.rule.merge_point, told).cast("tinyint")
        differs = is_written & ~row[name].eqNullSafe(sf.col(versions.new[name]))
        checked = sf.when(differs, failure).otherwise(checked)
    return checked


def folded_versions(
    versions: Versions, side: DataFrame, names: tuple[str, ...], merge: Merges, by: tuple[str, ...] = ()
) -> DataFrame:
    """Return one row a key, and each value of the columns `by`: key columns, folded version, number of versions."""
    row, dead = sf.struct(*(quoted(name).alias(name) for name in names)), is_delete(versions.rule.deletes, quoted)
    entry, ordering = sf.lit(False), sf.lit(None).cast(ADDED_TYPES[ORDERING])
    if IS_DELETE in side.columns:
        entry = sf.coalesce(sf.col(IS_DELETE), sf.lit(False))
        row, dead = sf.when(~entry, row), entry | dead
    if ORDERING in side.columns:
        ordering = sf.col(ORDERING)
    version = merge.version(row, dead, entry, ordering)
    item = sf.struct(versions.position(side).alias("position"), version.alias("version"))
    keyed = side.select(*versions.key_columns(), *by, item.alias("item"))
    keys = [name for name in keyed.columns if name not in {"item", *versions.identity, *by}]
    gathered = sf.array_sort(sf.collect_list("item"), _by_position).alias(_ITEMS)
    grouped = (
        versions.key.gathered(keyed)
        .groupBy(*versions.identity, *by)
        .agg(gathered, *(sf.first(name).alias(name) for name in keys))
    )
    first = sf.col(_ITEMS)[0]["version"]
    rest = sf.slice(sf.col(_ITEMS), 2, sf.size(_ITEMS))
    folded = sf.aggregate(rest, first, lambda older, one: merge.fold(older, one["version"]))
    chosen = sf.when(sf.size(_ITEMS) == 1, first).otherwise(folded)
    number = sf.size(_ITEMS).cast("long")
    return grouped.select(*versions.identity, *by, *keys, chosen.alias(ROW), number.alias(NEWER))


def _struct(row: Column, dead: Column, made: Column) -> Column:
    """Return a version: its row, whether that is a delete (null, or a row of the input that says so), or was made."""
    return sf.struct(row.alias("row"), dead.alias("dead"), made.alias("made"))


def _by_position(one: Column, other: Column) -> Column:
    left, right = one["position"], other["position"]
    return sf.when(left < right, -1).when(left > right, 1).otherwise(0)


def _has_floats(kind: spark_types.DataType) -> bool:
    if isinstance(kind, spark_types.ArrayType):
        return _has_floats(kind.elementType)
    if isinstance(kind, spark_types.StructType):
        return any(_has_floats(field.dataType) for field in kind.fields)
    return isinstance(kind, spark_types.FloatType | spark_types.DoubleType)


def _zeros(value: Column, kind: spark_types.DataType) -> Column:
    """Return a text of a value that tells the signs of zeros; null for other plain numbers."""
    text = value.cast("string")
    return text if isinstance(kind, spark_types.ArrayType | spark_types.StructType) else sf.when(value == 0, text)


def merge_of(
    versions: Versions, job: Job, side: DataFrame, names: tuple[str, ...]
) -> tuple[Merges, spark_types.StructType]:
    """Return what merges two rows of some columns, and the type of such a row."""
    fields = side.select(*map(quoted, names)).schema.fields
    kind = spark_types.StructType([spark_types.StructField(field.name, field.dataType) for field in fields])
    rule = versions.rule
    if rule.stated is not None:
        ordering = rule.ordering[0] if rule.ordering else None
        points = rule.fold_point, rule.merge_point
        failures = versions.failures, versions.failures if job.program == HISTORY else versions.stored_failures
        inputs = MergeInputs(job.plan.release, ordering, rule.reads_log, *points, *failures)
        return rule.stated(inputs, job.schema, kind), kind
    return ColumnMerge(rule.merger, rule.props, job.schema, kind), kind  # type: ignore[arg-type]  # one of the two
