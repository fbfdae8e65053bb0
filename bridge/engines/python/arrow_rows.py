"""Rows that merge rules make of pairs in Arrow columns: `payloads.records` for whole columns.

Where columns can't tell what the reference gives, a row is left to a call; for a node and a type that Arrow does not
have as Java has it, all rows are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python.arrow_nested import appended, united
from bridge.engines.python.arrow_pairs import is_compared
from bridge.engines.python.columns import column_codec
from bridge.spark import META_COLUMNS
from payloads.avro import default_test, is_null, object_test, same_record, value_test
from payloads.backports import assert_never
from payloads.errors import SchemaError
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
    from collections.abc import Callable

    from bridge.engines.python.column_types import Mask, Rows
    from bridge.merge import PairMerge
    from bridge.spark import ArrowColumn
    from payloads.avro import Field
    from payloads.rules import RuleNode, Test

    FirstOf = FirstNonNull | FirstNonDefault | FirstNonMarker
    Holds = Callable[[Test], tuple[Mask, Mask]]

_ADDED = {"int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64()}
"""The types that add up as in Java: integers wrap around."""
_BITS = {pa.float32(): np.int32, pa.float64(): np.int64}
_DEFAULTS = {Default.EQUALS: default_test, Default.OBJECT: object_test, Default.VALUE: value_test}


class UnmadeRowError(Exception):
    """Columns don't have a node of a rule for the values of a column."""

    def __init__(self, node: RuleNode, field: Field) -> None:
        super().__init__(f"{node!r} of {field.name!r}")


