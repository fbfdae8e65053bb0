"""The versions that the files of a file group still hold: rows of base files, rows and deletes of logs, in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines import KIND, ORDERING, PREFIX, SEQUENCE, ordering_text
from bridge.engines.python import RecordReader
from bridge.hudi.errors import rows_of_file
from bridge.hudi.key_ranges import ranges_of
from bridge.hudi.log_blocks import BlockType
from bridge.hudi.log_records import deleted_keys
from bridge.hudi.partition_values import values_of_path
from bridge.hudi.slice_reader import SliceReader
from bridge.spark import META_COLUMNS, with_meta

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    import numpy.typing as npt

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.key_ranges import KeyRange
    from bridge.hudi.kryo import DeletedKey
    from bridge.hudi.log_blocks import Block
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn
    from payloads.avro import Record

BASE, DATA, PARTIAL, DELETE = "base", "data", "partial", "delete"
SLICE, INSTANT, FILE = f"{PREFIX}slice", f"{PREFIX}instant", f"{PREFIX}file"
BLOCK, POSITION = f"{PREFIX}block", f"{PREFIX}position"

CONTROL = pa.schema(
    [
        (SLICE, pa.string()),
        (INSTANT, pa.string()),
        (FILE, pa.string()),
        (BLOCK, pa.int64()),
        (POSITION, pa.int64()),
        (SEQUENCE, pa.int64()),
        (KIND, pa.string()),
        (ORDERING, pa.struct([("type", pa.string()), ("value", pa.string())])),
    ]
)
"""The columns of a version after those of its row."""

_ORDERING = CONTROL.field(ORDERING).type
_ROWS = 1 << 14
_DELETES = 1 << 24
"""The bytes of delete blocks whose keys memory holds: as objects with what identifies their rows, about ten times."""
_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]


class GroupVersions:
    """Reads file groups for one query; compiled once a task."""

    def __init__(self, query: SliceQuery) -> None:
        """Compile the conversions between rows and records."""
        self._query = query
        self._reader = SliceReader(query)
        fields = (*query.properties.partition_fields, *query.properties.key_fields)
        self._identity = tuple(name for name in fields if name in self._reader.arrow.names)
        self._identities = RecordReader(with_meta(query.schema), self._reader.arrow, self._identity)
        self.arrow = pa.schema([*self._reader.arrow, *CONTROL])

    def read(self, group: Sequence[FileSlice]) -> Iterator[pa.RecordBatch]:
        """Give the versions in the slices of a file group, the oldest first.

        Of a log with more deletes than are held at a time, some come later: `SEQUENCE` has the order.

        Raises:
            HudiTableError: a file can't be read.
        """
        sequence = 0
        for found in group:
            path = self._query.files.described(found.path_of(found.last_file))
            with rows_of_file(path), self._reader.folder.blocks(found) as blocks:
                begin = sequence
                for number, within in enumerate(self._ranges(blocks)):
                    deleted = _DeletedRows(self._deleted_keys(blocks, within), self._identities)
                    sequence = yield from self._pass(found, blocks, deleted, begin, with_rows=number == 0)

    def _ranges(self, blocks: Sequence[FoundBlock]) -> list[KeyRange | None]:
        """Return the ranges of deleted keys for each of which the slice is passed over."""
        deletes = [found for found in blocks if _is_delete(found)]
        size = sum(found.block.content_length for found in deletes)
        return ranges_of(size, _DELETES, (self._deleted_keys([found], None) for found in deletes))

    def _deleted_keys(self, blocks: Sequence[FoundBlock], within: KeyRange | None) -> ArrowColumn:
        entries = (entry for found in blocks if _is_delete(found) for entry in self._deletes(found))
        keys = {entry.record_key for entry in entries if within is None or entry.record_key in within}
        return pa.array(sorted(keys), pa.string())

    def _pass(
        self, at: FileSlice, blocks: Sequence[FoundBlock], deleted: _DeletedRows, sequence: int, *, with_rows: bool
    ) -> Generator[pa.RecordBatch, None, int]:
        """Give the deletes of some keys, and the rows of base file and log if wanted; return the next sequence."""
        size = 0
        for batch in self._reader.base_batches(at):
            keys = self._reader.key_column(batch)
            deleted.note(batch, keys)
            if with_rows:
                control = self._control(at, str(at.base_file), BASE, np.arange(size, size + len(keys)), sequence)
                yield self._rows(batch, keys, at.partition, control)
            size += len(keys)
        sequence += size
        for found in blocks:
            if _is_delete(found):
                sequence += yield from self._deleted_rows(found, at, deleted, sequence)
                continue
            kind, size = PARTIAL if found.block.is_partial else DATA, 0
            name = found.block.file.rpartition("/")[2]
            for batch, keys in self._reader.folder.versions(found, at.partition):
                deleted.note(batch, keys)
                if with_rows and len(keys):
                    places = np.arange(size, size + len(keys))
                    control = self._control(at, name, kind, places, sequence, block=found.block)
                    yield self._rows(batch, keys, at.partition, control)
                size += len(keys)
            sequence += size
        return sequence

    def _deleted_rows(
        self, found: FoundBlock, at: FileSlice, deleted: _DeletedRows, sequence: int
    ) -> Generator[pa.RecordBatch, None, int]:
        """Give the deletes of a block that are wanted, some thousand at a time; return how many it has."""
        entries, name = self._deletes(found), found.block.file.rpartition("/")[2]
        places = [place for place, entry in enumerate(entries) if entry.record_key in deleted]
        for first in range(0, len(places), _ROWS):
            here = places[first : first + _ROWS]
            some = [entries[place] for place in here]
            rows = self._reader.batch(
                [self._bare(one, at.partition, deleted.known.get(one.record_key)) for one in some]
            )
            keys = pa.array([one.record_key for one in some], pa.string())
            orderings = [ordering_text(one.ordering) for one in some]
            control = self._control(at, name, DELETE, np.array(here), sequence, block=found.block, orderings=orderings)
            yield self._rows(rows, keys, at.partition, control)
        return len(entries)

    def _deletes(self, found: FoundBlock) -> list[DeletedKey]:
        return deleted_keys(found.block, found.stream, self._query.rules.release)

    def _bare(self, entry: DeletedKey, partition: str, known: Record | None) -> Record:
        """Return a row with the columns that identify a deleted key: of a row with that key, else read from the key."""
        if known is None:
            properties = self._query.properties
            texts = {
                **values_of_path(partition, properties.partition_fields),
                **_fields_of(entry.record_key, properties.key_fields),
            }
            known = {name: self._typed(name, texts.get(name)) for name in self._identity}
        return dict.fromkeys(self._reader.arrow.names) | known

    def _typed(self, name: str, text: str | None) -> object:
        """Return the value that a text of a key or path represents; None if the column's type can't hold it."""
        if text is None or name not in self._reader.arrow.names:
            return None
        try:
            column = pa.array([text]).cast(self._reader.arrow.field(name).type)
        except pa.ArrowException:
            return None
        rows = pa.RecordBatch.from_arrays(
            [column if field.name == name else pa.nulls(1, field.type) for field in self._reader.arrow],
            schema=self._reader.arrow,
        )
        return self._reader.records(rows, [0])[0][name]

    @staticmethod
    def _control(  # noqa: PLR0913 (its columns)
        at: FileSlice,
        file: str,
        kind: str,
        places: npt.NDArray[np.intp],
        sequence: int,
        *,
        block: Block | None = None,
        orderings: list[Any] | None = None,
    ) -> list[ArrowColumn]:
        """Return the columns of versions at some places of a file or block whose first version has this sequence."""
        rows = len(places)
        given = {
            SLICE: at.base_instant,
            INSTANT: at.base_instant if block is None else block.instant,
            FILE: file,
            BLOCK: None if block is None else block.offset,
            KIND: kind,
        }
        columns = {
            POSITION: pa.array(places, pa.int64()),
            SEQUENCE: pa.array(places + sequence, pa.int64()),
            ORDERING: pa.array(orderings, _ORDERING) if orderings else pa.nulls(rows, _ORDERING),
        }
        return [
            columns[field.name] if field.name in columns else pa.repeat(pa.scalar(given[field.name], field.type), rows)
            for field in CONTROL
        ]

    def _rows(
        self, batch: pa.RecordBatch, keys: ArrowColumn, partition: str, control: list[ArrowColumn]
    ) -> pa.RecordBatch:
        """Return rows with their key and partition path, which deletes and tables without meta columns lack."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns[_KEY] = keys
        columns[_PARTITION] = pa.repeat(pa.scalar(partition, pa.string()), len(keys))
        own = [columns[name] for name in self._reader.arrow.names]
        return pa.RecordBatch.from_arrays([*own, *control], schema=self.arrow)


