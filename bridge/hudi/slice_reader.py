"""Rows of file slices: base file and log merged as a release's snapshot query merges them; plain Python, no session.

A slice's log is folded before its base file streams past: in columns where a comparison decides which version of a key
stays or the log has one, else key by key. Memory holds what one slice's log has of each key, and some batches of its
base file; of a log that is larger than that, range by range of its keys. Rows that the log does not touch stay Arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import capabilities
from bridge.engines.python import RecordReader, RecordWriter
from bridge.hudi.base_files import BOOTSTRAP_INSTANT, read_base, read_bootstrapped
from bridge.hudi.errors import DamagedFileError, UnreadableTableError, rows_of_file
from bridge.hudi.log_folder import LogFolder
from bridge.hudi.partition_values import ComputedKeys, partition_column, values_of_path
from bridge.hudi.schema_evolution import arrow_of, converted, evolved
from bridge.hudi.slice_merge import Conversion, SliceMerge, merge_rows
from bridge.hudi.timestamp_units import base_batch
from bridge.hudi.vectors import array_type, as_arrays
from bridge.spark import META_COLUMNS, with_meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.key_ranges import KeyRange
    from bridge.hudi.slice_log import KeyListener, SliceLog
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn
    from payloads.avro import Record

_COMMIT, _KEY = META_COLUMNS[0], META_COLUMNS[2]


def _shown_field(stored: pa.Field, query: SliceQuery) -> pa.Field:
    """Return a column of the answer, which may have another type than the files."""
    if stored.name in query.text_columns:
        return stored.with_type(pa.string())
    return stored.with_type(array_type(query.vectors[stored.name])) if stored.name in query.vectors else stored


class SliceReader:
    """Reads the slices of one query; compiled once a task.

    Attributes:
        arrow: the columns of `base_batches`: those of the table, with meta columns.
        shown: the columns of the answer.
        folder: reads the logs.
    """

    def __init__(self, query: SliceQuery, listener: KeyListener | None = None) -> None:
        """Compile the merge and the conversions between Arrow rows and records.

        `listener` is told of every merge call, where the query reads a few keys.

        Raises:
            PayloadBridgeError: the table's settings contradict each other, or name a class that is not at hand.
        """
        self._query = query
        self._files = query.files
        self._schema = with_meta(query.schema)
        self.arrow = arrow_of(self._schema)
        self.shown = pa.schema(
            _shown_field(field, query) for field in self.arrow if query.shown is None or field.name in query.shown
        )
        self._unmerged = pa.schema(field for field in self.arrow if self._is_read_unmerged(field.name))
        self._wanted = None if query.keys is None else pa.array(sorted(query.keys), pa.string())
        self._keys = None if query.properties.has_meta_fields else ComputedKeys(query.properties)
        reader, writer = RecordReader(self._schema, self.arrow), RecordWriter(self._schema, self.arrow)
        self._rows = Conversion(self._schema, reader, writer, self.key_column, query.checked_key)
        self.folder = LogFolder(query, self._schema, self._keys, reader, writer, listener)

    def read(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the rows of a slice that the query sees.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        with rows_of_file(self._files.described(found.path_of(found.last_file))):
            yield from self._read(found)

    def _read(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        if not found.data_logs:
            yield from self.merged_rows(found, None)
            return
        with self.folder.blocks(found) as blocks:
            for within in self.folder.ranges(found, blocks):
                in_columns = self.folder.columns(found, blocks, within)
                if in_columns is None:
                    yield from self.merged_rows(found, self.folder.folded(found, blocks, within), within)
                    continue
                columns, rest = in_columns
                merge = SliceMerge(self._rows, found.partition, rest, columns, self.folder.calls(found.partition))
                yield from self._answered(found, merge, within)

    def logs(self, found: FileSlice) -> Iterator[tuple[SliceLog | None, KeyRange | None]]:
        """Give the folded log of a slice, None where it has no log file, and the keys it has: range by range.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        if not found.data_logs:
            yield None, None
            return
        with self.folder.blocks(found) as blocks:
            for within in self.folder.ranges(found, blocks):
                yield self.folder.folded(found, blocks, within), within

    def merged_rows(
        self, found: FileSlice, log: SliceLog | None, within: KeyRange | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Give the rows that the query sees of a slice whose log, if it has one, is folded; errors as in `read`.

        With a log, only those of the keys `within` its range.
        """
        if log is None:
            for batch in self._base_rows(found, self._unmerged):
                yield from self.answer(found, batch)
            return
        yield from self._answered(found, SliceMerge(self._rows, found.partition, log), within)

    def _answered(self, found: FileSlice, merge: SliceMerge, within: KeyRange | None) -> Iterator[pa.RecordBatch]:
        for rows in merge.merged(self.base_batches(found, within)):
            yield from self.answer(found, rows)

    def ranges(self, found: FileSlice, sharing: int) -> list[KeyRange | None]:
        """Return the ranges of keys for which `log_of` is asked one after another: one without bounds for most logs.

        Args:
            found: the slice.
            sharing: how many readers hold their logs of it at once.

        Raises:
            HudiTableError: a file can't be read.
        """
        if not found.data_logs:
            return [None]
        with self.folder.blocks(found) as blocks:
            return self.folder.ranges(found, blocks, as_objects=True, sharing=sharing)

    def log_of(self, found: FileSlice, within: KeyRange | None = None) -> SliceLog | None:
        """Return the folded log of a slice, or of the keys `within` a range; None where it has no log file.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        if not found.data_logs:
            return None
        with self.folder.blocks(found) as blocks:
            return self.folder.folded(found, blocks, within)

    # -- the base file

    def base_batches(self, found: FileSlice, within: KeyRange | None = None) -> Iterator[pa.RecordBatch]:
        """Give the rows of a slice's base file, in the columns of the table with meta columns.

        Of these only the rows of the keys `within` a range, if there is one.

        Raises:
            HudiTableError: it can't be read.
        """
        for batch in self._base_rows(found, self.arrow):
            if found.data_logs and self._keys is None and batch.column(_KEY).null_count:
                path = self._files.described(found.path_of(str(found.base_file)))
                msg = f"{path} has rows without a record key, so its log can't be merged with them; restore the file"
                raise DamagedFileError(msg)
            yield batch if within is None else batch.filter(within.mask(self.key_column(batch)))

    def base_keys(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the rows of a slice's base file with the columns alone by which `key_column` knows them.

        Raises:
            HudiTableError: it can't be read.
        """
        names = (_KEY,) if self._keys is None else self._query.properties.key_fields
        yield from self._base_rows(found, pa.schema([self.arrow.field(name) for name in names]))

    def _base_rows(self, found: FileSlice, columns: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Give the rows of a base file that the query reads, in some of the columns of `base_batches`."""
        if found.base_file is None:
            return
        path = found.path_of(found.base_file)
        renames = self._query.renames(found.base_instant)
        names = columns.names if renames is None else renames.stored(columns.names)
        for batch in self._stored_batches(found, path, names):
            self._check_texts(path, batch.schema, columns)
            full = self._with_partition(self._in_units(batch), found.partition, columns)
            try:
                yield self._of_keys(self._in_increment(evolved(full, columns, renames)))
            except pa.ArrowException as error:
                msg = f"{self._files.described(path)} has rows that do not fit the table's schema: {error}"
                raise DamagedFileError(msg) from error

    def _check_texts(self, path: str, stored: pa.Schema, columns: pa.Schema) -> None:
        """Refuse texts for numbers, and bytes for texts, which readers cast from 1.0 on and older ones fail on."""
        if capabilities(self._query.rules.release).file_group_reader:
            return
        for field in columns:
            own = stored.field(field.name).type if field.name in stored.names else field.type
            said = None
            if pa.types.is_integer(field.type) and pa.types.is_string(own):
                said = f"texts in {field.name}, a number"
            elif pa.types.is_string(field.type) and pa.types.is_binary(own):
                said = f"bytes in {field.name}, a text"
            if said is not None:
                msg = f"{self._files.described(path)} has {said} in the table; restore the file"
                raise DamagedFileError(msg)

    def _in_units(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return stored rows in the units for which the release takes them."""
        return base_batch(batch, self._schema, self._query.log_units)

    def _is_read_unmerged(self, name: str) -> bool:
        """Whether a column is read where nothing is merged: one that is shown, or by which rows are chosen."""
        query = self._query
        chooses = query.keys is not None
        if query.shown is None or name in query.shown:
            return True
        if name in META_COLUMNS:
            return (name == _COMMIT and query.commits is not None) or (name == _KEY and chooses)
        return chooses and not query.properties.has_meta_fields and name in query.properties.key_fields

    def _stored_batches(self, found: FileSlice, path: str, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        query = self._query
        if query.bootstrapped is None or query.sources is None or f"_{BOOTSTRAP_INSTANT}." not in path:
            return read_base(self._files, path, names, query.keys)
        source = query.bootstrapped.get((found.partition, found.file_id))
        if source is None:
            msg = f"{self._files.described(path)} is bootstrapped, and the bootstrap index has no source file for it"
            raise UnreadableTableError(msg)
        return read_bootstrapped(self._files, path, query.sources, source)

    def _with_partition(self, batch: pa.RecordBatch, path: str, columns: pa.Schema) -> pa.RecordBatch:
        """Add the partition columns that files do not store."""
        fields = self._query.properties.partition_fields
        if not self._query.paths_tell and self._query.bootstrapped is None:
            return batch  # a query of 0.15 with logs shows what the file has
        absent = [name for name in fields if name in columns.names and name not in batch.schema.names]
        values = values_of_path(path, fields) if absent else {}
        whole = self._files.described(path)
        for name in absent:
            column = partition_column(values.get(name), columns.field(name).type, batch.num_rows, whole)
            batch = batch.append_column(columns.field(name), column)
        return batch

    def _in_increment(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the base rows that an incremental query merges: from 1.0 on those of its commits.

        0.15 only skips what statistics rule out, so it merges all rows where one may be of its commits.
        """
        commits = self._query.commits
        if commits is None or not batch.num_rows or capabilities(self._query.rules.release).file_group_reader:
            return self._of_commits(batch)
        span = pc.min_max(batch.column(_COMMIT)).as_py()
        return batch if commits.may_be_within(span["min"], span["max"]) else batch.slice(0, 0)

    def _of_commits(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the selected commits."""
        commits = self._query.commits
        return batch if commits is None else batch.filter(commits.mask(batch.column(_COMMIT)))

    def _of_keys(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the keys that are read: they are few, so that Arrow hashes them anew for each batch."""
        return batch if self._wanted is None else batch.filter(pc.is_in(self.key_column(batch), self._wanted))

    # -- both

    def keys_of(self, batch: pa.RecordBatch) -> list[str]:
        """Return the record key of each row of `base_batches`."""
        keys: list[str] = self.key_column(batch).to_pylist()
        return keys

    def key_column(self, batch: pa.RecordBatch) -> ArrowColumn:
        """Return the record keys of rows of `base_batches`."""
        return self._keys.of(batch) if self._keys else batch.column(_KEY)

    def records(self, batch: pa.RecordBatch, rows: Sequence[int]) -> list[Record]:
        """Return some rows of `base_batches` as records."""
        return self._rows.records(batch, rows)

    def batch(self, records: Sequence[Record]) -> pa.RecordBatch:
        """Return records as rows, in the columns of `base_batches`."""
        return self._rows.writer.batch(records)

    def merge_rows(
        self, found: FileSlice, batch: pa.RecordBatch, rows: Sequence[tuple[int, str]], log: SliceLog
    ) -> Iterator[tuple[int, bool, Record | None]]:
        """Merge some rows of the base file, each (row, record key), with a log that has their keys.

        Gives (row, whether it stays as it is, the record that a query sees or None).

        Raises:
            MergeFailedError: the merge of a key failed.
        """
        return merge_rows(self._rows, found.partition, batch, rows, log)

    # -- the answer

    def answer(self, found: FileSlice, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Give a batch as the release shows it: partition columns from paths, null where nothing is stored."""
        query = self._query
        batch = self._of_commits(batch)
        if not batch.num_rows:
            return
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        if query.paths_tell:
            fields = query.properties.partition_fields
            values = values_of_path(found.partition, fields, decode=query.commits is None)
            for name in query.paths_tell:
                if name in self.shown.names:
                    kind, path = self.shown.field(name).type, self._files.described(found.partition)
                    columns[name] = partition_column(values.get(name), kind, batch.num_rows, path)
        for name in query.null_columns:
            columns[name] = pa.nulls(batch.num_rows, pa.string())
        arrays = [self.as_shown(columns[field.name], field) for field in self.shown]
        yield pa.RecordBatch.from_arrays(arrays, schema=self.shown)

    def as_shown(self, column: ArrowColumn, field: pa.Field) -> ArrowColumn:
        """Return a column of stored values as one of the answer."""
        if field.name in self._query.vectors:
            return as_arrays(column, self._query.vectors[field.name])
        return converted(column, field.type)
