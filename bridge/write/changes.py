"""What a merge changes in a table: the rows of one Hudi commit, upserts and deletes together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import ACTION, PREFIX
from bridge.errors import InputError
from bridge.merge import Action
from bridge.pipeline import data_fields, join_rows
from bridge.spark import META_COLUMNS, common_type, functions, quoted, with_types
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame, Row

    from bridge.engines import RowCounts
    from bridge.plan import MergePlan

CHANGE: Final = f"{PREFIX}change"
INSERTED, UPDATED, DELETED = "inserted", "updated", "deleted"
PLACE: Final = f"{PREFIX}place"
"""Where a row of a batch goes: the number of a file slice, or a negative one, before a hash of the key."""
_ROWS, FLAGGED = "rows", "flagged"
_BEFORE: Final = f"{PREFIX}before"
_OPERATION: Final = "_hoodie_operation"


class Merged(NamedTuple):
    """What a merge changes, before its commit.

    Attributes:
        changed: the rows, with `_pb_change`; kept by Spark.
        counts: how many there are of each change.
        row_counts: the row counts.
        quarantine: the versions of keys that can't be merged; None unless the plan quarantines them.
        keeps_flagged: whether a row that stays has Hudi's delete flag.
    """

    changed: DataFrame
    counts: Mapping[str, int]
    row_counts: RowCounts
    quarantine: DataFrame | None
    keeps_flagged: bool


def count_changes(found: DataFrame, *by: str) -> list[Row]:
    """Compute rows with `_pb_change`; return how many there are of each change, and of other columns.

    `flagged` says whether one of them stays and has Hudi's delete flag.
    """
    flagged = sf.lit(False)
    if IS_DELETED in found.columns:
        flagged = sf.col(IS_DELETED) & (sf.col(CHANGE) != DELETED)
    told = (sf.count(sf.lit(1)).alias(_ROWS), sf.coalesce(functions.bool_or(flagged), sf.lit(False)).alias(FLAGGED))
    return found.groupBy(CHANGE, *by).agg(*told).collect()


def without_flag(stored: DataFrame, incoming: DataFrame) -> DataFrame:
    """Return stored rows without meta columns, and without Hudi's delete flag where the batch has no such column."""
    dropped = [*META_COLUMNS, *([] if IS_DELETED in incoming.columns else [IS_DELETED])]
    return stored.drop(*dropped)


def check_columns(incoming: DataFrame) -> None:
    """Refuse a batch with a column that Hudi itself reads as an operation.

    Raises:
        InputError: saying which, and what to do.
    """
    if _OPERATION in incoming.columns:
        msg = f"the batch has a column {_OPERATION}, by which Hudi deletes what a payload may keep; rename it"
        raise InputError(msg)
    flag = next((field for field in incoming.schema if field.name == IS_DELETED), None)
    if flag is not None and not isinstance(flag.dataType, spark_types.BooleanType):
        msg = f"the column {IS_DELETED} is {flag.dataType.simpleString()}; Hudi deletes by a boolean: cast it"
        raise InputError(msg)


def check_types(path: str, stored: DataFrame, incoming: DataFrame) -> None:
    """Refuse a batch by which a column of the table would get another type, other than a wider number.

    Args:
        path: of the table.
        stored: rows of the table, with its columns.
        incoming: the batch.

    Raises:
        InputError: naming the column and both types.
    """
    own = {field.name: field.dataType for field in stored.schema}
    for field in incoming.schema:
        kind = own.get(field.name, field.dataType)
        common = common_type(kind, field.dataType)
        if common is None or not _is_kept(kind, common):
            msg = (
                f"the column {field.name!r} is {kind.simpleString()} in {path} and {field.dataType.simpleString()} in "
                "the batch, which would change the table's type; cast it in the batch, or read the batch with the "
                "table's schema"
            )
            raise InputError(msg)


def _is_kept(own: spark_types.DataType, common: spark_types.DataType) -> bool:
    """Whether a type stays, but for wider numbers and new fields of a struct, at every depth."""
    match own, common:
        case spark_types.StructType(), spark_types.StructType():
            return all(_is_kept(field.dataType, common[field.name].dataType) for field in own)
        case spark_types.ArrayType(), spark_types.ArrayType():
            return _is_kept(own.elementType, common.elementType)
        case spark_types.MapType(), spark_types.MapType():
            return _is_kept(own.valueType, common.valueType)
        case spark_types.NumericType(), spark_types.NumericType():
            return True
    return own.simpleString() == common.simpleString()


