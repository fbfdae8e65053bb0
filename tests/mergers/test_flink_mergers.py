"""Mergers on Flink's rows answer as on Avro records; `python -m tests.flink` runs this file with PyFlink's own rows."""

from __future__ import annotations

import pickle

import pytest

from mergers import (
    CUSTOM_MERGE_STRATEGY_UUID,
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    CommitTimeFlinkRecordMerger,
    EventTimeFlinkRecordMerger,
    FlinkAvroMerger,
    FlinkPayloadMerger,
    HoodieAvroIndexedRecord,
    HoodieFlinkRecord,
    HoodieRecordType,
    MergerConfigError,
    OverwriteWithLatestMerger,
    PartialUpdateFlinkRecordMerger,
    on_flink,
    resolve_merger,
    select_merger,
)
from mergers.record import flink
from mergers.strategies import EventTimeRecordMerger
from payloads import NullOrderingError, Ordering, OrderingTypeError, parse_schema
from tests.mergers.tables import KEY, RIDES, long, ride
from tests.support.flink_changelogs import PAYLOADS, PROPS, RELEASES, SCHEMA, Spends, changes, folded, rows_of
from tests.support.flink_rows import row

BY_TS = {"hoodie.table.ordering.fields": "ts"}


def flink_ride(*arguments, kind="UPDATE_AFTER", **settings):
    record = ride(*arguments, **settings)
    return HoodieFlinkRecord(KEY, row(*record.values(), kind=kind, names=record))


class ForSpark:
    record_type = HoodieRecordType.SPARK
    merging_strategy = EVENT_TIME_BASED_MERGE_STRATEGY_UUID

    def merge(self, older, newer, schema, props):
        return newer


class MakesRides:
    """A user's merger of Avro records: the newer row with the fares of both."""

    record_type = HoodieRecordType.AVRO
    merging_strategy = "5f7a2a52-3c2e-4a55-b7bb-4f6d1c7a9b10"

    def merge(self, older, newer, schema, props):
        if newer.record is None or newer.marked_delete:
            return None
        row = {**newer.record, "fare": older.record["fare"] + newer.record["fare"]}
        return HoodieAvroIndexedRecord(newer.key, row, schema, ordering_value=newer.ordering_value)


# -- selection


def test_each_engine_gets_its_own_implementation_of_a_strategy():
    listed = [ForSpark, EventTimeRecordMerger, EventTimeFlinkRecordMerger]
    found = {engine: select_merger("EVENT_TIME_ORDERING", engine, listed) for engine in ("FLINK", "SPARK", "AVRO")}
    assert [type(merger) for merger in found.values()] == [EventTimeFlinkRecordMerger, ForSpark, EventTimeRecordMerger]
    assert on_flink(found["FLINK"]) is found["FLINK"]


@pytest.mark.parametrize(
    "merger", [CommitTimeFlinkRecordMerger, EventTimeFlinkRecordMerger, PartialUpdateFlinkRecordMerger]
)
def test_hudis_names_find_them(merger):
    for name in (merger.__name__, f"org.apache.hudi.client.model.{merger.__name__}"):
        assert type(resolve_merger(name)) is merger


def test_without_one_for_flink_the_avro_merger_runs_on_its_rows():
    merger = on_flink(select_merger("COMMIT_TIME_ORDERING", "FLINK", [OverwriteWithLatestMerger]))
    assert (type(merger), merger.record_type) == (FlinkAvroMerger, HoodieRecordType.FLINK)
    older, newer = flink_ride(2), flink_ride(1)
    assert merger.merge(older, newer, RIDES, BY_TS) is newer
    with pytest.raises(MergerConfigError, match="ForSpark merges SPARK records"):
        on_flink(ForSpark())


# -- strategies


@pytest.mark.parametrize(("older", "newer", "stays"), [(2, 1, True), (1, 2, False), (1, 1, False), (2, 0, True)])
@pytest.mark.parametrize("kind", ["UPDATE_AFTER", "DELETE"])
def test_event_time_keeps_the_greater_ordering_value_of_rows_and_deletes(older, newer, stays, kind):
    left, right = flink_ride(older), flink_ride(newer, kind=kind)
    assert EventTimeFlinkRecordMerger().merge(left, right, RIDES, BY_TS) is (left if stays else right)
    assert CommitTimeFlinkRecordMerger().merge(left, right, RIDES, BY_TS) is right


