"""Classes that run by the rules found for them: the rows of the class itself, or an error and no output."""

from __future__ import annotations

import dataclasses
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from pyspark.sql import functions as sf

from bridge import (
    MergeFailedError,
    MergePlan,
    PlanError,
    append,
    compact,
    merge_frames,
    migrate,
    replay,
    simulate,
    snapshot,
    upsert,
)
from bridge.cli import main
from bridge.compare import comparison_of
from bridge.engines.trusted.sample import Looked, chosen_of
from bridge.pipeline import Course, choice_of
from bridge.programs import EngineName
from tests.support import trusted_payloads
from tests.support.trusted_payloads import COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

KEYS = 400
PAYLOADS = trusted_payloads.__name__
RARE = "LOCKED"


def plan_of(name: str, **settings: Any) -> MergePlan:
    given = {"release": "1.2", "key": "id", "ordering": "ts", "engine": "native", "trust_rule": True}
    return MergePlan(payload=f"{PAYLOADS}:{name}", **given | settings)


def row(chance: random.Random, key: int) -> tuple[Any, ...]:
    return (
        f"k{key}",
        chance.randrange(1, 5),
        chance.choice([None, "U", "U", "D"]),
        chance.choice([None, "OPEN", "CLOSED"]),
        chance.choice([None, 1, 2, 30]),
        chance.choice([None, 5, 7]),
    )


