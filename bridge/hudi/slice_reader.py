"""Rows of file slices: base file and log merged as a release's snapshot query merges them; plain Python, no session.

A slice's log is folded key by key before its base file streams past, so memory holds the keys of one slice's log and
one batch of its base file. Rows that the log does not touch stay Arrow.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from bridge.engines.python import RecordReader, RecordWriter
from bridge.errors import InputError, MergeFailedError
from bridge.hudi.base_files import BOOTSTRAP_INSTANT, read_base, read_bootstrapped
from bridge.hudi.block_order import merged_blocks
from bridge.hudi.errors import DamagedFileError, HudiTableError, UnreadableTableError
from bridge.hudi.log_blocks import BlockType, HeaderKey
from bridge.hudi.log_records import data_records, deleted_keys
from bridge.hudi.partition_values import ComputedKeys, partition_column, values_of_path
from bridge.hudi.schema_evolution import arrow_of, evolved
from bridge.merge import LogDelete, LogRow, RecordMerge, StoredRow
from bridge.spark import META_COLUMNS, with_meta
from mergers import HoodieKey
from payloads import PayloadBridgeError
from payloads.avro import rewrite_record_with_new_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.hudi.block_order import BlockRules, FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.merge import Carrier
    from bridge.plan import MergePlan
    from payloads.avro import AvroSchema, Record

_KEY, _PATH, _FILE = META_COLUMNS[2], META_COLUMNS[3], META_COLUMNS[4]


@dataclass(frozen=True)
class SliceQuery:
    """One query of a table, as a task needs it.

    Attributes:
        files: the table's files.
        properties: the table's.
        schema: the columns of the answer, without meta columns.
        plan: how versions merge.
        rules: which log blocks count.
        paths_tell: the partition columns whose values the answer takes from the path.
        bootstrapped: the source file of each bootstrapped file group.
        sources: where these files are.
    """

    files: TableFiles
    properties: TableProperties
    schema: AvroSchema
    plan: MergePlan
    rules: BlockRules
    paths_tell: tuple[str, ...] = ()
    bootstrapped: Mapping[tuple[str, str], str] | None = None
    sources: TableFiles | None = None


class SliceReader:
    """Reads the slices of one query; compiled once a task."""

    def __init__(self, query: SliceQuery) -> None:
        """Compile the merge and the conversions between Arrow rows and records.

        Raises:
            PayloadBridgeError: the table's settings contradict each other, or name a class that is not at hand.
        """
        self._query = query
        self._files = query.files
        self._schema = with_meta(query.schema)
        self.arrow = arrow_of(self._schema)
        self._keys = None if query.properties.has_meta_fields else ComputedKeys(query.properties)
        self._merge: RecordMerge | None = None  # tables of base files alone need none
        self._reader = RecordReader(self._schema, self.arrow)
        self._writer = RecordWriter(self._schema, self.arrow)

    def read(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the rows of a slice that the query sees.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        log = self._folded(found) if found.data_logs else {}
        for batch in self._base(found):
            yield from self._answer(found, self._merged(found, batch, log) if log else batch)
        if log:
            rows = [self._snapshot(found, None, key, folded) for key, folded in log.items()]
            records = [row.record for row in rows if row is not None and row.record is not None]
            if records:
                yield from self._answer(found, self._writer.batch(records))

    # -- the base file

    def _base(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        if found.base_file is None:
            return
        path = found.path_of(found.base_file)
        for batch in self._stored_batches(found, path):
            full = self._with_partition(batch, found.partition)
            try:
                yield evolved(full, self.arrow)
            except pa.ArrowException as error:
                msg = f"{self._files.described(path)} has rows that do not fit the table's schema: {error}"
                raise DamagedFileError(msg) from error

    def _stored_batches(self, found: FileSlice, path: str) -> Iterator[pa.RecordBatch]:
        query = self._query
        if query.bootstrapped is None or query.sources is None or f"_{BOOTSTRAP_INSTANT}." not in path:
            return read_base(self._files, path)
        source = query.bootstrapped.get((found.partition, found.file_id))
        if source is None:
            msg = f"{self._files.described(path)} is bootstrapped, and the bootstrap index has no source file for it"
            raise UnreadableTableError(msg)
        return read_bootstrapped(self._files, path, query.sources, source)

    def _with_partition(self, batch: pa.RecordBatch, path: str) -> pa.RecordBatch:
        """Add the partition columns that files do not store."""
        absent = [name for name in self._query.properties.partition_fields if name not in batch.schema.names]
        values = values_of_path(path, self._query.properties.partition_fields) if absent else {}
        for name in absent:
            if name in self.arrow.names:
                column = partition_column(values.get(name), self.arrow.field(name).type, batch.num_rows)
                batch = batch.append_column(self.arrow.field(name), column)
        return batch

    # -- the log

    def _folded(self, found: FileSlice) -> dict[str, Carrier]:
        """Return what the log has for each key, in the order in which keys first appear."""
        folded: dict[str, Carrier] = {}
        merge = self._merge = self._merge or RecordMerge(self._query.plan, self._query.schema, has_meta=True)
        with contextlib.ExitStack() as stack:
            paths = [found.path_of(name) for name in found.data_logs]
            logs = [(self._files.described(path), stack.enter_context(self._files.open(path))) for path in paths]
            for each in merged_blocks(logs, self._query.rules):
                for key, entry in self._entries(each, found.partition):
                    identity = HoodieKey(key, found.partition)
                    try:
                        folded[key] = merge.fold_log(folded.get(key), identity, entry)
                    except Exception as error:
                        raise self._failed(key, error) from error
        return folded

    def _entries(self, found: FoundBlock, partition: str) -> Iterator[tuple[str, LogRow | LogDelete]]:
        block, stream = found
        if block.type is BlockType.DELETE:
            for deleted in deleted_keys(block, stream, self._query.rules.release):
                yield deleted.record_key, LogDelete(deleted.ordering)
            return
        if block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true":
            msg = (
                f"{block.file}, block at byte {block.offset}: partial updates (MERGE INTO of some columns) are not "
                "read yet; compact the table first"
            )
            raise UnreadableTableError(msg)
        schema, records = data_records(block, stream)
        release = self._query.rules.release
        for stored in records:
            record = rewrite_record_with_new_schema(stored, schema, self._schema, release)
            if self._query.properties.drops_partition_columns:
                record = self._with_path_values(record, partition)
            yield self._key_of(record), LogRow(record, None)

    def _with_path_values(self, record: Record, partition: str) -> Record:
        values = values_of_path(partition, self._query.properties.partition_fields)
        return {**record, **{name: text for name, text in values.items() if record.get(name) is None}}

    def _key_of(self, record: Record) -> str:
        if self._keys is None:
            return str(record[_KEY])
        return str(self._keys.of(self._writer.batch([record]))[0])

    # -- both

    def _merged(self, found: FileSlice, batch: pa.RecordBatch, log: dict[str, Carrier]) -> pa.RecordBatch:
        """Merge a batch of the base file with the log, and take the keys that it has out of the log."""
        keys = (self._keys.of(batch) if self._keys else batch.column(_KEY)).to_pylist()
        contested = [row for row, key in enumerate(keys) if key in log]
        if not contested:
            return batch
        stays = np.ones(batch.num_rows, bool)
        changed: list[Record] = []
        records = self._reader.rows(batch, np.array(contested))
        for row, record in zip(contested, records, strict=True):
            folded = log.pop(keys[row], None)
            if folded is None:
                continue  # a second row of the key: Hudi merges the first one alone
            base = StoredRow(HoodieKey(keys[row], found.partition), record, self._query.schema, row)
            result = self._snapshot(found, base, keys[row], folded)
            if result is not base:
                stays[row] = False
                if result is not None and result.record is not None:
                    changed.append(result.record)
        kept = batch.filter(pa.array(stays))
        if not changed:
            return kept
        merged = pa.Table.from_batches([kept, self._writer.batch(changed)]).combine_chunks()
        return merged.to_batches()[0]

    def _snapshot(self, _found: FileSlice, base: StoredRow | None, key: str, folded: Carrier) -> StoredRow | None:
        try:
            return self._merge.snapshot(base, folded)  # type: ignore[union-attr]  # set by what folded the log
        except Exception as error:
            raise self._failed(key, error) from error

    def _failed(self, key: str, error: Exception) -> Exception:
        if isinstance(error, HudiTableError | InputError):
            return error
        reason = str(error) if isinstance(error, PayloadBridgeError) else f"{type(error).__name__}: {error}"
        point = self._merge.point.value if self._merge else "snapshot"
        return MergeFailedError(reason, self._query.plan.payload_name, point, {_KEY: key})

    # -- the answer

    def _answer(self, found: FileSlice, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        if not batch.num_rows:
            return
        query = self._query
        if query.paths_tell:
            values = values_of_path(found.partition, query.properties.partition_fields)
            for name in query.paths_tell:
                index = batch.schema.get_field_index(name)
                if index >= 0:
                    field = batch.schema.field(index)
                    column = partition_column(values.get(name), field.type, batch.num_rows)
                    batch = batch.set_column(index, field, column)
        yield batch
