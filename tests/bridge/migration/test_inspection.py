"""inspect: warnings, damage first; where payload classes are."""

from __future__ import annotations

import json

import pytest

from bridge.config.refusals import MergeConfigError
from bridge.migration.inspect_report import CodePlace
from bridge.migration.inspection import inspect_settings as inspect
from bridge.report import Severity
from payloads import OverwriteWithLatestAvroPayload
from tests.bridge.config.recorded import MODEL, upgraded_tables

WRITER = "hoodie.datasource.write.payload.class"
COW_0_15 = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
DMS, POSTGRES = MODEL + "AWSDmsAvroPayload", MODEL + "debezium.PostgresDebeziumAvroPayload"
EVENT_ID = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"


class Mine(OverwriteWithLatestAvroPayload):
    """A payload of a user."""


def _severities(inspection):
    return [warning.severity for warning in inspection.warnings]


@pytest.mark.parametrize(
    ("payload", "marker"), [(DMS, "Op=D"), (POSTGRES, "_change_operation_type=d")], ids=["dms", "postgres"]
)
def test_damage_of_a_cow_table_of_0_15_comes_first(payload, marker):
    first, second, *_ = inspect(COW_0_15, {WRITER: payload}).warnings
    assert first.severity is Severity.DAMAGED
    assert "deleted rows alive" in first.text
    assert marker in first.text
    assert "hoodie.compaction.payload.class" in first.remedy
    assert second.severity is Severity.CHANGED


def test_without_a_writer_the_damage_is_reported_as_possible():
    first = inspect(COW_0_15).warnings[0]
    assert first.severity is Severity.DAMAGED
    assert "if its rows come from AWS DMS or Debezium" in first.text


@pytest.mark.parametrize("payload", ["PartialUpdateAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload"])
def test_classes_without_delete_markers_merge_otherwise(payload):
    warnings = inspect(COW_0_15, {WRITER: MODEL + payload}).warnings
    assert warnings[0].severity is Severity.CHANGED
    assert "merges incoming with stored rows as Default" in warnings[0].text


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", "EventTimeAvroPayload"])
def test_unharmed_classes_get_only_advice(payload):
    assert set(_severities(inspect(COW_0_15, {WRITER: MODEL + payload}))) == {Severity.UNCHANGED}


@pytest.mark.parametrize("release", ["0.15", "1.0"])
def test_old_releases_merge_that_table_by_the_writers_class(release):
    assert Severity.DAMAGED not in _severities(inspect(COW_0_15, {WRITER: DMS}, release))


def test_a_stored_class_undoes_the_damage():
    table = {**COW_0_15, "hoodie.compaction.payload.class": DMS}
    assert inspect(table, {WRITER: DMS}).warnings == ()


def test_worse_warnings_come_first():
    for table in upgraded_tables():
        properties = {**table["properties_before"], "hoodie.table.type": table["table_type"]}
        severities = _severities(inspect(properties, table["options"]))
        assert severities == sorted(severities, reverse=True)


def test_a_removed_class_fails():
    first_value = MODEL + "FirstValueAvroPayload"
    inspection = inspect(COW_0_15, {WRITER: first_value})
    failing = [warning for warning in inspection.warnings if warning.severity is Severity.REFUSED]
    assert "removed after 1.0" in failing[0].remedy
    assert inspection.payloads[0].found is CodePlace.UNKNOWN
    assert inspect(COW_0_15, {WRITER: first_value}, "0.15").payloads[0].found is CodePlace.PORT


def test_a_class_that_a_later_release_lacks_is_named():
    texts = [str(warning) for warning in inspect(COW_0_15, {WRITER: MODEL + "FirstValueAvroPayload"}, "1.0").warnings]
    assert any("was removed in Hudi 1.1" in text for text in texts)
    assert not any("is gone" in str(warning) for warning in inspect(COW_0_15, {WRITER: DMS}, "1.0").warnings)


@pytest.mark.parametrize(
    ("name", "jar", "found"),
    [
        (DMS, None, CodePlace.PORT),
        (f"{__name__}:Mine", None, CodePlace.UNNAMED),  # a table's properties alone load no code
        ("com.acme.X", "x.jar", CodePlace.JAR),
        ("com.acme.X", None, CodePlace.UNNAMED),
        (MODEL + "FirstValueAvroPayload", "x.jar", CodePlace.UNKNOWN),
    ],
)
def test_where_a_class_is(name, jar, found):
    table = {
        "hoodie.table.version": "8",
        "hoodie.record.merge.mode": "CUSTOM",
        "hoodie.compaction.payload.class": name,
        "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-000000000000",
    }
    (payload,) = inspect(table, jar=jar).payloads
    assert (payload.name, payload.side, payload.found) == (name, "table", found)


