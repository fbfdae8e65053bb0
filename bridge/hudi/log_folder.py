"""Reads the log of a slice: its blocks in columns, or folded key by key, as a release's reader folds them."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bridge.config import capabilities
from bridge.hudi.avro_columns import NotColumnarError
from bridge.hudi.block_order import merged_blocks
from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.key_ranges import ranges_of
from bridge.hudi.log_blocks import BlockType
from bridge.hudi.log_columns import LogColumns, decides
from bridge.hudi.log_records import check_defaults, data_batches, data_records, deleted_keys, known_key
from bridge.hudi.partition_values import ComputedKeys, values_of_path
from bridge.hudi.record_positions import NamedRows, has_positions
from bridge.hudi.row_calls import RowCalls
from bridge.hudi.schema_evolution import arrow_of
from bridge.hudi.slice_log import SliceLog, slice_log
from bridge.hudi.timestamp_units import block_schema, rewritten_by
from bridge.hudi.unmerged import partial_merge, record_merge
from bridge.merge import LogDelete, LogRow, MergePoint, PartialMerge, RecordMerge, columns_of
from bridge.spark import META_COLUMNS, ArrowColumn
from mergers import HoodieKey
from payloads.avro import rewrite_record_with_new_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from bridge.engines.python import RecordReader, RecordWriter
    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.key_ranges import KeyRange
    from bridge.hudi.slice_log import KeyListener
    from bridge.hudi.slice_query import SliceQuery
    from bridge.merge import LogRule
    from payloads.avro import AvroSchema, Record

    Wanted = AbstractSet[str] | KeyRange

_KEY = META_COLUMNS[2]
_ROWS = 1 << 14
_IN_COLUMNS = 1 << 28
_BY_CALLS = 1 << 26
"""The bytes of blocks whose rows memory holds: 256 MiB in columns, 64 MiB as objects, which take ten times as much."""
_COMPRESSED = 4
"""How many bytes one of Parquet stands for, about."""


class LogFolder:
    """Folds the logs of slices for one query."""

    def __init__(  # noqa: PLR0913, PLR0917 (what blocks are read with)
        self,
        query: SliceQuery,
        schema: AvroSchema,
        keys: ComputedKeys | None,
        reader: RecordReader,
        writer: RecordWriter,
        listener: KeyListener | None = None,
    ) -> None:
        """Take what the blocks are read with; the merge is compiled where a log is folded.

        Args:
            query: the query.
            schema: the columns, with meta columns.
            keys: makes the record keys of a table without meta columns; None where records carry them.
            reader: makes records of rows of `schema`.
            writer: makes rows of them.
            listener: is told of every call that folds the log key by key.
        """
        self._query = query
        self._listener = listener
        self._schema = schema
        self._keys = keys
        self._writer = writer
        self._reader = reader
        self._arrow = arrow_of(schema)

    @functools.cached_property
    def _whole(self) -> RecordMerge:
        return record_merge(self._query, self._schema, self._listener)

    @functools.cached_property
    def _rule(self) -> LogRule | None:
        """What decides about whole columns; None where the calls have to."""
        rule = self._whole.log_rule()
        return rule if decides(rule, self._schema) else None

    @property
    def _can_be_columns(self) -> bool:
        """Whether a log may be read in columns: calls for single rows want keys that records carry."""
        if self._query.unnamed_class is not None or self._query.keys is not None:
            return False
        return self._rule is not None or self._keys is None

    def calls(self, partition: str) -> RowCalls:
        """Return what merges the rows of a log in columns that no comparison decides."""

        def key_of(record: Record) -> HoodieKey:
            return HoodieKey(self._key_of(record), partition)

        return RowCalls(self._whole.single_rows(MergePoint.SNAPSHOT, key_of), self._reader)

    def ranges(
        self, found: FileSlice, blocks: list[FoundBlock], *, as_objects: bool = False, sharing: int = 1
    ) -> list[KeyRange | None]:
        """Return the ranges of keys that are read one after another: one without bounds, if memory holds the log.

        Each costs another pass over base file and log.

        Args:
            found: the slice.
            blocks: those of its log.
            as_objects: whether the log is folded by calls even where columns could decide.
            sharing: how many readers hold their logs at once.

        Raises:
            HudiTableError: a file can't be read.
        """
        if not found.data_logs or self._query.keys is not None or self._query.unnamed_class is not None:
            return [None]
        size = sum(
            block.content_length * (_COMPRESSED if block.type is BlockType.PARQUET_DATA else 1) for block, _ in blocks
        )
        by_calls = as_objects or self._rule is None or self._query.quarantines
        by_calls = by_calls or any(block.is_partial for block, _ in blocks)
        keys = (keys for each in blocks for keys in self._keys_of(each, found.partition))
        return ranges_of(size * sharing, _BY_CALLS if by_calls else _IN_COLUMNS, keys)

    def _keys_of(self, each: FoundBlock, partition: str) -> Iterator[ArrowColumn]:
        """Give the keys of a block."""
        if each.block.type is BlockType.DELETE:
            yield pa.array([entry.record_key for entry in deleted_keys(*each, self._query.rules.release)], pa.string())
            return
        batches = self._columnar(each)
        if batches is not None:
            yield from map(self._record_keys, batches)
            return
        keys = (key for key, _, _ in self.rows(each, partition))
        while chunk := list(itertools.islice(keys, _ROWS)):
            yield pa.array(chunk, pa.string())

    def columns(
        self, found: FileSlice, blocks: list[FoundBlock], within: KeyRange | None = None
    ) -> tuple[LogColumns, SliceLog] | None:
        """Return the log of a slice in columns, and what the calls fold for the other keys; None if columns can't.

        Only the keys `within` a range, if there is one.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        if not self._can_be_columns:
            return None
        if any(block.is_partial for block, _ in blocks):
            return None
        with contextlib.suppress(NotColumnarError):
            by_position = has_positions(found, blocks)
            named = NamedRows.of(self._query, found, within) if by_position else None
            log = LogColumns(self._rule, self._record_keys, by_position=by_position)
            for each in blocks:
                if each.block.type is BlockType.DELETE:
                    entries = deleted_keys(*each, self._query.rules.release)
                    keys = pa.array([entry.record_key for entry in entries], pa.string())
                    log.contested.update(key for key in keys.to_pylist() if within is None or key in within)
                else:
                    batches = list(self._batches(each, found.partition, within))
                    log.add(batches, each.block.instant)
                    keys = pa.chunked_array([*map(self._record_keys, batches)], pa.string())
                if named is not None:
                    named.add(each.block, keys)
            log.end()
            rest = slice_log(self._whole, self._query, self._listener, by_position=by_position, named=named)
            if log.contested:
                self._fold(rest, blocks, found.partition, log.contested)
            return log, rest
        return None

    def _batches(self, each: FoundBlock, partition: str, within: KeyRange | None) -> Iterator[pa.RecordBatch]:
        """Give the rows of a data block in the columns of the table, with meta columns."""
        batches = self._columnar(each)
        if batches is not None:
            for batch in batches:
                yield batch if within is None else batch.filter(within.mask(self._record_keys(batch)))
            return
        records = (record for _, record, _ in self.rows(each, partition, within))
        while chunk := list(itertools.islice(records, _ROWS)):
            yield self._writer.batch(chunk)

    def _columnar(self, each: FoundBlock) -> list[pa.RecordBatch] | None:
        """Return the rows of a data block that needs no record for its conversion; None for another."""
        block, stream = each
        if not capabilities(self._query.rules.release).file_group_reader and self._query.history is None:
            check_defaults(block, self._query.schema)
        if block.is_partial or self._query.history is not None or self._query.properties.drops_partition_columns:
            return None
        return data_batches(block, stream, self._arrow, self._read_as)

    def _read_as(self, written: AvroSchema) -> AvroSchema:
        return block_schema(written, self._schema, self._query.log_units)

    def _record_keys(self, batch: pa.RecordBatch) -> Any:
        return batch.column(_KEY) if self._keys is None else self._keys.of(batch)

    def folded(self, found: FileSlice, blocks: list[FoundBlock], within: KeyRange | None = None) -> SliceLog:
        """Return what the log of a slice has for each key, or each key `within` a range.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
            PayloadBridgeError: the table's settings contradict each other, or name a class that is not at hand.
        """
        by_position = has_positions(found, blocks)
        named = NamedRows.of(self._query, found, within) if by_position else None
        log = slice_log(self._whole, self._query, self._listener, by_position=by_position, named=named)
        self._fold(log, blocks, found.partition, self._query.keys if within is None else within)
        return log

    def _fold(self, log: SliceLog, blocks: list[FoundBlock], partition: str, wanted: Wanted | None) -> None:
        numbers: collections.Counter[tuple[str, str]] = collections.Counter()  # a commit may fill several blocks
        for each in blocks:
            keys: list[str] = []
            for key, fold in self._entries(each, partition, log, wanted):
                keys.append(key)
                if log.by_position:
                    numbers[key, each.block.instant] += 1
                    if log.is_copy(key, numbers[key, each.block.instant]):
                        continue
                log.add(HoodieKey(key, partition), fold)
            if log.named is not None and wanted is None:
                log.named.add(each.block, pa.array(keys, pa.string()))

    @contextlib.contextmanager
    def blocks(self, found: FileSlice) -> Iterator[list[FoundBlock]]:
        """Open the logs of a slice; give the data and delete blocks that count, in the order in which they merge.

        Raises:
            HudiTableError: a file can't be read.
        """
        files = self._query.files
        with contextlib.ExitStack() as stack:
            paths = [found.path_of(name) for name in found.data_logs]
            logs = [(files.described(path), stack.enter_context(files.open(path))) for path in paths]
            yield merged_blocks(logs, self._query.rules)

    def versions(self, found: FoundBlock, partition: str) -> Iterator[tuple[pa.RecordBatch, Any]]:
        """Give the rows of a data block in the columns of the table, some thousand at a time, and their record keys.

        A partial update has null in the columns that it does not carry.

        Raises:
            DamagedFileError: the block can't be read.
        """
        batches = self._columnar(found)
        for batch in batches or ():
            yield batch, self._record_keys(batch)
        if batches is not None:
            return
        rows = ((key, record) for key, record, _ in self.rows(found, partition))
        while chunk := list(itertools.islice(rows, _ROWS)):
            keys, records = zip(*chunk, strict=True)
            whole = [
                record if len(record) == len(self._arrow) else {name: record.get(name) for name in self._arrow.names}
                for record in records
            ]
            yield self._writer.batch(whole), pa.array(keys, pa.string())

    def rows(
        self, found: FoundBlock, partition: str, wanted: Wanted | None = None
    ) -> Iterator[tuple[str, Record, AvroSchema]]:
        """Give record key, record and columns of each row of a data block: those of the table that it carries.

        Rows of other keys than the `wanted` ones are left out.

        Raises:
            DamagedFileError: the block can't be read.
        """
        batches = self._columnar(found)
        for batch in batches or ():
            keys = self._record_keys(batch).to_pylist()
            at = [row for row, key in enumerate(keys) if key is None or wanted is None or key in wanted]
            for row, record in zip(at, self._reader.rows(batch, np.array(at, int)), strict=True):
                yield known_key(keys[row], found.block), record, self._schema
        if batches is not None:
            return
        written, records = data_records(*found, self._read_as)
        renames = self._query.renames(found.block.instant)
        schema = written if renames is None else renames.of_schema(written)
        columns = columns_of(self._schema, schema.by_name) if found.block.is_partial else self._schema
        release = rewritten_by(self._query.rules.release, schema, columns)
        for stored in records:
            renamed = stored if renames is None else renames.of_record(stored, written)
            record = rewrite_record_with_new_schema(renamed, schema, columns, release)
            if self._query.properties.drops_partition_columns:
                record = self._with_path_values(record, partition)
            key = known_key(record[_KEY], found.block) if self._keys is None else self._key_of(record)
            if wanted is None or key in wanted:
                yield key, record, columns

    def _entries(
        self, found: FoundBlock, partition: str, log: SliceLog, wanted: Wanted | None
    ) -> Iterator[tuple[str, Callable[..., object]]]:
        """Give the key of each entry of a block, and what folds the entry into the versions before it."""
        block, stream = found
        if block.type is BlockType.DELETE:
            for deleted in deleted_keys(block, stream, self._query.rules.release):
                if wanted is None or deleted.record_key in wanted:
                    yield deleted.record_key, functools.partial(_fold, log.merge, LogDelete(deleted.ordering))
            return
        if block.is_partial and self._query.commits is not None:
            msg = (
                f"{block.file}, block at byte {block.offset}: an increment of partial updates lacks the other columns "
                "(Hudi fails, or mixes the columns up); compare two snapshots instead"
            )
            raise UnreadableTableError(msg)
        if block.is_partial and not isinstance(log.merge, PartialMerge):
            log.merge = partial_merge(self._query.plan, self._schema)
        for key, record, columns in self.rows(found, partition, wanted):
            log.note(key, record)
            if block.is_partial:
                yield key, functools.partial(_fold_partial, log.merge, record, columns)
            else:
                yield key, functools.partial(_fold, log.merge, LogRow(record, None))

    def _with_path_values(self, record: Record, partition: str) -> Record:
        values = values_of_path(partition, self._query.properties.partition_fields)
        return {**record, **{name: text for name, text in values.items() if record.get(name) is None}}

    def _key_of(self, record: Record) -> str:
        if self._keys is None:
            return str(record[_KEY])
        return str(self._keys.of(self._writer.batch([record]))[0])


def _fold(merge: Any, entry: LogRow | LogDelete, folded: Any, key: HoodieKey) -> Any:
    return merge.fold_log(folded, key, entry)


def _fold_partial(merge: PartialMerge, record: Record, columns: AvroSchema, folded: object, key: HoodieKey) -> Any:
    return merge.fold_row(folded, key, record, columns)
