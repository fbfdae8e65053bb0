"""Ledger: what becomes of the rows of a task, counted by whole columns."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING

import numpy as np

from bridge.engines.commit_statuses import CommitStatuses
from bridge.engines.python.outcomes import UNDECIDED
from bridge.engines.row_counts import MADE, SIDES, RowStatus, entry, final_point, fold_point
from bridge.merge import Action, MergePoint
from bridge.programs import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.engines.job import Job
    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.engines.python.outcome_buffers import BatchOutcomes
    from bridge.merge import StoredRow

# What becomes of the rows of a key that are not in its result, the strongest last.
_STATUSES = (RowStatus.IGNORED, RowStatus.DELETED, RowStatus.MERGED)
_NONE, _IGNORED, _DELETED, _MERGED = range(-1, 3)
_STATUS_OF = np.full(len(Action) + 1, _NONE, np.int8)
"""The status that an action brings, by its number; that of no action comes last."""
_STATUS_OF[[Action.INSERT, Action.UPDATE]] = _MERGED
_STATUS_OF[[Action.KEEP, Action.SKIP]] = _IGNORED
_STATUS_OF[Action.DELETE] = _DELETED


class Ledger:
    """Counts the rows of a task by side, merge point and status.

    A row that is in the result is kept. Of the others of a key, those of the newer side are first folded into one
    version, where there are several and the plan folds them; that version, and the stored row, share the status of the
    key.
    """

    def __init__(self, job: Job) -> None:
        self._point = final_point(job.program)
        self._folds = {side: fold_point(job.plan, side) for side in Origin}
        self._counts: collections.Counter[str] = collections.Counter()
        # Of the key that goes on in the next batch: its rows by side, those of them in the result, its status so far.
        self._open = np.zeros((2, len(SIDES)), np.int64)
        self._open_status = _NONE

    def text(self) -> str:
        """Return all counts so far, as `_pb_row_counts` has them."""
        return json.dumps(self._counts)

    def add_quarantined(self, point: str, side: Origin, rows: int) -> None:
        """Count rows that no merge can take."""
        self._counts[entry(point, SIDES[side], RowStatus.QUARANTINED)] += rows

    def add_made(self, records: int) -> None:
        """Count records of the result that merges made."""
        self._counts[MADE] += records

    def end_key(self, row: object) -> None:
        """Note the last version of a key; `row` is in the batch."""

    def add(  # noqa: PLR0913 (keyword-only parts of one batch)
        self,
        origins: Codes,
        starts: Mask,
        actions: Codes,
        noted: BatchOutcomes,
        *,
        ends: bool,
        quarantined: Mapping[int, str],
    ) -> None:
        """Count the rows of a batch whose keys end in it.

        Args:
            origins: the sides of the rows.
            starts: which rows are the first of their key.
            actions: of the rows that whole columns decided.
            noted: the other outcomes.
            ends: whether the last key ends with the batch.
            quarantined: the merge point at which a key failed, by any row of the key.
        """
        kept, statuses = actions != UNDECIDED, _STATUS_OF[actions]
        kept[noted.kept] = True
        np.maximum.at(statuses, noted.rows, _STATUS_OF[noted.actions])
        firsts = np.flatnonzero(starts)
        if not starts[0]:
            firsts = np.insert(firsts, 0, 0)
            statuses[0] = max(statuses[0], self._open_status, *(_STATUS_OF[action] for action in noted.of_open))
        of_key = np.maximum.reduceat(statuses, firsts)
        rows = np.empty((2, len(SIDES), len(firsts)), np.int64)
        for side in Origin:
            of_side = origins == side
            rows[0, side] = np.add.reduceat(of_side.astype(np.int64), firsts)
            rows[1, side] = np.add.reduceat((of_side & kept).astype(np.int64), firsts)
        if not starts[0]:
            rows[:, :, 0] += self._open
            for origin in noted.kept_before:
                rows[1, origin, 0] += 1
        self._open, self._open_status = np.zeros_like(self._open), _NONE
        if not ends:
            self._open, self._open_status = rows[:, :, -1].copy(), int(of_key[-1])
            rows, of_key = rows[:, :, :-1], of_key[:-1]
        self.add_made(noted.made)
        quarantined_keys = self._count_quarantined(rows, firsts, quarantined)
        self._count(rows[:, :, ~quarantined_keys], of_key[~quarantined_keys])

    def _count_quarantined(self, rows: Rows, firsts: Rows, quarantined: Mapping[int, str]) -> Mask:
        """Count the rows of keys that failed; return which keys they are."""
        quarantined_keys = np.zeros(rows.shape[2], bool)
        for row, point in quarantined.items():
            key = int(np.searchsorted(firsts, row, "right")) - 1
            if key >= len(quarantined_keys) or quarantined_keys[key]:
                continue  # it goes on in the next batch, or is counted
            quarantined_keys[key] = True
            for side in Origin:
                self.add_quarantined(point, side, int(rows[0, side, key]))
        return quarantined_keys

    def _count(self, rows: Rows, of_key: Codes) -> None:
        for side in Origin:
            total, kept = rows[0, side], rows[1, side]
            if not total.any():
                continue
            name, others = SIDES[side], total - kept
            self._counts[entry(self._point, name, RowStatus.KEPT)] += int(kept.sum())
            if (fold := self._folds[side]) is not None:
                last = (others > 0) & (kept == 0)
                folded = entry(fold, name, RowStatus.MERGED)
                self._counts[folded] += int((others - last).sum())
                others = last.astype(np.int64)
            for code, status in enumerate(_STATUSES):
                self._counts[entry(self._point, name, status)] += int(others[of_key == code].sum())


class CommitLedger(Ledger):
    """Counts the rows of a table's commits by what the snapshot after each shows of their key: see `CommitStatuses`."""

    def __init__(self, job: Job) -> None:
        super().__init__(job)
        self._of_key = CommitStatuses()
        self._ended: list[tuple[int, CommitStatuses]] = []

    def commit(self, rows: int, before: Sequence[StoredRow], after: Sequence[StoredRow]) -> None:
        """Take what a commit made of the open key."""
        self._of_key.commit(rows, before, after)

    def table(self, rows: Mapping[Origin, int], stored: StoredRow | None, seen: Sequence[StoredRow]) -> None:
        """Take what a table has of the open key."""
        self._of_key.table(rows, stored, seen)

    def failed(self, rows: int) -> None:
        """Take the rows of the open key, whose path ends in an error."""
        self._of_key.failed(rows)

    def end_key(self, row: object) -> None:
        """Note the last version of a key; `row` is in the batch."""
        self._ended.append((int(row), self._of_key))  # type: ignore[call-overload]
        self._of_key = CommitStatuses()

    def _count_quarantined(self, rows: Rows, firsts: Rows, quarantined: Mapping[int, str]) -> Mask:
        quarantined_keys = super()._count_quarantined(rows, firsts, quarantined)
        for row, statuses in self._ended:
            if not quarantined_keys[np.searchsorted(firsts, row, "right") - 1]:
                for (side, status), number in statuses.counts.items():
                    self._counts[entry(MergePoint.SNAPSHOT.value, SIDES[side], status)] += number
        self._ended.clear()
        return quarantined_keys

    def _count(self, rows: Rows, of_key: Codes) -> None:
        """Count nothing: the commits have told it."""
