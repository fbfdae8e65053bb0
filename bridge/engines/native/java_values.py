"""Values as Java makes and compares them: sums that wrap around, unions of maps, constants, marks of deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.spark import functions
from payloads.java import any_case_pattern
from payloads.rules import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column

    from payloads.rules import DeleteTests

_NARROW = (spark_types.ByteType, spark_types.ShortType)
"""The types that Avro has no type for, which are integers there."""


def is_marker(value: Column, marker: str | bytes) -> Column:
    """Whether a value is a marker; null is none."""
    return sf.coalesce(value == literal(marker), sf.lit(False))


def is_delete(tests: DeleteTests, column_of: Callable[[str], Column]) -> Column:
    """Whether a row marks itself as a delete, by tests that fit its columns; `column_of` gives these."""
    found = sf.coalesce(column_of(IS_DELETED), sf.lit(False)) if tests.flag else sf.lit(False)
    if tests.marker is None:
        return found
    name, text, ignores_case = tests.marker.parts
    if not ignores_case:
        return found | is_marker(column_of(name), text)
    return found | sf.coalesce(column_of(name).rlike(rf"(?iu)\A{any_case_pattern(text)}\z"), sf.lit(False))


def literal(value: bool | float | str | bytes | None) -> Column:  # noqa: FBT001 (a value of a node)
    """Return a constant."""
    return sf.unhex(sf.lit(value.hex())) if isinstance(value, bytes) else sf.lit(value)


def constant(value: bool | float | str | bytes | None, kind: spark_types.DataType) -> Column:  # noqa: FBT001
    """Return a constant in a column of a type, of whose numbers it must be one."""
    if isinstance(value, int) and isinstance(kind, _NARROW):
        return _narrow(literal(value), kind)
    return literal(value).cast(kind)


def added(kind: spark_types.DataType, one: Column, other: Column) -> Column:
    """Return a sum that wraps around, as in Java, whatever Spark does about an overflow."""
    match kind:
        case spark_types.IntegerType() | spark_types.ShortType() | spark_types.ByteType():
            return _narrow(_wrapped(one.cast("bigint") + other.cast("bigint"), 32), kind)
        case spark_types.LongType():
            wide = one.cast("decimal(20,0)") + other.cast("decimal(20,0)")
            return sf.coalesce(functions.try_add(one, other), _wrapped(wide, 64).cast("bigint"))
    return one + other


def _narrow(total: Column, kind: spark_types.DataType) -> Column:
    if not isinstance(kind, _NARROW):
        return total.cast(kind)
    told = sf.format_string(f"%s is no {kind.simpleString()}; give the column a wider type", total)
    return functions.narrowed(total, kind, told)


def _wrapped(total: Column, bits: int) -> Column:
    half = sf.lit(1 << (bits - 1)) if bits < 64 else sf.lit(str(1 << (bits - 1))).cast("decimal(20,0)")  # noqa: PLR2004
    full = sf.lit(1 << bits) if bits < 64 else sf.lit(str(1 << bits)).cast("decimal(20,0)")  # noqa: PLR2004
    return functions.pmod(total + half, full) - half


def united(one: Column, other: Column) -> Column:
    """Return the entries of two maps, those of `other` first."""
    return sf.map_concat(sf.map_filter(one, lambda key, _: ~sf.array_contains(sf.map_keys(other), key)), other)
