"""A scope leaves keys out, never versions of a key: its answers are those of a run over everything."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from pyspark.sql import functions as sf

from bridge import Batch, Batches, InputError, MergePlan, PlanError, Scope, migrate, replay, simulate
from bridge.cli import main
from bridge.engines import RowStatus
from bridge.pipeline import extent_of
from bridge.pipeline.scope_report import Estimate

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "id string, land string, ts int, v string, Op string"
PLAN = MergePlan(
    payload="AWSDmsAvroPayload", release="0.15", key="id", partition="land", ordering="ts", table_type="mor"
)
LANDS = ("de", "fr", None)
KEYS = 120


def rows_of(batch: int) -> list[tuple[Any, ...]]:
    """The versions of a batch: each key has a chance of several, late ones and deletes among them."""
    draw = random.Random(batch)  # noqa: S311 (test data, the same each time)
    keys = [n for n in draw.choices(range(KEYS), k=KEYS) if batch == 1 or n % 3 != batch - 2]
    return [(f"k{n}", LANDS[n % 3], draw.randrange(20), f"v{batch}", draw.choice("IUD")) for n in keys]


@pytest.fixture(scope="module")
def frames(spark: SparkSession) -> list[DataFrame]:
    return [spark.createDataFrame(rows_of(batch), COLUMNS).coalesce(1).cache() for batch in (1, 2, 3)]


@pytest.fixture(scope="module")
def everything(frames: list[DataFrame]) -> dict[str, dict[str, Any]]:
    with replay(frames, PLAN, "1.2") as found:
        return {one.key["id"]: one._asdict() for one in found.collect()}


@pytest.fixture(scope="module")
def days(spark: SparkSession, frames: list[DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("days")
    for number, frame in enumerate(frames, start=1):
        ordered = frame.orderBy("land").coalesce(1)
        ordered.write.option("parquet.block.row.count.limit", 20).parquet(f"{folder}/2024-0{number}")
    return folder


SCOPES = {
    "partitions": (Scope(({"land": "de"}, {"land": ""})), lambda n: LANDS[n % 3] != "fr"),
    "since": (Scope(since="3"), lambda n: f"k{n}" in {row[0] for row in rows_of(3)}),
}


@pytest.mark.parametrize("name", SCOPES)
def test_the_answers_for_the_keys_of_a_scope_are_those_of_everything(frames, everything, name):
    scope, chosen = SCOPES[name]
    with replay(Batches.of(frames, scope=scope), PLAN, "1.2") as found:
        answers = {one.key["id"]: one._asdict() for one in found.collect()}
    wanted = {key: answer for key, answer in everything.items() if chosen(int(key[1:]))}
    assert wanted
    assert len(wanted) < len(everything)
    assert answers == wanted


def sampled(frames: list[DataFrame], share: float, **settings: Any) -> set[Any]:
    plan = dataclasses.replace(PLAN, **settings)
    versions = Batches.of(frames, scope=Scope(keys_sample=share)).versions(plan)
    return {row[0] for row in versions.select("id").distinct().collect()}


def test_a_sample_has_the_same_keys_in_every_run_and_release_and_larger_ones_contain_it(spark, frames, everything):
    tenth, half = sampled(frames, 0.1), sampled(frames, 0.5)
    assert tenth
    assert tenth < half
    assert 0.3 * KEYS < len(half) < 0.7 * KEYS
    shuffled = [frame.repartition(3, "v", "ts") for frame in frames]
    assert sampled(shuffled, 0.5, release="1.2", engine="python", table_type="mor") == half
    with replay(Batches.of(frames, scope=Scope(keys_sample=0.5)), PLAN, "1.2") as found:
        answers = {one.key["id"]: one._asdict() for one in found.collect()}
    assert answers == {key: answer for key, answer in everything.items() if key in half}


@pytest.mark.parametrize("kind", ["int", "bigint", "decimal(10,0)"])
def test_a_sample_depends_on_the_value_of_a_key_not_on_its_type(spark, kind):
    frame = spark.range(300).select(sf.col("id").cast(kind), *(sf.lit("a").alias(n) for n in ("land", "ts", "v", "Op")))
    texts = frame.withColumn("id", sf.col("id").cast("string"))
    assert {str(one) for one in sampled([frame], 0.2)} == sampled([texts], 0.2)


def test_a_sample_of_instants_does_not_depend_on_the_time_zone(spark):
    frame = spark.range(200).select(
        sf.timestamp_seconds(sf.col("id") * 3600).alias("id"),
        *(sf.lit("a").alias(n) for n in ("land", "ts", "v", "Op")),
    )
    found = []
    for zone in ("UTC", "America/New_York"):
        spark.conf.set("spark.sql.session.timeZone", zone)
        try:
            versions = Batches.of([frame], scope=Scope(keys_sample=0.2)).versions(PLAN)
            found.append({row[0] for row in versions.select(sf.col("id").cast("long")).collect()})
        finally:
            spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert found[0] == found[1]


def test_operations_on_whole_partitions_reach_keys_of_a_sample(spark, frames):
    alone = Batch(frames[1].where("land = 'de'").limit(1), "insert_overwrite")
    gone = Batch(spark.createDataFrame([("fr",)], "land string"), "delete_partition")
    batches = [frames[0], alone, gone]

    def rows(scope: Scope | None) -> dict[int, set[Any]]:
        with simulate(Batches.of(batches, scope=scope), PLAN) as found:
            kept = found.snapshots.collect()
            # `gone` itself, unless some keys of its partition would have to say what it deletes
            assert found.row_counts.total(RowStatus.DELETED) == (scope is None)
        return {commit: {row["id"] for row in kept if row["_pb_commit"] == commit} for commit in (1, 2, 3)}

    half = sampled([frames[0], frames[1]], 0.5)
    assert rows(Scope(keys_sample=0.5)) == {commit: ids & half for commit, ids in rows(None).items()}


@pytest.mark.many_tasks  # one task keeps the rows, and the plan ends at them
def test_conditions_on_partitions_reach_the_reader_of_files(spark, days):
    frame = Batches.read(spark, days, scope=Scope(({"land": "de"},))).versions(PLAN)
    assert "EqualTo(land,de)" in frame._jdf.queryExecution().executedPlan().toString()


def test_files_and_bytes_are_estimated(days):
    whole = extent_of(str(days), Scope())
    assert (whole.files, whole.needed) == (3, None)
    assert whole.bytes == sum(path.stat().st_size for path in days.rglob("part-*"))
    assert extent_of(str(days), Scope(({"land": "xx"},))).needed < whole.bytes  # type: ignore[operator]


# -- what does not fit


@pytest.mark.parametrize(
    ("scope", "settings", "phrase"),
    [
        (Scope(({"city": "Oslo"},)), {}, "names city, the table is partitioned by land"),
        (Scope(({"land": "de"},)), {"global_index": True}, "may move to other partitions"),
        (
            Scope(keys_sample=0.1),
            {"props": {"hoodie.parquet.small.file.limit": "1000"}, "table_type": "mor"},
            "affect each other",
        ),
    ],
)
def test_a_scope_that_would_change_answers_is_refused(frames, scope, settings, phrase):
    with pytest.raises(PlanError, match=phrase):
        Batches.of(frames, scope=scope).versions(dataclasses.replace(PLAN, **settings))


@pytest.mark.parametrize(
    ("scope", "phrase"),
    [
        (Scope(since="4"), "no batch comes at or after '4': there are 1 to 3"),
        (Scope(({"land": "it"},)), "no row of the keys in it"),
    ],
)
def test_a_scope_without_rows_is_an_error(frames, scope, phrase):
    with pytest.raises(InputError, match=phrase):
        Batches.of(frames, scope=scope).versions(PLAN)


@pytest.mark.parametrize("number", [0, -1, 1.5, math.nan])
def test_a_share_is_above_0_and_at_most_1(number):
    with pytest.raises(PlanError, match="above 0 and at most 1"):
        Scope(keys_sample=number)


@pytest.mark.parametrize(
    ("since", "names", "first"),
    [
        ("2024-02", ["2024-01.parquet", "2024-02.parquet"], 2),
        ("2024-01-15", ["2024-01-01", "2024-02-01"], 2),
        ("9", ["8", "9", "10"], 2),
        ("2025", ["20241231235959000", "20250101000000000"], 2),
        ("202402", ["20240131", "20240201"], 2),
        ("a", ["b", "c"], 1),
        (None, ["b", "c"], 1),
    ],
)
def test_since_names_a_batch_or_what_comes_before_it(since, names, first):
    assert Scope(since=since).first(names) == first


def test_a_misspelt_partition_column_is_named():
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", partition="part", ordering="ts")
    with pytest.raises(PlanError, match=r"write part=VALUE; did you mean part\?"):
        Scope.of_paths(plan, ["prat=p0"])
    assert Scope.of_paths(plan, ["x=p0"]).partitions == ({"part": "x=p0"},)  # a value may look like this


def test_since_a_year_after_the_last_instant_is_refused():
    with pytest.raises(InputError, match="no batch comes at or after '2099'"):
        Scope(since="2099").first(["20241231235959000", "20250101000000000"])


# -- what a sample says of all keys


@pytest.mark.parametrize(
    ("found", "keys", "low", "high"),
    [
        (0, 10, 0, 0.2775),
        (1, 10, 0.0179, 0.4042),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1),
        (15, 148, 0.0624, 0.1605),
    ],
)
def test_intervals_are_those_of_published_tables(found, keys, low, high):
    estimate = Estimate.of(found, keys)
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


def test_intervals_cover_as_often_as_they_say():
    for share in (0.02, 0.1, 0.5):
        keys = 400
        weights = [math.comb(keys, k) * share**k * (1 - share) ** (keys - k) for k in range(keys + 1)]
        covered = [w for k, w in enumerate(weights) if Estimate.of(k, keys).low <= share <= Estimate.of(k, keys).high]
        assert 0.93 < sum(covered) < 0.97


# -- reports


def test_every_report_says_its_scope(spark, days):
    words = ["--batches", days, "--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "land"]
    words += [
        "--ordering",
        "ts",
        "--output",
        "json",
        "--keys-sample",
        "50%",
        "--since",
        "2024-02",
        "--partitions",
        "fr",
    ]
    told = "a sample of 50% of the keys in fr with a version in 2024-02 or later"
    row = sampled([spark.read.parquet(f"{days}/2024-02").where("land = 'fr'")], 0.5)
    for verb, *more in (
        ("replay", "--from", "0.15", "--to", "1.2"),
        ("simulate", "--table-type", "both"),
        ("simulate", "--all-paths"),
        ("explain", "--row", f"id={min(row)}"),
        ("migrate", "--to", "1.2"),
    ):
        result = CliRunner().invoke(main, [verb, *map(str, words), *more])
        envelope = json.loads(result.stdout)
        assert f"Scope: {told}." in envelope["verdict"], result.output
        assert envelope["plan"]["scope"] == {"partitions": [{"land": "fr"}], "since": "2024-02", "keys_sample": 0.5}
        assert envelope["statistics"]["scope"]["exact_for"] == told
        assert "scope: 3 files" in result.stderr
        estimates = envelope["statistics"]["scope"].get("estimates", [])
        assert all(0 <= one["low"] <= one["found"] / one["keys"] <= one["high"] <= 1 for one in estimates)
        assert bool(estimates) is (verb != "explain")


def test_commits_before_the_scope_are_not_counted(frames):
    scope = Scope(since="2")
    with replay(Batches.of(frames, scope=scope), PLAN, "1.2") as found:
        assert [counts.commit for counts in found.counts] == [2, 3]
        report = found.to_report()
        assert "their snapshots are left out" in str(report.body[0])
    with simulate(Batches.of(frames, scope=scope), PLAN) as simulated:
        assert [one["commit"] for one in simulated.to_report().results] == [2, 3]


@pytest.mark.long  # by the command: test_every_report_says_its_scope
def test_a_migration_says_on_what_it_was_accepted(frames):
    made = migrate(PLAN, "1.2", batches=Batches.of(frames, scope=Scope(keys_sample=0.5)), accept_differences=True)
    assert "Scope: a sample of 50% of all keys." in made.to_report().verdict


def test_a_dry_run_tells_how_much_it_would_read(days):
    words = ["replay", "--batches", days, "--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "land"]
    words += ["--from", "0.15", "--to", "1.2", "--partitions", "de", "--dry-run"]
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert "Estimated input: 3 files, about" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("option", "phrase"),
    [
        (("--keys-sample", "0"), "not a share of the keys"),
        (("--keys-sample", "many"), "not a share of the keys"),
        (("--partitions", "de/3"), "write land=VALUE"),
        (("--partitions", "a,,b"), "empty partition"),
    ],
)
def test_wrong_words_of_a_scope(days, option, phrase):
    words = ["simulate", "--batches", days, "--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "land"]
    result = CliRunner().invoke(main, [str(word) for word in (*words, *option)])
    assert result.exit_code == 2
    assert phrase in result.stderr
