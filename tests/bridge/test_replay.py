"""Replay: the keys on which it says that two sides differ are those on which the tables of real Hudi differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import MergePlan, PlanError, simulate_upgrade
from bridge.cli import main
from bridge.replay import Grade, replay
from bridge.sides import Sides
from tests.conformance.histories import differences, load
from tests.conformance.spark_histories import versions_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

    from tests.conformance.histories import History, Row

ROOT = Path(__file__).parents[1]
TYPES = {"COPY_ON_WRITE": "cow", "MERGE_ON_READ": "mor"}
SCHEMA = "_pb_commit int, _pb_arrival int, id string, ts bigint, city string, _hoodie_is_deleted boolean"
LATE_DELETE = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 30, "Lima", False), (3, 3, "a", 20, None, True)]
TIE = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 10, "Lima", False), (2, 3, "b", 10, "Rome", False)]
LATE_ROW = [(1, 1, "a", 10, "Oslo", False), (2, 2, "a", 5, "Lima", False)]


def plan_of(payload: str | None, release: str, table_type: str = "cow", **settings: Any) -> MergePlan:
    settings = {"key": "id", "ordering": "ts"} | settings
    return MergePlan(payload=payload, release=release, table_type=table_type, **settings)


# -- against the tables of real Hudi


def history(folder: str, case: str) -> History:
    (found,) = load(ROOT / folder, case=case)
    return found


def differing(left: Iterable[Row], right: Iterable[Row]) -> set[tuple[str, str]]:
    """Return partition and key of the rows that two snapshots don't share."""
    sides = [{(row["part"], row["id"]): row for row in rows} for rows in (left, right)]
    keys = sides[0].keys() | sides[1].keys()
    return {key for key in keys if differences(*([side[key]] if key in side else [] for side in sides))}


def replayed(spark: SparkSession, left: History, commits: int, **upgrade: Any) -> set[tuple[str, str]]:
    plan = plan_of(left.payload_class, "0.15", TYPES[left.table_type], partition="part", ordering=left.ordering)
    then = plan_of(left.payload_class, "1.2", TYPES[left.table_type], partition="part", ordering=left.ordering)
    versions = versions_of(spark, {0: left}).where(f"_pb_commit <= {commits}").drop("conformance_case")
    with replay(versions, Sides(plan, then, commits, **upgrade)) as answer:
        assert answer.refused is None
        found = answer.differences()
        assert answer.counts[-1].total == len(found)
    return {(one.key["part"], one.key["id"]) for one in found}


@pytest.mark.parametrize("case", ["overwrite-mor", "mysql-cow", "partial-update-mor"])
def test_fresh_tables(spark: SparkSession, case: str) -> None:
    left, right = (history(f"histories/{release}", case) for release in ("0.15.0", "1.2.0"))
    wanted = differing(left.commits[-1].snapshot, right.commits[-1].snapshot)
    assert wanted
    assert replayed(spark, left, len(left.commits)) == wanted


@pytest.mark.parametrize(
    ("kind", "case"),
    [("upgraded", "non-defaults-mor"), ("kept-version", "dms-cow"), ("kept-version", "postgres-cow")],
)
def test_tables_that_live_through_an_upgrade(spark: SparkSession, kind: str, case: str) -> None:
    left, right = history("histories/0.15.0", case), history(f"histories-upgraded/0.15.0-to-1.2.0-{kind}", case)
    wanted = differing(left.commits[4].snapshot, right.commits[4].snapshot)
    assert wanted
    found = replayed(spark, left, 5, upgrade_after=3, keep_table_version=kind == "kept-version")
    assert found == wanted


@pytest.mark.parametrize("case", ["mysql-mor", "postgres-mor"])
def test_tables_that_only_the_reader_meets(spark: SparkSession, case: str) -> None:
    left, right = history("histories/0.15.0", case), history("histories-upgraded/0.15.0-to-1.2.0-upgraded", case)
    assert right.upgrade is not None
    wanted = differing(left.commits[2].snapshot, right.upgrade.read or ())
    assert wanted
    assert replayed(spark, left, 3, upgrade_after=3) == wanted


# -- grades


def grade_of(spark: SparkSession, rows: list[tuple[Any, ...]], left: MergePlan, right: MergePlan) -> Grade:
    versions = spark.createDataFrame(rows, SCHEMA)
    with replay(versions, Sides(left, right, rows[-1][0])) as answer:
        return answer.grade()


def test_a_late_delete_tells_the_releases_apart(spark: SparkSession) -> None:
    sides = [plan_of("OverwriteWithLatestAvroPayload", release, "mor") for release in ("0.15", "1.2")]
    assert grade_of(spark, LATE_DELETE, *sides) is Grade.ON_DELETES
    assert grade_of(spark, LATE_DELETE[:2], *sides) is Grade.IDENTICAL_HERE
    assert grade_of(spark, LATE_DELETE, sides[0], sides[0]) is Grade.IDENTICAL


def test_ties_alone_tell_first_value_from_event_time(spark: SparkSession) -> None:
    left = plan_of("FirstValueAvroPayload", "0.15")
    right = plan_of(None, "1.2", merger="EVENT_TIME_ORDERING")
    assert grade_of(spark, TIE, left, right) is Grade.ON_TIES
    assert grade_of(spark, TIE, left, plan_of("FirstValueAvroPayload", "1.2")) is Grade.REFUSED


