"""Rules found by asking classes: each gives the answers to questions that were not asked, or is not printed."""

from __future__ import annotations

import functools
import random
import time
from typing import ClassVar

import pytest

from mergers.laws import subject_of
from mergers.laws.infer import agrees, asked_anew, infer
from mergers.laws.modes import MODES
from payloads import HudiRelease, builtin_payloads
from payloads.rules import (
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    DeleteTests,
    Effect,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsDelete,
    IsEmpty,
    Least,
    Letters,
    Marker,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
)
from tests.mergers.laws.infer.shapes import SHAPES, Shape, schema_of

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER
POINTS = (Point.BATCH, Point.STORED, Point.ALONE)
DELETED = Case(IsDelete(NEWER), Effect.DELETE)
SECOND_SEED = 1
UNSAID = {"MergesJson": ("doc",), "MergesObjectsOnly": ("doc",), "Averages": ("score",), "RankedStatus": ("status",)}


def subject(shape, release="1.2"):
    return subject_of(shape, schema=schema_of(shape), key=("id",), ordering_fields=("ts",), release=release, props={})


def refuted(found, one, seed=SECOND_SEED):
    """Return questions of another seed to which the rule gives another answer than the class."""
    unsaid = tuple(column.column for column in found.unsaid)
    return [
        (question, answer)
        for question, answer in asked_anew(one, found.point, count=3_000, seed=seed)
        if not agrees(found.rule, question, answer, one.spec.schema, unsaid)
    ]


@functools.cache
def inferred(name, point=Point.STORED):
    return infer(subject(SHAPES[name]), point)


@pytest.mark.parametrize("name", SHAPES)
def test_the_rule_of_a_users_class_is_found(name):
    found = inferred(name)
    assert found.rule is not None
    assert tuple(column.column for column in found.unsaid) == UNSAID.get(name, ())
    assert refuted(found, subject(SHAPES[name])) == []


