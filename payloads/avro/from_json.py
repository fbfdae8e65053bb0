"""JSON text to a record of physical Avro values by a schema, as leniently as Hudi's MercifulJsonConverter.

Unknown members are dropped, missing ones become null even where null does not fit, and a number may be written as text.
Until 0.15 logical types are ignored and numbers with a fraction are doubles; from 1.0 on they are read as exact
decimals, times, dates and decimals may be written in their ISO and decimal text forms, and a list or an object in a
column of text stays JSON.
"""

from __future__ import annotations

import base64
import binascii
import decimal
import json
import math
import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from payloads.avro.decimals import decimal_scale, unscaled_bytes
from payloads.avro.schema import AvroSchema, Value
from payloads.errors import SchemaError
from payloads.java import days, instant_nanos, local_nanos, nanos_of_day, printed, written

if TYPE_CHECKING:
    from payloads.avro.schema import Record

T = TypeVar("T")
_Conversion = Callable[[Value, AvroSchema], Value]

_SPACE = " \t\n\r"
_UP_TO_SPACE = "".join(map(chr, range(33)))  # what Java's String.trim removes
_INTEGER = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_FLOATING = re.compile(r"[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?)", re.ASCII)
_EPOCH_DIGITS = re.compile(r"[+-]?[0-9]{1,19}")
_INT, _LONG = 1 << 31, 1 << 63
_HALF_RANGE = {"int": _INT, "long": _LONG}
_MAX_PRECISION = 10_000  # beyond any that a schema names
_WHOLE_POWERS = 64  # from this power of ten on a number is a multiple of 2 ** 64: its low bits are zero
_DURATION_SIZE = 12


def parse_object(text: str, *, exact: bool) -> dict[str, object]:
    """Read one JSON object; trailing text is ignored. With `exact`, fractions become decimals.

    Raises:
        SchemaError: the text is not JSON, or not an object.
    """
    decoder = json.JSONDecoder(parse_float=_exact if exact else None, parse_constant=_refuse_constant)
    try:
        value, _end = decoder.raw_decode(text.lstrip(_SPACE))
    except (ValueError, RecursionError) as error:
        msg = f"not JSON: {error}; the payload needs one JSON object: {text[:120]!r}"
        raise SchemaError(msg) from error
    if not isinstance(value, dict):
        msg = f"the payload needs one JSON object, not {text[:120]!r}"
        raise SchemaError(msg)
    return value


def read_record(json_object: dict[str, object], schema: AvroSchema, *, logical: bool) -> Record:
    """Convert `json_object` to a record of `schema`; with `logical`, by the logical types of its fields.

    Raises:
        SchemaError: a value can't be converted; the message names the field.
    """
    record: Record = {}
    for field in schema.fields:
        value = json_object.get(field.name)
        record[field.name] = None if value is None else _read(value, field.schema, field.name, logical)
    return record


def _read(value: object, schema: AvroSchema, name: str, logical: bool) -> Value:  # noqa: FBT001, PLR0911 (one a kind)
    """Convert an element or a field that is present; `name` is the innermost field."""
    plain = schema.non_null
    if value is None:
        if plain is schema:
            raise _refusal(value, plain, name)
        return None
    try:
        if logical and plain.logical is not None:
            return _LOGICAL[plain.logical, plain.kind](value, plain)
        match plain.kind:
            case "record":
                return read_record(_of_type(dict, value), plain, logical=logical)
            case "array":
                return [_read(item, plain.items, name, logical) for item in _of_type(list, value)]
            case "map":
                items = _of_type(dict, value).items()
                return {key: _read(item, plain.values, name, logical) for key, item in items}
            case "string" if logical:
                return written(value)
            case kind:
                return _SCALAR[kind](value, plain)
    except SchemaError:
        raise
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise _refusal(value, plain, name) from error


def _refusal(value: object, schema: AvroSchema, name: str) -> SchemaError:
    wanted = schema.name if schema.logical is None else f"{schema.name} ({schema.logical})"
    return SchemaError(f"field {name!r}: the JSON value {value!r} can't be read as {wanted}; write it as one")


# -- numbers


def _exact(digits: str) -> decimal.Decimal:
    number = decimal.Decimal(digits)
    return number or decimal.Decimal(digits.lstrip("-"))  # Java's BigDecimal has no negative zero


def _refuse_constant(name: str) -> None:
    msg = f"{name} is not a JSON value"
    raise ValueError(msg)


def _integer(value: object, schema: AvroSchema) -> int:
    """Narrow a number as Java does: doubles saturate, all others keep their low bits; text must fit."""
    half = _HALF_RANGE[schema.kind]
    if isinstance(value, str):
        parsed = int(_matching(_INTEGER, value))
        if not -half <= parsed < half:
            raise ValueError(value)
        return parsed
    number = _of_number(value)
    if isinstance(number, float):
        return int(min(max(number, -half), half - 1))
    if isinstance(number, decimal.Decimal) and int(number.as_tuple().exponent) >= _WHOLE_POWERS:
        return 0
    return (int(number) + half) % (2 * half) - half


