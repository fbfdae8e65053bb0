from __future__ import annotations

import pickle

import pytest

from mergers import (
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    AvroRecordMerger,
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieEmptyRecord,
    HoodieRecordMerger,
    OperationMode,
)
from mergers.laws import bracketing_text, every_bracketing
from payloads import (
    NATURAL_ORDER,
    DefaultHoodieRecordPayload,
    HoodieRecordPayload,
    NullOrderingError,
    Ordering,
    OrderingTypeError,
    PayloadConfigError,
    PayloadConstructorError,
    PayloadNotFoundError,
    PayloadRef,
    SchemaError,
    parse_schema,
)
from tests.mergers.tables import BY_TS, KEY, RELEASES, RIDES, incoming, long, merger, ride, stored

UNTIL_1_0, FROM_1_1 = RELEASES[:2], RELEASES[2:]
NON_DEFAULTS = "OverwriteNonDefaultsWithLatestAvroPayload"


class LastWins(HoodieRecordPayload):
    def pre_combine(self, older, schema=None, props=None):
        return self

    def combine_and_get_update_value(self, current, schema, props=None):
        return self.record

    def get_insert_value(self, schema, props=None):
        return self.record


def merged(bridge, older, newer, schema=RIDES, props=BY_TS):
    return bridge.merge(older, newer, schema, props)


# -- the example of the migration: three rides of one key, arriving out of order


@pytest.mark.parametrize("release", RELEASES)
def test_the_latest_ride_wins_in_any_bracketing_of_the_batch(release):
    bridge = merger(release=release, mode="pre_combine")
    rides = [ride(1, "rider-D", 33.9), ride(3, "rider-A", 19.1), ride(2, "rider-C", 27.7)]
    versions = [incoming(bridge, record) for record in rides]
    survivors = {
        bracketing_text(bracketing): version.payload.record["rider"]
        for bracketing, version in every_bracketing(lambda a, b: merged(bridge, a, b), versions)
    }
    assert survivors == {"(a·(b·c))": "rider-A", "((a·b)·c)": "rider-A"}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("arrival", [(3, 2, 1), (1, 2, 3), (2, 3, 1)])
def test_the_latest_ride_wins_against_the_stored_row(release, arrival):
    riders = {3: "rider-A", 2: "rider-C", 1: "rider-D"}
    bridge = merger(release=release, mode="combine")
    row = stored(ride(arrival[0], riders[arrival[0]]))
    for ts in arrival[1:]:
        row = merged(bridge, row, incoming(bridge, ride(ts, riders[ts])))
    assert row.record["rider"] == "rider-A"


@pytest.mark.parametrize("release", RELEASES)
def test_the_carrier_of_the_older_version_decides_without_a_mode(release):
    bridge = merger("AWSDmsAvroPayload", release)
    schema = parse_schema({**RIDES.source, "fields": [*RIDES.source["fields"], {"name": "Op", "type": "string"}]})
    older, newer = ({**ride(ts, rider), "Op": "U"} for ts, rider in ((3, "rider-A"), (2, "rider-C")))
    # In a batch the greater ordering value wins, against the stored row the later arrival.
    batch = merged(bridge, incoming(bridge, older), incoming(bridge, newer), schema)
    row = merged(bridge, HoodieAvroIndexedRecord(KEY, older, schema, None, long(3)), incoming(bridge, newer), schema)
    assert (batch.payload.record["rider"], row.record["rider"]) == ("rider-A", "rider-C")


# -- until 1.0


@pytest.mark.parametrize("release", UNTIL_1_0)
def test_an_absent_result_is_a_delete(release):
    bridge = merger(release=release, mode="combine")
    assert merged(bridge, stored(ride(1)), incoming(bridge, ride(2, deleted=True))) is None


@pytest.mark.parametrize("release", UNTIL_1_0)
def test_an_older_delete_makes_the_merge_vanish(release):
    bridge = merger(release=release, mode="combine")
    assert merged(bridge, incoming(bridge, ride(1, deleted=True)), incoming(bridge, ride(2))) is None
    assert merged(bridge, HoodieEmptyRecord(KEY), incoming(bridge, ride(2))) is None


@pytest.mark.parametrize("release", UNTIL_1_0)
def test_the_stored_row_comes_back_where_it_stays(release):
    bridge, row = merger(release=release, mode="combine"), stored(ride(2))
    assert merged(bridge, row, incoming(bridge, ride(1))) is row


