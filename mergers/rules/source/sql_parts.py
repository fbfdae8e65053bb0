"""Parts of SQL for Spark: names, texts and values, and how values compare in Java."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from mergers.rules.source.merger import NotStatedError
from payloads.rules import Least

if TYPE_CHECKING:
    from collections.abc import Sequence

    from payloads.avro import Field
    from payloads.rules import Greatest

FLOATS: Final = {"float": "FLOAT", "double": "DOUBLE"}
_INTEGERS: Final = {"int": ("INT", -(2**31), ""), "long": ("BIGINT", -(2**63), "L")}
_COMPARED: Final = frozenset({"boolean", "string", *_INTEGERS, *FLOATS})
_TIMES: Final = frozenset({"date", "timestamp-millis", "timestamp-micros"})
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ESCAPED: Final = {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}


def lacking(node: object) -> NotStatedError:
    """Return the refusal of a node."""
    return NotStatedError(f"SQL can't express {node!r}")


def quoted_name(name: str) -> str:
    """Write the name of a column."""
    return name if _PLAIN.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def raised(message: str) -> str:
    """Return the expression that fails with a message."""
    return f"raise_error({sql_text(message)})"


def sql_text(text: str) -> str:
    """Write a text with escapes, which Spark reads unless `spark.sql.parser.escapedStringLiterals` is set."""
    return "'" + "".join(_ESCAPED.get(one, one) for one in text) + "'"


def sql_literal(value: object, field: Field, node: object) -> str:
    """Write a value of a column."""
    kind = field.schema.non_null
    if kind.logical is None:
        match value:
            case bool() if kind.kind == "boolean":
                return str(value).lower()
            case str() if kind.kind == "string":
                return sql_text(value)
            case bytes() if kind.kind == "bytes":
                return f"X'{value.hex()}'"
            case int() if kind.kind in _INTEGERS:
                name, least, suffix = _INTEGERS[kind.kind]
                # The least value can't be a literal: Spark reads the number without its sign, which overflows.
                return f"CAST('{value}' AS {name})" if value == least else f"{value}{suffix}"
            case int() | float() if kind.kind in FLOATS and math.isfinite(value):
                return f"CAST('{float(value)!r}' AS {FLOATS[kind.kind]})"
    raise lacking(node)


def is_value(side: str, value: object, field: Field, node: object) -> str:
    """Return whether a column has a value, as Java's `equals` says: -0.0 is not 0.0."""
    same = f"{side} <=> {sql_literal(value, field, node)}"
    if field.schema.non_null.kind in FLOATS and value == 0:
        return f"({same} AND CAST({side} AS STRING) <=> '{float(value)!r}')"
    return same


def is_compared(field: Field) -> bool:
    """Whether Spark compares the values of a column as Java does, with `compared`."""
    kind = field.schema.non_null
    return (kind.kind in _COMPARED and kind.logical is None) or kind.logical in _TIMES


def compared(field: Field, one: str, other: str, sign: str) -> str:
    """Return whether two values compare so (`>`, `>=`, `<`, `<=`) in Java, where -0.0 is less than 0.0."""
    if field.schema.non_null.kind not in FLOATS:
        return f"{one} {sign} {other}"
    if "<" in sign:
        return compared(field, other, one, sign.replace("<", ">"))
    if sign == ">=":
        return f"NOT {compared(field, other, one, '>')}"
    zeros = f"CAST({one} AS STRING) = '0.0' AND CAST({other} AS STRING) = '-0.0'"
    return f"({one} > {other} OR ({one} = {other} AND {zeros}))"


def of_two(node: Least | Greatest, field: Field, older: str, newer: str) -> str:
    """Return the lesser or the greater of two values, of which neither is null."""
    if field.schema.non_null.kind not in FLOATS:
        return f"{'least' if isinstance(node, Least) else 'greatest'}({older}, {newer})"
    sides = (newer, older) if isinstance(node, Least) else (older, newer)
    return f"CASE WHEN {compared(field, older, newer, '>')} THEN {sides[0]} ELSE {sides[1]} END"


def row_of(values: Sequence[str]) -> str:
    """Return values that compare one after the other."""
    return values[0] if len(values) == 1 else f"struct({', '.join(values)})"


def is_ranked(field: Field) -> bool:
    """Whether Spark sorts the values of a column as Java does: for it -0.0 and 0.0 are equal."""
    return is_compared(field) and field.schema.non_null.kind not in FLOATS