def test_event_time_compares_a_delete_with_integer_0_like_any_other():
    left = HoodieFlinkRecord(KEY, flink_ride(1).row, ordering_value=Ordering("int", 5))
    delete = HoodieFlinkRecord(KEY, None, "D")
    assert EventTimeFlinkRecordMerger().merge(left, delete, RIDES, BY_TS) is left
    with pytest.raises(OrderingTypeError):
        EventTimeFlinkRecordMerger().merge(flink_ride(1), delete, RIDES, BY_TS)
    with pytest.raises(NullOrderingError):
        EventTimeFlinkRecordMerger().merge(flink_ride(1), left, RIDES, {"hoodie.table.ordering.fields": "rider"})


def of_ride(version):
    found = version.to_indexed_record(RIDES, BY_TS)
    return found.record, found.operation, found.ordering_value


@pytest.mark.parametrize(
    ("older", "newer", "left"),
    [
        ((1, "a", 1.0), (2, None, 2.0), (2, "a", 2.0)),
        ((2, "a", None), (1, None, 1.0), (2, "a", 1.0)),
        ((1, "a", None), (1, "b", None), (1, "b", None)),  # a tie goes to the newer one
        ((2, None, 1.0), (1, "b", 2.0), (2, "b", 1.0)),
    ],
)
@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_a_partial_update_fills_the_nulls_of_the_later_event(older, newer, left, release):
    merger = PartialUpdateFlinkRecordMerger(release)
    sides = flink_ride(*older, kind="INSERT"), flink_ride(*newer)
    merged = merger.merge(*sides, RIDES, BY_TS)
    operation = "I" if older[0] > newer[0] else "U"
    assert of_ride(merged) == (ride(*left), operation, long(left[0]))
    assert list(merged.row._fields) == [field.name for field in RIDES.fields]
    assert [of_ride(side)[0] for side in sides] == [ride(*older), ride(*newer)], "the versions stay as they are"


@pytest.mark.parametrize(("older", "newer"), [(1, 2), (2, 1), (1, 1)])
@pytest.mark.parametrize(
    "deletes",
    [
        ({"kind": "DELETE"}, {}),
        ({}, {"kind": "DELETE"}),
        ({}, {"deleted": True}),
        ({"deleted": True}, {"kind": "UPDATE_BEFORE"}),
    ],
)
def test_a_partial_update_keeps_the_later_one_as_it_is_where_either_is_a_delete(older, newer, deletes):
    left, right = (flink_ride(ts, **kind) for ts, kind in zip((older, newer), deletes, strict=True))
    assert PartialUpdateFlinkRecordMerger().merge(left, right, RIDES, BY_TS) is (left if older > newer else right)


def test_a_partial_update_takes_a_delete_without_data_by_the_value_that_it_came_with():
    left, delete = flink_ride(2, "a"), HoodieFlinkRecord(KEY, None, "D", long(3))
    assert PartialUpdateFlinkRecordMerger().merge(left, delete, RIDES, BY_TS) is delete
    assert PartialUpdateFlinkRecordMerger().merge(delete, left, RIDES, BY_TS) is delete
    with pytest.raises(NullOrderingError):
        PartialUpdateFlinkRecordMerger().merge(left, delete, RIDES, {"hoodie.table.ordering.fields": "fare"})


def test_a_partial_update_has_the_strategy_id_of_its_release():
    found = {release: PartialUpdateFlinkRecordMerger(release).merging_strategy for release in ("1.1", "1.2")}
    assert found == {"1.1": CUSTOM_MERGE_STRATEGY_UUID, "1.2": EVENT_TIME_BASED_MERGE_STRATEGY_UUID}
    assert PartialUpdateFlinkRecordMerger("1.1", "of-a-table").merging_strategy == "of-a-table"
    with pytest.raises(MergerConfigError, match=r"Hudi 1\.0 has no PartialUpdateFlinkRecordMerger"):
        PartialUpdateFlinkRecordMerger("1.0")
    listed = [PartialUpdateFlinkRecordMerger("1.1"), EventTimeFlinkRecordMerger]
    assert type(select_merger("EVENT_TIME_ORDERING", "FLINK", listed)) is EventTimeFlinkRecordMerger
    assert select_merger("CUSTOM", "FLINK", listed) is listed[0]


# -- mergers of Avro records, and payloads