def _double(value: object, _schema: AvroSchema) -> float:
    if isinstance(value, str):
        return float(_matching(_FLOATING, value.strip(_UP_TO_SPACE)).rstrip("fFdD"))
    return float(decimal.Decimal(_of_number(value)))  # infinite where an int is too large


def _float(value: object, schema: AvroSchema) -> float:
    number = _double(value, schema)
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _decimal(value: object, schema: AvroSchema) -> bytes:
    """Read a decimal: as the bytes of a fixed, as base64 of its bytes, else as a number that needs no rounding."""
    if schema.kind == "fixed" and isinstance(value, list):
        return _fixed(value, schema)
    unscaled = _unscaled_base64(value) if isinstance(value, str) else None
    if unscaled is None:
        text = value if isinstance(value, str) else printed(value)
        unscaled = _unscaled(decimal.Decimal(_matching(_DECIMAL, text)), decimal_scale(schema))
    if abs(unscaled) >= 10 ** int(schema.source["precision"]):
        raise ValueError(value)
    return unscaled_bytes(unscaled, schema.size if schema.kind == "fixed" else None)


def _unscaled_base64(text: str) -> int | None:
    try:
        data = base64.b64decode(text if "=" in text else text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return int.from_bytes(data, "big", signed=True) if data else None


def _unscaled(number: decimal.Decimal, scale: int) -> int:
    sign, digits, exponent = number.as_tuple()
    shift = int(exponent) + scale
    unscaled = int(decimal.Decimal((sign, digits, 0)))
    if unscaled and not -len(digits) <= shift <= _MAX_PRECISION:
        raise ValueError(number)
    whole, rest = divmod(unscaled * 10 ** max(shift, 0), 10 ** max(-shift, 0)) if unscaled else (0, 0)
    if rest:
        raise ValueError(number)
    return whole


# -- the other kinds


def _enum(value: object, schema: AvroSchema) -> str:
    symbol = printed(value)
    if symbol not in schema.symbols:
        raise ValueError(value)
    return symbol


def _fixed(value: object, schema: AvroSchema) -> bytes:
    """Read a list of signed or unsigned bytes, cut or filled with zeros at the end."""
    data = bytes(_of_int32(item) % 256 for item in _of_type(list, value))
    return data[: schema.size].ljust(schema.size, b"\0")


def _duration(value: object, schema: AvroSchema) -> bytes:
    """Read months, days and milliseconds."""
    months, days, millis = map(_of_int32, _of_type(list, value))
    if schema.kind != "fixed" or schema.size != _DURATION_SIZE:
        raise ValueError(value)
    return struct.pack("<3i", months, days, millis)


def _temporal(parse: Callable[[str], int]) -> _Conversion:
    """Return what reads a number, in text too, as it is and other text by `parse`."""

    def convert(value: Value, schema: AvroSchema) -> int:
        if isinstance(value, str) and not _EPOCH_DIGITS.fullmatch(value):
            return parse(value)
        return _integer(value, schema)

    return convert


def _instant_micros(text: str) -> int:
    nanos = instant_nanos(text)
    if not -_LONG <= nanos < _LONG:
        raise ValueError(text)  # Hudi counts nanoseconds in a long here, and fails beyond the years 1677 to 2262
    return _towards_zero(nanos, 1_000)


def _towards_zero(nanos: int, unit: int) -> int:
    return nanos // unit if nanos >= 0 else -(-nanos // unit)


def _of_type(wanted: type[T], value: object) -> T:
    if not isinstance(value, wanted):
        raise TypeError(value)
    return value


def _of_number(value: object) -> int | float | decimal.Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | decimal.Decimal):
        raise TypeError(value)
    return value


def _of_int32(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT <= value < _INT:
        raise TypeError(value)
    return value


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.fullmatch(text):
        raise ValueError(text)
    return text


_SCALAR: dict[str, _Conversion] = {
    "boolean": lambda value, _schema: _of_type(bool, value),
    "int": _integer,
    "long": _integer,
    "float": _float,
    "double": _double,
    "string": lambda value, _schema: printed(value),
    "bytes": lambda value, _schema: printed(value).encode(errors="replace"),
    "enum": _enum,
    "fixed": _fixed,
}

_LOGICAL: dict[tuple[str, str], _Conversion] = {
    ("decimal", "bytes"): _decimal,
    ("decimal", "fixed"): _decimal,
    ("duration", "fixed"): _duration,
    ("uuid", "string"): lambda value, _schema: written(value),
    ("date", "int"): _temporal(days),
    ("time-millis", "int"): _temporal(lambda text: nanos_of_day(text) // 1_000_000),
    ("time-micros", "long"): _temporal(lambda text: nanos_of_day(text) // 1_000),
    ("timestamp-millis", "long"): _temporal(lambda text: instant_nanos(text) // 1_000_000),
    ("timestamp-micros", "long"): _temporal(_instant_micros),
    ("local-timestamp-millis", "long"): _temporal(lambda text: _towards_zero(local_nanos(text), 1_000_000)),
    ("local-timestamp-micros", "long"): _temporal(lambda text: _towards_zero(local_nanos(text), 1_000)),
}
