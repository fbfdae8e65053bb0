"""Hypothesis strategies for the differential tests: a schema and properties, then versions and stored rows of it."""

from __future__ import annotations

import decimal
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import assume
from hypothesis import strategies as st

from bridge.spark import META_COLUMNS
from payloads import NATURAL_ORDER, HudiRelease, Ordering, parse_schema
from payloads.errors import PayloadBridgeError
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, field_reader
from tests.jvm.field_types import FIELD_TYPES, OPERATIONS, ORDERABLE, SEQUENCES
from tests.jvm.json_values import json_members, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from payloads import AvroSchema, Record
    from payloads.builtin.base import BuiltinPayload


class Row(dict[str, Any]):
    """A record with its Avro bytes."""

    __slots__ = ("data",)

    def __init__(self, values: Iterable[tuple[str, Any]], data: bytes) -> None:
        super().__init__(values)
        self.data = data


Version = tuple[Any, Ordering | None]


@dataclass(frozen=True)
class Case:
    """What one example compares.

    Attributes:
        payload_class: the port, bound to its release.
        schema: the schema of the incoming records and of every call.
        stored_schema: the schema of the stored rows: the same one, or without the last column.
        older: an incoming version (JSON text for HoodieJsonPayload), and its ordering value.
        newer: a later one.
        stored: rows of storage.
        props: what the calls are given.
    """

    payload_class: type[BuiltinPayload]
    schema: AvroSchema
    stored_schema: AvroSchema
    older: Version
    newer: Version
    stored: tuple[Record, Record]
    props: dict[str, str]

    def __repr__(self) -> str:
        return (
            f"{self.payload_class.__name__} of {self.payload_class.release}\n  schema {self.schema.source['fields']}\n"
            f"  stored fields {[field.name for field in self.stored_schema.fields]}\n"
            f"  older {self.older}\n  newer {self.newer}\n  stored {self.stored}\n  props {self.props}"
        )


_SHAPES = st.sampled_from(["nullable", "nullable", "required", "default", "default first"])
_UP_TO = {most: st.integers(0, most) for most in range(10)}


@dataclass(frozen=True)
class _Field:
    source: dict[str, Any]
    values: st.SearchStrategy[Any]


@dataclass(frozen=True)
class Shape:
    """What cases have in common: everything but their records.

    Attributes:
        payload_class: see Case.
        schema: see Case.
        stored_schema: see Case.
        props: see Case.
        incoming: what incoming versions are made of, by column.
        stored: what stored rows are made of, by column.
        ordering_of: returns what a writer would take as ordering value; None where it can't.
    """

    payload_class: type[BuiltinPayload]
    schema: AvroSchema
    stored_schema: AvroSchema
    props: dict[str, str]
    incoming: dict[str, st.SearchStrategy[Any]]
    stored: dict[str, st.SearchStrategy[Any]]
    ordering_of: Callable[[Record], Ordering | None] | None

    @functools.cached_property
    def rows(self) -> st.SearchStrategy[Record]:
        """What incoming versions hold."""
        return st.fixed_dictionaries(self.incoming)

    @property
    def holds_text(self) -> bool:
        """Whether payloads are built from JSON."""
        return self.payload_class.__name__ == "HoodieJsonPayload"

    @property
    def takes_ordering(self) -> bool:
        """Whether payloads are built from a record and an ordering value."""
        return self.payload_class.__name__ not in {"HoodieJsonPayload", "RewriteAvroPayload"}

    def case(self, older: Version, newer: Version, stored: tuple[Record, Record]) -> Case:
        """Return a case of this shape."""
        return Case(self.payload_class, self.schema, self.stored_schema, older, newer, stored, self.props)


@st.composite
def fields(draw: st.DrawFn, name: str, kinds: tuple[str, ...] = tuple(FIELD_TYPES)) -> _Field:
    """Draw a field: required or nullable, with null or another value as default."""
    chosen = draw(st.sampled_from(kinds))
    kind = FIELD_TYPES[chosen]
    source = kind.source(name)
    shape = draw(_SHAPES)
    if not kind.defaults and shape.startswith("default"):
        shape = "nullable"
    match shape:
        case "nullable":
            return _Field({"name": name, "type": ["null", source], "default": None}, _values(chosen, has_null=True))
        case "required":
            return _Field({"name": name, "type": source}, _values(chosen))
    number = draw(st.integers(0, len(kind.defaults) - 1))
    default = kind.defaults[number]
    if shape == "default":
        return _Field({"name": name, "type": source, "default": default}, _values(chosen, number))
    both = {"name": name, "type": [source, "null"], "default": default}
    return _Field(both, _values(chosen, number, has_null=True))


@functools.cache
def _values(kind: str, default: int | None = None, *, has_null: bool = False) -> st.SearchStrategy[Any]:
    """Return the values of a kind, its default by number and null among them: made once, as Hypothesis checks each."""
    found = FIELD_TYPES[kind].values
    if default is not None:
        value = FIELD_TYPES[kind].defaults[default]
        source = FIELD_TYPES[kind].source("any")
        is_bytes = source == "bytes" or (isinstance(source, dict) and source["type"] == "fixed")
        found |= st.just(value.encode("latin-1") if is_bytes else value)
    return st.none() | found if has_null else found


