"""The list of what `expressions` does not say exactly as `payloads.records` does: nodes, and types of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyspark.sql import types as spark_types

from bridge.engines.native.ordering import kind_of
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
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
    IsNatural,
    IsUnordered,
    LaterIs,
    Least,
    Not,
    RuleNode,
    Sum,
    Take,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from payloads import AvroSchema
    from payloads.rules import MergeRule, Test

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


def looks_at_ordering(rule: MergeRule) -> bool:
    """Whether a rule may look at the ordering values that versions carry; a delete that it makes has one, too."""
    found = [rule.result is Effect.DELETE]

    def look(part: object) -> None:
        if isinstance(part, RuleNode):
            found.append(isinstance(part, ByOrdering | IsNatural | IsUnordered))
            found.append(isinstance(part, Case) and part.gives is Effect.DELETE)
            look(part.parts)
        elif isinstance(part, Mapping):
            look(tuple(part.values()))
        elif isinstance(part, tuple):
            for one in part:
                look(one)

    look(rule)
    return any(found)


def lacking(rule: MergeRule, schema: AvroSchema, types: spark_types.StructType) -> tuple[RuleNode | Effect, ...]:
    """Return the nodes of a rule that have no expression, or none for the types of these columns."""
    found: list[RuleNode | Effect] = []
    if not _compares(rule.later, schema):
        found.append(rule.later)
    gives = [rule.result, *(case.gives for case in rule.cases)]
    found += [one for one in gives if one is Effect.CHANGED or one is Effect.EDITED]
    tests = [case.when for case in rule.cases]
    for field in types.fields:
        named = rule.column(field.name)
        found += _lacking_of(named, field, schema, tests)
    found += [one for test in tests for one in _tests_lacking(test, schema)]
    if rule.deletes.marker is not None:
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


def _lacking_of(  # noqa: C901, PLR0912 (one a node)
    node: RuleNode, field: spark_types.StructField, schema: AvroSchema, tests: list[Test]
) -> Iterator[RuleNode]:
    avro = schema.by_name[field.name]
    kind = avro.schema.non_null
    match node:
        case Take():
            pass
        case FirstNonDefault(values) if avro.has_default and avro.default is not None:
            yield node
        case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
            for one in values:
                yield from _lacking_of(one, field, schema, tests)
        case Least() | Greatest():
            if kind.kind not in _COMPARED or kind.logical not in {None, "date", "timestamp-micros"}:
                yield node
        case Sum():
            if kind.logical is not None or not isinstance(field.dataType, _ADDED.get(kind.kind, ())):
                yield node
        case Concat() | Union():
            pass
        case Constant(value):
            plain = kind.kind in _EXACT and kind.logical is None
            if value is not None and not (plain and isinstance(field.dataType, _PLAIN_TYPES)):
                yield node
        case IfElse(test, then, otherwise):
            tests.append(test)
            yield from _lacking_of(then, field, schema, tests)
            yield from _lacking_of(otherwise, field, schema, tests)
        case _:
            yield node


def _tests_lacking(test: RuleNode, schema: AvroSchema) -> Iterator[RuleNode]:
    match test:
        case IsEmpty() | IsDelete() | IsNatural() | IsUnordered() | LaterIs():
            pass
        case ColumnIs(column=name, value=value):
            field = schema.by_name.get(name)
            kind = None if field is None else field.schema.non_null
            if kind is None or (value is not None and (kind.kind not in _EXACT or kind.logical is not None)):
                yield test
        case AllOf(tests) | AnyOf(tests):
            for one in tests:
                yield from _tests_lacking(one, schema)
        case Not(inner):
            yield from _tests_lacking(inner, schema)
        case _:
            yield test
