"""A rule in SQL: when it deletes or writes a row, and the values of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.rules.source.sql_parts import (
    compared,
    is_compared,
    is_ranked,
    is_value,
    lacking,
    of_two,
    quoted_name,
    raised,
    row_of,
    sql_literal,
    sql_text,
)
from payloads.backports import assert_never
from payloads.java import any_case_pattern
from payloads.records import error_text_of
from payloads.rules import (
    IS_DELETED,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    Case,
    ColumnIs,
    Concat,
    Constant,
    Default,
    Effect,
    Error,
    ErrorKind,
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
    Point,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
    spelled_pattern,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from payloads.avro import AvroSchema, Field
    from payloads.rules import Column, Gives, MergeRule, Test

DELETES: Final = frozenset({Effect.DELETE})
WRITES: Final = frozenset({Effect.INCOMING, Effect.COPY, Effect.NEW})
ALWAYS: Final = "true"
NEVER: Final = "false"
_OTHER: Final = {Role.OLDER: Role.NEWER, Role.NEWER: Role.OLDER}


class SqlRule:
    """A rule in SQL, of the stored row `older` and the version `newer`; alone a version has no stored row."""

    def __init__(self, rule: MergeRule, schema: AvroSchema, point: Point) -> None:
        self._rule, self._schema, self._has_row = rule, schema, point is Point.STORED
        if rule.conditions:
            raise lacking(rule.conditions[0])
        self._cases: list[tuple[str, Gives]] = []
        self._result: Gives = rule.result
        self._unless = ""  # that the last case does not hold
        for test, gives in self._told():
            found = self._test(test)
            if found == ALWAYS:
                self._result = gives
                break
            if found != NEVER:
                self._cases.append((found, gives))
                self._unless = self._test(test, holds=False)

    def _told(self) -> Iterator[tuple[Test, Gives]]:
        """Give the cases, the last of which always holds; for the winner, one for either version."""
        for case in (*self._rule.cases, Case(AllOf(()), self._rule.result)):
            if case.gives is Effect.WINNER:
                older_is_later = LaterIs(Role.OLDER)
                yield older_is_later if case.when == AllOf(()) else AllOf((case.when, older_is_later)), Effect.CURRENT
                yield case.when, Effect.INCOMING
            else:
                yield case.when, case.gives

    def when(self, wanted: frozenset[Effect]) -> str:
        """Return the test that the rule yields one of these effects.

        Rows for which it deletes first of all are gone where it is asked what it writes: that clause comes before.
        """
        first = 0
        if wanted is WRITES and self._has_row:
            kept = (at for at, (_, gives) in enumerate(self._cases) if gives is not Effect.DELETE)
            first = next(kept, len(self._cases))
        cases = self._wanted(self._cases[first:], wanted)
        last = self._is_wanted(self._result, wanted)
        while cases and cases[-1][1] == last:
            cases.pop()
        if not cases:
            return last
        any_of = " OR ".join(test for test, _ in cases)
        kinds = {gives for _, gives in cases}
        if last == NEVER and kinds == {ALWAYS}:
            return any_of if len(cases) == 1 else f"({any_of})"
        if last == ALWAYS and kinds == {NEVER}:
            return self._unless if cases == self._wanted(self._cases[-1:], wanted) else f"NOT ({any_of})"
        return f"CASE {' '.join(f'WHEN {test} THEN {gives}' for test, gives in cases)} ELSE {last} END"

    def _wanted(self, cases: Sequence[tuple[str, Gives]], wanted: frozenset[Effect]) -> list[tuple[str, str]]:
        return [(test, self._is_wanted(gives, wanted)) for test, gives in cases]

    def _is_wanted(self, gives: Gives, wanted: frozenset[Effect]) -> str:
        match gives:
            case Error(fault):
                return raised(error_text_of(fault))
            case Effect.FILLED | Effect.CHANGED | Effect.EDITED | Effect.WINNER:
                raise lacking(gives)
            case _:
                return ALWAYS if gives in wanted else NEVER

    def value(self, name: str) -> str:
        """Return the value of a column where the rule writes a row."""
        field = self._schema.by_name[name]
        cases = [(test, self._written(gives, field)) for test, gives in self._cases if gives in WRITES]
        last = self._written(self._result, field) if self._result in WRITES else "NULL"
        if self._result not in WRITES and cases:
            last = cases[-1][1]
        while cases and cases[-1][1] == last:
            cases.pop()
        return f"CASE {' '.join(f'WHEN {test} THEN {made}' for test, made in cases)} ELSE {last} END" if cases else last

    def _written(self, gives: Gives, field: Field) -> str:
        if gives is Effect.NEW:
            return self._value(self._rule.column(field.name), field)
        return self._of(Role.NEWER, field.name)

    # -- sides and tests

    def _of(self, role: Role, name: str) -> str:
        """Return a column of a version."""
        match role:
            case Role.NEWER:
                return f"newer.{quoted_name(name)}"
            case Role.OLDER:
                return f"older.{quoted_name(name)}" if self._has_row else "NULL"
            case Role.LATER | Role.EARLIER:
                newer_is_later = self._is_later()
                sides = [self._of(side, name) for side in (Role.NEWER, Role.OLDER)]
                later, earlier = sides if role is Role.LATER else sides[::-1]
                if newer_is_later == ALWAYS:
                    return later
                return f"CASE WHEN {newer_is_later} THEN {later} ELSE {earlier} END"
            case other:
                assert_never(other)

    def _is_later(self, role: Role = Role.NEWER) -> str:
        """Return whether the version on a side is the later one."""
        later = self._rule.later
        match later:
            case ByArrival():
                return ALWAYS if role is Role.NEWER else NEVER
            case ByColumn(names=names, against=Against.COLUMN, how=How.JAVA, consistent=False, refuses_maps=False):
                fields = [self._schema.by_name[name] for name in names if name in self._schema.by_name]
                several = len(fields) > 1
                if len(fields) != len(names) or not all(map(is_ranked if several else is_compared, fields)):
                    raise lacking(later)
                if several and any(field.schema.nullable for field in fields):
                    raise lacking(later)
                return self._compared(later, fields[0], role)
            case _:
                raise lacking(later)

    def _compared(self, later: ByColumn, field: Field, role: Role) -> str:
        if not self._has_row:
            return ALWAYS if role is Role.NEWER else NEVER
        older, newer = (row_of([self._of(side, name) for name in later.names]) for side in (Role.OLDER, Role.NEWER))
        own, other = (newer, older) if role is Role.NEWER else (older, newer)
        found = compared(field, own, other, ("<" if later.reverse else ">") + "=" * (later.tie is role))
        if not field.schema.nullable:
            return found
        missing = f"WHEN {newer} IS NULL THEN {raised(error_text_of(ErrorKind.NULL_ORDERING))}"
        none = ALWAYS if role is Role.NEWER else NEVER
        return f"CASE WHEN {older} IS NULL THEN {none} {missing} ELSE {found} END"

    def _test(self, test: Test, *, holds: bool = True) -> str:  # noqa: C901, PLR0911, PLR0912 (one a node)
        """Return whether a test holds, or fails; never null."""
        match test:
            case LaterIs(role):
                return self._is_later(role if holds else _OTHER[role])
            case Not(inner):
                return self._test(inner, holds=not holds)
            case _ if not holds:
                found = self._test(test)
                return {ALWAYS: NEVER, NEVER: ALWAYS}.get(found, f"NOT ({found})")
            case IsEmpty(role):
                return ALWAYS if role is Role.OLDER and not self._has_row else NEVER
            case IsDelete(role):
                return self._is_delete(role)
            case ColumnIs(role, name, value):
                if role is Role.OLDER and not self._has_row:
                    return NEVER
                side, field = self._of(role, name), self._schema.by_name[name]
                return f"{side} IS NULL" if value is None else is_value(side, value, field, test)
            case TextIs(role, name):
                if role is Role.OLDER and not self._has_row:
                    return NEVER
                pattern = spelled_pattern(test, ignore_case="(?iu)")
                if pattern is None:
                    raise lacking(test)
                return f"coalesce({self._of(role, name)} RLIKE {sql_text(pattern)}, false)"
            case AllOf(tests):
                return self._joined(" AND ", tests, ALWAYS, NEVER)
            case AnyOf(tests):
                return self._joined(" OR ", tests, NEVER, ALWAYS)
            case IsNatural() | IsUnordered() | IsListed():
                raise lacking(test)
            case other:
                assert_never(other)

    def _joined(self, sign: str, tests: Sequence[Test], none: str, decides: str) -> str:
        found = [one for one in map(self._test, tests) if one != none]
        if decides in found:
            return decides
        return f"({sign.join(found)})" if len(found) > 1 else "".join(found) or none

    def _is_delete(self, role: Role) -> str:
        tests = self._rule.deletes
        if tests.marked:
            raise lacking(tests)
        if role is Role.OLDER and not self._has_row:
            return ALWAYS
        found = []
        if tests.flag and IS_DELETED in self._schema.by_name:
            found.append(f"coalesce({self._of(role, IS_DELETED)}, false)")
        if tests.marker is not None:
            marker, field = tests.marker, self._schema.by_name[tests.marker.column]
            if field.schema.non_null.kind != "string" or field.schema.non_null.logical is not None:
                raise lacking(marker)
            side = self._of(role, marker.column)
            if marker.ignore_case:
                pattern = rf"(?iu)\A{any_case_pattern(marker.text)}\z"
                found.append(f"coalesce({side} RLIKE {sql_text(pattern)}, false)")
            else:
                found.append(f"{side} <=> {sql_text(marker.text)}")
        return f"({' OR '.join(found)})" if len(found) > 1 else "".join(found) or NEVER

    # -- values of columns

    def _value(self, node: Column, field: Field) -> str:  # noqa: C901, PLR0911, PLR0912 (one a node)
        kind = field.schema.non_null
        match node:
            case Take(role):
                return self._of(role, field.name)
            case FirstNonNull(values):
                return f"coalesce({', '.join(self._value(one, field) for one in values)})"
            case FirstNonDefault(values, by):
                default = field.default if field.has_default else None
                if default is None:
                    return f"coalesce({', '.join(self._value(one, field) for one in values)})"
                if by is Default.OBJECT:
                    raise lacking(node)
                # Null is a value of its own here, and no default.
                return self._first(values, field, lambda value: is_value(value, default, field, node))
            case FirstNonMarker(values, marker):
                return self._first(values, field, lambda value: is_value(value, marker, field, node))
            case Least() | Greatest():
                if not is_compared(field):
                    raise lacking(node)
                return self._both(field, lambda older, newer: of_two(node, field, older, newer))
            case Sum():
                if kind.logical is not None:
                    raise lacking(node)
                return self._both(field, lambda older, newer: _sum(kind.kind, older, newer))
            case Concat():
                return self._both(field, lambda older, newer: f"concat({older}, {newer})")
            case Union():
                return self._both(
                    field,
                    lambda older, newer: (
                        f"map_concat(map_filter({older}, (k, v) -> NOT array_contains(map_keys({newer}), k)), {newer})"
                    ),
                )
            case Constant(value):
                return "NULL" if value is None else sql_literal(value, field, node)
            case JoinedLists():
                raise lacking(node)
            case IfElse(test, then, otherwise):
                holds = self._test(test)
                if holds in {ALWAYS, NEVER}:
                    return self._value(then if holds == ALWAYS else otherwise, field)
                return f"CASE WHEN {holds} THEN {self._value(then, field)} ELSE {self._value(otherwise, field)} END"
            case other:
                assert_never(other)

    def _first(self, values: Sequence[Column], field: Field, is_gap: Callable[[str], str]) -> str:
        *others, found = (self._value(one, field) for one in values)
        for one in reversed(others):
            found = f"CASE WHEN {is_gap(one)} THEN {found} ELSE {one} END"
        return found

    def _both(self, field: Field, joined: Callable[[str, str], str]) -> str:
        older, newer = (self._of(side, field.name) for side in (Role.OLDER, Role.NEWER))
        if not self._has_row:
            return newer
        if not field.schema.nullable:
            return joined(older, newer)
        return (
            f"CASE WHEN {older} IS NULL THEN {newer} WHEN {newer} IS NULL THEN {older} ELSE {joined(older, newer)} END"
        )


def _sum(kind: str, older: str, newer: str) -> str:
    """Add as wide as Java does: Spark has narrower integers than Avro."""
    return f"CAST({older} AS INT) + {newer}" if kind == "int" else f"{older} + {newer}"
