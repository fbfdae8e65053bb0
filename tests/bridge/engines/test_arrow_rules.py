"""Whole columns merge pairs as the reference does, by all stated rules and by drawn ones, or leave them to calls."""

from __future__ import annotations

import collections
import itertools
from types import SimpleNamespace

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st

from bridge.engines.python.arrow_pairs import CALLED
from bridge.engines.python.column_folds import is_foldable, last_of_greatest
from bridge.engines.python.column_pairs import ColumnPairs
from bridge.engines.python.records import RecordReader, RecordWriter
from bridge.hudi.schema_evolution import arrow_of
from bridge.merge import PairMerge, RowSource, kept_by
from bridge.merge.buffered import mode_merge
from bridge.merge.calls import Carried
from mergers.laws.modes import MODES
from mergers.strategies import buffered_merger
from payloads import NATURAL_ORDER, Ordering, builtin_payloads, parse_schema
from payloads.records import RuleVersion, merged
from payloads.rules import (
    Against,
    ByColumn,
    ColumnIs,
    Concat,
    Constant,
    Default,
    DeleteTests,
    Effect,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsUnordered,
    LaterIs,
    Least,
    Marker,
    MergeRule,
    Point,
    Role,
    Sum,
    Take,
    Union,
    check_rule,
)
from payloads.user import same_record
from tests.mergers.rules.test_agreement import RELEASES, WITH_MODES
from tests.mergers.rules.universe import SETTINGS, stored, versions
from tests.payloads.rules.drawn import COLUMNS, RECORDS, RULES, SCHEMA, laters

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


FULL = {
    "id": "a",
    "ts": 1,
    "note": "x",
    "hits": 2**31 - 1,
    "raw": b"x",
    "share": -0.0,
    "part": 0.5,
    "yes": True,
    "tags": ["a", "b"],
    "counts": {"a": 1, "b": 2},
    "parts": [None, 1],
    "shares": {"b": None, "a": 0.5},
}
OTHER = FULL | {"ts": 2, "note": "y", "hits": 5, "share": 0.0, "yes": False, "tags": [], "counts": {"c": 0, "a": 7}}
NULLS = dict.fromkeys(SCHEMA.by_name) | {"id": "b", "ts": 1, "tags": ["c"], "counts": {}}
PAIRS = list(
    itertools.product(
        [RuleVersion(record, Ordering("long", record["ts"])) for record in (FULL, OTHER, NULLS)], repeat=2
    )
)


def check(merge, pairs, schema):
    """Compare what columns make of pairs with the reference; return how many they decide, by source."""
    arrow = arrow_of(schema)
    records = [one.record for pair in pairs for one in pair]
    batch = RecordWriter(schema, arrow).batch([*records[:1], *records]).slice(1)  # as Spark may hand it over
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
            row = next(made)
            assert same_record(row, expected.version.record), (merge, older, newer, expected)
            assert repr(row) == repr(expected.version.record), "maps have their entries in another order"
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


@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples * 2, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(rule=RULES, records=st.lists(RECORDS, min_size=2, max_size=4), marks=st.booleans())
@hypothesis.example(
    rule=MergeRule(
        ByColumn(("note",), Against.COLUMN_OF_DATA), DeleteTests(marker=Marker("note", "b")), otherwise=Effect.WINNER
    ),
    records=[
        dict.fromkeys(SCHEMA.by_name) | {"id": "", "ts": 1, "note": note, "tags": [], "counts": {}} for note in "abc"
    ],
    marks=False,
)
def test_columns_merge_by_drawn_rules_as_the_reference(rule, records, marks):
    sides = [RuleVersion(record, Ordering("long", record["ts"]), marked=False) for record in records]
    check(PairMerge(rule, SCHEMA, BY_TS, marks), list(itertools.product(sides, sides)), SCHEMA)


MADE = st.builds(
    MergeRule,
    laters(st.sampled_from([("ts",), ("hits",), ("note",)])),
    otherwise=st.sampled_from([Effect.NEW, Effect.FILLED]),
    columns=COLUMNS,
)