@pytest.mark.parametrize("point", [Point.BATCH, Point.ALONE])
@pytest.mark.parametrize("name", ["ByVersionThenTime", "DeletesByColumns", "DeletesInAnyCase", "MergesJson"])
def test_the_rule_at_other_points_is_found(name, point):
    found = inferred(name, point)
    assert (found.rule is not None, found.unsaid) == (True, ())
    assert refuted(found, subject(SHAPES[name])) == []


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("LastWriteWins", MergeRule(cases=(DELETED,), otherwise=Effect.INCOMING)),
        ("FirstWriteWins", MergeRule(cases=(DELETED,), otherwise=Effect.CURRENT)),
        ("NewerByColumn", MergeRule(ByColumn(("updated",)), cases=(DELETED,))),
        ("StoredWinsTies", MergeRule(ByColumn(("updated",), tie=OLDER), cases=(DELETED,))),
        ("OlderWins", MergeRule(ByColumn(("updated",), tie=OLDER, reverse=True), cases=(DELETED,))),
        ("ByVersionThenTime", MergeRule(ByColumn(("version", "at")), DeleteTests(flag=True), cases=(DELETED,))),
        (
            "DeletesByOp",
            MergeRule(deletes=DeleteTests(marker=Marker("op", "D")), cases=(DELETED,), otherwise=Effect.INCOMING),
        ),
        (
            "DeletesInAnyCase",
            MergeRule(
                deletes=DeleteTests(marker=Marker("op", "DEL", ignore_case=True)),
                cases=(DELETED,),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "DeletesInAnyCaseOfTwo",
            MergeRule(
                deletes=DeleteTests(marker=Marker("op", "DEL", ignore_case=True)),
                cases=(DELETED, Case(TextIs(NEWER, "state", "gone"), Effect.DELETE)),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "DeletesInLowerCase",
            MergeRule(
                cases=(
                    Case(IsEmpty(NEWER), Effect.DELETE),
                    Case(TextIs(NEWER, "op", "skip", Letters.LOWER), Effect.DELETE),
                ),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "ClosesInUpperCase",
            MergeRule(
                cases=(DELETED, Case(TextIs(OLDER, "status", "DISMISSED", Letters.UPPER), Effect.CURRENT)),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "DeletesByColumns",
            MergeRule(
                deletes=DeleteTests(flag=True, marker=Marker("op", "D")),
                cases=(DELETED, Case(ColumnIs(NEWER, "state", "GONE"), Effect.DELETE)),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "DeletesByTruth",
            MergeRule(
                cases=(Case(IsEmpty(NEWER), Effect.DELETE), Case(ColumnIs(NEWER, "gone", value=True), Effect.DELETE)),
                otherwise=Effect.INCOMING,
            ),
        ),
        (
            "FillsByVersion",
            MergeRule(
                ByColumn(("updated",)), cases=(DELETED,), columns={"*": FirstNonNull((Take(LATER), Take(EARLIER)))}
            ),
        ),
    ],
)
def test_a_rule_is_as_short_as_one_would_write_it(name, rule):
    assert inferred(name).rule == rule


@pytest.mark.parametrize(
    ("name", "column", "node"),
    [
        ("Counts", "hits", Sum()),
        ("AddsUp", "amount", Sum()),
        ("EarliestSeen", "first_seen", Least()),
        ("BestScore", "score", Greatest()),
        ("Appends", "tags", Concat()),
        ("UnitesMaps", "props", Union()),
        ("KeepsCreated", "created", Take(OLDER)),
        ("KeepsWhereMarker", "a", FirstNonMarker((Take(NEWER), Take(OLDER)), "__unavailable__")),
        ("CountsClicks", "hits", IfElse(ColumnIs(NEWER, "kind", "click"), Sum(), Take(OLDER))),
        ("MergesJson", "hits", Sum()),
    ],
)
def test_what_a_column_becomes_is_said_by_one_node(name, column, node):
    assert inferred(name).rule.columns[column] == node


class ByOrderingOfBatch(Shape):
    def pre_combine(self, older, schema=None, props=None):
        return older if older.ordering_value >= self.ordering_value else self


def test_points_may_have_different_rules():
    one = subject(ByOrderingOfBatch)
    assert infer(one, Point.BATCH).rule == MergeRule(ByOrdering(tie=OLDER))
    assert infer(one, Point.STORED).rule == MergeRule(cases=(DELETED,), otherwise=Effect.INCOMING)


# -- what is no rule is not printed as one


class Clock(Shape):
    columns = {"seen": "long", "a": "optional string"}  # noqa: RUF012 (as in the shapes)

    def merged(self, stored, incoming):
        return {**incoming, "seen": time.time_ns()}


class Dice(Shape):
    def merged(self, stored, incoming):
        return random.choice((stored, incoming))  # noqa: S311


@pytest.mark.parametrize("shape", [Clock, Dice])
def test_a_class_that_is_no_function_of_two_versions_has_no_rule(shape):
    found = infer(subject(shape), Point.STORED)
    assert found.rule is None
    question, first, second = found.unstable
    assert question.newer.record is not None
    assert first != second


class AboveLimit(Shape):
    columns = {"amount": "long", "a": "optional string"}  # noqa: RUF012

    def merged(self, stored, incoming):
        return incoming if incoming["amount"] > 100 else stored


class ByLength(Shape):
    def merged(self, stored, incoming):
        return incoming if len(incoming["a"] or "") >= len(stored["a"] or "") else stored


class Shouts(Shape):
    def merged(self, stored, incoming):
        return {**incoming, "a": (incoming["a"] or "").upper()}


@pytest.mark.parametrize("shape", [AboveLimit, ByLength, Shouts])
def test_what_the_language_can_not_say_is_not_guessed(shape):
    one = subject(shape)
    found = infer(one, Point.STORED)
    assert found.rule is None or (found.unsaid and refuted(found, one) == [])


def test_a_column_without_a_rule_comes_with_a_pair_that_shows_it():
    (doc,) = inferred("MergesJson").unsaid
    assert doc.column == "doc"
    given = [doc.question.older.record["doc"], doc.question.newer.record["doc"]]
    assert doc.answer.record["doc"] not in given


# -- Hudi's own

NOT_FOUND = {("PartialUpdateAvroPayload", Point.BATCH)}
"""Its rows are made of both versions, and its deletes pass whole: a case for each."""


def check_builtin(payload, release):
    for point in POINTS:
        one = subject_of(payload.__name__, schema=None, key=(), ordering_fields=None, release=release, props={})
        found = infer(one, point)
        assert (found.rule is None or bool(found.unsaid)) == ((payload.__name__, point) in NOT_FOUND), (point, found)
        assert found.rule is None or refuted(found, one) == []


@pytest.mark.parametrize("payload", builtin_payloads("1.2"), ids=lambda one: one.__name__)
def test_the_rules_of_built_in_classes_are_found(payload):
    check_builtin(payload, "1.2")


@pytest.mark.long
@pytest.mark.parametrize("release", [line for line in HudiRelease if str(line) != "1.2"], ids=str)
def test_the_rules_of_built_in_classes_are_found_in_each_release(release):
    for payload in builtin_payloads(release):
        check_builtin(payload, str(release))


@pytest.mark.parametrize("mode", MODES)
def test_the_rules_of_merge_modes_are_found(mode):
    for point in (Point.BATCH, Point.STORED):
        one = subject_of(mode, schema=None, key=(), ordering_fields=None, release="1.2", props={})
        found = infer(one, point)
        assert found.rule is not None, (mode, point)
        assert refuted(found, one) == []


class Folds(Shape):
    """Compares as no test of rules does: the Kelvin sign, the long s and the sharp s are all letters of its word."""

    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def deletes(self, record):
        return (record["op"] or "").casefold() == "kisses"


def test_a_class_that_compares_letters_in_its_own_way_has_no_rule():
    assert infer(subject(Folds), Point.STORED).rule is None
