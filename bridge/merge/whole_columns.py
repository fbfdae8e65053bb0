"""What a merge rule comes down to for whole columns: tests for deletes, a comparison of two rows, or filling one.

These hold for rows that have data, are not deletes, and have a value in each compared column. All other rows are left
to calls of the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.avro import default_test, is_null
from payloads.builtin import IS_DELETED, FillRule, PairRule, flag_tests, text_tests
from payloads.ordering import same_class
from payloads.ordering_fields import list_reader
from payloads.rules import (
    DATA,
    META_COLUMNS,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Default,
    Effect,
    Error,
    FirstNonDefault,
    FirstNonNull,
    How,
    IsDelete,
    IsEmpty,
    IsUnordered,
    LaterIs,
    MergeRule,
    Not,
    Role,
    Take,
)

if TYPE_CHECKING:
    from payloads import AvroSchema, Ordering
    from payloads.builtin import DeleteTest
    from payloads.rules import Column, Later, Test

_STAYS = frozenset({Effect.CURRENT, Effect.SENTINEL})
_BOTH = (Role.OLDER, Role.NEWER)
_NEWER_FIRST, _LATER_FIRST = (Take(Role.NEWER), Take(Role.OLDER)), (Take(Role.LATER), Take(Role.EARLIER))


def deletes_of(rule: MergeRule | None, schema: AvroSchema) -> tuple[DeleteTest, ...] | None:
    """Return the tests for deletes of a rule for a key alone: a row that fails them all is stored as it is.

    None if columns don't tell.
    """
    if rule is None or rule.deletes.marked or rule.result != Effect.INCOMING or _open_cases(rule, _BOTH):
        return None
    flags = flag_tests(schema) if rule.deletes.flag else ()
    marker = rule.deletes.marker
    if marker is None:
        return flags
    texts = text_tests(schema, marker.column, marker.text, ignore_case=marker.ignore_case)
    return None if texts is None else (*texts, *flags)


def pair_of(rule: MergeRule | None, carried: str | None = None, *, of_log: bool = False) -> PairRule | None:
    """Return the comparison that decides which of two rows stays; None if it takes more than one, or a call.

    Args:
        rule: the rule.
        carried: the column of the ordering values that versions carry; None if these are all equal.
        of_log: whether the older row, too, is known not to be a delete.
    """
    if rule is None:
        return None
    cases = _open_cases(rule, _BOTH if of_log else (Role.NEWER,))
    if not cases and rule.result == Effect.INCOMING:
        return PairRule(None)
    chooses = not cases and rule.result == Effect.WINNER
    stays = len(cases) == 1 and cases[0].when == LaterIs(Role.OLDER) and cases[0].gives in _STAYS
    if not chooses and not (stays and rule.result == Effect.INCOMING):
        return None
    return _comparison(rule.later, carried)


def fill_of(rule: MergeRule | None, schema: AvroSchema, carried: Ordering | str | None = None) -> FillRule | None:
    """Return how one row is filled from another; None if that takes more than nulls, or a call.

    Args:
        rule: the rule.
        schema: that of the rows.
        carried: the column of the ordering values that versions carry, or an ordering value as a payload is built with
            it, which tells its class; None for none.
    """
    if rule is None or _open_cases(rule, _BOTH) or rule.result not in {Effect.NEW, Effect.FILLED}:
        return None
    if not all(_fills_nulls(name, rule, schema) for name in rule.columns):
        return None
    if isinstance(rule.later, ByColumn) and rule.later.against == Against.CARRIED:
        later = None if isinstance(carried, str) else _against_carried(rule.later, schema, carried)
    else:
        later = _comparison(rule.later, carried if isinstance(carried, str) else None)
    return None if later is None else FillRule(later, makes_rows=rule.result == Effect.NEW)


def takes_last_of_greatest(rule: PairRule) -> bool:
    """Whether of any number of rows the last one of those with the greatest value stays, or the last one of all."""
    return rule.wins == ((True, True, True) if rule.field is None else (True, True, False))


def fails_alone(rule: MergeRule | None) -> bool:
    """Whether the insert value of a delete is an error, where nothing asks before whether it is one."""
    errors = [case.when for case in rule.cases if isinstance(case.gives, Error)] if rule is not None else []
    return any(not isinstance(when, IsUnordered) for when in errors)


def deletes_first(rule: MergeRule) -> bool:
    """Whether a delete replaces the stored row whatever the ordering values that other rows compare."""
    deleted = Case(IsDelete(Role.NEWER), Effect.DELETE)
    decisive = [case for case in rule.cases if case == deleted or isinstance(case.when, LaterIs)]
    return len(decisive) > 1 and decisive[0] == deleted


# -- what is left of a rule


def _open_cases(rule: MergeRule, known: tuple[Role, ...]) -> list[Case]:
    """Return the cases that may hold where the versions of the `known` sides are no deletes."""
    return [case for case in rule.cases if _truth(case.when, rule, known) is not False]


def _truth(test: Test, rule: MergeRule, known: tuple[Role, ...]) -> bool | None:  # noqa: PLR0911 (one a node)
    """Return whether a test holds for such rows; None if that depends."""
    match test:
        case IsEmpty() | IsUnordered():
            return False
        case IsDelete(side):
            return False if side in known or len(known) == len(_BOTH) else None
        case ColumnIs(side, column, value):
            is_flag = rule.deletes.flag and (column, value) == (IS_DELETED, True)
            is_compared = isinstance(rule.later, ByColumn) and column in rule.later.names and value is None
            return False if (is_flag and side in known) or is_compared else None
        case AllOf(tests):
            found = {_truth(one, rule, known) for one in tests}
            return False if False in found else None if None in found else True
        case AnyOf(tests):
            found = {_truth(one, rule, known) for one in tests}
            return True if True in found else None if None in found else False
        case Not(inner):
            truth = _truth(inner, rule, known)
            return None if truth is None else not truth
        case _:
            return None


def _comparison(later: Later, carried: str | None) -> PairRule | None:
    if isinstance(later, ByArrival):
        return PairRule(None)
    if later.how != How.JAVA:
        return None
    wins = (not later.reverse, later.tie == Role.NEWER, later.reverse)
    if isinstance(later, ByOrdering):
        if carried is None:
            return PairRule(None) if wins[1] else None
        return PairRule(carried, wins, holds_for_dates=False)
    if later.against == Against.CARRIED or later.consistent or len(later.names) != 1:
        return None
    return PairRule(later.names[0], wins)


def _against_carried(later: ByColumn, schema: AvroSchema, sample: Ordering | None) -> PairRule | None:
    """Return how a column compares with the ordering values that payloads are built with, of which one is known."""
    if len(later.names) != 1 or later.consistent or sample is None or sample.is_default:
        return None
    stored = list_reader(schema, later.names)({later.names[0]: sample.value})
    if stored is None or not same_class(stored, sample):
        return PairRule(None)  # values of another class are never later
    return PairRule(later.names[0], (not later.reverse, later.tie == Role.NEWER, later.reverse))


def _fills_nulls(name: str, rule: MergeRule, schema: AvroSchema) -> bool:
    """Whether a column takes the value of the later row, meta columns that of the newer one; the other's for null."""
    first = _NEWER_FIRST if name in META_COLUMNS else _LATER_FIRST
    wanted = {_NEWER_FIRST, _LATER_FIRST} if isinstance(rule.later, ByArrival) else {first}
    return (name in META_COLUMNS or name == DATA) and _values_of(rule.columns[name], schema) in wanted


def _values_of(node: Column, schema: AvroSchema) -> tuple[Column, ...]:
    """Return the values of which a column takes the first that is not null; none if that is not all."""
    match node:
        case FirstNonNull(values):
            return values
        case FirstNonDefault(values, Default.EQUALS):
            return values if all(default_test(field) == is_null for field in schema.fields) else ()
        case FirstNonDefault(values):
            has_defaults = any(field.has_default and field.default is not None for field in schema.fields)
            return () if has_defaults else values
        case _:
            return ()
