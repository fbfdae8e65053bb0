"""The versions that the files of a file group still hold: rows of base files, rows and deletes of logs, in order."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines import KIND, ORDERING, PREFIX, SEQUENCE, ordering_text
from bridge.hudi.log_blocks import BlockType
from bridge.hudi.log_records import deleted_keys
from bridge.hudi.partition_values import values_of_path
from bridge.hudi.slice_reader import SliceReader
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.kryo import DeletedKey
    from bridge.hudi.slice_query import SliceQuery
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
_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]


class GroupVersions:
    """Reads file groups for one query; compiled once a task."""

    def __init__(self, query: SliceQuery) -> None:
        """Compile the conversions between rows and records."""
        self._query = query
        self._reader = SliceReader(query)
        self.arrow = pa.schema([*self._reader.arrow, *CONTROL])

    def read(self, group: Sequence[FileSlice]) -> Iterator[pa.RecordBatch]:
        """Give the versions in the slices of a file group, the oldest first.

        Raises:
            HudiTableError: a file can't be read.
        """
        sequence = 0
        for found in group:
            with self._reader.folder.blocks(found) as blocks:
                deletes = itertools.chain.from_iterable(self._deletes(block) for block in blocks if _is_delete(block))
                wanted = pa.array(sorted({entry.record_key for entry in deletes}), pa.string())
                known: dict[str, Record] = {}
                position = 0
                for batch in self._reader.base_batches(found):
                    keys = self._reader.key_column(batch)
                    self._note(known, batch, keys, wanted)
                    control = self._control(found, str(found.base_file), BASE, len(keys), sequence, first=position)
                    yield self._rows(batch, keys, found.partition, control)
                    position += len(keys)
                    sequence += len(keys)
                for block in blocks:
                    for part in self._block(block, found, sequence, known, wanted):
                        yield part
                        sequence += part.num_rows

    def _block(
        self, found: FoundBlock, at: FileSlice, sequence: int, known: dict[str, Record], wanted: pa.Array[Any]
    ) -> Iterator[pa.RecordBatch]:
        block = found.block
        name = block.file.rpartition("/")[2]
        if _is_delete(found):
            entries = self._deletes(found)
            if not entries:
                return
            rows = self._reader.batch([self._bare(one, at.partition, known.get(one.record_key)) for one in entries])
            keys = pa.array([one.record_key for one in entries], pa.string())
            orderings = [ordering_text(one.ordering) for one in entries]
            control = self._control(at, name, DELETE, len(keys), sequence, block=block, orderings=orderings)
            yield self._rows(rows, keys, at.partition, control)
            return
        kind, first = PARTIAL if block.is_partial else DATA, 0
        for batch, keys in self._reader.folder.versions(found, at.partition):
            self._note(known, batch, keys, wanted)
            control = self._control(at, name, kind, len(keys), sequence + first, first=first, block=block)
            first += len(keys)
            if len(keys):
                yield self._rows(batch, keys, at.partition, control)

    def _note(self, known: dict[str, Record], batch: pa.RecordBatch, keys: Any, wanted: pa.Array[Any]) -> None:
        """Note the rows of keys that a log deletes: an entry of a delete does not say all that identifies a row."""
        at = np.flatnonzero(pc.is_in(keys, wanted).to_numpy(zero_copy_only=False))
        if len(at):
            known.update(
                zip(keys.take(pa.array(at)).to_pylist(), self._reader.records(batch, at.tolist()), strict=True)
            )

    def _deletes(self, found: FoundBlock) -> list[DeletedKey]:
        return deleted_keys(found.block, found.stream, self._query.rules.release)

    def _bare(self, entry: DeletedKey, partition: str, known: Record | None) -> Record:
        """Return a row with the columns that identify a deleted key: of a row with that key, else read from the key."""
        properties = self._query.properties
        names = (*properties.partition_fields, *properties.key_fields)
        if known is None:
            texts = {
                **values_of_path(partition, properties.partition_fields),
                **_fields_of(entry.record_key, properties.key_fields),
            }
            known = {name: self._typed(name, texts.get(name)) for name in names}
        bare = dict.fromkeys(self._reader.arrow.names)
        return bare | {name: known.get(name) for name in names if name in bare}

    def _typed(self, name: str, text: str | None) -> Any:
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
        rows: int,
        sequence: int,
        *,
        first: int = 0,
        block: Any = None,
        orderings: list[Any] | None = None,
    ) -> list[pa.Array[Any]]:
        given = {
            SLICE: at.base_instant,
            INSTANT: at.base_instant if block is None else block.instant,
            FILE: file,
            BLOCK: None if block is None else block.offset,
            KIND: kind,
        }
        columns = {
            POSITION: pa.array(np.arange(first, first + rows), pa.int64()),
            SEQUENCE: pa.array(np.arange(sequence, sequence + rows), pa.int64()),
            ORDERING: pa.array(orderings, _ORDERING) if orderings else pa.nulls(rows, _ORDERING),
        }
        return [
            columns[field.name] if field.name in columns else pa.repeat(pa.scalar(given[field.name], field.type), rows)
            for field in CONTROL
        ]

    def _rows(self, batch: pa.RecordBatch, keys: Any, partition: str, control: list[pa.Array[Any]]) -> pa.RecordBatch:
        """Return rows with their key and partition path, which deletes and tables without meta columns lack."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns[_KEY] = keys
        columns[_PARTITION] = pa.repeat(pa.scalar(partition, pa.string()), len(keys))
        own = [columns[name] for name in self._reader.arrow.names]
        return pa.RecordBatch.from_arrays([*own, *control], schema=self.arrow)


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
