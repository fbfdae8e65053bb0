"""Merges by a global index: a key has one row in all partitions, which moves or stays; without Hudi's writer."""

from __future__ import annotations

import dataclasses
import importlib
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from bridge import InputError, MergePlan, PlanError, merge_into
from bridge.hudi import TableQueries
from bridge.spark import PySparkException
from bridge.write import WriteTarget
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

MODULE = importlib.import_module("bridge.write.merge_into")
BY_CITY: dict[str, str | None] = {"hoodie.table.partition.fields": "city"}
INDEX, MOVES = "hoodie.index.type", "hoodie.simple.index.update.partition.path"
LOCK = {"hoodie.write.concurrency.mode": "OPTIMISTIC_CONCURRENCY_CONTROL", "hoodie.write.lock.provider": "x"}
STORED = [("a", "Oslo", 1), ("b", "Lima", 2), ("c", "Rome", 3), ("z", "Rome", 9)]
BATCH = [("a", "Lima", 4), ("b", "Lima", 1), ("c", "Oslo", -9), ("d", "Bern", 5)]


class Sums:
    """Adds quantities to a row in the partition of the batch; a row below zero goes."""

    def __init__(self, record: Any, ordering: Any = None) -> None:
        self.record = record

    def pre_combine(self, older: Sums) -> Sums:
        return self

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        found = {**self.record, "qty": self.record["qty"] + current["qty"]}
        return found if found["qty"] >= 0 else None

    def get_insert_value(self, schema: Any) -> Any:
        return self.record if self.record["qty"] >= 0 else None


PLAN = MergePlan(payload=f"{__name__}:Sums", release="0.15", key="id", partition="city")


class Parted(MadeTable):
    """A table by `city` that notes what is written."""

    written: list[list[tuple[Any, ...]]]

    def commit(self, rows: DataFrame, path: str, options: Any) -> None:
        names = [name for name in ("id", "city", "qty", "_hoodie_is_deleted") if name in rows.columns]
        self.written.append(sorted(map(tuple, rows.select(*names).collect())))
        super().commit(rows, path, options)

    @property
    def found(self) -> list[tuple[Any, ...]]:
        return sorted((row["id"], row["city"], row["qty"]) for row in self.rows.values())


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Parted:
    made = Parted(tmp_path / "table", BY_CITY)
    made.written = []
    made.write([dict(zip(("id", "city", "qty"), row, strict=True)) for row in STORED])
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    return made


def merge(table: Parted, spark: SparkSession, rows: list[tuple[Any, ...]], **more: Any) -> Any:
    frame = spark.createDataFrame(rows, "id string, city string, qty bigint").coalesce(1)
    options = {INDEX: "GLOBAL_SIMPLE", **more.pop("options", {})}
    plan = more.pop("plan", PLAN)
    return merge_into(str(table.path), frame, plan, **{"write_options": options, **more})


def test_a_row_moves_with_what_its_old_partition_had_and_comes_back(table: Parted, spark: SparkSession) -> None:
    done = merge(table, spark, BATCH, batch_id="monday")
    assert (done.inserted, done.updated, done.deleted) == (1, 2, 1)
    assert table.found == [("a", "Lima", 5), ("b", "Lima", 3), ("d", "Bern", 5), ("z", "Rome", 9)]
    # A delete names the partition of the stored row, not that of the batch.
    assert ("c", "Rome", 3, True) in table.written[-1]
    assert (table.asked[-1][INDEX], table.asked[-1][MOVES]) == ("GLOBAL_SIMPLE", "true")
    assert done.plan.global_index
    assert done.row_counts.rows_in == {"stored": 3, "incoming": 4}

    assert merge(table, spark, BATCH, batch_id="monday").merged_by == done.instant
    # Versions of one batch are combined across partitions; a move alone is a change; and a version that the class would
    # not insert on its own moves nothing.
    done = merge(table, spark, [("a", "Rome", 9), ("a", "Oslo", 1), ("b", "Oslo", 0), ("z", "Bern", -4)])
    assert (done.inserted, done.updated, done.deleted) == (0, 3, 0)
    assert table.found == [("a", "Oslo", 6), ("b", "Oslo", 3), ("d", "Bern", 5), ("z", "Rome", 5)]