def sides(spark: SparkSession, **rare: tuple[int, dict[str, Any]]) -> tuple[DataFrame, DataFrame]:
    """Return stored rows and a batch of three versions of some keys; `rare`, of one side, is a key and its values."""
    chance = random.Random(3)  # noqa: S311 (the seed repeats it)
    stored = [row(chance, key) for key in range(KEYS)]
    incoming = [row(chance, key) for key in range(KEYS // 2, KEYS + KEYS // 4) for _ in range(1 + key % 3)]
    names = [part.split()[0] for part in COLUMNS.split(", ")]
    for name, rows in (("stored", stored), ("incoming", incoming)):
        key, values = rare.get(name, (-1, {}))
        for at, one in enumerate(rows):
            if one[0] == f"k{key}":
                rows[at] = tuple((dict(zip(names, one, strict=True)) | values).values())
    return spark.createDataFrame(stored, COLUMNS), spark.createDataFrame(incoming, COLUMNS)


def logged(frames: tuple[DataFrame, DataFrame], plan: MergePlan) -> tuple[DataFrame, DataFrame]:
    """Return a merge-on-read table to which the batch was written twice."""
    on_read = dataclasses.replace(by_class(plan), table_type="mor")
    found = frames[1].where("op is null or op <> 'D' or substring(id, 2) < 400")  # Hudi fails to insert a delete
    stored, log = append(frames[0], None, found, on_read)
    stored, log = append(stored.cache(), log.cache(), found.where("hits is not null"), on_read)
    return stored.cache(), log.cache()


def by_class(plan: MergePlan) -> MergePlan:
    return dataclasses.replace(plan.without_trust(), engine="python")


def rows(frame: DataFrame) -> list[str]:
    return sorted(str(tuple(found)) for found in frame.collect())


@pytest.mark.spark
@pytest.mark.parametrize(("name", "release"), [("Visits", "0.15"), ("Tickets", "0.15"), ("Fills", "1.2")])
def test_a_batch_is_merged_as_the_class_does(spark: SparkSession, name: str, release: str) -> None:
    stored, incoming = sides(spark)
    plan = plan_of(name, release=release)
    found = rows(upsert(stored, incoming, plan))
    assert found == rows(upsert(stored, incoming, by_class(plan)))
    assert len(found) > KEYS


@pytest.mark.spark
@pytest.mark.parametrize(("name", "read"), [("Visits", snapshot), ("Tickets", compact), ("Fills", snapshot)])
def test_a_log_is_merged_as_the_class_does(spark: SparkSession, name: str, read: Any) -> None:
    plan = plan_of(name, table_type="mor")
    stored, log = logged(sides(spark), plan)
    assert rows(read(stored, log, plan)) == rows(read(stored, log, by_class(plan)))


def batches(spark: SparkSession, status: str = "OPEN") -> list[DataFrame]:
    """Return three batches; the last deletes, and has a row with a `status`."""
    stored, incoming = sides(spark, incoming=(250, {"status": status, "hits": 77}))
    is_insert = "op is null or op <> 'D'"  # Hudi 1.1 and later fails to insert a delete
    last = incoming.where(f"({is_insert}) or substring(id, 2) < 400")
    return [stored.withColumn("op", sf.lit("U")), incoming.where(f"ts < 3 and ({is_insert})"), last]


@pytest.mark.spark
def test_the_commits_of_a_table_are_those_of_the_class(spark: SparkSession) -> None:
    plan = plan_of("Tickets", trust_sample=80)
    given = batches(spark)
    with simulate(given, plan) as by_rule, simulate(given, by_class(plan)) as run:
        assert rows(by_rule.snapshots) == rows(run.snapshots)
        found, expected = by_rule.to_report(), run.to_report()
    assert found.results == expected.results
    assert found.statistics == expected.statistics
    told = found.plan["trusted"]["cow"]
    assert told["keys"] == 80
    assert "on 80 keys of this run" in found.plan["ran"]["cow"]["why"]


@pytest.mark.spark
def test_a_replay_trusts_the_rule_of_each_release(spark: SparkSession) -> None:
    plan = plan_of("Visits", release="0.15", trust_sample=80)
    given = batches(spark)
    with replay(given, plan, "1.2") as by_rule, replay(given, by_class(plan), "1.2") as run:
        found, expected = by_rule.to_report(), run.to_report()
    assert (found.results, found.statistics, found.verdict) == (
        expected.results,
        expected.statistics,
        expected.verdict,
    )
    assert [one["engine"] for one in found.plan["ran"].values()] == ["native", "native"]
    assert [one["keys"] for one in found.plan["trusted"].values()] == [80, 80]


@pytest.mark.parametrize(
    ("to", "told"),
    [
        ("1.2", (True, 80)),
        (f"{PAYLOADS}:Fills", (True, 80)),
        ("AWSDmsAvroPayload", (False, 1_000)),
        ("EVENT_TIME_ORDERING", (False, 1_000)),
    ],
)
def test_only_a_users_class_has_a_rule_to_trust(to: str, told: tuple[bool, int]) -> None:
    plan = plan_of("Visits", release="0.15", trust_sample=80)
    right = comparison_of(plan, to, Course.of(1, {plan.table_type}), 1).right
    assert (right.trust_rule, right.trust_sample) == told


@pytest.mark.spark
def test_no_side_of_a_replay_is_refused_because_a_rule_is_not_the_class(spark: SparkSession) -> None:
    given = batches(spark, RARE)
    plan, newer = plan_of("LocksIncoming", release="0.15"), plan_of("LocksIncoming", release="1.2")
    for run in (lambda: simulate(given, plan), lambda: replay(given, by_class(plan), newer)):
        with pytest.raises(MergeFailedError, match=r"key id='k250', field 'hits'\): after commit \d the class gives"):
            run()


@pytest.mark.spark
def test_a_report_names_the_rule_and_how_it_was_checked(spark: SparkSession) -> None:
    stored, incoming = sides(spark)
    with merge_frames("upsert", plan_of("Visits", trust_sample=150), stored=stored, incoming=incoming) as found:
        report = found.to_report()
    told = report.plan["trusted"]
    assert told["keys"] == 150
    assert 0 < told["merged"] <= 150
    assert [one["point"] for one in told["rules"]] == ["batch", "stored", "alone"]
    assert all(one["pairs"] > 3_000 for one in told["rules"])
    assert report.plan["ran"]["engine"] == "native"
    assert "on 150 keys of this run" in report.plan["ran"]["why"]
    assert any("`hits`: the sum of both values" in text for text in report.body if isinstance(text, str))


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "rare", "key", "told"),
    [
        ("Locks", {"stored": {"status": RARE}}, 250, "field "),
        ("LocksIncoming", {"incoming": {"status": RARE, "hits": 77}}, 250, "field 'hits'"),
        ("Refuses", {"incoming": {"status": RARE, "op": "U"}}, 450, "the class gives no row"),
        ("Caps", {"incoming": {"hits": 10**13}}, 250, "field 'hits'): the class gives 999999999999, and its rule"),
        ("PrefersOld", {"incoming": {"status": RARE}}, 251, "field "),
    ],
)
def test_a_rare_value_that_the_class_treats_otherwise_ends_the_run(
    spark: SparkSession, name: str, rare: dict[str, dict[str, Any]], key: int, told: str
) -> None:
    plan = plan_of(name, release="0.15", trust_sample=100)
    stored, incoming = sides(spark, **{side: (key, values) for side, values in rare.items()})
    with pytest.raises(MergeFailedError) as failed:
        upsert(stored, incoming, plan)
    assert f"(key id='k{key}'" in str(failed.value)
    assert told in str(failed.value)
    assert "Nothing was written: don't trust the rule" in str(failed.value)


@pytest.mark.spark
@pytest.mark.parametrize("read", [snapshot, compact])
def test_a_rare_value_in_a_log_ends_the_run(spark: SparkSession, read: Any) -> None:
    plan = plan_of("Locks", table_type="mor", trust_sample=100)
    stored, log = logged(sides(spark, stored=(250, {"status": RARE})), plan)
    with pytest.raises(MergeFailedError, match="key id='k250'"):
        read(stored, log, plan)


