"""Logical values: datetime, date, time, Decimal and UUID in place of Avro's physical values, and back.

For users' classes that set `logical_types`. What Python can't hold exactly stays as it is: an instant outside the
years 1 to 9999, anything in nanoseconds, a duration, a text that is not a canonical UUID.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import uuid
from typing import TYPE_CHECKING, NamedTuple

from payloads.avro.branch import Branch
from payloads.avro.decimals import decimal_scale, decimal_value, unscaled_bytes
from payloads.avro.schema import branch_of
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro.schema import AvroSchema, Record, Value

_DAY_ZERO = datetime.date(1970, 1, 1).toordinal()
_NAIVE_ZERO = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 (the zero of local timestamps, which have no zone)
_ZERO = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_MICROSECOND = datetime.timedelta(microseconds=1)
_DAY_MICROS = 86_400_000_000
_CANONICAL_UUID = 36


class Codec(NamedTuple):
    """The two directions of one schema, and the Python types of its values."""

    logical: Callable[[Value], Value]
    physical: Callable[[Value], Value]
    types: tuple[type, ...] = ()


def to_logical(record: Record, schema: AvroSchema) -> Record:
    """Return a new record of logical values; nothing inside is shared with `record` that could be changed.

    `timestamp-*` becomes a datetime in UTC, `local-timestamp-*` a naive one.
    """
    result: Record = codec(schema).logical(record)
    return result


def to_physical(record: Record, schema: AvroSchema) -> Record:
    """Return a new record of physical values; a value that is physical already stays.

    Raises:
        SchemaError: a naive datetime for an instant (which zone?) or an aware one for a local timestamp, digits that
            the schema can't hold. Nothing is rounded.
    """
    result: Record = codec(schema).physical(record)
    return result


def codec(schema: AvroSchema) -> Codec:
    """Return the codec of `schema`, made once and kept on it."""
    return schema.derived(_make)


def _same(value: object) -> Value:
    return value


_PLAIN = Codec(_same, _same)


def _make(schema: AvroSchema) -> Codec:
    match schema.kind:
        case "record":
            return _record(schema)
        case "array":
            items = codec(schema.items)
            return Codec(
                lambda value: [items.logical(item) for item in value],
                lambda value: [items.physical(item) for item in value] if isinstance(value, list) else value,
            )
        case "map":
            values = codec(schema.values)
            return Codec(
                lambda value: {key: values.logical(item) for key, item in value.items()},
                lambda value: (
                    {key: values.physical(item) for key, item in value.items()} if isinstance(value, dict) else value
                ),
            )
        case "union":
            return _union(schema)
        case kind:
            make = _LOGICAL.get((kind, schema.logical))
            return _PLAIN if make is None else make(schema)


def _record(schema: AvroSchema) -> Codec:
    @functools.cache
    def table() -> dict[str, Codec]:  # not before a record needs it: the schema may contain itself
        return {field.name: inner for field in schema.fields if (inner := codec(field.schema)) is not _PLAIN}

    def logical(record: Record) -> Record:
        result = dict(record)
        for name, field in table().items():
            if name in result:
                result[name] = field.logical(result[name])
        return result

    def physical(record: object) -> object:
        if not isinstance(record, dict):
            return record
        result = dict(record)
        for name, field in table().items():
            if name in result:
                try:
                    result[name] = field.physical(result[name])
                except SchemaError as error:
                    msg = f"field {name!r}: {error}"
                    raise SchemaError(msg) from error
        return result

    return Codec(logical, physical)


def _union(schema: AvroSchema) -> Codec:
    codecs = {branch.name: codec(branch) for branch in schema.branches}
    if all(inner is _PLAIN for inner in codecs.values()):
        return _PLAIN
    if schema.non_null is not schema:
        inner = codec(schema.non_null)
        return Codec(
            lambda value: None if value is None else inner.logical(value),
            lambda value: None if value is None else inner.physical(value),
            inner.types,
        )

    def logical(value: object) -> Value:
        branch, plain = branch_of(schema, value)
        result = codecs[branch.name].logical(plain)
        return Branch(branch.name, result) if isinstance(value, Branch) else result

    def physical(value: object) -> object:
        if isinstance(value, Branch):
            return Branch(value.name, codecs[value.name].physical(value.value)) if value.name in codecs else value
        for inner in codecs.values():
            if type(value) in inner.types:
                return inner.physical(value)
        branch, plain = branch_of(schema, value)
        return codecs[branch.name].physical(plain)

    return Codec(logical, physical)


def _date(_schema: AvroSchema) -> Codec:
    def logical(days: int) -> datetime.date | int:
        try:
            return datetime.date.fromordinal(_DAY_ZERO + days)
        except (ValueError, OverflowError):
            return days

    def physical(value: object) -> object:
        if isinstance(value, datetime.datetime):
            msg = f"{value!r} is not a date; return its date()"
            raise SchemaError(msg)
        return value.toordinal() - _DAY_ZERO if isinstance(value, datetime.date) else value

    return Codec(logical, physical, (datetime.date,))


def _time(unit: int) -> Callable[[AvroSchema], Codec]:
    def logical(count: int) -> datetime.time | int:
        if not 0 <= count * unit < _DAY_MICROS:
            return count
        return (_NAIVE_ZERO + count * unit * _MICROSECOND).time()

    def physical(value: object) -> object:
        if not isinstance(value, datetime.time):
            return value
        if value.tzinfo is not None:
            msg = f"{value!r} has a time zone, but an Avro time of day has none; return a naive time"
            raise SchemaError(msg)
        return _whole((datetime.datetime.combine(_NAIVE_ZERO, value) - _NAIVE_ZERO) // _MICROSECOND, unit, value)

    return lambda _schema: Codec(logical, physical, (datetime.time,))


def _timestamp(unit: int, zero: datetime.datetime) -> Callable[[AvroSchema], Codec]:
    def logical(count: int) -> datetime.datetime | int:
        try:
            return zero + count * unit * _MICROSECOND
        except OverflowError:
            return count

    def physical(value: object) -> object:
        if not isinstance(value, datetime.datetime):
            return value
        if (value.utcoffset() is None) != (zero.tzinfo is None):
            wanted = (
                "a naive datetime"
                if zero.tzinfo is None
                else "a datetime with a time zone (tzinfo=datetime.timezone.utc)"
            )
            msg = f"{value!r} can't be stored; return {wanted}"
            raise SchemaError(msg)
        return _whole((value - zero) // _MICROSECOND, unit, value)

    return lambda _schema: Codec(logical, physical, (datetime.datetime,))


def _whole(micros: int, unit: int, value: object) -> int:
    count, rest = divmod(micros, unit)
    if rest:
        msg = f"{value!r} has microseconds, but the schema stores milliseconds; round it"
        raise SchemaError(msg)
    return count


def _decimal(schema: AvroSchema) -> Codec:
    scale = decimal_scale(schema)
    precision = int(schema.source.get("precision", 0))

    def physical(value: object) -> object:
        if not isinstance(value, decimal.Decimal):
            return value
        sign, digits, exponent = value.as_tuple()
        shift = exponent + scale if isinstance(exponent, int) else None
        unscaled = int("".join(map(str, digits)) or "0")
        if shift is None:  # NaN and infinities
            unscaled, rest = 0, 1
        elif shift >= 0:
            unscaled, rest = unscaled * 10**shift, 0
        else:
            unscaled, rest = divmod(unscaled, 10**-shift)
        if rest or (precision and len(str(unscaled)) > precision):
            msg = f"{value!r} doesn't fit decimal({precision}, {scale}); round it"
            raise SchemaError(msg)
        unscaled = -unscaled if sign else unscaled
        try:
            return unscaled_bytes(unscaled, schema.size if schema.kind == "fixed" else None)
        except OverflowError as error:
            msg = f"{value!r} doesn't fit {schema.size} bytes; use a wider type"
            raise SchemaError(msg) from error

    return Codec(lambda data: decimal_value(data, scale), physical, (decimal.Decimal,))


def _text_uuid(_schema: AvroSchema) -> Codec:
    def logical(text: str) -> uuid.UUID | str:
        # A text that isn't written back as it was (capitals, braces) stays text.
        try:
            value = uuid.UUID(text) if len(text) == _CANONICAL_UUID else None
        except ValueError:
            return text
        return value if value is not None and str(value) == text else text

    return Codec(logical, lambda value: str(value) if isinstance(value, uuid.UUID) else value, (uuid.UUID,))


def _fixed_uuid(_schema: AvroSchema) -> Codec:
    return Codec(
        lambda data: uuid.UUID(bytes=data),
        lambda value: value.bytes if isinstance(value, uuid.UUID) else value,
        (uuid.UUID,),
    )


_LOGICAL: dict[tuple[str, str | None], Callable[[AvroSchema], Codec]] = {
    ("int", "date"): _date,
    ("int", "time-millis"): _time(1000),
    ("long", "time-micros"): _time(1),
    ("long", "timestamp-millis"): _timestamp(1000, _ZERO),
    ("long", "timestamp-micros"): _timestamp(1, _ZERO),
    ("long", "local-timestamp-millis"): _timestamp(1000, _NAIVE_ZERO),
    ("long", "local-timestamp-micros"): _timestamp(1, _NAIVE_ZERO),
    ("bytes", "decimal"): _decimal,
    ("fixed", "decimal"): _decimal,
    ("string", "uuid"): _text_uuid,
    ("fixed", "uuid"): _fixed_uuid,
}
