"""File slices as the two sides of a merge: rows of base files, and the rows and deletes of logs, each with its slice.

Engines merge the versions of a key within a slice, by the number of the slice and the record key. What Hudi's readers
do otherwise is refused where it is met: partial rows, a key that a base file has twice, record positions that name rows
of other keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines import ARRIVAL, GROUP, IS_DELETE, ORDERING, ordering_text
from bridge.hudi.errors import UnmergedTableError, rows_of_file
from bridge.hudi.log_blocks import BlockType
from bridge.hudi.log_records import deleted_keys
from bridge.hudi.partition_values import partition_column, values_of_path
from bridge.hudi.record_positions import NamedRows, has_positions
from bridge.hudi.slice_merge import looked_up
from bridge.hudi.slice_reader import SliceReader
from bridge.hudi.slice_tasks import slices_in
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.hudi.block_order import FoundBlock
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn

_KEY = META_COLUMNS[2]
_NUMBER = pa.schema([(GROUP, pa.int32())])
LOGGED = pa.schema(
    [
        (IS_DELETE, pa.bool_()),
        (ORDERING, pa.struct([("type", pa.string()), ("value", pa.string())])),
        (ARRIVAL, pa.int64()),
    ]
)
"""The columns of a version in a log after the number of its slice and those of its row."""
_USE_PYTHON = "use the python engine"


class NumberedSlice(NamedTuple):
    """A file slice of an answer.

    Attributes:
        number: which, from 0.
        found: the slice.
    """

    number: int
    found: FileSlice


def read_stored(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the base files of one task's slices."""
    sides = SliceSides(query)
    for each in slices_in(batches):
        yield from sides.stored(*each)


