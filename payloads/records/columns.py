"""The values of columns that a rule makes of two records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from payloads.avro import default_test, object_test, value_test
from payloads.backports import assert_never
from payloads.java import joined_names, listed_names, single
from payloads.ordering import compare
from payloads.ordering_fields import raw_converter
from payloads.rules import (
    Concat,
    Constant,
    Default,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    JoinedLists,
    Least,
    Role,
    Sum,
    Take,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro import AvroSchema, Field, Value
    from payloads.rules import Column, Test

_BITS = {"int": 32, "long": 64}
_DEFAULTS = {Default.EQUALS: default_test, Default.OBJECT: object_test, Default.VALUE: value_test}


class Pair(Protocol):
    """Two versions that a rule merges."""

    older: Value
    newer: Value
    schema: AvroSchema

    def side(self, side: Role) -> Any:
        """Return the version on a side."""

    def holds(self, test: Test) -> bool:
        """Whether a test of the versions holds."""


def column_value(node: Column, pair: Pair, field: Field) -> Any:  # noqa: C901, PLR0911 (one a node)
    """Return the value of a column."""
    match node:
        case Take(side):
            return (pair.side(side).record or {}).get(field.name)
        case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
            is_gap = _gap_of(node, field)
            for one in values:
                value = column_value(one, pair, field)
                if not is_gap(value):
                    return value
            return value
        case Least() | Greatest():
            return _both(pair, field, lambda older, newer: _of_two(node, field, older, newer))
        case Sum():
            return _both(pair, field, lambda older, newer: _sum(field.schema.non_null.kind, older, newer))
        case Concat():
            return _both(pair, field, lambda older, newer: [*older, *newer])
        case Union():
            return _both(pair, field, lambda older, newer: {**older, **newer})
        case JoinedLists(trims):
            sides = (pair.side(side) for side in (Role.LATER, Role.EARLIER))
            return joined_names(*(listed_names((side.record or {}).get(field.name), trims=trims) for side in sides))
        case Constant(value):
            return value
        case IfElse(test, then, otherwise):
            return column_value(then if pair.holds(test) else otherwise, pair, field)
        case other:
            assert_never(other)


def has_gap(node: Column, pair: Pair, field: Field) -> bool:
    """Whether a column has more than the value of the later version: what is not that is a gap."""
    match node:
        case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
            return _gap_of(node, field)(column_value(values[0], pair, field))
        case Take():
            return False
        case _:
            return True


def _gap_of(node: FirstNonNull | FirstNonDefault | FirstNonMarker, field: Field) -> Callable[[Value], bool]:
    match node:
        case FirstNonNull():
            return lambda value: value is None
        case FirstNonMarker(marker=marker):
            return lambda value: value == marker
        case FirstNonDefault(by=by):
            return _DEFAULTS[by](field)
        case other:
            assert_never(other)


def _both(pair: Pair, field: Field, joined: Callable[[Any, Any], Any]) -> Any:
    older, newer = ((side.record or {}).get(field.name) for side in (pair.older, pair.newer))
    if older is None or newer is None:
        return newer if older is None else older
    return joined(older, newer)


def _of_two(node: Least | Greatest, field: Field, older: object, newer: object) -> object:
    convert = raw_converter(field.schema)
    order = compare(convert(older), convert(newer))
    return older if (order <= 0) is isinstance(node, Least) else newer


def _sum(kind: str, older: Value, newer: Value) -> object:
    """Add as Java does: integers wrap around, and a float is rounded to one."""
    total, bits = older + newer, _BITS.get(kind)
    if kind == "float":
        return single(total)
    return total if bits is None else (total + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
