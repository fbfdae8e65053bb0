"""What a merge rule comes down to for any number of rows: which of them it keeps, and which columns tell deletes.

This is read off the rule, and holds for rows that have data, are no deletes, and have a value in the column that is
compared. All other rows are left to the interpreters of the whole rule, or to calls of the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from payloads.rules import (
    IS_DELETED,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    DeleteTests,
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
    from payloads.rules import Later, Test

_STAYS = frozenset({Effect.CURRENT, Effect.SENTINEL})
_BOTH = (Role.OLDER, Role.NEWER)


class LastOfGreatest(NamedTuple):
    """A rule that keeps one of the rows of a key as it is: the last one of those with the greatest value.

    Attributes:
        column: the top-level column of the values; None where it keeps the last row of all.
    """

    column: str | None


def kept_by(rule: MergeRule | None, carried: str | None = None, *, of_log: bool = False) -> LastOfGreatest | None:
    """Return which rows a rule keeps; None if it keeps others, makes rows, or has to be called.

    Args:
        rule: the rule.
        carried: the column of the ordering values that versions carry; None if these are all equal.
        of_log: whether the older row, too, is known not to be a delete.
    """
    if rule is None:
        return None
    cases = _open_cases(rule, _BOTH if of_log else (Role.NEWER,))
    if not cases and rule.result == Effect.INCOMING:
        return LastOfGreatest(None)
    chooses = not cases and rule.result == Effect.WINNER
    stays = len(cases) == 1 and cases[0].when == LaterIs(Role.OLDER) and cases[0].gives in _STAYS
    if not chooses and not (stays and rule.result == Effect.INCOMING):
        return None
    return _greatest(rule.later, carried)


def _greatest(later: Later, carried: str | None) -> LastOfGreatest | None:
    if isinstance(later, ByArrival):
        return LastOfGreatest(None)
    if later.tie is Role.OLDER or later.how is not How.JAVA:
        return None
    if isinstance(later, ByOrdering):
        return None if later.reverse and carried is not None else LastOfGreatest(carried)
    if later.reverse or later.against is Against.CARRIED or later.consistent or len(later.names) != 1:
        return None
    return LastOfGreatest(later.names[0])


# -- deletes


def deletes_of(rule: MergeRule | None, schema: AvroSchema) -> DeleteTests | None:
    """Return the tests for deletes of a rule for a key alone: a row that fails them all is stored as it is.

    None if columns don't tell.
    """
    if rule is None or rule.deletes.marked or rule.result != Effect.INCOMING or _open_cases(rule, _BOTH):
        return None
    return in_columns(rule.deletes, schema)


def in_columns(tests: DeleteTests, schema: AvroSchema) -> DeleteTests | None:
    """Return what is left of tests where rows have the columns of a schema; None if these don't tell.

    A flag that is not boolean marks no deletes, and a text is looked for in a column of texts.
    """
    marker, flag = tests.marker, schema.by_name.get(IS_DELETED)
    field = None if marker is None else schema.by_name.get(marker.column)
    if field is not None and field.schema.non_null.kind != "string":
        return None
    is_told = tests.flag and flag is not None and flag.schema.non_null.kind == "boolean"
    return DeleteTests(is_told, None if field is None else marker)


def flag_of(schema: AvroSchema) -> DeleteTests:
    """Return the test of `_hoodie_is_deleted`, where it is a boolean."""
    return in_columns(DeleteTests(flag=True), schema) or DeleteTests()


def has_odd_flag(schema: AvroSchema) -> bool:
    """Whether the column of flags is not boolean, on which merge modes fail."""
    return IS_DELETED in schema.by_name and not flag_of(schema).flag


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
