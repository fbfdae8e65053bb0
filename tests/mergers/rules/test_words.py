"""Rules in English: every node has words, every stated rule has lines, and another rule has other words."""

from __future__ import annotations

import dataclasses
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergers.laws.modes import MODES
from mergers.rules.words import TERMS, RuleLine, difference, lines_of, rules_of_class, rules_of_mode, say
from payloads import HoodieRecordPayload, HudiRelease, builtin_payloads, rules
from payloads.rules import (
    DATA,
    Against,
    AllOf,
    AnyOf,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Default,
    DeleteTests,
    Effect,
    Error,
    ErrorKind,
    FirstNonDefault,
    FirstNonNull,
    Greatest,
    How,
    IsDelete,
    IsEmpty,
    IsNatural,
    IsUnordered,
    LaterIs,
    Marker,
    MergeRule,
    Needs,
    Not,
    Point,
    Role,
    RuleNode,
    Sum,
    Take,
    nodes_of,
)
from payloads.user import adapt
from tests.mergers.rules.test_agreement import UNSTATED
from tests.payloads.rules.drawn import EVERY_NODE, RULES

OLDER, NEWER = Role.OLDER, Role.NEWER
BOTH = (Take(NEWER), Take(OLDER))
EXAMPLES = [one for one in nodes_of(EVERY_NODE) if not isinstance(one, MergeRule | Case)]
NODES = {kind for kind in vars(rules).values() if isinstance(kind, type) and issubclass(kind, RuleNode)}


@pytest.mark.parametrize("kind", sorted(NODES - {RuleNode, MergeRule, Case}, key=repr), ids=lambda kind: kind.__name__)
def test_every_node_has_words_of_its_own(kind):
    said = {type(one): say(one, TERMS[Point.STORED]) for one in EXAMPLES}
    assert kind in said, "give the node words in mergers/rules/words/nodes.py, and an example in drawn.py"
    assert list(said.values()).count(said[kind]) == 1


@given(RULES, st.sampled_from(Point))
def test_every_rule_has_words(rule, point):
    lines = lines_of(rule, TERMS[point])
    assert all(line.text for line in lines)
    assert sum(line.part in {"otherwise", "always"} for line in lines) == 1
    assert not any(
        re.search(r"[{}]|\bEffect\.|<class", line.text.replace("{", "")) for line in lines if "'" not in line.text
    )


@pytest.mark.parametrize("release", HudiRelease)
def test_every_class_has_words_at_each_merge_point_of_a_release(release):
    for payload in builtin_payloads(release):
        found = rules_of_class(payload)
        if payload.__name__ in UNSTATED:
            assert found == []
            continue
        told = {point: one.at(release) for one in found for point in one.points}
        assert set(told) == {Point.BATCH, Point.STORED, Point.ALONE}
        assert all(one.rule is not None and one.lines for one in told.values())


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_has_words(mode):
    told = {point: one for one in rules_of_mode(mode) for point in one.points}
    assert set(told) == {Point.BATCH, Point.STORED, Point.ENTRY}
    assert rules_of_mode("CUSTOM") == rules_of_mode("BY_HAND") == []


def without_what_is_not_asked(rule):
    """Return a rule without delete tests that no test asks for, and cases whose test an earlier one has."""
    tests = dict(reversed([(case.when, case) for case in rule.cases]))
    cases = tuple(case for case in rule.cases if tests[case.when] is case)
    asks = "IsDelete" in repr(rule) or "COLUMN_OF_DATA" in repr(rule)
    return dataclasses.replace(rule, cases=cases, deletes=rule.deletes if asks else DeleteTests())


def stated():
    found = [*(one for payload in builtin_payloads() for one in rules_of_class(payload))]
    found += [one for mode in MODES for one in rules_of_mode(mode)]
    for one in found:
        yield from ((one.points[0], told.rule) for told in one.told if told.rule is not None)


def test_rules_that_differ_have_other_words():
    seen = {}
    for point, rule in stated():
        key = TERMS[point].older, TERMS[point].meets, lines_of(rule, TERMS[point])
        assert without_what_is_not_asked(seen.setdefault(key, rule)) == without_what_is_not_asked(rule)