def test_a_row_stays_where_it_is_and_the_writer_gets_it_there(table: Parted, spark: SparkSession) -> None:
    done = merge(table, spark, BATCH, options={MOVES: "false"})
    assert (done.inserted, done.updated, done.deleted) == (1, 2, 1)
    assert table.found == [("a", "Oslo", 5), ("b", "Lima", 3), ("d", "Bern", 5), ("z", "Rome", 9)]
    assert ("a", "Oslo", 5, False) in table.written[-1]
    # Else a merge-on-read index puts a new row of a deleted key where a base file still has it.
    assert table.asked[-1][MOVES] == "true"


@pytest.mark.parametrize("moves", ["true", "false"])
def test_a_key_in_two_partitions_is_refused(table: Parted, spark: SparkSession, moves: str) -> None:
    (oslo,) = (table.path / "Oslo").glob("*.parquet")
    shutil.copy(oslo, table.path / "Rome" / oslo.name.replace("f1-0", "f2-0"))  # beside what is there
    why = (
        rf"{table.path} stores the key id='a' 2 times, in Oslo and Rome, but a global index allows it once; nothing is"
    )
    with pytest.raises(InputError, match=why):
        merge(table, spark, BATCH, options={MOVES: moves})
    assert table.asked == []
    # The failure of another key is told as before.
    with pytest.raises(PySparkException, match=r"failed at .*'d'"):
        merge(table, spark, [("d", "Bern", None)])
    aside = dataclasses.replace(PLAN, on_error="quarantine")
    with merge(table, spark, BATCH, plan=aside, options={MOVES: moves}) as done:
        assert (done.inserted, done.updated, done.deleted) == (1, 1, 1)
        assert {row["id"] for row in done.quarantine.collect()} == {"a"}
    assert "a" not in {row[0] for row in table.written[-1]}


def test_without_partitions_the_key_tells_the_row(tmp_path: Path) -> None:
    target = WriteTarget(TableQueries(str(MadeTable(tmp_path / "table").path)))
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id")
    given = {INDEX: "GLOBAL_BLOOM"}
    options = target.options(given, None, "run")
    assert options["hoodie.bloom.index.update.partition.path"] == "true"
    assert target.with_index(plan, options, given) is plan


def test_plan_and_writer_have_one_index(tmp_path: Path) -> None:
    target = WriteTarget(TableQueries(str(MadeTable(tmp_path / "table", BY_CITY).path)))

    def with_index(given: dict[str, str], **settings: Any) -> MergePlan:
        plan = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id", partition="city", **settings)
        return target.with_index(plan, target.options(given, None, "run"), given)

    index = {INDEX: "global_simple"}
    assert with_index(index).identity == ("id",)
    assert with_index(index).moves_rows
    assert not with_index({**index, MOVES: "false"}).moves_rows
    assert not with_index(index, props={MOVES: "false"}).moves_rows
    assert with_index(index, props={**index, MOVES: "true"}, global_index=True).moves_rows
    assert with_index({}).identity == ("city", "id")
    for given, settings, why in (
        ({}, {"global_index": True}, "the plan has a global index, but the writer hoodie.index.type=SIMPLE"),
        ({}, {"props": index}, "the plan has hoodie.index.type=global_simple, but the writer .*=SIMPLE"),
        (index, {"props": {INDEX: "BLOOM"}}, "the plan has hoodie.index.type=BLOOM, but the writer .*=GLOBAL_SIMPLE"),
        ({**index, MOVES: "true"}, {"props": {MOVES: "false"}}, f"the plan has {MOVES}=false, but the writer true"),
    ):
        with pytest.raises(PlanError, match=why):
            with_index(given, **settings)


def test_what_has_not_been_tried_with_a_global_index_is_refused(tmp_path: Path) -> None:
    target = WriteTarget(TableQueries(str(MadeTable(tmp_path / "table", BY_CITY).path)))
    for index in ("RECORD_INDEX", "GLOBAL_RECORD_LEVEL_INDEX", "hbase"):
        with pytest.raises(PlanError, match=r"=\w+ is not supported; write with GLOBAL_SIMPLE or GLOBAL_BLOOM"):
            target.options({INDEX: index}, None, "run")
    with pytest.raises(PlanError, match="two of them may insert a key into different ones; let one writer in"):
        target.options({INDEX: "GLOBAL_SIMPLE", **LOCK}, None, "run")
    older = WriteTarget(
        TableQueries(
            str(MadeTable(tmp_path / "8", {**BY_CITY, "hoodie.table.version": "8", INDEX: "GLOBAL_SIMPLE"}).path)
        )
    )
    with pytest.raises(PlanError, match="has table version 8, with which a merge by a global index"):
        older.options({}, None, "run")
    assert older.options({INDEX: "BLOOM"}, None, "run")[INDEX] == "BLOOM"
