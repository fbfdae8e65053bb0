"""Upgrades and downgrades of the table version, against the properties that real Hudi wrote."""

from __future__ import annotations

import pytest

from bridge.config import TableMergeConfig, effective_config, read_under
from bridge.config.refusals import MergeConfigError
from bridge.config.table_versions import change_version
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, lives, merge_properties, upgraded_tables

LIVES = lives()
TABLES = upgraded_tables()
EVENT_ID = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
@pytest.mark.parametrize(
    ("before", "version", "after"), [("CREATED", 9, "UP9"), ("UP9", 8, "DOWN8"), ("DOWN8", 6, "DOWN6")]
)
def test_each_step_of_a_life(life, before, version, after):
    table_type = {"hoodie.table.type": life.table_type}
    assert change_version({**life.stages[before], **table_type}, version) == {**life.stages[after], **table_type}


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.name)
def test_a_downgrade_in_one_step_ends_like_one_in_two(life):
    table = {**life.stages["UP9"], "hoodie.table.type": life.table_type}
    assert change_version(table, 6) == change_version(change_version(table, 8), 6)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["table"])
def test_tables_of_old_releases(table):
    before = {**table["properties_before"], "hoodie.table.type": table["table_type"]}
    is_kept = "kept-version" in table["table"]
    version = int(before["hoodie.table.version"]) if is_kept else 9
    after = change_version(before, version, writer=table["options"])
    assert merge_properties(after) == table["properties_after"]


def test_a_table_without_a_class_is_taken_for_default_if_the_writer_names_none():
    table = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
    after = merge_properties(change_version(table, 9))
    assert after == {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.compaction.record.merger.strategy": EVENT_ID,
        "hoodie.table.legacy.payload.class": MODEL + "DefaultHoodieRecordPayload",
        "hoodie.table.ordering.fields": "ts",
    }


def test_going_by_way_of_8_loses_the_class_that_the_writer_names():
    table = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
    writer = {"hoodie.datasource.write.payload.class": MODEL + "AWSDmsAvroPayload"}
    assert change_version(table, 9, writer=writer)["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    by_8 = change_version(change_version(table, 8, writer=writer), 9, writer=writer)
    assert by_8["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"
    assert by_8["hoodie.table.legacy.payload.class"] == MODEL + "DefaultHoodieRecordPayload"


def test_a_class_that_is_not_deprecated_is_lost_where_the_table_stores_none():
    table = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
    after = change_version(table, 9, writer={"hoodie.datasource.write.payload.class": "com.acme.X"})
    assert "com.acme.X" not in after.values()
    assert after["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"


def test_event_time_loses_its_rule_on_the_way_to_8_from_1_1_on():
    table = {"hoodie.table.version": "6", "hoodie.compaction.payload.class": MODEL + "EventTimeAvroPayload"}
    assert change_version(table, 8, HudiRelease.V1_2)["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert change_version(table, 8, HudiRelease.V1_0)["hoodie.record.merge.mode"] == "CUSTOM"


def test_the_delete_marker_of_a_writer_is_stored_and_stays():
    table = {
        "hoodie.table.version": "8",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.compaction.payload.class": MODEL + "DefaultHoodieRecordPayload",
    }
    marker = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
    after = change_version(table, 9, writer=marker)
    assert after["hoodie.record.merge.property.hoodie.payload.delete.field"] == "op"
    assert change_version(after, 8)["hoodie.record.merge.property.hoodie.payload.delete.marker"] == "D"


def test_other_properties_stay():
    table = {"hoodie.table.version": "6", "hoodie.table.name": "t", "hoodie.table.checksum": "1"}
    after = change_version(table, 9)
    assert after["hoodie.table.name"] == "t"
    assert after["hoodie.table.checksum"] == "1"


@pytest.mark.parametrize(
    ("version", "release", "says"),
    [(9, HudiRelease.V1_0, "up to 8, not 9"), (7, HudiRelease.V1_2, "table version 7 is not supported")],
)
def test_versions_that_a_release_does_not_make_are_refused(version, release, says):
    with pytest.raises(MergeConfigError, match=says):
        change_version({"hoodie.table.version": "6"}, version, release)


def test_a_partial_update_mode_to_come_asks_for_no_edit_of_the_table() -> None:
    stored = {"hoodie.table.partial.update.mode": "FILL_UNCHANGED", "hoodie.table.version": "9"}
    table = TableMergeConfig.from_properties(stored, HudiRelease.V1_2)
    for release in (HudiRelease.V1_1, HudiRelease.V1_2):
        with pytest.raises(MergeConfigError, match=r"1\.3 is to have .* leave the file of the table as it is"):
            effective_config(table, release=release)
    assert read_under(table, HudiRelease.V1_2) is HudiRelease.V1_3
    assert effective_config(table, release=HudiRelease.V1_3).partial_update_mode == "FILL_UNCHANGED"