def _nullable(name: str, source: Any, values: st.SearchStrategy[Any]) -> _Field:
    return _Field({"name": name, "type": ["null", source], "default": None}, st.none() | values)


@st.composite
def shapes(draw: st.DrawFn, payload_class: type[BuiltinPayload]) -> Shape:
    """Draw the shape of cases for a payload class that is bound to a release."""
    found = [_Field({"name": "id", "type": "string"}, st.just("k")), draw(fields("ts", ORDERABLE))]
    if draw(_UP_TO[3]) == 0:
        found[:0] = [_nullable(name, "string", st.sampled_from(["1", "2"])) for name in META_COLUMNS]
    flag = draw(st.sampled_from(["none", "nullable", "nullable", "required", "text"]))
    if flag == "nullable":
        found.append(_nullable("_hoodie_is_deleted", "boolean", st.booleans()))
    elif flag != "none":
        values = st.booleans() if flag == "required" else st.sampled_from(["true", "false"])
        source = "boolean" if flag == "required" else "string"
        found.append(_Field({"name": "_hoodie_is_deleted", "type": source}, values))
    name = payload_class.__name__
    found += _special_fields(draw, name)
    found += [draw(fields(name)) for name in ("v", "w")[: draw(_UP_TO[2])]]
    kept = found[:-1] if draw(_UP_TO[7]) == 0 else found
    schema, stored_schema = _schema(found), _schema(kept)
    props = draw(properties(payload_class.release))
    assume(not _is_accident(schema, props))
    incoming, stored = ({field.source["name"]: field.values for field in some} for some in (found, kept))
    if name == "HoodieJsonPayload":
        incoming = json_members(schema)
    return Shape(payload_class, schema, stored_schema, props, incoming, stored, _reader(schema, name, props))


@st.composite
def cases(draw: st.DrawFn, payload_class: type[BuiltinPayload]) -> Case:
    """Draw a case for a payload class that is bound to a release."""
    shape = draw(shapes(payload_class))
    stored = st.fixed_dictionaries(shape.stored)
    older, newer = (draw(versions(shape)) for _ in range(2))
    return shape.case(older, newer, (draw(stored), draw(stored)))


def _schema(found: list[_Field]) -> AvroSchema:
    return parse_schema({"type": "record", "name": "Row", "namespace": "t", "fields": [f.source for f in found]})


def _reader(schema: AvroSchema, name: str, props: dict[str, str]) -> Callable[[Record], Ordering | None] | None:
    column = {"MySqlDebeziumAvroPayload": "_event_seq", "PostgresDebeziumAvroPayload": "_event_lsn"}.get(name, "ts")
    try:
        return field_reader(schema, column, consistent=props.get(CONSISTENT_TIMESTAMP) == "true")
    except PayloadBridgeError:
        return None


def _special_fields(draw: st.DrawFn, name: str) -> list[_Field]:
    """Return the columns that the class looks for, in most cases."""
    if draw(_UP_TO[9]) == 0:
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
def versions(draw: st.DrawFn, shape: Shape) -> Version:
    """Draw a record, or none for a delete, and an ordering value: mostly the one that a writer would take."""
    record = draw(shape.rows) if draw(_UP_TO[5]) else None
    if not shape.takes_ordering:
        return json_text(record) if shape.holds_text and record is not None else record, NATURAL_ORDER
    if shape.ordering_of is not None and draw(_UP_TO[4]):
        try:
            return record, shape.ordering_of(record if record is not None else draw(shape.rows))
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
    if draw(_UP_TO[5]):
        props[draw(st.sampled_from(_ORDERING_KEYS))] = draw(
            st.sampled_from(["ts", "ts", "ts", "v", "missing", "", "ts,v"])
        )
    if draw(_UP_TO[3]) == 0:
        props[draw(st.sampled_from(_ORDERING_KEYS))] = "v"
    if draw(_UP_TO[3]) == 0:
        props["hoodie.payload.delete.field"] = draw(st.sampled_from(["op", "v", "_hoodie_is_deleted", "missing"]))
        if draw(_UP_TO[5]):
            props["hoodie.payload.delete.marker"] = draw(st.sampled_from(["D", "true", "1", "0", "1.5"]))
    if draw(_UP_TO[3]) == 0:
        props[CONSISTENT_TIMESTAMP] = draw(st.sampled_from(["true", "TRUE", "false", "yes"]))
    if draw(_UP_TO[3]) == 0:
        props[_EVENT_TIME] = draw(st.sampled_from(["ts", "v", "missing"]))
    if release is HudiRelease.V1_2 and draw(_UP_TO[2]) == 0:
        props["hoodie.payload.update.on.same.ordering.field"] = draw(st.sampled_from(["false", "True", "no"]))
    return props
