"""What a merge gives Hudi's writer, and when it gives it nothing; the writer itself runs in `python -m tests.write`."""

from __future__ import annotations

import datetime
import importlib
import json
import zoneinfo
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge import ConflictError, InputError, MergePlan, PlanError, merge_batch, merge_into
from bridge.errors import EngineError
from bridge.hudi import TableQueries
from bridge.spark import line_of
from bridge.write import WriteTarget
from bridge.write.clock import next_instant
from bridge.write.hudi_writer import _check_keeps
from bridge.write.stored_rows import check_slices
from payloads import SENTINEL
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

MODULE = importlib.import_module("bridge.write.merge_into")
OF_0_15: dict[str, str | None] = {
    "hoodie.table.version": "6",
    "hoodie.timeline.layout.version": "1",
    "hoodie.record.merge.mode": None,
}
STORED = [{"id": "a", "city": "Oslo", "qty": 1}, {"id": "b", "city": "Lima", "qty": 2}, {"id": "c", "qty": 3}]
BATCH = [("a", "Rome", 4), ("b", None, 0), ("c", None, -9), ("c", None, 1), ("d", "Bern", 5), ("e", None, -1)]


class Adder:
    """Adds quantities; a row below zero goes."""

    def __init__(self, record: Any, ordering: Any = None) -> None:
        self.record = record

    def pre_combine(self, older: Adder) -> Adder:
        return Adder({**self.record, "qty": self.record["qty"] + older.record["qty"]})

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        if self.record["city"] == "fails":
            msg = "no such city"
            raise ValueError(msg)
        if self.record["city"] == "skip":
            return SENTINEL
        found = {**current, "qty": self.record["qty"] + current["qty"]}
        return found if found["qty"] >= 0 else None

    def get_insert_value(self, schema: Any) -> Any:
        return self.record if self.record["qty"] >= 0 else None


PLAN = MergePlan(payload=f"{__name__}:Adder", release="0.15", key="id")
NATIVE = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id", engine="native")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeTable:
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    return made


def batch(spark: SparkSession, rows: list[Any]) -> DataFrame:
    return spark.createDataFrame(rows, "id string, city string, qty bigint").coalesce(1)


def test_inserts_updates_and_deletes_are_one_commit_and_a_second_run_of_it_is_none(
    table: MadeTable, spark: SparkSession
) -> None:
    first = merge_into(str(table.path), batch(spark, BATCH), PLAN, batch_id="monday", write_options={"hoodie.x": "1"})
    assert (first.inserted, first.updated, first.deleted, first.adds_flag) == (1, 1, 1, True)
    assert table.rows == {
        "a": {"id": "a", "city": "Oslo", "qty": 5, "_hoodie_is_deleted": False},
        "b": {"id": "b", "city": "Lima", "qty": 2},  # nothing was added: the row was not written
        "d": {"id": "d", "city": "Bern", "qty": 5, "_hoodie_is_deleted": False},
    }
    (asked,) = table.asked
    assert asked["hoodie.datasource.write.operation"] == "upsert"
    assert asked["hoodie.combine.before.upsert"] == "false"
    assert (asked["hoodie.x"], asked["_payload_bridge_batch"]) == ("1", "monday")
    assert first.row_counts is not None
    assert first.row_counts.rows_in == {"stored": 3, "incoming": 6}

    before = table.instants
    again = merge_into(str(table.path), batch(spark, BATCH), PLAN, batch_id="monday")
    assert again.merged_by == first.instant
    assert table.instants == before
    # The column of the first commit is no column of the batch; nothing changes, so nothing is written.
    none = merge_into(str(table.path), batch(spark, [("a", "skip", 1), ("b", None, 0)]), PLAN, batch_id="tuesday")
    assert (none.instant, none.read) == (None, first.instant)
    assert table.instants == before
    assert "changes no row" in none.verdict
    assert json.loads(first.to_json())["statistics"]["written"] == {"inserted": 1, "updated": 1, "deleted": 1}


