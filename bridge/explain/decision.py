"""What a merge rule decided about two versions, in a sentence: the values compared, the test that held, the outcome."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.explain.versions import TEXTS, column_value, value
from mergers.rules.words import TERMS, Terms, compares, say
from payloads.builtin import IS_DELETED, compare_positions
from payloads.errors import PayloadBridgeError
from payloads.java import utf16
from payloads.ordering import compare, same_class
from payloads.ordering import ordering_text as text_of
from payloads.ordering_fields import list_reader
from payloads.records import RuleOutcome, RuleVersion, merged
from payloads.rules import (
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    Case,
    ColumnIs,
    Effect,
    Error,
    How,
    IsDelete,
    LaterIs,
    MergeRule,
    Not,
    Point,
    Role,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from payloads import AvroSchema, Ordering
    from payloads.rules import Later, Test

_GIVES: Final = {
    Effect.CURRENT: "the older version stays",
    Effect.INCOMING: "the newer version wins",
    Effect.COPY: "the newer version wins",
    Effect.SENTINEL: "the older version is left as it is (SENTINEL)",
    Effect.NEW: "{later} wins, as a new row",
    Effect.EDITED: "{later} wins, edited in place",
    Effect.DELETE: "no row is left",
}
_VERSIONS: Final = dataclasses.replace(TERMS[Point.BATCH], effects=_GIVES)
_ENTRY: Final = Terms(
    "the logged version",
    "the delete entry",
    {
        Effect.CURRENT: "the logged version stays, and the delete entry is ignored",
        Effect.INCOMING: "the delete entry wins",
    },
)
_TERMS: Final = {Point.ALONE: dataclasses.replace(_VERSIONS, newer="it"), Point.ENTRY: _ENTRY}
_HOW: Final = {How.JAVA: "", How.TEXT: " as text", How.POSITION: " as binlog positions"}


class RuledPair(NamedTuple):
    """Two versions that a rule merges.

    Attributes:
        rule: the rule.
        older: the version that was there; without data for a key that has none.
        newer: the version that came.
        schema: that of both.
        point: where they meet.
    """

    rule: MergeRule
    older: RuleVersion
    newer: RuleVersion
    schema: AvroSchema
    point: Point

    @property
    def terms(self) -> Terms:
        """What a sentence calls the two versions."""
        return _TERMS.get(self.point, _VERSIONS)

    def outcome(self) -> RuleOutcome | None:
        """Return what the rule yields; None where it does not apply, or fails."""
        found = merged(self.rule, self.older, self.newer, self.schema)
        return None if found is None or isinstance(found.gives, Error) else found


class Decision(NamedTuple):
    """What a rule decided.

    Attributes:
        why: what held.
        text: that, and what came of it.
        compared: whether the text has both ordering values.
        outcome: what the rule yields.
    """

    why: str
    text: str
    compared: bool
    outcome: RuleOutcome


def decision_of(pair: RuledPair, ordering: Sequence[str]) -> Decision | None:
    """Return what decided between two versions, whose ordering values have the columns `ordering`.

    None where the rule does not apply, or fails.
    """
    outcome = pair.outcome()
    if outcome is None:
        return None
    facts: list[str] = []
    asked = pair.rule
    for number, case in enumerate(pair.rule.cases, start=1):
        if _holds(pair, case.when):
            facts = list(_facts(pair, case.when))
            asked = dataclasses.replace(pair.rule, cases=pair.rule.cases[:number], otherwise=case.gives)
            break
    compared = compares(asked) and not isinstance(asked.later, ByArrival)
    if compared:
        try:
            facts.insert(0, _comparison(pair, pair.rule.later, ordering))
        except PayloadBridgeError:  # a test before it held, so that the rule never compared
            compared = False
    why = _joined(facts, pair) or "ordering values are not compared"
    winner = pair.terms.side(Role.NEWER if _holds(pair, LaterIs(Role.NEWER)) else Role.OLDER)
    gives = pair.terms.effects[outcome.gives].replace("{later}", winner)  # type: ignore[index]  # no error
    return Decision(why, f"{why}: {gives}", compared, outcome)


def _joined(facts: Sequence[str], pair: RuledPair) -> str:
    """Join clauses; one about the version of the clause before does not name it again."""
    said: list[str] = []
    for number, fact in enumerate(facts):
        subject = next((f"{one} " for one in (pair.terms.older, pair.terms.newer) if fact.startswith(f"{one} ")), "")
        is_same = number and subject and facts[number - 1].startswith(subject)
        said.append(fact.removeprefix(subject) if is_same else fact)
    return " and ".join(said)


def _holds(pair: RuledPair, test: Test) -> bool:
    asked = MergeRule(pair.rule.later, pair.rule.deletes, (Case(test, Effect.SENTINEL),), Effect.DELETE)
    return pair._replace(rule=asked).outcome() == RuleOutcome(Effect.SENTINEL, None)


def _facts(pair: RuledPair, test: Test) -> Iterator[str]:
    """Say what a test that holds has found; what it found by comparing is told as a comparison."""
    match test:
        case AllOf(tests):
            for one in tests:
                yield from _facts(pair, one)
        case AnyOf(tests):
            yield from _facts(pair, next(one for one in tests if _holds(pair, one)))
        case LaterIs() | Not(LaterIs()):
            return
        case IsDelete(role) if (record := _side(pair, role).record) is not None:
            yield f"{say(test, pair.terms)}{_mark(pair, record)}"
        case ColumnIs(role, column, wanted):
            yield f"{column} of {pair.terms.side(role)} is {column_value(column, wanted, pair.schema)}"
        case _:
            yield say(test, pair.terms)


def _side(pair: RuledPair, role: Role) -> RuleVersion:
    if role in {Role.OLDER, Role.NEWER}:
        return pair.newer if role is Role.NEWER else pair.older
    newer_is_later = _holds(pair, LaterIs(Role.NEWER))
    return pair.newer if newer_is_later is (role is Role.LATER) else pair.older


def _mark(pair: RuledPair, record: Any) -> str:
    """Return the column that marks a record as a delete, in brackets."""
    tests = pair.rule.deletes
    if tests.flag and record.get(IS_DELETED) is True:
        return f" ({IS_DELETED} is true)"
    if tests.marker is None:
        return ""
    column = tests.marker.column
    return f" ({column} is {column_value(column, record.get(column), pair.schema)})"


# -- the comparison


def _comparison(pair: RuledPair, later: Later, ordering: Sequence[str]) -> str:
    """Return both ordering values, and how they compare."""
    if isinstance(later, ByArrival):
        return ""
    columns = later.names if isinstance(later, ByColumn) else tuple(ordering)
    older, newer = _compared(pair, later)
    name = ", ".join(columns) or "ordering value"
    shown = [value(one, columns, pair.schema, is_cut=_is_cut(later)) for one in (newer, older)]
    sign = None if older is None or newer is None else _sign(older, newer, later.how)
    if sign is None:
        unlike = "" if older is None or newer is None else ", values of different types that are not compared"
        return f"{name} {shown[0]} after {shown[1]}{unlike}"
    how = " as text" if newer is not None and newer.java_type in TEXTS and later.how is How.JAVA else _HOW[later.how]
    tie = ", a tie" if sign == "=" else ""
    return f"{name} {shown[0]} {sign} {shown[1]}{how}{tie}{', the lesser wins' if later.reverse and not tie else ''}"


def _compared(pair: RuledPair, later: Later) -> tuple[Ordering | None, Ordering | None]:
    """Return the values that the rule compares, of the older and of the newer version."""
    older, newer = pair.older, pair.newer
    if not isinstance(later, ByColumn):
        return older.ordering, newer.ordering
    read = list_reader(pair.schema, later.names, consistent=later.consistent)
    is_data = newer.record is not None and not (
        later.against is Against.COLUMN_OF_DATA and _holds(pair, IsDelete(Role.NEWER))
    )
    own = read(newer.record) if is_data and later.against is not Against.CARRIED else None  # type: ignore[arg-type]
    if own is None and later.against is not Against.COLUMN:
        own = newer.ordering
    return read(older.record or {}), own


def _is_cut(later: Later) -> bool:
    return isinstance(later, ByColumn) and later.consistent


def _sign(older: Ordering, newer: Ordering, how: How) -> str | None:
    """Return how the newer value compares with the older one; None where they don't."""
    if how is How.JAVA:
        if not same_class(older, newer):
            return None
        order = compare(newer, older)
    else:
        texts = text_of(newer), text_of(older)
        order = utf16(*texts) if how is How.TEXT else compare_positions(*texts)
    return ">" if order > 0 else "<" if order < 0 else "="