def read_logged(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the logs of one task's slices."""
    sides = SliceSides(query)
    for each in slices_in(batches):
        yield from sides.logged(*each)


def read_paths(query: SliceQuery, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the values that the partition paths of slices tell, one row a slice: `query.paths_tell`."""
    shown = SliceReader(query).shown
    told = [shown.field(name) for name in query.paths_tell if name in shown.names]
    for number, found in slices_in(batches):
        values = values_of_path(found.partition, query.properties.partition_fields)
        path = query.files.described(found.partition)
        columns = [partition_column(values.get(field.name), field.type, 1, path) for field in told]
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), *columns], [GROUP, *(f.name for f in told)])


class SliceSides:
    """Reads the sides of slices for one query; compiled once a task.

    Memory holds a batch, and of a log its keys.
    """

    def __init__(self, query: SliceQuery) -> None:
        """Compile the conversions of rows."""
        self._query = query
        self._reader = SliceReader(query)
        self._wanted = None if query.keys is None else pa.array(sorted(query.keys), pa.string())
        self._stored = pa.schema([*_NUMBER, *self._reader.arrow])
        self._logged = pa.schema([*self._stored, *LOGGED])

    def stored(self, number: int, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the rows of the base file.

        Raises:
            HudiTableError: it can't be read.
        """
        with rows_of_file(self._query.files.described(found.path_of(found.last_file))):
            for batch in self._reader.base_batches(found):
                columns = self._columns(number, batch, self._reader.key_column(batch))
                yield pa.RecordBatch.from_arrays(columns, schema=self._stored)

    def logged(self, number: int, found: FileSlice) -> Iterator[pa.RecordBatch]:
        """Give the versions in the log, numbered in the order in which the release merges them.

        Raises:
            UnmergedTableError: engines would not merge them as the release does.
            HudiTableError: a file can't be read.
        """
        folder = self._reader.folder
        path = self._query.files.described(found.path_of(found.last_file))
        with rows_of_file(path), folder.blocks(found) as blocks:
            named = NamedRows.of(self._query, found, None) if has_positions(found, blocks) else None
            seen: list[ArrowColumn] = []
            arrived = 0
            for each in blocks:
                if each.block.is_partial:
                    place = f"{each.block.file}, block at byte {each.block.offset}"
                    msg = f"{place}: its rows are partial updates, which this engine does not merge; {_USE_PYTHON}"
                    raise UnmergedTableError(msg)
                of_block: list[ArrowColumn] = []
                for batch, keys in self._versions(number, each, found, arrived):
                    of_block.append(keys)
                    arrived += len(keys)
                    yield batch if self._wanted is None else batch.filter(pc.is_in(keys, self._wanted))
                seen += of_block
                if named is not None:
                    named.add(each.block, pa.chunked_array(of_block, pa.string()))
            self._check_base(found, pa.chunked_array(seen, pa.string()).unique(), named)

    def _versions(
        self, number: int, each: FoundBlock, found: FileSlice, arrived: int
    ) -> Iterator[tuple[pa.RecordBatch, ArrowColumn]]:
        """Give the versions of a block, some at a time, and their record keys; `arrived` came before."""
        if each.block.type is BlockType.DELETE:
            entries = deleted_keys(*each, self._query.rules.release)
            keys = pa.array([entry.record_key for entry in entries], pa.string())
            blank = [pa.nulls(len(entries), field.type) for field in self._reader.arrow]
            rows = pa.RecordBatch.from_arrays(blank, schema=self._reader.arrow)
            orderings = [ordering_text(entry.ordering) for entry in entries]
            yield self._in_log(number, rows, keys, arrived, pa.array(orderings, LOGGED.field(ORDERING).type)), keys
            return
        for rows, keys in self._reader.folder.versions(each, found.partition):
            yield self._in_log(number, rows, keys, arrived, None), keys
            arrived += len(keys)

    def _in_log(
        self, number: int, rows: pa.RecordBatch, keys: ArrowColumn, arrived: int, orderings: ArrowColumn | None
    ) -> pa.RecordBatch:
        size = rows.num_rows
        control = [
            pa.repeat(pa.scalar(orderings is not None), size),
            pa.nulls(size, LOGGED.field(ORDERING).type) if orderings is None else orderings,
            pa.array(np.arange(arrived, arrived + size), pa.int64()),
        ]
        return pa.RecordBatch.from_arrays([*self._columns(number, rows, keys), *control], schema=self._logged)

    @staticmethod
    def _columns(number: int, rows: pa.RecordBatch, keys: ArrowColumn) -> list[ArrowColumn]:
        """Return the number of the slice, and the columns of rows with their record keys, which files may lack."""
        own = [keys if name == _KEY else column for name, column in zip(rows.schema.names, rows.columns, strict=True)]
        return [pa.repeat(pa.scalar(number, pa.int32()), rows.num_rows), *own]

    def _check_base(self, found: FileSlice, keys: ArrowColumn, named: NamedRows | None) -> None:
        """Check that each key of a log is that of at most one row of the base file, and of the row that it names.

        Raises:
            UnmergedTableError: it is not.
        """
        if found.base_file is None or not len(keys):
            return
        path = self._query.files.described(found.path_of(found.base_file))
        is_met = np.zeros(len(keys), bool)
        for _, numbers in looked_up(self._as_named(found, path, named), self._reader.key_column, keys):
            met, times = np.unique(numbers[numbers >= 0], return_counts=True)
            twice = met[(times > 1) | is_met[met]]
            if len(twice):
                key = keys[int(twice[0])].as_py()
                msg = (
                    f"{path} has the key {key!r} more than once, and its log has versions of it, which this engine "
                    f"would merge with each of the rows; {_USE_PYTHON}"
                )
                raise UnmergedTableError(msg)
            is_met[met] = True

    def _as_named(self, found: FileSlice, path: str, named: NamedRows | None) -> Iterator[pa.RecordBatch]:
        """Give the rows of the base file, if they have the keys with which the log names them; errors as above."""
        own_keys = self._reader.key_column if named is None else named.over(self._reader.key_column)
        rows = 0
        for batch in self._reader.base_keys(found):
            rows += batch.num_rows
            own_keys(batch)
            if named is not None and named.foreign(batch):
                msg = (
                    f"{path} has other keys in the rows that its log names by position, and Hudi goes by position; "
                    f"{_USE_PYTHON}"
                )
                raise UnmergedTableError(msg)
            yield batch
        if named is not None and named.last >= rows:
            msg = f"{path} has {rows} rows, and its log names the one at position {named.last}; {_USE_PYTHON}"
            raise UnmergedTableError(msg)
