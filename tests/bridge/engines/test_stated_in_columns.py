"""A rule that a user's merger states: whole columns give what its calls give, where they give anything."""

from __future__ import annotations

import collections
import itertools

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from bridge.engines.python.arrow_pairs import CALLED
from bridge.engines.python.column_pairs import ColumnPairs
from bridge.engines.python.inserts import InsertMask
from bridge.engines.python.records import RecordReader, RecordWriter
from bridge.hudi.schema_evolution import arrow_of
from bridge.merge import MergePoint, MergePointError, RecordMerge, RowSource
from bridge.plan import MergePlan
from payloads import PayloadBridgeError, parse_schema
from payloads.avro import same_record
from payloads.rules import (
    ByOrdering,
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    FirstNonNull,
    IsNatural,
    IsUnordered,
    MergeRule,
    Role,
    Sum,
    Take,
)
from tests.payloads.rules.drawn import COLUMNS, RECORDS, SCHEMA, TESTS, laters, rules_of

FLAG = "_hoodie_is_deleted"
NULLABLE = {
    **SCHEMA.source,
    "fields": [
        *({**field, "type": ["null", "long"]} if field["name"] == "ts" else field for field in SCHEMA.source["fields"]),
        {"name": FLAG, "type": ["null", "boolean"], "default": None},
    ],
}
STATED = parse_schema(NULLABLE)
ROWS = st.builds(
    lambda record, ts, flag: record | {"ts": ts, FLAG: flag},
    RECORDS,
    st.none() | st.integers(-1, 1),
    st.sampled_from([None, None, False, True]),
)
RULES = rules_of(
    laters(st.sampled_from([("ts",), ("hits",), ("note",)])),
    st.builds(DeleteTests, st.booleans()),
    TESTS,
    st.sampled_from(sorted(set(Effect) - {Effect.EDITED}, key=repr)),
    COLUMNS,
)


class Stated:
    """A merger that states a rule, which a test sets."""

    merging_strategy = "0b1f9c1e-7c55-4a60-9d4b-3a1f6d0c2a12"
    rule = MergeRule()


def merge_of(rule, release, ordering):
    Stated.rule = rule
    return RecordMerge(MergePlan(merger=Stated, release=release, key="id", ordering=ordering), STATED)


def called(calls, stored, newer):
    made = []
    try:
        return calls.pair(dict(stored), dict(newer), made), made
    except (MergePointError, PayloadBridgeError):
        return CALLED, made


def check(rule, release, ordering, point, records):
    """Compare columns with calls for each two rows; return how many pairs had which source by columns."""
    merge = merge_of(rule, release, ordering)
    calls = merge.single_rows(point)
    arrow = arrow_of(STATED)
    pairs = list(itertools.product(records, records))
    batch = RecordWriter(STATED, arrow).batch([one for pair in pairs for one in pair])
    told, plain = InsertMask(calls.tests, None, merge).rows(batch)
    columns = ColumnPairs(calls.stored, merge, tuple(arrow.names))
    sources, rows = columns.merged(batch, np.arange(0, 2 * len(pairs), 2), told, plain)
    made = iter([] if rows is None else RecordReader(STATED, arrow).rows(rows, np.arange(rows.num_rows)))
    for (stored, newer), source in zip(pairs, sources.tolist(), strict=True):
        if source == CALLED:
            continue
        wanted, expected = called(calls, stored, newer)
        assert source == wanted, (stored, newer)
        if source == RowSource.MADE:
            row = {name: expected[0][name] for name in STATED.by_name}
            assert same_record(next(made), row), (stored, newer, row)
    assert next(made, None) is None
    return collections.Counter(sources.tolist())


POINTS = st.sampled_from([MergePoint.UPSERT, MergePoint.SNAPSHOT])


@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples * 2, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(
    rule=RULES,
    release=st.sampled_from(["1.1", "1.2"]),
    ordering=st.sampled_from(["ts", "hits", "note", "share", ()]),
    point=POINTS,
    records=st.lists(ROWS, min_size=2, max_size=4),
)
def test_columns_give_what_calls_give(rule, release, ordering, point, records):
    check(rule, release, ordering, point, records)


ROW = dict.fromkeys(STATED.by_name) | {"id": "a", "ts": 1, "hits": 1, "tags": [], "counts": {}}
SOME = [ROW | {"ts": ts, "hits": hits} for ts, hits in itertools.product((None, 0, 1), (None, 0, 2))]


@pytest.mark.parametrize("point", [MergePoint.UPSERT, MergePoint.SNAPSHOT])
@pytest.mark.parametrize(
    "rule",
    [
        MergeRule(ByOrdering(), columns={"hits": Sum(), "note": FirstNonNull((Take(Role.LATER), Take(Role.EARLIER)))}),
        *(MergeRule(cases=(Case(test(side), Effect.CURRENT),)) for test in (IsNatural, IsUnordered) for side in Role),
    ],
    ids=repr,
)
def test_a_rule_is_not_called_where_columns_have_ordering_values(rule, point):
    for ordering in ("ts", "hits"):
        found = check(rule, "1.2", ordering, point, SOME)
        assert found[CALLED] < found.total()
        assert check(rule, "1.2", ordering, point, [one for one in SOME if one[ordering] is not None])[CALLED] == 0


def test_a_delete_carries_the_greater_ordering_value_if_there_is_one():
    deletes = MergeRule(cases=(Case(ColumnIs(Role.NEWER, "hits", 2), Effect.DELETE),), otherwise=Effect.INCOMING)
    found = check(deletes, "1.2", "ts", MergePoint.UPSERT, SOME)
    nulls = sum(one["ts"] is None or other["ts"] is None for one in SOME for other in SOME if other["hits"] == 2)
    assert found[CALLED] == nulls
    assert found[RowSource.NONE] == len(SOME) * 3 - nulls
    assert check(deletes, "1.2", (), MergePoint.UPSERT, SOME)[CALLED] == 0
    assert check(deletes, "1.2", "share", MergePoint.UPSERT, SOME)[CALLED] == len(SOME) ** 2


def test_a_merge_of_1_0_or_by_an_ordering_value_of_no_plain_column_is_called():
    assert merge_of(MergeRule(), "1.0", "ts").single_rows(MergePoint.SNAPSHOT).stored is None
    assert merge_of(MergeRule(), "1.2", "share").single_rows(MergePoint.UPSERT).stored is None
