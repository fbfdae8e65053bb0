"""The types of fields that the differential tests draw from: how they are written in a schema, and their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from payloads.builtin import UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = st.text("aB1é\uffff\U0001f600", max_size=3) | st.sampled_from(["D", "d", "I", "true", UNAVAILABLE])
BYTES = st.binary(max_size=3) | st.just(UNAVAILABLE.encode())
INT = st.integers(-3, 3) | st.sampled_from([127, 128, 2**31 - 1, -(2**31)])
LONG = st.integers(-3, 3) | st.sampled_from([127, 128, 2**63 - 1, -(2**63)])
DAYS = st.integers(-800_000, 800_000) | st.sampled_from([0, -1, 18_000])
MICROS = st.sampled_from([0, 1, 999, 1000, 1500, -1, -1500, 2_500_000]) | st.integers(-(2**50), 2**50)
DOUBLE = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, float("nan"), float("inf")]) | st.floats()
FLOAT = st.sampled_from([0.0, -0.0, 1.0, 1.5, float("nan")]) | st.floats(width=32)
UNSCALED = st.integers(-999, 999)


def _unscaled_bytes(number: int) -> bytes:
    return number.to_bytes(2, "big", signed=True)


@dataclass(frozen=True)
class FieldType:
    """A type of field: how it is written in a schema, its values, and defaults as JSON with their values."""

    source: Callable[[str], Any]
    values: st.SearchStrategy[Any]
    defaults: tuple[Any, ...] = ()


def _same(source: Any) -> Callable[[str], Any]:
    return lambda _name: source


def _named(**rest: Any) -> Callable[[str], Any]:
    return lambda name: {"name": f"{name}_type", **rest}


FIELD_TYPES = {
    "int": FieldType(_same("int"), INT, (0, 1)),
    "long": FieldType(_same("long"), LONG, (0, 1, 128)),
    "float": FieldType(_same("float"), FLOAT, (0.0, 1.5)),
    "double": FieldType(_same("double"), DOUBLE, (0.0, 1.5)),
    "boolean": FieldType(_same("boolean"), st.booleans(), (False, True)),
    "string": FieldType(_same("string"), TEXT, ("", "a", "D")),
    "bytes": FieldType(_same("bytes"), BYTES, ("", "a")),
    "fixed": FieldType(_named(type="fixed", size=2), st.binary(min_size=2, max_size=2), ("aa",)),
    "enum": FieldType(_named(type="enum", symbols=["Z", "A", "D"]), st.sampled_from(["Z", "A", "D"]), ("Z",)),
    "date": FieldType(_same({"type": "int", "logicalType": "date"}), DAYS, (0,)),
    "micros": FieldType(_same({"type": "long", "logicalType": "timestamp-micros"}), MICROS, (0,)),
    "millis": FieldType(_same({"type": "long", "logicalType": "timestamp-millis"}), MICROS, (0,)),
    "local": FieldType(_same({"type": "long", "logicalType": "local-timestamp-micros"}), MICROS, (0,)),
    "decimal": FieldType(
        _same({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}),
        UNSCALED.map(_unscaled_bytes),
    ),
    "fixed_decimal": FieldType(
        _named(type="fixed", size=2, logicalType="decimal", precision=4, scale=1), UNSCALED.map(_unscaled_bytes)
    ),
    "longs": FieldType(_same({"type": "array", "items": "long"}), st.lists(LONG, max_size=2), ([], [1])),
    "texts": FieldType(_same({"type": "array", "items": "string"}), st.lists(TEXT, max_size=2), ([], ["a"])),
    "map": FieldType(
        _same({"type": "map", "values": "string"}), st.dictionaries(st.just("k"), TEXT, max_size=1), ({},)
    ),
    "record": FieldType(
        _named(type="record", fields=[{"name": "b", "type": ["null", "long"], "default": None}]),
        st.fixed_dictionaries({"b": st.none() | LONG}),
    ),
}
ORDERABLE = (
    "long",
    "int",
    "double",
    "string",
    "date",
    "micros",
    "decimal",
    "fixed_decimal",
    "enum",
    "bytes",
    "boolean",
)
SEQUENCES = st.sampled_from(["1.9", "1.10", "2.1", "10.1", "00001.9", "1", "1.1.9", "a.1", "1.x", ""])
OPERATIONS = st.sampled_from(["I", "U", "D", "d", "c", "DELETE", ""])
