"""What a new table stores, against the tables that each release made."""

from __future__ import annotations

import pytest

from bridge.config.creation import created_properties
from bridge.config.properties import parse_properties
from bridge.config.refusals import MergeConfigError
from bridge.config.sql import created_by_sql
from bridge.plan import TableType
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, created_tables, lives, merge_properties

TABLES = created_tables()


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["table"])
def test_a_release_stores_what_it_stored(table):
    release = HudiRelease.parse(table["table"].split("/")[0])
    stored = created_properties(table["options"], TableType[table["table_type"]], release)
    assert merge_properties(stored) == merge_properties(parse_properties(table["hoodie_properties"]))


@pytest.mark.parametrize("life", lives(), ids=lambda life: life.name)
def test_1_2_creates_older_table_versions(life):
    options = {"hoodie.write.table.version": life.version}
    if life.payload:
        options["hoodie.datasource.write.payload.class"] = life.payload
    if life.ordering:
        options["hoodie.datasource.write.precombine.field"] = life.ordering
    stored = created_properties(options, TableType[life.table_type])
    assert stored == {**life.stages["CREATED"], "hoodie.table.type": life.table_type}


def test_a_delete_marker_without_prefix_is_stored_only_for_default():
    marker = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
    prefix = "hoodie.record.merge.property."
    for payload, is_stored in (("DefaultHoodieRecordPayload", True), ("EventTimeAvroPayload", False)):
        options = {**marker, "hoodie.datasource.write.payload.class": MODEL + payload}
        stored = created_properties(options, TableType.COPY_ON_WRITE)
        assert (prefix + "hoodie.payload.delete.field" in stored) is is_stored
    prefixed = {prefix + key: text for key, text in marker.items()}
    assert prefixed.items() <= created_by_sql(prefixed).items()


def test_a_release_does_not_create_a_later_version():
    with pytest.raises(MergeConfigError, match=r"Hudi 1\.0 can't create table version 9"):
        created_properties({"hoodie.write.table.version": "9"}, TableType.COPY_ON_WRITE, HudiRelease.V1_0)


def test_sql_properties_make_a_table():
    table = {"primaryKey": "id", "preCombineField": "ts", "type": "mor", "x": "y"}
    stored = created_by_sql({**table, "recordMergeMode": "COMMIT_TIME_ORDERING"})
    assert stored == {
        "hoodie.table.recordkey.fields": "id",
        "hoodie.table.ordering.fields": "ts",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.table.version": "9",
        "hoodie.table.initial.version": "9",
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
    }


def test_sql_property_of_the_old_release_keeps_its_name():
    stored = created_by_sql({"primaryKey": "id", "preCombineField": "ts"}, HudiRelease.V1_0)
    assert stored["hoodie.table.precombine.field"] == "ts"
    assert stored["hoodie.table.type"] == "COPY_ON_WRITE"


def test_a_sql_name_in_the_wrong_case_is_refused():
    with pytest.raises(PayloadConfigError, match="write primaryKey"):
        created_by_sql({"primarykey": "id"})


def test_a_full_name_beats_a_short_one():
    stored = created_by_sql({"preCombineField": "a", "hoodie.table.ordering.fields": "b"})
    assert stored["hoodie.table.ordering.fields"] == "b"


# -- recorded: what real 1.2.0 stored of options, given by a DataFrame writer and as TBLPROPERTIES

PREFIX = "hoodie.record.merge.property."
DELETES = {"hoodie.payload.delete.field": "Op", "hoodie.payload.delete.marker": "D"}
PREFIXED = {PREFIX + key: text for key, text in DELETES.items()}
TS = {"hoodie.datasource.write.precombine.field": "ts"}
DMS, DEFAULT = MODEL + "AWSDmsAvroPayload", MODEL + "DefaultHoodieRecordPayload"
EVENT = {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING", "hoodie.table.ordering.fields": "ts"}
COMMIT = {**EVENT, "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}
OF_DMS = {**COMMIT, **PREFIXED, "hoodie.table.legacy.payload.class": DMS}
OF_DEFAULT = {**EVENT, "hoodie.table.legacy.payload.class": DEFAULT}
COMMIT_ID = "ce9acb64-bde0-424c-9b91-f6ebba25356d"


@pytest.mark.parametrize(
    ("options", "by_writer", "by_sql"),
    [
        ({**TS, "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"}, EVENT, COMMIT),
        (
            {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"},
            {"hoodie.record.merge.mode": "COMMIT_TIME_ORDERING"},
            {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"},
        ),
        ({**TS, "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING"}, COMMIT, COMMIT),
        ({**TS, "hoodie.compaction.payload.class": DMS}, EVENT, OF_DMS),
        ({**TS, "hoodie.table.legacy.payload.class": DMS}, EVENT, EVENT),
        ({**TS, "hoodie.datasource.write.payload.class": DMS}, OF_DMS, OF_DMS),
        ({**TS, "hoodie.record.merge.strategy.id": COMMIT_ID}, EVENT, COMMIT),
        ({**TS, "hoodie.write.record.merge.strategy.id": COMMIT_ID}, COMMIT, COMMIT),
        ({"hoodie.table.ordering.fields": "ts"}, EVENT, EVENT),
        ({"hoodie.table.precombine.field": "ts"}, EVENT, EVENT),
        ({**TS, "hoodie.table.ordering.fields": "v"}, {**EVENT, "hoodie.table.ordering.fields": "v"}, EVENT),
        ({**TS, **PREFIXED}, EVENT, {**EVENT, **PREFIXED}),
        (
            {**TS, **PREFIXED, "hoodie.datasource.write.payload.class": DEFAULT},
            OF_DEFAULT,
            {**OF_DEFAULT, **PREFIXED},
        ),
        ({**TS, **DELETES}, {**EVENT, **PREFIXED}, EVENT),
        (
            {**TS, **DELETES, "hoodie.datasource.write.payload.class": DEFAULT},
            {**OF_DEFAULT, **PREFIXED},
            {**OF_DEFAULT, **PREFIXED},
        ),
        ({**TS, "hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}, EVENT, EVENT),
        ({**TS, PREFIX + "x.y": "z"}, EVENT, EVENT),
    ],
)
@pytest.mark.parametrize("release", [HudiRelease.V1_1, HudiRelease.V1_2], ids=str)
def test_a_writers_options_and_tblproperties_are_two_sources(options, by_writer, by_sql, release):
    versions = {"hoodie.table.version", "hoodie.table.initial.version", "hoodie.table.type"}
    given = created_properties(options, TableType.COPY_ON_WRITE, release), created_by_sql(options, release)
    assert [{key: text for key, text in stored.items() if key not in versions} for stored in given] == [
        by_writer,
        by_sql,
    ]
