"""The found rules of a class in three sentences: who wins, what deletes, what differs between batch, table and log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge import MergePoint, Rule, calls_of
from mergers.rules.words import TERMS, compares, lines_of, say
from payloads.rules import (
    DATA,
    META_COLUMNS,
    ByArrival,
    DeleteTests,
    Effect,
    IsDelete,
    IsEmpty,
    MergeRule,
    Point,
    Role,
    Take,
)

if TYPE_CHECKING:
    from bridge.migration import ClassRules
    from payloads import HudiRelease

_MOST_NAMED = 6
_EMPTY = {IsEmpty(Role.NEWER), DeleteTests()}


def sentences(rules: ClassRules, release: HudiRelease) -> list[str]:
    """Return the three sentences; fewer where no rule was found."""
    stored = rules.found[Point.STORED].rule
    if stored is None:
        return []
    return [_wins(stored, rules), _deletes(stored, rules), _differs(rules, release)]


def _wins(rule: MergeRule, rules: ClassRules) -> str:
    terms = TERMS[Point.STORED]
    if compares(rule) and not isinstance(rule.later, ByArrival):
        wins = f"of the stored row and the incoming version, {say(rule.later, terms)}"
    elif rule.result is Effect.CURRENT:
        wins = f"{terms.older}"
    else:
        wins = f"{terms.newer}, whatever the ordering values are"
    exceptions = [
        f"{terms.effects[case.gives]} if {say(case.when, terms)}"
        for case in rule.cases
        if case.gives in {Effect.CURRENT, Effect.INCOMING}
    ]
    exceptions = [text.replace(f"stays if {terms.older}", "stays if it") for text in exceptions]
    own = [name for name in rule.columns if name != DATA and name not in META_COLUMNS]
    made = [f"`{name}`" for name in own if not isinstance(rule.columns[name], Take)]
    made += [f"`{one.column}`" for one in rules.found[Point.STORED].unsaid]
    parts = [f"Who wins: {wins}", *exceptions]
    if made:
        named = ", ".join(made[:_MOST_NAMED]) + f" and {len(made) - _MOST_NAMED} more" * (len(made) > _MOST_NAMED)
        parts.append(f"merged from both: {named}")
    elif not isinstance(rule.columns[DATA], Take) and rule.result is Effect.NEW:
        parts.append(f"in every column {say(rule.columns[DATA], terms)}")
    return f"{'; '.join(parts)}."


def _deletes(rule: MergeRule, rules: ClassRules) -> str:
    found = _named(rule, Point.STORED)
    if not found:
        return "What deletes: nothing in the class; Hudi's own deletes have no data."
    alone = rules.found[Point.ALONE].rule
    tests = set() if alone is None else _tests(alone)
    if tests == _tests(rule):
        inserted = "it is not inserted either"
    elif alone is None or tests <= _EMPTY:
        inserted = "without a stored row it is inserted"
    else:
        inserted = f"without a stored row nothing is inserted for {', or '.join(_named(alone, Point.ALONE))}"
    return f"What deletes: {', or '.join(found)}; {inserted}."


def _named(rule: MergeRule, point: Point) -> list[str]:
    """Say each test by which a rule deletes."""
    found = []
    for case in rule.cases:
        if case.gives is not Effect.DELETE:
            continue
        match case.when:
            case IsDelete(Role.NEWER):
                found.append(say(rule.deletes, TERMS[point]))
            case IsEmpty(Role.NEWER):
                found.append("a version without data")
            case test:
                found.append(f"a version, if {say(test, TERMS[point])}")
    return found


def _tests(rule: MergeRule) -> set[object]:
    """Return the tests by which a rule deletes; a delete of the language is what it looks for."""
    cases = (case.when for case in rule.cases if case.gives is Effect.DELETE)
    return {rule.deletes if one == IsDelete(Role.NEWER) else one for one in cases}


def _differs(rules: ClassRules, release: HudiRelease) -> str:
    if rules.rules is not None and rules.rules.batch is None:
        return "What differs between batch, table and log: nothing; the same rule applies to all of them."
    batch = rules.found[Point.BATCH].rule
    if batch is None:
        own = "for two versions of a batch no rule gives the results of the class"
    else:
        lines = [line.text for line in lines_of(batch, TERMS[Point.BATCH]) if line.part in {"winner", "always"}]
        own = f"in a batch {'; '.join(lines)}"
    folds = calls_of(release)[MergePoint.LOG_FOLD].rule is Rule.PRE_COMBINE
    log = f"in Hudi {release} log files are merged {'as a batch is' if folds else 'as with the stored row'}"
    apart = "so a row may depend on which versions come in one batch"
    return f"What differs between batch, table and log: {own}; {log}; {apart}."
