"""Pairs that whole columns make one row of: the values of the later row, and those of the other where it has null."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from bridge.engines.python.column_pairs import PairWinners, compares_as_arrow
from bridge.merge import MILLISECONDS, MergePoint
from bridge.spark import META_COLUMNS

if TYPE_CHECKING:
    from bridge.engines.python.column_types import Mask, Rows
    from bridge.merge import RecordMerge
    from payloads import AvroSchema
    from payloads.builtin import FillRule


class Filled(NamedTuple):
    """What became of some pairs.

    Attributes:
        decided: which of them.
        stands: the rows that stay as they are, and are what is left of their pairs.
        pairs: the stored rows of those that a new row was made of.
        rows: these new rows.
    """

    decided: Mask
    stands: Rows
    pairs: Rows
    rows: pa.RecordBatch


class PairFills:
    """Fills rows of a batch by Hudi's rule, where that asks for nulls alone."""

    def __init__(self, rule: FillRule | None, merge: RecordMerge, point: MergePoint, columns: tuple[str, ...]) -> None:
        """Take the rule, if it is one for whole columns.

        Args:
            rule: of the merge point.
            merge: knows plan and schema; a schema that the user gave may convert values.
            point: the merge point; payloads of a reader fill the meta columns, too.
            columns: the data columns.
        """
        fits = rule is not None and merge.plan.schema is None and compares_as_arrow(rule.later, merge.schema)
        fits = fits and all(_keeps_values(field.schema) for field in merge.schema.fields)
        self._rule = rule if fits else None
        self._winners = PairWinners(None if rule is None else rule.later, merge.schema)
        self._fills_meta = rule is not None and rule.makes_rows and point is not MergePoint.UPSERT
        self._columns = columns

    def among(self, batch: pa.RecordBatch, firsts: Rows, plain: Mask) -> Filled | None:
        """Fill the pairs whose stored rows are `firsts`; None if calls have to.

        `plain` are the rows of the batch that are no deletes.
        """
        if self._rule is None or not len(firsts):
            return None
        found = self._winners.among(batch, firsts, plain)
        decided = (found.stored | found.newer) & plain[firsts]
        pairs, newer_is_later = firsts[decided], found.newer[decided]
        later, other = pairs + newer_is_later, pairs + ~newer_is_later
        has_gap = np.full(len(pairs), self._rule.makes_rows)
        valid = {name: _valid(batch, name) for name in self._columns}
        if not self._rule.makes_rows:
            for name in self._columns:
                mask = valid[name]
                if mask is not None and name not in META_COLUMNS:
                    has_gap |= ~mask[later]
        made = pairs[has_gap]
        sources = later[has_gap], other[has_gap]
        arrays = [self._column(batch, name, valid[name], made, *sources) for name in self._columns]
        rows = pa.RecordBatch.from_arrays(arrays, list(self._columns))
        return Filled(decided, later[~has_gap], made, rows)

    def _column(  # noqa: PLR0913, PLR0917 (of one column, and of all)
        self, batch: pa.RecordBatch, name: str, valid: Mask | None, pairs: Rows, later: Rows, other: Rows
    ) -> pa.Array:
        column = batch.column(name)
        if name in META_COLUMNS:
            if not self._fills_meta:
                return pa.nulls(len(pairs), column.type)
            later, other = pairs + 1, pairs  # the newer row gives them, whichever row is later
        return column.take(pa.array(later if valid is None else np.where(valid[later], later, other)))


def _keeps_values(schema: AvroSchema) -> bool:
    """Whether a value is the same after it was a record's: milliseconds, whose column has microseconds, are not."""
    value = schema.non_null
    match value.kind:
        case "record":
            return all(_keeps_values(field.schema) for field in value.fields)
        case "array":
            return _keeps_values(value.items)
        case "map":
            return _keeps_values(value.values)
    return value.logical not in MILLISECONDS


def _valid(batch: pa.RecordBatch, name: str) -> Mask | None:
    """Return which rows have a value in a column; None if all have."""
    column = batch.column(name)
    if not column.null_count:
        return None
    mask: Mask = column.is_valid().to_numpy(zero_copy_only=False)
    return mask
