"""EventTimeAvroPayload: a class of its own until 1.0, the mode EVENT_TIME_ORDERING from 1.1 on; upgrades lose it."""

from __future__ import annotations

import pytest

from bridge.config.inference import MergeSettings, infer, infer_for_creation, payload_of_mode
from bridge.config.refusals import MergeConfigError
from bridge.config.table_versions import change_version
from mergers import EVENT_TIME_BASED_MERGE_STRATEGY_UUID, PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
EVENT, CUSTOM = RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.CUSTOM
EVENT_TIME, DEFAULT, OVERWRITE = (
    MODEL + name for name in ("EventTimeAvroPayload", "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload")
)
CLASS, MODE = "hoodie.compaction.payload.class", "hoodie.record.merge.mode"
BY_MODE = [V1_1, V1_2]


def table_of(payload, table_type="COPY_ON_WRITE", ordering="ts"):
    ordered = {"hoodie.table.precombine.field": ordering} if ordering else {}
    return {"hoodie.table.version": "6", "hoodie.table.type": table_type, CLASS: payload, **ordered}


@pytest.mark.parametrize("release", BY_MODE)
@pytest.mark.parametrize(
    ("table_type", "ordering", "mode"),
    [
        ("COPY_ON_WRITE", "ts", "COMMIT_TIME_ORDERING"),
        ("COPY_ON_WRITE", None, "COMMIT_TIME_ORDERING"),
        ("MERGE_ON_READ", "ts", "EVENT_TIME_ORDERING"),
        ("MERGE_ON_READ", None, "COMMIT_TIME_ORDERING"),
    ],
)
@pytest.mark.parametrize("stored", [EVENT_TIME, OVERWRITE])
def test_on_the_way_to_8_it_is_taken_for_overwrite_with_latest(stored, table_type, ordering, mode, release):
    after = change_version(table_of(stored, table_type, ordering), 8, release)
    payload = DEFAULT if mode == "EVENT_TIME_ORDERING" else OVERWRITE
    assert (after[MODE], after[CLASS]) == (mode, payload)


def test_1_0_keeps_it_as_a_class_of_its_own_on_the_way_to_8():
    after = change_version(table_of(EVENT_TIME), 8, V1_0)
    assert (after[MODE], after[CLASS]) == ("CUSTOM", EVENT_TIME)
    assert after["hoodie.record.merge.strategy.id"] == PAYLOAD_BASED_MERGE_STRATEGY_UUID


@pytest.mark.parametrize("release", BY_MODE)
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_straight_way_to_9_keeps_its_rule_and_two_steps_lose_it(table_type, release):
    table = table_of(EVENT_TIME, table_type)
    straight = change_version(table, 9, release)
    legacy = "hoodie.table.legacy.payload.class"
    assert (straight[MODE], straight[legacy]) == ("EVENT_TIME_ORDERING", EVENT_TIME)
    stepwise = change_version(change_version(table, 8, release), 9, release)
    by_type = {
        "COPY_ON_WRITE": ("COMMIT_TIME_ORDERING", OVERWRITE),
        "MERGE_ON_READ": ("EVENT_TIME_ORDERING", DEFAULT),
    }
    assert (stepwise[MODE], stepwise[legacy]) == by_type[table_type]


@pytest.mark.parametrize("release", BY_MODE)
def test_default_keeps_event_time_on_the_way_to_8_with_and_without_an_ordering_field(release):
    for ordering in ("ts", None):
        after = change_version(table_of(DEFAULT, "COPY_ON_WRITE", ordering), 8, release)
        assert (after[MODE], after[CLASS]) == ("EVENT_TIME_ORDERING", DEFAULT)


@pytest.mark.parametrize(("release", "mode"), [(V1_0, CUSTOM), (V1_1, EVENT), (V1_2, EVENT)])
def test_its_mode_and_strategy_in_a_table_of_version_8(release, mode):
    strategy = PAYLOAD_BASED_MERGE_STRATEGY_UUID if mode is CUSTOM else EVENT_TIME_BASED_MERGE_STRATEGY_UUID
    found = infer(MergeSettings(payload=EVENT_TIME), ("ts",), 8, release)
    assert found == (mode, EVENT_TIME, strategy)
    given = MergeSettings(EVENT, EVENT_TIME)
    if mode is CUSTOM:
        with pytest.raises(MergeConfigError):
            infer(given, ("ts",), 8, release)
    else:
        assert infer(given, ("ts",), 8, release) == found


@pytest.mark.parametrize("release", list(HudiRelease))
def test_only_from_1_1_on_the_mode_names_it_back(release):
    expected = EVENT_TIME if release in BY_MODE else DEFAULT
    assert payload_of_mode(EVENT, EVENT_TIME, release) == expected
    assert payload_of_mode(EVENT, DEFAULT, release) == payload_of_mode(EVENT, None, release) == DEFAULT


@pytest.mark.parametrize("release", BY_MODE)
def test_a_new_table_of_version_9_stores_its_mode(release):
    stored = infer_for_creation(MergeSettings(payload=EVENT_TIME), ("ts",), 9, release)
    assert stored == {MODE: "EVENT_TIME_ORDERING", "hoodie.table.legacy.payload.class": EVENT_TIME}
