"""The log of a slice in Arrow columns, where one comparison decides which version of a key stays.

Blocks are folded once together they have more rows than there are winners, so memory holds the winners and at most
as many rows again, or one block. Keys that have a delete, a null in the
compared column or anything else that a comparison can't decide are left to the calls of the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python import compares_as_arrow, is_marked
from bridge.hudi.avro_columns import NotColumnarError
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from bridge.merge import LogRule
    from payloads.avro import AvroSchema
    from payloads.builtin import PairRule

    Mask = npt.NDArray[np.bool_]
    Rows = npt.NDArray[np.intp]

_KEY = META_COLUMNS[2]
_LAST_OF_GREATEST = (True, True, False)
"""When the later of two log rows wins, for `_winners`: where the one before is less or equal."""


def decides(rule: LogRule | None, schema: AvroSchema) -> bool:
    """Whether whole columns can decide by a rule of this schema."""
    if rule is None or not all(compares_as_arrow(each, schema) for each in (rule.log, rule.base)):
        return False
    if rule.log.field is not None and rule.log.wins != _LAST_OF_GREATEST:
        return False
    return all(test.field in schema.by_name for test in rule.deletes)


class LogColumns:
    """The winners of a log.

    Attributes:
        by_position: whether each row of the base file merges by its position.
        contested: the keys that are left to the calls.
    """

    def __init__(self, rule: LogRule, keys_of: Callable[[pa.RecordBatch], Any], *, by_position: bool) -> None:
        """Begin a log without rows; `keys_of` gives the record keys of rows."""
        self._rule = rule
        self._keys_of = keys_of
        self.by_position = by_position
        self._added: list[pa.RecordBatch] = []
        self._rows: Any = None  # a batch, once there are rows
        self._keys: Any = pa.array([], pa.string())
        self._met: Mask = np.zeros(0, bool)
        self.contested: set[str] = set()

    def add(self, batches: list[pa.RecordBatch]) -> None:
        """Fold the rows of the next block; errors as in `end`."""
        for batch in batches:
            unclear = is_marked(batch, self._rule.deletes)
            for field in {self._rule.log.field, self._rule.base.field} - {None}:
                unclear |= batch.column(field).is_null().to_numpy(zero_copy_only=False)
            if unclear.any():
                self.contested.update(self._keys_of(batch).filter(pa.array(unclear)).to_pylist())
        self._added += batches
        if sum(batch.num_rows for batch in self._added) > (0 if self._rows is None else self._rows.num_rows):
            self._fold()

    def end(self) -> None:
        """Fold what is left, and leave out the keys that are contested.

        Raises:
            NotColumnarError: the rows do not fit into one batch.
        """
        self._fold()
        if self._rows is None:
            return
        if self.contested:
            free = pc.invert(pc.is_in(self._keys, pa.array(sorted(self.contested), pa.string())))
            self._rows, self._keys = self._rows.filter(free), self._keys.filter(free)
        self._met = np.zeros(self._rows.num_rows, bool)

    def _fold(self) -> None:
        """Keep the winner of each key among the rows so far.

        Raises:
            NotColumnarError: they do not fit into one batch.
        """
        parts = [batch for batch in (self._rows, *self._added) if batch is not None and batch.num_rows]
        self._added = []
        if not parts:
            return
        rows, *more = _together(parts) if len(parts) > 1 else parts
        if more:
            msg = "the rows of a log exceed 2 GiB in one column"
            raise NotColumnarError(msg)
        encoded = self._keys_of(rows).dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        last = _winners(codes, _ranks(rows, self._rule.log))
        self._rows = rows.take(pa.array(last))
        self._keys = encoded.dictionary

    def merge(self, batch: pa.RecordBatch) -> tuple[list[pa.RecordBatch], list[tuple[int, int]]]:
        """Merge a batch of the base file.

        Returns:
            Batches of the rows that a query sees, those of contested keys as they are, and the pairs (row of `batch`,
            number of the winner) that a comparison can't decide: they are left out.
        """
        if self._rows is None or not self._rows.num_rows:
            return [batch], []
        numbers = pc.index_in(self._keys_of(batch), value_set=self._keys)
        rows = np.flatnonzero(numbers.is_valid().to_numpy(zero_copy_only=False))
        if not len(rows):
            return [batch], []
        winners = pc.fill_null(numbers, 0).to_numpy(zero_copy_only=False)[rows]
        if not self.by_position:  # a key that the base file has twice: the first row takes what the log has
            _, first = np.unique(winners, return_index=True)
            first = np.sort(first)
            rows, winners = rows[first], winners[first]
            rows, winners = rows[~self._met[winners]], winners[~self._met[winners]]
        self._met[winners] = True
        taken, open_ = self._compared(batch, rows, winners)
        gone = np.zeros(batch.num_rows, bool)
        gone[rows[taken | open_]] = True
        kept = batch.filter(pa.array(~gone))
        pairs = list(zip(rows[open_].tolist(), winners[open_].tolist(), strict=True))
        if not taken.any():
            return [kept], pairs
        return [kept, self._rows.take(pa.array(winners[taken]))], pairs

    def _compared(self, batch: pa.RecordBatch, rows: Rows, winners: Rows) -> tuple[Mask, Mask]:
        """Return which pairs the row of the log wins, and which nobody does."""
        rule = self._rule.base
        if rule.field is None or self._rows is None:
            return np.ones(len(rows), bool), np.zeros(len(rows), bool)
        stored = batch.column(rule.field).take(pa.array(rows))
        logged = self._rows.column(rule.field).take(pa.array(winners))
        taken, decided = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        for compare, wins in zip((pc.less, pc.equal, pc.greater), rule.wins, strict=True):
            holds = pc.fill_null(compare(stored, logged), False).to_numpy(zero_copy_only=False)
            decided |= holds
            if wins:
                taken |= holds
        return taken, ~decided

    def winners(self, numbers: list[int]) -> tuple[list[str], pa.RecordBatch]:
        """Return keys and rows of some winners."""
        at = pa.array(numbers, pa.int64())
        return self._keys.take(at).to_pylist(), self._rows.take(at)

    def unmatched(self) -> pa.RecordBatch | None:
        """Return the winners whose key no row of the base file had; None for no row."""
        if self._rows is None or self._met.all():
            return None
        return self._rows.filter(pa.array(~self._met))


def _together(parts: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    """Return rows as one batch; as several, where a column of text or bytes exceeds 2 GiB."""
    found: list[pa.RecordBatch] = pa.Table.from_batches(parts).combine_chunks().to_batches()
    return found


def _ranks(rows: pa.RecordBatch, rule: PairRule) -> Any:
    """Return numbers that sort as the compared column does; None where the later row wins anyway."""
    if rule.field is None:
        return None
    column = rows.column(rule.field)
    if pa.types.is_integer(column.type):
        return pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
    return pc.rank(column, sort_keys="ascending", tiebreaker="dense").to_numpy()


def _winners(codes: Any, ranks: Any) -> Rows:
    """Return of each code the last row among those with the greatest rank, by code."""
    order = np.argsort(codes, kind="stable") if ranks is None else np.lexsort((ranks, codes))
    ends: Rows = np.flatnonzero(np.diff(codes[order], append=-1))
    winners: Rows = order[ends]
    return winners
