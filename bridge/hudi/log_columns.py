"""The log of a slice in Arrow columns, where a comparison decides which version of a key stays, or there is one.

Blocks are folded once together they have more rows than are kept, so memory holds the kept rows and at most as many
again, or one block. Keys that have a delete, a null in the compared column or anything else that a comparison can't
decide are left to the calls of the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python import is_foldable, is_marked, last_of_greatest, sources_of
from bridge.hudi.avro_columns import NotColumnarError
from bridge.merge import RowSource, in_columns
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from bridge.merge import LogRule
    from bridge.spark import ArrowColumn
    from payloads.avro import AvroSchema

    Mask = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.intp]

_KEY = META_COLUMNS[2]


def decides(rule: LogRule | None, schema: AvroSchema) -> bool:
    """Whether whole columns can decide by a rule of this schema."""
    if rule is None or not is_foldable(rule.log, schema):
        return False
    return in_columns(rule.deletes, schema) == rule.deletes


class LogColumns:
    """The kept rows of a log, or, without a rule, the rows of the keys that have one.

    Attributes:
        rows: one of each key, once the log has ended and has rows.
        keys: theirs.
        by_position: whether each row of the base file merges by its position.
        contested: the keys that are left to the calls.
    """

    def __init__(
        self, rule: LogRule | None, keys_of: Callable[[pa.RecordBatch], ArrowColumn], *, by_position: bool
    ) -> None:
        """Begin a log without rows; `keys_of` gives the record keys of rows."""
        self._rule = rule
        self._keys_of = keys_of
        self.by_position = by_position
        self._added: list[pa.RecordBatch] = []
        self._instant = ""
        self._of_commit: list[ArrowColumn] = []
        self.rows: Any = None  # a batch, once there are rows
        self.keys: ArrowColumn = pa.array([], pa.string())
        self._matched: Mask = np.zeros(0, bool)
        self.contested: set[str] = set()

    @property
    def decides_without_base(self) -> bool:
        """Whether a row whose key the base file lacks is shown as it is."""
        return self._rule is not None

    def add(self, batches: list[pa.RecordBatch], instant: str) -> None:
        """Fold the rows of the next block, which a commit wrote; errors as in `end`."""
        if self._rule is not None:
            for batch in batches:
                self._contest(batch, self._rule)
        if self.by_position:
            self._contest_copies(batches, instant)
        self._added += batches
        if sum(batch.num_rows for batch in self._added) > (0 if self.rows is None else self.rows.num_rows):
            self._fold()

    def _contest(self, batch: pa.RecordBatch, rule: LogRule) -> None:
        """Leave to the calls the keys of rows that may be deletes, or have no value to compare."""
        unclear = is_marked(batch, rule.deletes)
        if rule.log.column is not None:
            unclear |= batch.column(rule.log.column).is_null().to_numpy(zero_copy_only=False)
        if unclear.any():
            self.contested.update(self._keys_of(batch).filter(pa.array(unclear)).to_pylist())

    def _contest_copies(self, batches: list[pa.RecordBatch], instant: str) -> None:
        """Leave to the calls the keys that a commit has twice, in one block or two: the base file has them twice."""
        if instant != self._instant:
            self._instant, self._of_commit = instant, []
        self._of_commit += map(self._keys_of, batches)
        keys = pa.chunked_array(self._of_commit, pa.string())
        counted = keys.value_counts()
        self.contested.update(counted.field("values").filter(pc.greater(counted.field("counts"), 1)).to_pylist())

    def end(self) -> None:
        """Fold what is left, and leave out the keys that are contested.

        Raises:
            NotColumnarError: the rows do not fit into one batch.
        """
        self._fold()
        if self.rows is None:
            return
        if self.contested:
            free = pc.invert(pc.is_in(self.keys, pa.array(sorted(self.contested), pa.string())))
            self.rows, self.keys = self.rows.filter(free), self.keys.filter(free)
        self._matched = np.zeros(self.rows.num_rows, bool)

    def _fold(self) -> None:
        """Keep the row of each key that wins among the rows so far.

        Raises:
            NotColumnarError: they do not fit into one batch, or one has no key.
        """
        parts = [batch for batch in (self.rows, *self._added) if batch is not None and batch.num_rows]
        self._added = []
        if not parts:
            return
        rows, *more = _together(parts) if len(parts) > 1 else parts
        if more:
            msg = "the rows of a log exceed 2 GiB in one column"
            raise NotColumnarError(msg)
        encoded = self._keys_of(rows).dictionary_encode()
        if encoded.null_count:
            msg = "a row of a log has no key"
            raise NotColumnarError(msg)
        codes, self.keys = encoded.indices.to_numpy(), encoded.dictionary
        if len(self.keys) == rows.num_rows:
            self.rows = rows
            return
        if self._rule is None:
            self.contested.update(self.keys.filter(pa.array(np.bincount(codes) > 1)).to_pylist())
        name = None if self._rule is None else self._rule.log.column
        self.rows = rows.take(pa.array(last_of_greatest(codes, None if name is None else rows.column(name))))

    def matches(self, rows: Rows, numbers: Rows) -> tuple[Rows, Rows]:
        """Return those of some rows of the base file that merge with the rows `numbers` of the log, each with its own.

        Of a key that the base file has twice, the first row does; merged by position, each does.
        """
        if not self.by_position:
            _, first = np.unique(numbers, return_index=True)
            first = np.sort(first)
            first = first[~self._matched[numbers[first]]]
            rows, numbers = rows[first], numbers[first]
        self._matched[numbers] = True
        return rows, numbers

    def compared(self, batch: pa.RecordBatch, rows: Rows, numbers: Rows) -> tuple[Mask, Mask]:
        """Return which of these pairs the row of the log wins, and which are left to the calls."""
        if self._rule is None:
            return np.zeros(len(rows), bool), np.ones(len(rows), bool)
        sources = sources_of(self._rule.base, (batch, rows), (self.rows, numbers))
        is_won = sources == RowSource.INCOMING
        return is_won, ~is_won & (sources != RowSource.STORED)

    def keys_at(self, numbers: Rows) -> list[str]:
        """Return the keys of some rows."""
        keys: list[str] = self.keys.take(pa.array(numbers, pa.int64())).to_pylist()
        return keys

    def unmatched(self) -> Rows:
        """Return the rows whose key no row of the base file had."""
        return np.flatnonzero(~self._matched)


def _together(parts: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Return rows as one batch; as several, where a column of text or bytes exceeds 2 GiB."""
    found: list[pa.RecordBatch] = pa.Table.from_batches(parts).combine_chunks().to_batches()
    return found
