"""The language of merge rules: rules print as themselves, survive JSON, and fit a schema or say why."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import example, given

from payloads import PayloadConfigError, SchemaError, rules
from payloads.rules import (
    DATA,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    Constant,
    DeleteTests,
    Effect,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsEmpty,
    LaterIs,
    Least,
    Marker,
    MergeRule,
    Role,
    RuleNode,
    Sum,
    Take,
    Union,
    Word,
    check_rule,
    rule_from_json,
    rule_to_json,
)
from tests.payloads.rules.drawn import RULES, SCHEMA

WORDS = [word for kind in vars(rules).values() if isinstance(kind, type) and issubclass(kind, Word) for word in kind]
NAMES = {name: getattr(rules, name) for name in rules.__all__} | {word.name: word for word in WORDS}


@given(RULES)
def test_a_rule_survives_json(rule):
    written = json.loads(json.dumps(rule_to_json(rule)))
    assert rule_from_json(written) == rule
    assert rule_to_json(rule_from_json(written)) == written


@given(RULES)
@example(MergeRule(columns={"share": Constant(float("-inf"))}))
def test_a_rule_prints_as_itself(rule):
    assert eval(repr(rule), {}, NAMES) == rule  # noqa: S307 (what was printed)


@given(RULES)
def test_a_rule_fits_its_schema_and_is_a_plain_value(rule):
    check_rule(rule, SCHEMA)
    again = pickle.loads(pickle.dumps(rule))  # noqa: S301 (made here)
    assert again == rule == copy.deepcopy(rule)
    assert hash(again) == hash(rule)


@given(RULES, RULES)
def test_rules_are_equal_where_they_print_alike(left, right):
    assert (left == right) == (repr(left) == repr(right))


def test_a_rule_reads_as_in_the_design():
    rule = MergeRule(
        later=ByColumn(("ts",)),
        deletes=DeleteTests(flag=True, marker=Marker("note", "D")),
        cases=(Case(LaterIs(Role.OLDER), Effect.SENTINEL),),
        columns={"note": FirstNonNull((Take(Role.LATER), Take(Role.EARLIER))), "hits": Sum()},
    )
    assert repr(rule) == (
        "MergeRule(later=ByColumn(names=('ts',)), deletes=DeleteTests(flag=True, marker=Marker(column='note', "
        "text='D')), cases=(Case(when=LaterIs(role=OLDER), gives=SENTINEL),), columns={'*': Take(role=LATER), "
        "'hits': Sum(), 'note': FirstNonNull(values=(Take(role=LATER), Take(role=EARLIER)))})"
    )
    assert rule.result is Effect.NEW
    assert MergeRule().result is Effect.WINNER
    assert MergeRule() == MergeRule(columns={DATA: Take(Role.LATER)})


UNFIT = {
    "a column that is not there": (
        MergeRule(columns={"gone": Least()}),
        r"Least\(\): the schema has no field 'gone'",
    ),
    "an ordering column": (MergeRule(later=ByColumn(("gone",))), r"ByColumn\(names=\('gone',\)\): .*'gone'"),
    "a map has no order": (MergeRule(later=ByColumn(("counts",))), "ByColumn.*'counts' of type map"),
    "no text": (MergeRule(later=ByColumn(("ts",), how=How.POSITION)), "ByColumn.*'ts' of type long"),
    "a marker": (MergeRule(deletes=DeleteTests(marker=Marker("Op", "D"))), "Marker.*'Op'"),
    "texts don't add": (MergeRule(columns={"note": Sum()}), r"Sum\(\) .*'note' of type string"),
    "of all columns": (MergeRule(columns={DATA: Greatest()}), r"Greatest\(\) .*'counts' of type map"),
    "no array": (MergeRule(columns={"hits": Concat()}), r"Concat\(\) .*'hits' of type int"),
    "no map": (MergeRule(columns={"tags": Union()}), r"Union\(\) .*'tags' of type array"),
    "another type": (MergeRule(columns={"hits": Constant("1")}), r"Constant\(value='1'\) .*'hits' of type int"),
    "no null": (MergeRule(columns={"ts": Constant(None)}), r"Constant\(value=None\) .*'ts' of type long"),
    "a marker of texts": (
        MergeRule(columns={"raw": FirstNonMarker((Take(Role.LATER),), "x")}),
        "FirstNonMarker.*marker of type string.*'raw' of type bytes",
    ),
    "in a part": (
        MergeRule(columns={"note": IfElse(IsEmpty(Role.OLDER), Sum(), Take(Role.NEWER))}),
        r"Sum\(\) .*'note' of type string",
    ),
    "in a branch": (
        MergeRule(cases=(Case(ColumnIs(Role.NEWER, "hits", "many"), Effect.DELETE),)),
        "ColumnIs.*'hits' of type int",
    ),
}


@pytest.mark.parametrize(("rule", "message"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_named_with_node_column_and_type(rule, message):
    with pytest.raises(SchemaError, match=message):
        check_rule(rule, SCHEMA)


@pytest.mark.parametrize(
    "written",
    [
        {"node": "Sum"},
        {"node": "Median"},
        {"node": "MergeRule", "later": {"node": "ByOrdering", "tie": {"word": "Role.BOTH"}}},
        {"node": "MergeRule", "until": 1},
        {"node": "Word"},
        {"node": "RuleNode"},
        [],
        "MergeRule",
        {"node": "MergeRule", "cases": [1.5]},
    ],
    ids=str,
)
def test_json_that_is_no_rule_is_refused(written):
    with pytest.raises(PayloadConfigError, match=r"this JSON is .*; write it with rule_to_json"):
        rule_from_json(written)


def test_a_word_means_one_thing():
    assert len({word.name for word in WORDS}) == len(WORDS)
    assert not {word.name for word in WORDS} & set(rules.__all__)


def test_every_node_is_frozen_and_printed_by_a_rule():
    for kind in (kind for kind in vars(rules).values() if isinstance(kind, type) and issubclass(kind, RuleNode)):
        assert kind is RuleNode or kind.__dataclass_params__.frozen
    with pytest.raises(AttributeError):
        ByOrdering().tie = Role.OLDER
