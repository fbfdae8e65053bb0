"""Predicates of Spark SQL, parsed."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from bridge.hudi.selection import Condition, Literal

_PLAIN = (
    *(exp.And, exp.Or, exp.Not, exp.Paren, exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.Neg),
    *(exp.EQ, exp.NEQ, exp.NullSafeEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Is, exp.In, exp.Between, exp.Like),
    *(exp.Cast, exp.DataType),
)
"""What a condition that acts before the merge is made of."""


def conditions(predicate: str) -> list[Condition]:
    """Split a predicate of Spark SQL; a text that can't be parsed here is one condition, which Spark judges."""
    try:
        parsed = sqlglot.parse_one(predicate, dialect="spark")
    except SqlglotError:
        return [Condition(predicate, None, None)]
    whole = parsed.unnest()
    parts = whole.flatten() if isinstance(whole, exp.And) else [whole]
    return [Condition(part.sql(dialect="spark"), _columns(part), _values(part.unnest())) for part in parts]


def _columns(part: exp.Expr) -> frozenset[str] | None:
    """Return the columns that a condition names; None for one with functions or subqueries."""
    if not all(isinstance(node, _PLAIN) for node in part.walk()):
        return None
    return frozenset(column.parts[0].name.lower() for column in part.find_all(exp.Column))


def _values(part: exp.Expr) -> tuple[str, tuple[Literal, ...]] | None:
    """Return what `column = literal` and `column IN (literals)` say."""
    if isinstance(part, exp.EQ):
        sides = (part.left, part.right)
        column, value = sides if isinstance(part.left, exp.Column) else sides[::-1]
        found = [value]
    elif isinstance(part, exp.In) and part.args.get("query") is None:
        column, found = part.this, part.expressions
    else:
        return None
    if not isinstance(column, exp.Column) or len(column.parts) != 1:
        return None
    literals = tuple(Literal(value.name, value.is_string) for value in found if isinstance(value, exp.Literal))
    return (column.name.lower(), literals) if literals and len(literals) == len(found) else None
