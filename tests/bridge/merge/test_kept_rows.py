"""What rules come down to for any number of rows, and what is left to calls."""

from __future__ import annotations

import dataclasses
import functools
import itertools

import pytest

from bridge.merge import LastOfGreatest, deletes_first, deletes_of, fails_alone, in_columns, kept_by
from payloads import Ordering, parse_schema, resolve_payload
from payloads.records import RuleVersion, outcome_of
from payloads.rules import (
    Against,
    AllOf,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Constant,
    DeleteTests,
    Effect,
    How,
    IsDelete,
    IsNatural,
    LaterIs,
    Marker,
    MergeRule,
    Point,
    Role,
)
from tests.support.schemas import record_schema

SCHEMA = parse_schema(record_schema(id="string", ts="long", note=["null", "string"], Op="string"))
CONSISTENT = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"


def rule_of(name, release, point=Point.STORED, schema=SCHEMA, **props):
    ordering = {"hoodie.payload.ordering.field": "ts"}
    return resolve_payload(name, release).rule(point, schema, ordering | props)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
def test_one_ordering_field_decides_unless_more_is_computed_from_a_record(release):
    assert kept_by(rule_of("DefaultHoodieRecordPayload", release)) == LastOfGreatest("ts")
    computed = rule_of("DefaultHoodieRecordPayload", release, **{"hoodie.payload.event.time.field": "ts"})
    assert (kept_by(computed) is None) == (release in {"0.15", "1.0"})
    assert kept_by(rule_of("DefaultHoodieRecordPayload", release, **{CONSISTENT: "true"})) is None


@pytest.mark.parametrize("name", ["PostgresDebeziumAvroPayload", "MySqlDebeziumAvroPayload"])
def test_deletes_are_found_as_the_class_does(name):
    schema = parse_schema(record_schema(id="string", _change_operation_type="string"))
    tests = deletes_of(rule_of(name, "1.2", Point.ALONE, schema), schema)
    assert tests == DeleteTests(marker=Marker("_change_operation_type", "d", ignore_case=True))
    assert resolve_payload(name, "1.2")(None).is_delete_record({"id": "a", "_change_operation_type": "D"})


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        ({}, DeleteTests()),
        ({"_hoodie_is_deleted": "boolean", "Op": "string"}, DeleteTests(flag=True, marker=Marker("Op", "D"))),
        ({"_hoodie_is_deleted": ["null", "boolean"]}, DeleteTests(flag=True)),
        ({"_hoodie_is_deleted": "string"}, DeleteTests()),
        ({"_hoodie_is_deleted": "boolean", "Op": "int"}, None),
    ],
)
def test_the_columns_of_a_schema_tell_deletes_or_the_class_is_asked(columns, left):
    tests = DeleteTests(flag=True, marker=Marker("Op", "D"))
    assert in_columns(tests, parse_schema(record_schema(id="string", **columns))) == left


def test_a_case_that_a_row_may_meet_leaves_deletes_to_the_class():
    told = MergeRule(deletes=DeleteTests(flag=True), otherwise=Effect.INCOMING)
    closed = Case(ColumnIs(Role.NEWER, "note", "closed"), Effect.DELETE)
    schema = parse_schema(record_schema(id="string", note="string", _hoodie_is_deleted="boolean"))
    assert deletes_of(told, schema) == DeleteTests(flag=True)
    assert deletes_of(dataclasses.replace(told, cases=(closed,)), schema) is None
    assert deletes_of(dataclasses.replace(told, deletes=DeleteTests(marked=True)), schema) is None
    assert deletes_of(None, schema) is None


def test_a_class_says_whether_deletes_compare_and_what_an_insert_of_one_is():
    found = {
        release: deletes_first(rule_of("DefaultHoodieRecordPayload", release)) for release in ("0.12", "0.13", "0.14")
    }
    assert found == {"0.12": False, "0.13": True, "0.14": False}
    assert deletes_first(rule_of("EventTimeAvroPayload", "0.15"))
    assert not deletes_first(rule_of("OverwriteWithLatestAvroPayload", "0.15"))
    assert fails_alone(rule_of("AWSDmsAvroPayload", "0.15", Point.ALONE))
    assert not fails_alone(rule_of("DefaultHoodieRecordPayload", "0.15", Point.ALONE))


