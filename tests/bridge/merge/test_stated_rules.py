"""Users' classes that state a rule, at every merge point of every release: beside classes whose methods do the same."""

from __future__ import annotations

import itertools

import pytest

from bridge.merge import check_stated
from bridge.plan import MergePlan
from bridge.spark.schema import avro_schema
from mergers.laws import Verdict, check_laws
from mergers.laws.constants import constants_of, words_of
from payloads import HudiRelease, SchemaError
from tests.conformance.in_process import simulate, struct_of
from tests.support import rule_classes

COLUMNS = "id string, ts bigint, hits int, first_seen bigint, _hoodie_is_deleted boolean"
NAMES = [column.split()[0] for column in COLUMNS.split(", ")]
HERE = rule_classes.__name__
BATCHES = [
    [("a", 1, 1, 5, None), ("b", 1, 1, 5, None), ("c", 9, None, 9, None)],
    [("a", 2, 2, 7, None), ("a", 3, 2, 3, None), ("b", 5, 0, 0, True), ("c", 3, 4, 1, None), ("c", 9, 1, 2, None)],
    [("a", 1, 10, 9, None), ("b", 7, 1, 1, None), ("d", 1, 1, 1, True), ("c", 1, 1, 1, True)],
    [("b", 2, 1, 1, None), ("d", 1, 1, 1, None), ("c", 20, 1, 1, True), ("c", 21, 5, 5, None)],
]
PLANS = [
    (release, table_type, kind)
    for release, table_type, kind in itertools.product(map(str, HudiRelease), ("cow", "mor"), ("payload", "merger"))
    if kind == "payload" or release not in {"0.12", "0.13", "0.14", "0.15"}
]


def schema_of(columns):
    return avro_schema(struct_of(columns), HudiRelease.latest())


def snapshots(name, release, table_type, kind):
    plan = MergePlan(release=release, key="id", ordering="ts", table_type=table_type, **{kind: f"{HERE}:{name}"})
    batches = [[dict(zip(NAMES, row, strict=True)) for row in batch] for batch in BATCHES]
    found = simulate(batches, struct_of(COLUMNS), plan)
    return {commit: sorted(tuple(row[name] for name in NAMES) for row in rows) for commit, rows in found.items()}


@pytest.mark.parametrize(("release", "table_type", "kind"), PLANS)
def test_a_rule_runs_as_methods_of_the_same_meaning(release, table_type, kind):
    names = {"payload": ("Visits", "VisitsByHand"), "merger": ("VisitsMerger", "VisitsMergerByHand")}[kind]
    by_rule, by_hand = (snapshots(name, release, table_type, kind) for name in names)
    assert by_rule == by_hand
    assert by_rule[1] == [(*row[:4], None) for row in BATCHES[0]]


def test_a_rule_that_does_not_fit_names_class_node_column_and_type():
    plan = MergePlan(release="1.2", key="id", merger=f"{HERE}:AddsTexts")
    with pytest.raises(SchemaError, match=r"rule_classes:AddsTexts: Sum\(\).*'id' of type string"):
        check_stated(plan, schema_of(COLUMNS))


@pytest.mark.parametrize("named", [f"{HERE}:Visits", rule_classes.Visits, f"{HERE}:VisitsMerger"])
def test_verify_checks_the_laws_of_a_rule(named):
    report = check_laws(
        named,
        schema=schema_of("id string, ts bigint, hits int, first_seen bigint"),
        key=["id"],
        ordering_fields=["ts"],
        laws=["associativity", "idempotence"],
        exhaustive=True,
    )
    found = {result.law.id: result.verdict for result in report.results if result.verdict is not Verdict.NOT_APPLICABLE}
    assert found == {"associativity": Verdict.PROVED, "idempotence": Verdict.VIOLATED}


def test_verify_tries_the_values_and_columns_that_a_rule_names():
    assert "closed" in constants_of(rule_classes.ClosedStays)
    assert {"closed", "status", "version", "note"} <= words_of(rule_classes.ClosedStays)
    assert "newer" not in constants_of(rule_classes.ClosedStays)
