"""What an evaluator works on: values with their results, and copies of operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.laws import core
from mergers.laws.equality import Observed
from payloads.avro import Branch
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.laws.core import Expr
    from payloads.avro import Record


class Node:
    """A value with its result; two nodes of one evaluator that have the same state are one node.

    Attributes:
        value: an incoming version, a stored row, or the error that came instead.
        is_row: whether it is a stored row.
        answer: what is observable of it.
    """

    __slots__ = ("answer", "is_row", "value")

    def __init__(self, value: Any, answer: Any, *, is_row: bool) -> None:
        self.value = value
        self.answer = answer
        self.is_row = is_row


def positions_of(expr: Expr) -> set[int]:
    """Return the operands of an expression, by their position among the nodes."""
    match expr:
        case core.Row():
            return {0}
        case core.Incoming(position):
            return {position + 1}
        case core.Merge(older, newer) | core.Act(older, newer):
            return positions_of(older) | positions_of(newer)
        case _:
            msg = f"{expr!r} can't be part of another expression"
            raise TypeError(msg)


def levels(exprs: Iterable[Expr]) -> list[list[core.Merge | core.Act]]:
    """Return the merges in expressions, each once: after those that they take, which come in an earlier level.

    What is merged anew, or by another implementation, is not among them.
    """
    found: dict[core.Merge | core.Act, int] = {}
    for expr in exprs:
        _level(expr, found)
    return [
        [expr for expr, at in found.items() if at == level] for level in range(1, max(found.values(), default=0) + 1)
    ]


def _level(expr: Expr, found: dict[core.Merge | core.Act, int]) -> int:
    """Return the level of an expression, 0 without a merge, and note those of the merges in it."""
    match expr:
        case (core.Merge(older, newer) | core.Act(older, newer)) as merge:
            if merge not in found:
                found[merge] = 1 + max(_level(older, found), _level(newer, found))
            return found[merge]
        case core.Restored(inner) | core.Fitted(inner) | core.Before(inner) | core.After(inner):
            return _level(inner, found)
        case _:
            return 0


def within(exprs: Iterable[Expr], kind: type[core.Again | core.Other]) -> list[Expr]:
    """Return what expressions of a kind are about."""
    return [expr.expr for expr in exprs if isinstance(expr, kind)]


def copied_row(row: Record | None) -> Record | None:
    """Return a copy of a stored row."""
    return None if row is None else copied(row)


def row_answer(row: Record | None) -> Observed:
    """Return what is observable of a stored row."""
    return Observed(row, None, row is None)


def turned(record: Record | None) -> Record | None:
    """Return a record with its fields in order, and the entries of maps inside them the other way round."""
    return None if record is None else {name: _inside(value) for name, value in record.items()}


def _inside(value: object) -> Any:
    if isinstance(value, dict):
        return {name: _inside(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [_inside(item) for item in value]
    return Branch(value.name, _inside(value.value)) if isinstance(value, Branch) else value