def test_another_writer_is_noticed_before_and_after_the_commit(
    table: MadeTable, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = batch(spark, [("d", "Bern", 5)])

    def other(_: object = None) -> str:
        return table.write([{"id": "z", "city": "Bonn", "qty": 1}])

    with pytest.raises(ConflictError, match="20240101000000002 of another writer came after 20240101000000001"):
        merge_into(str(table.path), rows, PLAN, before_commit=other)
    assert "d" not in table.rows

    def both(*arguments: Any) -> None:
        other()
        table.commit(*arguments)

    monkeypatch.setattr(MODULE, "commit", both)
    with pytest.raises(ConflictError, match=r"the commit 20240101000000004 .* without the rows of 20240101000000003"):
        merge_into(str(table.path), rows, PLAN)
    assert {"d", "z"} <= table.rows.keys()  # a completed commit stays


def test_a_commit_under_way_and_one_that_is_rolled_back_are_other_writers(
    table: MadeTable, spark: SparkSession
) -> None:
    table.write([])
    rows = batch(spark, [("d", "Bern", 5)])
    pending = table.timeline / "20240101000000009.commit.inflight"
    with pytest.raises(ConflictError, match="20240101000000009"):
        merge_into(str(table.path), rows, PLAN, before_commit=lambda _: pending.touch())
    last = table.timeline / table.instants[1]
    merge_into(str(table.path), rows, PLAN)  # what was there when the rows were read is no conflict
    with pytest.raises(ConflictError, match="20240101000000002"):
        merge_into(str(table.path), batch(spark, [("e", "Bern", 5)]), PLAN, before_commit=lambda _: last.unlink())


@pytest.mark.parametrize("zone", ["Pacific/Apia", "America/New_York"])
def test_an_instant_is_named_in_the_zone_of_the_table(spark: SparkSession, zone: str) -> None:
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        found = {is_local: next_instant(spark, is_local=is_local) for is_local in (True, False)}
    finally:
        zones.setDefault(before)
    for is_local, (instant, said) in found.items():
        there = zoneinfo.ZoneInfo(zone if is_local else "UTC")
        named = datetime.datetime.strptime(instant, "%Y%m%d%H%M%S%f").replace(tzinfo=there)
        assert abs(datetime.datetime.now(there) - named) < datetime.timedelta(minutes=1)
        assert (len(instant), said) == (17, str(there))


def test_what_can_t_be_merged_is_handed_over_before_the_commit(table: MadeTable, spark: SparkSession) -> None:
    rows = batch(spark, [("a", "fails", 1), ("d", "Bern", 5)])
    plan = MergePlan(payload=f"{__name__}:Adder", release="0.15", key="id", on_error="quarantine")
    seen: list[Any] = []

    def note(aside: DataFrame | None) -> None:
        assert aside is not None
        assert len(table.instants) == 1
        seen.extend((row["id"], row["_pb_side"]) for row in aside.collect())

    with merge_into(str(table.path), rows, plan, before_commit=note) as report:
        assert sorted(seen) == [("a", "incoming"), ("a", "stored")]
        assert report.quarantine is not None
        assert report.quarantine.count() == 2
    assert table.rows["a"]["qty"] == 1
    assert "d" in table.rows


def test_a_batch_is_found_among_archived_commits(table: MadeTable) -> None:
    table.write([], {"_payload_bridge_batch": "new"})
    folder = table.timeline / "history"
    folder.mkdir()
    (folder / "_version_").write_text("1")
    (folder / "manifest_1").write_text(json.dumps({"files": [{"fileName": "1_2_0.parquet"}]}))
    said = json.dumps({"extraMetadata": {"_payload_bridge_batch": "old"}}).encode()
    other = b"it does not say the name, so it is not parsed"
    rows = {"instantTime": ["1", "2", "3"], "completionTime": ["1", "2", "3"], "metadata": [said, None, other]}
    pq.write_table(pa.table(rows), folder / "1_2_0.parquet")
    found = list(TableQueries(str(table.path)).timeline.commits_with("_payload_bridge_batch"))
    assert found == [("20240101000000002", "new"), ("1", "old")]


@pytest.mark.parametrize(
    ("properties", "why"),
    [
        (
            {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"},
            "by EVENT_TIME_ORDERING .*created with .*=COMMIT_TIME_ORDERING",
        ),
        (
            {"hoodie.record.merge.mode": "CUSTOM", "hoodie.record.merge.strategy.id": "x"},
            "would merge written rows again",
        ),
        (
            {**OF_0_15, "hoodie.compaction.payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload"},
            "has table version 6, whose payload class merges what is written, .*DefaultHoodieRecordPayload",
        ),
        (
            {**OF_0_15, "hoodie.table.precombine.field": "qty"},
            "by the ordering field qty; write",
        ),
        ({"hoodie.table.partial.update.mode": "IGNORE_DEFAULTS"}, "partial update mode IGNORE_DEFAULTS"),
        ({"hoodie.record.merge.property.hoodie.payload.delete.field": "op"}, "marker column op"),
        ({"hoodie.table.recordkey.fields": None}, "generated keys"),
        ({"hoodie.populate.meta.fields": "false"}, "no meta columns"),
        ({"hoodie.datasource.write.drop.partition.columns": "true"}, "stores no partition columns"),
        ({"hoodie.table.keygenerator.type": "TIMESTAMP"}, "formats its partition values"),
    ],
)
def test_a_table_that_would_make_other_rows_of_what_is_written_is_refused(
    tmp_path: Path, properties: dict[str, str | None], why: str
) -> None:
    made = MadeTable(tmp_path / "table", properties)
    with pytest.raises(InputError, match=why):
        WriteTarget(TableQueries(str(made.path)))


@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_without_merge_modes_the_writer_passes_the_class_that_keeps_the_last_row(
    tmp_path: Path, table_type: str
) -> None:
    made = MadeTable(tmp_path / "table", {**OF_0_15, "hoodie.table.type": table_type})
    target = WriteTarget(TableQueries(str(made.path)))
    asked = target.options({}, None, "run")
    assert asked["hoodie.datasource.write.payload.class"].endswith(".OverwriteWithLatestAvroPayload")
    assert asked["hoodie.datasource.write.precombine.field"] == ""
    assert "hoodie.write.record.merge.mode" not in asked
    with pytest.raises(PlanError, match=r"precombine.field=qty would change"):
        target.options({"hoodie.datasource.write.precombine.field": "qty"}, None, "run")


def test_a_failed_commit_in_a_log_of_0_15_would_hide_the_next_one(tmp_path: Path) -> None:
    for name, table_type in (("cow", "COPY_ON_WRITE"), ("mor", "MERGE_ON_READ")):
        made = MadeTable(tmp_path / name, {**OF_0_15, "hoodie.table.type": table_type})
        (made.path / ".hoodie" / "20240101000000009.deltacommit.inflight").touch()
        queries = TableQueries(str(made.path))
        if name == "cow":
            WriteTarget(queries)
            continue
        with pytest.raises(InputError, match="has the commit 20240101000000009, which did not complete"):
            WriteTarget(queries)


def test_a_table_is_written_by_a_bundle_that_leaves_it_at_its_version() -> None:
    for version, newest in ((6, 6), (8, 8), (8, 9), (9, 9)):
        _check_keeps(version, newest)
    for version, newest, bundle in ((6, 8, "0.15.0"), (6, 9, "0.15.0"), (8, 6, "1.0.2"), (5, 6, "0.13.1")):
        with pytest.raises(EngineError, match=f"has version {version}, but .* writes {newest}; .* such as {bundle}"):
            _check_keeps(version, newest)


def test_a_plan_and_options_that_do_not_fit_the_table_are_refused(tmp_path: Path) -> None:
    target = WriteTarget(TableQueries(str(MadeTable(tmp_path / "table").path)))
    target.check_plan(PLAN)
    for settings, why in (
        ({"key": "city"}, "the record key city, but .* has id"),
        ({"key": "id", "partition": "city"}, "the partition city, but .* has none"),
        ({"key": "id", "combine_before_upsert": False}, "one row per key"),
    ):
        with pytest.raises(PlanError, match=why):
            target.check_plan(MergePlan(payload="OverwriteWithLatestAvroPayload", **settings))  # type: ignore[arg-type]
    for option in ("hoodie.datasource.write.operation", "hoodie.datasource.write.payload.class"):
        with pytest.raises(PlanError, match=f"the option {option}=insert would change"):
            target.options({option: "insert"}, None, "run")
    for option, text in (
        ("hoodie.datasource.write.insert.drop.duplicates", "true"),  # an upsert is an insert then, without known keys
        ("hoodie.datasource.insert.dup.policy", "drop"),
        ("hoodie.payload.delete.field", "op"),  # Hudi's writer would delete what the payload keeps
        ("hoodie.payload.delete.marker", "D"),
        ("hoodie.datasource.write.OPERATION", "delete"),  # Spark does not tell upper from lower case
        ("hoodie.index.Type", "BUCKET"),
    ):
        with pytest.raises(PlanError, match=f"the option {option}={text} would change"):
            target.options({option: text}, None, "run")
    target.options({"hoodie.datasource.write.insert.drop.duplicates": "False"}, None, "run")
    target.options({"hoodie.datasource.insert.dup.policy": "NONE"}, None, "run")
    assert target.options({}, None, "run")["hoodie.index.type"] == "SIMPLE"
    with pytest.raises(PlanError, match=r"hoodie.index.class=x would change"):
        target.options({"hoodie.index.class": "x"}, None, "run")
    with pytest.raises(PlanError, match=r"nowhere to put a quarantine; .* `with merge_into\("):
        merge_batch("t", MergePlan(payload="OverwriteWithLatestAvroPayload", key="id", on_error="quarantine"))


def test_a_batch_that_hudi_would_read_otherwise_is_refused(table: MadeTable, spark: SparkSession) -> None:
    with pytest.raises(InputError, match="_hoodie_operation"):
        merge_into(str(table.path), spark.createDataFrame([("a", "D")], "id string, _hoodie_operation string"), PLAN)
    with pytest.raises(InputError, match="_hoodie_is_deleted is int"):
        merge_into(str(table.path), spark.createDataFrame([("a", 1)], "id string, _hoodie_is_deleted int"), PLAN)
    kept = spark.createDataFrame(
        [("f", "x", 1, True)], "id string, city string, qty bigint, _hoodie_is_deleted boolean"
    )
    with pytest.raises(InputError, match="the payload keeps a row"):
        merge_into(str(table.path), kept, PLAN)


@pytest.mark.parametrize("way", ["native", "narrower"])
def test_what_tasks_do_not_merge_is_merged_as_frames(
    table: MadeTable, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    frames = MagicMock(side_effect=MODULE.merged_in_frames)
    monkeypatch.setattr(MODULE, "merged_in_frames", frames)
    plan, kind = (NATIVE, "bigint") if way == "native" else (PLAN, "int")
    rows = spark.createDataFrame([("a", "Oslo", 4), ("d", "Bern", 5)], f"id string, city string, qty {kind}")
    report = merge_into(str(table.path), rows, plan)
    frames.assert_called_once()
    assert (report.inserted, report.updated, report.deleted) == (1, 1, 0)
    assert table.rows["a"] == {"id": "a", "city": "Oslo", "qty": 4 if way == "native" else 5}
    assert report.row_counts is not None
    assert report.row_counts.rows_in["incoming"] == 2
    frames.reset_mock()
    assert merge_into(str(table.path), rows.where("false"), PLAN).instant is None


def test_an_empty_batch_changes_no_row_of_a_table_with_partitions(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = MadeTable(tmp_path / "table", {"hoodie.table.partition.fields": "city"})
    made.write(STORED[:2])
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    plan = MergePlan(payload=f"{__name__}:Adder", release="0.15", key="id", partition="city")
    assert merge_into(str(made.path), batch(spark, BATCH).where("false"), plan).instant is None


def test_a_batch_that_would_change_a_type_is_refused(table: MadeTable, spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"the column 'qty' is bigint in .* and string in the batch"):
        merge_into(str(table.path), spark.createDataFrame([("a", "1")], "id string, qty string"), PLAN)
    assert table.asked == []


def test_the_first_batch_has_the_columns_that_sql_created_the_table_with(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {"id": "string", "city": "string", "qty": "long"}
    fields = [{"name": name, "type": ["null", kind], "default": None} for name, kind in kinds.items()]
    created = json.dumps({"type": "record", "name": "made", "fields": fields}).replace(":", r"\:")
    made = MadeTable(tmp_path / "table", {"hoodie.table.create.schema": created})
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    with pytest.raises(InputError, match="the column 'city' is stored but not in the newer data, which has id, City"):
        merge_into(str(made.path), batch(spark, BATCH).withColumnRenamed("city", "City"), PLAN)
    with pytest.raises(InputError, match=r"the column 'qty' is bigint in .* and string in the batch"):
        merge_into(str(made.path), spark.createDataFrame([("a", "x", "1")], "id string, city string, qty string"), PLAN)
    assert merge_into(str(made.path), batch(spark, BATCH), PLAN).inserted == 3


def test_rows_in_logs_alone_want_an_index_that_finds_them(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "table", {"hoodie.table.type": "MERGE_ON_READ"})
    instant = made.write(STORED)
    on_base, alone = (made.path / f".{name}_{instant}.log.1_0-0-0" for name in ("f1-0", "f2-0"))
    on_base.touch()
    slices = TableQueries(str(made.path)).snapshot().slices
    assert [one.data_logs for one in slices] == [(on_base.name,)]
    check_slices("t", slices, "SIMPLE")
    alone.touch()
    slices = TableQueries(str(made.path)).snapshot().slices
    for index in ("SIMPLE", "BLOOM"):
        with pytest.raises(InputError, match=f"f2-0 has rows in logs only, which hoodie.index.type={index} does not"):
            check_slices("t", slices, index)
    check_slices("t", slices, "BUCKET")


def test_a_session_without_hudi_says_how_to_start_one_with_it(tmp_path: Path, spark: SparkSession) -> None:
    made = MadeTable(tmp_path / "table")
    with pytest.raises(EngineError, match=rf"spark.jars.packages=org.apache.hudi:hudi-spark{line_of().name}-bundle"):
        merge_into(str(made.path), batch(spark, BATCH), PLAN)
