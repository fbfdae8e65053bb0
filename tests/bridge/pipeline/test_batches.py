"""Batches: of frames, by a column, from files; every verb takes them, and its report has frames, figures and JSON."""

from __future__ import annotations

import dataclasses
import datetime
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import (
    Batches,
    InputError,
    MergePlan,
    PlanError,
    TableType,
    all_paths,
    explain,
    migrate,
    replay,
    simulate,
    simulate_upgrade,
)
from bridge.cli import main
from bridge.compare import Comparison, plan_to
from bridge.programs import NextWriter

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

COLUMNS = "id string, ts bigint, city string, _hoodie_is_deleted boolean"
ROWS = [
    [("a", 10, "Oslo", False), ("b", 10, "Rome", False)],
    [("a", 30, "Lima", False)],
    [("a", 20, None, True)],
]
PLAN = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id", ordering="ts", table_type="mor")


@pytest.fixture(scope="module")
def batches(spark: SparkSession) -> Batches:
    return Batches.of([spark.createDataFrame(rows, COLUMNS) for rows in ROWS])


@pytest.fixture(scope="module")
def one_frame(spark: SparkSession) -> Batches:
    days = [datetime.date(2024, 2, 9), datetime.date(2024, 10, 1), datetime.date(2025, 1, 1)]
    rows = [(*row, day) for day, batch in zip(days, ROWS, strict=True) for row in batch]
    return Batches.by(spark.createDataFrame(rows[::-1], f"{COLUMNS}, day date"), "day")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = COLUMNS.replace(",", "").split()[::2]
    for number, rows in enumerate(ROWS, start=1):
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        (tmp_path / f"{number}.jsonl").write_text("\n".join(lines))
    return tmp_path


def snapshots(report: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, report.snapshots.select("_pb_commit", "id", "ts").collect()))


# -- where batches come from


def test_three_ways_to_the_same_batches(
    spark: SparkSession, batches: Batches, one_frame: Batches, folder: Path
) -> None:
    read = Batches.read(spark, folder)
    assert batches.names == ("1", "2", "3")
    assert one_frame.names == ("2024-02-09", "2024-10-01", "2025-01-01")
    assert read.names == ("1.jsonl", "2.jsonl", "3.jsonl")
    expected = [(1, "a", 10), (1, "b", 10), (2, "a", 30), (2, "b", 10), (3, "a", 30), (3, "b", 10)]
    for one in (batches, one_frame, read):
        assert (len(one), one.rows) == (3, 4)
        assert [frame.count() for frame in one.frames] == [2, 1, 1]
        assert set(one.frames[0].columns) == {"id", "ts", "city", "_hoodie_is_deleted"}
        assert snapshots(simulate(one, PLAN)) == expected
    assert snapshots(simulate(batches.frames, PLAN)) == expected


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        pytest.param("int", [2, 10, -1], marks=pytest.mark.long),
        ("string", ["9", "10", "b"]),
        ("double", [2.5, float("nan"), -0.5]),
        pytest.param("decimal(10,2)", [Decimal("2.50"), Decimal("-1.00"), Decimal("10.00")], marks=pytest.mark.long),
        pytest.param("boolean", [True, False], marks=pytest.mark.long),
        ("timestamp", [datetime.datetime(2024, 10, 27, hour, 30, tzinfo=datetime.timezone.utc) for hour in (1, 0, 2)]),
    ],
)
def test_the_order_is_that_of_the_values(spark: SparkSession, kind: str, values: list[Any]) -> None:
    """The timestamps are either side of the hour that a clock in Europe shows twice."""
    frame = spark.createDataFrame(
        [(number, value) for number, value in enumerate(values)], f"id int, `the batch` {kind}"
    )
    found = Batches.by(frame, "the batch")
    expected = [row[0] for row in frame.orderBy("`the batch`").select("id").collect()]
    assert [one.collect()[0]["id"] for one in found.frames] == expected
    assert [one.columns for one in found.frames] == [["id"]] * len(values)


def test_rows_of_a_batch_keep_their_order(spark: SparkSession) -> None:
    rows = [(number % 2, "a", number) for number in range(200)]
    frame = spark.createDataFrame(rows, "batch int, id string, n int").coalesce(1)
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="1.2", key="id")
    last = simulate(Batches.by(frame, "batch"), plan).snapshots
    assert sorted(map(tuple, last.select("_pb_commit", "n").collect())) == [(1, 198), (2, 199)]


