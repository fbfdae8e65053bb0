"""Whole columns merge pairs as the reference does, by all stated rules and by drawn ones, or leave them to calls."""

from __future__ import annotations

import collections
import itertools
from types import SimpleNamespace

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from bridge.engines.python.arrow_pairs import CALLED
from bridge.engines.python.column_folds import is_foldable, last_of_greatest
from bridge.engines.python.column_pairs import ColumnPairs
from bridge.engines.python.records import RecordReader, RecordWriter
from bridge.hudi.schema_evolution import arrow_of
from bridge.merge import PairMerge, RowSource, pair_of
from bridge.merge.buffered import mode_merge
from bridge.merge.calls import Carried
from mergers.laws.modes import MODES
from mergers.strategies import buffered_merger
from payloads import NATURAL_ORDER, Ordering, builtin_payloads
from payloads.records import RuleVersion, merged
from payloads.rules import (
    Against,
    ByColumn,
    DeleteTests,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    Least,
    Marker,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
)
from payloads.user import same_record
from tests.mergers.rules.test_agreement import RELEASES, WITH_MODES
from tests.mergers.rules.universe import SETTINGS, stored, versions
from tests.payloads.rules.drawn import RULES, SCHEMA, VALUES

BY_TS = Carried("ts", Ordering("long", 1))
NOTHING = Carried(None, NATURAL_ORDER)
CARRIED = {"arrival": NOTHING, "two fields": None, "consistent": None, "milliseconds": None}
"""By setting, what versions carry, where it is not the value of `ts`."""
GIVEN = {
    Effect.CURRENT: RowSource.STORED,
    Effect.SENTINEL: RowSource.STORED,
    Effect.INCOMING: RowSource.INCOMING,
    Effect.DELETE: RowSource.NONE,
    Effect.NEW: RowSource.MADE,
}


def check(merge, pairs, schema):
    """Compare what columns make of pairs with the reference; return how many they decide, by source."""
    arrow = arrow_of(schema)
    batch = RecordWriter(schema, arrow).batch([one.record for pair in pairs for one in pair])
    firsts, everything = np.arange(0, 2 * len(pairs), 2), np.ones(2 * len(pairs), bool)
    calls = SimpleNamespace(plan=SimpleNamespace(schema=None), schema=schema)
    sources, rows = ColumnPairs(merge, calls, tuple(arrow.names)).merged(batch, firsts, everything, everything)
    read = RecordReader(schema, arrow)
    made = iter([] if rows is None else read.rows(rows, np.arange(rows.num_rows)))
    for (older, newer), source in zip(pairs, sources.tolist(), strict=True):
        if source == CALLED:
            continue
        expected = merged(merge.rule, older, newer, schema)
        assert GIVEN.get(expected.gives) == source, (merge, older, newer, expected)
        if source == RowSource.MADE:
            assert same_record(next(made), expected.version.record), (merge, older, newer, expected)
    assert next(made, None) is None
    return collections.Counter(sources.tolist())


def of_column(version):
    """A version that carries what its column says; None for one without."""
    value = None if version.record is None else version.record["ts"]
    return None if value is None else version._replace(ordering=Ordering("long", value))


def newer_rows(schema, carried):
    """Rows with the ordering values that columns say they carry: never null."""
    rows = [one for one in versions(schema, marks=False) if one.record is not None]
    if carried is None:
        return [one for one in rows if one.ordering is not None]
    if carried.column is None:
        return [one._replace(ordering=carried.sample) for one in rows]
    return [one for one in map(of_column, rows) if one is not None]


@pytest.mark.parametrize("release", RELEASES)
def test_columns_merge_by_the_rule_of_a_class_as_the_reference(release):
    decided = collections.defaultdict(collections.Counter)
    for payload, (name, setting) in itertools.product(builtin_payloads(release), SETTINGS.items()):
        rule = payload.rule(Point.STORED, *setting)
        if rule is None:
            continue
        for carried in {CARRIED.get(name, BY_TS), NOTHING}:
            pairs = list(itertools.product(stored(setting.schema), newer_rows(setting.schema, carried)))
            merge = PairMerge(rule, setting.schema, carried, marks=False)
            decided[payload.__name__] += check(merge, pairs, setting.schema)
    for name in ("OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload", "EventTimeAvroPayload"):
        assert decided[name][RowSource.INCOMING], name
        assert decided[name][RowSource.NONE], name
    assert decided["OverwriteNonDefaultsWithLatestAvroPayload"][RowSource.MADE]


