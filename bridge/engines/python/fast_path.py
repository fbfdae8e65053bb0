"""The fast path: the keys of a batch that no program has to see, by whole columns or in one call a key."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from bridge.engines.control_columns import COMMIT, IS_DELETE, ORIGIN
from bridge.engines.python.column_pairs import PairWinners
from bridge.engines.python.inserts import InsertMask
from bridge.engines.python.keys import alone, pairs
from bridge.engines.python.outcomes import UNDECIDED
from bridge.engines.python.records import read_rows
from bridge.merge import Action, MergePoint, RowSource
from bridge.programs import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.engines.python.outcomes import Outcomes
    from bridge.engines.python.records import RecordReader
    from bridge.merge import RecordMerge, SingleRows
    from bridge.programs import ProgramSpec
    from payloads import AvroSchema, Record


class FastPath:
    """Decides keys of one row, and keys of one stored and one newer row."""

    def __init__(self, merge: RecordMerge, spec: ProgramSpec, merges: RowMerges | None, outcomes: Outcomes) -> None:
        """Find out, once, what columns can decide.

        Args:
            merge: what is called.
            spec: the program that sees the other keys.
            merges: merges the rows that columns don't decide; None if that takes the program.
            outcomes: takes the rows that are in no batch.
        """
        self._merges = merges
        self._outcomes = outcomes
        self._goes_beside = spec.goes_beside
        calls = merge.single_rows(spec.meets_at or MergePoint.UPSERT)
        self._inserts = InsertMask(calls, merge.plan, merge.schema)
        self._winners = PairWinners(calls.rule, merge.schema)
        self._required = _required(merge)

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
        origins = batch.column(ORIGIN).to_numpy()
        stored = origins == Origin.STORED
        single = alone(starts, ends=ends)
        actions = np.full(batch.num_rows, UNDECIDED, np.int8)
        actions[single & stored] = Action.KEEP
        rows = _rows(batch, origins)
        plain = rows & self._plain(batch) if rows.any() else rows
        actions[single & plain] = Action.INSERT
        contested: Mask = actions == UNDECIDED
        firsts = pairs(starts, stored, ends=ends)
        firsts = firsts[rows[firsts + 1]]
        if self._goes_beside:
            beside = firsts[plain[firsts + 1]]
            actions[beside], actions[beside + 1] = Action.KEEP, Action.UPDATE
            contested[beside] = contested[beside + 1] = False
        elif self._merges is not None:
            singles = np.flatnonzero(single & contested & rows)
            contested[firsts] = contested[firsts + 1] = contested[singles] = False
            won = self._winners.among(batch, firsts, plain)
            actions[firsts[won.stored]] = Action.KEEP
            actions[firsts[won.newer] + 1] = Action.UPDATE
            self._merge_pairs(self._merges, batch, firsts[~(won.stored | won.newer)], actions)
            self._insert_singles(self._merges, batch, singles, actions)
        return actions, np.flatnonzero(contested)

    def _plain(self, batch: pa.RecordBatch) -> Mask:
        """Return which rows are stored as they are where no other version of their key wins."""
        can_tell = self._inserts.can_tell and self._required is not None
        if not can_tell or any(batch.column(name).null_count for name in self._required or ()):
            return np.zeros(batch.num_rows, dtype=bool)  # a record is made of each, which says what is wrong
        return self._inserts.rows(batch)

    def _merge_pairs(self, merges: RowMerges, batch: pa.RecordBatch, firsts: Rows, actions: Codes) -> None:
        """Merge the pairs whose stored rows are `firsts`: a row that wins gets its action, other outcomes are noted."""
        if not len(firsts):
            return
        sources, made = merges.pairs(batch, firsts)
        actions[firsts[sources == RowSource.STORED]] = Action.KEEP
        actions[firsts[sources == RowSource.INCOMING] + 1] = Action.UPDATE
        self._outcomes.made(Action.UPDATE, made, merges.pair_point, firsts[sources == RowSource.MADE])
        self._outcomes.bare(Action.DELETE, firsts[sources == RowSource.NONE])

    def _insert_singles(self, merges: RowMerges, batch: pa.RecordBatch, rows: Rows, actions: Codes) -> None:
        """Store the newer rows without other versions, as `_merge_pairs`."""
        if not len(rows):
            return
        sources, made = merges.singles(batch, rows)
        actions[rows[sources == RowSource.INCOMING]] = Action.INSERT
        self._outcomes.made(Action.INSERT, made, merges.single_point, rows[sources == RowSource.MADE])
        self._outcomes.bare(Action.SKIP, rows[sources == RowSource.NONE])


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
    """Merges the rows of many keys, from record to record."""

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


def _required(merge: RecordMerge) -> tuple[str, ...] | None:
    """Return the columns that must not have null for rows to fit the schema; None if that is not enough.

    A schema that was made of the frame fits. One that a user gave may want more than the frame says.
    """
    given = merge.plan.schema
    if given is None:
        return ()
    if any(_wants_more(field.schema.non_null) for field in given.fields):
        return None
    return tuple(field.name for field in given.fields if not field.schema.nullable)


def _wants_more(value: AvroSchema) -> bool:
    """Whether a value that is not null may not fit: for its symbol or size, or for a null inside."""
    match value.kind:
        case "record":
            inner = [field.schema for field in value.fields]
        case "array":
            inner = [value.items]
        case "map":
            inner = [value.values]
        case kind:
            return kind in {"enum", "fixed", "union"} or value.logical == "decimal"
    return any(not schema.nullable or _wants_more(schema.non_null) for schema in inner)