@hypothesis.settings(
    max_examples=hypothesis.settings().max_examples * 2, suppress_health_check=list(hypothesis.HealthCheck)
)
@hypothesis.given(rule=MADE, records=st.lists(RECORDS, min_size=3, max_size=5))
def test_rows_are_made_of_columns_as_the_reference_makes_them(rule, records):
    sides = [RuleVersion(record, Ordering("long", record["ts"]), marked=False) for record in records]
    check(PairMerge(rule, SCHEMA, BY_TS, marks=True), list(itertools.product(sides, sides)), SCHEMA)


LATER_FIRST = (Take(Role.LATER), Take(Role.EARLIER))
DECIMAL = {"type": "fixed", "name": "price", "size": 5, "logicalType": "decimal", "precision": 10, "scale": 2}
STRUCT = {"type": "record", "name": "struct", "fields": [{"name": "x", "type": ["null", "int"]}]}
THREE = FirstNonNull((Take(Role.OLDER), Constant(None), Constant("c")))
OPEN = IfElse(IsUnordered(Role.OLDER), *LATER_FIRST)
DECIDED = {
    "note": (Take(Role.EARLIER), FirstNonNull(LATER_FIRST), FirstNonMarker(LATER_FIRST, "x"), THREE, Least()),
    "hits": (Sum(), Greatest(), Constant(None), FirstNonDefault(LATER_FIRST), FirstNonNull((Constant(None), Sum()))),
    "ts": (Sum(), Least()),
    "id": (FirstNonMarker((Take(Role.OLDER), Take(Role.NEWER), Constant("c")), "a"),),
    "share": (Sum(), Least(), Greatest(), Constant(0.1)),
    "part": (Sum(), Least(), Greatest(), Constant(0.5), FirstNonDefault(LATER_FIRST, Default.VALUE)),
    "yes": (Least(), Greatest(), IfElse(ColumnIs(Role.EARLIER, "note", None), *LATER_FIRST)),
    "raw": (Constant(b"c"), FirstNonMarker(LATER_FIRST, b"x")),
    "tags": (Concat(), FirstNonNull((IfElse(LaterIs(Role.OLDER), Concat(), Take(Role.NEWER)), Take(Role.OLDER)))),
    "parts": (Concat(),),
    "counts": (Union(),),
    "shares": (Union(), FirstNonDefault((Union(), Take(Role.NEWER)))),
}
CALLED_FOR = {
    "raw": (Least(), Greatest()),  # Java's bytes have signs
    "tags": (Least(),),  # Java compares element by element
    "part": (Constant(0.1),),  # it is rounded when it is stored, not before
    "note": (OPEN, FirstNonNull((OPEN, Constant("c")))),  # a stored row's ordering value may be null
}


@pytest.mark.parametrize(
    ("column", "node", "is_decided"),
    [
        (column, node, nodes is DECIDED)
        for nodes in (DECIDED, CALLED_FOR)
        for column, some in nodes.items()
        for node in some
    ],
    ids=str,
)
def test_a_row_is_made_of_columns_or_left_to_the_call(column, node, is_decided):
    for gives in (Effect.NEW, *((Effect.FILLED,) * (not isinstance(node, Take)))):
        rule = MergeRule(ByColumn(("ts",)), columns={column: node}, otherwise=gives)
        check_rule(rule, SCHEMA)
        found = check(PairMerge(rule, SCHEMA, BY_TS, marks=False), PAIRS, SCHEMA)
        assert bool(found[CALLED]) is not is_decided, (node, gives)
        assert bool(found[RowSource.MADE]) is is_decided or gives is Effect.FILLED, node


