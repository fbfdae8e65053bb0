"""Hypothesis strategies for cases of the differential tests: a schema, three records, ordering values, properties."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import assume
from hypothesis import strategies as st

from payloads import NATURAL_ORDER, HudiRelease, Ordering, parse_schema
from payloads.errors import PayloadBridgeError
from payloads.extract import field_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads import AvroSchema, Record
    from payloads.builtin.base import BuiltinPayload

META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
UNAVAILABLE = "__debezium_unavailable_value"
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
class Kind:
    """A type of field: how it is written in a schema, its values, and defaults as JSON with their values."""

    source: Callable[[str], Any]
    values: st.SearchStrategy[Any]
    defaults: tuple[Any, ...] = ()


def _same(source: Any) -> Callable[[str], Any]:
    return lambda _name: source


def _named(**rest: Any) -> Callable[[str], Any]:
    return lambda name: {"name": f"{name}_type", **rest}


KINDS = {
    "int": Kind(_same("int"), INT, (0, 1)),
    "long": Kind(_same("long"), LONG, (0, 1, 128)),
    "float": Kind(_same("float"), FLOAT, (0.0, 1.5)),
    "double": Kind(_same("double"), DOUBLE, (0.0, 1.5)),
    "boolean": Kind(_same("boolean"), st.booleans(), (False, True)),
    "string": Kind(_same("string"), TEXT, ("", "a", "D")),
    "bytes": Kind(_same("bytes"), BYTES, ("", "a")),
    "fixed": Kind(_named(type="fixed", size=2), st.binary(min_size=2, max_size=2), ("aa",)),
    "enum": Kind(_named(type="enum", symbols=["Z", "A", "D"]), st.sampled_from(["Z", "A", "D"]), ("Z",)),
    "date": Kind(_same({"type": "int", "logicalType": "date"}), DAYS, (0,)),
    "micros": Kind(_same({"type": "long", "logicalType": "timestamp-micros"}), MICROS, (0,)),
    "millis": Kind(_same({"type": "long", "logicalType": "timestamp-millis"}), MICROS, (0,)),
    "local": Kind(_same({"type": "long", "logicalType": "local-timestamp-micros"}), MICROS, (0,)),
    "decimal": Kind(
        _same({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}),
        UNSCALED.map(_unscaled_bytes),
    ),
    "fixed_decimal": Kind(
        _named(type="fixed", size=2, logicalType="decimal", precision=4, scale=1), UNSCALED.map(_unscaled_bytes)
    ),
    "longs": Kind(_same({"type": "array", "items": "long"}), st.lists(LONG, max_size=2), ([], [1])),
    "texts": Kind(_same({"type": "array", "items": "string"}), st.lists(TEXT, max_size=2), ([], ["a"])),
    "map": Kind(_same({"type": "map", "values": "string"}), st.dictionaries(st.just("k"), TEXT, max_size=1), ({},)),
    "record": Kind(
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


@dataclass(frozen=True)
class Case:
    """What one example compares.

    Attributes:
        payload_class: the port, bound to its release.
        schema: the schema of the incoming records and of every call.
        stored_schema: the schema of the stored rows: the same one, or without the last column.
        older: an incoming version, and its ordering value.
        newer: a later one.
        stored: rows of storage.
        props: what the calls are given.
    """

    payload_class: type[BuiltinPayload]
    schema: AvroSchema
    stored_schema: AvroSchema
    older: tuple[Record | None, Ordering | None]
    newer: tuple[Record | None, Ordering | None]
    stored: tuple[Record, Record]
    props: dict[str, str]

    def __repr__(self) -> str:
        return (
            f"{self.payload_class.__name__} of {self.payload_class.release}\n  schema {self.schema.source['fields']}\n"
            f"  stored fields {[field.name for field in self.stored_schema.fields]}\n"
            f"  older {self.older}\n  newer {self.newer}\n  stored {self.stored}\n  props {self.props}"
        )


@dataclass(frozen=True)
class _Field:
    source: dict[str, Any]
    values: st.SearchStrategy[Any]


@st.composite
def fields(draw: st.DrawFn, name: str, kinds: tuple[str, ...] = tuple(KINDS)) -> _Field:
    """Draw a field: required or nullable, with null or another value as default."""
    kind = KINDS[draw(st.sampled_from(kinds))]
    source = kind.source(name)
    shape = draw(st.sampled_from(["nullable", "nullable", "required", "default", "default first"]))
    if not kind.defaults and shape.startswith("default"):
        shape = "nullable"
    match shape:
        case "nullable":
            return _Field({"name": name, "type": ["null", source], "default": None}, st.none() | kind.values)
        case "required":
            return _Field({"name": name, "type": source}, kind.values)
    default = draw(st.sampled_from(kind.defaults))
    if shape == "default":
        return _Field(
            {"name": name, "type": source, "default": default}, kind.values | _default_values(source, default)
        )
    values = st.none() | kind.values | _default_values(source, default)
    return _Field({"name": name, "type": [source, "null"], "default": default}, values)


def _default_values(source: Any, default: Any) -> st.SearchStrategy[Any]:
    is_bytes = source == "bytes" or (isinstance(source, dict) and source["type"] == "fixed")
    return st.just(default.encode("latin-1") if is_bytes else default)


def _nullable(name: str, source: Any, values: st.SearchStrategy[Any]) -> _Field:
    return _Field({"name": name, "type": ["null", source], "default": None}, st.none() | values)


@st.composite
def cases(draw: st.DrawFn, payload_class: type[BuiltinPayload]) -> Case:
    """Draw a case for a payload class that is bound to a release."""
    found = [_Field({"name": "id", "type": "string"}, st.just("k")), draw(fields("ts", ORDERABLE))]
    if draw(st.integers(0, 3)) == 0:
        found[:0] = [_nullable(name, "string", st.sampled_from(["1", "2"])) for name in META]
    flag = draw(st.sampled_from(["none", "nullable", "nullable", "required", "text"]))
    if flag == "nullable":
        found.append(_nullable("_hoodie_is_deleted", "boolean", st.booleans()))
    elif flag != "none":
        values = st.booleans() if flag == "required" else st.sampled_from(["true", "false"])
        source = "boolean" if flag == "required" else "string"
        found.append(_Field({"name": "_hoodie_is_deleted", "type": source}, values))
    found += _special_fields(draw, payload_class.__name__)
    found += [draw(fields(name)) for name in ("v", "w")[: draw(st.integers(0, 2))]]
    schema, rows = _schema(found), _rows(found)
    kept = found[:-1] if draw(st.integers(0, 7)) == 0 else found
    stored_schema = schema if kept is found else _schema(kept)
    props = draw(properties(payload_class.release))
    assume(not _is_accident(schema, props))
    stored = draw(_rows(kept)), draw(_rows(kept))
    older, newer = (draw(versions(rows, schema, payload_class.__name__, props)) for _ in range(2))
    return Case(payload_class, schema, stored_schema, older, newer, stored, props)


def _schema(found: list[_Field]) -> AvroSchema:
    return parse_schema({"type": "record", "name": "Row", "namespace": "t", "fields": [f.source for f in found]})


def _rows(found: list[_Field]) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries({field.source["name"]: field.values for field in found})


def _special_fields(draw: st.DrawFn, name: str) -> list[_Field]:
    """Return the columns that the class looks for, in most cases."""
    if draw(st.integers(0, 9)) == 0:
        return []
    if name.startswith("AWSDms"):
        return [
            draw(
                st.sampled_from(
                    [_Field({"name": "Op", "type": "string"}, OPERATIONS), _nullable("Op", "string", OPERATIONS)]
                )
            )
        ]
    if "Debezium" not in name:
        return [_nullable("op", "string", OPERATIONS)]
    operation = _nullable("_change_operation_type", "string", OPERATIONS)
    if name.startswith("MySql"):
        return [operation, _nullable("_event_seq", "string", SEQUENCES)]
    return [operation, _nullable("_event_lsn", "long", st.integers(0, 3))]


@st.composite
def versions(
    draw: st.DrawFn, rows: st.SearchStrategy[Record], schema: AvroSchema, name: str, props: dict[str, str]
) -> tuple[Record | None, Ordering | None]:
    """Draw a record, or none for a delete, and an ordering value: mostly the one that a writer would take."""
    record = draw(rows) if draw(st.integers(0, 5)) else None
    column = {"MySqlDebeziumAvroPayload": "_event_seq", "PostgresDebeziumAvroPayload": "_event_lsn"}.get(name, "ts")
    if draw(st.integers(0, 4)):
        of = record if record is not None else draw(rows)
        consistent = props.get(_CONSISTENT) == "true"
        try:
            return record, field_reader(schema, column, consistent=consistent)(of)
        except PayloadBridgeError:
            pass
    return record, draw(ORDERINGS)


ORDERINGS = st.one_of(
    st.just(NATURAL_ORDER),
    st.none(),
    st.builds(Ordering, st.just("long"), st.integers(-2, 3)),
    st.builds(Ordering, st.just("int"), st.integers(-1, 2)),
    st.builds(Ordering, st.sampled_from(["string", "utf8"]), st.sampled_from(["1.9", "1.10", "\uffff", "\U0001f600"])),
    st.builds(Ordering, st.just("double"), st.sampled_from([0.0, -0.0, 1.25, 1.5, float("nan")])),
    st.builds(Ordering, st.just("decimal"), st.sampled_from([decimal.Decimal("1.0"), decimal.Decimal("1.00")])),
    st.builds(Ordering, st.just("local_date"), st.integers(-1, 1)),
    st.builds(Ordering, st.just("timestamp"), st.sampled_from([-1, 0, 1500, 10**9])),
)
_CONSISTENT = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"
_EVENT_TIME = "hoodie.payload.event.time.field"
_ORDERING_KEYS = (
    "hoodie.payload.ordering.field",
    "hoodie.datasource.write.precombine.field",
    "hoodie.table.precombine.field",
    "hoodie.table.ordering.fields",
)


def _is_accident(schema: AvroSchema, props: dict[str, str]) -> bool:
    """Whether the case shows what is not ported: a map that orders, or a nested value as the text of the event time."""
    kind = schema.by_name["v"].schema.non_null.kind if "v" in schema.by_name else "long"
    orders = {name for key in _ORDERING_KEYS for name in props.get(key, "").split(",")}
    is_event_time = props.get(_EVENT_TIME) == "v"
    return (kind == "map" and "v" in orders) or (kind in {"map", "record", "array"} and is_event_time)


@st.composite
def properties(draw: st.DrawFn, release: HudiRelease) -> dict[str, str]:
    """Draw the properties that payloads read."""
    props = {}
    if draw(st.integers(0, 5)):
        props[draw(st.sampled_from(_ORDERING_KEYS))] = draw(
            st.sampled_from(["ts", "ts", "ts", "v", "missing", "", "ts,v"])
        )
    if draw(st.integers(0, 3)) == 0:
        props[draw(st.sampled_from(_ORDERING_KEYS))] = "v"
    if draw(st.integers(0, 3)) == 0:
        props["hoodie.payload.delete.field"] = draw(st.sampled_from(["op", "v", "_hoodie_is_deleted", "missing"]))
        if draw(st.integers(0, 5)):
            props["hoodie.payload.delete.marker"] = draw(st.sampled_from(["D", "true", "1", "0", "1.5"]))
    if draw(st.integers(0, 3)) == 0:
        props[_CONSISTENT] = draw(st.sampled_from(["true", "TRUE", "false", "yes"]))
    if draw(st.integers(0, 3)) == 0:
        props[_EVENT_TIME] = draw(st.sampled_from(["ts", "v", "missing"]))
    if release is HudiRelease.V1_2 and draw(st.integers(0, 2)) == 0:
        props["hoodie.payload.update.on.same.ordering.field"] = draw(st.sampled_from(["false", "True", "no"]))
    return props
