"""Delete key and marker that mergers get: of the table's class, of the table's properties, of the writer."""

from __future__ import annotations

import pytest

from bridge.config.effective import effective_config
from bridge.config.stored import TableMergeConfig
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
FIELD, MARKER = "hoodie.payload.delete.field", "hoodie.payload.delete.marker"
PREFIX = "hoodie.record.merge.property."
CLASS = "hoodie.compaction.payload.class"
FEEDS = [
    ("AWSDmsAvroPayload", "Op", "D"),
    ("debezium.MySqlDebeziumAvroPayload", "_change_operation_type", "d"),
    ("debezium.PostgresDebeziumAvroPayload", "_change_operation_type", "d"),
]


def marker_of(properties, writer=None, release=V1_2):
    table = TableMergeConfig.from_properties(properties, release)
    found = effective_config(table, writer, release).merge_properties
    return found.get(FIELD), found.get(MARKER)


def table_of(version, payload=None, **more):
    named = {CLASS: MODEL + payload} if payload else {}
    return {"hoodie.table.version": version, "hoodie.table.precombine.field": "ts", **named, **more}


def prefixed(field, marker):
    return {PREFIX + FIELD: field, PREFIX + MARKER: marker}


def plain(field, marker):
    return {FIELD: field, MARKER: marker}


@pytest.mark.parametrize("version", ["6", "8"])
@pytest.mark.parametrize("release", [V1_1, V1_2])
@pytest.mark.parametrize(("payload", "field", "marker"), FEEDS)
def test_below_version_9_the_class_of_the_table_brings_its_own_marker(payload, field, marker, release, version):
    table = table_of(version, payload)
    assert marker_of(table, None, release) == (field, marker)
    # Neither way in which a writer can pass another one changes that.
    assert marker_of(table, plain("x", "y"), release) == (field, marker)
    assert marker_of(table, prefixed("x", "y"), release) == (field, marker)


@pytest.mark.parametrize("version", ["6", "8"])
@pytest.mark.parametrize("release", [V1_1, V1_2])
@pytest.mark.parametrize(("payload", "field", "marker"), FEEDS)
def test_a_marker_that_the_table_stores_beats_that_of_its_class(payload, field, marker, release, version):
    assert marker_of(table_of(version, payload, **prefixed("own", "gone")), None, release) == ("own", "gone")


@pytest.mark.parametrize(("payload", "field", "marker"), FEEDS)
def test_what_a_writer_passes_brings_no_class_and_so_no_marker(payload, field, marker):
    """Version 6 copy-on-write stores no class: a writer's own one decides nothing here."""
    writer = {"hoodie.datasource.write.payload.class": MODEL + payload}
    assert marker_of(table_of("6"), writer) == (None, None)


@pytest.mark.parametrize(("payload", "field", "marker"), FEEDS)
def test_version_9_has_only_the_markers_that_it_stores(payload, field, marker):
    table = {
        "hoodie.table.version": "9",
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.table.legacy.payload.class": MODEL + payload,
    }
    assert marker_of(table) == (None, None)
    assert marker_of({**table, **prefixed(field, marker)}) == (field, marker)


@pytest.mark.parametrize("release", [V0_15, V1_0])
@pytest.mark.parametrize(("payload", "field", "marker"), FEEDS)
def test_until_1_0_only_the_plain_keys_of_a_writer_count(payload, field, marker, release):
    """The classes know their operation columns themselves."""
    table = table_of("6", payload, **prefixed("own", "gone"))
    assert marker_of(table, None, release) == (None, None)
    assert marker_of(table, plain("x", "y") | prefixed("p", "q"), release) == ("x", "y")
