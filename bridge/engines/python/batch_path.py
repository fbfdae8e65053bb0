"""Fast path for deduplicating a batch: which of the rows of a key survives, by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from bridge.engines.control_columns import IS_DELETE, ORDERING
from bridge.engines.python.column_folds import is_foldable, last_of_greatest
from bridge.engines.python.inserts import InsertMask
from bridge.engines.python.keys import single_rows
from bridge.engines.python.outcomes import CONTROL_TYPES, UNDECIDED
from bridge.merge import DELETES, Action, RowSource

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.engines.python.fast_path import RowMerges
    from bridge.engines.python.outcome_buffers import Position
    from bridge.engines.python.outcomes import Outcomes
    from bridge.merge import RecordMerge, UserBatch
    from bridge.spark import ArrowColumn


class UserMerges(NamedTuple):
    """A user's class that deduplicates a batch.

    Attributes:
        batch: how it is called.
        calls: makes the calls: for a row alone, and for two.
    """

    batch: UserBatch
    calls: RowMerges

    @property
    def combines(self) -> bool:
        """Whether it is called for two rows, too."""
        return self.batch.combine is not None


class BatchPath:
    """Decides the keys of a batch none of whose rows is a delete, and that have an ordering value.

    Attributes:
        spans: as in `FastPath`; none, as a key has one outcome.
    """

    spans: tuple[tuple[int, Position, Position], ...] = ()

    def __init__(self, merge: RecordMerge, user: UserMerges | None, outcomes: Outcomes) -> None:
        """Find out, once, what columns can decide.

        Args:
            merge: what is called.
            user: the calls of a user's class; None where none decides.
            outcomes: takes the versions that are in no batch.
        """
        rule = merge.batch_rule()
        self._user = user
        self._outcomes = outcomes
        asked = rule if user is None else user.batch
        self._carried = None if asked is None else asked.carried
        self._deletes: Rows = np.zeros(0, np.int64)
        if rule is not None and rule.rule is not None and not is_foldable(rule.rule, merge.schema):
            rule = rule._replace(rule=None)
        self._rule = rule
        tests, ordering = (None, None) if rule is None else (rule.tests, rule.carried.column)
        self._inserts = InsertMask(tests, ordering, merge)

    def decide(self, batch: pa.RecordBatch, starts: Mask, *, ends: bool) -> tuple[Codes, Rows]:
        """Return the actions of the rows that survive, and the rows that a program has to see; as `FastPath` does."""
        actions, everything = np.full(batch.num_rows, UNDECIDED, np.int8), np.arange(batch.num_rows)
        self._deletes = everything[:0]
        if IS_DELETE in batch.schema.names:  # it was combined before
            return actions, everything
        if self._user is not None:
            return actions, np.delete(everything, self._asked(self._user, batch, starts, actions, ends=ends))
        if self._rule is None:
            return actions, everything
        keys: Rows = np.cumsum(starts)
        undecided = np.zeros(keys[-1] + 1, bool)
        undecided[keys[~self._inserts.rows(batch)[1]]] = True
        undecided[0] = True  # of rows before the first start: their key began in an earlier batch
        undecided[-1] |= not ends
        if self._rule.rule is None:
            undecided |= np.bincount(keys) > 1
        decided = ~undecided[keys]
        rows = np.flatnonzero(decided)
        actions[self._survivors(batch, rows, keys[rows])] = Action.INSERT
        return actions, np.flatnonzero(~decided)

    def _asked(self, user: UserMerges, batch: pa.RecordBatch, starts: Mask, actions: Codes, *, ends: bool) -> Rows:
        """Let a user's class say which rows of keys with one or two survive; return the rows of these keys."""
        rows = np.flatnonzero(single_rows(starts, ends=ends))
        sources, _ = user.calls.singles(batch, rows)
        live, deletes = [rows[sources == RowSource.INCOMING]], [rows[sources == RowSource.NONE]]
        if not user.combines:
            firsts = rows[:0]
        else:
            firsts = _twos(starts, ends=ends)
            sources, versions = user.calls.pairs(batch, firsts)
            made: Iterable[Any] = versions  # `MadeVersion`
            for source, added in ((RowSource.STORED, 0), (RowSource.INCOMING, 1)):
                live.append(firsts[sources == source] + added)
                deletes.append(firsts[sources == source + DELETES] + added)
            for version, row in zip(made, firsts[sources == RowSource.MADE].tolist(), strict=True):
                self._outcomes.version(version, user.calls.single_point, row)
        self._deletes = np.concatenate(deletes)
        actions[np.concatenate(live)] = actions[self._deletes] = Action.INSERT
        return np.concatenate([rows, firsts, firsts + 1])

    def _survivors(self, batch: pa.RecordBatch, rows: Rows, keys: Rows) -> Rows:
        """Return the last of the rows of each key, among those with the greatest value where one is compared."""
        ends = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
        rule = None if self._rule is None else self._rule.rule
        if rule is None or rule.column is None or ends.all():
            last: Rows = rows[ends]
            return last
        survivors: Rows = rows[last_of_greatest(keys, batch.column(rule.column).take(pa.array(rows)))]
        return survivors

    def added(self, batch: pa.RecordBatch) -> dict[str, ArrowColumn]:
        """Return the ordering value of each row, as `to_text` gives it, and which rows are deletes."""
        carried, kind, rows = self._carried, CONTROL_TYPES[ORDERING], batch.num_rows
        if carried is None:
            return {}
        text = pa.repeat("0", rows) if carried.column is None else _texts(batch.column(carried.column))
        parts = [pa.repeat(carried.sample.java_type, rows), text]
        given: Any = pa.StructArray.from_arrays(parts, fields=list(kind), mask=text.is_null())
        if not len(self._deletes):
            return {ORDERING: given}
        deleted = np.zeros(rows, bool)
        deleted[self._deletes] = True
        return {ORDERING: given, IS_DELETE: pa.array(deleted)}


def _twos(starts: Mask, *, ends: bool) -> Rows:
    """Return the first rows of the keys that have two rows and end in this batch."""
    after = np.append(starts[2:], ends)
    found: Rows = np.flatnonzero(starts[:-1] & ~starts[1:] & after[: len(starts) - 1])
    return found


def _texts(column: ArrowColumn) -> ArrowColumn:
    """Return values as texts: dates and times as numbers."""
    if pa.types.is_date32(column.type):
        column = column.view(pa.int32())
    elif pa.types.is_timestamp(column.type):
        column = column.view(pa.int64())
    return column.cast(pa.string())
