"""Pairs of versions that show what a rule does: the smallest one of each of its branches."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mergers.rules.words import lines_of, say
from payloads.errors import PayloadBridgeError
from payloads.records import RuleVersion, VersionPair, column_value
from payloads.rules import (
    DATA,
    META_COLUMNS,
    ByArrival,
    Concat,
    Effect,
    Error,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    Least,
    Sum,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mergers.rules.words import Terms
    from payloads.avro import AvroSchema, Field, Record
    from payloads.rules import Column, MergeRule

_MOST = 16


class Example(NamedTuple):
    """A pair of versions, and what comes of it.

    Attributes:
        shows: the branch, in words.
        older, newer: the versions; one without data is a delete.
        merged: the row that the class makes of them; None for a delete.
    """

    shows: str
    older: RuleVersion
    newer: RuleVersion
    merged: Record | None

    @property
    def name(self) -> str:
        """What it shows, as a name in snake case."""
        return re.sub(r"\W+", "_", self.shows.lower()).strip("_")[:70].rstrip("_")


def examples_of(rule: MergeRule, pairs: Iterable[Example], schema: AvroSchema, terms: Terms) -> tuple[Example, ...]:
    """Return the smallest pair of each branch of a rule.

    Args:
        rule: the rule, completed.
        pairs: what was asked, with the answers of the class; what they show is found out here.
        schema: that of the rows.
        terms: what the versions are called.
    """
    found: dict[str, Example] = {}
    telling = (pair for pair in pairs if pair.older.record != pair.newer.record)
    for pair in sorted(telling, key=_size):
        with contextlib.suppress(PayloadBridgeError):  # where a comparison fails, no branch is taken
            for shown in _branches(rule, VersionPair(rule, pair.older, pair.newer, schema), terms):
                found.setdefault(shown, pair._replace(shows=shown))
        if len(found) >= _MOST:
            break
    return tuple(found.values())


def _size(pair: Example) -> tuple[int, int]:
    older, newer = pair.older.record or {}, pair.newer.record or {}
    differing = sum(1 for name in {*older, *newer} if older.get(name) != newer.get(name))
    return differing, len(repr((older, newer)))


def _branches(rule: MergeRule, pair: VersionPair, terms: Terms) -> Iterator[str]:
    """Give the branches that a rule takes for a pair, in words."""
    case = next((one for one in rule.cases if pair.holds(one.when)), None)
    gives = rule.result if case is None else case.gives
    if isinstance(gives, Error):
        return
    if case is not None and gives is not Effect.WINNER:
        yield say(case.when, terms)
        return
    if not isinstance(rule.later, ByArrival):
        side = terms.newer if pair.newer_is_later else terms.older
        yield f"{side} wins{' on a tie' * _is_tie(rule, pair)}"
    if gives in {Effect.NEW, Effect.FILLED, Effect.CHANGED}:
        for field in pair.schema.fields:
            name = field.name if field.name in rule.columns else DATA
            if field.name not in META_COLUMNS and (shown := _of_column(rule.columns[name], pair, field)):
                yield f"{'other columns' if name == DATA else field.name}: {shown}"
    elif case is None and isinstance(rule.later, ByArrival):
        yield lines_of(rule, terms)[-1].text


def _is_tie(rule: MergeRule, pair: VersionPair) -> bool:
    try:
        return pair.newer_is_later is VersionPair(rule, pair.newer, pair.older, pair.schema).newer_is_later
    except PayloadBridgeError:  # the other way round it has nothing to compare
        return False


def _of_column(node: Column, pair: VersionPair, field: Field) -> str:
    """Say which way a column takes its value; empty where there is one way alone."""
    match node:
        case IfElse(test, then, otherwise):
            holds = pair.holds(test)
            if _same(*_values(pair, field)):
                return ""
            inner = _of_column(then if holds else otherwise, pair, field)
            return f"its condition {'holds' if holds else 'does not hold'}{', ' * bool(inner)}{inner}"
        case FirstNonNull(values) | FirstNonDefault(values) | FirstNonMarker(values):
            first, last = (column_value(one, pair, field) for one in (values[0], values[-1]))
            value = column_value(node, pair, field)
            if _same(first, last):
                return ""
            return "the first value counts" if _same(value, first) else "a gap is filled"
        case Sum() | Concat() | Union() | Least() | Greatest():
            return ("both count", "one value is null", "")[_values(pair, field).count(None)]
        case _:
            return ""


def _values(pair: VersionPair, field: Field) -> tuple[Any, Any]:
    return (pair.older.record or {}).get(field.name), (pair.newer.record or {}).get(field.name)


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and bool(left == right)
