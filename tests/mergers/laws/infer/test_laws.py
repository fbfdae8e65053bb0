"""Laws that follow from found rules: what holds is not refuted by the class, what fails the class shows."""

from __future__ import annotations

from typing import ClassVar

import pytest

from mergers.laws import Domain, RuleVerdict, Verdict, check_laws, find_violation, subject_of
from mergers.laws.infer import infer, laws_of
from payloads.rules import MergeRule, Point, Role, Take
from tests.mergers.laws.infer.shapes import SHAPES, Shape, schema_of

HOLDS, FAILS, UNDECIDED = RuleVerdict
POINTS = (Point.BATCH, Point.STORED, Point.ALONE)
SETTINGS = {"key": ("id",), "ordering_fields": ("ts",), "release": "1.2"}


class AddsEverywhere(Shape):
    """In a batch, too."""

    columns: ClassVar = {"a": "optional string", "hits": "long"}

    def pre_combine(self, older, schema=None, props=None):
        return type(self)(self.merged(older.record, self.record), self.ordering_value)

    def merged(self, stored, incoming):
        return {**incoming, "hits": stored["hits"] + incoming["hits"]}


class LaterEverywhere(Shape):
    """By one order, in a batch and with the stored row."""

    def merged(self, stored, incoming):
        return stored if stored["ts"] > incoming["ts"] else incoming


class FillsByTime(LaterEverywhere):
    """The later version, with what it lacks from the earlier one: not associative."""

    def pre_combine(self, older, schema=None, props=None):
        made = self.merged(older.record, self.record)
        return type(self)(made, max(older.ordering_value, self.ordering_value))

    def merged(self, stored, incoming):
        later, earlier = (stored, incoming) if stored["ts"] > incoming["ts"] else (incoming, stored)
        return {name: earlier[name] if value is None else value for name, value in later.items()}


OWN = {one.__name__: one for one in (AddsEverywhere, LaterEverywhere, FillsByTime)}


def subject(name):
    shape = OWN.get(name) or SHAPES[name]
    return subject_of(shape, schema=schema_of(shape), props={}, **SETTINGS)


def found_laws(name):
    one = subject(name)
    return one, laws_of([infer(one, point) for point in POINTS], one)


def outcomes(found, domain=Domain.DATA):
    return {one.law.id: one.outcome for one in found.laws if one.domain is domain}


@pytest.mark.parametrize(
    ("name", "associative", "acts", "told"),
    [
        (
            "AddsEverywhere",
            HOLDS,
            HOLDS,
            "Idempotence (a version that is delivered twice counts once) fails: `hits` adds.",
        ),
        ("LaterEverywhere", HOLDS, HOLDS, "holds if the rule does: one version is kept whole, by ordering value"),
        (
            "FillsByTime",
            FAILS,
            FAILS,
            "Associativity (how a batch is split does not matter) fails: `a` is the first value",
        ),
        ("Counts", HOLDS, FAILS, "`hits` is that of the later version in a batch and adds with the stored row"),
        ("DeletesByOp", HOLDS, FAILS, "in a batch and by arrival with the stored row. So a row depends on how its"),
        ("MergesJson", HOLDS, FAILS, "`hits` is that of the later version in a batch"),
    ],
)
def test_laws_follow_from_found_rules(name, associative, acts, told):
    one, found = found_laws(name)
    assert (outcomes(found)["associativity"], outcomes(found)["action"]) == (associative, acts)
    assert told in " ".join(found.sentences)
    holds = [law for law in found.laws if law.outcome is HOLDS]
    for domain in {law.domain for law in holds}:
        ids = [law.law.id for law in holds if law.domain is domain]
        report = check_laws(one, laws=ids, domain=domain, examples=30)
        assert [result.law.id for result in report.results if result.verdict is Verdict.VIOLATED] == []
    for law in found.laws:
        assert (law.outcome is FAILS) is (law.counterexample is not None)
        if law.counterexample is not None:
            row, versions = law.counterexample.operands
            assert find_violation(one, law.law.id, row, versions) is not None


def test_what_no_rule_says_is_not_decided():
    one = subject("MergesJson")
    found = [infer(one, point) for point in POINTS]
    without = [each._replace(rule=None) if each.point is Point.BATCH else each for each in found]
    told = laws_of(without, one)
    assert set(outcomes(told).values()) == {UNDECIDED}
    assert "no rule was found in a batch; `verify` tries it" in " ".join(told.sentences)
    assert told.parting == ""
    stored = next(each for each in found if each.point is Point.STORED)
    same = [
        each._replace(rule=stored.rule, unsaid=stored.unsaid) if each.point is Point.BATCH else each for each in found
    ]
    assert outcomes(laws_of(same, one))["associativity"] is UNDECIDED
    assert "only the class decides `doc`" in " ".join(laws_of(same, one).sentences)


def test_a_rule_that_the_class_refutes_breaks_no_law():
    one = subject("LaterEverywhere")
    found = [infer(one, point) for point in POINTS]
    wrong = MergeRule(columns={"a": Take(Role.OLDER), "n": Take(Role.NEWER)}, later=found[0].rule.later)
    planted = [each._replace(rule=wrong) if each.point is Point.BATCH else each for each in found]
    (law,) = (law for law in laws_of(planted, one).laws if law.law.id == "commutativity" and law.domain is Domain.DATA)
    assert law.outcome is UNDECIDED
    assert "the class merges those versions alike on both sides" in law.sentence
