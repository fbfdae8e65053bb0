"""Rules of merge modes as windows: every mode's own, and what windows don't say."""

from __future__ import annotations

import dataclasses

import pytest

from bridge.engines.native.windows import Windows
from mergers import HoodieRecordType, RecordMergeMode
from mergers.strategies import buffered_merger
from payloads import HudiRelease, parse_schema
from payloads.api import Properties
from payloads.rules import (
    DATA,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    Effect,
    FirstNonNull,
    IsDelete,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
)
from tests.support.schemas import record_schema

SCHEMA = parse_schema(record_schema(id="string", ts="long", note=["null", "string"]))
EVENT_TIME, COMMIT_TIME = RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING


def rule_of(mode, update=None):
    release = HudiRelease.latest()
    props = Properties({"hoodie.table.ordering.fields": "ts"})
    merger = buffered_merger(
        mode, SCHEMA, props, release=release, engine=HoodieRecordType.AVRO, partial_update_mode=update
    )
    return merger.rule(Point.STORED, SCHEMA)


@pytest.mark.parametrize("mode", [EVENT_TIME, COMMIT_TIME])
def test_a_mode_compares_or_takes_the_last(mode):
    assert Windows.of(rule_of(mode), SCHEMA) == (mode is EVENT_TIME, (), ())


@pytest.mark.parametrize("mode", [EVENT_TIME, COMMIT_TIME])
def test_a_partial_update_mode_fills_the_columns_that_may_be_null(mode):
    by_ordering, gaps, lacking = Windows.of(rule_of(mode, "IGNORE_DEFAULTS"), SCHEMA)
    assert (by_ordering, lacking) == (mode is EVENT_TIME, ())
    assert gaps == (("note", None),)


EVENTS = rule_of(EVENT_TIME)
FILLED = rule_of(EVENT_TIME, "IGNORE_DEFAULTS")
SWAPPED = FirstNonNull((Take(Role.EARLIER), Take(Role.LATER)))
MISTAKES = {
    "another tie": (dataclasses.replace(EVENTS, later=ByOrdering(tie=Role.OLDER)), "tie=OLDER"),
    "another order": (dataclasses.replace(EVENTS, later=ByOrdering(reverse=True)), "reverse=True"),
    "a column": (dataclasses.replace(EVENTS, later=ByColumn(("ts",))), "ByColumn"),
    "no reset": (dataclasses.replace(EVENTS, cases=()), "ByOrdering"),
    "resets by arrival": (dataclasses.replace(EVENTS, later=ByArrival()), "ByArrival"),
    "another delete": (MergeRule(cases=(Case(IsDelete(Role.NEWER), Effect.CURRENT),)), "CURRENT"),
    "the older one": (MergeRule(otherwise=Effect.CURRENT), "CURRENT"),
    "a sum": (dataclasses.replace(FILLED, columns={"ts": Sum()}), "Sum"),
    "the earlier value first": (dataclasses.replace(FILLED, columns={DATA: SWAPPED}), "EARLIER"),
}


@pytest.mark.parametrize(("rule", "node"), MISTAKES.values(), ids=MISTAKES)
def test_what_windows_do_not_say_is_named(rule, node):
    assert node in repr(Windows.of(rule, SCHEMA).lacking)


def test_another_default_than_null_is_no_gap_of_windows():
    fields = record_schema(id="string", ts="long", note=["null", "string"])
    fields["fields"].append({"name": "kind", "type": "string", "default": "none"})
    assert Windows.of(FILLED, parse_schema(fields)).lacking == (FILLED.columns[DATA],)
