"""compare_readers: which rows of a table other releases' readers show differently, slice by slice."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.compare.readers_report import BASE_FILES, KEY, PARTITION, READER, ReaderResult, ReadersReport, reader_of
from bridge.engines import arrow_schema
from bridge.errors import sentence_of
from bridge.hudi import Differing, ReaderQuery, SliceReaders, converted
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT
from bridge.redaction import current, without_values
from bridge.spark import kept, spark_schema
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bridge.hudi import FileSlice, HudiTable, Seen, SliceQuery

_ROWS, _LOGGED, _REASON = "_pb_rows", "_pb_logged", "_pb_reason"
_ONLY_LEFT, _ONLY_RIGHT, _CHANGED = KINDS
_SEEN, _REFUSED = "seen", "refused"
_COLUMNS = {
    READER: spark_types.IntegerType(),
    PARTITION: spark_types.StringType(),
    KEY: spark_types.StringType(),
    KIND: spark_types.StringType(),
    _ROWS: spark_types.LongType(),
    _LOGGED: spark_types.LongType(),
    _REASON: spark_types.StringType(),
}


def compare_readers(table: HudiTable, readers: Iterable[str | HudiRelease] | None = None) -> ReadersReport:
    """Read a table as other readers do, and find the rows that they show differently from the table's own reader.

    All readers see the same instant and the same files, so the answer is exact for the files as they are. Rows are
    compared without meta columns.

    Args:
        table: the table, with the release that the others are compared with.
        readers: releases, and `base files` for engines that know no logs; None: every other release that reads the
            table, and base files where it may have logs.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own reader. Where only another one fails, that
            one is refused.
        PayloadConfigError: unknown release.

    Added in 0.1.0.
    """
    opened = table.queries()
    snapshot = opened.snapshot()
    names = _default_readers(table) if readers is None else [reader_of(reader) for reader in readers]
    queries = [ReaderQuery(snapshot.query)]
    refused: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for name in names:
        try:
            query = opened.read_optimized() if name == BASE_FILES else opened.read_by(name).snapshot()
        except PayloadBridgeError as error:
            refused[name] = sentence_of(error)
            continue
        numbers[name] = len(queries)
        queries.append(ReaderQuery(query.query, bases_only=name == BASE_FILES))
    row = _data_struct([each.query for each in queries])
    columns = _COLUMNS | {LEFT: row, RIGHT: row}
    kinds = spark_types.StructType([spark_types.StructField(*column) for column in columns.items()])
    task = functools.partial(_compare_slices, queries, arrow_schema(kinds))
    found = kept(table.slices_of(snapshot).mapInArrow(task, kinds))
    totals = (sf.count(sf.lit(1)), sf.sum(_ROWS), sf.sum(_LOGGED), sf.min(_REASON))
    try:
        counted = {
            (number, kind): values for number, kind, *values in found.groupBy(READER, KIND).agg(*totals).collect()
        }
    except BaseException:
        found.unpersist()
        raise
    slices, rows, logged, _ = counted.get((0, _SEEN), (0, 0, 0, None))
    results = []
    for name in names:
        number = numbers.get(name, -1)
        reason = refused.get(name) or counted.get((number, _REFUSED), [None])[-1]
        if reason and name not in refused and current().is_active:
            reason = without_values(reason, "an error")
        only_left, only_right, changed = (counted.get((number, kind), [0])[0] for kind in KINDS)
        found_all = ReaderResult(name, only_left, only_right, changed)
        results.append(ReaderResult(name, refused=reason) if reason else found_all)
    return ReadersReport(table, opened.timeline.latest, results, found, rows=rows, logged=logged, slices=slices)


def _default_readers(table: HudiTable) -> list[str]:
    releases = [str(release) for release in table.readers if release is not table.release]
    return [*releases, BASE_FILES] if table.is_merge_on_read else releases


def _data_struct(queries: Sequence[SliceQuery]) -> spark_types.StructType:
    """Return the data columns of several queries: as text, where one of them shows text."""
    texts = {name for query in queries for name in query.text_columns}
    own = spark_schema(queries[0].schema)
    return spark_types.StructType(
        [spark_types.StructField(f.name, spark_types.StringType() if f.name in texts else f.dataType) for f in own]
    )


def _compare_slices(
    queries: list[ReaderQuery], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Compare the readers of one task's slices, one after another."""
    readers = SliceReaders(queries)
    for batch in batches:
        for pickled in batch.column(0).to_pylist():
            found: FileSlice = pickle.loads(pickled)  # noqa: S301 (the driver pickled it)
            for part in readers.compare(found):
                yield _rows_of(part, found.partition, schema)


def _rows_of(part: Differing | Seen, partition: str, schema: pa.Schema) -> pa.RecordBatch:
    if not isinstance(part, Differing):
        rows = [{READER: 0, KIND: _SEEN, _ROWS: part.rows, _LOGGED: part.logged}]
        rows += [{READER: number, KIND: _REFUSED, _REASON: reason} for number, reason in part.refused.items()]
        return pa.RecordBatch.from_pylist(rows, schema=schema)
    kind = pc.if_else(pc.is_null(part.right), _ONLY_LEFT, pc.if_else(pc.is_null(part.left), _ONLY_RIGHT, _CHANGED))
    given = {
        READER: pa.repeat(pa.scalar(part.reader, pa.int32()), len(part.keys)),
        PARTITION: pa.repeat(partition, len(part.keys)),
        KEY: pa.array(part.keys, pa.string()),
        KIND: kind,
        LEFT: converted(part.left, schema.field(LEFT).type),
        RIGHT: converted(part.right, schema.field(RIGHT).type),
    }
    columns = [given[one.name] if one.name in given else pa.nulls(len(part.keys), one.type) for one in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
