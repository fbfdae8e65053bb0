"""The columns that a rule looks at where it chooses one of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from payloads.builtin import IS_DELETED
from payloads.rules import (
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Effect,
    Error,
    IsDelete,
    IsEmpty,
    IsNatural,
    IsUnordered,
    LaterIs,
    Not,
)

if TYPE_CHECKING:
    from payloads.rules import Gives, Later, MergeRule, Test

NOTHING: frozenset[str] = frozenset()


def columns_of_choice(rule: MergeRule | None) -> frozenset[str] | None:
    """Return the columns by which a rule chooses a version; None if it is called, or makes records of several."""
    if rule is None or rule.conditions or any(map(_makes_records, [rule.result, *(case.gives for case in rule.cases)])):
        return None
    marker = rule.deletes.marker
    deletes = ({IS_DELETED} if rule.deletes.flag else NOTHING) | (NOTHING if marker is None else {marker.column})
    return _compared(rule.later).union(deletes, *(_tested(case.when) for case in rule.cases))


def _makes_records(gives: Gives) -> bool:
    match gives:
        case Effect.NEW | Effect.FILLED | Effect.CHANGED | Effect.EDITED:
            return True
        case Effect.CURRENT | Effect.INCOMING | Effect.WINNER | Effect.COPY | Effect.SENTINEL | Effect.DELETE | Error():
            return False
        case other:
            assert_never(other)


def _compared(later: Later) -> frozenset[str]:
    match later:
        case ByColumn(names):
            return frozenset(name.partition(".")[0] for name in names)
        case ByArrival() | ByOrdering():
            return NOTHING
        case other:
            assert_never(other)


def _tested(test: Test) -> frozenset[str]:
    match test:
        case ColumnIs(column=name):
            return frozenset({name})
        case AllOf(tests) | AnyOf(tests):
            return NOTHING.union(*map(_tested, tests))
        case Not(inner):
            return _tested(inner)
        case IsEmpty() | IsDelete() | IsNatural() | IsUnordered() | LaterIs():
            return NOTHING
        case other:
            assert_never(other)