def changes(outcomes: DataFrame, stored: DataFrame, plan: MergePlan) -> DataFrame:
    """Return the rows that a merge inserts, changes and deletes, with `_pb_change`; a deleted row is the stored one.

    An update that leaves every column as it was is none.

    Args:
        outcomes: of `upsert`, in which each key has one.
        stored: the stored rows, as they were merged.
        plan: what names the key.
    """
    fields = data_fields(outcomes)
    names = [field.name for field in fields]
    before = with_types(stored, {field.name: field.dataType for field in fields})
    columns = [
        (quoted(field.name) if field.name in before.columns else sf.lit(None).cast(field.dataType)).alias(field.name)
        for field in fields
    ]
    before = before.select(*(quoted(name) for name in plan.identity), sf.struct(*columns).alias(_BEFORE))
    action = sf.col(ACTION)
    touched = outcomes.where(action.isin(*map(int, (Action.INSERT, Action.UPDATE, Action.DELETE))))
    touched = touched.select(*map(quoted, names), action)
    joined = join_rows(touched, before, plan.identity, "left", or_empty=plan.partition)
    is_delete = action == int(Action.DELETE)
    told = sf.when(is_delete, DELETED).when(action == int(Action.INSERT), INSERTED).otherwise(UPDATED)
    rows = joined.where((action != int(Action.UPDATE)) | ~_is_same(fields))
    # A delete has a bare key; Hudi's writer wants every required column.
    shown = [
        sf.when(is_delete, sf.col(_BEFORE).getField(name)).otherwise(quoted(name)).alias(name)
        if name not in plan.identity
        else quoted(name)
        for name in names
    ]
    return rows.select(*shown, told.alias(CHANGE))


def check_rows(merged: Merged) -> None:
    """Refuse rows that the payload keeps and Hudi would delete.

    Raises:
        InputError: a row has Hudi's delete flag.
    """
    if merged.keeps_flagged:
        msg = f"the payload keeps a row with {IS_DELETED}=true, which Hudi would delete; rename the column"
        raise InputError(msg)


def as_commit(changed: DataFrame, columns: Sequence[str], *, deletes: bool) -> DataFrame:
    """Return the rows as Hudi's writer takes them: upserts, and deletes by `_hoodie_is_deleted`, in one frame.

    Args:
        changed: the rows of `changes`.
        columns: those of the table, whose order the rows get.
        deletes: whether there are deletes.
    """
    own = [field.name for field in data_fields(changed)]
    ordered = [name for name in columns if name in own] + [name for name in own if name not in columns]
    if deletes or IS_DELETED in columns:
        kept = sf.col(IS_DELETED) if IS_DELETED in own else sf.lit(False)
        is_delete = sf.col(CHANGE) == DELETED
        # Two conditions in place of one make a column that may be null, as Hudi wants of one that it adds.
        flag = sf.when(is_delete, True).when(~is_delete, kept).alias(IS_DELETED)
        ordered = [name for name in ordered if name != IS_DELETED]
        return changed.select(*map(quoted, ordered), flag)
    return changed.select(*map(quoted, ordered))


def _is_same(fields: Sequence[spark_types.StructField]) -> Column:
    """Whether a row is the stored one; two maps never are, for Spark does not compare them."""
    same = sf.lit(True)
    for field in fields:
        if _has_map(field.dataType):
            return sf.lit(False)
        now, then = quoted(field.name), sf.col(_BEFORE).getField(field.name)
        same &= now.eqNullSafe(then)
        if isinstance(field.dataType, spark_types.FloatType | spark_types.DoubleType):  # 0.0 is not -0.0
            same &= now.cast("string").eqNullSafe(then.cast("string"))
    return same


def _has_map(kind: spark_types.DataType) -> bool:
    match kind:
        case spark_types.MapType():
            return True
        case spark_types.ArrayType():
            return _has_map(kind.elementType)
        case spark_types.StructType():
            return any(_has_map(field.dataType) for field in kind)
    return False
