"""Walking rules: every node is given once, each before its parts, and the columns that it names are found."""

from __future__ import annotations

import collections
import dataclasses
import re

from hypothesis import given

from payloads.rules import (
    AllOf,
    ByColumn,
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    IfElse,
    IsDelete,
    Marker,
    MergeRule,
    Not,
    Role,
    RuleNode,
    Sum,
    Take,
    columns_named,
    nodes_of,
)
from tests.payloads.rules.drawn import RULES

OLDER, NEWER = Role.OLDER, Role.NEWER


@given(RULES)
def test_a_walk_gives_each_node_that_a_rule_prints(rule):
    for part in (rule.cases, tuple(rule.columns.values())):
        printed = collections.Counter(re.findall(r"\b([A-Z]\w{2,})\(", repr(part)))
        assert collections.Counter(type(node).__name__ for node in nodes_of(part)) == printed
    assert {*nodes_of(rule)} == {
        rule,
        rule.later,
        rule.deletes,
        *nodes_of(rule.later, rule.deletes, rule.cases, *rule.columns.values(), rule.otherwise),
    }


def test_a_node_comes_before_its_parts():
    test = Not(AllOf((IsDelete(NEWER), ColumnIs(OLDER, "note", "x"))))
    assert list(nodes_of(IfElse(test, Sum(), Take(NEWER)))) == [
        IfElse(test, Sum(), Take(NEWER)),
        test,
        test.test,
        *test.test.tests,
        Sum(),
        Take(NEWER),
    ]


def test_a_walk_gives_nodes_of_another_language_which_interpreters_refuse():
    @dataclasses.dataclass(frozen=True, repr=False)
    class Median(RuleNode):
        """A node that is no one's."""

    median = Median()
    assert median in set(nodes_of(MergeRule(columns={"hits": IfElse(IsDelete(NEWER), Take(OLDER), median)})))


def test_columns_are_named_where_versions_are_compared_and_tested():
    rule = MergeRule(
        ByColumn(("seq", "at.second")),
        DeleteTests(flag=True, marker=Marker("Op", "D")),
        (Case(Not(ColumnIs(NEWER, "note", None)), Effect.CURRENT),),
        columns={"hits": IfElse(ColumnIs(OLDER, "kind", 1), Sum(), Take(NEWER))},
    )
    assert columns_named(rule.later, rule.deletes, rule.cases) == {"seq", "at", "_hoodie_is_deleted", "Op", "note"}
    assert columns_named(rule) == columns_named(rule.later, rule.deletes, rule.cases) | {"kind"}
