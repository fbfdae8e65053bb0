"""Which settings hold: tables of each version, their writers, each release."""

from __future__ import annotations

import warnings

import pytest

from bridge.config.effective import effective_config
from bridge.config.entry import DeprecatedKeyWarning
from bridge.config.refusals import MergeConfigError
from bridge.config.stored import TableMergeConfig, read_table
from bridge.config.validation import check_writer, conflicts_of
from mergers import COMMIT_TIME_BASED_MERGE_STRATEGY_UUID, PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
EVENT, COMMIT, CUSTOM = (
    RecordMergeMode.EVENT_TIME_ORDERING,
    RecordMergeMode.COMMIT_TIME_ORDERING,
    RecordMergeMode.CUSTOM,
)
DEFAULT, OVERWRITE, DMS = (
    MODEL + name for name in ("DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload", "AWSDmsAvroPayload")
)
NON_DEFAULTS = MODEL + "OverwriteNonDefaultsWithLatestAvroPayload"
POSTGRES = MODEL + "debezium.PostgresDebeziumAvroPayload"
WRITER = "hoodie.datasource.write.payload.class"
PREFIX = "hoodie.record.merge.property."
LEGACY = "hoodie.table.legacy.payload.class"
COW_0_15 = {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"}
MOR_0_15 = {
    **COW_0_15,
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.compaction.record.merger.strategy": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
}
V9_EVENT = {
    "hoodie.table.version": "9",
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.table.legacy.payload.class": DEFAULT,
    "hoodie.table.ordering.fields": "ts",
}


def _effective(properties, writer=None, release=V1_2):
    return effective_config(TableMergeConfig.from_properties(properties, release), writer, release)


def _rules(config):
    return [(rule.mode, rule.payload and rule.payload.rpartition(".")[2]) for _, rule in config.rules]


@pytest.mark.parametrize("payload", [DMS, NON_DEFAULTS, POSTGRES])
def test_a_cow_table_of_0_15_merges_as_default_within_1_2_and_dedups_by_the_writers_class(payload):
    config = _effective(COW_0_15, {WRITER: payload})
    short = payload.rpartition(".")[2]
    assert _rules(config) == [(CUSTOM, short), (CUSTOM, "DefaultHoodieRecordPayload"), (EVENT, None)]
    assert config.merge_properties == {}


@pytest.mark.parametrize(("payload", "mode"), [(DEFAULT, EVENT), (None, EVENT), (OVERWRITE, COMMIT)])
def test_a_cow_table_of_0_15_with_a_class_that_is_unharmed(payload, mode):
    config = _effective(COW_0_15, {WRITER: payload} if payload else None)
    assert _rules(config) == [(mode, None), (mode, None), (EVENT, None)]


def test_a_mor_table_of_0_15_merges_by_its_class_in_1_2_with_its_delete_marker():
    config = _effective({**MOR_0_15, "hoodie.compaction.payload.class": DMS}, {WRITER: DMS})
    assert _rules(config) == [(CUSTOM, "AWSDmsAvroPayload")] * 3
    assert config.read.strategy == PAYLOAD_BASED_MERGE_STRATEGY_UUID
    assert config.merge_properties == {"hoodie.payload.delete.field": "Op", "hoodie.payload.delete.marker": "D"}


def test_0_15_merges_by_the_writers_class_and_reads_by_the_tables():
    config = _effective({**MOR_0_15, "hoodie.compaction.payload.class": DMS}, {WRITER: NON_DEFAULTS}, V0_15)
    assert [payload for _, payload in _rules(config)] == [NON_DEFAULTS.rpartition(".")[2]] * 2 + ["AWSDmsAvroPayload"]
    assert config.merge_properties == {}


def test_0_15_takes_overwrite_and_ts_where_nothing_is_set():
    config = _effective({"hoodie.table.version": "6"}, None, V0_15)
    assert config.merge.payload == config.read.payload == OVERWRITE
    assert config.ordering == ("ts",)
    assert _effective({"hoodie.table.version": "6"}).ordering == ()


@pytest.mark.parametrize(("mode", "payload"), [("COMMIT_TIME_ORDERING", OVERWRITE), ("EVENT_TIME_ORDERING", DEFAULT)])
def test_1_0_writers_run_the_class_of_the_mode(mode, payload):
    table = {
        "hoodie.table.version": "8",
        "hoodie.record.merge.mode": mode,
        "hoodie.compaction.payload.class": payload,
        "hoodie.table.precombine.field": "ts",
    }
    config = _effective(table, {"hoodie.write.record.merge.mode": mode}, V1_0)
    assert (config.dedup.payload, config.merge.payload) == (payload, payload)
    assert config.read[:2] == (RecordMergeMode[mode], None)


def test_event_time_is_custom_in_1_0():
    table = {"hoodie.table.version": "6", "hoodie.compaction.payload.class": MODEL + "EventTimeAvroPayload"}
    assert _effective(table, None, V1_0).read.mode is CUSTOM
    assert _effective(table, None, V1_1).read.mode is EVENT


def test_a_writers_class_decides_where_it_merges_a_table_of_version_9():
    config = _effective(V9_EVENT, {WRITER: OVERWRITE})
    assert _rules(config) == [(COMMIT, None), (COMMIT, None), (EVENT, None)]
    dms = _effective(V9_EVENT, {WRITER: DMS})
    assert dms.merge.mode is COMMIT  # as version 9 stores DMS, not CUSTOM
    assert dms.merge_properties == {}


def test_the_class_that_a_table_had_changes_nothing():
    table = {**V9_EVENT, "hoodie.table.legacy.payload.class": POSTGRES}
    assert _rules(_effective(table, {WRITER: POSTGRES})) == [(EVENT, None)] * 3


def test_a_mode_of_version_8_is_taken_as_stored():
    table = {
        "hoodie.table.version": "8",
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.record.merge.strategy.id": COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
        "hoodie.compaction.payload.class": OVERWRITE,
    }
    config = _effective(table)
    assert config.read == (COMMIT, None, COMMIT_TIME_BASED_MERGE_STRATEGY_UUID, "the table's mode COMMIT_TIME_ORDERING")


def test_merge_properties_of_the_table_win():
    prefix = "hoodie.record.merge.property."
    table = {**V9_EVENT, f"{prefix}hoodie.payload.delete.field": "op"}
    writer = {"hoodie.payload.delete.field": "x", "hoodie.payload.delete.marker": "D", f"{prefix}a": "b"}
    assert _effective(table, writer).merge_properties == {
        "hoodie.payload.delete.field": "op",
        "hoodie.payload.delete.marker": "D",
        "a": "b",
    }


def test_a_writers_prefixed_delete_keys_delete_nothing():
    prefix = "hoodie.record.merge.property."
    writer = {f"{prefix}hoodie.payload.delete.field": "Op", f"{prefix}hoodie.payload.delete.marker": "D"}
    assert _effective(V9_EVENT, writer).merge_properties == {}
    assert set(_effective({**V9_EVENT, **writer}).merge_properties.values()) == {"Op", "D"}


def test_merge_properties_are_trimmed():
    prefix = "hoodie.record.merge.property."
    table = {**V9_EVENT, f"{prefix} a\t": " b ", prefix: "c", f"{prefix}  ": "d", f"{prefix}e": "\xa0f"}
    assert _effective(table, {}).merge_properties == {"a": "b", "e": "\xa0f"}


def test_ordering_fields_of_the_table_come_before_the_writers():
    writer = {"hoodie.datasource.write.precombine.field": "a,b", "hoodie.payload.ordering.field": "c"}
    assert _effective(V9_EVENT, writer).ordering == ("ts",)
    table = {key: text for key, text in V9_EVENT.items() if key != "hoodie.table.ordering.fields"}
    assert _effective(table, writer).ordering == ("a", "b")
    old = {"hoodie.table.version": "8", "hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
    assert _effective(old, writer, V1_0).ordering == ("a,b",)  # one name, as 1.0 reads it


@pytest.mark.parametrize(("release", "version"), [(V0_15, "8"), (V1_0, "9")])
def test_a_release_does_not_read_later_table_versions(release, version):
    with pytest.raises(MergeConfigError, match=f"can't read table version {version}"):
        _effective({"hoodie.table.version": version}, None, release)


def test_an_old_name_among_the_writers_options_brings_one_warning():
    old = {"hoodie.datasource.write.record.merger.impls": "a.B"}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(2):
            _effective(V9_EVENT, old)
    assert [warning.category for warning in seen] == [DeprecatedKeyWarning]


# -- reading tables


def test_a_table_is_read_from_its_folder_or_its_file(tmp_path):
    file = tmp_path / ".hoodie" / "hoodie.properties"
    file.parent.mkdir()
    file.write_text("hoodie.table.version=6\n", encoding="utf-8")
    assert read_table(tmp_path) == read_table(file) == read_table(file.parent) == {"hoodie.table.version": "6"}


def test_what_is_not_a_table_is_refused(tmp_path):
    with pytest.raises(PayloadConfigError, match="base path"):
        read_table(tmp_path)
    other = tmp_path / "other.properties"
    other.write_text("a=b\n", encoding="utf-8")
    with pytest.raises(PayloadConfigError, match=r"no hoodie\.table\.version"):
        read_table(other)


# -- what a writer may pass


def _conflicts(properties, writer, release=V1_2):
    return [c.key for c in conflicts_of(TableMergeConfig.from_properties(properties), writer, release)]


V8 = {
    "hoodie.table.version": "8",
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.record.merge.strategy.id": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
    "hoodie.compaction.payload.class": DEFAULT,
    "hoodie.table.precombine.field": "ts",
}


NO_CLASS = {key: text for key, text in V9_EVENT.items() if key != LEGACY}


@pytest.mark.parametrize(
    ("table", "writer", "keys"),
    [
        (V8, {WRITER: DEFAULT, "hoodie.datasource.write.precombine.field": "ts"}, []),
        (V8, {WRITER: DMS}, [WRITER]),
        (V8, {WRITER: OVERWRITE}, [WRITER]),
        ({**V8, "hoodie.table.initial.version": "6"}, {WRITER: OVERWRITE}, []),
        (V8, {WRITER: "org.apache.spark.sql.hudi.command.payload.ExpressionPayload"}, []),
        (COW_0_15, {WRITER: DMS}, []),
        (V8, {"hoodie.write.record.merge.mode": "CUSTOM"}, ["hoodie.write.record.merge.mode"]),
        (V8, {"hoodie.datasource.write.precombine.field": "x"}, ["hoodie.datasource.write.precombine.field"]),
        (V9_EVENT, {WRITER: DMS}, []),
        (
            V9_EVENT,
            {"hoodie.write.record.merge.strategy.id": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"},
            ["hoodie.write.record.merge.strategy.id"],
        ),
        (V9_EVENT, {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, ["hoodie.record.merge.mode"]),
        (V9_EVENT, {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}, []),
        (V8, {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, ["hoodie.record.merge.mode"]),
        ({**V8, "hoodie.table.initial.version": "6"}, {WRITER: DMS}, []),
        (
            {**V9_EVENT, LEGACY: DMS},
            {"hoodie.compaction.payload.class": DEFAULT, LEGACY: OVERWRITE},
            ["hoodie.compaction.payload.class", LEGACY],
        ),
        ({**V9_EVENT, LEGACY: DMS}, {"hoodie.compaction.payload.class": DMS, LEGACY: DMS}, []),
        (NO_CLASS, {"hoodie.compaction.payload.class": DMS, LEGACY: DMS}, []),
        (V9_EVENT, {"hoodie.record.merge.strategy.id": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"}, []),
        (V9_EVENT, {"hoodie.table.ordering.fields": "v"}, ["hoodie.table.ordering.fields"]),
        (V9_EVENT, {"hoodie.table.precombine.field": "v", "hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}, []),
        ({**V9_EVENT, f"{PREFIX}a": "D"}, {f"{PREFIX}a": "X", f"{PREFIX}b": "Y"}, [f"{PREFIX}a"]),
        (
            {**V9_EVENT, "hoodie.table.ordering.fields": "_event_bin_file,_event_pos"},
            {"hoodie.datasource.write.precombine.field": "_event_seq"},
            ["hoodie.datasource.write.precombine.field"],
        ),
    ],
)
def test_options_that_conflict_with_the_table(table, writer, keys):
    assert _conflicts(table, writer) == keys


def test_a_conflict_is_refused_with_both_values():
    with pytest.raises(MergeConfigError, match=r"precombine\.field: passed x, stored ts"):
        check_writer(TableMergeConfig.from_properties(V8), {"hoodie.datasource.write.precombine.field": "x"}, V1_0)
