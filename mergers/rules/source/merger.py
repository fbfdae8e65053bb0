"""The rules of a class as those of a merger: for the stored row and for a batch, and what Hudi itself is told."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, NamedTuple

from mergers.errors import MergerConfigError
from payloads.avro import plain_text
from payloads.rules import (
    IS_DELETED,
    MARKED,
    RESETS,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    IsDelete,
    IsEmpty,
    Marker,
    MergeRule,
    Role,
    TextIs,
    completed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from payloads.rules import Test

_DELETES = Case(IsDelete(Role.NEWER), Effect.DELETE)


class NotStatedError(MergerConfigError):
    """A part of a rule that a merger can't have."""


class PointRule(NamedTuple):
    """What a merger does at a merge point.

    Attributes:
        rule: the rule, as a user states it.
        left: the columns that it leaves to the class.
        asked: how many pairs agree with it.
    """

    rule: MergeRule
    left: tuple[str, ...] = ()
    asked: int = 0

    @property
    def whole(self) -> MergeRule:
        """The rule with what Hudi's merge modes do with deletes."""
        return completed(self.rule, "the merger")


class MergerRules(NamedTuple):
    """The rules of a merger.

    Attributes:
        stored: for the stored row and, from Hudi 1.0 on, for the entries of a log.
        batch: for two versions of one batch; None where `stored` counts there, too.
        marker: the text in a column that marks a delete, which Hudi is told by its properties.
    """

    stored: PointRule
    batch: PointRule | None = None
    marker: Marker | None = None

    @property
    def points(self) -> tuple[PointRule, ...]:
        """The rules, that for the stored row first."""
        return (self.stored,) if self.batch is None else (self.stored, self.batch)


def marker_of(rule: MergeRule | None) -> Marker | None:
    """Return what Hudi is to look for: the value of a column by which a class deletes a version that meets no other.

    Args:
        rule: that of the class for such a version.

    Raises:
        NotStatedError: the marker may be written in any case, which Hudi's own may not.
    """
    marker = None if rule is None else rule.deletes.marker
    if marker is not None and marker.ignore_case:
        msg = f"Hudi matches delete markers case-sensitively, but this one, {marker.text!r}, matches in any case"
        raise NotStatedError(msg)
    if marker is not None or rule is None:
        return marker
    tests = [case.when for case in rule.cases if case.gives is Effect.DELETE]
    tests = [part for test in tests for part in (test.tests if isinstance(test, AnyOf) else (test,))]
    values = [one for one in tests if isinstance(one, ColumnIs) and type(one.value) in {bool, int, str}]
    return Marker(values[0].column, plain_text(values[0].value)) if values else None


def forms_of(rule: MergeRule, ordering: Sequence[str], marker: Marker | None = None) -> Iterator[MergeRule]:
    """Give the rules of mergers that may say the same as the rule of a class, the shortest first.

    The marker of deletes is Hudi's to look for; any other text by which the class deletes is a case of the merger. Of
    the stored row a merger knows the ordering value, which the class reads from its columns. From 1.1 on a merger gets
    deletes without an ordering value, which Hudi keeps from a class.

    Args:
        rule: that of the class.
        ordering: the ordering fields.
        marker: what Hudi looks for.

    Raises:
        NotStatedError: the rule has a text in any case.
    """
    plain = _without(rule, marker)
    later = plain.later
    if isinstance(later, ByColumn) and later.names == tuple(ordering):
        by_ordering = dataclasses.replace(plain, later=ByOrdering(later.tie, later.reverse, later.how))
        yield from _shorter(by_ordering)
    yield from _shorter(plain)


def _without(rule: MergeRule, marker: Marker | None) -> MergeRule:
    """Return a rule that leaves to Hudi what Hudi looks for, and has a case for a text by which it alone deletes."""
    own = rule.deletes.marker
    cases = [_by_hudi(case, marker) for case in rule.cases]
    if own is not None and own != marker:
        at = cases.index(_DELETES) + 1 if _DELETES in cases else 0
        test = (TextIs if own.ignore_case else ColumnIs)(Role.NEWER, own.column, own.text)
        cases.insert(at, Case(test, Effect.DELETE))
    return dataclasses.replace(rule, deletes=DeleteTests(), cases=tuple(cases))


def _by_hudi(case: Case, marker: Marker | None) -> Case:
    """Return a case that deletes with the tests that Hudi makes, by the flag or the marker, as one: it is a delete."""
    if case.gives is not Effect.DELETE:
        return case
    tests = case.when.tests if isinstance(case.when, AnyOf) else (case.when,)
    found = dict.fromkeys(IsDelete(Role.NEWER) if _is_hudis(one, marker) else one for one in tests)
    if IsDelete(Role.NEWER) in found:
        found.pop(IsEmpty(Role.NEWER), None)
    left = tuple(found)
    return Case(left[0] if len(left) == 1 else AnyOf(left), Effect.DELETE)


def _is_hudis(test: Test, marker: Marker | None) -> bool:
    """Whether Hudi itself looks for what a test of the newer version tests."""
    if not isinstance(test, ColumnIs) or test.role is not Role.NEWER or test.value is None:
        return False
    if test.column == IS_DELETED:
        return test.value is True
    return marker is not None and test.column == marker.column and plain_text(test.value) == marker.text


def _shorter(rule: MergeRule) -> Iterator[MergeRule]:
    """Leave deletes to what the merge modes do, where that is the same; expect those without an ordering value.

    By arrival a delete that comes last wins in any case. A rule that compares may let it win although it compares less.
    """
    rest = tuple(itertools.dropwhile(_is_of_deletes, rule.cases))
    if rest != rule.cases and isinstance(rule.later, ByArrival):
        yield dataclasses.replace(rule, cases=rest)
    if completed(rule, "the merger").cases[:1] != (RESETS,) and isinstance(rule.later, ByOrdering):
        yield dataclasses.replace(rule, cases=(RESETS, *rule.cases))
    else:
        yield rule


def _is_of_deletes(case: Case) -> bool:
    return isinstance(case.when, IsDelete | IsEmpty) and case.gives in {Effect.DELETE, Effect.INCOMING}


def alone(marker: Marker | None) -> MergeRule:
    """Return what Hudi does with a version that meets no other, which no merger is asked about."""
    deletes = dataclasses.replace(MARKED, flag=True, marker=marker)
    return MergeRule(ByArrival(), deletes, (_DELETES,), Effect.INCOMING)
