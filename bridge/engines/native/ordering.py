"""Ordering values as columns: which types Spark compares as Hudi does, and the comparison of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

    from payloads import AvroSchema

_FLOATING = frozenset({"float", "double"})
_PLAIN = frozenset({"int", "long", "boolean", "string"})


class Kind(NamedTuple):
    """How the values of an ordering field compare.

    Attributes:
        name: the field.
        type: the Avro type, which decides the Java class: `int`, `long`, `boolean`, `string`, `float` or `double`.
        logical: its logical type: dates and timestamps to microseconds.
    """

    name: str
    type: str
    logical: str | None = None

    @property
    def is_integer(self) -> bool:
        """Whether the class is Integer: its 0 is Hudi's "no ordering", and so a null is of this class."""
        return self.type == "int"

    @property
    def entry_types(self) -> tuple[str, ...]:
        """The types under which `_pb_ordering` has values of this class."""
        return ("string", "utf8") if self.type == "string" else (self.type,)

    def values(self, column: Column) -> list[Column]:
        """Return what to compare, one after the other; all null for a null."""
        if self.logical == "date":
            return [sf.unix_date(column)]
        if self.logical == "timestamp-micros":
            return [sf.unix_micros(column)]
        if self.type in _FLOATING:
            # For Spark -0.0 and 0.0 are equal; in Java the first is smaller.
            is_positive = column.cast("string") == "0.0"
            return [column, sf.when(column == 0.0, is_positive.cast("int")).when(column.isNotNull(), 0)]
        return [column]

    def values_where_stored(self, column: Column) -> list[Column]:
        """Return what to compare of a stored row, where an Integer that is null reads as 0."""
        values = self.values(column)
        return [sf.coalesce(values[0], sf.lit(0))] if self.is_integer else values

    def parsed(self, text: Column) -> Column:
        """Return the value that `_pb_ordering` has as a text, as `values` gives it."""
        return text if self.type == "string" else text.cast({"long": "bigint"}.get(self.type, self.type))


def kind_of(schema: AvroSchema, name: str, *, reads_log: bool) -> Kind | None:
    """Return how a field compares; None if Spark does not compare it as Hudi does.

    In a batch dates and decimals have another class than in the table; the texts of a log's delete entries are not
    those of SQL for floating point and decimals.
    """
    field = schema.by_name.get(name)
    if field is None:
        return None
    value = field.schema.non_null
    kind = Kind(name, value.kind, value.logical)
    if value.logical == "date":
        return kind if reads_log else None
    if value.logical == "timestamp-micros":
        return kind
    if value.logical is not None:
        return None
    return kind if value.kind in _PLAIN or (value.kind in _FLOATING and not reads_log) else None


def later(older: Sequence[Column], newer: Sequence[Column], if_null: Column) -> Column:
    """Return whether `older` is the greater: value after value, with `if_null` where a null is reached."""
    result = sf.lit(False)
    for one, other in reversed(list(zip(older, newer, strict=True))):
        result = (
            sf.when(one.isNull() | other.isNull(), if_null)
            .when(one > other, sf.lit(True))
            .when(one < other, sf.lit(False))
            .otherwise(result)
        )
    return result
