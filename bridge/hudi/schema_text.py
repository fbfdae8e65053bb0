"""The Avro schemas that files and commits of a table hold, as strict as Avro's parser in Java, which Python's is not.

Source: Schema.parse, validateName and isValidDefault of Avro 1.11, as Spark 3.5 has it.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, NoReturn

from bridge.engines.python import RecordReader
from bridge.hudi.schema_evolution import arrow_of
from payloads.avro import parse_schema
from payloads.errors import SchemaError, parse_error_text

if TYPE_CHECKING:
    from bridge.report import JsonObject
    from payloads.avro import AvroSchema

_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAMED = frozenset({"record", "error", "enum", "fixed"})
_ORDERS = frozenset({"ascending", "descending", "ignore"})
_BITS = {"int": 31, "long": 63}


@functools.lru_cache(maxsize=256)
def stored_schema(text: str) -> AvroSchema:
    """Parse a schema that a file holds.

    Raises:
        SchemaError: Avro's parser in Java refuses it.
    """
    try:
        source = json.loads(text)
    except ValueError as error:
        msg = f"it is not JSON: {error}"
        raise SchemaError(msg) from error
    _check(source, "", {})
    return parse_schema(text)


def record_schema(text: str) -> AvroSchema:
    """Return the Avro schema of a table.

    Raises:
        SchemaError: the text is none, or not that of a record, or a DataFrame can't have its columns.
    """
    schema = stored_schema(text)
    if schema.kind != "record":
        msg = f"it is a schema of type {schema.kind}, but that of a table is a record"
        raise SchemaError(msg)
    lower: dict[str, str] = {}
    for field in schema.fields:
        other = lower.setdefault(field.name.lower(), field.name)
        if other != field.name:
            msg = f"it has the columns {other} and {field.name}, which Spark can't tell apart"
            raise SchemaError(msg)
    try:
        RecordReader(schema, arrow_of(schema))
    except (ValueError, TypeError, LookupError) as error:
        msg = f"no DataFrame can have its columns: {parse_error_text(error)}"
        raise SchemaError(msg) from error
    return schema


def _check(source: Any, space: str, known: JsonObject) -> Any:
    """Check a schema; return it, or what its name stands for. `known` has the named types so far, by full name."""
    match source:
        case str():
            return _of_name(source, space, known)
        case list():
            return _union(source, space, known)
        case {"type": str(kind)} if kind in _PRIMITIVES:
            return source
        case {"type": str(kind)} if kind in _NAMED:
            return _named(kind, source, space, known)
        case {"type": "array", "items": inner} | {"type": "map", "values": inner}:
            _check(inner, space, known)
            return source
        case _:
            return _refuse(f"{_short(source)} is not a type")


def _of_name(name: str, space: str, known: JsonObject) -> object:
    if name in _PRIMITIVES:
        return name
    full = name if "." in name or not space else f"{space}.{name}"
    if full not in known:
        _refuse(f"{name!r} is not a type")
    return known[full]


def _union(branches: list[object], space: str, known: JsonObject) -> list[object]:
    names = []
    for branch in branches:
        found = _check(branch, space, known)
        if isinstance(found, list):
            _refuse("a union is in another one")
        names.append(_name_of(found, space))
    if len(set(names)) < len(names):
        _refuse(f"a union has a type twice: {', '.join(names)}")
    return branches


def _name_of(found: Any, space: str) -> str:
    """Return the name that a branch has to itself in a union."""
    if isinstance(found, str):
        return found
    return _full(found, space)[0] if found["type"] in _NAMED else str(found["type"])


def _full(source: JsonObject, space: str) -> tuple[str, str]:
    """Return the full name of a named type, and the namespace of what is in it."""
    name = source.get("name")
    if not isinstance(name, str):
        _refuse(f"a {source['type']} has no name")
    own = source.get("namespace")
    space, _, last = name.rpartition(".") if "." in name else (own if isinstance(own, str) else space, "", name)
    _check_name(last)
    return f"{space}.{last}" if space else last, space


def _named(kind: str, source: JsonObject, space: str, known: JsonObject) -> JsonObject:
    full, inner = _full(source, space)
    if full in known:
        _refuse(f"{full} is there twice")
    known[full] = source
    _check_aliases(source)
    if kind in {"record", "error"}:
        _fields(full, source.get("fields"), inner, known)
    elif kind == "enum":
        symbols = source.get("symbols")
        if not isinstance(symbols, list) or len({*map(str, symbols)}) < len(symbols):
            _refuse(f"the enum {full} lacks its symbols, or has one twice")
        for symbol in symbols:
            _check_name(symbol)
    else:
        size = source.get("size")
        if not isinstance(size, int) or isinstance(size, bool) or size < 0:
            _refuse(f"{full} has no size")
    return source


def _fields(record: str, fields: object, space: str, known: JsonObject) -> None:
    if not isinstance(fields, list):
        _refuse(f"the record {record} has no list of fields")
    names: set[str] = set()
    for field in fields:
        if not isinstance(field, dict) or "type" not in field:
            _refuse(f"{_short(field)} is not a field")
        name = _check_name(field.get("name"))
        if name in names:
            _refuse(f"{record} has the field {name} twice")
        names.add(name)
        found = _check(field["type"], space, known)
        order = field.get("order", "ascending")
        if not isinstance(order, str) or order.lower() not in _ORDERS:
            _refuse(f"the field {name} has the order {order!r}")
        _check_aliases(field)
        if "default" in field and not _is_default(found, field["default"], space, known):
            _refuse(f"the field {name} has a default of another type")


def _is_default(schema: Any, value: Any, space: str, known: JsonObject) -> bool:  # noqa: PLR0911 (one a type)
    """Whether a value is one of a schema, as a default writes it: of a union one of its first branch."""
    if isinstance(schema, list):
        return bool(schema) and _is_default(_check_known(schema[0], space, known), value, space, known)
    kind = schema if isinstance(schema, str) else schema["type"]
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "int" | "long":
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            return is_whole and -(1 << _BITS[kind]) <= value < 1 << _BITS[kind]
        case "float" | "double":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "array":
            items = _check_known(schema["items"], space, known)
            return isinstance(value, list) and all(_is_default(items, one, space, known) for one in value)
        case "map":
            values = _check_known(schema["values"], space, known)
            return isinstance(value, dict) and all(_is_default(values, one, space, known) for one in value.values())
        case "record" | "error":
            return isinstance(value, dict) and all(
                _is_default(
                    _check_known(one["type"], space, known), value.get(one["name"], one.get("default")), space, known
                )
                for one in schema["fields"]
            )
    return isinstance(value, str)


def _check_known(schema: object, space: str, known: JsonObject) -> object:
    """Return what a schema that has been checked stands for."""
    return _of_name(schema, space, known) if isinstance(schema, str) else schema


def _check_aliases(source: JsonObject) -> None:
    aliases = source.get("aliases")
    if aliases is not None and not (isinstance(aliases, list) and all(isinstance(one, str) for one in aliases)):
        _refuse(f"{_short(aliases)} are not aliases")


def _check_name(name: object) -> str:
    text = name.replace("_", "a") if isinstance(name, str) else ""
    if not text or not text[0].isalpha() or not all(one.isalpha() or one.isdecimal() for one in text):
        _refuse(f"{name!r} is not a name")
    return str(name)


def _short(source: object) -> str:
    text = json.dumps(source)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004 (so that the sentence can be read)


def _refuse(reason: str) -> NoReturn:
    raise SchemaError(reason)