@pytest.mark.parametrize("release", UNTIL_1_0)
def test_plain_data_has_no_payload_to_ask(release):
    bridge = merger(release=release)
    with pytest.raises(PayloadConfigError, match="newer version must be carried by a payload"):
        merged(bridge, stored(ride(1)), stored(ride(2)))
    with pytest.raises(PayloadConfigError, match="older version must be carried by a payload"):
        merged(merger(release=release, mode="pre_combine"), stored(ride(1)), incoming(bridge, ride(2)))


# -- from 1.1


@pytest.mark.parametrize("release", FROM_1_1)
@pytest.mark.parametrize("mode", OperationMode)
def test_a_commit_time_delete_on_either_side_gives_the_newer_version_unasked(release, mode):
    bridge = merger(release=release, mode=mode)
    delete = stored(None, "D", NATURAL_ORDER)
    late = stored(ride(-5))
    assert merged(bridge, delete, late) is late
    assert merged(bridge, stored(ride(9)), delete) is delete
    assert merged(bridge, HoodieEmptyRecord(KEY), late) is late


@pytest.mark.parametrize("release", FROM_1_1)
@pytest.mark.parametrize(
    ("zero", "less"),
    [(long(0), long(-1)), (Ordering("array", (Ordering("int", 0),)), Ordering("array", (Ordering("int", -1),)))],
)
def test_only_integer_zero_makes_a_commit_time_delete(release, zero, less):
    bridge = merger(release=release, mode="pre_combine")
    late, delete = stored(ride(1), ordering=less), stored(None, "D", zero)
    assert merged(bridge, late, delete) is delete
    assert merged(bridge, delete, late) is late  # an empty older payload loses by the payload's own rule


@pytest.mark.parametrize("release", FROM_1_1)
def test_a_late_row_after_a_delete_without_data_lives_again(release):
    bridge, late = merger(release=release, mode="combine"), stored(ride(1))
    assert merged(bridge, stored(None, "D", long(7)), late) is late


@pytest.mark.parametrize("release", FROM_1_1)
def test_the_losing_version_gives_the_older_carrier(release):
    bridge, row = merger(release=release, mode="combine"), stored(ride(2))
    assert merged(bridge, row, stored(ride(1))) is row


@pytest.mark.parametrize("release", FROM_1_1)
def test_the_winning_version_keeps_its_operation_and_ordering_value(release):
    bridge, newer = merger(release=release, mode="combine"), stored(ride(2), "U")
    assert merged(bridge, stored(ride(1)), newer) is newer
    version = incoming(bridge, ride(2), operation="U")
    assert merged(bridge, stored(ride(1)), version) is version


@pytest.mark.parametrize("release", FROM_1_1)
@pytest.mark.parametrize(
    ("older", "newer", "kept"),
    [
        (stored(ride(1)), stored(ride(2, deleted=True), "D"), "newer"),
        (stored(ride(1), "-U"), stored(ride(2, deleted=True)), "older"),
        (stored(ride(1)), stored(ride(2, deleted=True)), None),
    ],
)
def test_a_payload_that_deletes(release, older, newer, kept):
    result = merged(merger(release=release, mode="combine"), older, newer)
    assert result.marked_delete
    if kept:
        assert result is {"older": older, "newer": newer}[kept]
    else:
        assert (result.key, result.record, result.operation, result.ordering_value) == (KEY, None, "D", long(2))


@pytest.mark.parametrize("release", FROM_1_1)
def test_a_new_delete_has_the_greater_ordering_value(release):
    bridge = merger("OverwriteWithLatestAvroPayload", release, "combine")
    result = merged(bridge, stored(ride(9)), stored(ride(2, deleted=True)))
    assert (result.marked_delete, result.ordering_value) == (True, long(9))
    with pytest.raises(OrderingTypeError):
        merged(bridge, stored(ride(9)), stored(ride(2, deleted=True), ordering=NATURAL_ORDER))
    unread = HoodieAvroIndexedRecord(KEY, ride(9), RIDES, None, None)
    with pytest.raises(NullOrderingError):
        merged(bridge, unread, stored(ride(2, deleted=True)))


