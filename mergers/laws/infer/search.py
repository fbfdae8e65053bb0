"""The smallest rule that gives all answers of a table, and the columns for which the language has none."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.infer.decisions import Choice, Decision, Step, decided, size
from payloads.rules import (
    DATA,
    AllOf,
    ByArrival,
    Case,
    Effect,
    Error,
    FirstNonNull,
    IfElse,
    IsEmpty,
    LaterIs,
    MergeRule,
    Role,
    Take,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mergers.laws.infer.decisions import Tested
    from mergers.laws.infer.table import Comparison, Table
    from payloads.avro import Field
    from payloads.rules import Column, Later

_MADE: Final = "made"
_DEEPEST_COLUMN: Final = 3
_DEEPEST_CASES: Final = 4
_PLAIN: Final = tuple(MergeRule(columns={DATA: Take(side)}).columns for side in (Role.LATER, Role.NEWER, Role.OLDER))
"""Values that are those of one version: the version itself is taken then."""
_FOLLOWED: Final = 6
"""How many of the comparisons that explain most columns are followed."""


class PartialRule(NamedTuple):
    """A rule, as far as one was found.

    Attributes:
        rule: what gives the answers, but for the columns below; None where the outcomes themselves have no rule.
        unsaid: the columns that the language has no value for.
        cost: how long it is.
    """

    rule: MergeRule | None
    unsaid: tuple[str, ...]
    cost: int

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The lesser, the better."""
        return self.rule is None, len(self.unsaid), self.cost


def draft(table: Table) -> PartialRule:
    """Return the best rule for a table: one that leaves the fewest columns unsaid, and of these the shortest."""
    searches = [_Search(table, by) for by in table.comparisons]
    best = PartialRule(None, (), 0)
    fewest = 0
    for search in sorted(searches, key=_Search.plain_gaps)[:_FOLLOWED]:
        if best.rule is not None and not best.unsaid and search.plain_gaps() > fewest:
            break
        found = search.draft()
        if best.rule is None or found.rank < best.rank:
            best, fewest = found, search.plain_gaps()
    return best


