"""Small universes: schemas, properties and versions that exercise what a rule may depend on."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from payloads import NATURAL_ORDER, Ordering, parse_schema
from payloads.builtin import DELETE_FIELD, DELETE_MARKER, UNAVAILABLE, UPDATE_ON_SAME_ORDERING
from payloads.ordering_fields import CONSISTENT_TIMESTAMP
from payloads.records import RuleVersion
from payloads.rules import META_COLUMNS

if TYPE_CHECKING:
    from payloads import AvroSchema

ORDERING_KEYS = ("hoodie.payload.ordering.field", "hoodie.table.precombine.field", "hoodie.table.ordering.fields")
_OPTION = {"type": ["null", "string"], "default": None}


class Setting(NamedTuple):
    """A schema with properties."""

    schema: AvroSchema
    props: dict[str, str]


def schema_of(*fields: dict[str, Any], meta: bool = False) -> AvroSchema:
    """Return a schema with a key; with the meta columns before all others."""
    first = [{"name": name, **_OPTION} for name in META_COLUMNS] if meta else []
    return parse_schema(
        {"type": "record", "name": "row", "fields": [*first, {"name": "id", "type": "string"}, *fields]}
    )


def _columns(ordering: Any) -> tuple[dict[str, Any], ...]:
    return (
        {"name": "ts", **ordering},
        {"name": "_event_seq", **_OPTION},
        {"name": "_event_lsn", "type": ["null", "long"], "default": None},
        {"name": "note", **_OPTION},
        {"name": "raw", "type": ["null", "bytes"], "default": None},
        {"name": "n", "type": "long", "default": 0},
        {"name": "Op", **_OPTION},
        {"name": "_change_operation_type", **_OPTION},
        {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
    )


_PLAIN = _columns({"type": ["null", "long"], "default": None})
_MICROS = _columns({"type": ["null", {"type": "long", "logicalType": "timestamp-micros"}], "default": None})
_MILLIS = _columns({"type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None})
_BY_TS = dict.fromkeys(ORDERING_KEYS, "ts")
_BY_TWO = dict.fromkeys(ORDERING_KEYS[:2], "ts") | {ORDERING_KEYS[2]: "ts,n"}
_FILLS = {"hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value": UNAVAILABLE}

SETTINGS = {
    "arrival": Setting(schema_of(*_PLAIN), _FILLS),
    "by ts": Setting(schema_of(*_PLAIN), _BY_TS | _FILLS),
    "by ts, meta columns": Setting(schema_of(*_PLAIN, meta=True), _BY_TS | _FILLS),
    "marker": Setting(schema_of(*_PLAIN), {**_BY_TS, DELETE_FIELD: "note", DELETE_MARKER: "x"}),
    "ties stay": Setting(schema_of(*_PLAIN), {**_BY_TS, UPDATE_ON_SAME_ORDERING: "false"}),
    "two fields": Setting(schema_of(*_PLAIN), _BY_TWO),
    "consistent": Setting(schema_of(*_MICROS), {**_BY_TS, CONSISTENT_TIMESTAMP: "true"}),
    "milliseconds": Setting(schema_of(*_MILLIS), _BY_TS),
    "columns lack": Setting(schema_of({"name": "ts", "type": "long"}, {"name": "Op", "type": "string"}), _BY_TS),
}

_ROWS = (
    {"ts": 1, "_event_seq": "1.10", "_event_lsn": 1, "note": "x", "raw": b"r", "n": 0},
    {"ts": 2, "_event_seq": "1.9", "_event_lsn": 2, "note": None, "raw": UNAVAILABLE.encode(), "n": 5, "Op": "I"},
    {"ts": 2, "_event_seq": "1.9", "_event_lsn": 2, "note": UNAVAILABLE, "raw": None, "n": 0},
    {"ts": None, "_event_seq": None, "_event_lsn": None, "note": "", "raw": b"", "n": 7},
    {
        "ts": 1500,
        "_event_seq": "broken",
        "_event_lsn": 3,
        "note": "y",
        "raw": b"s",
        "n": 1,
        "_hoodie_is_deleted": False,
    },
)
_DELETES = (
    {"ts": 2, "_event_seq": "1.9", "_event_lsn": 2, "note": "z", "n": 3, "_hoodie_is_deleted": True},
    {"ts": 1, "_event_seq": "1.9", "_event_lsn": 1, "note": "z", "n": 3, "Op": "d", "_change_operation_type": "D"},
)
_ORDERINGS = (
    Ordering("long", 1),
    Ordering("long", 2),
    NATURAL_ORDER,
    Ordering("utf8", "1.10"),
    Ordering("utf8", "1.9"),
    None,
)


def record_of(schema: AvroSchema, number: int, values: dict[str, Any]) -> dict[str, Any]:
    """Return a record of a schema, with meta columns that tell which one it is."""
    found = {field.name: values.get(field.name) for field in schema.fields} | {"id": "key"}
    for name in ("ts", "n", "Op"):
        field = schema.by_name.get(name)
        if field is not None and found[name] is None and not field.schema.nullable:
            found[name] = "" if name == "Op" else 0
    return found | {name: f"{name} {number}" for name in META_COLUMNS[:4] if name in schema.by_name}


def versions(schema: AvroSchema, *, marks: bool) -> list[RuleVersion]:
    """Return versions of one key; with `marks` deletes are marked, as merge modes find them."""
    records = [record_of(schema, number, row) for number, row in enumerate((*_ROWS, *_DELETES))]
    data = [RuleVersion(record, ordering) for record, ordering in itertools.product(records, _ORDERINGS[:3])]
    data += [RuleVersion(records[0], ordering) for ordering in _ORDERINGS[3:]]
    empty = [RuleVersion(None, ordering, marks) for ordering in _ORDERINGS]
    marked = [RuleVersion(records[-1], ordering, marked=True) for ordering in _ORDERINGS[:3]] if marks else []
    return data + empty + marked


def stored(schema: AvroSchema) -> list[RuleVersion]:
    """Return stored rows, with the ordering value that a reader finds in them."""
    rows = [record_of(schema, number + 10, row) for number, row in enumerate((*_ROWS, *_DELETES))]
    return [RuleVersion(row, NATURAL_ORDER if row["ts"] is None else Ordering("long", row["ts"])) for row in rows]
