"""One slice read by several readers: the rows that they show differently; plain Python, no session.

The base file is read once for all of them. Only rows whose keys are in a log can merge differently, so all others are
compared as columns, and only where two releases take partition values from different places. Each reader holds what its
log has of each key; of logs that are larger than that, all of them go range by range of the keys.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.hudi.schema_evolution import arrow_of
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.timestamp_units import rescaled
from bridge.hudi.vectors import array_type, as_text
from bridge.spark import META_COLUMNS
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.key_ranges import KeyRange
    from bridge.hudi.slice_log import SliceLog
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn
    from payloads.avro import Record


class ReaderQuery(NamedTuple):
    """What one reader does with a slice.

    Attributes:
        query: its query.
        bases_only: whether it knows no logs.
    """

    query: SliceQuery
    bases_only: bool = False


class Differing(NamedTuple):
    """Keys of one slice that a reader shows differently from the first one.

    Attributes:
        reader: which one, from 1.
        keys: their record keys.
        left: the row of the first reader for each, in data columns; None for no row.
        right: that of this reader.
    """

    reader: int
    keys: list[str]
    left: pa.StructArray
    right: pa.StructArray


class ComparedRows(NamedTuple):
    """How much was compared: of a slice, or of a range of the keys of a slice whose logs are large.

    Attributes:
        rows: the rows of the first reader.
        logged: the keys that its log has.
        refused: why a reader can't read the slice, by its number, as far as that is known.
        within: the range; None for all keys.
    """

    rows: int
    logged: Collection[str]
    refused: dict[int, str]
    within: KeyRange | None = None


_Pairs: TypeAlias = "list[tuple[str, Record | None, Record | None]]"


class _SliceSide:
    """One reader at one slice, or at some of its keys."""

    def __init__(
        self,
        reader: SliceReader,
        found: FileSlice,
        within: KeyRange | None,
        *,
        bases_only: bool,
        as_text: frozenset[str] = frozenset(),
    ) -> None:
        self.reader = reader
        self._as_text = as_text
        self._found = found
        self.log: SliceLog | None = None if bases_only else reader.log_of(found, within)

    def logged(self) -> Collection[str]:
        """Return the keys that the log has."""
        return () if self.log is None else self.log.folded.keys()

    def merged(self, batch: pa.RecordBatch, rows: Sequence[tuple[int, str]]) -> dict[int, Record | None]:
        """Return what becomes of rows of the base file, each (row, record key); those that stay are missing."""
        log = self.log
        own = [] if log is None else [(row, key) for row, key in rows if key in log.folded]
        if log is None or not own:
            return {}
        return {row: record for row, stays, record in self.reader.merge_rows(self._found, batch, own, log) if not stays}

    def unmatched(self) -> dict[str, Record]:
        """Return the rows of keys that are in the log alone."""
        if self.log is None:
            return {}
        rows = ((key, self.log.snapshot(None, key, folded).version) for key, folded in self.log.unmatched())
        return {key: row.record for key, row in rows if row is not None and row.record is not None}

    def shown(self, batch: pa.RecordBatch) -> pa.StructArray:
        """Return rows as the reader shows them, in data columns."""
        stored = [field for field in self.reader.shown if field.name not in META_COLUMNS]
        fields = [field.with_type(pa.string()) if field.name in self._as_text else field for field in stored]
        for shown in self.reader.answer(self._found, batch):
            arrays = [
                as_text(shown.column(field.name)) if field.name in self._as_text else shown.column(field.name)
                for field in fields
            ]
            return pa.StructArray.from_arrays(arrays, fields=fields)
        return pa.array([], pa.struct(fields))

    def shown_records(self, records: Sequence[Record | None]) -> pa.StructArray:
        """Return records as the reader shows them; null for None."""
        rows = [record for record in records if record is not None]
        places = iter(range(len(rows)))
        at = pa.array([None if record is None else next(places) for record in records], pa.int64())
        return self.shown(self.reader.batch(rows)).take(at)


class SliceReaders:
    """Compares the readers of one table slice by slice; compiled once a task."""

    def __init__(self, queries: Sequence[ReaderQuery]) -> None:
        """Compile the readers; the first is what the others are compared with.

        Raises:
            PayloadBridgeError: one of them can't read the table.
        """
        self._readers = [(SliceReader(query), bases_only) for query, bases_only in queries]
        first = queries[0].query
        self._moved = [_moved_columns(first, query) for query, _ in queries]
        self._as_text = shown_as_text([query for query, _ in queries])
        self._in_other_units = [bool(_rescaled_columns(first, query)) for query, _ in queries]

    def compare(self, found: FileSlice) -> Iterator[Differing | ComparedRows]:
        """Give the keys of a slice that are shown differently, reader by reader; then how much was compared.

        Where the logs are larger than what is held at a time, range by range of the keys.

        Raises:
            PayloadBridgeError: the first reader can't read the slice.
        """
        refused: dict[int, str] = {}
        for within in self._ranges(found):
            seen = yield from self._compare(found, within, refused)
            yield seen

    def _ranges(self, found: FileSlice) -> list[KeyRange | None]:
        """Return the ranges of keys that all readers can hold at once: those of the one that has to read most."""
        with_logs = [reader for reader, bases_only in self._readers if not bases_only]
        most: list[KeyRange | None] = [None]
        for reader in with_logs:
            with contextlib.suppress(PayloadBridgeError):  # raised again where the log is read
                most = max(most, reader.ranges(found, len(with_logs)), key=len)
        return most

    def _compare(
        self, found: FileSlice, within: KeyRange | None, refused: dict[int, str]
    ) -> Generator[Differing, None, ComparedRows]:
        """Compare the keys of a range; a reader that `refused` another one is left out."""
        (reader, bases_only), *others = self._readers
        first = _SliceSide(reader, found, within, bases_only=bases_only, as_text=self._as_text)
        sides: dict[int, _SliceSide] = {}
        for number, (reader, bases_only) in enumerate(others, start=1):
            if number in refused:
                continue
            with _refusals(refused, number):
                sides[number] = _SliceSide(reader, found, within, bases_only=bases_only, as_text=self._as_text)
        rows = 0
        logged = set(first.logged()).union(*(side.logged() for side in sides.values()))
        any_logged = pa.array(sorted(logged), pa.string())
        # The same file, read in the units of the other reader.
        apart = {n: side.reader.base_batches(found, within) for n, side in sides.items() if self._in_other_units[n]}
        for batch in first.reader.base_batches(found, within):
            keys = first.reader.key_column(batch)
            at = np.flatnonzero(pc.is_in(keys, any_logged).to_numpy(zero_copy_only=False))
            contested = list(zip(at.tolist(), keys.take(pa.array(at)).to_pylist(), strict=True))
            mine = first.merged(batch, contested)
            rows += batch.num_rows - sum(record is None for record in mine.values())
            for number, side in sides.items():
                if number in refused:
                    continue
                with _refusals(refused, number):
                    other = next(apart[number]) if number in apart else batch
                    theirs = side.merged(other, contested)
                    yield from self._in_base(number, (first, side), (batch, other), keys, (mine, theirs))
        own = first.unmatched()
        for number, side in sides.items():
            if number in refused:
                continue
            with _refusals(refused, number):
                theirs_alone = side.unmatched()
                pairs = [(key, own.get(key), theirs_alone.get(key)) for key in {**own, **theirs_alone}]
                yield from self._differing(number, (first, side), pairs)
        return ComparedRows(rows + len(own), first.logged(), refused, within)

    def _in_base(
        self,
        number: int,
        sides: tuple[_SliceSide, _SliceSide],
        batches: tuple[pa.RecordBatch, pa.RecordBatch],
        keys: ArrowColumn,
        merged: tuple[dict[int, Record | None], dict[int, Record | None]],
    ) -> Iterator[Differing]:
        """Compare the rows of a batch of the base file, as either side reads it."""
        mine, theirs = merged
        changed = sorted({*mine, *theirs})
        if changed:
            left = sides[0].reader.records(batches[0], changed)
            same = batches[0] is batches[1]
            right = left if same else sides[1].reader.records(batches[1], changed)
            stored = zip(changed, keys.take(pa.array(changed)).to_pylist(), left, right, strict=True)
            pairs = [(key, mine.get(row, one), theirs.get(row, other)) for row, key, one, other in stored]
            yield from self._differing(number, sides, pairs)
        if self._moved[number]:
            rest = pa.array(np.setdiff1d(np.arange(len(keys)), np.array(changed, int)))
            shown = (side.shown(batch.take(rest)) for side, batch in zip(sides, batches, strict=True))
            yield from self._moved_rows(number, keys.take(rest).to_pylist(), *shown)

    def _differing(self, number: int, sides: tuple[_SliceSide, _SliceSide], pairs: _Pairs) -> Iterator[Differing]:
        """Compare merged rows, each as a record of either side."""
        if not self._moved[number]:
            pairs = [pair for pair in pairs if _data(pair[1]) != _data(pair[2])]
        if not pairs:
            return
        keys, *records = zip(*pairs, strict=True)
        left, right = (side.shown_records(rows) for side, rows in zip(sides, records, strict=True))
        if self._moved[number]:
            yield from self._moved_rows(number, keys, left, right)
        else:
            yield Differing(number, list(keys), left, right)

    def _moved_rows(
        self, number: int, keys: Sequence[str], left: pa.StructArray, right: pa.StructArray
    ) -> Iterator[Differing]:
        """Compare rows as they are shown: the partition columns of the two come from different places."""
        texts = (self._as_shown(number, side) for side in (left, right))
        at = [row for row, (one, other) in enumerate(zip(*texts, strict=True)) if one != other]
        if at:
            yield Differing(number, [keys[row] for row in at], left.take(pa.array(at)), right.take(pa.array(at)))

    def _as_shown(self, number: int, rows: pa.StructArray) -> Iterator[str]:
        """Give each row as text; a partition column by its value alone, as its type may be another one."""
        moved = self._moved[number]
        for row in rows.to_pylist():
            values = row and {
                name: str(value) if name in moved and value is not None else value for name, value in row.items()
            }
            yield repr(values)


def _data(record: Record | None) -> str | None:
    """Return what a row says apart from its meta columns, as text: it tells 0.0 from -0.0, and a NaN is one value."""
    return None if record is None else repr([value for name, value in record.items() if name not in META_COLUMNS])


def _moved_columns(first: SliceQuery, other: SliceQuery) -> frozenset[str]:
    """Return the columns of which two readers may show the same stored value differently.

    One takes them from paths, shows them as text, or reads their timestamps in another unit.
    """
    from_paths = frozenset(first.paths_tell) ^ frozenset(other.paths_tell)
    texts = frozenset(first.text_columns) ^ frozenset(other.text_columns)
    return from_paths | texts | _rescaled_columns(first, other) | shown_as_text([first, other])


def shown_as_text(queries: Sequence[SliceQuery]) -> frozenset[str]:
    """Return the columns that are compared as text: those that readers show in several types."""
    kinds: dict[str, set[pa.DataType]] = {}
    for query in queries:
        for field in arrow_of(query.schema):
            element = query.vectors.get(field.name)
            kinds.setdefault(field.name, set()).add(field.type if element is None else array_type(element))
    return frozenset(name for name, found in kinds.items() if len(found) > 1)


def _rescaled_columns(first: SliceQuery, other: SliceQuery) -> frozenset[str]:
    """Return the columns whose timestamps two readers may take for different units."""
    if first.log_units is other.log_units:
        return frozenset()
    return rescaled(first.schema) | rescaled(other.schema)


@contextlib.contextmanager
def _refusals(refused: dict[int, str], number: int) -> Iterator[None]:
    """Note why a reader fails, and go on with the others."""
    try:
        yield
    except PayloadBridgeError as error:
        refused[number] = str(error)
