"""The list of what `expressions` does not say exactly as `payloads.records` does: nodes, and types of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import types as spark_types

from bridge.engines.native.ordering import kind_of
from bridge.merge import in_columns
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Concat,
    Constant,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    LaterIs,
    Least,
    Not,
    Sum,
    Take,
    TextIs,
    Union,
    nodes_of,
    spelled_pattern,
)

if TYPE_CHECKING:
    from payloads import AvroSchema
    from payloads.rules import Column, MergeRule, RuleNode, Test

_COMPARED = frozenset({"int", "long", "boolean", "string", "float", "double"})
_EXACT = frozenset({"int", "long", "boolean", "string", "bytes"})
_ADDED = {
    "int": spark_types.IntegerType,
    "long": spark_types.LongType,
    "float": spark_types.FloatType,
    "double": spark_types.DoubleType,
}
_PLAIN_TYPES = (
    spark_types.IntegerType,
    spark_types.LongType,
    spark_types.BooleanType,
    spark_types.StringType,
    spark_types.BinaryType,
)


UNSAID: Final = frozenset({Effect.CHANGED, Effect.EDITED})
"""Effects that take two rows to be equal as Java compares them, and an object that is edited."""


def unsaid(part: Effect | RuleNode) -> AssertionError:
    """Return the failure of a rule that has come to `expressions` with an effect or a node that is named here."""
    return AssertionError(f"{part!r} has no expression, and `lacking` was not asked")


def looks_at_ordering(rule: MergeRule) -> bool:
    """Whether a rule may look at the ordering values that versions carry; a delete that it makes has one, too."""
    compared = (isinstance(node, ByOrdering | IsNatural | IsUnordered) for node in nodes_of(rule))
    return Effect.DELETE in rule.yields or any(compared)


def lacking(rule: MergeRule, schema: AvroSchema, types: spark_types.StructType) -> tuple[RuleNode | Effect, ...]:
    """Return the nodes of a rule that have no expression, or none for the types of these columns."""
    found: list[RuleNode | Effect] = []
    if not _compares(rule.later, schema):
        found.append(rule.later)
    found += [one for one in rule.yields if one in UNSAID]
    for field in types.fields:
        found += [one for one in nodes_of(rule.column(field.name)) if _is_lacking(one, field, schema)]
    found += [one for one in nodes_of(*(case.when for case in rule.cases)) if _is_lacking_test(one, schema)]
    if rule.deletes.marker is not None and in_columns(rule.deletes, schema) is None:
        found.append(rule.deletes.marker)
    return tuple(dict.fromkeys(found))


def _compares(later: RuleNode, schema: AvroSchema) -> bool:
    match later:
        case ByArrival():
            return True
        case ByOrdering(how=How.JAVA):
            return True
        case ByColumn(names=(name,), how=How.JAVA, consistent=False, against=Against.COLUMN):
            kind = kind_of(schema, name)
            return kind is not None and kind.logical != "decimal"
        case _:
            return False


def _is_lacking(node: Column | Test, field: spark_types.StructField, schema: AvroSchema) -> bool:  # noqa: PLR0911 (one a node)
    avro = schema.by_name[field.name]
    kind = avro.schema.non_null
    match node:
        case Take() | FirstNonNull() | FirstNonMarker() | Concat() | Union() | IfElse():
            return False
        case FirstNonDefault():
            return avro.has_default and avro.default is not None
        case Least() | Greatest():
            return kind.kind not in _COMPARED or kind.logical not in {None, "date", "timestamp-micros"}
        case Sum():
            return kind.logical is not None or not isinstance(field.dataType, _ADDED.get(kind.kind, ()))
        case JoinedLists():
            return True
        case Constant(value):
            plain = kind.kind in _EXACT and kind.logical is None
            return value is not None and not (plain and isinstance(field.dataType, _PLAIN_TYPES))
        case test:
            return _is_lacking_test(test, schema)


def _is_lacking_test(test: RuleNode, schema: AvroSchema) -> bool:
    match test:
        case IsEmpty() | IsDelete() | IsNatural() | IsUnordered() | LaterIs() | AllOf() | AnyOf() | Not():
            return False
        case IsListed():
            return True
        case ColumnIs(column=name, value=value):
            field = schema.by_name.get(name)
            kind = None if field is None else field.schema.non_null
            return kind is None or (value is not None and (kind.kind not in _EXACT or kind.logical is not None))
        case TextIs(column=name):
            field = schema.by_name.get(name)
            kind = None if field is None else field.schema.non_null
            is_text = kind is not None and kind.kind == "string" and kind.logical is None
            return not is_text or spelled_pattern(test, ignore_case="(?iu)") is None
        case _:
            return True
