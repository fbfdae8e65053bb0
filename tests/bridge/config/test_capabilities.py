"""What each release can do, and what a table of each version stores."""

from __future__ import annotations

import dataclasses
import inspect
import itertools

import pytest

from bridge.config import assumed_writer, capabilities
from bridge.config.capabilities import TABLE_VERSIONS, LogUnits, UpgradeCompaction
from payloads import HudiRelease

V0_13, V0_15, V1_0, V1_1, V1_2 = (HudiRelease.parse(line) for line in ("0.13", "0.15", "1.0", "1.1", "1.2"))


@pytest.mark.parametrize("release", HudiRelease, ids=str)
def test_every_release_has_a_row_of_its_own_line(release):
    can = capabilities(release)
    assert can.release is release
    assert HudiRelease.parse(can.bundle) is release
    assert can.created_version == max(can.writable_versions)
    assert can.table_version == can.created_version
    assert set(can.writable_versions) <= set(TABLE_VERSIONS)


NEW = {
    "0.13": {"mergers": True, "delete_block_utf8": 27},
    "0.14": {
        "writable_versions": (3, 5, 6),
        "merges_moved_rows": True,
        "custom_deletes": True,
        "fails_custom_deletes": "0.14.0",
        "record_index": True,
        "delete_block_utf8": None,
        "delete_block_instants": True,
    },
    "0.15": {"fails_custom_deletes": None},
    "1.0": {
        "upgrade_compaction": UpgradeCompaction.PLANNED,
        "writable_versions": (6, 8),
        "keeps_version": True,
        "lists_by_metadata": True,
        "log_units": LogUnits.MICROS,
        "merge_modes": True,
        "file_group_reader": True,
        "partition_from_path": True,
        "incremental_scans": True,
        "timestamp_ntz": True,
        "delete_block_dates": False,
        "delete_block_instants": False,
        "keeps_field_order": True,
    },
    "1.1": {
        "upgrade_compaction": UpgradeCompaction.RUN,
        "writable_versions": (6, 8, 9),
        "payload_writer": False,
        "buffered_mergers": True,
        "indexed_records": True,
        "several_ordering_fields": True,
        "merge_properties": True,
        "separate_writer_options": True,
        "event_time_payload": True,
        "commit_time_payload": True,
        "operation_deletes": True,
        "incremental_scans": False,
        "promotes_in_arrays": False,
        "reads_bytes_as_text": True,
        "log_units": LogUnits.REPAIRED,
    },
    "1.2": {
        "commit_time_lookup": False,
        "blocks_by_instant": True,
        "spark_conf": True,
        "widens_decimals": True,
        "service_schemas": True,
        "shows_vectors": True,
        "log_units": LogUnits.REPAIRED_LOCAL,
        "plain_for_logical": False,
    },
}
"""What each release does otherwise than the one before, as seen in real Hudi."""

OF_ITS_OWN = {"release", "bundle", "newest_spark", "on_spark_4", "is_assumed_writer", "table_version"}


def test_what_each_release_does_otherwise_than_the_one_before():
    rows = [dataclasses.asdict(capabilities(release)) for release in HudiRelease]
    found = {
        str(row["release"]): {name: row[name] for name in row.keys() - OF_ITS_OWN if row[name] != before[name]}
        for before, row in itertools.pairwise(rows)
    }
    assert found == NEW
    oldest = rows[0]
    assert {name for name, value in oldest.items() if value is True} == {
        "payload_writer",
        "commit_time_lookup",
        "delete_block_dates",
        "plain_for_logical",
        "promotes_in_arrays",
        "converts_values",
    }
    assert (oldest["writable_versions"], oldest["delete_block_utf8"]) == ((3, 5), 10)


def test_every_attribute_is_described():
    documented = inspect.getdoc(capabilities(V1_2))
    assert [f.name for f in dataclasses.fields(capabilities(V1_2)) if f"\n    {f.name}: " not in documented] == []


def test_the_table_version_decides_what_a_table_stores():
    old, eight, nine = (capabilities(V1_2, version) for version in (6, 8, 9))
    assert [can.stored_modes for can in (old, eight, nine)] == [False, True, True]
    assert [can.payload_successors for can in (old, eight, nine)] == [False, False, True]
    assert [bool(can.partial_update_modes) for can in (old, eight, nine)] == [False, False, True]
    assert capabilities(V1_2) == nine


def test_the_assumed_writer_a_table_version():
    assert [assumed_writer(version) for version in TABLE_VERSIONS] == [V0_13, V0_13, V0_15, V1_0, V1_1]