@pytest.mark.parametrize(
    ("column", "phrase"),
    [
        ("when", "'when' is not in the data, which has id, n, x"),
        ("x", "array<int>, which has no order"),
        ("n", "has a null, so a row belongs to no batch"),
    ],
)
def test_a_column_that_makes_no_batches(spark: SparkSession, column: str, phrase: str) -> None:
    frame = spark.createDataFrame([("a", 1, [1]), ("b", None, [2])], "id string, n int, x array<int>")
    with pytest.raises(InputError, match=phrase):
        Batches.by(frame, column)
    with pytest.raises(InputError, match="no rows to split"):
        Batches.by(frame.where("false"), "n")


def test_no_frames_and_too_few_names(spark: SparkSession) -> None:
    with pytest.raises(InputError, match="0 frames with 0 names are not batches"):
        Batches.of([])
    with pytest.raises(InputError, match="1 frames with 2 names"):
        Batches.of([spark.range(1)], ["a", "b"])


# -- what the verbs answer: usable without `with`, and the JSON of the command line


def words(folder: Path, *more: str) -> list[str]:
    (folder.parent / "rows.ddl").write_text(COLUMNS)
    plan = ("--payload", "OverwriteWithLatestAvroPayload", "--key", "id", "--ordering", "ts", "--table-type", "mor")
    return [*more, "--batches", str(folder), "--schema", str(folder.parent / "rows.ddl"), *plan, "--output", "json"]


def printed(folder: Path, *more: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, words(folder, *more))
    return without_files(json.loads(result.stdout))


