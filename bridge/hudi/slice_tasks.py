"""What a task does with the file slices that it is given: the merged rows, the versions, or rows and what fails."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as spark_types

from bridge.engines import (
    ADDED_TYPES,
    KIND,
    ORDERING,
    QUARANTINE,
    SIDES,
    CompiledPayloadRef,
    attached,
    with_port,
)
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.slice_versions import BASE, CONTROL, DELETE, GroupVersions
from bridge.hudi.vectors import array_type
from bridge.merge import users_called
from bridge.programs import Origin
from bridge.redaction import without_credentials
from bridge.spark import (
    META_COLUMNS,
    from_arrow_schema,
    from_arrow_type,
    map_in_arrow,
    prepare,
    spark_schema,
    to_arrow_type,
    with_meta,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.queries import TableQueries
    from bridge.hudi.slice_log import SliceLog
    from bridge.hudi.slice_query import SliceQuery

_KEY = META_COLUMNS[2]
_CONTROL = from_arrow_schema(CONTROL)
_ASIDE: Any = to_arrow_type(ADDED_TYPES[QUARANTINE])


@users_called(lambda query: query.plan)
def read_versions(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the versions of one task's file groups, one group after another."""
    reader = GroupVersions(query)
    for group in slices_in(batches):
        yield from reader.read(group)


@users_called(lambda query: query.plan)
def read_slices(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the slices of one task, one after another.

    Where the query quarantines keys, rows have `_pb_quarantine`: all versions of a key that can't be merged come after
    the rows of its slice, with the reason there.
    """
    reader = SliceReader(query)
    for found in slices_in(batches):
        if not query.quarantines:
            yield from reader.read(found)
            continue
        for log, within in reader.logs(found):
            for rows in reader.merged_rows(found, log, within):
                yield rows.append_column(QUARANTINE, pa.nulls(rows.num_rows, _ASIDE))
            if log is not None and log.failed:
                yield from _aside(query, reader, found, log)


def slices_of(spark: SparkSession, query: SliceQuery, units: Sequence[object]) -> DataFrame:
    """Return file slices, or groups of them, one a row, for tasks of a query that read them with `slices_in`."""
    prepare(spark, query.plan.payload_name)
    rows = spark.createDataFrame([(pickle.dumps(one),) for one in units], "slice binary")
    return with_port(rows, rows.columns[0]) if isinstance(query.plan.payload, CompiledPayloadRef) else rows


def versions_of(spark: SparkSession, opened: TableQueries, as_of: str | None, *, all_slices: bool) -> DataFrame:
    """Return the versions that file groups hold, a partition of the answer a group; see `HudiTable.versions`."""
    answer = opened.snapshot(as_of)
    until = opened.timeline.latest
    groups = [[found] for found in answer.slices]
    if all_slices and until is not None:
        groups = opened.slices.groups(min(until, as_of or until))
    struct = spark_types.StructType([*spark_schema(with_meta(answer.query.schema)), *_CONTROL])
    return map_in_arrow(slices_of(spark, answer.query, groups), functools.partial(read_versions, answer.query), struct)


def slices_in(batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    """Give what a task gets of `slices_of`."""
    for batch in attached(batches):
        for pickled in batch.column(0).to_pylist():
            yield pickle.loads(pickled)  # noqa: S301 (the driver pickled it)


def _aside(query: SliceQuery, reader: SliceReader, found: FileSlice, log: SliceLog) -> Iterator[pa.RecordBatch]:
    """Give the versions of the keys that failed, as rows of the answer."""
    failed = pa.array(sorted(log.failed), pa.string())
    for batch in GroupVersions(query).read([found]):
        rows = batch.filter(pc.is_in(batch.column(_KEY), failed))
        if not rows.num_rows:
            continue
        why = [log.failed[key] for key in rows.column(_KEY).to_pylist()]
        kinds = rows.column(KIND)
        sides = pc.if_else(pc.equal(kinds, BASE), SIDES[Origin.STORED], SIDES[Origin.LOG])
        told = {
            "reason": pa.array([without_credentials(one.reason) for one in why], pa.string()),
            "merge_point": pa.array([one.point and one.point.value for one in why], pa.string()),
            "side": sides,
            "kind": pc.if_else(pc.equal(kinds, DELETE), "delete", "data"),
            "ordering": rows.column(ORDERING),
        }
        fields = [told.get(field.name, pa.nulls(rows.num_rows)).cast(field.type) for field in _ASIDE]
        data = [reader.as_shown(rows.column(field.name), field) for field in reader.shown]
        aside = pa.StructArray.from_arrays(fields, fields=list(_ASIDE))
        yield pa.RecordBatch.from_arrays([*data, aside], [*reader.shown.names, QUARANTINE])


def answer_columns(query: SliceQuery) -> spark_types.StructType:
    """Return the columns of an answer; all may be null, as a column that an older file lacks is."""
    own = spark_schema(with_meta(query.schema))
    kinds: dict[str, spark_types.DataType] = dict.fromkeys(query.text_columns, spark_types.StringType())
    kinds |= {name: from_arrow_type(array_type(element)) for name, element in query.vectors.items()}
    return spark_types.StructType(
        [
            spark_types.StructField(f.name, kinds.get(f.name, f.dataType))
            for f in own
            if query.shown is None or f.name in query.shown
        ]
        + ([spark_types.StructField(QUARANTINE, ADDED_TYPES[QUARANTINE])] if query.quarantines else [])
    )
