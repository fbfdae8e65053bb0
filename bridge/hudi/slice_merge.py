"""The rows of a slice's base file merged with its log, batch by batch; rows that stay as they are stay Arrow.

Keys are looked up for a window of batches at once: the table of the log's keys is made anew at each look-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python import UnfitRecordError, same_keys
from bridge.merge import Action, RowSource, StoredRow, of_another_key
from mergers import HoodieKey
from payloads import PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from bridge.engines.python import RecordReader, RecordWriter
    from bridge.hudi.log_columns import LogColumns
    from bridge.hudi.row_calls import RowCalls
    from bridge.hudi.slice_log import SliceLog
    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema, Record

    KeysOf = Callable[[pa.RecordBatch], ArrowColumn]
    Rows = npt.NDArray[np.intp]

_WINDOW = 1 << 25
"""The bytes of base rows whose keys are looked up at once."""


class Conversion:
    """What turns rows of a slice into records, and records into rows.

    Attributes:
        schema: of the records, with meta columns.
        reader, writer: the two directions.
        keys_of: gives the record key of each row.
        key: the columns of the record key, which no merge may change.
    """

    def __init__(
        self,
        schema: AvroSchema,
        reader: RecordReader,
        writer: RecordWriter,
        keys_of: KeysOf,
        key: tuple[str, ...] = (),
    ) -> None:
        self.schema = schema
        self.reader = reader
        self.writer = writer
        self.keys_of = keys_of
        self.key = key

    def records(self, batch: pa.RecordBatch, rows: Sequence[int]) -> list[Record]:
        """Return some rows as records."""
        return self.reader.rows(batch, np.array(rows, int))

    def written(
        self, made: list[tuple[str, Record]], log: SliceLog, owners: pa.RecordBatch | None = None
    ) -> pa.RecordBatch:
        """Return merged records, each with its key, as rows; a key whose record can't be stored has failed.

        `owners` has a row of the key of each, where there is one: no record may have another key.

        Raises:
            MergeFailedError: a record can't be stored, and failing keys are not quarantined.
        """
        failure: Exception
        while True:
            try:
                found = self.writer.batch([record for _, record in made])
            except UnfitRecordError as error:
                wrong, failure = error.number, error
            else:
                moved = None if owners is None else self._moved(found, owners)
                if moved is None:
                    return found
                wrong, failure = moved
            key, _ = made.pop(wrong)
            log.fail(key, failure)
            if owners is not None:
                owners = owners.filter(pa.array(np.arange(owners.num_rows) != wrong))

    def _moved(self, made: pa.RecordBatch, owners: pa.RecordBatch) -> tuple[int, Exception] | None:
        """Return the first record with the key of another row, and what is wrong; None where there is none."""
        for name in self.key:
            wrong = np.flatnonzero(~same_keys(made.column(name), owners.column(name)))
            if len(wrong):
                at = int(wrong[0])
                return at, PayloadFailedError(of_another_key(f"{name}={made.column(name)[at].as_py()!r}"))
        return None


class SliceMerge:
    """Merges the rows of one base file with a log: in columns, and called for some keys apart."""

    def __init__(
        self,
        rows: Conversion,
        partition: str,
        log: SliceLog,
        columns: LogColumns | None = None,
        calls: RowCalls | None = None,
    ) -> None:
        """Take a slice's log.

        Args:
            rows: between rows and records.
            partition: the slice's.
            log: the keys that are folded by calls.
            columns: the others; None for none.
            calls: merges the rows of `columns` that no comparison decides.
        """
        self._rows = rows
        self._partition = partition
        self._log = log
        self._columns = columns
        self._calls = calls
        self._folded = list(log.folded)
        keys = pa.array(self._folded, pa.string())
        self._in_columns = 0 if columns is None else len(columns.keys)
        self._keys = keys if columns is None else pa.concat_arrays([columns.keys, keys])

    def merged(self, base: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the rows of the base file as a query sees them, then those of the keys that the log alone has.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        named = self._log.named
        keys_of = self._rows.keys_of if named is None else named.over(self._rows.keys_of)
        for batch, numbers in looked_up(base, keys_of, self._keys):
            rows = np.flatnonzero(numbers >= 0)
            if len(rows):
                yield from self._merged(batch, rows, numbers[rows])
            else:
                yield batch
        if self._columns is not None:
            yield from self._only_in_columns(self._columns)
        unmatched = ((key, self._log.snapshot(None, key, folded).version) for key, folded in self._log.unmatched())
        made = [(key, row.record) for key, row in unmatched if row is not None and row.record is not None]
        if made:
            yield self._rows.written(made, self._log)

    def _merged(self, batch: pa.RecordBatch, rows: Rows, numbers: Rows) -> Iterator[pa.RecordBatch]:
        """Give the rows of a batch that stay, then those in place of others; `numbers` are the keys of `rows`."""
        stays = np.ones(batch.num_rows, bool)
        taken: list[pa.RecordBatch] = []
        made: list[tuple[str, Record]] = []
        owners: list[int] = []
        is_called = numbers >= self._in_columns
        if self._columns is not None:
            won, made, owners = self._by_columns(self._columns, batch, rows[~is_called], numbers[~is_called], stays)
            taken = [self._columns.rows.take(pa.array(won))] if len(won) else []
        called = [
            (row, self._folded[number - self._in_columns])
            for row, number in zip(rows[is_called].tolist(), numbers[is_called].tolist(), strict=True)
        ]
        outcomes = merge_rows(self._rows, self._partition, batch, called, self._log)
        for (row, key), (_, is_base, record) in zip(called, outcomes, strict=True):
            stays[row] = is_base
            if not is_base and record is not None:
                made.append((key, record))
                owners.append(row)
        yield batch.filter(pa.array(stays))
        yield from taken
        foreign = frozenset[int]() if self._log.named is None else self._log.named.foreign(batch)
        apart = [one for one, row in zip(made, owners, strict=True) if row in foreign]
        if apart:  # rows of another file, which keep no key
            yield self._rows.written(apart, self._log)
            made = [one for one, row in zip(made, owners, strict=True) if row not in foreign]
            owners = [row for row in owners if row not in foreign]
        if made:
            yield self._rows.written(made, self._log, batch.take(pa.array(owners)))

    def _by_columns(
        self, columns: LogColumns, batch: pa.RecordBatch, rows: Rows, numbers: Rows, stays: npt.NDArray[np.bool_]
    ) -> tuple[Rows, list[tuple[str, Record]], list[int]]:
        """Return the rows of the log that replace rows of a batch, and records made of others; notes which stay."""
        rows, numbers = columns.matches(rows, numbers)
        if not len(rows):
            return numbers, [], []
        is_won, is_open = columns.compared(batch, rows, numbers)
        stays[rows[is_won]] = False
        if self._calls is None or not is_open.any():
            return numbers[is_won], [], []
        rows, opened = rows[is_open], numbers[is_open]
        sources, records = self._calls.pairs(batch, rows, columns, opened, self._log.fail)
        stays[rows[sources != RowSource.STORED]] = False
        made = zip(columns.keys_at(opened[sources == RowSource.MADE]), records, strict=True)
        won = np.concatenate([numbers[is_won], opened[sources == RowSource.INCOMING]])
        return won, list(made), rows[sources == RowSource.MADE].tolist()

    def _only_in_columns(self, columns: LogColumns) -> Iterator[pa.RecordBatch]:
        numbers = columns.unmatched()
        if columns.decides_without_base:
            if len(numbers):
                yield columns.rows.take(pa.array(numbers))
        elif self._calls is not None:
            for part, sources, records in self._calls.singles(columns, numbers, self._log.fail):
                won = part[sources == RowSource.INCOMING]
                if len(won):
                    yield columns.rows.take(pa.array(won))
                if records:
                    owners = part[sources == RowSource.MADE]
                    made = list(zip(columns.keys_at(owners), records, strict=True))
                    yield self._rows.written(made, self._log, columns.rows.take(pa.array(owners)))


def merge_rows(
    rows: Conversion, partition: str, batch: pa.RecordBatch, called: Sequence[tuple[int, str]], log: SliceLog
) -> Iterator[tuple[int, bool, Record | None]]:
    """Merge some rows of the base file, each (row, record key), with a log that has their keys.

    Gives (row, whether it stays as it is, the record that a query sees or None).

    Raises:
        MergeFailedError: the merge of a key failed.
    """
    records = rows.records(batch, [row for row, _ in called]) if called else []
    for (row, key), record in zip(called, records, strict=True):
        folded = log.matched(key)
        base = StoredRow(HoodieKey(key, partition), record, rows.schema, row)
        if folded is None:
            yield row, True, record
            continue
        action, result = log.snapshot(base, key, folded)
        yield row, action is Action.KEEP, None if result is None else result.record


def looked_up(
    batches: Iterable[pa.RecordBatch], keys_of: KeysOf, wanted: ArrowColumn
) -> Iterator[tuple[pa.RecordBatch, Rows]]:
    """Give batches, and which of the `wanted` keys each row has: its number, or -1."""
    for window in _windows(batches) if len(wanted) else ([batch] for batch in batches):
        if not len(wanted):
            yield window[0], np.full(window[0].num_rows, -1)
            continue
        keys = pa.chunked_array([keys_of(batch) for batch in window], pa.string())
        numbers = pc.fill_null(pc.index_in(keys, value_set=wanted), -1).to_numpy()
        first = 0
        for batch in window:
            yield batch, numbers[first : first + batch.num_rows]
            first += batch.num_rows


def _windows(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Give batches together, as many as have the bytes of a window."""
    window: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        window.append(batch)
        size += batch.nbytes
        if size >= _WINDOW:
            yield window
            window, size = [], 0
    if window:
        yield window
