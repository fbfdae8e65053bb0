"""The fast path: the keys of a batch that no program has to see, by whole columns or in one call a key."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from bridge.engines.control_columns import COMMIT, IS_DELETE, ORIGIN
from bridge.engines.python.arrow_pairs import CALLED
from bridge.engines.python.column_pairs import ColumnPairs
from bridge.engines.python.inserts import InsertMask
from bridge.engines.python.keys import pairs, single_rows
from bridge.engines.python.outcomes import UNDECIDED
from bridge.engines.python.records import read_rows
from bridge.merge import Action, MergePoint, RowSource
from bridge.programs import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.engines.python.outcome_buffers import Position
    from bridge.engines.python.outcomes import Outcomes
    from bridge.engines.python.records import RecordReader
    from bridge.merge import RecordMerge, SingleRows
    from bridge.programs import ProgramSpec
    from bridge.spark import ArrowColumn
    from payloads import Record


class FastPath:
    """Decides keys of one row, and keys of one stored and one newer row.

    Attributes:
        spans: a row of each key of the last batch that has several outcomes which may not fit, where these begin and
            where they end.
    """

    def __init__(  # noqa: PLR0913, PLR0917 (what decides, and who takes the rest)
        self,
        merge: RecordMerge,
        spec: ProgramSpec,
        columns: tuple[str, ...],
        merges: RowMerges | None,
        outcomes: Outcomes,
        entries: RowMerges | None = None,
    ) -> None:
        """Find out, once, what columns can decide.

        Args:
            merge: what is called.
            spec: the program that sees the other keys.
            columns: the data columns.
            merges: merges the rows that columns don't decide; None if that takes the program.
            outcomes: takes the rows that are in no batch.
            entries: tells what newer rows become in a log, where that takes calls of a user's class; None if not.
        """
        self.spans: list[tuple[int, Position, Position]] = []
        self._merges = merges
        self._entries = entries
        self._of_inserts = (spec.untouched or {}).get(Action.INSERT, ())
        self._outcomes = outcomes
        self._goes_beside = spec.goes_beside
        calls = merge.single_rows(spec.meets_at or MergePoint.UPSERT)
        ordering = merge.plan.ordering if calls.needs_ordering else ()
        self._inserts = InsertMask(calls.tests, ordering[0] if ordering else None, merge)
        self._pairs = ColumnPairs(calls.stored, merge, columns)

    def decide(self, batch: pa.RecordBatch, starts: Mask, *, ends: bool) -> tuple[Codes, Rows]:
        """Return the actions of the rows that are decided, and the rows that a program has to see.

        A row without an action that is not returned either is one that lost, or its outcome is noted, or its key
        failed.

        Args:
            batch: rows, sorted.
            starts: which rows are the first of their key.
            ends: whether the last key ends with the batch.

        Raises:
            MergeFailedError: as the engine's.
        """
        self.spans.clear()
        origins = batch.column(ORIGIN).to_numpy()
        stored = origins == Origin.STORED
        single = single_rows(starts, ends=ends)
        actions = np.full(batch.num_rows, UNDECIDED, np.int8)
        actions[single & stored] = Action.KEEP
        rows = _rows(batch, origins)
        told, unmarked = self._inserts.rows(batch) if rows.any() else (rows, rows)
        plain = rows & unmarked
        actions[single & plain] = Action.INSERT
        contested: Mask = actions == UNDECIDED
        firsts = pairs(starts, stored, ends=ends)
        firsts = firsts[rows[firsts + 1]]
        if self._goes_beside:
            beside = firsts[plain[firsts + 1]]
            actions[beside], actions[beside + 1] = Action.KEEP, Action.UPDATE
            contested[beside] = contested[beside + 1] = False
            if self._entries is not None:
                contested[firsts] = contested[firsts + 1] = False
                self._log_newer(self._entries, batch, firsts, actions)
        elif self._merges is not None:
            contested[firsts] = contested[firsts + 1] = False
            sources, made = self._pairs.merged(batch, firsts, told, plain)
            self._note_pairs(firsts, sources, actions)
            if made is not None:
                self._outcomes.filled(made, firsts[sources == RowSource.MADE])
            self._merge_pairs(self._merges, batch, firsts[sources == CALLED], actions)
        if self._merges is not None:
            singles = np.flatnonzero(single & contested & rows)
            contested[singles] = False
            self._insert_singles(self._merges, batch, singles, actions)
        return actions, np.flatnonzero(contested)

    @staticmethod
    def added(_batch: pa.RecordBatch) -> dict[str, ArrowColumn]:
        """Return the columns that decided rows get one by one: none."""
        return {}

    def _merge_pairs(self, merges: RowMerges, batch: pa.RecordBatch, firsts: Rows, actions: Codes) -> None:
        """Merge the pairs whose stored rows are `firsts`: a row that wins gets its action, other outcomes are noted."""
        if not len(firsts):
            return
        sources, made = merges.pairs(batch, firsts)
        self._note_pairs(firsts, sources, actions)
        self._outcomes.made(Action.UPDATE, made, merges.pair_point, firsts[sources == RowSource.MADE])

    def _note_pairs(self, firsts: Rows, sources: Codes, actions: Codes) -> None:
        """Give the rows that win their actions, and note the deletes."""
        actions[firsts[sources == RowSource.STORED]] = Action.KEEP
        actions[firsts[sources == RowSource.INCOMING] + 1] = Action.UPDATE
        self._outcomes.batch_keys(Action.DELETE, firsts[sources == RowSource.NONE])

    def _insert_singles(self, merges: RowMerges, batch: pa.RecordBatch, rows: Rows, actions: Codes) -> None:
        """Store the newer rows without other versions, as `_merge_pairs`."""
        if not len(rows):
            return
        sources, made = merges.singles(batch, rows)
        actions[rows[sources == RowSource.INCOMING]] = Action.INSERT
        self._outcomes.made(
            Action.INSERT, made, merges.single_point, rows[sources == RowSource.MADE], *self._of_inserts
        )
        self._outcomes.batch_keys(Action.SKIP, rows[sources == RowSource.NONE], *self._of_inserts)

    def _log_newer(self, entries: RowMerges, batch: pa.RecordBatch, firsts: Rows, actions: Codes) -> None:
        """Keep the rows `firsts`, and let a user's class say what becomes of the newer ones after them in a log."""
        if not len(firsts):
            return
        sources, made = entries.singles(batch, firsts + 1)
        told = iter(made)
        for row, source in zip((firsts + 1).tolist(), sources.tolist(), strict=True):
            if source == RowSource.MADE:  # it may not fit, and then the stored row goes with it
                start = self._outcomes.position()
                self._outcomes.batch_row(Action.KEEP, row - 1, False, None)
                self._outcomes.new(Action.UPDATE, next(told), entries.single_point, row, True, None)
                self.spans.append((row, start, self._outcomes.position()))
            elif source == RowSource.NONE:  # of a delete, its ordering value was told
                self._outcomes.batch_keys(Action.DELETE, np.array([row]), True, next(told))
        actions[firsts[(sources >= 0) & (sources != RowSource.MADE)]] = Action.KEEP
        actions[firsts[sources == RowSource.INCOMING] + 1] = Action.UPDATE
        self._outcomes.batch_keys(Action.SKIP, firsts[sources == RowSource.STORED], True, None)


