"""Reading ordering values out of records: which fields order a record, and how Hudi converts what it finds there.

Source: ConfigUtils (field names), HoodieAvroUtils.getNestedFieldVal and convertValueForSpecificDataTypes. Everything
that depends on schema and properties alone is decided once, in a reader that is kept on the schema.
"""

from __future__ import annotations

import decimal
import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from payloads.api import Properties
from payloads.avro import AvroSchema, JavaString, branch_of, decimal_scale, decimal_value
from payloads.errors import OrderingTypeError, PayloadConfigError, SchemaError
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.release import ByRelease, HudiRelease

if TYPE_CHECKING:
    from payloads.api import Props
    from payloads.avro import Record

PAYLOAD_ORDERING_FIELD = "hoodie.payload.ordering.field"
WRITE_PRECOMBINE_FIELD = "hoodie.datasource.write.precombine.field"
TABLE_PRECOMBINE_FIELD = "hoodie.table.precombine.field"
TABLE_ORDERING_FIELDS = "hoodie.table.ordering.fields"
CONSISTENT_TIMESTAMP = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"

_ONE_NAME_KEYS = (PAYLOAD_ORDERING_FIELD, WRITE_PRECOMBINE_FIELD, TABLE_PRECOMBINE_FIELD)
_LIST_KEYS = (TABLE_ORDERING_FIELDS, TABLE_PRECOMBINE_FIELD, WRITE_PRECOMBINE_FIELD, PAYLOAD_ORDERING_FIELD)
_READER_KEYS = (*_LIST_KEYS, CONSISTENT_TIMESTAMP)


Reader = Callable[["Record"], Ordering | None]
"""Returns the ordering value of a record; None if the field, or a part of its path, is null or missing."""


def java_split(text: str, separator: str) -> list[str]:
    """Split like Java's `String.split`: no trimming, trailing empty parts dropped."""
    parts = text.split(separator)
    while parts and not parts[-1]:
        parts.pop()
    return parts


def path_parts(path: str) -> list[str]:
    """Split a dotted path like Java: `a..b` has an empty part, `a.` is `a`, `.` has no part at all, and `` one."""
    return java_split(path, ".") if path else [""]


def is_true(text: str | None) -> bool:
    """Read a property like Java's `parseBoolean`."""
    return text is not None and text.lower() == "true"


def ordering_fields(props: Props, release: HudiRelease) -> tuple[str, ...] | None:
    """Return the names of the ordering fields that `props` name, or None for "no ordering".

    Until 0.13 the name in `hoodie.payload.ordering.field`; until 1.0 one name too, but of the precombine fields where
    that key is not set; neither is split. From 1.1 on a comma-separated list, `hoodie.table.ordering.fields` first.
    Names are not trimmed.
    """
    return _ORDERING_FIELDS.at(release)(props)


def _payload_field(props: Props) -> tuple[str, ...] | None:
    name = props.get(PAYLOAD_ORDERING_FIELD)
    return None if name is None else (name,)


def _one_field(props: Props) -> tuple[str, ...] | None:
    return next(((props[key],) for key in _ONE_NAME_KEYS if key in props), None)


def _listed_fields(props: Props) -> tuple[str, ...] | None:
    text = next((props[key] for key in _LIST_KEYS if key in props), None)
    return tuple(java_split(text, ",")) if text else None


_ORDERING_FIELDS = ByRelease(_payload_field, {"0.14": _one_field, "1.1": _listed_fields})
_REFUSES_MAPS = ByRelease(False, {"1.1": True})
_REFUSES_EMPTY_PARTS = ByRelease(False, {"1.2": True})


def ordering_reader(schema: AvroSchema, props: Props, release: HudiRelease) -> Reader | None:
    """Return the reader of the ordering value that `props` name, or None if they name no ordering field.

    No field at all after the split reads as Integer 0, several as a list of values.
    """
    if type(props) is Properties:
        return schema.derived(_ordering_reader, props.entries, release)
    settings = zip(_READER_KEYS, map(props.get, _READER_KEYS), strict=True)
    return schema.derived(_ordering_reader, tuple(settings), release)


def _ordering_reader(
    schema: AvroSchema, settings: Iterable[tuple[str, str | None]], release: HudiRelease
) -> Reader | None:
    props = {key: text for key, text in settings if text is not None}
    names = ordering_fields(props, release)
    if names is None:
        return None
    consistent = is_true(props.get(CONSISTENT_TIMESTAMP))
    return list_reader(schema, names, consistent=consistent, comparable=_REFUSES_MAPS.at(release))


