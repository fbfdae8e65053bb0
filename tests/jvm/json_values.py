"""Hypothesis strategies for JSON objects: members as a schema wants them, of another type, and none at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from payloads import AvroSchema

ABSENT = object()
"""A member that is not there."""
_FRAME = ""
_ODD_TEXTS = (
    *("", "a", "1", " 1", "+1", "1.0", "1e3", "0x1", "NaN", "-Infinity", "1f", "true", "null", "\u00e9", "\U0001f600"),
    *("2020-02-30", "2020-02-29", "12:30", "12:30:00.5", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123456789"),
    *("1969-12-31T23:59:59.9999999Z", "AQI=", "AQ"),
)
_ODD_NUMBERS = (0, 1, -1, 300, 2**31, 2**63, 2**70, 1.5, -0.0, 1e300, 1e-7, float("nan"), 12345678901234567890.5)
_ODD_VALUES = (None, True, [], [1], [1, 300], [None], ["a", 1.0], {}, {"b": 1}, {"k": None})
_ODD = st.sampled_from([*_ODD_TEXTS, *_ODD_NUMBERS, *_ODD_VALUES])
_NUMBERS = st.integers(-300, 300) | st.floats(-1e6, 1e6) | st.sampled_from([2**31 - 1, -(2**63), 0.0])


def json_members(schema: AvroSchema) -> dict[str, st.SearchStrategy[Any]]:
    """Return strategies for the members of an object; the one without a name frames the text."""
    members = {field.name: _member(field.schema) for field in schema.fields}
    frames = ["%s"] * 12 + ["%s and more", " \n%s", "[%s]", "%s%s", "%.6s", "", "null", "{'a': 1}", '{"extra": 1}']
    return {**members, _FRAME: st.sampled_from(frames)}


def json_text(members: dict[str, Any]) -> str:
    """Return the text of drawn members."""
    there = {name: value for name, value in members.items() if value is not ABSENT and name != _FRAME}
    return str(members[_FRAME].replace("%s", json.dumps(there)))


def _member(schema: AvroSchema) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda chance: st.just(ABSENT) if chance == 0 else _value(schema, chance))


def _value(schema: AvroSchema, chance: int) -> st.SearchStrategy[Any]:
    return _ODD if chance == 1 else _natural(schema)


def _natural(schema: AvroSchema) -> st.SearchStrategy[Any]:  # noqa: C901, PLR0911 (one a kind)
    match schema.logical, schema.kind:
        case _, "union":
            return st.none() | _natural(schema.non_null)
        case "decimal", _:
            return st.integers(-100, 100) | st.sampled_from(["1.5", "-2.25", "3", "9999", 0.5, 1.25, 99.9])
        case "date", _:
            return st.integers(-9, 9) | st.dates().map(str)
        case (("timestamp-micros" | "timestamp-millis" | "local-timestamp-micros"), _):
            return st.integers(-9, 9) | st.datetimes().map(lambda moment: moment.isoformat()) | _instants()
        case _, "int" | "long" | "float" | "double":
            return _NUMBERS | _NUMBERS.map(str)
        case _, "boolean":
            return st.booleans()
        case _, "fixed":
            return st.lists(st.integers(-129, 256), max_size=3)
        case _, "enum":
            return st.sampled_from(schema.symbols)
        case _, "array":
            return st.lists(_natural(schema.items), max_size=2)
        case _, "map":
            return st.dictionaries(st.just("k"), _natural(schema.values), max_size=1)
        case _, "record":
            return st.fixed_dictionaries({}, optional={field.name: _natural(field.schema) for field in schema.fields})
        case _:
            return st.text("aB1\u00e9\uffff\U0001f600", max_size=3) | _NUMBERS | st.booleans()


def _instants() -> st.SearchStrategy[str]:
    return st.datetimes().map(lambda moment: f"{moment.isoformat()}Z")
