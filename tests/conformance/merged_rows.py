"""What the clauses of a MERGE INTO make of rows, on dicts: the recorded statements, evaluated without Spark."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

from bridge.engines import CLAUSE, ORDERING, ordering_text
from payloads import Ordering

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from bridge.plan import MergePlan
    from bridge.programs import MergeStatement

    Row = Mapping[str, Any]


def merged_rows(
    statement: MergeStatement, source: Iterable[Row], table: Iterable[Row], plan: MergePlan, columns: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """Give what `bridge.pipeline.merged_rows.with_statements` makes of the rows of a source."""
    named = (*plan.partition, *plan.key)
    present = {tuple(row[name] for name in named): row for row in table}
    for row in source:
        structs: dict[str, Any] = {"_pb_source": row, "_pb_target": {}}
        place = {name: _value(statement.on[name], structs) if name in statement.on else row[name] for name in named}
        structs["_pb_target"] = present.get(tuple(place[name] for name in named), {})
        for matched in (True, False):
            numbered = [(number, one) for number, one in enumerate(statement.clauses) if one.matched is matched]
            number, clause = next(
                (number, one) for number, one in numbered if one.condition is None or _value(one.condition, structs)
            )
            values = {name: _value(text, structs) for name, text in clause.values.items()}
            resolved = {name: _value(text, structs) for name, text in statement.resolved.items()}
            own = {name: row.get(name, resolved.get(name)) for name in plan.ordering}
            known = {name: value for name, value in values.items() if name not in own or own[name] is not None}
            reorders = any(name in known and known[name] != value for name, value in own.items())
            ordering = ordering_text(Ordering("long", next(iter(own.values())))) if reorders else None
            yield dict.fromkeys(columns) | own | known | place | {CLAUSE: number, ORDERING: ordering}


def _value(text: str, structs: Mapping[str, Row]) -> Any:
    return _evaluated(_parsed(text), structs)


@functools.lru_cache(maxsize=1_000)
def _parsed(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="spark")


def _evaluated(node: exp.Expr, structs: Mapping[str, Row]) -> Any:
    if isinstance(node, exp.Column):
        return structs[node.table].get(node.name)
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else int(node.this)
    if isinstance(node, exp.Cast | exp.TryCast):
        return _cast(_evaluated(node.this, structs), node.to)
    if isinstance(node, exp.Case):
        chosen = (one.args["true"] for one in node.args["ifs"] if _evaluated(one.this, structs))
        return _evaluated(next(chosen, node.args.get("default") or exp.Null()), structs)
    values = [_evaluated(one, structs) for one in node.iter_expressions()]
    if type(node) in _OF_NULLS:
        return _OF_NULLS[type(node)](*values)
    return None if None in values else _FUNCTIONS[type(node)](*values)


def _cast(value: Any, kind: exp.DataType) -> Any:
    """Cast a text or a whole number as Spark does without ANSI: what is no number is null."""
    if value is None or not kind.is_type(*exp.DataType.INTEGER_TYPES):
        return value
    text = str(value).strip()
    return int(text) if text.lstrip("-").isdecimal() else None


_FUNCTIONS: dict[type[exp.Expr], Callable[..., Any]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.Neg: operator.neg,
    exp.Not: operator.not_,
    exp.In: lambda value, *among: value in among,
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
    exp.Upper: str.upper,
    exp.Concat: lambda *texts: "".join(texts),
}
"""The functions of the recorded statements; null makes each null."""
_OF_NULLS: dict[type[exp.Expr], Callable[..., Any]] = {
    exp.Null: lambda: None,
    exp.Paren: lambda value: value,
    exp.Is: operator.is_,
    exp.And: lambda left, right: left and right,
    exp.Or: lambda left, right: left or right,
    exp.Coalesce: lambda *values: next((value for value in values if value is not None), None),
}
"""Those that take null; both kinds of a false test count alike."""