@pytest.mark.spark
def test_nothing_is_written_where_the_class_differs(spark: SparkSession, tmp_path: Path) -> None:
    stored, incoming = sides(spark, stored=(250, {"status": RARE}))
    for name, frame in (("stored", stored), ("incoming", incoming)):
        frame.write.parquet(str(tmp_path / name))
    words = ["merge", "upsert", "--stored", str(tmp_path / "stored"), "--incoming", str(tmp_path / "incoming")]
    words += ["--payload", f"{PAYLOADS}:Locks", "--release", "0.15", "--key", "id", "--ordering", "ts"]
    words += ["--engine", "native", "--trust-rule", "--out", str(tmp_path / "out"), "--output", "json"]
    answer = CliRunner().invoke(main, words)
    assert (answer.exit_code, (tmp_path / "out").exists()) == (3, False)
    assert "key id='k250'" in answer.output
    answer = CliRunner().invoke(main, [one.replace("Locks", "Plain") for one in words])
    assert answer.exit_code == 0, answer.output
    told = json.loads(answer.stdout)["plan"]
    assert told["trusted"]["keys"] == 300
    assert (told["trust_rule"], told["ran"]["engine"]) == (True, "native")
    own = [one if ":Locks" not in one else "DefaultHoodieRecordPayload" for one in words]
    answer = CliRunner().invoke(main, [*own, "--overwrite"])
    assert (answer.exit_code, "states its rule, which needs no --trust-rule" in answer.stderr) == (2, True)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"name": "Remembers"}, "depends on more than these"),
        ({"name": "Joins"}, "only the class decides the column 'op'"),
        ({"name": "Visits", "payload": "DefaultHoodieRecordPayload"}, "states its rule, which needs no trust_rule"),
        ({"name": "Visits", "payload": "tests.support.rule_classes:Visits"}, "states its rule"),
        ({"name": "Visits", "payload": None, "merger": "EVENT_TIME_ORDERING"}, "is for payload classes"),
        ({"name": "Visits", "on_error": "quarantine"}, "with on_error=quarantine a key that fails"),
    ],
)
def test_what_has_no_rule_is_refused_by_name(spark: SparkSession, settings: dict[str, Any], told: str) -> None:
    stored, incoming = sides(spark)
    given = dict(settings)
    plan = plan_of(given.pop("name"))
    with pytest.raises(PlanError, match=told):
        merge_frames("upsert", dataclasses.replace(plan, **given), stored=stored, incoming=incoming)


@pytest.mark.spark
def test_other_programs_are_refused(spark: SparkSession) -> None:
    stored, incoming = sides(spark)
    plan, on_read = plan_of("Visits", release="0.15"), plan_of("Visits", table_type="mor")
    runs: dict[str, Any] = {
        "trust_rule is for upsert, snapshot, compact, simulate": lambda: append(stored, None, incoming, on_read),
        "log that earlier commits wrote, so no rule runs": lambda: simulate([stored, incoming], on_read),
        "not for simulate_upgrade": lambda: replay([stored, incoming], plan, "1.2", upgrade_after=1),
        "a migration is accepted if it gives the rows of the class": lambda: migrate(plan, batches=[stored, incoming]),
    }
    for told, run in runs.items():
        with pytest.raises(PlanError, match=told):
            run()


@pytest.mark.spark
def test_auto_never_trusts(spark: SparkSession) -> None:
    stored, incoming = sides(spark)
    plan = dataclasses.replace(plan_of("Visits"), engine="auto", trust_rule=False)
    assert choice_of("upsert", plan, incoming, stored).engine is EngineName.PYTHON
    with pytest.raises(PlanError, match="is for the native engine"):
        dataclasses.replace(plan, trust_rule=True)
    with pytest.raises(PlanError, match="the native engine does not run this"):
        upsert(stored, incoming, dataclasses.replace(plan, engine="native"))


# -- which keys


def looked(number: int, newer: int = 2, status: int = 1, place: str = "a") -> Looked:
    """Return a key with rows that show a status and their number."""
    shown = [(float(status), float(number), 0.0)] * newer
    return Looked(number, [], shown, (place,))


def test_a_sample_has_rare_values_first_and_all_partitions() -> None:
    keys = [looked(number) for number in range(1_000)]
    keys[700] = looked(700, status=9)
    keys[701] = looked(701, place="b")
    keys[702] = looked(702, newer=3)
    chosen = {one.number for one in chosen_of(keys, 20, 2)}
    assert len(chosen) == 20
    assert {700, 701, 702} <= chosen


def test_a_sample_leaves_out_a_key_of_too_many_versions() -> None:
    keys = [looked(0, newer=401), looked(1, newer=30), looked(2)]
    assert {one.number for one in chosen_of(keys, 20, 2)} == {1, 2}


def test_a_sample_is_the_same_in_any_order() -> None:
    keys = [looked(number, place=str(number % 3)) for number in range(100)]
    chosen = [one.number for one in chosen_of(keys, 10, 2)]
    assert chosen == [one.number for one in chosen_of(keys[::-1], 10, 2)]
