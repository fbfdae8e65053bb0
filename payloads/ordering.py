"""Ordering values: what a payload compares, with the Java class and the `compareTo` rule of each.

Source: `Comparable.compareTo` of the Java and Avro classes that Hudi hands to a payload, in all releases. Values of
unlike classes do not compare, not even Integer with Long.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from payloads.avro import date_text, plain_text, timestamp_text, value_text
from payloads.errors import NullOrderingError, OrderingTypeError, PayloadFailedError, SchemaError
from payloads.java import float_text, floating, natural, signed_bytes, utf16

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro import AvroSchema

_NULL_IN_LIST = "an ordering field of the list is null; fill every ordering field before the write"


class Ordering:
    """One ordering value with the Java class it has inside Hudi. Immutable by convention.

    Attributes:
        java_type: `int`, `long`, `float`, `double`, `boolean`, `string` (java.lang.String), `utf8` (Avro string),
            `decimal`, `spark_decimal` (Spark's own class), `local_date`, `timestamp` (java.sql.Timestamp),
            `instant` (java.time.Instant), `bytes`, `avro` (an enum symbol, fixed, record or array), `map` (no order),
            `array` (several ordering fields).
        value: the plain value: int, float, bool, str, bytes, `decimal.Decimal`; days since 1970-01-01 for
            `local_date`; nanoseconds since 1970-01-01 UTC for `timestamp`, microseconds for `instant`; a tuple
            of `Ordering | None` for `array`.
        schema: the Avro schema of the value, for `avro` and `map` alone.
    """

    __slots__ = ("java_type", "schema", "value")

    def __init__(self, java_type: str, value: Any, schema: AvroSchema | None = None) -> None:
        self.java_type = java_type
        self.value = value
        self.schema = schema

    @property
    def is_default(self) -> bool:
        """Whether this is Integer 0, Hudi's "no ordering"; Long 0 and a list of zeros are not."""
        return self.java_type == "int" and self.value == 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ordering):
            return bool(self.value == other)
        try:
            return compare(self, other) == 0
        except (OrderingTypeError, NullOrderingError):
            return False

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: object) -> bool:
        if isinstance(other, Ordering):
            return compare(self, other) < 0
        return bool(self.value < other)

    def __le__(self, other: object) -> bool:
        if isinstance(other, Ordering):
            return compare(self, other) <= 0
        return bool(self.value <= other)

    def __gt__(self, other: object) -> bool:
        if isinstance(other, Ordering):
            return compare(self, other) > 0
        return bool(self.value > other)

    def __ge__(self, other: object) -> bool:
        if isinstance(other, Ordering):
            return compare(self, other) >= 0
        return bool(self.value >= other)

    def __repr__(self) -> str:
        return f"Ordering({self.java_type!r}, {self.value!r})"

    def __reduce__(self) -> tuple[type[Ordering], tuple[object, ...]]:
        return Ordering, (self.java_type, self.value, self.schema)

    def __deepcopy__(self, memo: dict[int, object]) -> Ordering:
        twin = memo[id(self)] = Ordering(self.java_type, copy.deepcopy(self.value, memo), self.schema)
        return twin


NATURAL_ORDER = Ordering("int", 0)
"""Arrival order: the ordering value of a record that has none."""


def same_class(left: Ordering, right: Ordering) -> bool:
    """Whether both values have the same Java class; lists are compared up to the first pair that differs.

    A `right` that is the longer list is not a difference, as in Hudi; `compare` then refuses the two.

    Raises:
        NullOrderingError: a null inside a list is reached.
        PayloadFailedError: the list `right` ends first.
    """
    if left.java_type != right.java_type:
        return False
    if left.java_type == "avro":
        return _avro_kind(left) == _avro_kind(right)
    if left.java_type == "array":
        for index, a in enumerate(left.value):
            if index == len(right.value):
                raise PayloadFailedError(_unlike_lengths(left.value, right.value))
            b = right.value[index]
            if a is None or b is None:
                raise NullOrderingError(_NULL_IN_LIST)
            if not same_class(a, b):
                return False
    return True


def compare(left: Ordering, right: Ordering) -> int:
    """Compare as `left.compareTo(right)` does in Java: negative, zero or positive.

    Raises:
        OrderingTypeError: the Java classes differ, or lists of ordering values differ in length.
        NullOrderingError: a null inside a list of ordering values is reached.
    """
    java_type = left.java_type
    if java_type != right.java_type:
        raise OrderingTypeError.from_types(java_type, right.java_type)
    rule = _RULES.get(java_type)
    if rule is None:
        raise OrderingTypeError.from_types(java_type, right.java_type)
    if java_type == "avro":
        return _compare_avro(left, right)
    return rule(left.value, right.value)


def _elements(left: tuple[Ordering | None, ...], right: tuple[Ordering | None, ...]) -> int:
    if len(left) != len(right):
        raise OrderingTypeError(_unlike_lengths(left, right))
    for a, b in zip(left, right, strict=True):
        if a is None or b is None:
            raise NullOrderingError(_NULL_IN_LIST)
        result = compare(a, b)
        if result:
            return result
    return 0


def _unlike_lengths(left: tuple[Ordering | None, ...], right: tuple[Ordering | None, ...]) -> str:
    return (
        f"lists of {len(left)} and {len(right)} ordering values can't be compared; "
        "use one list of ordering fields for the whole table"
    )


def _avro_kind(ordering: Ordering) -> str:
    return ordering.schema.kind if ordering.schema is not None else "none"


def _compare_avro(left: Ordering, right: Ordering) -> int:
    if left.schema is None or _avro_kind(left) != _avro_kind(right):
        raise OrderingTypeError.from_types(_avro_kind(left), _avro_kind(right))
    try:
        return left.schema.compare(left.value, right.value)
    except (KeyError, TypeError, SchemaError) as error:  # the value on the right has another schema
        raise OrderingTypeError.from_types(left.schema.name, right.schema.name if right.schema else "none") from error


_RULES: dict[str, Callable[[Any, Any], int]] = {
    "int": natural,
    "long": natural,
    "boolean": natural,
    "float": floating,
    "double": floating,
    "decimal": natural,
    "spark_decimal": natural,
    "local_date": natural,
    "timestamp": natural,
    "instant": natural,
    "utf8": natural,
    "string": utf16,
    "bytes": signed_bytes,
    "array": _elements,
    "avro": natural,
}


def ordering_text(ordering: Ordering | None) -> str:
    """Return `String.valueOf` of an ordering value."""
    if ordering is None:
        return "null"
    if ordering.java_type == "array":
        return f"[{', '.join(ordering_text(element) for element in ordering.value)}]"
    if ordering.schema is not None:
        return value_text(ordering.schema, ordering.value)
    return _TEXTS.get(ordering.java_type, plain_text)(ordering.value)


_TEXTS: dict[str, Callable[[Any], str]] = {
    "float": float_text,
    "local_date": date_text,
    "timestamp": timestamp_text,
}
