"""Defaults of fields: what Java's code is given of them, and whether a value equals one there."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Any, ClassVar, Final

from payloads.avro.branch import Branch
from payloads.avro.same import same_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    Gap = Callable[[Any], bool]


_CACHED = range(-128, 128)
"""The integers that Java caches as one object each."""


class JsonNull:
    """The type of `NULL_VALUE`."""

    _instance: ClassVar[JsonNull | None] = None

    def __new__(cls) -> Self:
        """Return the one instance; it is recognised by identity."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance  # type: ignore[return-value]

    def __reduce__(self) -> tuple[type[JsonNull], tuple[()]]:
        return JsonNull, ()

    def __repr__(self) -> str:
        return "NULL_VALUE"


NULL_VALUE: Final = JsonNull()
"""What `Field.defaultVal()` returns for a null default (Java: `JsonProperties.NULL_VALUE`); None if there is none."""


def is_null(value: Any) -> bool:
    """Whether a value is null."""
    return value is None


def default_test(field: Any) -> Gap:
    """Return the test whether a value equals the default of `field` in Java; null if none, or null, is declared."""
    if not field.has_default or field.default is None:
        return is_null
    return _equality(field.schema, field.default, top_level=True)


def object_test(field: Any) -> Gap:
    """Return the test whether a value is the same Java object as the default of `field`; null if there is none."""
    if not field.has_default or field.default is None:
        return is_null
    default, schema = field.default, first_branch(field.schema)
    is_cached = schema.kind == "boolean" or (schema.kind in {"int", "long"} and default in _CACHED)
    if not is_cached:
        return _never
    if field.schema.ambiguous:
        wanted = Branch(schema.name, default)
        return lambda value: isinstance(value, Branch) and value == wanted
    return lambda value: type(value) is type(default) and value == default


def value_test(field: Any) -> Gap:
    """Return the test whether a value is the default of `field`, by value and type; null if there is none."""
    if not field.has_default or field.default is None:
        return is_null
    default = {"": default_of(field)}
    return lambda value: same_record({"": value}, default)


def first_branch(schema: Any) -> Any:
    """Return the type that a default belongs to."""
    return schema.branches[0] if schema.branches else schema


def default_of(field: Any) -> Any:
    """Return the default of `field` as it is in a row, with the precision of its column."""
    default = default_value(field.schema, field.default)
    is_float = first_branch(field.schema).kind == "float" and not isinstance(default, Branch)
    return _rounded(default) if is_float else default


def _equality(schema: Any, default: Any, *, top_level: bool = False) -> Gap:  # noqa: PLR0911 (one a kind)
    """Return the test for values equal to `default`, a JSON value of `schema` (of its first branch in a union)."""
    match schema.kind:
        case "union":
            first = schema.branches[0]
            equal = _equality(first, default)
            if schema.ambiguous:
                return lambda value: isinstance(value, Branch) and value.name == first.name and equal(value.value)
            if schema.mixes_numbers and first.kind in {"float", "double"}:
                return lambda value: isinstance(value, float) and equal(value)  # an int is of the other branch
            return equal
        case "string" if top_level:
            # Hudi turns plain strings, and only these, into Java strings before it compares.
            return lambda value: bool(value == default)
        case "boolean" | "int" | "long":
            return lambda value: type(value) is type(default) and value == default
        case "float" | "double" as kind:
            return _same_number(_rounded(default) if kind == "float" else float(default))
        case "array":
            elements = [_equality(schema.items, element) for element in default]
            return lambda value: (
                isinstance(value, list)
                and len(value) == len(elements)
                and all(equal(item) for equal, item in zip(elements, value, strict=True))
            )
        case "map" if not default:
            return lambda value: value == {}
        case _:
            return _never


def _same_number(default: float) -> Gap:
    sign = math.copysign(1.0, default)
    return lambda value: type(value) in {float, int} and value == default and math.copysign(1.0, value) == sign


def _rounded(default: float) -> float:
    """Return `default` as a Java float holds it."""
    number: float = struct.unpack("f", struct.pack("f", default))[0]
    return number


def _never(value: object) -> bool:  # noqa: ARG001
    return False


def default_value(schema: Any, default: Any) -> Any:  # noqa: PLR0911 (one a kind)
    """Return the physical value of a default, which Avro writes as JSON of the first branch of a union."""
    match schema.kind:
        case "union" if default is None:
            return None
        case "union":
            first = schema.branches[0]
            value = default_value(first, default)
            return Branch(first.name, value) if schema.ambiguous else value
        case "bytes" | "fixed":
            return default.encode("iso-8859-1")
        case "float" | "double":
            return float(default)
        case "array":
            return [default_value(schema.items, item) for item in default]
        case "map":
            return {key: default_value(schema.values, item) for key, item in default.items()}
        case "record":
            return {f.name: default_value(f.schema, default.get(f.name, f.default)) for f in schema.fields}
        case _:
            return default