class _DeletedRows:
    """What identifies the rows of some keys that a log deletes: an entry of a delete does not say all of it.

    Attributes:
        known: the identifying columns by record key, as far as rows were met.
    """

    def __init__(self, keys: ArrowColumn, identities: RecordReader) -> None:
        self._keys = keys
        self._wanted = frozenset(keys.to_pylist())
        self._identities = identities
        self.known: dict[str, Record] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._wanted

    def note(self, batch: pa.RecordBatch, keys: ArrowColumn) -> None:
        """Look at the next rows."""
        at = np.flatnonzero(pc.is_in(keys, self._keys).to_numpy(zero_copy_only=False))
        for some in np.array_split(at, -(-len(at) // _ROWS)) if len(at) else ():
            self.known |= zip(keys.take(pa.array(some)).to_pylist(), self._identities.rows(batch, some), strict=True)


def _is_delete(found: FoundBlock) -> bool:
    return found.block.type is BlockType.DELETE


def _fields_of(key: str, names: Sequence[str]) -> dict[str, str | None]:
    """Return the texts in a record key; nothing where its parts can't be told."""
    if len(names) == 1 and not key.startswith(f"{names[0]}:"):
        return {names[0]: key}
    parts = re.fullmatch(",".join(f"{re.escape(name)}:(.*)" for name in names), key, re.DOTALL) if names else None
    if parts is None:
        return {}
    stands_for: dict[str, str | None] = {"__null__": None, "__empty__": ""}
    return {name: stands_for.get(text, text) for name, text in zip(names, parts.groups(), strict=True)}
