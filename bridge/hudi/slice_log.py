"""The log of a slice: its blocks folded key by key, as a release's reader folds them."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from bridge.errors import InputError, MergeFailedError
from bridge.hudi.block_order import merged_blocks
from bridge.hudi.errors import HudiTableError, UnreadableTableError
from bridge.hudi.log_blocks import BlockType, HeaderKey
from bridge.hudi.log_records import data_records, deleted_keys
from bridge.hudi.partial_blocks import PartialMerge, columns_of
from bridge.hudi.partition_values import ComputedKeys, values_of_path
from bridge.merge import LogDelete, LogRow, MergePoint, MergePointError, RecordMerge
from bridge.spark import META_COLUMNS
from mergers import HoodieKey
from payloads.avro import rewrite_record_with_new_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.engines.python import RecordWriter
    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.slice_query import SliceQuery
    from bridge.merge import Outcome, StoredRow
    from payloads.avro import AvroSchema, Record

_KEY = META_COLUMNS[2]


class SliceLog:
    """What the log of one slice has for each key.

    Attributes:
        folded: by key, in the order in which keys first appear.
    """

    def __init__(self, merge: RecordMerge, payload: str, *, by_position: bool = False) -> None:
        """Begin a log without entries; `payload` is what merges, for messages."""
        self.folded: dict[str, Any] = {}
        self.merge: Any = merge
        self._payload = payload
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

    def add(self, key: HoodieKey, fold: Callable[..., Any]) -> None:
        """Fold the next entry of a key.

        Raises:
            MergeFailedError: the merge failed.
        """
        try:
            self.folded[key.record_key] = fold(self.folded.get(key.record_key), key)
        except Exception as error:
            raise self._failed(key.record_key, error) from error

    def snapshot(self, base: StoredRow | None, key: str, folded: Any) -> Outcome[StoredRow]:
        """Merge the row of the base file, if any, with what was folded, as a query does.

        Raises:
            MergeFailedError: the merge failed.
        """
        try:
            outcome: Outcome[StoredRow] = self.merge.snapshot(base, folded)
        except Exception as error:
            raise self._failed(key, error) from error
        return outcome

    def _failed(self, key: str, error: Exception) -> Exception:
        failure = error if isinstance(error, MergePointError) else MergePointError(MergePoint.SNAPSHOT, error)
        if isinstance(failure.error, HudiTableError | InputError):
            return failure.error
        return MergeFailedError(failure.reason, self._payload, failure.point.value, {_KEY: key})


class LogFolder:
    """Folds the logs of slices for one query."""

    def __init__(self, query: SliceQuery, schema: AvroSchema, keys: ComputedKeys | None, writer: RecordWriter) -> None:
        """Take what the blocks are read with; the merge is compiled where a log is folded.

        Args:
            query: the query.
            schema: the columns, with meta columns.
            keys: makes the record keys of a table without meta columns; None where records carry them.
            writer: makes rows of `schema`.
        """
        self._query = query
        self._schema = schema
        self._keys = keys
        self._writer = writer

    @functools.cached_property
    def _whole(self) -> RecordMerge:
        if self._query.unnamed_class is not None:
            raise UnreadableTableError(self._query.unnamed_class)
        return RecordMerge(self._query.plan, self._schema, has_meta=True)

    def folded(self, found: FileSlice) -> SliceLog:
        """Return what the log of a slice has for each key.

        Raises:
            HudiTableError: a file can't be read.
            MergeFailedError: the merge of a key failed.
            PayloadBridgeError: the table's settings contradict each other, or name a class that is not at hand.
        """
        with self.blocks(found) as blocks:
            log = SliceLog(self._whole, self._query.plan.payload_name, by_position=_has_positions(found, blocks))
            wanted = self._query.keys
            for each in blocks:
                for key, fold in self._entries(each, found.partition, log):
                    if wanted is None or key in wanted:
                        log.add(HoodieKey(key, found.partition), fold)
        return log

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

    def rows(self, found: FoundBlock, partition: str) -> Iterator[tuple[str, Record, AvroSchema]]:
        """Give record key, record and columns of each row of a data block: those of the table that it carries.

        Raises:
            DamagedFileError: the block can't be read.
        """
        block, stream = found
        schema, records = data_records(block, stream)
        columns = columns_of(self._schema, schema.by_name) if block.is_partial else self._schema
        for stored in records:
            record = rewrite_record_with_new_schema(stored, schema, columns, self._query.rules.release)
            if self._query.properties.drops_partition_columns:
                record = self._with_path_values(record, partition)
            yield self._key_of(record), record, columns

    def _entries(self, found: FoundBlock, partition: str, log: SliceLog) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Give the key of each entry of a block, and what folds the entry into the versions before it."""
        block, stream = found
        if block.type is BlockType.DELETE:
            for deleted in deleted_keys(block, stream, self._query.rules.release):
                yield deleted.record_key, functools.partial(_fold, log.merge, LogDelete(deleted.ordering))
            return
        if block.is_partial and self._query.commits is not None:
            msg = (
                f"{block.file}, block at byte {block.offset}: an increment of partial updates lacks the other columns "
                "(Hudi fails, or mixes the columns up); compare two snapshots instead"
            )
            raise UnreadableTableError(msg)
        if block.is_partial and not isinstance(log.merge, PartialMerge):
            log.merge = PartialMerge(self._query.plan, self._schema)
        for key, record, columns in self.rows(found, partition):
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
