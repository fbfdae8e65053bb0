"""Ordering values as columns: which types Spark compares as Hudi does, their texts, the comparison of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ADDED_TYPES, ORDERING
from bridge.spark import functions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column

    from payloads import AvroSchema

_FLOATING = frozenset({"float", "double"})
_PLAIN = frozenset({"int", "long", "boolean", "string"})


class Kind(NamedTuple):
    """How the values of an ordering field compare.

    Attributes:
        name: the field.
        type: the Avro type, which decides the Java class: `int`, `long`, `boolean`, `string`, `float`, `double`; of
            decimals `fixed`.
        logical: its logical type: dates, timestamps to microseconds, decimals.
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

    @property
    def logged_type(self) -> str:
        """The one type under which `_pb_ordering` has values of the class that a row of a log has until 0.15."""
        return {"string": "utf8"}.get(self.type, self.type)

    @property
    def is_plain(self) -> bool:
        """Whether `values` gives the column itself."""
        return self.logical in {None, "decimal"} and self.type not in _FLOATING

    def values(self, column: Column) -> list[Column]:
        """Return what to compare, one after the other; all null for a null."""
        if self.logical == "date":
            return [functions.unix_date(column)]
        if self.logical == "timestamp-micros":
            return [functions.unix_micros(column)]
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

    @property
    def has_text(self) -> bool:
        """Whether `text` gives what `_pb_ordering` has: of floating point and decimals SQL makes other texts."""
        return self.type in _PLAIN

    def text(self, column: Column) -> Column:
        """Return the text of a value that a writer has read; null for a null."""
        return self.values(column)[0].cast("string")

    @property
    def written_type(self) -> str:
        """The type under which `_pb_ordering` has a value that a writer has read."""
        return "local_date" if self.logical == "date" else {"string": "utf8"}.get(self.type, self.type)


def kind_of(schema: AvroSchema, name: str) -> Kind | None:
    """Return how a field compares; None if Spark does not compare its values as Hudi does."""
    field = schema.by_name.get(name)
    if field is None:
        return None
    value = field.schema.non_null
    if value.logical not in {None, "date", "timestamp-micros", "decimal"}:
        return None
    is_known = value.logical == "decimal" or value.kind in _PLAIN or value.kind in _FLOATING
    return Kind(name, value.kind, value.logical) if is_known else None


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


def told_ordering(schema: AvroSchema, values: Mapping[str, Column]) -> Column | None:
    """Return `_pb_ordering` of a version whose ordering fields have `values`; None for a type without such a text."""
    kinds = [kind_of(schema, name) for name in values]
    known = [kind for kind in kinds if kind is not None and kind.has_text]
    return written(known, list(values.values()), plain_texts=False) if len(known) == len(values) else None


def written(kinds: Sequence[Kind], columns: Sequence[Column], *, plain_texts: bool) -> Column:
    """Return `_pb_ordering` of a version: Integer 0 without ordering fields, a list with several.

    Texts are Avro's own, or with `plain_texts` java.lang.String.
    """
    types = [kind.type if plain_texts and kind.type == "string" else kind.written_type for kind in kinds]
    if not kinds:
        told = (sf.lit("int"), sf.lit("0"))
    elif len(kinds) == 1:
        told = (sf.lit(types[0]), kinds[0].text(columns[0]))
    else:
        parts = [
            sf.coalesce(
                sf.concat(sf.lit(f'{{"type": "{name}", "value": "'), kind.text(column), sf.lit('"}')), sf.lit("null")
            )
            for kind, name, column in zip(kinds, types, columns, strict=True)
        ]
        told = (sf.lit("array"), sf.concat(sf.lit("["), sf.concat_ws(", ", *parts), sf.lit("]")))
    kind, text = told
    ordering = sf.struct(kind.alias("type"), text.alias("value"))
    return sf.when(text.isNotNull(), ordering).cast(ADDED_TYPES[ORDERING]).alias(ORDERING)