@pytest.mark.parametrize("release", FROM_1_1)
def test_a_record_that_the_payload_makes_is_never_a_delete_and_its_ordering_value_is_read_again(release):
    bridge = merger(NON_DEFAULTS, release, "combine")
    result = merged(bridge, stored(ride(9, "rider-A", deleted=True), "D"), stored(ride(2, fare=1.5), "U"))
    assert result.record == ride(2, "rider-A", 1.5, deleted=True)
    assert (result.operation, result.marked_delete, result.ordering_value) == (None, False, long(2))
    unordered = merged(bridge, stored(ride(9, "rider-A")), stored(ride(2)), props={})
    assert unordered.ordering_value == NATURAL_ORDER


@pytest.mark.parametrize("release", FROM_1_1)
def test_pre_combining_takes_over_the_carrier_of_the_newer_version(release):
    bridge = merger("PartialUpdateAvroPayload", release, "pre_combine")
    plain = merged(bridge, stored(ride(1, "rider-D")), stored(ride(2, fare=1.5)))
    held = merged(bridge, incoming(bridge, ride(1, "rider-D")), incoming(bridge, ride(2, fare=1.5)))
    assert isinstance(plain, HoodieAvroIndexedRecord)
    assert isinstance(held, HoodieAvroRecord)
    assert plain.record == held.record == ride(2, "rider-D", 1.5)
    assert plain.ordering_value == held.ordering_value == long(2)


@pytest.mark.parametrize("release", FROM_1_1)
def test_a_class_that_no_payload_can_be_built_of_is_refused_at_the_merge(release):
    bridge = merger("RewriteAvroPayload", release, "combine")
    with pytest.raises(PayloadConstructorError, match="RewriteAvroPayload has no constructor"):
        merged(bridge, stored(ride(1)), stored(ride(2)))


def test_a_delete_without_schema_is_refused_in_a_batch_from_1_2_on():
    older, newer = stored(ride(1)), HoodieAvroIndexedRecord(KEY, None, None, "D", long(2))
    assert merged(merger(release="1.1", mode="pre_combine"), older, newer) is newer
    with pytest.raises(SchemaError, match="has no schema"):
        merged(merger(release="1.2", mode="pre_combine"), older, newer)


@pytest.mark.parametrize("release", FROM_1_1)
def test_a_row_that_was_read_back_counts_as_made(release):
    bridge, newer = merger("HoodieAvroPayload", release, "combine"), stored(ride(2, deleted=True), "D")
    result = merged(bridge, stored(ride(1)), newer)
    assert result is not newer
    assert (result.record, result.operation, result.marked_delete) == (newer.record, None, False)


# -- the object itself


@pytest.mark.parametrize("release", RELEASES)
def test_it_is_a_merger_with_the_strategy_of_its_release(release):
    bridge = merger(release=release)
    expected = EVENT_TIME_BASED_MERGE_STRATEGY_UUID if release == "0.15" else PAYLOAD_BASED_MERGE_STRATEGY_UUID
    assert isinstance(bridge, HoodieRecordMerger)
    assert bridge.merging_strategy == expected


@pytest.mark.parametrize(
    "payload",
    [
        "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
        PayloadRef("DefaultHoodieRecordPayload"),
        DefaultHoodieRecordPayload,
        DefaultHoodieRecordPayload.for_release("0.15"),
        f"{__name__}:LastWins",
        LastWins,
    ],
)
def test_it_travels_with_its_release_and_mode(payload):
    bridge = AvroRecordMerger(payload, "1.0.2", "combine")
    again = pickle.loads(pickle.dumps(bridge))  # noqa: S301 (its own bytes)
    assert (again.payload_class, again.release, again.operation_mode) == (
        bridge.payload_class,
        bridge.release,
        OperationMode.COMBINE,
    )
    result = merged(again, stored(ride(1, "rider-D")), incoming(again, ride(2, "rider-C")))
    assert result.record["rider"] == "rider-C"


def test_impossible_constructor_arguments():
    with pytest.raises(PayloadConfigError, match="operation mode 'fold'"):
        merger(mode="fold")
    with pytest.raises(PayloadNotFoundError):
        merger("NoSuchPayload")
    with pytest.raises(PayloadNotFoundError, match="Hudi 1\\.2 does not ship"):
        merger("FirstValueAvroPayload", "1.2")
    with pytest.raises(PayloadConfigError, match="release"):
        merger(release="2.0")
