"""The keys that operations name without rows: of a delete, and those that an overwrite removes; in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import ARRIVAL, COMMIT, IS_DELETE
from bridge.errors import InputError
from bridge.pipeline.layout import join_rows
from bridge.programs import WriteOperation
from bridge.spark import common_types, distinct_keys, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan


def bare_keys(versions: DataFrame, plan: MergePlan, operations: Mapping[int, WriteOperation]) -> DataFrame:
    """Return the versions with `_pb_delete`: whether a row is a bare key, null in all columns but key and partition.

    So are the rows of a delete. A batch that replaces partitions gets such a row for each key that an earlier one put
    there; it arrives first.
    """
    deletes = [number for number, one in operations.items() if one.deletes_keys]
    partitions = [number for number, one in operations.items() if one is WriteOperation.DELETE_PARTITION]
    named = {*plan.key, *plan.partition, COMMIT, ARRIVAL}
    is_bare = sf.col(COMMIT).isin(*deletes)
    columns = [
        quoted(name) if name in named else sf.when(~is_bare, quoted(name)).alias(name) for name in versions.columns
    ]
    rows = versions.where(~sf.col(COMMIT).isin(*partitions)).select(*columns, is_bare.alias(IS_DELETE))
    for number in sorted(number for number, one in operations.items() if one.replaces):
        replaced = _replaced(versions, plan, number, whole_table=operations[number].replaces_table)
        rows = rows.unionByName(replaced, allowMissingColumns=True)
    return rows


def _replaced(versions: DataFrame, plan: MergePlan, number: int, *, whole_table: bool) -> DataFrame:
    """Return the keys that batches before `number` put into the table, or into the partitions of this batch."""
    identity = dict.fromkeys((*plan.partition, *plan.key))
    before = distinct_keys(versions.where(sf.col(COMMIT) < number), identity)
    if plan.partition and not whole_table:
        batch = distinct_keys(versions.where(sf.col(COMMIT) == number), plan.partition)
        before = join_rows(before, batch, plan.partition, "leftsemi", or_empty=plan.partition)
    arrival = sf.lit(None).cast(versions.schema[ARRIVAL if plan.arrival is None else plan.arrival].dataType)
    name = ARRIVAL if plan.arrival is None else plan.arrival
    return before.select("*", sf.lit(number).alias(COMMIT), arrival.alias(name), sf.lit(True).alias(IS_DELETE))


def check_names(
    number: int, operation: WriteOperation, frame: DataFrame, whole: Sequence[DataFrame], plan: MergePlan
) -> None:
    """Check incomplete rows: they have what their operation names, in types that the table has had.

    Raises:
        InputError: naming the batch and the columns.
    """
    what = f"batch {number} ({operation.value})"
    needed = plan.partition if operation is WriteOperation.DELETE_PARTITION else plan.identity
    if operation.is_statement:  # with a global index it names the partition besides the key
        needed = tuple(dict.fromkeys((*needed, *plan.partition)))
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        msg = f"{what} lacks {', '.join(missing)}; give all columns of each key"
        raise InputError(msg)
    unknown = [name for name in frame.columns if name not in whole[-1].columns]
    if unknown:
        msg = f"{what} has {', '.join(unknown)}, which the table lacks; correct the names"
        raise InputError(msg)
    table = common_types(whole)
    for name, own in frame.dtypes:
        kind = table[name].simpleString()
        if name != ARRIVAL and own not in {kind, *(dict(one.dtypes).get(name) for one in whole)}:
            msg = f"{what} has {name!r} as {own}, the table as {kind}; cast it"
            raise InputError(msg)
