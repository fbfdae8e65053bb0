"""Merge rules as Spark's expressions: which version a rule makes of two, each a struct as `Versioned` describes it.

`lacking` is the list of what is not said here exactly as `payloads.records` says it. Nothing is raised but where that
raises: tests are made in their order, and a comparison fails where it is asked.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.native.java_values import added, constant, is_delete, is_marker, literal, united
from bridge.engines.native.ordering import Kind, kind_of
from bridge.engines.native.ordering import later as is_greater
from bridge.engines.native.unsupported import unsaid
from bridge.engines.native.versioned import (
    COPIED,
    DELETED,
    IS_NEWER,
    IS_NULL,
    MADE,
    NEWER_STAYS,
    OLDER_STAYS,
    UNORDERED,
    Versioned,
    carried,
    compared,
    compared_first,
    is_later,
    is_natural,
    let,
)
from payloads.backports import assert_never
from payloads.records import error_text_of
from payloads.rules import (
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Concat,
    Constant,
    Effect,
    Error,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    LaterIs,
    Least,
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
    spelled_pattern,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

    from bridge.engines.native.versioned import RuleOn
    from payloads.rules import Column as ColumnNode
    from payloads.rules import Gives, Test

REQUIRED: Final = "the rule gives null in a column that is not nullable; state another value, or a case for deletes"


class PairExpressions:
    """Two versions as expressions, by the `order` of the struct of both once that is known."""

    def __init__(self, of: RuleOn, pair: Column, raised: Callable[[Column | str], Column]) -> None:
        self.of, self.rule, self._pair, self._raised = of, of.rule, pair, raised
        self.older, self.newer = (Versioned.of(pair[name], of.number) for name in ("older", "newer"))

    def order(self) -> Column:
        """Return which side is later, or why that can't be said; nothing is raised."""
        later = self.rule.later
        match later:
            case ByArrival():
                return sf.lit(IS_NEWER)
            case ByOrdering():
                return carried(self.older, self.newer, later)
            case ByColumn(names):
                name = names[0]
                kind = kind_of(self.of.schema, name)
                older, newer = (kind.values(side.row[name]) for side in (self.older, self.newer))  # type: ignore[union-attr]  # see `lacking`
                is_none = sf.when(older[0].isNull(), IS_NEWER).when(newer[0].isNull(), IS_NULL)
                return is_none.otherwise(compared(older, newer, later))
            case other:
                assert_never(other)

    @property
    def is_later(self) -> Column:
        """Whether the newer version is the later one; fails where the comparison does."""
        return is_later(self._pair["order"], self._raised)

    def gives(self) -> Column:
        """Return what the merge gives."""
        result = self._effect(self.rule.result)
        for case in reversed(self.rule.cases):
            result = sf.when(self.holds(case.when), self._effect(case.gives)).otherwise(result)
        return result

    def _effect(self, gives: Gives) -> Column:  # noqa: PLR0911 (one an effect)
        winner = sf.when(self.is_later, NEWER_STAYS).otherwise(OLDER_STAYS)
        match gives:
            case Effect.CURRENT | Effect.SENTINEL:
                return sf.lit(OLDER_STAYS)
            case Effect.INCOMING:
                return sf.lit(NEWER_STAYS)
            case Effect.COPY:
                return sf.lit(COPIED)
            case Effect.DELETE:
                return sf.lit(DELETED)
            case Effect.WINNER:
                return winner
            case Effect.NEW:  # the comparison may fail, whichever columns use it
                return compared_first(self._pair["order"], sf.lit(MADE), self._raised)
            case Effect.FILLED:
                gaps = [self._has_gap(self.rule.column(field.name), field) for field in self.of.types.fields]
                made = sf.when(functools.reduce(operator.or_, gaps, sf.lit(False)), MADE).otherwise(winner)
                return compared_first(self._pair["order"], made, self._raised)
            case Error(fault):
                return self._raised(error_text_of(fault)).cast("int")
            case Effect.CHANGED | Effect.EDITED:
                raise unsaid(gives)
            case other:
                assert_never(other)

    # -- tests

    def side(self, role: Role, of: Callable[[Versioned], Column]) -> Column:
        """Return a part of the version on a side."""
        match role:
            case Role.OLDER:
                return of(self.older)
            case Role.NEWER:
                return of(self.newer)
            case Role.LATER:
                return sf.when(self.is_later, of(self.newer)).otherwise(of(self.older))
            case Role.EARLIER:
                return sf.when(self.is_later, of(self.older)).otherwise(of(self.newer))

    def holds(self, test: Test) -> Column:  # noqa: C901, PLR0911, PLR0912 (one a node)
        """Return a test; in a list the later ones are not made once it is decided."""
        match test:
            case IsEmpty(side):
                return self.side(side, lambda one: one.row.isNull())
            case IsDelete(side):
                return self.side(side, self._is_delete)
            case IsNatural(side):
                return self.side(side, lambda one: is_natural(one, self.of.compared))
            case IsUnordered(side):
                return self.side(side, lambda one: one.class_ == UNORDERED)
            case LaterIs(side):
                return self.is_later if side is Role.NEWER else ~self.is_later
            case ColumnIs(side, name, value):
                if value is None:
                    return self.side(side, lambda one: one.row.isNotNull() & one.row[name].isNull())
                return self.side(side, lambda one: sf.coalesce(one.row[name] == literal(value), sf.lit(False)))
            case TextIs(side, name):
                pattern = spelled_pattern(test, ignore_case="(?iu)")
                return self.side(side, lambda one: sf.coalesce(one.row[name].rlike(pattern), sf.lit(False)))  # type: ignore[arg-type]  # see `lacking`
            case AllOf(tests):
                found = sf.lit(True)
                for one in reversed(tests):
                    found = sf.when(self.holds(one), found).otherwise(False)
                return found
            case AnyOf(tests):
                found = sf.lit(False)
                for one in reversed(tests):
                    found = sf.when(self.holds(one), True).otherwise(found)
                return found
            case Not(inner):
                return ~self.holds(inner)
            case IsListed():
                raise unsaid(test)
            case other:
                assert_never(other)

    def _is_delete(self, one: Versioned) -> Column:
        dead = one.row.isNull() | is_delete(self.of.deletes, one.row.__getitem__)
        return dead | one.dead if self.rule.deletes.marked else dead

    # -- columns

    def row(self) -> Column:
        """Return the row that the rule makes; fails where it has null in a column that is not nullable."""
        fields = self.of.types.fields
        row = sf.struct(*(self.value(self.rule.column(field.name), field).alias(field.name) for field in fields))
        required = [field.name for field in fields if not self.of.schema.by_name[field.name].schema.nullable]

        def checked(row: Column) -> Column:
            lacks = functools.reduce(operator.or_, (row[name].isNull() for name in required), sf.lit(False))
            return sf.when(sf.when(lacks, self._raised(REQUIRED)).otherwise(True), row)

        return let(row, checked) if required else row

    def value(self, node: ColumnNode, field: spark_types.StructField) -> Column:  # noqa: C901, PLR0911, PLR0912 (one a node)
        """Return the value of a column."""
        match node:
            case Take(side):
                return self.side(side, lambda one: one.row[field.name])
            case FirstNonNull(values) | FirstNonDefault(values):  # see `lacking`: every default is null
                return sf.coalesce(*(self.value(one, field) for one in values))
            case FirstNonMarker(values, marker):
                *others, found = (self.value(one, field) for one in values)
                for one in reversed(others):
                    found = sf.when(is_marker(one, marker), found).otherwise(one)
                return found
            case Least():
                return self._both(
                    field, lambda one, other: sf.when(self._exceeds(field, one, other), other).otherwise(one)
                )
            case Greatest():
                return self._both(
                    field, lambda one, other: sf.when(self._exceeds(field, one, other), one).otherwise(other)
                )
            case Sum():
                return self._both(field, lambda one, other: added(field.dataType, one, other))
            case Concat():
                return self._both(field, sf.concat)
            case Union():
                return self._both(field, united)
            case Constant(value):
                return constant(value, field.dataType)
            case JoinedLists():
                raise unsaid(node)
            case IfElse(test, then, otherwise):
                return sf.when(self.holds(test), self.value(then, field)).otherwise(self.value(otherwise, field))
            case other:
                assert_never(other)

    def _has_gap(self, node: ColumnNode, field: spark_types.StructField) -> Column:
        match node:
            case FirstNonNull(values) | FirstNonDefault(values):
                return self.value(values[0], field).isNull()
            case FirstNonMarker(values, marker):
                return is_marker(self.value(values[0], field), marker)
            case Take():
                return sf.lit(False)
            case _:
                return sf.lit(True)

    def _both(self, field: spark_types.StructField, joined: Callable[[Column, Column], Column]) -> Column:
        older, newer = self.older.row[field.name], self.newer.row[field.name]
        both = joined(older, newer).cast(field.dataType)
        return sf.when(older.isNull(), newer).when(newer.isNull(), older).otherwise(both)

    def _exceeds(self, field: spark_types.StructField, older: Column, newer: Column) -> Column:
        kind = Kind(field.name, self.of.schema.by_name[field.name].schema.non_null.kind)
        return is_greater(kind.values(older), kind.values(newer), sf.lit(False))
