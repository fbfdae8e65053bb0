"""Whether a rule fits a schema: its columns are there, with types that its nodes can merge."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from payloads.backports import assert_never
from payloads.errors import PayloadConfigError, SchemaError
from payloads.rules import nodes, version_tests
from payloads.rules.node import DATA, RuleNode
from payloads.rules.nodes import (
    ByArrival,
    ByColumn,
    ByOrdering,
    Concat,
    Constant,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    JoinedLists,
    Least,
    Sum,
    Take,
    Union,
)
from payloads.rules.version_tests import (
    AllOf,
    AnyOf,
    ColumnIs,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    LaterIs,
    Not,
    TextIs,
)
from payloads.rules.walk import nodes_of
from payloads.rules.words import How, Letters

if TYPE_CHECKING:
    from payloads.avro import AvroSchema
    from payloads.rules.nodes import Column, Later, MergeRule
    from payloads.rules.version_tests import Test

_NODES = {
    kind
    for part in (nodes, version_tests)
    for kind in vars(part).values()
    if isinstance(kind, type) and issubclass(kind, RuleNode)
}
_NUMBERS = ("int", "long", "float", "double")
_UNORDERED = ("map", "union", "null")


def check_rule(rule: MergeRule, schema: AvroSchema) -> None:
    """Check that a rule merges records of a schema.

    Raises:
        PayloadConfigError: it has a node of another language, which nothing here runs.
        SchemaError: naming node, column and type.
    """
    for node in nodes_of(rule):
        if type(node) not in _NODES:
            known = ", ".join(sorted(kind.__name__ for kind in _NODES))
            msg = f"{node!r} is not a node of merge rules, so no engine runs it; the nodes are {known}"
            raise PayloadConfigError(msg)
    _check_later(rule.later, schema)
    if rule.deletes.marker is not None:
        _type(rule.deletes.marker, rule.deletes.marker.column, schema)
    for test in nodes_of(*(case.when for case in rule.cases)):
        _check_test(test, schema)
    for name, column in rule.columns.items():
        others = (field.name for field in schema.fields if field.name not in rule.columns)
        for one, node in itertools.product(others if name == DATA else (name,), nodes_of(column)):
            _check_column(node, one, _type(node, one, schema), schema)


def _check_later(later: Later, schema: AvroSchema) -> None:
    match later:
        case ByColumn(names, how=how):
            for name in names:
                head = _type(later, name.partition(".")[0], schema)
                if "." not in name:
                    _refuse(later, name, head, head.kind in _UNORDERED, "compares")
                    _refuse(later, name, head, how is not How.JAVA and head.kind != "string", "compares texts, so")
        case ByArrival() | ByOrdering():
            pass
        case other:
            assert_never(other)


def _type(node: RuleNode, name: str, schema: AvroSchema) -> AvroSchema:
    field = schema.by_name.get(name)
    if field is None:
        msg = f"{node!r}: {SchemaError.from_missing_field(name, schema.by_name)}"
        raise SchemaError(msg)
    return field.schema.non_null


def _refuse(node: RuleNode, name: str, kind: AvroSchema, refuses: bool, why: str) -> None:  # noqa: FBT001 (private)
    if refuses:
        msg = f"{node!r} {why} the column {name!r} of type {kind.kind} does not fit; use another node or column"
        raise SchemaError(msg)


def _check_test(test: Test, schema: AvroSchema) -> None:
    match test:
        case ColumnIs(column=name, value=value):
            kind = _type(test, name, schema)
            fits = value is None or kind.kind == "union" or kind.fits(value)
            _refuse(test, name, kind, not fits, "compares with a value of another type, so")
        case TextIs(column=name, text=text, letters=letters):
            kind = _type(test, name, schema)
            _refuse(test, name, kind, kind.kind not in {"string", "union"}, "compares texts, so")
            _refuse(test, name, kind, not text, "names no text, so")
            if text != {Letters.ANY: text, Letters.UPPER: text.upper(), Letters.LOWER: text.lower()}[letters]:
                msg = f"{test!r}: no text becomes {text!r} in {letters.value} case; write it in these letters"
                raise SchemaError(msg)
        case IsListed(column=name):
            kind = _type(test, name, schema)
            _refuse(test, name, kind, kind.kind != "string", "reads a list of names, so")
        case IsEmpty() | IsDelete() | IsNatural() | IsUnordered() | LaterIs() | AllOf() | AnyOf() | Not():
            pass
        case other:
            assert_never(other)


def _check_column(node: Column | Test, name: str, kind: AvroSchema, schema: AvroSchema) -> None:
    match node:
        case FirstNonNull(values) | FirstNonDefault(values):
            _refuse(node, name, kind, not values, "has no values, so")
        case FirstNonMarker(values, marker):
            wanted = "string" if isinstance(marker, str) else "bytes"
            _refuse(node, name, kind, kind.kind != wanted, f"has a marker of type {wanted}, so")
            _refuse(node, name, kind, not values, "has no values, so")
        case Least() | Greatest():
            _refuse(node, name, kind, kind.kind in _UNORDERED, "compares, so")
        case Sum():
            _refuse(node, name, kind, kind.kind not in _NUMBERS or kind.logical is not None, "adds numbers, so")
        case Concat():
            _refuse(node, name, kind, kind.kind != "array", "joins arrays, so")
        case Union():
            _refuse(node, name, kind, kind.kind != "map", "joins maps, so")
        case JoinedLists():
            _refuse(node, name, kind, kind.kind != "string", "joins lists of names, so")
        case Constant(value):
            nullable = schema.by_name[name].schema.nullable
            fits = nullable if value is None else kind.fits(value)
            _refuse(node, name, kind, not fits, "is of another type, so")
        case Take() | IfElse():
            pass
        case test:
            _check_test(test, schema)
