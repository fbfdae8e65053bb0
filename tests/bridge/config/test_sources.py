"""Where settings come from, and which keys are deprecated."""

from __future__ import annotations

from bridge.config.effective import effective_config
from bridge.config.sources import Source, deprecated_keys, settings_of
from bridge.config.stored import TableMergeConfig
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
DMS = MODEL + "AWSDmsAvroPayload"
WRITER = "hoodie.datasource.write.payload.class"
TABLE = {
    "hoodie.table.version": "6",
    "hoodie.table.type": "MERGE_ON_READ",
    "hoodie.compaction.payload.class": DMS,
    "hoodie.compaction.record.merger.strategy": "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
    "hoodie.table.precombine.field": "ts",
}


def _settings(properties, writer, release=V1_2):
    config = effective_config(TableMergeConfig.from_properties(properties, release), writer, release)
    return {setting.name: setting for setting in settings_of(config, writer)}


def test_every_setting_names_its_source_and_what_lost():
    settings = _settings(TABLE, {WRITER: DMS, "hoodie.datasource.write.precombine.field": "ts"})
    payload = settings["payload class"]
    assert (payload.value, str(payload.source)) == (DMS, "table: hoodie.compaction.payload.class")
    assert payload.others == (Source("writer", WRITER, DMS),)
    assert str(settings["merge mode"].source) == "inferred: the table's class"
    ordering = settings["ordering fields"]
    assert (ordering.value, ordering.source.key) == ("ts", "hoodie.table.precombine.field")
    strategy = settings["strategy id"]
    assert strategy.source.side == "inferred"
    assert [other.key for other in strategy.others] == ["hoodie.compaction.record.merger.strategy"]
    assert str(settings["hoodie.payload.delete.field"].source) == f"implied: payload class {DMS}"


def test_what_a_writer_sets_in_vain_is_named():
    settings = _settings({"hoodie.table.version": "6"}, {WRITER: DMS})
    assert settings["payload class"].value is None
    assert settings["payload class"].others == (Source("writer", WRITER, DMS),)


def test_until_1_0_a_writer_runs_its_class():
    settings = _settings({"hoodie.table.version": "6"}, {WRITER: DMS}, V0_15)
    assert (settings["payload class"].value, settings["payload class"].source.side) == (DMS, "writer")
    assert settings["merge mode"].value is None


def test_merge_properties_name_their_place():
    prefixed = "hoodie.record.merge.property.hoodie.payload.delete.field"
    table = {"hoodie.table.version": "9", "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING", prefixed: "op"}
    setting = _settings(table, {"hoodie.payload.delete.field": "x"})["hoodie.payload.delete.field"]
    assert (setting.value, setting.source) == ("op", Source("table", prefixed, "op"))
    assert setting.others == (Source("writer", "hoodie.payload.delete.field", "x"),)


def test_deprecated_keys_by_release():
    writer = {WRITER: DMS, "hoodie.datasource.write.record.merger.impls": "a.B"}
    assert deprecated_keys(TABLE, writer, V0_15) == ()
    assert [(found.side, found.key) for found in deprecated_keys(TABLE, writer, V1_2)] == [
        ("table", "hoodie.table.precombine.field"),
        ("table", "hoodie.compaction.record.merger.strategy"),
        ("table", "hoodie.compaction.payload.class"),
        ("writer", WRITER),
        ("writer", "hoodie.datasource.write.record.merger.impls"),
    ]
    assert "hoodie.table.precombine.field" not in {found.key for found in deprecated_keys(TABLE, writer, V1_0)}