def without_files(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out where the schema comes from: `--schema` gives the plan one."""
    answer["plan"].pop("schema")
    return answer


def test_simulate_has_snapshots_and_figures(spark: SparkSession, batches: Batches, folder: Path) -> None:
    report = simulate(batches, PLAN)
    assert [tuple(one) for one in report.figures] == [(1, 2, 2, 0, 0), (2, 2, 0, 1, 0), (3, 2, 0, 0, 0)]
    assert report.verdict == "4 rows in 3 batches; the last snapshot has 2 (mor) rows."
    answer = without_files(json.loads(report.to_json()))
    assert answer == printed(folder, "simulate", "--release", "0.15")
    report.close()
    assert len(json.loads(report.to_json(sample=1))["results"][0]["snapshot"]) == 1


def test_an_upgrade_is_simulated(batches: Batches) -> None:
    new = plan_to(PLAN, "1.2")
    between = dataclasses.replace(new, props={"hoodie.write.table.version": "8"})
    report = simulate_upgrade(
        batches, PLAN, new, upgrade_after=2, keep_table_version=True, via=[NextWriter(1, between)]
    )
    assert snapshots(report)[-2:] == [(3, "a", 30), (3, "b", 10)]
    told = json.loads(report.to_json())["plan"]
    settings = {name: told[name] for name in ("to", "upgrade_after", "via", "keep_table_version")}
    assert settings == {"to": "1.2", "upgrade_after": 2, "via": ["1=1.2@8"], "keep_table_version": True}


def test_replay_names_its_sides(spark: SparkSession, one_frame: Batches, batches: Batches, folder: Path) -> None:
    report = replay(one_frame, PLAN, "1.2")
    assert report.comparison.names == ("Hudi 0.15", "Hudi 1.2")
    assert report.verdict.startswith("DIFFERS ON DELETES: no key differs without deletes.")
    assert [counts.total for counts in report.counts] == [0, 0, 1]
    assert [(row["_pb_commit"], row["id"], row["_pb_kind"]) for row in report.differences.collect()] == [
        (3, "a", "only-left")
    ]
    assert (report.left.where("_pb_commit = 3").count(), report.right.where("_pb_commit = 3").count()) == (2, 1)
    report.close()
    assert report.collect()[0].key == {"id": "a"}
    with replay(batches, PLAN, plan_to(PLAN, "1.2")) as again:
        assert again.comparison.names == report.comparison.names
    with replay(batches.frames, PLAN, "1.2") as listed:
        assert listed.success is False
        answer = without_files(json.loads(listed.to_json()))
    assert answer["sides"] == {"left": "Hudi 0.15", "right": "Hudi 1.2"}
    told = printed(folder, "replay", "--from", "0.15", "--to", "1.2")
    assert answer == told
    text = report.to_report().as_text(100) + report.to_report().as_markdown()
    assert "only in Hudi 0.15" in text
    assert " left" not in text
    assert " right" not in text


def test_explain_on_one_side_and_two(batches: Batches, folder: Path) -> None:
    report = explain(batches, PLAN, {"id": "a"})
    assert report.names == ("merge-on-read, Hudi 0.15",)
    assert report.verdict.startswith("id=a ends as ts=30")
    both = explain(batches, PLAN, {"id": "a"}, "1.2")
    assert both.verdict.startswith("id=a differs, first after commit 3: Hudi 0.15 ends as ts=30")
    answer = without_files(json.loads(both.to_json()))
    assert answer == printed(folder, "explain", "--from", "0.15", "--to", "1.2", "--row", "a")
    assert answer["sides"] == {"left": "Hudi 0.15", "right": "Hudi 1.2"}


def test_migrate_tries_batches(batches: Batches) -> None:
    made = migrate(PLAN, "COMMIT_TIME_ORDERING", batches=batches)
    answer = json.loads(made.to_json())
    assert (made.success, answer["success"], answer["verdict"]) == (False, False, made.verdict)
    right = "COMMIT_TIME_ORDERING under 1.2"
    assert answer["sides"] == {"left": "OverwriteWithLatestAvroPayload under 0.15", "right": right}
    assert answer["statistics"]["candidates"][0]["sides"]["right"] == right
    assert f"only in {right}" in made.to_report().as_text(200) or f"{right}: none" in made.to_report().as_text(200)


def test_every_path_of_the_batches(batches: Batches, folder: Path) -> None:
    found = all_paths(batches, PLAN)
    assert (found.success, found.counts.depending) == (False, 1)
    assert found.smallest is not None
    answer = without_files(json.loads(found.to_json()))
    cli = ["simulate", "--all-paths", "--release", "0.15"]
    result = CliRunner().invoke(main, [word for word in words(folder, *cli) if word not in {"--table-type", "mor"}])
    told = without_files(json.loads(result.stdout))
    told["plan"]["table_type"] = answer["plan"]["table_type"]
    assert answer == told
    assert answer["statistics"]["smallest"]["sides"].keys() == {"left", "right"}
    found.close()
    one = all_paths(batches, PLAN, table_types=[TableType.COPY_ON_WRITE])
    assert json.loads(one.to_json())["plan"]["table_type"] == "cow"


def test_wrong_settings_of_a_comparison(batches: Batches) -> None:
    with pytest.raises(PlanError, match="an upgrade goes to a release"):
        replay(batches, PLAN, "EVENT_TIME_ORDERING", upgrade_after=1)
    with pytest.raises(PlanError, match="add upgrade_after"):
        explain(batches, PLAN, {"id": "a"}, "1.2", keep_table_version=True)


# -- names of sides


def plan(**settings: Any) -> MergePlan:
    return MergePlan(**{"payload": "AWSDmsAvroPayload", "release": "0.15", "key": "id", "ordering": "ts"} | settings)


@pytest.mark.parametrize(
    ("right", "names"),
    [
        (plan(release="1.2"), ("Hudi 0.15", "Hudi 1.2")),
        (plan(table_type="mor"), ("copy-on-write", "merge-on-read")),
        (plan(table_type="mor", release="1.0"), ("Hudi 0.15, copy-on-write", "Hudi 1.0, merge-on-read")),
        (
            plan(payload="DefaultHoodieRecordPayload"),
            ("AWSDmsAvroPayload under 0.15", "DefaultHoodieRecordPayload under 0.15"),
        ),
        (
            plan(payload=None, merger="EVENT_TIME_ORDERING", release="1.2"),
            ("AWSDmsAvroPayload under 0.15", "EVENT_TIME_ORDERING under 1.2"),
        ),
        (
            plan(payload="a.b.AWSDmsAvroPayload", engine="jvm"),
            ("AWSDmsAvroPayload under 0.15", "a.b.AWSDmsAvroPayload under 0.15"),
        ),
        (plan(ordering="seq"), ("ordering=ts", "ordering=seq")),
        (
            plan(props={"hoodie.payload.delete.field": "Op"}),
            ("no hoodie.payload.delete.field", "hoodie.payload.delete.field=Op"),
        ),
        (plan(), ("Hudi 0.15, first run", "Hudi 0.15, second run")),
    ],
)
def test_sides_are_named_by_what_distinguishes_them(right: MergePlan, names: tuple[str, str]) -> None:
    assert Comparison(plan(), right, 3).names == names


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"upgrade_after": 2}, "0.15 table upgraded to 1.2"),
        ({"upgrade_after": 2, "keep_table_version": True}, "0.15 table written by 1.2"),
        ({"upgrade_after": 3}, "0.15 table read by 1.2"),
    ],
)
def test_an_upgraded_side_says_so(settings: dict[str, Any], name: str) -> None:
    assert Comparison(plan(), plan(release="1.2"), 3, **settings).names == ("Hudi 0.15", name)
