"""Pairs of one stored and one newer row that whole columns merge, by the rule of the merge point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bridge.engines.python.arrow_pairs import CALLED, FILLED, Pairs, PairSide
from bridge.engines.python.arrow_rows import MadeRows, UnmadeRowError
from bridge.merge import MILLISECONDS, RowSource

if TYPE_CHECKING:
    import pyarrow as pa

    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.merge import PairMerge, RecordMerge
    from payloads import AvroSchema
    from payloads.rules import Test


class ColumnPairs:
    """Merges pairs of a batch by a rule, as far as columns tell."""

    def __init__(self, pairs: PairMerge | None, merge: RecordMerge, columns: tuple[str, ...]) -> None:
        """Take the rule; None where a class is called.

        Args:
            pairs: the rule of the merge point.
            merge: knows plan and schema; a schema that the user gave may want and convert values.
            columns: the data columns.
        """
        has_own = merge.plan.schema is not None
        self._pairs = None if pairs is not None and pairs.rule.conditions and has_own else pairs
        self._makes_rows = not has_own and all(_keeps_values(field.schema) for field in merge.schema.fields)
        self._columns = columns

    def merged(
        self, batch: pa.RecordBatch, firsts: Rows, told: Mask, plain: Mask
    ) -> tuple[Codes, pa.RecordBatch | None]:
        """Return the `RowSource` of each pair whose stored row is in `firsts`, or CALLED, and the rows made.

        `told` are the rows of which columns tell what a merge sees; `plain` those that are no deletes, too.
        """
        sources = np.full(len(firsts), CALLED, np.int8)
        if self._pairs is None or not len(firsts):
            return sources, None
        is_told = (plain if self._pairs.marks else told)[firsts + 1]
        firsts = firsts[is_told]
        pairs = Pairs(self._pairs, PairSide(batch, firsts), PairSide(batch, firsts + 1))
        found, rows = pairs.sources(), None
        is_made = (found == RowSource.MADE) | (found == FILLED)
        if is_made.any():
            newer, _ = pairs.masks(pairs.newer_is_later)

            def holds(test: Test) -> tuple[Mask, Mask]:
                known, refuted = pairs.masks(pairs.holds(test))
                return known[is_made], refuted[is_made]

            made = MadeRows(self._pairs, batch, (firsts[is_made], firsts[is_made] + 1), newer[is_made], holds)
            found[is_made], rows = self._made(made, found[is_made] == FILLED, newer[is_made])
        sources[is_told] = found
        return sources, rows

    def _made(self, made: MadeRows, may_stand: Mask, newer_is_later: Mask) -> tuple[Codes, pa.RecordBatch | None]:
        """Return the source of each row, and the new ones; where it may, the later row stands if it has no gap."""
        sources = np.full(len(may_stand), CALLED, np.int8)
        if not self._makes_rows:
            return sources, None
        try:
            stands = may_stand & ~made.has_gap(self._columns) if may_stand.any() else may_stand
            rows = None if stands.all() else made.batch(self._columns, ~stands)
        except UnmadeRowError:
            self._makes_rows = False
            return sources, None
        later = np.where(newer_is_later, RowSource.INCOMING, RowSource.STORED)
        sources = np.where(stands, later, RowSource.MADE).astype(np.int8)
        sources[made.is_open] = CALLED
        return sources, rows


def _keeps_values(schema: AvroSchema) -> bool:
    """Whether a value is the same after it was a record's: milliseconds, whose column has microseconds, are not."""
    return schema.logical not in MILLISECONDS and all(map(_keeps_values, schema.parts))
