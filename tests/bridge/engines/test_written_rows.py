"""Rows of an upsert, through the engine in this process: which one is kept, which one is written, and as what."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bridge import MergeFailedError, MergePlan
from bridge.engines import IS_DELETE, Job
from bridge.engines.python.worker import merged
from bridge.merge import Action
from bridge.programs.program import Origin
from bridge.spark.schema import META_COLUMNS
from mergers import HoodieAvroIndexedRecord
from payloads import parse_schema
from tests.support.one_key import COMMIT, DEFAULT, EVENT, MODE_RELEASES, RELEASES, plan_of
from tests.support.user_mergers import LaterEvent

INSTANT = "20240102030405678"


def schema_of(*fields):
    return parse_schema({"type": "record", "name": "Row", "fields": [{"name": n, "type": kind} for n, kind in fields]})


def upserted(plan, schema, table, batch_size=10, instant=None):
    columns = tuple(name for name in table.column_names if not name.startswith("_pb_"))
    job = Job(plan, schema, columns, "upsert", instant=instant)
    found = [row for batch in merged(job, table.to_batches(batch_size)) for row in batch.to_pylist()]
    return sorted(found, key=lambda row: row["id"])


# -- ordering columns of timestamps, of which a frame has microseconds


def pair(stored, incoming, kind):
    """Return a stored and an incoming row of one key whose ordering column has these microseconds."""
    schema = schema_of(("id", "string"), ("at", {"type": "long", "logicalType": kind}), ("v", "string"))
    table = pa.table(
        {
            "id": ["a", "a"],
            "at": pa.array([stored, incoming], pa.timestamp("us", tz="UTC")),
            "v": ["stored", "incoming"],
            "_pb_origin": pa.array([Origin.STORED, Origin.INCOMING], pa.int8()),
        }
    )
    return schema, table


@pytest.mark.parametrize("is_asked", [False, True])
@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("kind", "micros", "winner"),
    [
        ("timestamp-millis", (1_999, 1_000), "incoming"),  # one millisecond: a tie, which the later row wins
        ("timestamp-millis", (-1, -1_000), "incoming"),
        ("timestamp-millis", (2_000, 1_999), "stored"),
        ("timestamp-millis", (0, -1), "stored"),
        ("timestamp-millis", (1_000, 2_000), "incoming"),
        ("timestamp-micros", (1_999, 1_000), "stored"),
        ("timestamp-micros", (-1, -2), "stored"),
        ("timestamp-micros", (1_000, 1_000), "incoming"),
        ("timestamp-micros", (1_000, 1_001), "incoming"),
    ],
)
def test_timestamps_compare_in_the_unit_of_their_column(kind, micros, winner, release, is_asked):
    schema, table = pair(*micros, kind)
    if is_asked:  # of a combined batch each pair is asked
        table = table.append_column(IS_DELETE, pa.nulls(2, pa.bool_()))
    (found,) = upserted(plan_of(DEFAULT, release, "cow", ordering="at"), schema, table)
    action = Action.UPDATE if winner == "incoming" else Action.KEEP
    assert (found["v"], found["_pb_action"]) == (winner, action)


@pytest.mark.parametrize("release", RELEASES)
def test_a_date_of_a_batch_does_not_compare_with_a_stored_one_where_the_mode_merges(release):
    """A LocalDate meets an Integer. A new key is inserted, and a mode by arrival compares nothing."""
    day = {"type": "int", "logicalType": "date"}
    schema = schema_of(("id", "string"), ("day", day), ("v", "string"))
    columns = {"id": ["a", "a", "b"], "day": pa.array([1, 2, 3], pa.int32()).cast(pa.date32()), "v": ["x", "y", "z"]}
    origins = pa.array([Origin.STORED, Origin.INCOMING, Origin.INCOMING], pa.int8())
    table = pa.table(columns | {"_pb_origin": origins})
    plan = plan_of(DEFAULT, release, "cow", ordering="day")
    if release in MODE_RELEASES:
        with pytest.raises(MergeFailedError, match="local_date"):
            upserted(plan, schema, table)
        plan = plan_of(COMMIT, release, "cow", ordering="day")
    assert [row["v"] for row in upserted(plan, schema, table)] == ["y", "z"]


@pytest.mark.parametrize("batch_size", range(1, 6))
@pytest.mark.parametrize("release", RELEASES)
def test_a_key_that_goes_on_in_the_next_batch_has_one_outcome(release, batch_size):
    schema = schema_of(("id", "string"), ("ts", "long"), ("v", "string"))
    columns = {"id": ["a", "a", "a", "b", "b"], "ts": [5, 6, 7, 5, 6], "v": ["old", "new", "last", "old", "new"]}
    stored, incoming = int(Origin.STORED), int(Origin.INCOMING)
    origins = pa.array([stored, incoming, incoming, stored, incoming], pa.int8())
    found = upserted(plan_of(DEFAULT, release, "cow"), schema, pa.table(columns | {"_pb_origin": origins}), batch_size)
    assert [(row["id"], row["ts"], row["v"]) for row in found] == [("a", 7, "last"), ("b", 6, "new")]


# -- meta columns


class KeepsStored(LaterEvent):
    """Gives the stored version back."""

    def merge(self, older, newer, schema, props):
        return older


class RewritesStored(LaterEvent):
    """Makes a new version of what is stored."""

    def merge(self, older, newer, schema, props):
        return HoodieAvroIndexedRecord(older.key, older.record, schema, None, older.ordering_value)


class EditsStored(LaterEvent):
    """Makes a new version with another value."""

    def merge(self, older, newer, schema, props):
        return HoodieAvroIndexedRecord(older.key, {**older.record, "v": "edited"}, schema, None, older.ordering_value)


NAMES = (("id", "string"), ("part", "string"), ("ts", "long"), ("v", ["null", "string"]))


def with_meta(rows):
    """Return rows (origin, id, part, ts, v); stored ones have meta columns of an earlier commit."""
    origins, *columns = zip(*rows, strict=True)
    old = [f"of {key}" if origin == Origin.STORED else None for origin, key, *_ in rows]
    meta = {name: pa.array(old, pa.string()) for name in META_COLUMNS}
    types = (pa.string(), pa.string(), pa.int64(), pa.string())
    data = {name: pa.array(own, kind) for (name, _), own, kind in zip(NAMES, columns, types, strict=True)}
    return pa.table({**meta, **data, "_pb_origin": pa.array(origins, pa.int8())})


def meta_of(row):
    return [row[name] for name in META_COLUMNS]


@pytest.mark.parametrize("batch_size", [1, 10])
@pytest.mark.parametrize("release", MODE_RELEASES)
@pytest.mark.parametrize(
    ("merger", "v", "action"),
    [
        ("KeepsStored", "stored", Action.KEEP),
        ("RewritesStored", "stored", Action.UPDATE),
        ("EditsStored", "edited", Action.UPDATE),
    ],
)
def test_a_row_that_a_merger_rewrites_gets_meta_columns_of_its_commit(merger, v, action, release, batch_size):
    """Also where its data are those of the stored row."""
    plan = MergePlan(merger=f"{__name__}:{merger}", release=release, key="id", ordering="ts")
    rows = [(Origin.STORED, "a", "p", 1, "stored"), (Origin.INCOMING, "a", "p", 2, "incoming")]
    (found,) = upserted(plan, schema_of(*NAMES), with_meta(rows), batch_size, INSTANT)
    assert (found["v"], found["_pb_action"]) == (v, action)
    assert meta_of(found)[0] == (INSTANT if action is Action.UPDATE else "of a")
    assert meta_of(found)[2:4] == (["a", ""] if action is Action.UPDATE else ["of a"] * 2)


@pytest.mark.parametrize("batch_size", [1, 10])
@pytest.mark.parametrize("rule", [DEFAULT, EVENT, COMMIT])
@pytest.mark.parametrize("release", MODE_RELEASES)
def test_only_rows_that_a_batch_changes_get_its_meta_columns(release, rule, batch_size):
    rows = [
        (Origin.STORED, "early", "p", 5, "stored"),
        (Origin.INCOMING, "early", "p", 6, "incoming"),
        (Origin.STORED, "late", "p", 5, "stored"),
        (Origin.INCOMING, "late", "p", 4, "incoming"),
        (Origin.INCOMING, "new", "p", 1, "incoming"),
        (Origin.STORED, "old", "p", 1, "stored"),
    ]
    plan = plan_of(rule, release, "cow")
    found = {row["id"]: row for row in upserted(plan, schema_of(*NAMES), with_meta(rows), batch_size, INSTANT)}
    written = {"early", "new"} | ({"late"} if rule == COMMIT else set())
    assert {key for key, row in found.items() if meta_of(row)[0] == INSTANT} == written
    assert {key for key, row in found.items() if row["v"] == "incoming"} == written
    assert all(meta_of(row) == [f"of {key}"] * 5 for key, row in found.items() if key not in written)


@pytest.mark.parametrize(
    ("key", "partition", "record_key", "path"),
    [
        ("id", (), "a", ""),
        ("id", "part", "a", "p"),
        ("id,ts", "part,v", "id:a,ts:7", "p/x"),
    ],
)
def test_the_meta_columns_of_an_inserted_row(key, partition, record_key, path):
    plan = MergePlan(payload=DEFAULT, release="1.2", key=key, partition=partition, ordering="ts")
    rows = [(Origin.INCOMING, "a", "p", 7, "x"), (Origin.INCOMING, "b", "p", 7, "x")]
    first, second = upserted(plan, schema_of(*NAMES), with_meta(rows), 10, INSTANT)
    assert meta_of(first) == [INSTANT, f"{INSTANT}_0_0", record_key, path, None]
    assert meta_of(second)[1] == f"{INSTANT}_0_1"


@pytest.mark.parametrize("part", [None, ""])
def test_the_path_of_a_row_without_a_partition_has_hives_name(part):
    schema = schema_of(*NAMES[:1], ("part", ["null", "string"]), *NAMES[2:])
    plan = MergePlan(payload=DEFAULT, release="1.2", key="id", partition="part,v", ordering="ts")
    (found,) = upserted(plan, schema, with_meta([(Origin.INCOMING, "a", part, 7, "x")]), 10, INSTANT)
    assert found["_hoodie_partition_path"] == "__HIVE_DEFAULT_PARTITION__/x"