def test_late_rows_are_neither(spark: SparkSession) -> None:
    left, right = plan_of("OverwriteWithLatestAvroPayload", "0.15"), plan_of("DefaultHoodieRecordPayload", "0.15")
    assert grade_of(spark, LATE_ROW, left, right) is Grade.DIFFERS


def test_a_failure_of_the_left_side_is_no_refusal(spark: SparkSession) -> None:
    rows = [(1, 1, "a", None, "Oslo", False)]
    left, right = (plan_of("DefaultHoodieRecordPayload", release) for release in ("0.15", "1.2"))
    with pytest.raises(Exception, match="DefaultHoodieRecordPayload failed at"):
        grade_of(spark, rows, left, right)


def test_the_smallest_example_has_its_versions(spark: SparkSession) -> None:
    same_way = [(commit, number + 3, "b", *row) for commit, number, _, *row in LATE_DELETE]
    one_more = [(1, 7, "b", 25, "Roma", False)]
    versions = spark.createDataFrame([*same_way, *one_more, *LATE_DELETE], SCHEMA)
    sides = Sides(*(plan_of("OverwriteWithLatestAvroPayload", release, "mor") for release in ("0.15", "1.2")), 3)
    with replay(versions, sides) as answer:
        (example,) = answer.examples()
        assert [tuple(counts) for counts in answer.counts] == [(1, 0, 0, 0), (2, 0, 0, 0), (3, 2, 0, 0)]
    assert (example.commit, example.difference.key, example.difference.kind) == (3, {"id": "a"}, "only-left")
    assert example.difference.right is None
    assert [version["city"] for version in example.versions] == ["Oslo", "Lima", None]


# -- what is refused


@pytest.mark.parametrize(
    ("old", "new", "after", "phrase"),
    [
        ({}, {"release": "1.0"}, 1, "not ported, but to 1.1 and 1.2"),
        ({"release": "1.2"}, {"release": "1.1"}, 1, "is older than"),
        ({}, {"table_type": "mor"}, 1, "neither the table type"),
        ({}, {}, 3, "there are 2"),
        ({"engine": "jvm"}, {}, 1, "the jvm engine only one"),
    ],
)
def test_what_is_no_upgrade(
    spark: SparkSession, old: dict[str, Any], new: dict[str, Any], after: int, phrase: str
) -> None:
    versions: DataFrame = spark.createDataFrame(LATE_ROW, SCHEMA)
    plans = [
        plan_of("DefaultHoodieRecordPayload", **settings)
        for settings in ({"release": "0.15"} | old, {"release": "1.2"} | new)
    ]
    with pytest.raises(PlanError, match=phrase):
        simulate_upgrade(versions, *plans, commits=2, upgrade_after=after)


# -- the verb


@pytest.fixture
def days(tmp_path: Path) -> Path:
    names = SCHEMA.replace(",", "").split()[4::2]
    folder = tmp_path / "days"
    folder.mkdir()
    for commit, _, *row in LATE_DELETE:
        (folder / f"{commit}.jsonl").write_text(json.dumps(dict(zip(names, row, strict=True))) + "\n")
    (tmp_path / "rows.ddl").write_text(SCHEMA.split(", ", 2)[2])
    return folder


def words_of(days: Path, *more: str) -> list[str]:
    plan = ("--payload", "OverwriteWithLatestAvroPayload", "--key", "id", "--ordering", "ts", "--table-type", "mor")
    return ["replay", "--batches", str(days), "--schema", str(days.parent / "rows.ddl"), "--from", "0.15", *plan, *more]


def test_the_verb_names_the_key(spark: SparkSession, days: Path) -> None:
    result = CliRunner().invoke(main, words_of(days, "--to", "1.2", "--output", "json"))
    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    (found,) = answer["results"]
    assert (found["key"], found["kind"], found["columns"], found["right"]) == ({"id": "a"}, "only-left", [], None)
    assert found["left"]["city"] == "Lima"
    assert answer["statistics"]["grade"] == "DIFFERS ON DELETES"
    assert [commit["equal"] for commit in answer["statistics"]["commits"]] == [True, True, False]


def test_the_verb_on_one_release(spark: SparkSession, days: Path) -> None:
    result = CliRunner().invoke(main, words_of(days, "--to", "0.15"))
    assert result.exit_code == 0
    assert "IDENTICAL: both sides follow the same rules" in result.stdout


@pytest.mark.parametrize(
    ("more", "phrase"),
    [
        (("--to", "2.0"), "neither a release"),
        (("--to", "1.2", "--keep-table-version"), "add --upgrade-after"),
        (("--to", "1.2", "--upgrade-after", "4"), "there are 3 batches"),
        (("--to", "1.2", "--upgrade-after", "0"), "numbered 1, 2, 3"),
        (("--to", "EVENT_TIME_ORDERING", "--upgrade-after", "1"), "names a merge mode"),
        (("--to", "1.0", "--upgrade-after", "1"), "not ported, but to 1.1 and 1.2"),
    ],
)
def test_wrong_words(days: Path, more: tuple[str, ...], phrase: str) -> None:
    result = CliRunner().invoke(main, words_of(days, *more))
    assert result.exit_code == 2
    assert phrase in result.stderr
