"""Rows of file slices: base file and log merged as a release's snapshot query merges them; plain Python, no session.

A slice's log is folded key by key before its base file streams past, so memory holds the keys of one slice's log and
one batch of its base file. Rows that the log does not touch stay Arrow.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import capabilities
from bridge.engines.python import RecordReader, RecordWriter
from bridge.errors import InputError, MergeFailedError
from bridge.hudi.base_files import BOOTSTRAP_INSTANT, read_base, read_bootstrapped
from bridge.hudi.block_order import merged_blocks
from bridge.hudi.errors import DamagedFileError, HudiTableError, UnreadableTableError
from bridge.hudi.log_blocks import BlockType, HeaderKey
from bridge.hudi.log_records import data_records, deleted_keys
from bridge.hudi.partial_blocks import PartialMerge, columns_of
from bridge.hudi.partition_values import ComputedKeys, partition_column, values_of_path
from bridge.hudi.schema_evolution import arrow_of, converted, evolved
from bridge.merge import Action, LogDelete, LogRow, MergePoint, MergePointError, RecordMerge, StoredRow
from bridge.spark import META_COLUMNS, with_meta
from mergers import HoodieKey
from payloads.avro import rewrite_record_with_new_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bridge.hudi.block_order import BlockRules, FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.merge import Outcome
    from bridge.plan import MergePlan
    from payloads.avro import AvroSchema, Record

_KEY = META_COLUMNS[2]


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
        text_columns: the columns that the answer has as text, whatever the files have.
        null_columns: the meta columns that the answer has as null.
        commits: the instants whose rows the answer has; None for all rows.
        bootstrapped: the source file of each bootstrapped file group.
        sources: where these files are.
    """

    files: TableFiles
    properties: TableProperties
    schema: AvroSchema
    plan: MergePlan
    rules: BlockRules
    paths_tell: tuple[str, ...] = ()
    text_columns: tuple[str, ...] = ()
    null_columns: tuple[str, ...] = ()
    commits: frozenset[str] | None = None
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
        self.shown = pa.schema(
            [field.with_type(pa.string()) if field.name in query.text_columns else field for field in self.arrow]
        )
        self._keys = None if query.properties.has_meta_fields else ComputedKeys(query.properties)
        self._whole: RecordMerge | None = None  # slices of base files alone need none
        self._reader = RecordReader(self._schema, self.arrow)
        self._writer = RecordWriter(self._schema, self.arrow)

    def read(self, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the rows of a slice that the query sees.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
        """
        log = self._folded(found) if found.data_logs else None
        for batch in self._base(found):
            yield from self._answer(found, self._merged(found, batch, log) if log else batch)
        if log:
            rows = [self._snapshot(log, None, key, folded).version for key, folded in log.unmatched()]
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
                yield self._in_increment(evolved(full, self.arrow))
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

    def _in_increment(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the base rows that an incremental query merges: from 1.0 on those of its commits.

        0.15 only skips what statistics rule out, so it merges all rows where one may be of its commits.
        """
        commits = self._query.commits
        if not commits or capabilities(self._query.rules.release).file_group_reader:
            return self._of_commits(batch)
        span = pc.min_max(batch.column(META_COLUMNS[0])).as_py()
        is_possible = batch.num_rows and span["max"] >= min(commits) and span["min"] <= max(commits)
        return batch if is_possible else batch.slice(0, 0)

    def _of_commits(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows of the commits that are asked for."""
        if self._query.commits is None:
            return batch
        wanted = pa.array(sorted(self._query.commits), pa.string())
        return batch.filter(pc.is_in(batch.column(META_COLUMNS[0]), wanted))

    # -- the log

    def _folded(self, found: FileSlice) -> _Log:
        """Return what the log has for each key."""
        self._whole = self._whole or RecordMerge(self._query.plan, self._schema, has_meta=True)
        with contextlib.ExitStack() as stack:
            paths = [found.path_of(name) for name in found.data_logs]
            logs = [(self._files.described(path), stack.enter_context(self._files.open(path))) for path in paths]
            blocks = merged_blocks(logs, self._query.rules)
            log = _Log(self._whole, by_position=_has_positions(found, blocks))
            for each in blocks:
                for key, fold in self._entries(each, found.partition, log):
                    identity = HoodieKey(key, found.partition)
                    try:
                        log.folded[key] = fold(log.folded.get(key), identity)
                    except Exception as error:
                        raise self._failed(key, error) from error
        return log

    def _entries(self, found: FoundBlock, partition: str, log: _Log) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Give the key of each entry of a block, and what folds the entry into the versions before it."""
        block, stream = found
        release = self._query.rules.release
        if block.type is BlockType.DELETE:
            for deleted in deleted_keys(block, stream, release):
                yield deleted.record_key, functools.partial(_fold, log.merge, LogDelete(deleted.ordering))
            return
        schema, records = data_records(block, stream)
        is_partial = block.header.get(HeaderKey.IS_PARTIAL, "").lower() == "true"
        columns = columns_of(self._schema, schema.by_name) if is_partial else self._schema
        if is_partial and self._query.commits is not None:
            msg = (
                f"{block.file}, block at byte {block.offset}: an increment of partial updates lacks the other columns "
                "(Hudi fails, or mixes the columns up); compare two snapshots instead"
            )
            raise UnreadableTableError(msg)
        if is_partial and not isinstance(log.merge, PartialMerge):
            log.merge = PartialMerge(self._query.plan, self._schema)
        for stored in records:
            record = rewrite_record_with_new_schema(stored, schema, columns, release)
            if self._query.properties.drops_partition_columns:
                record = self._with_path_values(record, partition)
            if is_partial:
                yield self._key_of(record), functools.partial(_fold_partial, log.merge, record, columns)
            else:
                yield self._key_of(record), functools.partial(_fold, log.merge, LogRow(record, None))

    def _with_path_values(self, record: Record, partition: str) -> Record:
        values = values_of_path(partition, self._query.properties.partition_fields)
        return {**record, **{name: text for name, text in values.items() if record.get(name) is None}}

    def _key_of(self, record: Record) -> str:
        if self._keys is None:
            return str(record[_KEY])
        return str(self._keys.of(self._writer.batch([record]))[0])

    # -- both

    def _merged(self, found: FileSlice, batch: pa.RecordBatch, log: _Log) -> pa.RecordBatch:
        """Merge a batch of the base file with the log."""
        keys = (self._keys.of(batch) if self._keys else batch.column(_KEY)).to_pylist()
        contested = [row for row, key in enumerate(keys) if key in log.folded]
        if not contested:
            return batch
        stays = np.ones(batch.num_rows, bool)
        changed: list[Record] = []
        records = self._reader.rows(batch, np.array(contested))
        for row, record in zip(contested, records, strict=True):
            folded = log.matched(keys[row])
            if folded is None:
                continue
            base = StoredRow(HoodieKey(keys[row], found.partition), record, self._schema, row)
            action, result = self._snapshot(log, base, keys[row], folded)
            if action is not Action.KEEP:
                stays[row] = False
                if result is not None and result.record is not None:
                    changed.append(result.record)
        kept = batch.filter(pa.array(stays))
        if not changed:
            return kept
        merged = pa.Table.from_batches([kept, self._writer.batch(changed)]).combine_chunks()
        return merged.to_batches()[0]

    def _snapshot(self, log: _Log, base: StoredRow | None, key: str, folded: Any) -> Outcome[StoredRow]:
        try:
            outcome: Outcome[StoredRow] = log.merge.snapshot(base, folded)
        except Exception as error:
            raise self._failed(key, error) from error
        return outcome

    def _failed(self, key: str, error: Exception) -> Exception:
        failure = error if isinstance(error, MergePointError) else MergePointError(MergePoint.SNAPSHOT, error)
        if isinstance(failure.error, HudiTableError | InputError):
            return failure.error
        return MergeFailedError(failure.reason, self._query.plan.payload_name, failure.point.value, {_KEY: key})

    # -- the answer

    def _answer(self, found: FileSlice, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
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
                if name in columns:
                    columns[name] = partition_column(values.get(name), self.shown.field(name).type, batch.num_rows)
        for name in query.null_columns:
            columns[name] = pa.nulls(batch.num_rows, pa.string())
        arrays = [converted(columns[field.name], field.type) for field in self.shown]
        yield pa.RecordBatch.from_arrays(arrays, schema=self.shown)


class _Log:
    """What the log of one slice has for each key.

    Attributes:
        folded: by key, in the order in which keys first appear.
        merge: what merges from here on.
    """

    def __init__(self, merge: RecordMerge, *, by_position: bool) -> None:
        self.folded: dict[str, Any] = {}
        self.merge: Any = merge
        self._by_position = by_position
        self._met: set[str] = set()

    def matched(self, key: str) -> Any:
        """Return what a base row of this key merges with; None for nothing.

        A base file may hold a key twice. Merged by key, the first row takes what the log has. Merged by position, each
        does: the writer logs an update for every row that it finds.
        """
        if key in self._met and not self._by_position:
            return None
        self._met.add(key)
        return self.folded[key]

    def unmatched(self) -> list[tuple[str, Any]]:
        """Return the keys that no base row had."""
        return [(key, folded) for key, folded in self.folded.items() if key not in self._met]


def _has_positions(found: FileSlice, blocks: list[FoundBlock]) -> bool:
    """Whether Hudi merges by position: every block names rows of this slice's base file."""
    key = HeaderKey.BASE_FILE_INSTANT_TIME_OF_RECORD_POSITIONS
    return bool(blocks) and all(
        HeaderKey.RECORD_POSITIONS in block.header and block.header.get(key) == found.base_instant
        for block, _ in blocks
    )


def _fold(merge: Any, entry: LogRow | LogDelete, folded: Any, key: HoodieKey) -> Any:
    return merge.fold_log(folded, key, entry)


def _fold_partial(merge: PartialMerge, record: Record, columns: AvroSchema, folded: Any, key: HoodieKey) -> Any:
    return merge.fold_row(folded, key, record, columns)
