"""Batches that are not upserts, on Spark: what a frame says of its keys, figures of duplicates, both verbs, refusals.

That the rows are real Hudi's: `tests/data/histories-operations`, run by `tests/test_conformance_histories.py`.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import (
    Batch,
    Batches,
    Comparison,
    InputError,
    MergePlan,
    NextWriter,
    PlanError,
    replay,
    simulate,
    simulate_upgrade,
)
from bridge.cli import main
from bridge.compare.grade import without_deletes, without_ties
from bridge.engines import RowStatus
from bridge.pipeline.differences import differences, disagreements, figures

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "id string, part string, ts bigint, city string"
ROWS = [("a", "x", 10, "Oslo"), ("b", "x", 10, "Rome"), ("c", "y", 10, "Bonn")]
PLAN = MergePlan(
    payload="DefaultHoodieRecordPayload", release="0.15", key="id", partition="part", ordering="ts", table_type="mor"
)


def test_each_batch_is_written_by_its_operation(spark: SparkSession) -> None:
    batches = Batches.of(
        [
            spark.createDataFrame(ROWS, COLUMNS),
            Batch(spark.createDataFrame([("a", "x"), ("a", "x"), ("none", "x")], "id string, part string"), "delete"),
            Batch(spark.createDataFrame([("b", "x", "Aden")], "id string, part string, city string"), "sql_update"),
            Batch(spark.createDataFrame([("b", "x", 20, "Kiel"), ("d", "x", 1, "Ulm")], COLUMNS), "insert"),
            Batch(spark.createDataFrame([("e", "x", 1, "Jena")], COLUMNS), "insert-overwrite"),
            Batch(spark.createDataFrame([("y",), ("none",)], "part string"), "delete_partition"),
        ]
    )
    with simulate(batches, PLAN) as report:
        statuses = {status: number for (_, _, status), number in report.row_counts.counts.items() if number}
        assert report.row_counts.rows_in == {"incoming": 12}
        assert statuses == {RowStatus.KEPT: 6, RowStatus.MERGED: 1, RowStatus.DELETED: 3, RowStatus.IGNORED: 2}
        rows = report.snapshots.collect()
        found = [sorted(row["city"] for row in rows if row["_pb_commit"] == commit) for commit in range(1, 7)]
        assert found == [
            ["Bonn", "Oslo", "Rome"],
            ["Bonn", "Rome"],
            ["Aden", "Bonn"],
            ["Aden", "Bonn", "Kiel", "Ulm"],
            ["Bonn", "Jena"],
            ["Jena"],
        ]
        assert [tuple(figures)[1:] for figures in report.figures] == [
            (3, 3, 0, 0),
            (2, 0, 0, 1),
            (2, 0, 1, 0),
            (4, 2, 0, 0),
            (2, 1, 0, 3),
            (1, 0, 0, 1),
        ]
        assert report.snapshots.columns == ["_pb_commit", "id", "part", "ts", "city"]


def test_both_sides_of_a_replay_count_the_rows_that_name_partitions(spark: SparkSession) -> None:
    gone = Batch(spark.createDataFrame([("x",), ("none",)], "part string"), "delete_partition")
    with replay(Batches.of([spark.createDataFrame(ROWS, COLUMNS), gone]), PLAN, "1.2") as found:
        for row_counts in found.row_counts.values():
            assert row_counts.rows_in == {"incoming": 5}
            assert {status: row_counts.total(status) for status in RowStatus if row_counts.total(status)} == {
                RowStatus.KEPT: 3,
                RowStatus.DELETED: 1,
                RowStatus.IGNORED: 1,
            }


def test_duplicates_are_compared_row_by_row(spark: SparkSession) -> None:
    twice = Batch(spark.createDataFrame([("a", "x", 1, "Kiel")], COLUMNS), "insert")
    late = spark.createDataFrame([("a", "x", 5, "Lima")], COLUMNS)
    batches = Batches.of([spark.createDataFrame(ROWS, COLUMNS), twice, late])
    apart = dataclasses.replace(PLAN, props={"hoodie.parquet.small.file.limit": "0"})
    with replay(batches, apart, "0.14") as same:
        assert same.is_equal
    with replay(batches, PLAN, "0.14") as updated:  # an insert updates the row of its file there
        assert not updated.is_equal
    with replay(batches, apart, "COMMIT_TIME_ORDERING") as other:
        assert [counts.total for counts in other.counts] == [0, 0, 1]
        (found,) = other.collect()
        assert (found.left["city"], found.right["city"]) == ("Oslo", "Lima")


def test_equal_duplicates_are_a_pair_whatever_their_place(spark: SparkSession) -> None:
    """The row of the left side alone comes before both in the order of their texts."""
    two, one = (spark.createDataFrame(rows, "id string, v string") for rows in ([("a", "x"), ("a", "y")], [("a", "y")]))
    left, right = (frame.selectExpr("1 AS _pb_commit", "*") for frame in (two, one))
    (found,) = differences(left, right, ("id",), duplicates=True).collect()
    assert (found["_pb_kind"], found["_pb_left"]["v"]) == ("only-left", "x")
    assert disagreements(left, right, ("id",), duplicates=True).count() == 1
    assert disagreements(left, left, ("id",), duplicates=True).count() == 0
    later = two.where("v = 'y'").selectExpr("2 AS _pb_commit", "*")
    assert figures(left.unionByName(later), ("id",), 2, duplicates=True) == [(1, 2, 2, 0, 0), (2, 1, 0, 0, 1)]


def test_what_a_grade_leaves_out(spark: SparkSession) -> None:
    """Rows that are not whole have no ordering value to tie; a delete by key is a delete like a marked row."""
    tie = spark.createDataFrame([("a", "x", 10, "Kiel")], COLUMNS)
    bare, assigned = (spark.createDataFrame([("a", "x", *more)], names) for more, names in _PARTIAL)
    batches = Batches.of(
        [spark.createDataFrame(ROWS, COLUMNS), tie, Batch(bare, "delete"), Batch(assigned, "sql_update")]
    )
    sides = Comparison(PLAN, PLAN, 4, operations=batches.operations_of(PLAN))
    versions = batches.versions(PLAN)
    left = [sorted(row[0] for row in kept.select("_pb_commit").collect()) for kept in _left_of(versions, sides)]
    assert left == [[1, 1, 1, 3, 4], [1, 1, 1, 2, 4]]


_PARTIAL = [((), "id string, part string"), (("Ulm",), "id string, part string, city string")]


def _left_of(versions: DataFrame, sides: Comparison) -> list[DataFrame]:
    found = without_ties(versions, sides), without_deletes(versions, sides)
    return [one for one in found if one is not None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    batches: list[list[dict[str, Any]]] = [
        [dict(zip(("id", "part", "ts", "city"), row, strict=True)) for row in ROWS],
        [{"id": "a", "part": "x"}],
    ]
    for number, rows in enumerate(batches, start=1):
        (tmp_path / f"{number}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def run(verb: str, folder: Path, *options: str) -> Any:
    given = [verb, "--batches", str(folder), "--payload", "DefaultHoodieRecordPayload", "--key", "id"]
    given += ["--partition", "part", "--ordering", "ts", *options]
    return CliRunner().invoke(main, given)


@pytest.mark.usefixtures("spark")
def test_the_command_line_names_the_batch_and_its_operation(folder: Path) -> None:
    result = run("simulate", folder, "--operation", "2=delete", "--output", "json")
    assert result.exit_code == 0, result.output
    last = json.loads(result.stdout)["results"][-1]
    assert [row["id"] for row in last["snapshot"]] == ["b", "c"]
    result = run("replay", folder, "--from", "0.15", "--to", "1.2", "--operation", "2=delete")
    assert result.exit_code == 0, result.output
    result = run("explain", folder, "--row", "a", "--operation", "2=delete", "--output", "json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)["results"][0]
    assert (told["row"], [call["commit"] for call in told["calls"]][-1]) == (None, 2)
    result = run("migrate", folder, "--from", "0.15", "--to", "1.2", "--operation", "2=delete")
    assert result.exit_code == 0, result.output


def test_a_table_goes_up_in_steps_and_down_again(spark: SparkSession, folder: Path) -> None:
    (folder / "3.jsonl").write_text(json.dumps(dict(zip(("id", "part", "ts", "city"), ROWS[1], strict=True))))
    (folder / "2.jsonl").write_text(json.dumps(dict(zip(("id", "part", "ts", "city"), ROWS[0], strict=True))))
    up = ("--from", "0.15", "--to", "1.2", "--via", "1=1.0", "--upgrade-after", "2")
    down = ("--from", "1.2", "--to", "0.15", "--downgrade-after", "2", "--operation", "2=insert")
    for options, name in (
        (up, "0.15 table upgraded to 1.2 by way of 1.0"),
        (down, "1.2 table downgraded to 0.15"),
    ):
        result = run("replay", folder, *options, "--output", "json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["sides"]["right"] == name
    batches, plan = Batches.read(spark, str(folder)), PLAN
    with replay(batches, plan, "1.2", upgrade_after="last", via={1: "1.0"}) as found:
        assert found.comparison.names[1] == "0.15 table read by 1.2 by way of 1.0"
        assert found.grade.is_equal


@pytest.mark.usefixtures("spark")
def test_the_command_line_says_from_when_on_a_writer_is_plain(tmp_path: Path) -> None:
    """Copy-on-write tables of 0.15 store no class, so that the late row wins."""
    for number, city in ((2, "Oslo"), (1, "Rome")):
        row = {"id": "a", "part": "x", "ts": number, "city": city}
        (tmp_path / f"{3 - number}.jsonl").write_text(json.dumps(row))
    for more, city in (((), "Oslo"), (("--plain-after", "1"), "Rome")):
        result = run("simulate", tmp_path, "--release", "0.15", "--output", "json", *more)
        assert result.exit_code == 0, result.output
        (row,) = json.loads(result.stdout)["results"][-1]["snapshot"]
        assert row["city"] == city


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--operation", "3=delete"), "--operation 3: the last batch is 2"),
        (("--operation", "2=delete", "--operation", "2=insert"), "a batch has two operations; give it one"),
        (("--operation", "delete"), "write N=NAME, such as 3=delete"),
        (("--operation", "2=merge"), "unknown operation 'merge'; choose one of upsert, insert"),
        (("--plain-after", "2"), "--plain-after 2: the last batch is 2; name an earlier one"),
        (("--operation", "2=delete", "--all-paths"), "--operation contradicts --all-paths"),
        (("--plain-after", "1", "--all-paths"), "--plain-after contradicts --all-paths"),
        (("--compact-after", "2"), "set --table-type to mor"),
    ],
)
def test_an_impossible_operation_is_a_usage_error(folder: Path, options: tuple[str, ...], message: str) -> None:
    result = run("simulate", folder, *options)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_what_is_not_ported_is_refused_by_name(spark: SparkSession) -> None:
    rows, bare = spark.createDataFrame(ROWS, COLUMNS), spark.createDataFrame([("a", "x")], "id string, part string")
    batches = Batches.of([rows, Batch(bare, "delete")])
    inserts = Batches.of([rows, Batch(rows, "insert")])
    indexed = MergePlan(payload=PLAN.payload, key="id", partition="part", props={"hoodie.index.type": "RECORD_INDEX"})
    with pytest.raises(PlanError, match="the operation insert is not supported for a record index, which stores one"):
        simulate(inserts, indexed)
    old = MergePlan(
        payload=PLAN.payload, release="0.14", key="id", partition="part", props={"hoodie.index.type": "GLOBAL_SIMPLE"}
    )
    with pytest.raises(PlanError, match=r"a global index, as it updates the row that a small file has in Hudi 0\.14"):
        simulate(inserts, old)
    for settings, message in (
        ({"combine_before_upsert": False}, "the operation delete is not supported for batches that are not combined"),
    ):
        given: dict[str, Any] = {"payload": PLAN.payload, "key": "id", "partition": "part", **settings}
        with pytest.raises(PlanError, match=message):
            simulate(batches, MergePlan(**given))
    later = dataclasses.replace(PLAN, release="1.2")
    with pytest.raises(PlanError, match="with a downgrade after an upgrade are not supported"):
        simulate_upgrade(batches, PLAN, PLAN, upgrade_after=2, via=[NextWriter(1, later)])
    leaves_log = dataclasses.replace(PLAN, release="1.0", props={**PLAN.props, "hoodie.compact.inline": "false"})
    with pytest.raises(PlanError, match=r"upgrade of a merge-on-read table to 1\.0 are not supported where hoodie\."):
        simulate_upgrade(batches, PLAN, leaves_log, upgrade_after=1)
    changed = Batches.of([rows, Batch(rows.drop("ts"), "sql_update")])
    with pytest.raises(
        PlanError, match=r"an SQL UPDATE by Hudi 1\.2 of a merge-on-read table that Hudi 0\.15 left is not supported"
    ):
        simulate_upgrade(changed, PLAN, later, upgrade_after=1)
    at_6 = dataclasses.replace(PLAN, release="1.0")
    with pytest.raises(PlanError, match=r"an SQL UPDATE by Hudi 1\.0 of a table that stays at version 6 was not rec"):
        simulate_upgrade(changed, PLAN, at_6, upgrade_after=1, keep_table_version=True)
    moving = dataclasses.replace(PLAN, props={"hoodie.index.type": "GLOBAL_SIMPLE"}, global_index=True)
    with pytest.raises(PlanError, match=r"1\.0 of a merge-on-read table with a global index .* was not recorded"):
        simulate_upgrade(changed, moving, dataclasses.replace(moving, release="1.0"), upgrade_after=1)
    later = dataclasses.replace(moving, release="1.2")
    with pytest.raises(PlanError, match=r"global index .* were recorded only for upgrades from 0\.15 to 1\.0 and 1\.2"):
        simulate_upgrade(batches, moving, later, upgrade_after=1, keep_table_version=True)
    whole = Batches.of([rows, Batch(rows, "delete_partition")])
    with pytest.raises(PlanError, match="a table without partitions"):
        simulate(whole, MergePlan(payload=PLAN.payload, key="id"))


def test_a_batch_that_does_not_say_what_its_operation_needs_is_refused(spark: SparkSession) -> None:
    rows = spark.createDataFrame(ROWS, COLUMNS)
    bare = spark.createDataFrame([("a",)], "id string")
    with pytest.raises(InputError, match=r"batch 2 \(delete\) lacks part"):
        simulate(Batches.of([rows, Batch(bare, "delete")]), PLAN)
    other = spark.createDataFrame([("a", "x", 1)], "id string, part string, town int")
    with pytest.raises(InputError, match=r"batch 2 \(sql_update\) has town, which the table lacks"):
        simulate(Batches.of([rows, Batch(other, "sql_update")]), PLAN)
    typed = spark.createDataFrame([("a", "x", "1")], "id string, part string, ts string")
    with pytest.raises(InputError, match="has 'ts' as string, the table as bigint; cast it"):
        simulate(Batches.of([rows, Batch(typed, "sql_update")]), PLAN)
    with pytest.raises(PlanError, match=r"^operations 2: the last batch is 1"):
        Batches.of([rows]).written_by({2: "delete"})


def test_an_update_may_have_the_type_of_the_table_where_a_later_batch_has_a_narrower_one(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", "x", 10, 1 << 40)], "id string, part string, ts bigint, qty bigint")
    narrow = spark.createDataFrame([("b", "x", 10, 2)], "id string, part string, ts bigint, qty int")
    more = spark.createDataFrame([("a", "x", 1 << 41)], "id string, part string, qty bigint")
    with simulate(Batches.of([rows, narrow, Batch(more, "sql_update")]), PLAN) as report:
        found = {row["id"]: row["qty"] for row in report.snapshots.collect() if row["_pb_commit"] == 3}
    assert found == {"a": 1 << 41, "b": 2}
