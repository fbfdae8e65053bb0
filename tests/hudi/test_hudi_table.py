"""HudiTable and `payload-bridge snapshot` on Spark: the rows of the tasks are those of real Hudi, and nothing moves."""

from __future__ import annotations

import json
import random
import re
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyspark.sql.utils import PythonException

from bridge import HudiTable, HudiTableError, PlanError
from bridge.cli import main
from payloads import PayloadBridgeError
from tests.conformance.tables import Recorded, difference, json_rows, load, without_meta
from tests.hudi.damaged import COLUMNS
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

ALWAYS = (
    "mor-part-timestamp-slash",
    "mor-bootstrap-default",
    "mor-types-default",
    "mor-empty-default",
    "mor-merge-into-partial-event",
)


def opened(spark: SparkSession, recorded: Recorded, engine: Any = "auto") -> HudiTable:
    source = recorded.folder / "source"
    path = str(recorded.folder / "table")
    return HudiTable(spark, path, recorded.release, bootstrap=str(source) if source.is_dir() else None, engine=engine)


def rows_of(frame: DataFrame) -> list[dict[str, Any]]:
    """Collect as Arrow, which keeps every value as it is."""
    return [row for batch in frame._collect_as_arrow() for row in json_rows(batch)]


@pytest.mark.slow
def test_some_tables_give_real_hudis_rows(tables: Path, spark: SparkSession) -> None:
    """The tasks read as `tests/hudi/test_tables.py` does, so a few are enough here."""
    recorded = [one for one in load(tables) if one.answers["table_version"]]
    chosen = random.Random(16).sample(recorded, 25) + [one for one in recorded if one.folder.name in ALWAYS]  # noqa: S311 (a seeded choice)
    for one in chosen:
        expected, table = one.answers, opened(spark, one)
        if expected["snapshot"] is None or "snapshot" in expected["refused"]:
            continue
        frame = table.snapshot()
        found = rows_of(frame)
        has_meta = expected["properties"].get("hoodie.populate.meta.fields", "true") == "true"
        assert difference(expected["snapshot"], found if has_meta else without_meta(found)) == "", one.label
        wanted = expected["schemas"]["snapshot"]
        if has_meta and wanted != "struct<>":
            types = [f"{field.name}:{field.dataType.simpleString()}" for field in frame.schema]
            assert [kind for kind in types if kind not in wanted] == [], one.label


@pytest.fixture
def table(tables: Path) -> Recorded:
    return next(load(tables, case="mor-order-none"))