def test_a_users_merger_of_avro_records_makes_a_row():
    merger = on_flink(MakesRides())
    made = merger.merge(flink_ride(1, "a", 1.5), flink_ride(2, "b", 2.0), RIDES, BY_TS)
    assert made.to_indexed_record(RIDES, BY_TS).record == ride(2, "b", 3.5)
    assert (made.key, made.operation, made.ordering_value) == (KEY, "U", long(2))
    assert merger.merge(flink_ride(1), flink_ride(2, kind="DELETE"), RIDES, BY_TS) is None


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("payload", [*PAYLOADS, Spends])
def test_a_payload_makes_of_a_changelog_what_it_makes_of_avro_records(payload, release):
    merger = pickle.loads(pickle.dumps(FlinkPayloadMerger(payload, release)))  # noqa: S301 (its own bytes)
    ended = []
    for seed in range(60):
        log = changes(6, seed)
        stored = None
        for changed in rows_of(log):
            newer = HoodieFlinkRecord(KEY, changed)
            if stored is None:
                found = merger.insert(newer, SCHEMA, PROPS)
            else:
                found = merger.merge(stored, newer, SCHEMA, PROPS)
            deleted = found is None or (release >= "1.1" and found.marked_delete)
            stored = None if deleted else HoodieFlinkRecord(KEY, found.row, "U")
        record = None if stored is None else stored.to_indexed_record(SCHEMA, PROPS).record
        assert record == folded(payload, release, log), log
        ended.append(record is None)
    assert 0 < sum(ended) < len(ended)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("payload", [*PAYLOADS, Spends])
def test_a_delete_ends_without_a_row_whatever_its_values(payload, release):
    merger = FlinkPayloadMerger(payload, release)
    stored, delete = rows_of(
        [("INSERT", ("k", 0, "Oslo", None, None, None)), ("DELETE", ("k", 1, "Rome", None, None, None))]
    )
    merged = merger.merge(HoodieFlinkRecord(KEY, stored), HoodieFlinkRecord(KEY, delete), SCHEMA, PROPS)
    assert merged is None if release < "1.1" else (merged.marked_delete, merged.row) == (True, delete)
    assert merger.insert(HoodieFlinkRecord(KEY, delete), SCHEMA, PROPS) is None


@pytest.mark.parametrize("release", RELEASES)
def test_a_flagged_first_row_is_no_row_from_1_1_on(release):
    (flagged,) = rows_of([("INSERT", ("k", 0, "Oslo", None, None, True))])
    version = HoodieFlinkRecord(KEY, flagged)
    assert FlinkPayloadMerger("DefaultHoodieRecordPayload", release).insert(version, SCHEMA, PROPS) is None
    assert FlinkPayloadMerger(Spends, release).insert(version, SCHEMA, PROPS) is (version if release < "1.1" else None)


def test_ordering_fields_are_resolved_once_for_a_schema(monkeypatch):
    calls = []
    reader = flink.field_reader

    def counting(*given, **named):
        calls.append(given)
        return reader(*given, **named)

    monkeypatch.setattr(flink, "field_reader", counting)
    schema = parse_schema({**SCHEMA.source, "name": "SeenFirst"})
    merger = FlinkPayloadMerger("DefaultHoodieRecordPayload", "1.2")
    older, newer = rows_of([("INSERT", ("k", at, "Oslo", None, None, None)) for at in (0, 1)])
    for _ in range(3):
        newest = merger.merge(HoodieFlinkRecord(KEY, older), HoodieFlinkRecord(KEY, newer), schema, PROPS)
        assert newest.row is newer
    assert len(calls) == 1


def test_two_incoming_rows_are_combined_by_the_payload():
    for release in RELEASES:
        merger = FlinkPayloadMerger("DefaultHoodieRecordPayload", release, "pre_combine")
        older, newer = flink_ride(2), flink_ride(1)
        assert merger.merge(older, newer, RIDES, {"hoodie.payload.ordering.field": "ts", **BY_TS}) is older


@pytest.mark.parametrize("release", RELEASES)
def test_a_kept_version_comes_back_itself(release):
    merger = FlinkPayloadMerger("DefaultHoodieRecordPayload", release)
    props = {"hoodie.payload.ordering.field": "ts", **BY_TS}
    older, newer = flink_ride(1), flink_ride(2)
    assert merger.merge(older, newer, RIDES, props) is newer
    assert merger.merge(newer, older, RIDES, props) is newer


@pytest.mark.parametrize(("release", "kept"), [("0.15", "older"), ("1.2", "newer")])
def test_the_release_of_a_payload_decides_which_property_names_the_ordering_field(release, kept):
    schema = parse_schema({"type": "record", "name": "r", "fields": [{"name": n, "type": "long"} for n in ("a", "b")]})
    props = {"hoodie.payload.ordering.field": "a", "hoodie.datasource.write.precombine.field": "b"}
    versions = {
        name: HoodieFlinkRecord(KEY, row(*values, kind="UPDATE_AFTER", names=("a", "b")))
        for name, values in (("older", (5, 1)), ("newer", (1, 5)))
    }
    merger = FlinkPayloadMerger("OverwriteWithLatestAvroPayload", release, "pre_combine")
    assert merger.merge(versions["older"], versions["newer"], schema, props) is versions[kept]