def test_a_class_that_the_writer_passes_is_loaded():
    (payload, *_) = inspect({"hoodie.table.version": "6"}, {WRITER: f"{__name__}:Mine"}, "0.15").payloads
    assert (payload.side, payload.found) == ("writer", CodePlace.PYTHON)


def test_clustering_loses_a_merger_of_ones_own_in_1_2():
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "CUSTOM",
        "hoodie.record.merge.strategy.id": "00000000-0000-0000-0000-0000000000aa",
    }
    for release, option, found in (
        ("1.2", "true", 1),
        ("1.2", "false", 0),
        ("1.1", "true", 0),
    ):
        warnings = inspect(table, {"hoodie.clustering.inline": option}, release).warnings
        assert sum("apache/hudi#18980" in one.text for one in warnings) == found
    event_time = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    warnings = inspect(event_time, {"hoodie.clustering.inline": "true"}, "1.2").warnings
    assert not any("apache/hudi#18980" in one.text for one in warnings)


def test_partition_columns_that_no_release_checks_before_0_13():
    table = {"hoodie.table.version": "5", "hoodie.table.partition.fields": "year,month"}
    writer = {"hoodie.datasource.write.partitionpath.field": "day"}
    worst = {release: inspect(table, writer, release).warnings[0] for release in ("0.12", "0.13", "0.15")}
    assert worst["0.12"].severity is Severity.DAMAGED
    assert "writes the rows under other partitions" in worst["0.12"].text
    for release in ("0.13", "0.15"):
        assert worst[release].severity is Severity.REFUSED
        assert (
            "passes hoodie.datasource.write.partitionpath.field=day, the table stores year,month" in worst[release].text
        )


def test_options_that_hudi_refuses_are_named():
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.ordering.fields": "_event_bin_file,_event_pos",
    }
    (warning,) = inspect(table, {"hoodie.datasource.write.precombine.field": "_event_seq"}).warnings
    assert warning.severity is Severity.REFUSED
    assert "passes hoodie.datasource.write.precombine.field=_event_seq" in warning.text


@pytest.mark.parametrize(
    ("payload", "release"),
    [
        (MODEL + "OverwriteWithLatestAvroPayload", "1.2"),  # 6, merge-on-read, to 9 and back to 8
        (MODEL + "EventTimeAvroPayload", "1.0"),  # 9 back to 8, then the old release
    ],
)
def test_settings_that_contradict_each_other_fail_when_logs_are_read(payload, release):
    table = {
        "hoodie.table.version": "8",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.record.merge.strategy.id": EVENT_ID,
        "hoodie.compaction.payload.class": payload,
        "hoodie.table.precombine.field": "ts",
    }
    failing = [warning for warning in inspect(table, None, release).warnings if warning.severity is Severity.REFUSED]
    assert "imply different merge modes" in failing[0].text


def test_event_time_without_an_ordering_field_is_reported():
    (warning,) = inspect({"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}).warnings
    assert "last row to arrive" in warning.text


def test_a_writers_class_that_is_not_ignored_is_reported():
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.ordering.fields": "ts",
    }
    texts = [str(warning) for warning in inspect(table, {WRITER: MODEL + "OverwriteWithLatestAvroPayload"}).warnings]
    assert any("copy-on-write merges merge by COMMIT_TIME_ORDERING" in text for text in texts)


def test_half_a_delete_marker_fails():
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.record.merge.property.hoodie.payload.delete.field": "op",
    }
    (warning,) = inspect(table).warnings
    assert warning.severity is Severity.REFUSED


def test_a_table_that_a_release_cannot_read_is_refused():
    with pytest.raises(MergeConfigError, match="later release or downgrade"):
        inspect({"hoodie.table.version": "9"}, release="1.0")


def test_the_result_is_the_json_of_the_command() -> None:
    found = inspect({"hoodie.table.version": "9", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"})
    answer = json.loads(found.to_json())
    assert (answer["verb"], answer["verdict"]) == ("inspect", found.verdict)
    assert answer["verdict"].startswith("This table merges by EVENT_TIME_ORDERING")