class TestQueries:
    @pytest.mark.parametrize("engine", ["python", "native"])
    def test_each_kind(self, table: Recorded, spark: SparkSession, engine: str) -> None:
        found, answers = opened(spark, table, engine), table.answers
        assert difference(answers["read_optimized"], rows_of(found.read_optimized())) == ""
        moment, then = min(answers["as_of"].items())
        assert difference(then, rows_of(found.snapshot(moment))) == ""
        begin, new = min(answers["incremental"].items())
        if engine == "native":
            with pytest.raises(PlanError, match="the native engine does not merge increments; use the python engine"):
                found.incremental(begin)
            return
        assert difference(new, rows_of(found.incremental(begin))) == ""

    def test_an_engine_merges_without_python_what_a_query_asks_for(self, table: Recorded, spark: SparkSession) -> None:
        by_engine, by_tasks = opened(spark, table, "native"), opened(spark, table)
        key = rows_of(by_tasks.snapshot())[0]["_hoodie_record_key"]
        for asked in ({}, {"columns": ["ts", "_hoodie_commit_seqno"]}, {"where": f"_hoodie_record_key = '{key}'"}):
            frame = by_engine.snapshot(**asked)
            assert difference(rows_of(by_tasks.snapshot(**asked)), rows_of(frame), whole=True) == ""
        tree = frame._jdf.queryExecution().optimizedPlan().toString().splitlines()
        joins = [number for number, line in enumerate(tree) if "Join FullOuter" in line]
        assert joins
        assert not any("InArrow" in line for line in tree[: joins[0]])

    def test_an_engine_refuses_what_only_tasks_do(self, table: Recorded, spark: SparkSession) -> None:
        with pytest.raises(PlanError, match="the native engine does not merge rows beside a quarantine"):
            opened(spark, table, "native").snapshot_outcomes()
        with pytest.raises(PayloadBridgeError, match="engine"):
            opened(spark, table, "fast")
        recorded = run(str(table.folder / "table"), "--engine", "native", "--output", "json")
        assert recorded.exit_code == 0, recorded.output
        assert (recorded.exit_code, len(json.loads(recorded.stdout)["results"])) == (0, len(table.answers["snapshot"]))

    @pytest.mark.parametrize("engine", ["python", "native"])
    def test_a_key_of_two_file_groups_merges_with_its_own_log(
        self, tmp_path: Path, spark: SparkSession, engine: str
    ) -> None:
        table = MadeTable(tmp_path / "table", COLUMNS)
        for group in ("g", "h"):
            table.base(group, pa.table({"id": ["a", group], "part": ["p"] * 2, "ts": [1, 1]}))
        table.commit()
        table.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1)
        table.deletes("h", "p", ["h"], 2)
        table.commit(1)
        table.commit(2)
        found = HudiTable(spark, str(table.path), "0.15", engine=engine).snapshot()  # type: ignore[arg-type]
        assert sorted((row["id"], row["ts"]) for row in rows_of(found)) == [("a", 1), ("a", 2), ("g", 1)]

    def test_timeline_and_slices_are_frames(self, table: Recorded, spark: SparkSession) -> None:
        found, answers = opened(spark, table), table.answers
        assert [row.requested for row in found.instants.collect()] == [i["requested"] for i in answers["instants"]]
        slices = {(row.partition, row.base_file): set(row.log_files) for row in found.file_slices.collect()}
        assert slices == {(s["partition"], s["base_file"]): set(s["log_files"]) for s in answers["file_slices"]}

    def test_config_says_what_merges(self, table: Recorded, spark: SparkSession) -> None:
        assert str(opened(spark, table).config.release) == "1.2"

    def test_nothing_is_shuffled_or_gathered(self, table: Recorded, spark: SparkSession) -> None:
        plan = opened(spark, table).snapshot()._jdf.queryExecution().toString()
        assert "MapInArrow" in plan
        assert not re.search(r"Exchange|Collect|Broadcast", plan)

    def test_a_snapshot_is_taken_when_it_is_requested(self, table: Recorded, spark: SparkSession) -> None:
        frame = opened(spark, table).snapshot()
        assert frame.count() == frame.count() == len(table.answers["snapshot"])

    def test_what_cannot_be_read_is_refused_first(self, tmp_path: Path, spark: SparkSession) -> None:
        with pytest.raises(HudiTableError, match="is not a Hudi table"):
            HudiTable(spark, str(tmp_path))

    @pytest.mark.filterwarnings("ignore::bridge.AlteredTableWarning")
    def test_a_damaged_log_fails_the_query_and_names_the_block(
        self, table: Recorded, spark: SparkSession, tmp_path: Path
    ) -> None:
        copied = table._replace(folder=tmp_path)
        shutil.copytree(table.folder / "table", tmp_path / "table")
        for log in (tmp_path / "table").rglob(".*.log.*"):
            log.write_bytes(b"no log file")
        with pytest.raises(PythonException, match=r"block at byte 0: no block begins here"):
            opened(spark, copied).snapshot().collect()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["snapshot", *arguments])


class TestTheVerb:
    def test_it_prints_rows_and_names_the_release(self, table: Recorded, spark: SparkSession) -> None:
        path = str(table.folder / "table")
        result = run(path, "--output", "json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        rows = len(table.answers["snapshot"])
        assert found["verdict"] == f"{path}: {rows} rows, as Hudi 1.1 reads them."
        assert len(found["results"]) == found["statistics"]["rows_out"] == rows

    def test_it_writes_parquet(self, table: Recorded, spark: SparkSession, tmp_path: Path) -> None:
        out = tmp_path / "now"
        result = run(str(table.folder / "table"), "--out", str(out))
        assert result.exit_code == 0, result.output
        assert difference(table.answers["snapshot"], rows_of(spark.read.parquet(str(out)))) == ""

    def test_a_moment(self, table: Recorded, spark: SparkSession) -> None:
        moment, rows = min(table.answers["as_of"].items())
        result = run(str(table.folder / "table"), "--as-of", moment, "--output", "json")
        assert json.loads(result.stdout)["statistics"] == {"rows_out": len(rows)}

    def test_columns_and_a_condition(self, table: Recorded, spark: SparkSession) -> None:
        row = table.answers["snapshot"][0]
        path, where = str(table.folder / "table"), f"_hoodie_record_key = '{row['_hoodie_record_key']}'"
        result = run(path, "--columns", "ts, ID", "--where", where, "--output", "json")
        found = json.loads(result.stdout)
        assert found["verdict"] == f"{path} where {where}: 1 row, as Hudi 1.1 reads them."
        assert [list(one) for one in found["results"]] == [["ts", "id"]]
        assert run(path, "--columns", "nope").exit_code == run(path, "--where", "nope = 1").exit_code == 3

    def test_wrong_command_lines(self, table: Recorded, tmp_path: Path) -> None:
        assert run(str(tmp_path / "nowhere")).exit_code == 2
        assert run(str(table.folder / "table"), "--as-of", "2024", "--read-optimized").exit_code == 2
        refused = run(str(table.folder / "table"), "--engine", "native", "--read-optimized")
        assert refused.exit_code == 2
        assert "--engine: --read-optimized merges nothing" in refused.output

    def test_a_folder_that_is_not_a_table_is_a_data_error(self, tmp_path: Path, spark: SparkSession) -> None:
        result = run(str(tmp_path))
        assert result.exit_code == 3
        assert "is not a Hudi table" in result.stderr