class MadeRows:
    """The rows that a rule makes of pairs of rows of one batch.

    Attributes:
        is_open: in which rows something depends on a test of which columns don't tell.
    """

    def __init__(
        self, merge: PairMerge, batch: pa.RecordBatch, pairs: tuple[Rows, Rows], later: Mask, holds: Holds
    ) -> None:
        """Take the older and the newer row of each pair.

        Args:
            merge: the rule.
            batch: the rows.
            pairs: the numbers of the older rows, and of the newer ones.
            later: which newer ones are later.
            holds: for which pairs a test is known to hold, and for which not to.
        """
        older, newer = pairs
        self._merge = merge
        self._batch = batch
        self._holds = holds
        self._columns: dict[str, _MadeColumn] = {}
        self.is_open = np.zeros(len(older), bool)
        self._rows = {
            Role.OLDER: older,
            Role.NEWER: newer,
            Role.LATER: np.where(later, newer, older),
            Role.EARLIER: np.where(later, older, newer),
        }

    def has_gap(self, columns: tuple[str, ...]) -> Mask:
        """Return which rows are more than the later one: those in which one of these columns has a gap.

        Raises:
            UnmadeRowError: columns don't tell.
        """
        found = np.zeros(len(self.is_open), bool)
        for name in columns:
            if name in META_COLUMNS:
                continue
            match self._merge.rule.column(name):
                case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values) as node:
                    column = self._column(name)
                    first = self._picked(values[0], column)
                    gaps = column.gaps(node)
                    if gaps is not None:
                        found |= gaps[first]
                case Take():
                    pass
                case _:
                    found[:] = True
        return found

    def batch(self, columns: tuple[str, ...], which: Mask) -> pa.RecordBatch:
        """Return the rows of `which` that are not open; what the merge has no column for is null: meta columns.

        A writer sets these.

        Raises:
            UnmadeRowError: columns don't tell.
        """
        known = [name for name in columns if name in self._merge.schema.by_name]
        picked = {name: self._picked(self._merge.rule.column(name), self._column(name)) for name in known}
        chosen = which & ~self.is_open
        arrays = [
            self._columns[name].taken(picked[name][chosen])
            if name in picked
            else pa.nulls(int(chosen.sum()), self._batch.column(name).type)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(arrays, list(columns))

    def _column(self, name: str) -> _MadeColumn:
        if name not in self._columns:
            self._columns[name] = _MadeColumn(self._merge.schema.by_name[name], self._batch.column(name))
        return self._columns[name]

    def _picked(self, node: RuleNode, column: _MadeColumn) -> Rows:  # noqa: C901, PLR0911 (one a node)
        """Return for each pair the number of the value that a node gives."""
        match node:
            case Take(role):
                return self._rows[role]
            case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
                found = self._picked(values[0], column)
                is_gap = self._gaps_of(node, column, found)
                for one in values[1:]:
                    if is_gap is None:
                        break
                    other = self._picked(one, column)
                    found = np.where(is_gap, other, found)
                    gaps = self._gaps_of(node, column, other)
                    is_gap = None if gaps is None else is_gap & gaps
                return found
            case Least() | Greatest():
                return self._of_two(node, column)
            case Sum():
                kind = column.field.schema.non_null
                if kind.logical is not None or column.source.type != _ADDED.get(kind.kind):
                    raise UnmadeRowError(node, column.field)
                left, right = column.sides(self._rows)
                return column.added(pc.coalesce(pc.add(left, right), left, right))
            case Concat() | Union():
                return self._joined(node, column)
            case Constant(value):
                return np.repeat(column.added(column.constant(node, value)), len(self.is_open))
            case IfElse(test, then, otherwise):
                holds, fails = self._holds(test)
                self.is_open |= ~(holds | fails)
                return np.where(holds, self._picked(then, column), self._picked(otherwise, column))
            case _:
                raise UnmadeRowError(node, column.field)

    @staticmethod
    def _gaps_of(node: FirstOf, column: _MadeColumn, rows: Rows) -> Mask | None:
        gaps = column.gaps(node)
        return None if gaps is None else gaps[rows]

    def _of_two(self, node: Least | Greatest, column: _MadeColumn) -> Rows:
        left, right = map(
            column.ordered(node, is_compared(self._merge.schema, column.field.name)), column.sides(self._rows)
        )
        is_greater = pc.greater(left, right) if isinstance(node, Least) else pc.less_equal(left, right)
        takes_newer = pc.if_else(left.is_null(), True, pc.fill_null(is_greater, False))
        return np.where(takes_newer.to_numpy(zero_copy_only=False), self._rows[Role.NEWER], self._rows[Role.OLDER])

    def _joined(self, node: Concat | Union, column: _MadeColumn) -> Rows:
        """Join the values of pairs that have two; of any other pair the value that is there."""
        older, newer = self._rows[Role.OLDER], self._rows[Role.NEWER]
        is_there = column.source.is_valid().to_numpy(zero_copy_only=False)
        found, both = np.where(is_there[newer], newer, older), is_there[older] & is_there[newer]
        kind = column.source.type
        if isinstance(node, Concat) and pa.types.is_list(kind):
            joined = appended(column.source, older[both], newer[both])
        elif isinstance(node, Union) and pa.types.is_map(kind) and pa.types.is_string(kind.key_type):
            joined = united(column.source, older[both], newer[both])
        else:
            raise UnmadeRowError(node, column.field)
        found[both] = column.added(joined)
        return found


class _MadeColumn:
    """The values of a column, numbered: those of the batch, then those that nodes make.

    Attributes:
        field: the field.
        source: the column of the batch.
    """

    def __init__(self, field: Field, source: ArrowColumn) -> None:
        self.field = field
        self.source = source
        self._parts = [source]
        self._count = len(source)
        self._gaps: dict[tuple[object, ...], list[Mask]] = {}

    def added(self, values: ArrowColumn) -> Rows:
        """Take further values; return their numbers."""
        first = self._count
        self._parts.append(values)
        self._count += len(values)
        return np.arange(first, self._count)

    def taken(self, numbers: Rows) -> ArrowColumn:
        """Return values by their numbers."""
        if len(self._parts) == 1 or not len(numbers):
            return self.source.take(pa.array(numbers))
        first = self._count - len(self._parts[-1])
        if numbers.min() >= first:
            return self._parts[-1].take(pa.array(numbers - first))
        return pa.concat_arrays(self._parts).take(pa.array(numbers))

    def sides(self, rows: dict[Role, Rows]) -> tuple[ArrowColumn, ArrowColumn]:
        """Return the values of both rows of each pair."""
        older, newer = (self.source.take(pa.array(rows[role])) for role in (Role.OLDER, Role.NEWER))
        return older, newer

    def ordered(self, node: Least | Greatest, is_compared: bool) -> Callable[[ArrowColumn], ArrowColumn]:  # noqa: FBT001 (private)
        """Return what makes a column that Arrow compares of one that Java compares."""
        value, kind = self.field.schema.non_null, self.source.type
        if is_compared:
            return lambda column: column
        if value.kind == "boolean" and pa.types.is_boolean(kind):
            return lambda column: column.cast(pa.int8())
        if kind in _BITS and kind == _ADDED.get(value.kind):
            return _total_order
        raise UnmadeRowError(node, self.field)

    def constant(self, node: Constant, value: object) -> ArrowColumn:
        """Return the one value of a constant."""
        try:
            codec = column_codec(self.field.schema, self.source.type, self.field.name)
            column = codec.write([value])
            is_kept = same_record({"": codec.read(column)[0]}, {"": value})  # a float is rounded
        except SchemaError as error:
            raise UnmadeRowError(node, self.field) from error
        if not is_kept:
            raise UnmadeRowError(node, self.field)
        return column

    def gaps(self, node: FirstOf) -> Mask | None:
        """Return which of all values are gaps; None for none."""
        key = (type(node), getattr(node, "by", None), getattr(node, "marker", None))
        found = self._gaps.setdefault(key, [])
        for part in self._parts[len(found) :]:
            found.append(self._gap_test(node, part))
        if not any(mask.any() for mask in found):
            return None
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _gap_test(self, node: FirstOf, part: ArrowColumn) -> Mask:
        match node:
            case FirstNonMarker(marker=marker):
                is_text = pa.types.is_string if isinstance(marker, str) else pa.types.is_binary
                if not is_text(part.type):
                    raise UnmadeRowError(node, self.field)
                found = pc.fill_null(pc.equal(part, marker), False)
            case FirstNonNull():
                found = part.is_null()
            case FirstNonDefault(by=by):
                is_gap = _DEFAULTS[by](self.field)
                if is_gap != is_null:
                    return self._defaults(node, is_gap, part)
                found = part.is_null()
            case other:
                assert_never(other)
        mask: Mask = found.to_numpy(zero_copy_only=False)
        return mask

    def _defaults(self, node: FirstOf, is_gap: Callable[[Any], bool], part: ArrowColumn) -> Mask:
        """Ask value by value: Java has its own equality for each type."""
        try:
            values = column_codec(self.field.schema, part.type, self.field.name).read(part)
        except SchemaError as error:
            raise UnmadeRowError(node, self.field) from error
        return np.fromiter(map(is_gap, values), bool, len(values))


def _total_order(column: ArrowColumn) -> ArrowColumn:
    """Return whole numbers in the order of Java's `compare`: -0.0 before 0.0, and NaN, which is one value, last."""
    valid = column.is_valid()
    numbers = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False)
    bits = np.where(np.isnan(numbers), np.array(np.nan, numbers.dtype), numbers)
    signed = bits.view(_BITS[column.type])
    least = np.iinfo(signed.dtype).min
    ordered = np.where(signed < 0, least - signed - 1, signed)
    return pa.array(ordered, mask=~valid.to_numpy(zero_copy_only=False))
