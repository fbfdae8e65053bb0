"""Readers compared: which rows of a table other releases' readers show differently, slice by slice."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.compare.differing import Difference
from bridge.compare.readers_report import BASE_FILES, report_readers, verdict_of
from bridge.engines import arrow_schema
from bridge.errors import sentence_of
from bridge.hudi import Differing, ReaderQuery, SliceReaders, converted
from bridge.pipeline import KIND, KINDS, LEFT, RIGHT
from bridge.redaction import current, without_values
from bridge.report import json_rows
from bridge.spark import META_COLUMNS, kept, spark_schema
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from bridge.hudi import FileSlice, HudiTable, Seen, SliceQuery
    from bridge.report import Report

_READER, _ROWS, _LOGGED, _REASON = "_pb_reader", "_pb_rows", "_pb_logged", "_pb_reason"
_ONLY_LEFT, _ONLY_RIGHT, _CHANGED = KINDS
_SEEN, _REFUSED = "seen", "refused"
_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]
_COLUMNS = {
    _READER: spark_types.IntegerType(),
    _PARTITION: spark_types.StringType(),
    _KEY: spark_types.StringType(),
    KIND: spark_types.StringType(),
    _ROWS: spark_types.LongType(),
    _LOGGED: spark_types.LongType(),
    _REASON: spark_types.StringType(),
}


class ReaderResult(NamedTuple):
    """How far one reader agrees with the first.

    Attributes:
        reader: the release, or `base files`.
        only_left: how many rows the first reader alone shows.
        only_right: how many rows this reader alone shows.
        changed: how many rows have other values.
        refused: why this reader can't read the table; None if it can.

    Added in 0.1.0.
    """

    reader: str
    only_left: int = 0
    only_right: int = 0
    changed: int = 0
    refused: str | None = None

    @property
    def total(self) -> int:
        """How many rows differ."""
        return self.only_left + self.only_right + self.changed

    @property
    def agrees(self) -> bool:
        """Whether it shows the same rows."""
        return self.refused is None and not self.total


class ReadersReport:
    """What `compare_readers` answers. Spark keeps the differences until `close`, or the end of a `with` block.

    Attributes:
        table: the table.
        reader: the release that the others are compared with.
        instant: the requested time of the commit that all readers were asked at; None for an empty table.
        results: one a reader, in the order asked.
        rows: how many rows the first reader shows.
        logged: how many keys the log files have, as the first reader reads them.
        slices: how many file slices there are.

    Added in 0.1.0.
    """

    def __init__(  # noqa: PLR0913 (its attributes)
        self,
        table: HudiTable,
        instant: str | None,
        results: Sequence[ReaderResult],
        found: DataFrame | None,
        *,
        rows: int,
        logged: int,
        slices: int,
    ) -> None:
        self.table = table
        self.reader = str(table.release)
        self.instant = instant
        self.results = tuple(results)
        self.rows = rows
        self.logged = logged
        self.slices = slices
        self._found = found

    @property
    def success(self) -> bool:
        """Whether all readers show the same rows."""
        return all(result.agrees for result in self.results)

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        return verdict_of(self)

    def to_report(self, sample: int | None = None) -> Report:
        """Return the report of the command line, with `sample` rows a reader; without it all."""
        return report_readers(self, sample)

    def to_json(self, sample: int | None = None) -> str:
        """Return what `payload-bridge compare-readers --output json` prints."""
        return self.to_report(sample).as_json()

    def differences(self, reader: str) -> DataFrame | None:
        """Return the rows that differ for a reader of `results`; None if it can't read the table.

        The columns are `_hoodie_partition_path`, `_hoodie_record_key`, `_pb_kind` (only-left, only-right, changed), and
        the rows as `_pb_left` (the first reader's) and `_pb_right`, without meta columns, null for no row.
        """
        name, names = _name_of(reader), [result.reader for result in self.results]
        if self._found is None or self.results[names.index(name)].refused is not None:
            return None
        number = names.index(name) + 1
        here = (sf.col(_READER) == number) & sf.col(KIND).isin(*KINDS)
        return self._found.where(here).select(_PARTITION, _KEY, KIND, LEFT, RIGHT)

    def collect(self, reader: str, limit: int | None = None) -> list[Difference]:
        """Collect the rows that differ for a reader, by partition and key; at most `limit`."""
        frame = self.differences(reader)
        if frame is None:
            return []
        ordered = frame.orderBy(_PARTITION, _KEY, KIND)
        return [self._difference(row) for row in json_rows(ordered if limit is None else ordered.limit(limit))]

    def _difference(self, row: dict[str, Any]) -> Difference:
        left, right = row[LEFT], row[RIGHT]
        both = left is not None and right is not None
        columns = [name for name in left if repr(left[name]) != repr(right[name])] if both else []
        shown = left or right
        names = [name for name in self.table.identity if name in shown]
        key = {name: shown[name] for name in names} or {_PARTITION: row[_PARTITION], _KEY: row[_KEY]}
        return Difference(key, row[KIND], columns, left, right)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if self._found is not None:
            self._found.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
    names = _default_readers(table) if readers is None else [_name_of(reader) for reader in readers]
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
            (number, kind): values for number, kind, *values in found.groupBy(_READER, KIND).agg(*totals).collect()
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


def _name_of(reader: str | HudiRelease) -> str:
    return BASE_FILES if reader == BASE_FILES else str(HudiRelease.parse(reader))


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
        rows = [{_READER: 0, KIND: _SEEN, _ROWS: part.rows, _LOGGED: part.logged}]
        rows += [{_READER: number, KIND: _REFUSED, _REASON: reason} for number, reason in part.refused.items()]
        return pa.RecordBatch.from_pylist(rows, schema=schema)
    kind = pc.if_else(pc.is_null(part.right), _ONLY_LEFT, pc.if_else(pc.is_null(part.left), _ONLY_RIGHT, _CHANGED))
    given = {
        _READER: pa.repeat(pa.scalar(part.reader, pa.int32()), len(part.keys)),
        _PARTITION: pa.repeat(partition, len(part.keys)),
        _KEY: pa.array(part.keys, pa.string()),
        KIND: kind,
        LEFT: converted(part.left, schema.field(LEFT).type),
        RIGHT: converted(part.right, schema.field(RIGHT).type),
    }
    columns = [given[one.name] if one.name in given else pa.nulls(len(part.keys), one.type) for one in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
