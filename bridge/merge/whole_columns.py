"""What a merge rule comes down to for any number of rows: tests for deletes, and a comparison of two of them.

These hold for rows that have data, are not deletes, and have a value in each compared column. All other rows are left
to calls of the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.builtin import IS_DELETED, PairRule, flag_tests, text_tests
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Effect,
    Error,
    How,
    IsDelete,
    IsEmpty,
    IsUnordered,
    LaterIs,
    MergeRule,
    Not,
    Role,
)

if TYPE_CHECKING:
    from payloads import AvroSchema
    from payloads.builtin import DeleteTest
    from payloads.rules import Later, Test

_STAYS = frozenset({Effect.CURRENT, Effect.SENTINEL})
_BOTH = (Role.OLDER, Role.NEWER)


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
