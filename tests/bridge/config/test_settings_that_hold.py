"""Settings that a writer, an upgrade or a change of mode must leave alone, adopt or drop."""

from __future__ import annotations

import pytest

from bridge.config.effective import effective_config
from bridge.config.mode_change import TargetMode, change_mode
from bridge.config.stored import TableMergeConfig
from bridge.config.table_versions import change_version
from bridge.config.validation import conflicts_of
from bridge.migration.move import Move
from bridge.plan import TableType
from mergers import RecordMergeMode
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, silent_changes

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
EVENT = RecordMergeMode.EVENT_TIME_ORDERING
WRITER, CLASS = "hoodie.datasource.write.payload.class", "hoodie.compaction.payload.class"
DEFAULT, OVERWRITE, DMS = (
    MODEL + name for name in ("DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload", "AWSDmsAvroPayload")
)
PREFIX = "hoodie.record.merge.property."


def table_of(version, payload=None, **more):
    named = {CLASS: payload} if payload else {}
    return TableMergeConfig.from_properties({"hoodie.table.version": version, **named, **more})


@pytest.mark.parametrize(
    ("version", "initial", "is_tolerated"),
    [("8", "6", True), ("8", "8", False), ("8", None, False), ("6", None, False)],
)
def test_overwrite_passes_for_default_only_in_a_table_of_version_8_that_an_upgrade_made(version, initial, is_tolerated):
    more = {"hoodie.table.initial.version": initial} if initial else {}
    table = table_of(version, DEFAULT, **more)
    assert (conflicts_of(table, {WRITER: OVERWRITE}, V1_2) == ()) == is_tolerated


@pytest.mark.parametrize("release", [V1_1, V1_2])
def test_a_writer_that_passes_the_class_of_the_table_merges_by_the_mode_of_the_table(release):
    """A downgrade may have left a mode that the class does not stand for."""
    table = table_of("8", OVERWRITE, **{"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"})
    config = effective_config(table, {WRITER: OVERWRITE}, release)
    assert {rule.mode for _, rule in config.rules} == {EVENT}


def test_only_from_1_1_on_commit_time_ordering_implies_overwrite():
    table = table_of("8", None, **{"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"})
    resolved = [table.resolved_payload(release) for release in (V1_0, V1_1, V1_2)]
    assert resolved == [DEFAULT, OVERWRITE, OVERWRITE]


@pytest.mark.parametrize("missing", ["field", "marker"])
def test_an_upgrade_stores_no_half_of_a_writers_delete_marker(missing):
    writer = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
    table = {"hoodie.table.version": "8", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING", CLASS: DEFAULT}
    whole = change_version(table, 9, writer=writer)
    assert {PREFIX + key: text for key, text in writer.items()}.items() <= whole.items()
    del writer[f"hoodie.payload.delete.{missing}"]
    assert not any(key.startswith(PREFIX) for key in change_version(table, 9, writer=writer))


@pytest.mark.parametrize("stores_payload", [True, False])
def test_only_a_table_without_its_class_keeps_deleted_rows_alive(stores_payload):
    move = Move(V0_15, V1_2, 6, 6, DMS, TableType.COPY_ON_WRITE, stores_payload)
    assert any(change.is_damage for change in silent_changes(move)) != stores_payload


def test_a_plain_mode_drops_the_unavailable_marker_and_keeps_the_delete_marker():
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.partial.update.mode": "FILL_UNAVAILABLE",
        "hoodie.table.ordering.fields": "_event_lsn",
        PREFIX + "hoodie.write.partial.update.unavailable.value": "__debezium_unavailable_value",
        PREFIX + "hoodie.payload.delete.field": "op",
        PREFIX + "hoodie.payload.delete.marker": "d",
    }
    after = change_mode(table, TargetMode(RecordMergeMode.COMMIT_TIME_ORDERING), {})
    kept = {key.removeprefix(PREFIX) for key in after if key.startswith(PREFIX)}
    assert kept == {"hoodie.payload.delete.field", "hoodie.payload.delete.marker"}
    assert "hoodie.table.partial.update.mode" not in after


def test_custom_takes_the_strategy_of_the_writer():
    table = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    strategy = "7b0c6b5e-2f1c-4f43-9c5a-8a6f9c1f2d10"
    writer = {"hoodie.write.record.merge.strategy.id": strategy}
    after = change_mode(table, TargetMode(RecordMergeMode.CUSTOM), writer)
    assert after["hoodie.record.merge.mode"] == "CUSTOM"
    assert after["hoodie.record.merge.strategy.id"] == strategy