FILLS = FirstNonNull((Take(Role.LATER), Take(Role.EARLIER)))
BASE = MergeRule(
    ByColumn(("ts",)),
    DeleteTests(flag=True, marker=Marker("Op", "D")),
    (Case(IsUnordered(NEWER), Error(ErrorKind.NULL_ORDERING)), Case(IsDelete(NEWER), Effect.DELETE)),
    Effect.NEW,
    {DATA: FILLS, "hits": Sum()},
)
CHANGES = {
    "a tie": ({"later": ByColumn(("ts",), tie=OLDER)}, {"winner"}, "the stored row on a tie"),
    "the order": ({"later": ByColumn(("ts",), reverse=True)}, {"winner"}, "the lesser value in `ts`"),
    "text": ({"later": ByColumn(("ts",), how=How.TEXT)}, {"winner"}, "compared as text"),
    "position": ({"later": ByColumn(("ts",), how=How.POSITION)}, {"winner", "fails"}, "file number"),
    "the column": ({"later": ByColumn(("seq",))}, {"winner", "fails"}, "`seq`"),
    "two columns": ({"later": ByColumn(("ts", "seq"))}, {"winner", "fails"}, "`ts`, then `seq`"),
    "milliseconds": ({"later": ByColumn(("ts",), consistent=True)}, {"winner"}, "milliseconds"),
    "a carried value": ({"later": ByColumn(("ts",), Against.CARRIED)}, {"winner", "fails"}, "it came with"),
    "maps": ({"later": ByColumn(("ts",), refuses_maps=True)}, {"fails"}, "`ts` is a map"),
    "the ordering value": ({"later": ByOrdering()}, {"winner", "fails"}, "greater ordering value"),
    "unlike types": ({"later": ByOrdering(unlike_wins=True)}, {"winner", "fails"}, "of different types"),
    "the flag": ({"deletes": DeleteTests(marker=Marker("Op", "D"))}, {"delete"}, "with `Op` = 'D'"),
    "the case": ({"deletes": DeleteTests(True, Marker("Op", "D", True))}, {"delete"}, "upper or lower case"),
    "fewer cases": ({"cases": BASE.cases[1:]}, {"step"}, ""),
    "what a case yields": ({"cases": (BASE.cases[0], Case(IsDelete(NEWER), Effect.SENTINEL))}, {"step"}, "SENTINEL"),
    "another error": (
        {"cases": (Case(IsUnordered(NEWER), Error(ErrorKind.SCHEMA)), BASE.cases[1])},
        {"step"},
        "a column is missing",
    ),
    "what is left": ({"otherwise": Effect.WINNER}, {"otherwise", "column"}, "the later version is stored"),
    "edited": ({"otherwise": Effect.EDITED}, {"otherwise"}, "edited in place"),
    "a default": ({"columns": {**BASE.columns, DATA: FirstNonDefault(BOTH)}}, {"column"}, "equals"),
    "the sum": ({"columns": {**BASE.columns, "hits": Greatest()}}, {"column"}, "the greater of both"),
    "a condition": ({"conditions": (Needs.COMPLETE,)}, {"called"}, "lacks a column"),
}


@pytest.mark.parametrize(("change", "parts", "text"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_rule_changes_its_words_and_those_alone(change, parts, text):
    terms = TERMS[Point.STORED]
    found = difference(lines_of(BASE, terms), lines_of(dataclasses.replace(BASE, **change), terms))
    assert {one.line.part for one in (*found.came, *found.gone)} == parts
    assert not text or any(text in one.line.text for one in found.came)


@pytest.mark.parametrize("kind", [Effect, ErrorKind, How, Against, Default], ids=lambda kind: kind.__name__)
def test_every_word_of_the_language_has_words_of_its_own(kind):
    made = {
        Effect: lambda word: MergeRule(otherwise=word, columns={"hits": Sum()}),
        ErrorKind: lambda word: MergeRule(otherwise=Error(word)),
        How: lambda word: MergeRule(ByOrdering(how=word)),
        Against: lambda word: MergeRule(ByColumn(("ts",), word)),
        Default: lambda word: MergeRule(columns={DATA: FirstNonDefault(BOTH, word)}),
    }[kind]
    for point in Point:
        said = [lines_of(made(word), TERMS[point]) for word in kind]
        assert len(set(said)) == len(said)


def test_a_line_that_moves_is_among_the_changes():
    first, second, third = (RuleLine("step", text) for text in ("a", "b", "c"))
    found = difference((first, second, third), (second, first, third))
    assert [(one.label, one.line.text) for one in found.came] == [("step 1", "b"), ("step 2", "a")]
    assert [(one.label, one.line.text) for one in found.gone] == [("step 1", "a"), ("step 2", "b")]
    assert difference((first, third), (first, second, third)).gone == ()


def test_rules_that_are_the_same_at_two_points_are_told_once():
    (overwrite,) = [one for one in builtin_payloads() if one.__name__ == "OverwriteWithLatestAvroPayload"]
    found = rules_of_class(overwrite)
    assert [one.points for one in found] == [(Point.BATCH,), (Point.STORED, Point.ALONE)]
    assert [change.releases[0] for change in found[0].changes] == [HudiRelease.V1_0]


class Valued(HoodieRecordPayload):
    """States its rule as a value."""

    rule = MergeRule(otherwise=Effect.CURRENT)


class Unrelated(HoodieRecordPayload):
    """Has a method of that name."""

    def rule(self):
        """Return nothing that is a merge rule."""


def test_a_class_of_a_user_may_state_its_rule_as_a_value():
    both, alone = rules_of_class(adapt(Valued))
    assert (both.points, alone.points) == ((Point.BATCH, Point.STORED), (Point.ALONE,))
    assert "the older version is kept" in {line.text for line in both.told[0].lines}
    assert rules_of_class(Unrelated) == []


def test_clauses_are_short():
    terms = TERMS[Point.STORED]
    both = itertools.product((IsDelete, IsEmpty, IsNatural), (AnyOf, AllOf))
    for kind, of in both:
        text = say(of((kind(OLDER), kind(NEWER))), terms)
        assert ("either version" in text) is (of is AnyOf)
    assert say(AllOf((IsDelete(NEWER), LaterIs(NEWER))), terms) == "the incoming version is a delete and wins"
    assert say(Not(ColumnIs(NEWER, "note", None)), terms) == "the incoming version does not have `note` = null"
    assert say(AnyOf((LaterIs(OLDER), LaterIs(NEWER))), terms) == "whichever wins"