def list_reader(
    schema: AvroSchema,
    names: tuple[str, ...],
    *,
    consistent: bool = False,
    strict: bool = False,
    comparable: bool = False,
) -> Reader:
    """Return a reader for the values of several fields: Integer 0 for none, the plain value for one, else a list."""
    readers = [
        field_reader(schema, name, consistent=consistent, strict=strict, comparable=comparable) for name in names
    ]
    if not readers:
        return lambda _record: NATURAL_ORDER
    if len(readers) == 1:
        return readers[0]
    return lambda record: Ordering("array", tuple(read(record) for read in readers))


def field_reader(
    schema: AvroSchema, path: str, *, consistent: bool = False, strict: bool = False, comparable: bool = False
) -> Reader:
    """Return a reader for the field at the dotted `path`.

    Dates become `local_date` and decimals `decimal`; timestamps stay `long`, or become `timestamp` (whole
    milliseconds, cut towards zero) where `consistent` is set. Only a null leaf reads as None when `strict`.
    Maps are refused where `comparable` is set.

    Raises:
        SchemaError: by the reader: the leaf is a union other than null and one type; when `strict`, also a part of
            the path that is missing, null or no record.
    """
    parts = path_parts(path)
    if len(parts) == 1 and parts[0] in schema.by_name:
        name, convert = (
            parts[0],
            converter(schema.by_name[parts[0]].schema, consistent=consistent, comparable=comparable),
        )

        def read_top_level(record: Record) -> Ordering | None:
            value = record.get(name)
            return None if value is None else convert(value)

        return read_top_level

    def read(record: Record) -> Ordering | None:
        try:
            leaf, value = _walk(schema, record, parts, path)
        except SchemaError:
            if strict:
                raise
            return None
        return None if value is None else converter(leaf, consistent=consistent, comparable=comparable)(value)

    return read


def context_reader(
    schema: AvroSchema, names: tuple[str, ...], release: HudiRelease = HudiRelease.latest()
) -> Callable[[Record], Ordering]:
    """Return a reader for ordering values as Hudi's file-group reader takes them (AvroRecordContext.getOrderingValue).

    A null or missing field reads as Integer 0, and logical types are ignored.

    Raises:
        SchemaError: by the reader: a part before the last of a path is not a record.
        PayloadConfigError: by the reader: a part of a path is empty, from 1.2 on.
        OrderingTypeError: by the reader: the field is a map.
    """
    readers = [_context_field(schema, name, release) for name in names]
    if not readers:
        return lambda _record: NATURAL_ORDER
    if len(readers) == 1:
        return readers[0]
    return lambda record: Ordering("array", tuple(read(record) for read in readers))


def _context_field(schema: AvroSchema, path: str, release: HudiRelease) -> Callable[[Record], Ordering]:
    if path in schema.by_name:
        name, convert = path, raw_converter(schema.by_name[path].schema, comparable=True)

        def read_top_level(record: Record) -> Ordering:
            value = record.get(name)
            return NATURAL_ORDER if value is None else convert(value)

        return read_top_level

    def read(record: Record) -> Ordering:
        leaf, value = context_value(schema, record, path, release)
        return NATURAL_ORDER if value is None else raw_converter(leaf, comparable=True)(value)

    return read


def context_value(
    schema: AvroSchema, record: Record, path: str, release: HudiRelease = HudiRelease.latest()
) -> tuple[AvroSchema, Any]:
    """Return type and value at a path as AvroRecordContext finds them; the value is None if a field is missing.

    Raises:
        SchemaError: a part before the last is not a record.
        PayloadConfigError: a part is empty, from 1.2 on.
    """
    value: Any = record
    for part in path_parts(path):
        schema = schema.non_null
        if schema.kind != "record":
            msg = f"field {path!r}: there is no record above {part!r}; choose a field that always exists"
            raise SchemaError(msg)
        if not part and _REFUSES_EMPTY_PARTS.at(release):
            msg = f"the path {path!r} has an empty part, which Hudi {release} rejects; put one dot between names"
            raise PayloadConfigError(msg)
        if part not in schema.by_name:
            return schema, None
        if value is None:
            msg = f"field {path!r}: the record above {part!r} is null; choose a field that always exists"
            raise SchemaError(msg)
        schema, value = schema.by_name[part].schema, value.get(part)
    return schema, None if value is record else value


