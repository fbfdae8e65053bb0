"""What a value of one Avro type becomes in another type that is not a record, array, map or union, release by release.

Source: HoodieAvroUtils.rewritePrimaryType. A pair of types that the table lacks can't be converted.
"""

from __future__ import annotations

import datetime
import decimal
import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from payloads.avro.decimals import decimal_scale, decimal_value, unscaled_bytes
from payloads.avro.schema import Value
from payloads.avro.text import date_text, plain_text
from payloads.errors import SchemaError
from payloads.java import float_text
from payloads.release import ByRelease

if TYPE_CHECKING:
    from payloads.avro.schema import AvroSchema
    from payloads.release import HudiRelease

Conversion = Callable[[Value], Value]
"""Turns a non-null value of one schema into a value of another."""

Factory = Callable[["AvroSchema", "AvroSchema"], Conversion]
"""Makes the conversion from one schema to another."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_EPOCH = datetime.date(1970, 1, 1)
_MILLIS_TO_MICROS = {
    ("timestamp-millis", "timestamp-micros"): True,
    ("timestamp-micros", "timestamp-millis"): False,
    ("local-timestamp-millis", "local-timestamp-micros"): True,
    ("local-timestamp-micros", "local-timestamp-millis"): False,
}


def promotion(old: AvroSchema, new: AvroSchema, release: HudiRelease, path: str) -> Conversion:
    """Return what converts non-null values of `old` to `new`; `path` names the field in errors.

    Raises:
        SchemaError: by the conversion: the pair of types, or this value, can't be converted.
    """
    rule = _RULES.get((old.kind, new.kind), _same if old.kind == new.kind else _none)
    factory: Factory = rule.at(release) if isinstance(rule, ByRelease) else rule
    convert = factory(old, new)
    if convert is keep:
        return keep

    def run(value: object) -> Value:
        try:
            return convert(value)
        except (ValueError, ArithmeticError) as error:
            msg = f"field {path!r}: {value!r} of type {_type_text(old)} can't become {_type_text(new)}: {error}"
            raise SchemaError(msg) from error

    return run


def keep(value: object) -> Value:
    """Return the value as it is."""
    return value


def _type_text(schema: AvroSchema) -> str:
    return f"{schema.name} ({schema.logical})" if schema.logical else schema.name


def _always(convert: Conversion) -> Factory:
    """Return the factory of a conversion that depends on neither schema."""
    return lambda _old, _new: convert


def _refusal(_value: object) -> object:
    msg = "Hudi has no conversion between these types; choose a wider type or add a new column"
    raise ValueError(msg)


def _float_to_double(value: float) -> float:
    # By way of decimal text: the float 1.1 becomes the double 1.1.
    return float(float_text(value))


def _text(old: AvroSchema, _new: AvroSchema) -> Conversion:
    return date_text if old.logical == "date" else plain_text


def _string_to_int(_old: AvroSchema, new: AvroSchema) -> Conversion:
    return _days if new.logical == "date" else _refusal


def _days(text: str) -> int:
    match = _DATE.fullmatch(text)
    if match is None:
        msg = "a date is written year-month-day, such as 2024-03-01"
        raise ValueError(msg)
    return (datetime.date(*map(int, match.groups())) - _EPOCH).days


def _rescale_timestamp(old: AvroSchema, new: AvroSchema) -> Conversion:
    if old.logical == new.logical or None in {old.logical, new.logical}:
        return keep
    to_micros = _MILLIS_TO_MICROS.get((str(old.logical), str(new.logical)))
    if to_micros is None:
        return _refusal
    return (lambda value: _in_long(value * 1000)) if to_micros else (lambda value: value // 1000)


def _in_long(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        msg = "the number of microseconds is out of the range of long"
        raise ValueError(msg)
    return value


def _number_to_fixed(old: AvroSchema, new: AvroSchema) -> Conversion:
    if new.logical != "decimal":
        return _refusal
    text = float_text if old.kind == "float" else plain_text
    unit = decimal.Decimal((0, (1,), -decimal_scale(new)))

    def convert(value: Value) -> bytes:
        digits = text(value)
        if not _NUMBER.fullmatch(digits):
            msg = "this is not a decimal number"
            raise ValueError(msg)
        return _fixed(decimal.Decimal(digits), unit, new, decimal.ROUND_HALF_UP)

    return convert


def _fixed_to_string(old: AvroSchema, _new: AvroSchema) -> Conversion:
    if old.logical != "decimal":
        return _refusal
    scale = decimal_scale(old)
    return lambda value: str(decimal_value(value, scale))


def _fixed_to_fixed(old: AvroSchema, new: AvroSchema) -> Conversion:
    if old.size == new.size:
        return keep
    if old.logical != "decimal" or new.logical != "decimal":
        return _refusal
    scale, unit = decimal_scale(old), decimal.Decimal((0, (1,), -decimal_scale(new)))
    return lambda value: _fixed(decimal_value(value, scale), unit, new, None)


def _bytes_to_fixed(_old: AvroSchema, new: AvroSchema) -> Conversion:
    if new.logical != "decimal":
        return _refusal
    scale = decimal_scale(new)
    unit = decimal.Decimal((0, (1,), -scale))
    return lambda value: _fixed(decimal_value(value, scale), unit, new, None)


def _fixed(value: decimal.Decimal, unit: decimal.Decimal, schema: AvroSchema, rounding: str | None) -> bytes:
    """Return `value` at the scale of `unit` as bytes of `schema`; without `rounding` no digit may be cut off."""
    precision = int(schema.source["precision"])
    digits = max(precision, value.adjusted() + 1 - int(unit.as_tuple().exponent)) + 1
    context = decimal.Context(prec=digits, rounding=rounding or decimal.ROUND_DOWN, traps=[decimal.InvalidOperation])
    scaled = value.quantize(unit, context=context)
    if rounding is None and scaled != value:
        msg = f"the scale {decimal_scale(schema)} would truncate digits"
        raise ValueError(msg)
    sign, numerals, _ = scaled.as_tuple()
    if scaled and len(numerals) > precision:
        msg = f"more than {precision} digits"
        raise ValueError(msg)
    unscaled = int("".join(map(str, numerals))) * (-1 if sign else 1)
    return unscaled_bytes(unscaled, schema.size)


_same = _always(keep)
_none = _always(_refusal)
_as_float = _always(lambda value: struct.unpack("f", struct.pack("f", value))[0])
_as_double = _always(float)

_RULES: dict[tuple[str, str], Any] = {
    ("int", "long"): _same,
    ("int", "float"): _as_float,
    ("long", "float"): _as_float,
    ("int", "double"): _as_double,
    ("long", "double"): _as_double,
    ("float", "double"): _always(_float_to_double),
    ("int", "string"): _text,
    ("long", "string"): _text,
    ("float", "string"): _always(float_text),
    ("double", "string"): _text,
    ("enum", "string"): _same,
    ("string", "enum"): _same,
    ("string", "bytes"): _always(str.encode),
    ("bytes", "string"): ByRelease(_text, {"1.0": _always(lambda value: value.decode(errors="replace"))}),
    ("string", "int"): _string_to_int,
    ("string", "fixed"): _number_to_fixed,
    ("int", "fixed"): _number_to_fixed,
    ("long", "fixed"): _number_to_fixed,
    ("float", "fixed"): _number_to_fixed,
    ("double", "fixed"): _number_to_fixed,
    ("fixed", "string"): _fixed_to_string,
    ("fixed", "fixed"): _fixed_to_fixed,
    ("fixed", "bytes"): ByRelease(_none, {"1.2": _same}),
    ("bytes", "fixed"): ByRelease(_none, {"1.2": _bytes_to_fixed}),
    ("long", "long"): ByRelease(_same, {"1.2": _rescale_timestamp}),
}
