"""The values that a column takes in an exhaustive check: few, chosen so that arithmetic, rounding and limits show.

The order matters: a check that varies several columns at once takes the first values of each. The first two differ and
are not null. A mean, a difference or a rounded sum of these numbers depends on the bracketing.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from payloads.avro import Branch
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from payloads.avro import AvroSchema

_WHOLE: Final = (1, 4, -3, 0, 2, 10)
_BROKEN: Final = (0.1, 0.6, -3.5, 0.0, 1e16, 4.0)
_DAYS: Final = (19_723, 19_754, 0, 20_000)
_MOMENTS: Final = (1_704_067_200_000, 1_704_153_600_001, 0, 1_704_067_260_000)
"""Milliseconds of the epoch."""
_PER_SECOND: Final = {"millis": 1_000, "micros": 1_000_000, "nanos": 1_000_000_000}
_TEXTS: Final = ("a", "bb", "", "c", "B")
_BYTES: Final = (b"\x01", b"\x02\x03", b"", b"\x80")
_UUIDS: Final = ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002")
_MOST_LENGTH: Final = 300
_MOST_NESTED: Final = 6
_FEW: Final = 3
_LARGE: Final = 1 << 16

Family = tuple[str, tuple[str, ...]]
"""A form that texts may have, by name, with texts of that form."""


class Hints(NamedTuple):
    """What is known of a column besides its type.

    Attributes:
        constants: what the class may compare it with, the likeliest first.
        frequent: the values that it has in real data, the most frequent first.
        texts: texts of the form that the class reads; none for any text.
        depth: how deep records, arrays and maps are nested at most.
    """

    constants: tuple[object, ...] = ()
    frequent: tuple[object, ...] = ()
    texts: tuple[str, ...] = ()
    depth: int = 4

    @property
    def inside(self) -> Hints:
        """What is known of what is inside the column."""
        return self._replace(frequent=(), depth=self.depth - 1)


NO_HINTS: Final = Hints()


def families(constants: Iterable[object]) -> tuple[Family, ...]:
    """Return the forms of texts that classes parse; objects have the constants as names."""
    names = [one for one in constants if isinstance(one, str) and one.isidentifier()][:20]
    objects = (
        json.dumps({"a": 1, **{name: place % 5 + 1 for place, name in enumerate(names)}}),
        json.dumps({"a": 2, "b": 4, **{name: 4 * (place % 3) + 2 for place, name in enumerate(names)}}),
        json.dumps(dict.fromkeys(("a", *names), "7")),
    )
    return (
        ("whole numbers", ("7", "12", "-3", "0")),
        ("numbers", ("0.1", "0.7", "-3.5", "4")),
        ("dates", ("2024-01-05", "2024-02-29", "1969-12-31")),
        ("timestamps", ("2024-01-05T10:00:00", "2024-02-29T23:59:59", "1969-12-31T00:00:00")),
        ("timestamps with a space", ("2024-01-05 10:00:00", "2024-02-29 23:59:59", "1969-12-31 00:00:00")),
        ("timestamps with a zone", ("2024-01-05T10:00:00Z", "2024-02-29T23:59:59Z", "1969-12-31T00:00:00Z")),
        ("JSON objects", objects[:2]),
        ("JSON objects of texts", (objects[2], objects[2].replace('"7"', '"12"'))),
        ("JSON arrays", ("[1, 4]", "[2]", "[]")),
        ("pairs", ("a=1;b=4", "a=2", "b=7;c=1")),
        ("lists", ("7,12", "3", "1,4,10")),
        ("bits", ("true", "false")),
        ("UUIDs", _UUIDS),
    )


def pool(schema: AvroSchema, hints: Hints = NO_HINTS) -> tuple[object, ...]:
    """Return the values of a column, each once: plain ones, constants, frequent ones, and null where it fits."""
    plain = _plain(schema, hints)
    likely = sorted(hints.constants, key=lambda one: schema.non_null.kind == "string" and not isinstance(one, str))
    constants = [one for value in likely for one in _near(value, schema)]
    frequent = list(hints.frequent)
    some = [one for one in (*frequent, *constants, *plain) if one is not None]
    first = next(iter([*(one for one in frequent if one is not None), *plain, *some]), None)
    second = next((one for one in (*constants, *frequent, *plain) if one is not None and not _same(one, first)), first)
    nulls = [None] if schema.nullable else []
    mixed = [one for group in itertools.zip_longest(plain[:_FEW], constants, frequent) for one in group]
    ordered = [first, second, *nulls, *mixed, *plain]
    return each_once(one for one in ordered if one is not None or schema.nullable)


def each_once(values: Iterable[object]) -> tuple[object, ...]:
    """Return values without repetition, by type and value."""
    return tuple({f"{type(value).__name__} {value!r}": value for value in values}.values())


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and repr(left) == repr(right)


def _plain(schema: AvroSchema, hints: Hints = NO_HINTS) -> list[Any]:  # noqa: C901, PLR0911 (one a kind)
    """Return values of a type without null, the most telling ones first."""
    match schema.kind:
        case "null":
            return []
        case "union":
            return _of_union(schema, hints)
        case "boolean":
            return [True, False]
        case "int" | "long":
            return [one for one in _integers(schema) if schema.fits(one)]
        case "float" | "double":
            return list(_BROKEN)
        case "string":
            return list(hints.texts or (_UUIDS if schema.logical == "uuid" else _TEXTS))
        case "bytes":
            return [_unscaled(one) for one in _WHOLE] if schema.logical == "decimal" else list(_BYTES)
        case "fixed":
            return _fixed(schema)
        case "enum":
            return list(schema.symbols)
        case "array":
            return _arrays(_items(schema.items, hints.inside)) if hints.depth > 0 else [[]]
        case "map":
            return _maps(_items(schema.values, hints.inside), hints) if hints.depth > 0 else [{}]
        case _:
            return _records(schema, hints.inside) if hints.depth > 0 else []


def _integers(schema: AvroSchema) -> Sequence[int]:
    logical = schema.logical or ""
    if logical == "date":
        return _DAYS
    if "timestamp" in logical:
        unit = _PER_SECOND.get(logical.rpartition("-")[2], 1_000)
        return [one * unit // 1_000 for one in _MOMENTS]
    return _WHOLE if not logical.startswith("time-") else [one for one in _WHOLE if one >= 0]


def _unscaled(value: int) -> bytes:
    return value.to_bytes(max(1, (value.bit_length() + 8) // 8), "big", signed=True)


def _fixed(schema: AvroSchema) -> list[bytes]:
    if not schema.size:
        return [b""]
    if schema.size > _LARGE:
        msg = f"values of {schema.size} bytes, as {schema.name} has, are too large to be tried; leave the column out"
        raise SchemaError(msg)
    signed = schema.logical == "decimal"
    return [one.to_bytes(schema.size, "big", signed=signed) for one in _WHOLE if signed or one >= 0]


def _items(schema: AvroSchema, hints: Hints) -> list[object]:
    """Return values of what is inside a collection, with null where it fits."""
    return [*_plain(schema, hints)[:_FEW], *([None] if schema.nullable else [])]


def _arrays(items: Sequence[object]) -> list[object]:
    if not items:
        return [[]]
    first, second = items[0], items[1 % len(items)]
    return [[first], [second, first], [], [first, first], [second], list(items)]


def _maps(values: Sequence[object], hints: Hints) -> list[object]:
    if not values:
        return [{}]
    first, second = values[0], values[1 % len(values)]
    names = [one for one in hints.constants if isinstance(one, str)][:_FEW]
    return [
        {"a": first, **dict.fromkeys(names, first)},
        {"b": first, "a": second, **dict.fromkeys(names, second)},
        {},
        {"b": second},
        {"a": values[-1], "c": first},
    ]


def _records(schema: AvroSchema, hints: Hints) -> list[Any]:
    """Return nested records in which all fields differ, then some that differ in every second field."""
    values = {field.name: pool(field.schema, hints) for field in schema.fields}
    if not all(values.values()):
        return []  # it contains itself without a way out, or ends here
    found = []
    for number in range(_MOST_NESTED):
        record = {}
        for place, (name, pooled) in enumerate(values.items()):
            at = number if number < _FEW else (number + place) % 2 + (number - _FEW) // 2
            record[name] = pooled[at % len(pooled)]
        found.append(record)
    return list(each_once(found))


def _of_union(schema: AvroSchema, hints: Hints) -> list[object]:
    branches = [branch for branch in schema.branches if branch.kind != "null"]
    columns = [
        [Branch(branch.name, one) if schema.ambiguous else one for one in _plain(branch, hints)] for branch in branches
    ]
    return [one for group in itertools.zip_longest(*columns) for one in group if one is not None]


def _near(value: object, schema: AvroSchema) -> list[object]:
    """Return what a comparison with a constant may tell apart."""
    kind = schema.non_null.kind
    near: list[Any] = []
    match kind, value:
        case (("int" | "long"), int()):
            near = [value, value + 1, value - 1]
        case (("int" | "long"), float()) if value == int(value):
            near = [int(value), int(value) + 1]
        case (("float" | "double"), int() | float()):
            near = [float(value), float(value) + 1, float(value) - 1]
        case ("string", int()) if 0 < value <= _MOST_LENGTH:
            near = ["x" * value, "x" * (value + 1)]
        case ("string", str()) | ("bytes", bytes()) | ("enum", str()):
            near = [value]
        case ("array", _):
            near = [[one] for one in _near(value, schema.non_null.items)[:1]]
        case ("bytes" | "fixed", int() | float()) if schema.non_null.logical == "decimal" and value == int(value):
            scale = 10 ** int(schema.non_null.source.get("scale", 0))
            unscaled = int(value) * scale
            near = [
                one.to_bytes(schema.non_null.size, "big", signed=True) if kind == "fixed" else _unscaled(one)
                for one in (unscaled, unscaled + 1)
                if kind == "bytes" or one.bit_length() < 8 * schema.non_null.size
            ]
    return [one for one in near if schema.fits(one)]