class _Search:
    """The search under one way to say which version is later."""

    def __init__(self, table: Table, by: Comparison) -> None:
        self._table, self._by = table, by
        self._tests = [*table.decides(by), *table.tests]
        self._fields = table.schema.fields

    @functools.cached_property
    def _nodes(self) -> dict[str, list[Choice]]:
        return {field.name: self._table.nodes(field, self._by) for field in self._fields}

    def plain_gaps(self) -> int:
        """Return how many columns take a test, where versions with data yield data."""
        return sum(self._plain(field, self._table.made) is None for field in self._fields)

    def _plain(self, field: Field, rows: int) -> Column | None:
        return next((one.what for one in self._nodes[field.name] if not rows & ~one.right), None)

    def draft(self) -> PartialRule:
        rows = self._cut()
        columns: dict[str, Column] = {}
        unsaid: list[str] = []
        right = self._table.made
        for field in self._fields if rows else ():
            found = decided(rows, self._tests, self._nodes[field.name], _DEEPEST_COLUMN)
            if found is None:
                unsaid.append(field.name)
                continue
            columns[field.name] = _as_column(found)
            right &= self._right(field, found)
        made = MergeRule(self._by.later, columns=self._shared(columns, rows))
        return self._with_outcomes(made, right, unsaid)

    def _shared(self, columns: dict[str, Column], rows: int) -> dict[str, Column]:
        """Say a value once for all columns for which it is right, the one that leaves the shortest rule."""
        rights = {
            name: {repr(one.what): one.right for one in self._nodes[name]} | {repr(node): self._table.rows}
            for name, node in columns.items()
        }
        found = [
            {
                DATA: shared,
                **{name: node for name, node in columns.items() if rows & ~rights[name].get(repr(shared), 0)},
            }
            for shared in {repr(node): node for node in columns.values()}.values()
        ]
        return min(found, key=lambda one: sum(map(_length, one.values())), default={})

    def _cut(self) -> int:
        """Return the rows that count for columns: without those that yield a whole version, if that spares tests."""
        rows = best = self._table.made
        fewest = self.plain_gaps()
        wholes = self._table.wholes
        for test in [one for tested in self._tests for one in (tested, tested.opposite)] if fewest else ():
            on = test.holds & rows
            if not on or on == rows or rows & ~(test.holds | test.fails):
                continue
            if any(effect in wholes and not on & ~wholes[effect] for effect in (Effect.CURRENT, Effect.INCOMING)):
                gaps = sum(self._plain(field, rows & ~on) is None for field in self._fields)
                if gaps < fewest:
                    fewest, best = gaps, rows & ~on
        return best

    def _right(self, field: Field, found: Decision) -> int:
        """Return the rows for which a column comes out right."""
        return self._rows_right(found, self._nodes[field.name])

    def _rows_right(self, found: Decision, choices: Sequence[Choice]) -> int:
        known = {repr(one.test): one for tested in self._tests for one in (tested, tested.opposite)}
        rights = {repr(one.what): one.right for one in choices}
        left, right = self._table.rows, 0
        for step in found.steps:
            holds, fails = _masks(step.test, known, self._table.rows)
            right |= left & holds & rights[repr(step.what)]
            left &= fails
        return right | (left & rights[repr(found.otherwise)])

    def _choices(self, right: int, *, is_plain: bool) -> list[Choice]:
        """Return the outcomes; where the comparison fails as the class does, both that compare are right."""
        wholes, by = self._table.wholes, self._by
        failing = 0
        for kind, rows in by.failing.items():
            failing |= rows & wholes.get(Error(kind), 0)
        choices = [Choice(effect, found) for effect, found in wholes.items()]
        if not is_plain:
            return [Choice(_MADE, right | failing), *choices]
        if Effect.CURRENT in wholes and not isinstance(by.later, ByArrival):
            winner = (by.newer & wholes[Effect.INCOMING]) | (by.older & wholes[Effect.CURRENT]) | failing
            choices.insert(0, Choice(Effect.WINNER, winner))
        return choices

    def _with_outcomes(self, made: MergeRule, right: int, unsaid: Sequence[str]) -> PartialRule:
        """Decide between the record of the columns and what makes none."""
        table, by = self._table, self._by
        is_plain = made.columns in _PLAIN and not unsaid
        choices = self._choices(right, is_plain=is_plain)
        empty = [one for one in self._tests if isinstance(one.test, IsEmpty)]
        data = functools.reduce(lambda rows, one: rows & one.fails, empty, table.rows)
        found = decided(data, self._tests, choices, _DEEPEST_CASES)
        if found is None:
            return PartialRule(None, tuple(unsaid), 0)
        first = self._of_empty(table.rows & ~self._rows_right(found, choices), empty, choices)
        if first is None:
            return PartialRule(None, tuple(unsaid), 0)
        found = Decision((*first, *found.steps), found.otherwise)
        cases = tuple(Case(step.test, _gives_where(step)) for step in found.steps)
        otherwise = _gives(found.otherwise)
        makes = Effect.NEW in {otherwise, *(case.gives for case in cases)}
        stated = None if otherwise in {Effect.NEW, Effect.WINNER} else otherwise
        rule = MergeRule(by.later, cases=cases, otherwise=stated, columns=made.columns if makes else {})
        length = sum(map(_length, rule.columns.values())) + _length_of(by.later)
        return PartialRule(rule, tuple(unsaid), found.cost + length)

    def _of_empty(self, wrong: int, empty: Sequence[Tested], choices: Sequence[Choice]) -> list[Step] | None:
        """Return the cases of versions without data, which come first, where the others don't give their answers."""
        steps: list[Step] = []
        judged = self._table.rows
        for one in empty:
            rows = judged & one.holds
            if not wrong & rows:
                continue
            found = decided(rows, self._tests, choices, 2)
            if found is None:
                return None
            steps += [Step(AllOf((one.test, step.test)), step.what) for step in found.steps]
            steps.append(Step(one.test, found.otherwise))
            judged, wrong = judged & ~rows, wrong & ~rows
        return steps


def _masks(test: Any, holds: dict[str, Tested], rows: int) -> tuple[int, int]:
    known = holds.get(repr(test))
    if known is not None:
        return known.holds, known.fails
    parts = [_masks(one, holds, rows) for one in test.tests]
    if isinstance(test, AllOf):
        on, off = rows, 0
        for left, right in parts:
            off |= on & right
            on &= left
        return on, off
    on, off = 0, rows
    for left, right in parts:
        on |= off & left
        off &= right
    return on, off


def _gives(what: Any) -> Effect | Error:
    return Effect.NEW if what == _MADE else what


def _gives_where(step: Step) -> Effect | Error:
    found = _gives(step.what)
    return Effect.CURRENT if found is Effect.WINNER and step.test == LaterIs(Role.OLDER) else found


def _as_column(found: Decision) -> Column:
    node: Column = found.otherwise
    for step in reversed(found.steps):
        node = IfElse(step.test, step.what, node)
    return node


def _length_of(later: Later) -> int:
    return 0 if isinstance(later, ByArrival) else 2 + 3 * later.reverse


def _length(node: Column) -> int:
    match node:
        case Take(side):
            return 5 if side is Role.EARLIER else 1
        case IfElse(test, then, otherwise):
            return 1 + size(test) + _length(then) + _length(otherwise)
        case FirstNonNull((Take(Role.EARLIER), *_)):
            return 3
        case _:
            return 2
