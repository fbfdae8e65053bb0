"""What becomes of the rows of one key through the commits of a table, by what the snapshot after each shows of it."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING

from bridge.engines.row_counts import SIDES, RowCounts, RowStatus
from bridge.merge import MergePoint
from bridge.programs import Origin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.merge import StoredRow


class CommitStatuses:
    """Counts the rows of a key, as `bridge.programs.Table` tells its listener.

    A row is kept if it is among what the snapshot after its commit shows and the one before did not; merged if
    something else is; deleted if what was shown is gone, and nothing new is there; and ignored if both snapshots show
    the same. What a table has before the first commit is counted by what queries see of it then.

    Attributes:
        counts: the rows by side and status.
    """

    def __init__(self) -> None:
        self.counts: collections.Counter[tuple[Origin, RowStatus]] = collections.Counter()

    def commit(self, rows: int, before: Sequence[StoredRow], after: Sequence[StoredRow]) -> None:
        """Take what a commit made of the key."""
        gone, new = _without_equal(before, after)
        if new:
            kept = min(rows, sum(row.source is not None for row in new))
            self.counts[Origin.INCOMING, RowStatus.KEPT] += kept
            self.counts[Origin.INCOMING, RowStatus.MERGED] += rows - kept
        else:
            self.counts[Origin.INCOMING, RowStatus.DELETED if gone else RowStatus.IGNORED] += rows

    def table(self, rows: Mapping[Origin, int], stored: StoredRow | None, seen: Sequence[StoredRow]) -> None:
        """Take what a table has of the key."""
        stands = any(row is stored for row in seen)
        others = RowStatus.DELETED if not seen else RowStatus.IGNORED if stands else RowStatus.MERGED
        shown = 0 if stands else min(rows.get(Origin.LOG, 0), sum(row.source is not None for row in seen))
        kept = {Origin.STORED: int(stands), Origin.LOG: shown}
        for side, number in rows.items():
            self.counts[side, RowStatus.KEPT] += kept[side]
            self.counts[side, others] += number - kept[side]

    def failed(self, rows: int) -> None:
        """Take the rows of a key that can't be merged, whatever was told of it before."""
        self.counts = collections.Counter({(Origin.INCOMING, RowStatus.QUARANTINED): rows})

    def row_counts(self, rows: int) -> RowCounts:
        """Return the row counts of the key alone, of which so many rows came in.

        Raises:
            RowCountsError: rows were lost or doubled.
        """
        point = MergePoint.SNAPSHOT.value
        counts = {(point, SIDES[side], status): number for (side, status), number in self.counts.items()}
        found = RowCounts({SIDES[Origin.INCOMING]: rows}, counts, 0, 0, 0)
        found.check_sides()
        return found


def _without_equal(before: Sequence[StoredRow], after: Sequence[StoredRow]) -> tuple[list[StoredRow], list[StoredRow]]:
    """Return the rows of two snapshots that the other one lacks; a row pairs with one equal row at most."""
    same = {id(row) for row in before} & {id(row) for row in after}
    gone, new = [row for row in before if id(row) not in same], []
    for row in (row for row in after if id(row) not in same):
        pair = next((number for number, other in enumerate(gone) if other.record == row.record), None)
        if pair is None:
            new.append(row)
        else:
            del gone[pair]
    return gone, new
