"""What rules come down to for whole columns, and what is left to calls."""

from __future__ import annotations

import pytest

from bridge.merge import pair_of
from bridge.merge.whole_columns import deletes_first, deletes_of, fails_alone
from payloads import parse_schema, resolve_payload
from payloads.rules import (
    AllOf,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Constant,
    Effect,
    How,
    IsDelete,
    IsNatural,
    LaterIs,
    MergeRule,
    Point,
    Role,
)
from tests.support.schemas import record_schema

SCHEMA = parse_schema(record_schema(id="string", ts="long", note=["null", "string"], Op="string"))


def rule_of(name, release, point=Point.STORED, schema=SCHEMA, **props):
    ordering = {"hoodie.payload.ordering.field": "ts"}
    return resolve_payload(name, release).rule(point, schema, ordering | props)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
def test_one_ordering_field_decides_unless_more_is_computed_from_a_record(release):
    assert pair_of(rule_of("DefaultHoodieRecordPayload", release)) == ("ts", (True, True, False), True)
    computed = rule_of("DefaultHoodieRecordPayload", release, **{"hoodie.payload.event.time.field": "ts"})
    assert (pair_of(computed) is None) == (release in {"0.15", "1.0"})
    consistent = "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled"
    assert pair_of(rule_of("DefaultHoodieRecordPayload", release, **{consistent: "true"})) is None


@pytest.mark.parametrize("name", ["PostgresDebeziumAvroPayload", "MySqlDebeziumAvroPayload"])
def test_deletes_are_found_as_the_class_does(name):
    schema = parse_schema(record_schema(id="string", _change_operation_type="string"))
    (test,) = deletes_of(rule_of(name, "1.2", Point.ALONE, schema), schema)
    assert test == ("_change_operation_type", "d", True)
    assert resolve_payload(name, "1.2")(None).is_delete_record({"id": "a", "_change_operation_type": "D"})


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
    assert pair_of(rule) is None


def test_a_case_that_no_such_row_meets_is_passed_over():
    final = AllOf((IsDelete(Role.NEWER), IsNatural(Role.NEWER)))
    assert pair_of(MergeRule(ByColumn(("ts",)), cases=(Case(final, Effect.INCOMING),))) == (
        "ts",
        (True, True, False),
        True,
    )
    earlier = MergeRule(ByOrdering(tie=Role.OLDER, reverse=True))
    assert pair_of(earlier, "ts") == ("ts", (False, False, True), False)
    assert pair_of(earlier) is None  # all values are equal, and the older one stays
