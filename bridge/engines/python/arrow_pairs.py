"""Merge rules on pairs of rows in Arrow columns: which row stays, as far as columns tell; other pairs are called."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.python.column_tests import is_delete, is_spelled, is_value, mask, negated
from bridge.merge import RowSource
from payloads.backports import assert_never
from payloads.ordering import same_class
from payloads.ordering_fields import list_reader
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Effect,
    Error,
    How,
    IsDelete,
    IsEmpty,
    IsNatural,
    IsUnordered,
    LaterIs,
    Not,
    Role,
    TextIs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bridge.engines.python.column_tests import Truth
    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.merge import Carried, PairMerge
    from bridge.spark import ArrowColumn
    from payloads import AvroSchema
    from payloads.rules import Gives, RuleNode

CALLED = -1
"""In place of a `RowSource`: the pair is left to a call."""
_STORED, _INCOMING, _MADE, _NONE = RowSource
FILLED = len(RowSource)
"""In place of a `RowSource`: a row is made if the later one has a gap."""
_MICROS = frozenset({"timestamp-micros", "local-timestamp-micros"})  # milliseconds are truncated when a record is made


def is_compared(schema: AvroSchema, name: str, *, dates: bool = True) -> bool:
    """Whether Arrow compares the values of a column as Java compares what Hudi makes of them.

    It does not for floating point (NaN, the zeros), for bytes (signed in Java), for enums, which come as texts, nor for
    milliseconds, whose column has microseconds.
    """
    field = schema.by_name.get(name)
    if field is None:
        return False
    value = field.schema.non_null
    if value.kind == "string":
        return True
    if value.kind not in {"int", "long"}:
        return False
    return value.logical is None or value.logical in _MICROS or (dates and value.logical == "date")


class PairSide:
    """The rows of one side of some pairs: numbers of rows of a batch."""

    def __init__(self, batch: pa.RecordBatch, rows: Rows) -> None:
        self.batch = batch
        self.rows = rows
        self._taken: dict[str, ArrowColumn] = {}

    def column(self, name: str) -> ArrowColumn | None:
        """Return the values of a column; None if there is no such column."""
        if name not in self._taken and name in self.batch.schema.names:
            self._taken[name] = self.batch.column(name).take(pa.array(self.rows))
        return self._taken.get(name)


class Pairs:
    """Pairs of a stored and a newer row, both with data, as a rule sees them.

    Where versions are marked as deletes when they are made, the newer row is none; a stored row never is one.
    """

    def __init__(self, merge: PairMerge, older: PairSide, newer: PairSide) -> None:
        """Take the rows of both sides, in the same order; those of the newer side carry no null as ordering value."""
        self._rule, self._schema, self._carried, self._marks = merge
        self._older = older
        self._newer = newer
        self._carriers = (older, newer) if self._marks else (newer,)
        self._count = len(older.rows)

    # -- what becomes of them

    def sources(self) -> Codes:
        """Return for each pair which row stays; MADE where the rule makes one of both, CALLED where a call has to."""
        codes = np.full(self._count, CALLED, np.int8)
        is_open = np.ones(self._count, bool)
        for case in self._rule.cases:
            truth = self.holds(case.when)
            if truth is False:
                continue
            holds, fails = self.masks(truth)
            self._settle(codes, is_open & holds, case.gives)
            is_open &= fails
        self._settle(codes, is_open, self._rule.result)
        return codes

    def _settle(self, codes: Codes, which: Mask, gives: Gives) -> None:
        match gives:
            case Effect.CURRENT | Effect.SENTINEL:
                codes[which] = _STORED
            case Effect.INCOMING:
                codes[which] = _INCOMING
            case Effect.DELETE:
                codes[which & self._has_greater] = _NONE
            case Effect.WINNER:
                newer, older = self.masks(self.newer_is_later)
                codes[which & newer], codes[which & older] = _INCOMING, _STORED
            case Effect.NEW | Effect.FILLED:
                newer, older = self.masks(self.newer_is_later)
                codes[which & (newer | older)] = _MADE if gives is Effect.NEW else FILLED
            case Effect.COPY | Effect.CHANGED | Effect.EDITED | Error():
                pass
            case other:
                assert_never(other)

    @property
    def _has_greater(self) -> Mask:
        """For which pairs there is a greater ordering value, which a delete that a merge mode makes carries."""
        if not self._marks:
            return np.ones(self._count, bool)
        column = None if self._carried is None else self._carried.column
        found = None if self._carried is None else self._order(ByOrdering(), column, column, dates=False)
        newer, older = self.masks(found)
        return newer | older

    # -- tests

    def holds(self, test: RuleNode) -> Truth:  # noqa: C901, PLR0911 (one a node)
        """Return for which pairs a test is known to hold or not to."""
        match test:
            case IsEmpty(role):
                return self._on(role, lambda _side: False)
            case IsDelete(role):
                return self._on(role, self._is_delete)
            case IsNatural(role):
                return self._on(role, self._is_natural)
            case IsUnordered(role):
                return self._on(role, self._is_unordered)
            case LaterIs(role):
                return self.newer_is_later if role is Role.NEWER else negated(self.newer_is_later)
            case ColumnIs(role, name, value):
                return self._on(role, lambda side: is_value(side.column(name), value))
            case TextIs(role, name):
                return self._on(role, lambda side: is_spelled(side.column(name), test))
            case AllOf(tests):
                return self._all(map(self.holds, tests))
            case AnyOf(tests):
                return negated(self._all(negated(self.holds(one)) for one in tests))
            case Not(inner):
                return negated(self.holds(inner))
            case _:
                return None

    def _on(self, role: Role, asked: Callable[[PairSide], Truth]) -> Truth:
        """Ask of the version of a role, which may be another one for each pair."""
        match role:
            case Role.OLDER:
                return asked(self._older)
            case Role.NEWER:
                return asked(self._newer)
            case Role.LATER | Role.EARLIER:
                newer, older = self.masks(self.newer_is_later)
                own, other = (newer, older) if role is Role.LATER else (older, newer)
                sides = zip(self.masks(asked(self._newer)), self.masks(asked(self._older)), strict=True)
                holds, fails = ((own & of_newer) | (other & of_older) for of_newer, of_older in sides)
                return holds, fails
            case _:
                assert_never(role)

    def _is_delete(self, side: PairSide) -> Truth:
        return is_delete(self._rule.deletes, side.column)

    def _is_natural(self, side: PairSide) -> Truth:
        """Return where an ordering value is Integer 0; the stored row carries one where versions are marked."""
        if self._carried is None or side not in self._carriers:
            return None
        if self._carried.column is None:
            return True
        column = side.column(self._carried.column)
        if column is None:
            return None
        holds = np.zeros(self._count, bool)
        if self._carried.sample.java_type == "int":
            holds = mask(pc.equal(column, 0))
        return holds, mask(column.is_valid()) & ~holds  # null may be none, or null

    def _is_unordered(self, side: PairSide) -> Truth:
        """Return where an ordering value is not null; payloads that are built with null are not among the pairs."""
        if not self._marks:
            return False if side is self._newer else None
        if self._carried is None:
            return None
        column = None if self._carried.column is None else side.column(self._carried.column)
        return False if column is None else (np.zeros(self._count, bool), mask(column.is_valid()))

    def _all(self, truths: Iterable[Truth]) -> Truth:
        """Return where all tests hold: one that fails counts where those before it are known to hold."""
        found: tuple[Mask, Mask] | None = None
        for truth in truths:
            if truth is False and found is None:
                return False
            if truth is not True:
                holds, fails = self.masks(truth)
                found = (holds, fails) if found is None else (found[0] & holds, found[1] | (found[0] & fails))
        return True if found is None else found

    def masks(self, truth: Truth) -> tuple[Mask, Mask]:
        """Return for which pairs a test holds, and for which it does not."""
        if isinstance(truth, tuple):
            return truth
        return np.full(self._count, truth is True), np.full(self._count, truth is False)

    # -- which row is later

    @functools.cached_property
    def newer_is_later(self) -> Truth:  # noqa: PLR0911 (one a way to compare)
        """Where the newer row is the later one."""
        later, carried = self._rule.later, self._carried
        match later:
            case ByArrival():
                return True
            case ByOrdering():
                if carried is None or not self._marks:
                    return None
                return self._order(later, carried.column, carried.column, dates=False)
            case ByColumn((name,), Against.CARRIED, consistent=False):
                if carried is None or carried.column is None or carried.sample.is_default:
                    return None
                # Values of another class are never later.
                return self._order(later, name, carried.column) if self._is_of_class(name, carried) else True
            case ByColumn((name,), Against.COLUMN_OF_DATA, consistent=False):
                found = self._order(later, name, name)
                if carried is not None and carried.column == name and self._is_of_class(name, carried):
                    return found
                (newer, older), (_, is_data) = self.masks(found), self.masks(self._is_delete(self._newer))
                return newer & is_data, older & is_data
            case ByColumn((name,), consistent=False):
                return self._order(later, name, name)
            case ByColumn():
                return None
            case other:
                assert_never(other)

    def _is_of_class(self, name: str, carried: Carried) -> bool:
        """Whether a column is read as the Java class of the ordering values that are carried."""
        found = list_reader(self._schema, (name,))({name: carried.sample.value})
        return found is not None and same_class(found, carried.sample)

    def _order(
        self, later: ByOrdering | ByColumn, older: str | None, newer: str | None, *, dates: bool = True
    ) -> Truth:
        """Compare two columns; None where no value is carried, and all are equal."""
        wins = (not later.reverse, later.tie is Role.NEWER, later.reverse)
        if older is None or newer is None:
            return wins[1]
        if later.how is not How.JAVA or not all(
            is_compared(self._schema, name, dates=dates) for name in {older, newer}
        ):
            return None
        left, right = self._older.column(older), self._newer.column(newer)
        if left is None or right is None:
            return None
        found = np.zeros(self._count, bool), np.zeros(self._count, bool)
        for compare, newer_wins in zip((pc.less, pc.equal, pc.greater), wins, strict=True):
            side = found[0] if newer_wins else found[1]
            side |= mask(compare(left, right))
        return found


def sources_of(merge: PairMerge, older: tuple[pa.RecordBatch, Rows], newer: tuple[pa.RecordBatch, Rows]) -> Codes:
    """Return what becomes of pairs of rows, as `Pairs.sources`; each side is numbers of rows of a batch."""
    return Pairs(merge, PairSide(*older), PairSide(*newer)).sources()