@pytest.mark.parametrize("release", WITH_MODES)
def test_columns_merge_by_the_rule_of_a_mode_as_the_reference(release):
    decided = collections.defaultdict(collections.Counter)
    for mode, (name, setting), rows in itertools.product(MODES, SETTINGS.items(), ("AVRO", "SPARK")):
        kind, _, partial = mode.partition("/")
        if partial and release == "1.0":
            continue
        merger = buffered_merger(kind, *setting, release=release, engine=rows, partial_update_mode=partial or None)
        fields = {"arrival": (), "two fields": ("ts", "n")}.get(name, ("ts",))
        merge = mode_merge(merger, setting.schema, fields, is_consistent=name == "consistent")
        sides = [
            [
                one._replace(ordering=merger.context.row_ordering(one.record))
                for one in side
                if one.record and not one.marked
            ]
            for side in (stored(setting.schema), versions(setting.schema, marks=True)[::3])
        ]
        decided[mode] += check(merge, list(itertools.product(*sides)), setting.schema)
    assert all(found[RowSource.INCOMING] for found in decided.values())
    assert all(found[RowSource.MADE] for mode, found in decided.items() if "FILL_UNAVAILABLE" in mode)


RECORDS = st.fixed_dictionaries(
    {
        **{name: VALUES[name] if name != "ts" else st.integers(-2, 2) for name in VALUES},
        "tags": st.lists(st.text(max_size=1), max_size=1),
        "counts": st.dictionaries(st.text(max_size=1), st.integers(-1, 1), max_size=1),
    }
)


@hypothesis.settings(max_examples=300, deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(rule=RULES, records=st.lists(RECORDS, min_size=2, max_size=4), marks=st.booleans())
@hypothesis.example(
    rule=MergeRule(
        ByColumn(("note",), Against.COLUMN_OF_DATA), DeleteTests(marker=Marker("note", "b")), otherwise=Effect.WINNER
    ),
    records=[{"id": "", "ts": 1, "note": note, "hits": 0, "raw": b"", "tags": [], "counts": {}} for note in "abc"],
    marks=False,
)
def test_columns_merge_by_drawn_rules_as_the_reference(rule, records, marks):
    sides = [RuleVersion(record, Ordering("long", record["ts"]), marked=False) for record in records]
    check(PairMerge(rule, SCHEMA, BY_TS, marks), list(itertools.product(sides, sides)), SCHEMA)


LATER_FIRST = (Take(Role.LATER), Take(Role.EARLIER))


@pytest.mark.parametrize(
    ("node", "is_decided"),
    [
        (Take(Role.EARLIER), True),
        (FirstNonNull(LATER_FIRST), True),
        (FirstNonDefault(LATER_FIRST), True),
        (FirstNonMarker(LATER_FIRST, "x"), True),
        (Least(), True),
        (Greatest(), True),
        (Sum(), False),
    ],
)
def test_a_row_is_made_of_columns_or_left_to_the_call(node, is_decided):
    schema = SETTINGS["by ts"].schema
    column = "n" if isinstance(node, Sum) else "note"
    rows = stored(schema)
    for gives in (Effect.NEW, *((Effect.FILLED,) * (not isinstance(node, Take)))):
        rule = MergeRule(ByColumn(("ts",)), columns={column: node}, otherwise=gives)
        found = check(PairMerge(rule, schema, BY_TS, marks=False), list(itertools.product(rows, rows)), schema)
        assert bool(found[RowSource.MADE]) is is_decided, (node, gives)


@pytest.mark.parametrize("release", RELEASES)
def test_columns_fold_a_batch_as_the_reference(release):
    folded = 0
    for payload, (name, setting) in itertools.product(builtin_payloads(release), SETTINGS.items()):
        rule = payload.rule(Point.BATCH, *setting)
        pair = pair_of(rule, "ts", of_log=True)
        if pair is None or name in CARRIED or not is_foldable(pair, setting.schema):
            continue
        rows = [one for one in map(of_column, versions(setting.schema, marks=False)[::3]) if one is not None]
        batch = RecordWriter(setting.schema, arrow_of(setting.schema)).batch([one.record for one in rows])
        for chosen in itertools.permutations(range(len(rows)), 3):
            left = rows[chosen[0]]
            for number in chosen[1:]:
                left = merged(rule, left, rows[number], setting.schema).version
            column = None if pair.field is None else batch.column(pair.field).take(list(chosen))
            (last,) = last_of_greatest(np.zeros(3, int), column)
            assert rows[chosen[last]] is left, (payload, name, chosen)
            folded += 1
    assert folded