ODD = {
    "day": ({"type": "int", "logicalType": "date"}, 1, -1, Least(), True),
    "constant day": ({"type": "int", "logicalType": "date"}, 1, -1, Constant(7), True),
    "at": ({"type": "long", "logicalType": "timestamp-micros"}, 2**40, -1, Greatest(), True),
    "constant at": ({"type": "long", "logicalType": "timestamp-micros"}, 2**40, -1, Constant(5), True),
    "price": (DECIMAL, b"\0\0\0\0\1", b"\0\0\0\0\2", Greatest(), False),
    "constant price": (DECIMAL, b"\0\0\0\0\1", b"\0\0\0\0\2", Constant(b"\0\0\0\0\7"), True),
    "kind": ({"type": "enum", "name": "kind", "symbols": ["B", "A"]}, "A", "B", Least(), False),
    "constant kind": ({"type": "enum", "name": "kind", "symbols": ["B", "A"]}, "A", "B", Constant("B"), True),
    "two bytes": ({"type": "fixed", "name": "two", "size": 2}, b"ab", b"cd", Constant(b"xy"), True),
    "lists": ({"type": "array", "items": {"type": "array", "items": "int"}}, [[1], []], [[2, 3]], Concat(), True),
    "structs": ({"type": "array", "items": STRUCT}, [{"x": 1}, {"x": None}], [{"x": 2}], Concat(), True),
    "prices": ({"type": "array", "items": DECIMAL}, [b"\0\0\0\0\1"], [b"\0\0\0\0\2"], Concat(), True),
    "maps of lists": (
        {"type": "map", "values": {"type": "array", "items": "int"}},
        {"a": [1], "b": []},
        {"c": [], "a": [2, 3]},
        Union(),
        True,
    ),
    "maps of structs": (
        {"type": "map", "values": STRUCT},
        {"a": {"x": 1}},
        {"a": {"x": None}, "b": {"x": 2}},
        Union(),
        True,
    ),
    "default of a list": (
        {"type": "array", "items": "int"},
        [],
        [1],
        FirstNonDefault((Take(Role.LATER), Take(Role.EARLIER))),
        True,
    ),
}


@pytest.mark.parametrize(("kind", "first", "second", "node", "is_decided"), ODD.values(), ids=ODD)
def test_columns_of_any_type_are_made_or_left_to_the_call(kind, first, second, node, is_decided):
    fields = [{"name": "ts", "type": "long"}, {"name": "c", "type": [kind, "null"]}]
    if kind["type"] == "array":
        fields[1]["default"] = []
    schema = parse_schema({"type": "record", "name": "row", "fields": fields})
    rows = [RuleVersion({"ts": ts, "c": value}, Ordering("long", ts)) for ts, value in enumerate((first, second, None))]
    rule = MergeRule(ByColumn(("ts",)), columns={"c": node}, otherwise=Effect.NEW)
    check_rule(rule, schema)
    found = check(PairMerge(rule, schema, BY_TS, marks=False), list(itertools.product(rows, rows)), schema)
    assert found.total() == found[RowSource.MADE if is_decided else CALLED]


def test_a_number_is_not_added_in_a_narrower_column():
    sides = [RuleVersion(one.record, Ordering("long", 1)) for pair in PAIRS for one in pair]
    schema = parse_schema(
        {**SCHEMA.source, "fields": [field for field in SCHEMA.source["fields"] if field["name"] in {"ts", "hits"}]}
    )
    records = [{name: one.record[name] for name in ("ts", "hits")} for one in sides]
    arrow = pa.schema([("ts", pa.int64()), ("hits", pa.int8())])
    batch = RecordWriter(schema, arrow).batch([one | {"hits": one["hits"] and one["hits"] % 100} for one in records])
    calls = SimpleNamespace(plan=SimpleNamespace(schema=None), schema=schema)
    rule = MergeRule(columns={"hits": Sum()})
    merge = ColumnPairs(PairMerge(rule, schema, BY_TS, marks=False), calls, ("ts", "hits"))
    everything = np.ones(len(records), bool)
    sources, rows = merge.merged(batch, np.arange(0, len(records), 2), everything, everything)
    assert rows is None
    assert set(sources.tolist()) == {CALLED}


@pytest.mark.parametrize("release", RELEASES)
def test_columns_fold_a_batch_as_the_reference(release):
    folded = 0
    for payload, (name, setting) in itertools.product(builtin_payloads(release), SETTINGS.items()):
        rule = payload.rule(Point.BATCH, *setting)
        pair = kept_by(rule, "ts", of_log=True)
        if pair is None or name in CARRIED or not is_foldable(pair, setting.schema):
            continue
        rows = [one for one in map(of_column, versions(setting.schema, marks=False)[::3]) if one is not None]
        batch = RecordWriter(setting.schema, arrow_of(setting.schema)).batch([one.record for one in rows])
        for chosen in itertools.permutations(range(len(rows)), 3):
            left = rows[chosen[0]]
            for number in chosen[1:]:
                left = merged(rule, left, rows[number], setting.schema).version
            column = None if pair.column is None else batch.column(pair.column).take(list(chosen))
            (last,) = last_of_greatest(np.zeros(3, int), column)
            assert rows[chosen[last]] is left, (payload, name, chosen)
            folded += 1
    assert folded
