"""Versions as structs, and which of two is later by the ordering values that they carry."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines.native.failures import NULL_ORDERING, OTHER_CLASS, UNLIKE_CLASSES
from bridge.engines.native.ordering import later as is_greater
from bridge.merge import Action, in_columns
from payloads.rules import DeleteTests, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column
    from pyspark.sql import types as spark_types

    from bridge.engines.native.ordering import Kind
    from payloads import AvroSchema
    from payloads.rules import ByColumn, ByOrdering, MergeRule

UNORDERED, NATURAL, TYPED, OTHER = range(4)
"""The classes of ordering values: Java's null, Hudi's "no ordering", that of the field, and any other."""
OLDER_STAYS, NEWER_STAYS, MADE, DELETED, COPIED = range(5)
"""What a merge gives: one of the two as it is, a new row, a delete, a copy of the newer one."""
IS_OLDER, IS_NEWER, IS_NULL, IS_UNLIKE, IS_OTHER = range(5)
"""Which version is later, or why that can't be said: a null, unlike classes, a class that is not told here."""


class RuleOn(NamedTuple):
    """A rule, and what it merges.

    Attributes:
        rule: it.
        schema: that of the rows.
        types: their columns, all of them nullable.
        compared: how ordering values compare; None without an ordering field.
    """

    rule: MergeRule
    schema: AvroSchema
    types: spark_types.StructType
    compared: Kind | None

    @property
    def deletes(self) -> DeleteTests:
        """The tests of rows for deletes; a marker that is no text has no expression, as `lacking` says."""
        return in_columns(self.rule.deletes, self.schema) or DeleteTests()

    @property
    def number(self) -> int:
        """How many values a version has to compare."""
        return 0 if self.compared is None else len(self.compared.values(sf.lit(None)))


class Versioned(NamedTuple):
    """A version: its row, null for a delete without data; whether it is a delete; its ordering value; was it made."""

    row: Column
    dead: Column
    class_: Column
    values: tuple[Column, ...]
    made: Column

    @staticmethod
    def of(struct: Column, number: int) -> Versioned:
        """Return the parts of a struct with so many values to compare."""
        values = tuple(struct[f"value_{index}"] for index in range(number))
        return Versioned(struct["row"], struct["dead"], struct["class"], values, struct["made"])

    @property
    def struct(self) -> Column:
        """It as a struct."""
        values = [value.alias(f"value_{index}") for index, value in enumerate(self.values)]
        named = (self.row.alias("row"), self.dead.alias("dead"), self.class_.cast("tinyint").alias("class"))
        return sf.struct(*named, *values, self.made.alias("made"))


def let(value: Column, use: Callable[[Column], Column]) -> Column:
    """Return what `use` makes of a value, which is evaluated once."""
    return sf.transform(sf.array(value), use)[0]


def is_natural(one: Versioned, compared: Kind | None) -> Column:
    """Whether a version carries Integer 0."""
    if compared is None or not compared.is_integer:
        return one.class_ == NATURAL
    return (one.class_ == NATURAL) | ((one.class_ == TYPED) & sf.coalesce(one.values[0] == 0, sf.lit(False)))


def carried(older: Versioned, newer: Versioned, later: ByOrdering) -> Column:
    """Return the side that is later by the ordering values of both, or why they don't compare."""
    classes = (older.class_, newer.class_)
    unlike = IS_NEWER if later.unlike_wins else IS_UNLIKE
    return (
        sf.when(functools.reduce(operator.or_, (one == UNORDERED for one in classes)), IS_NULL)
        .when(functools.reduce(operator.or_, (one == OTHER for one in classes)), IS_OTHER)
        .when(older.class_ != newer.class_, unlike)
        .when(older.class_ == NATURAL, later_of(later.tie))
        .otherwise(compared(older.values, newer.values, later))
    )


def compared(older: Sequence[Column], newer: Sequence[Column], later: ByOrdering | ByColumn) -> Column:
    """Return the side that is later by values of one class."""
    if not older:
        return sf.lit(later_of(later.tie))
    greater, less = (is_greater(*sides, sf.lit(False)) for sides in ((older, newer), (newer, older)))
    first, second = (IS_NEWER, IS_OLDER) if later.reverse else (IS_OLDER, IS_NEWER)
    return sf.when(greater, first).when(less, second).otherwise(later_of(later.tie))


def later_of(tie: Role) -> int:
    """Return the side that is later on a tie."""
    return IS_NEWER if tie is Role.NEWER else IS_OLDER


def is_later(order: Column, raised: Callable[[Column | str], Column]) -> Column:
    """Return whether the newer version is later; fails where that can't be said."""
    return sf.when(order <= IS_NEWER, order == IS_NEWER).otherwise(raised(_reason(order)))


def compared_first(order: Column, value: Column, raised: Callable[[Column | str], Column]) -> Column:
    """Return a number; fails where it can't be said which version is later."""
    # Spark drops a failure that is only a condition, where all branches are alike.
    return sf.when(order <= IS_NEWER, value).otherwise(raised(_reason(order)).cast("int"))


def _reason(order: Column) -> Column:
    return sf.when(order == IS_NULL, NULL_ORDERING).when(order == IS_UNLIKE, UNLIKE_CLASSES).otherwise(OTHER_CLASS)


def outcome_of(action: Column | int, row: Column, made: Column) -> Column:
    """Return the outcome of a key: its action, the row that is left, and whether a merge made it."""
    number = sf.lit(int(action)) if isinstance(action, int) else action
    return sf.struct(number.cast("tinyint").alias("action"), row.alias("row"), made.alias("made"))


def inserted(new: Column) -> Column:
    """Return the outcome of a key that has no stored row: its version is stored, unless it is a delete."""
    action = sf.when(new["dead"], int(Action.SKIP)).otherwise(int(Action.INSERT))
    return outcome_of(action, new["row"], new["made"])
