"""Rows that merge rules make of pairs in Arrow columns: for each column, which row gives its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python.arrow_pairs import is_compared
from bridge.spark import META_COLUMNS
from payloads.avro import default_test, is_null
from payloads.rules import (
    Concat,
    Constant,
    Default,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    Least,
    Role,
    Sum,
    Take,
    Union,
)

if TYPE_CHECKING:
    from bridge.engines.python.column_types import ArrowColumn, Mask, Rows
    from bridge.merge import PairMerge
    from payloads.avro import Field
    from payloads.rules import Column

    FirstOf = FirstNonNull | FirstNonDefault | FirstNonMarker


class UnmadeRowError(Exception):
    """Columns don't have a node of a rule for the values of a column."""


class MadeRows:
    """The rows that a rule makes of pairs of rows of one batch.

    Attributes:
        later: the later row of each pair.
    """

    def __init__(self, merge: PairMerge, batch: pa.RecordBatch, pairs: tuple[Rows, Rows], later: Mask) -> None:
        """Take the older and the newer row of each pair, and which newer ones are later."""
        older, newer = pairs
        self._merge = merge
        self._batch = batch
        self._found: dict[tuple[FirstOf, str], Mask | None] = {}
        self.later = np.where(later, newer, older)
        self._rows = {
            Role.OLDER: older,
            Role.NEWER: newer,
            Role.LATER: self.later,
            Role.EARLIER: np.where(later, older, newer),
        }

    def has_gap(self, columns: tuple[str, ...]) -> Mask:
        """Return which rows are more than the later one: those in which one of these columns has a gap."""
        found = np.zeros(len(self.later), bool)
        for name in columns:
            if name in META_COLUMNS:
                continue
            match self._merge.rule.column(name):
                case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values) as node:
                    field = self._merge.schema.by_name[name]
                    gaps = self._gaps(node, field)
                    if gaps is not None:
                        found |= gaps[self._picked(values[0], field)]
                case Take():
                    pass
                case _:
                    found[:] = True
        return found

    def batch(self, columns: tuple[str, ...], which: Mask) -> pa.RecordBatch:
        """Return some of the rows; what the merge has no column for is null: meta columns, which a writer sets.

        Raises:
            UnmadeRowError: a column takes more than the value of one of the rows.
        """
        arrays = [self._column(name, which) for name in columns]
        return pa.RecordBatch.from_arrays(arrays, list(columns))

    def _column(self, name: str, which: Mask) -> ArrowColumn:
        field, column = self._merge.schema.by_name.get(name), self._batch.column(name)
        if field is None:
            return pa.nulls(int(which.sum()), column.type)
        return column.take(pa.array(self._picked(self._merge.rule.column(name), field)[which]))

    def _picked(self, node: Column, field: Field) -> Rows:
        """Return the row of each pair that gives the value of a column."""
        match node:
            case Take(role):
                return self._rows[role]
            case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
                gaps = self._gaps(node, field)
                if gaps is None:
                    return self._picked(values[0], field)
                *first, found = (self._picked(one, field) for one in values)
                for rows in reversed(first):
                    found = np.where(gaps[rows], found, rows)
                return found
            case Least() | Greatest():
                return self._of_two(node, field)
            case Sum() | Concat() | Union() | Constant() | IfElse():
                raise UnmadeRowError(type(node).__name__)
            case other:
                assert_never(other)

    def _gaps(self, node: FirstOf, field: Field) -> Mask | None:
        """Return in which rows of the batch a column has a gap; None for no row."""
        if (node, field.name) not in self._found:
            gaps = self._gap_test(node, field)
            self._found[node, field.name] = gaps.to_numpy(zero_copy_only=False) if gaps.true_count else None
        return self._found[node, field.name]

    def _gap_test(self, node: FirstOf, field: Field) -> pa.BooleanArray:
        column = self._batch.column(field.name)
        match node:
            case FirstNonMarker(marker=marker):
                is_text = pa.types.is_string if isinstance(marker, str) else pa.types.is_binary
                if not is_text(column.type):
                    raise UnmadeRowError(type(node).__name__)
                return pc.fill_null(pc.equal(column, marker), False)
            case FirstNonNull():
                return column.is_null()
            case FirstNonDefault(by=Default.EQUALS) if default_test(field) == is_null:
                return column.is_null()
            case FirstNonDefault(by=Default.OBJECT | Default.VALUE) if not field.has_default or field.default is None:
                return column.is_null()
            case FirstNonDefault():
                raise UnmadeRowError(type(node).__name__)
            case other:
                assert_never(other)

    def _of_two(self, node: Least | Greatest, field: Field) -> Rows:
        if not is_compared(self._merge.schema, field.name):
            raise UnmadeRowError(type(node).__name__)
        column, older, newer = self._batch.column(field.name), self._rows[Role.OLDER], self._rows[Role.NEWER]
        left, right = column.take(pa.array(older)), column.take(pa.array(newer))
        is_greater = pc.greater(left, right) if isinstance(node, Least) else pc.less_equal(left, right)
        takes_newer = pc.if_else(left.is_null(), True, pc.fill_null(is_greater, False))
        return np.where(takes_newer.to_numpy(zero_copy_only=False), newer, older)