def _rows(batch: pa.RecordBatch, origins: Codes) -> Mask:
    """Return which versions are newer rows that were not merged before.

    What a log has is final; a combined batch may bring other ordering values than its rows have.
    """
    names = batch.schema.names
    is_log: Mask = origins == Origin.LOG
    if IS_DELETE not in names:
        return is_log if COMMIT in names else origins != Origin.STORED
    deletes: Mask = pc.fill_null(batch.column(IS_DELETE), False).to_numpy(zero_copy_only=False)
    newer: Mask = is_log & ~deletes
    return newer


class RowMerges:
    """Merges the rows of many keys, record by record."""

    def __init__(
        self,
        calls: SingleRows,
        read_newer: RecordReader,
        read_stored: RecordReader,
        failed: Callable[[int, Exception], Exception],
    ) -> None:
        """Bind the calls of a merge point.

        Args:
            calls: what is called.
            read_newer: reads rows of a batch or a log.
            read_stored: reads stored rows.
            failed: makes the error of a row whose merge raised one, or notes it.
        """
        self._calls = calls
        self._read_newer = read_newer
        self._read_stored = read_stored
        self._failed = failed
        self.pair_point = calls.pair_point
        self.single_point = calls.single_point

    def pairs(self, batch: pa.RecordBatch, firsts: Rows) -> tuple[Codes, list[Record]]:
        """Return where the row of each pair comes from whose stored row is in `firsts`, and the records made."""
        stored = read_rows(self._read_stored, batch, firsts, self._failed)
        newer = read_rows(self._read_newer, batch, firsts + 1, self._failed)
        return self._called(self._calls.pair, firsts, stored, newer)

    def singles(self, batch: pa.RecordBatch, rows: Rows) -> tuple[Codes, list[Record]]:
        """Return where the row of each new key comes from, and the records made."""
        return self._called(self._calls.single, rows, read_rows(self._read_newer, batch, rows, self._failed))

    def _called(
        self, merge: Callable[..., RowSource], rows: Rows, *records: list[Record]
    ) -> tuple[Codes, list[Record]]:
        """Call `merge` for each key, of which `rows` has one row, in a loop of C: most keys need no more than that."""
        first, *others = records
        ahead = iter(first)
        made: list[Record] = []
        try:
            return np.fromiter(map(merge, ahead, *others, itertools.repeat(made)), np.int8, len(first)), made
        except Exception as error:
            row = int(rows[len(rows) - operator.length_hint(ahead) - 1])
            raise self._failed(row, error) from error