def _walk(schema: AvroSchema, record: Record, parts: list[str], path: str) -> tuple[AvroSchema, Any]:
    if not parts:
        raise SchemaError.from_missing_field(path, schema.by_name)
    value: Any = record
    for index, part in enumerate(parts):
        if schema.kind == "record" and part not in schema.by_name:
            where = f"{path} (part {part})"
            raise SchemaError.from_missing_field(where, schema.by_name)
        if value is None or schema.kind != "record":
            msg = f"ordering field {path!r}: there is no record at {parts[index - 1]!r}"
            raise SchemaError(msg)
        schema, value = schema.by_name[part].schema, value[part]
        if index < len(parts) - 1 and schema.kind == "union":
            schema, value = (schema.non_null, None) if value is None else branch_of(schema, value)
    return schema, value


def converter(schema: AvroSchema, *, consistent: bool = False, comparable: bool = False) -> Callable[[Any], Ordering]:
    """Return what turns a non-null value of `schema` into an ordering value (convertValueForSpecificDataTypes).

    See `raw_converter` for `comparable`.
    """
    plain = schema.non_null
    if plain.kind == "union":
        return _refuse_union(schema)
    if plain.logical == "date" and plain.kind == "int":
        return lambda value: Ordering("local_date", value)
    if plain.logical == "decimal" and plain.kind in {"bytes", "fixed"}:
        scale = decimal_scale(plain)
        return lambda value: Ordering("decimal", decimal_value(value, scale))
    if consistent and plain.logical in _MILLIS_OF and plain.kind == "long":
        to_millis = _MILLIS_OF[plain.logical]
        return lambda value: Ordering("timestamp", to_millis(value) * 1_000_000)
    return raw_converter(schema, comparable=comparable)


def raw_converter(schema: AvroSchema, *, comparable: bool = False) -> Callable[[Any], Ordering]:
    """Return what labels a non-null value of `schema` with its Java class, ignoring logical types.

    What it returns refuses maps where `comparable` is set, as Hudi casts the value to Comparable there.
    """
    plain = schema.non_null
    if plain.kind == "union":
        return lambda value: _of_branch(plain, value, comparable=comparable)
    if plain.kind in {"enum", "fixed", "record", "array"}:
        return lambda value: Ordering("avro", value, plain)
    if plain.kind == "map":
        return _refuse_map if comparable else lambda value: Ordering("map", value, plain)
    if plain.kind == "string":
        return _of_text
    return functools.partial(Ordering, plain.kind)  # no call in between, for each record


def _of_text(value: str) -> Ordering:
    return Ordering("string", str(value)) if isinstance(value, JavaString) else Ordering("utf8", value)


def _refuse_map(_value: object) -> Ordering:
    raise OrderingTypeError.from_map()


def _of_branch(schema: AvroSchema, value: object, *, comparable: bool) -> Ordering:
    branch, plain = branch_of(schema, value)
    return raw_converter(branch, comparable=comparable)(plain)


def _refuse_union(schema: AvroSchema) -> Callable[[Any], Ordering]:
    def refuse(_value: object) -> Ordering:
        msg = f"an ordering field can't be a union other than null and one type; it is {schema.source}"
        raise SchemaError(msg)

    return refuse


# Java's integer division cuts towards zero: -1500 microseconds are -1 millisecond.
_MILLIS_OF: dict[str, Callable[[int], int]] = {
    "timestamp-millis": lambda value: value,
    "timestamp-micros": lambda value: value // 1000 if value >= 0 else -(-value // 1000),
}


def as_ordering(value: object, built_with: Ordering | None) -> Ordering | None:
    """Return a plain ordering value with its Java class; None if its class can't be determined."""
    if isinstance(value, Ordering):
        return value
    if built_with is not None and not built_with.is_default and type(value) is type(built_with.value):
        return Ordering(built_with.java_type, value, built_with.schema)
    if type(value) is int and value == 0:
        return NATURAL_ORDER
    java_type = _JAVA_TYPES.get(type(value))
    return None if java_type is None else Ordering(java_type, value)


_JAVA_TYPES: dict[type, str] = {
    bool: "boolean",
    int: "long",
    float: "double",
    str: "string",
    bytes: "bytes",
    decimal.Decimal: "decimal",
}
