"""A rule as lines: who wins, what is a delete, the steps in order, the columns, and what fails."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.rules.words.nodes import say
from mergers.rules.words.terms import MADE, Terms
from payloads.rules import (
    DATA,
    META_COLUMNS,
    Against,
    ByArrival,
    ByColumn,
    ByOrdering,
    ColumnIs,
    Columns,
    Effect,
    Error,
    ErrorKind,
    How,
    IsDelete,
    LaterIs,
    Needs,
    Role,
    nodes_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from payloads.rules import Gives, MergeRule, Node


class RuleLine(NamedTuple):
    """A line of a rule.

    Attributes:
        part: what it is about: `winner`, `delete`, `step`, `otherwise` (`always` without steps), `column`, `fails`
            (if this is so) or `called` (the class is, where this is so).
        text: a sentence without a capital and a full stop.
        columns: of a column, which ones.
    """

    part: str
    text: str
    columns: str = ""


_NEEDS: Final = {
    Needs.COMPLETE: "a version lacks a column, or has null in one that is not nullable",
}


def lines_of(rule: MergeRule, terms: Terms) -> tuple[RuleLine, ...]:
    """Return what a rule does, in order: who wins, what is a delete, the cases, the columns, and what else fails."""
    if isinstance(rule.later, ByArrival):
        terms = dataclasses.replace(terms, later=terms.newer, earlier=terms.older)
    tests_deletes = any(isinstance(node, IsDelete) for node in _nodes_asked(rule)) or (
        isinstance(rule.later, ByColumn) and rule.later.against is Against.COLUMN_OF_DATA
    )
    lines: list[RuleLine] = []
    if compares(rule):
        lines += [RuleLine("winner", text) for text in say(rule.later, terms).split("; ")]
    elif terms.meets:
        lines.append(RuleLine("winner", "ordering values are not compared"))
    lines += [RuleLine("delete", say(rule.deletes, terms))] * tests_deletes
    tested: dict[str, Gives] = {}
    for case in rule.cases:
        tested.setdefault(say(case.when, terms), case.gives)  # a later case of the same test is never reached
    lines += [RuleLine("step", f"if {test}, {_yields(test, gives, terms)}") for test, gives in tested.items()]
    lines.append(RuleLine("otherwise" if rule.cases else "always", gives_words(rule.result, terms)))
    lines += _column_lines(rule, terms)
    lines += [RuleLine("fails", text) for text in _failures(rule, terms)]
    lines += [RuleLine("called", _NEEDS[need]) for need in rule.conditions]
    return tuple(lines)


def _yields(test: str, gives: Gives, terms: Terms) -> str:
    """Say what a case yields; of a null that fails the test has told why."""
    is_told = gives == Error(ErrorKind.NULL_ORDERING) and "null" in test
    return "the merge fails" if is_told else gives_words(gives, terms)


def compares(rule: MergeRule) -> bool:
    """Whether a rule asks which version is the later one, by more than arrival."""
    chosen = any(getattr(node, "role", None) in {Role.LATER, Role.EARLIER} for node in _nodes_asked(rule))
    asks = chosen or any(isinstance(node, LaterIs) for node in _nodes_asked(rule))
    return asks or not {Effect.WINNER, *MADE}.isdisjoint(rule.yields)


def _nodes_asked(rule: MergeRule) -> Iterator[Node]:
    """Give the nodes of what a rule does, but not how it tells the later version or a delete."""
    return nodes_of(rule.cases, *(rule.columns.values() if _makes_records(rule) else ()))


def _makes_records(rule: MergeRule) -> bool:
    return rule.columns != Columns({}) and not {*MADE}.isdisjoint(rule.yields)


def gives_words(gives: Gives, terms: Terms) -> str:
    """Say what a merge yields."""
    return say(gives, terms) if isinstance(gives, Error) else terms.effects[gives].replace("{later}", terms.later)


def _column_lines(rule: MergeRule, terms: Terms) -> Iterator[RuleLine]:
    """Give a line for the columns of each value, those of `DATA` first."""
    if not _makes_records(rule):
        return
    by_value: dict[str, list[str]] = {}
    for name, node in rule.columns.items():
        by_value.setdefault(say(node, terms), []).append(name)
    for value, names in by_value.items():
        for called in _called(names, rule, terms):
            yield RuleLine("column", value, called)


def _called(names: Sequence[str], rule: MergeRule, terms: Terms) -> Iterator[str]:
    """Say which columns have a value, meta columns apart; one that stands for all of a kind stands for the others."""
    kinds = [terms.kinds[name] for name in names if name in terms.kinds]
    if kinds:
        yield ", ".join(kinds)
        return
    if DATA in names:
        others = [name for name in rule.columns if name not in names and name not in META_COLUMNS]
        yield "every other column" if others else "every column"
    elif own := [terms.column(name) for name in names if name not in META_COLUMNS]:
        yield ", ".join(own)
    if any(name in META_COLUMNS for name in names):
        yield "meta columns"


def _failures(rule: MergeRule, terms: Terms) -> Iterator[str]:
    """Say when a comparison fails, but for what a case says."""
    later = rule.later
    if isinstance(later, ByArrival) or not compares(rule):
        return
    told = any(case.gives == Error(ErrorKind.NULL_ORDERING) for case in rule.cases)
    if later.how is How.POSITION:
        yield "a text that is compared is not a position"
    match later:
        case ByOrdering(unlike_wins=unlike_wins):
            if not told:
                yield "an ordering value is null"
            if not unlike_wins and later.how is How.JAVA:
                yield "the ordering values are of different types, such as int and long"
        case ByColumn(names, against):
            columns = ", ".join(map(terms.column, names))
            null = {case.when for case in rule.cases if isinstance(case.gives, Error)}
            if against is Against.COLUMN and null.isdisjoint(ColumnIs(Role.NEWER, name, None) for name in names):
                yield f"{terms.newer} has null in {columns} and {terms.older} has a value"
            elif against in {Against.COLUMN_OR_CARRIED, Against.COLUMN_OF_DATA}:
                yield "the values that are compared are of different types, such as int and long"
            if later.refuses_maps:
                yield f"{columns} is a map"