TOO_MUCH = {
    "of texts": MergeRule(ByColumn(("ts",), how=How.TEXT)),
    "of two columns": MergeRule(ByColumn(("ts", "note"))),
    "of the least": MergeRule(ByColumn(("ts",), reverse=True)),
    "of the first of the greatest": MergeRule(ByColumn(("ts",), tie=Role.OLDER)),
    "of the first of all": MergeRule(ByOrdering(tie=Role.OLDER)),
    "of other classes": MergeRule(ByColumn(("ts",), against=Against.CARRIED)),
    "never the newer one": MergeRule(otherwise=Effect.CURRENT),
    "a copy": MergeRule(otherwise=Effect.COPY),
    "a test of a column": MergeRule(cases=(Case(ColumnIs(Role.NEWER, "note", "x"), Effect.DELETE),)),
    "of a stored delete": MergeRule(cases=(Case(IsDelete(Role.OLDER), Effect.INCOMING),)),
    "Integer 0": MergeRule(cases=(Case(IsNatural(Role.NEWER), Effect.DELETE),)),
    "what loses deletes": MergeRule(
        ByColumn(("ts",)), cases=(Case(LaterIs(Role.OLDER), Effect.DELETE),), otherwise=Effect.INCOMING
    ),
    "a new row": MergeRule(columns={"note": Constant("x")}),
}


@pytest.mark.parametrize("rule", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_takes_more_than_one_comparison_is_left_to_calls(rule):
    assert kept_by(rule) is None


def test_a_case_that_no_such_row_meets_is_passed_over():
    final = AllOf((IsDelete(Role.NEWER), IsNatural(Role.NEWER)))
    assert kept_by(MergeRule(ByColumn(("ts",)), cases=(Case(final, Effect.INCOMING),))) == LastOfGreatest("ts")
    assert kept_by(MergeRule(ByOrdering()), "ts") == LastOfGreatest("ts")
    assert kept_by(MergeRule(ByOrdering(reverse=True)), "ts") is None
    assert kept_by(MergeRule(ByOrdering(reverse=True))) == LastOfGreatest(None)  # all values are equal


LATER = [
    *(ByOrdering(tie, reverse) for tie in (Role.OLDER, Role.NEWER) for reverse in (False, True)),
    *(ByColumn(("ts",), tie=tie, reverse=reverse) for tie in (Role.OLDER, Role.NEWER) for reverse in (False, True)),
]
CASES = [
    ((), None),
    ((), Effect.INCOMING),
    ((Case(LaterIs(Role.OLDER), Effect.CURRENT),), Effect.INCOMING),
    ((Case(LaterIs(Role.OLDER), Effect.SENTINEL),), Effect.INCOMING),
    ((Case(LaterIs(Role.NEWER), Effect.CURRENT),), Effect.INCOMING),
    ((Case(IsDelete(Role.NEWER), Effect.DELETE),), Effect.INCOMING),
    ((Case(IsDelete(Role.NEWER), Effect.DELETE), Case(LaterIs(Role.OLDER), Effect.CURRENT)), Effect.INCOMING),
    ((Case(ColumnIs(Role.OLDER, "note", None), Effect.CURRENT),), Effect.INCOMING),
]


def test_what_is_kept_is_what_the_reference_keeps_of_three_versions():
    """The analysis of a rule against `payloads.records`, on all sequences of three values."""
    kept = 0
    for later, (cases, result), carries in itertools.product(LATER, CASES, (False, True)):
        rule = MergeRule(later, DeleteTests(flag=True), cases, result)
        found = kept_by(rule, "ts" if carries else None, of_log=True)
        for values in itertools.product((1, 2), repeat=3):
            rows = [{"id": "a", "ts": ts, "note": None, "Op": str(place)} for place, ts in enumerate(values)]
            told = [Ordering("long", row["ts"]) if carries else Ordering("int", 0) for row in rows]
            versions = list(map(RuleVersion, rows, told))
            if found is None:
                continue
            left = functools.reduce(lambda one, other: outcome_of(rule, one, other, SCHEMA).version or one, versions)
            greatest = max(rows, key=lambda row: (row["ts"] if found.column else 0, row["Op"]))
            assert left.record is greatest, (rule, values, found)
            kept += 1
    assert kept > 100
