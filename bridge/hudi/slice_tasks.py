"""What a task does with the file slices that it is given: the merged rows, the versions, or rows and what fails."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as spark_types
from pyspark.sql.pandas.types import to_arrow_type

from bridge.engines import ADDED_TYPES, KIND, ORDERING, QUARANTINE, SIDES
from bridge.hudi.schema_evolution import converted
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.slice_versions import BASE, DELETE, GroupVersions
from bridge.merge import users_called
from bridge.programs import Origin
from bridge.redaction import without_credentials
from bridge.spark import META_COLUMNS, spark_schema, with_meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.slice_log import SliceLog
    from bridge.hudi.slice_query import SliceQuery

_KEY = META_COLUMNS[2]
_ASIDE: Any = to_arrow_type(ADDED_TYPES[QUARANTINE])


@users_called(lambda query: query.plan)
def read_versions(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the versions of one task's file groups, one group after another."""
    reader = GroupVersions(query)
    for group in _unpickled(batches):
        yield from reader.read(group)


@users_called(lambda query: query.plan)
def read_slices(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the slices of one task, one after another.

    Where the query sets keys aside, rows have `_pb_quarantine`: all versions of a key that can't be merged come after
    the rows of its slice, with the reason there.
    """
    reader = SliceReader(query)
    for found in _unpickled(batches):
        if not query.sets_aside:
            yield from reader.read(found)
            continue
        for log, within in reader.logs(found):
            for rows in reader.merged_rows(found, log, within):
                yield rows.append_column(QUARANTINE, pa.nulls(rows.num_rows, _ASIDE))
            if log is not None and log.failed:
                yield from _aside(query, reader, found, log)


def _unpickled(batches: Iterable[pa.RecordBatch]) -> Iterator[Any]:
    for batch in batches:
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
        data = [converted(rows.column(field.name), field.type) for field in reader.shown]
        aside = pa.StructArray.from_arrays(fields, fields=list(_ASIDE))
        yield pa.RecordBatch.from_arrays([*data, aside], [*reader.shown.names, QUARANTINE])


def answer_columns(query: SliceQuery) -> spark_types.StructType:
    """Return the columns of an answer; all may be null, as a column that an older file lacks is."""
    own = spark_schema(with_meta(query.schema))
    text = spark_types.StringType()
    return spark_types.StructType(
        [
            spark_types.StructField(f.name, text if f.name in query.text_columns else f.dataType)
            for f in own
            if query.shown is None or f.name in query.shown
        ]
        + ([spark_types.StructField(QUARANTINE, ADDED_TYPES[QUARANTINE])] if query.sets_aside else [])
    )
