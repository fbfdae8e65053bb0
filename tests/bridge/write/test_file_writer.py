"""Files with meta columns, read byte by byte; that Hudi and hudi-rs read them is `python -m tests.write.files`."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import shutil
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import fs

from bridge import EngineError, InputError, MergePlan, PlanError, write_files, write_table
from bridge.cli import main
from bridge.hudi import ComputedKeys, TableQueries
from bridge.spark import META_COLUMNS, OutputRun, Place, PySparkException, Target
from bridge.write import FilesRun, NewTableRun
from bridge.write.file_writer import _keyed
from bridge.write.new_table import table_options
from payloads.avro import read_container
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

AT = "20240101000000000"
DDL = (
    "_hoodie_commit_time string, _hoodie_partition_path string, "
    "id string, n int, part string, qty decimal(5,1), seen timestamp, _pb_action int"
)
ROWS = [
    ("20230101000000000", "elsewhere", "a", 1, "p1", Decimal("1.5"), None, 0),
    (None, None, "b", 2, "p1", None, None, 1),
    (None, None, "c,d", 3, None, Decimal(3), None, 1),
]
PLAN = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key=("id", "n"), partition="part")


def frame(spark: SparkSession, rows: list[Any]) -> Any:
    return spark.createDataFrame(rows, DDL).coalesce(1)


@pytest.mark.parametrize("form", ["parquet", "avro"])
def test_files_have_meta_columns_and_the_names_and_folders_of_base_files(
    tmp_path: Path, spark: SparkSession, form: str
) -> None:
    out = tmp_path / "out"
    written = write_files(frame(spark, ROWS), str(out), PLAN, out_format=form, instant=AT)
    there = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert sorted(there) == list(written)
    assert [name.partition("/")[0] for name in written] == ["__HIVE_DEFAULT_PARTITION__", "p1"]
    assert all(name.endswith(f"_{AT}.{form}") for name in written)
    rows = {}
    for name, path in there.items():
        if form == "parquet":
            found = pq.read_table(path, partitioning=None).to_pylist()
        else:
            with path.open("rb") as stream:
                found = list(read_container(stream)[1])
        for row in found:
            assert list(row)[: len(META_COLUMNS)] == list(META_COLUMNS)
            assert "_pb_action" not in row
            assert row["_hoodie_file_name"] == path.name
            assert row["_hoodie_partition_path"] == name.partition("/")[0]
            rows[row["id"]] = [row[column] for column in META_COLUMNS[:3]]
    # Rows come by partition, the null one first; a row that has a commit keeps it, but not its folder.
    assert rows["c,d"] == [AT, f"{AT}_0_0", "id:c,d,n:3"]
    assert rows["b"][0] == AT
    assert rows["b"][1] in {f"{AT}_0_1", f"{AT}_0_2"}
    assert rows["a"][0] == "20230101000000000"
    assert rows["a"][2] == "id:a,n:1"


def test_rows_whose_key_or_folder_can_t_be_told_are_refused(tmp_path: Path, spark: SparkSession) -> None:
    out = str(tmp_path / "out")
    good = frame(spark, ROWS)
    for settings, why in (
        ({"out_format": "orc"}, "not orc"),
        ({"instant": "2024"}, "not an instant"),
    ):
        with pytest.raises(InputError, match=why):
            write_files(good, out, PLAN, **settings)  # type: ignore[arg-type]
    for plan, why in (
        (MergePlan(payload="OverwriteWithLatestAvroPayload", key="nothing"), "no column 'nothing'"),
        (MergePlan(payload="OverwriteWithLatestAvroPayload", key="seen"), "'seen' is timestamp, whose text"),
    ):
        with pytest.raises(InputError, match=why):
            write_files(good, out, plan)
    single = dataclasses.replace(PLAN, key=("id",))
    for plan, row, why in (
        (PLAN, ("", None, "p"), "no 'id' and no 'n'"),
        (single, ("", 1, "p"), "no 'id', from which"),
        (PLAN, ("x", 1, ".."), "names no folder"),
        (PLAN, ("x", 1, "a/b"), "no folder"),
    ):
        with pytest.raises(PySparkException, match=why):
            write_files(frame(spark, [(None, None, *row, None, None, 0)]), out, plan)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("release", "bare", "expected"),
    [("0.15", None, "a"), ("1.0", None, "id:a"), ("1.2", None, "id:a"), ("1.2", "true", "a")],
)
def test_a_key_of_one_field_is_named_where_hudi_takes_the_complex_generator(
    release: str, bare: str | None, expected: str
) -> None:
    props = {} if bare is None else {"hoodie.write.complex.keygen.new.encoding": bare}
    plan = MergePlan(payload=PLAN.payload, key="id", partition=("p", "q"), release=release, props=props)
    batch = pa.RecordBatch.from_pydict({"id": ["a"]})
    assert ComputedKeys(_keyed(plan)).of(batch).to_pylist() == [expected]
    assert ComputedKeys(_keyed(dataclasses.replace(plan, partition=("p",)))).of(batch).to_pylist() == ["a"]


def test_a_part_of_a_key_may_be_missing_and_a_store_of_objects_is_told_the_end(
    tmp_path: Path, spark: SparkSession
) -> None:
    place = Place(str(tmp_path / "out"), "s3a", fs.LocalFileSystem())
    FilesRun(OutputRun(place, Target("s3a://out")), PLAN, "parquet").write(
        frame(spark, [(None, None, "x", None, "p", None, None, 0)])
    )
    (file,) = (tmp_path / "out" / "p").iterdir()
    assert pq.read_table(file, partitioning=None).column("_hoodie_record_key").to_pylist() == ["id:x,n:__null__"]
    assert (tmp_path / "out" / "_SUCCESS").read_bytes() == b""


def test_executors_with_disks_of_their_own_are_noticed(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.import_module("bridge.spark.output"), "has_executors", lambda _: True)
    monkeypatch.setattr(importlib.import_module("bridge.write.file_writer"), "_remove_others", _lose)
    with pytest.raises(EngineError, match="out: executors wrote to their own disks"):
        write_files(frame(spark, ROWS), str(tmp_path / "out"), PLAN)
    made = MadeTable(tmp_path / "table")
    made.write([{"id": "a", "city": "Oslo", "qty": 1}])
    table = NewTableRun(OutputRun(Place(str(made.path)), Target("orders")), PLAN, {}, None)
    table._check_written(spark, TableQueries(str(made.path)))
    next(made.path.glob("*.parquet")).unlink()
    with pytest.raises(EngineError, match="orders: executors wrote to their own disks"):
        table._check_written(spark, TableQueries(str(made.path)))


def _lose(place: Place, _written: set[str]) -> None:
    shutil.rmtree(place.path)


@pytest.mark.parametrize("named", ["", "plan", "option"])
def test_an_ordering_field_that_nobody_named_is_refused(tmp_path: Path, named: str) -> None:
    spark: Any = None
    made = MadeTable(tmp_path / "table", {"hoodie.table.version": "6", "hoodie.table.precombine.field": "ts"})
    plan = dataclasses.replace(PLAN, ordering=("ts",) if named == "plan" else ())
    given = {"hoodie.datasource.write.precombine.field": "ts"} if named == "option" else {}
    options = table_options(plan, "orders", 6, None, given)
    run = NewTableRun(OutputRun(Place(str(made.path), "hdfs"), Target("orders")), plan, options, 6)
    why = pytest.raises(PlanError, match="made ts the ordering field, which nobody named")
    with contextlib.nullcontext() if named else why:
        run._check_written(spark, TableQueries(str(made.path)))


def test_a_new_table_keeps_the_layout_and_is_registered_nowhere() -> None:
    plan = dataclasses.replace(PLAN, props={"hoodie.datasource.write.hive_style_partitioning": "true"})
    own = table_options(plan, "orders", 9, None, {})
    assert own["hoodie.datasource.write.hive_style_partitioning"] == "true"
    for name in ("hoodie.datasource.hive_sync.enable", "hoodie.datasource.meta.sync.enable"):
        assert table_options(plan, "orders", 9, None, {name: "false"})[name] == "false"
        with pytest.raises(PlanError, match=f"{name} would register the table before it is in place"):
            table_options(plan, "orders", 9, None, {name: "true"})


def test_a_merge_can_be_written_with_meta_columns(tmp_path: Path, spark: SparkSession) -> None:
    for name, qty in (("stored", 1), ("incoming", 2)):
        (tmp_path / f"{name}.jsonl").write_text(f'{{"id": "a", "qty": {qty}}}\n')
    command = ["merge", "upsert", "--mode", "COMMIT_TIME_ORDERING", "--key", "id", "--out", str(tmp_path / "out")]
    command += ["--stored", str(tmp_path / "stored.jsonl"), "--incoming", str(tmp_path / "incoming.jsonl")]
    result = CliRunner().invoke(main, [*command, "--meta-columns", "--output", "json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["statistics"]["rows_out"] == 1
    (file,) = (tmp_path / "out").glob("*.parquet")
    (row,) = pq.read_table(file).to_pylist()
    assert (row["_hoodie_record_key"], row["_hoodie_file_name"], row["id"], row["qty"]) == ("a", file.name, "a", 2)
    for words, why in (
        (["--meta-columns", "--out-format", "orc"], "files with meta columns are parquet or avro, not orc"),
        (["--table-version", "9"], "add --out-table-format"),
        (["--meta-columns", "--out-table-format", "hudi"], "leave one out"),
        (["--meta-columns", "--partition-by", "id"], "--partition-by is for plain rows"),
        (["--out-table-format", "hudi", "--on-error", "quarantine"], "can't hold quarantined keys"),
    ):
        refused = CliRunner().invoke(main, [*command, "--overwrite", *words])
        assert refused.exit_code == 2, refused.output
        assert why in " ".join(refused.stderr.split())


def test_the_options_of_a_new_table_say_its_plan_and_its_version() -> None:
    own = table_options(PLAN, "/data/orders/", 9, None, {"hoodie.x": "1"})
    assert own["hoodie.table.name"] == "orders"
    assert own["hoodie.datasource.write.recordkey.field"] == "id,n"
    assert own["hoodie.datasource.write.partitionpath.field"] == "part"
    assert own["hoodie.write.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert own["hoodie.x"] == "1"
    assert "hoodie.write.table.version" not in own
    old = table_options(PLAN, "orders", 9, 6, {})
    assert old["hoodie.write.table.version"] == "6"
    assert old["hoodie.datasource.write.payload.class"].endswith(".OverwriteWithLatestAvroPayload")
    assert "hoodie.write.record.merge.mode" not in old
    named = table_options(PLAN, "orders", 9, 9, {"hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING"})
    assert named["hoodie.write.record.merge.mode"] == "EVENT_TIME_ORDERING"
    assert "hoodie.record.merge.mode" not in named
    with pytest.raises(EngineError, match=r"table version .*6, not 9"):
        table_options(PLAN, "orders", 6, 9, {})
    with pytest.raises(EngineError, match="table version 6, 8, 9, not 7"):
        table_options(PLAN, "orders", 9, 7, {})
    with pytest.raises(PlanError, match=r"partitionpath\.field=x contradicts part"):
        table_options(PLAN, "orders", 9, 9, {"hoodie.datasource.write.partitionpath.field": "x"})
    generated = MergePlan(payload="OverwriteWithLatestAvroPayload", key="_hoodie_record_key")
    with pytest.raises(InputError, match="generated"):
        table_options(generated, "orders", 9, 9, {})


def test_a_new_table_wants_hudi_in_the_session(tmp_path: Path, spark: SparkSession) -> None:
    with pytest.raises(EngineError, match=r"this session has no Hudi"):
        write_table(frame(spark, ROWS), str(tmp_path / "orders"), PLAN, table_version=9)
    assert not list(tmp_path.iterdir())
