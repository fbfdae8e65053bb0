"""The commits of a table on the native engine: equal to the python engine's, and to the tables that real Hudi wrote."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from bridge import MergePlan, PlanError, replay, simulate
from bridge.engines import ARRIVAL, COMMIT, FIRST, LAST, Job, RowCounts, statuses_of
from bridge.engines.control_columns import ORIGIN, QUARANTINE, ROW_COUNTS
from bridge.engines.python.worker import merged
from bridge.pipeline import simulate_outcomes
from bridge.programs import EngineName
from bridge.spark import avro_schema
from tests.bridge.engines.agreement import versions_of
from tests.bridge.engines.combinations import covering, natively
from tests.bridge.engines.generated import Combination, draw
from tests.conformance import histories as tables
from tests.conformance import native_histories, spark_histories
from tests.conformance.checks import NATIVE
from tests.support import HISTORIES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

SHORT, MANY = 80, 400
COMMITS = 3
SETTINGS: dict[str, Any] = {"commits": COMMITS, "compact_after": ()}
ROWS = "id string, part string, ts bigint, v string, _hoodie_is_deleted boolean"


class Expected(NamedTuple):
    """What the python engine makes of versions: rows with their spans, row counts, and where the keys fail that do."""

    rows: list[str]
    row_counts: RowCounts
    failures: dict[str, str]


def of_tables() -> list[Combination]:
    """Return the combinations whose commits the native engine runs in one plan."""
    return [one for one in natively() if one.program == "upsert" and not one.fills]


def by_python(combination: Combination, versions: pa.Table) -> Expected:
    plan = dataclasses.replace(combination.plan, engine="python", on_error="quarantine")
    kinds = {name: from_arrow_type(kind) for name, (_, kind) in combination.types.items()}
    schema = avro_schema(StructType([StructField(name, kind) for name, kind in kinds.items()]), plan.release)
    arguments = {**SETTINGS, "log_updates": False}
    job = Job(plan, schema, tuple(kinds), "simulate", arguments, row_counts=True)
    taken = versions.select([*kinds, ORIGIN, COMMIT]).combine_chunks()
    found = pa.Table.from_batches(list(merged(job, taken.to_batches())))
    aside = found.filter(found[QUARANTINE].is_valid())
    points = pc.struct_field(aside[QUARANTINE], "merge_point").to_pylist()
    rows = found.filter(found[FIRST].is_valid()).select([*kinds, FIRST, LAST])
    row_counts = RowCounts.of_texts({"incoming": versions.num_rows}, found[ROW_COUNTS].drop_null().to_pylist())
    return Expected(told(rows), row_counts, dict(zip(aside["id"].to_pylist(), points, strict=True)))


def told(rows: pa.Table) -> list[str]:
    return sorted(map(repr, zip(*rows.to_pydict().values(), strict=True)))


def outcomes_of(spark: SparkSession, combination: Combination, versions: pa.Table, folder: Path) -> DataFrame:
    pq.write_table(versions.select([*combination.types, COMMIT, ARRIVAL]), folder / "versions.parquet")
    frame = spark.read.parquet(str(folder / "versions.parquet"))
    plan = dataclasses.replace(combination.plan, engine="native")
    return simulate_outcomes(frame, plan, **SETTINGS, row_counts=True)


def written(combination: Combination, keys: int) -> pa.Table:
    versions = versions_of(combination, draw(combination, keys, 17))
    return versions.filter(versions[COMMIT].is_valid())


def agree(spark: SparkSession, combinations: Iterable[Combination], keys: int, folder: Path) -> None:
    for number, one in enumerate(combinations):
        versions = written(one, keys)
        failures = by_python(one, versions).failures
        fails = pc.is_in(versions["id"], pa.array([*failures], pa.string()))
        fine = versions.filter(pc.invert(fails))
        expected, outcomes = by_python(one, fine), outcomes_of(spark, one, fine, folder)
        assert not expected.failures
        batches = outcomes._collect_as_arrow()
        found = pa.Table.from_batches(batches).filter(pc.field(FIRST).is_valid())
        assert told(found.select([*one.types, FIRST, LAST])) == expected.rows, str(one)
        observed = outcomes.select(*statuses_of(outcomes)).collect()[0].asDict()
        row_counts = RowCounts.of_observed({"incoming": fine.num_rows}, observed)
        row_counts.check_sides()
        assert row_counts.lines() == expected.row_counts.lines(), str(one)
        if failures and number % 8 == 0:
            key, point = next(iter(failures.items()))
            with pytest.raises(Exception, match=rf"failed at {point} \(key part=.*id='{key}'"):
                outcomes_of(spark, one, versions.filter(pc.equal(versions["id"], key)), folder).collect()


def test_the_commits_of_generated_keys_are_those_of_the_python_engine(spark: SparkSession, tmp_path: Path) -> None:
    agree(spark, covering(of_tables()), SHORT, tmp_path)


@pytest.mark.long
def test_they_are_for_every_rule_release_and_ordering(spark: SparkSession, tmp_path: Path) -> None:
    agree(spark, of_tables(), MANY, tmp_path)


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
def test_the_commits_of_recorded_tables_are_real_hudis(spark: SparkSession, release: str) -> None:
    found = tables.select(HISTORIES, release).histories.values()
    chosen = [one for one in found if one.table_type == "COPY_ON_WRITE" and native_histories.runs_at_once(one)]
    outcomes = list(tables.outcomes(spark_histories.run_histories(spark, chosen, NATIVE), chosen))
    assert [f"{outcome.history}: {outcome.differences}" for outcome in outcomes if outcome.differences] == []
    assert len(chosen) >= {"0.15": 4, "1.0": 7, "1.2": 19}[release]


def batches(spark: SparkSession) -> list[DataFrame]:
    first = [("a", "p", 1, "old", None), ("b", "p", 1, "stays", None), ("c", None, 1, "goes", None)]
    second = [("a", "p", 2, "new", None), ("a", "p", 2, "newer", None), ("c", None, 2, "", True)]
    third = [("a", "p", 1, "late", None), ("c", None, 3, "again", None), ("d", "p", 1, "", True)]
    return [spark.createDataFrame(rows, ROWS).coalesce(1) for rows in (first, second, third)]


def plan_of(**settings: Any) -> MergePlan:
    given = {"merger": "EVENT_TIME_ORDERING", "release": "1.2", "key": "id", "partition": "part", "ordering": "ts"}
    return MergePlan(**given | settings)


def test_a_simulation_says_which_engine_ran_and_has_the_same_report(spark: SparkSession) -> None:
    def told_by(engine: str) -> tuple[Any, Any, dict[str, Any]]:
        with simulate(batches(spark), plan_of(engine=engine)) as run:
            report = run.to_report()
            return report.results, report.statistics, report.plan["ran"]["cow"]

    native, python = told_by("auto"), told_by("python")
    assert native[:2] == python[:2]
    assert (native[2]["engine"], python[2]["engine"]) == ("native", "python")
    assert {"commit": 2, "table_type": "cow"}.items() <= native[0][1].items()


def test_a_replay_runs_each_side_natively_if_it_can_and_says_why_not(spark: SparkSession) -> None:
    def told_by(engine: str) -> tuple[Any, Any, list[str]]:
        left = plan_of(merger=None, payload="DefaultHoodieRecordPayload", release="0.15", engine=engine)
        with replay(batches(spark), left, "OverwriteNonDefaultsWithLatestAvroPayload") as run:
            report = run.to_report()
        ran = report.plan["ran"].values()
        return report.results, report.statistics["commits"], [one["engine"] for one in ran]

    native, python = told_by("auto"), told_by("python")
    assert native[:2] == python[:2]
    assert (native[2], python[2]) == (["native", "python"], ["python", "python"])


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"table_type": "mor"}, "depend on the log that earlier commits wrote"),
        ({"merger": None, "payload": "PartialUpdateAvroPayload"}, "partial update modes"),
        ({"on_error": "quarantine"}, "keeps all its versions"),
    ],
)
def test_what_stays_with_python_is_refused_natively_with_the_reason(
    spark: SparkSession, settings: dict[str, Any], reason: str
) -> None:
    with simulate(batches(spark), plan_of(**settings)) as run:
        assert run.ran is not None
        assert run.ran.engine is EngineName.PYTHON
        assert reason in run.ran.why
    with pytest.raises(PlanError, match=f"the native engine does not run this: .*{reason}"):
        simulate(batches(spark), plan_of(**settings, engine="native"))


def test_its_plan_shuffles_once_and_has_no_python(spark: SparkSession) -> None:
    one, two, three = (frame.withColumn(COMMIT, sf.lit(number)) for number, frame in enumerate(batches(spark), start=1))
    outcomes = simulate_outcomes(one.unionByName(two).unionByName(three), plan_of(), **SETTINGS, row_counts=True)
    text = outcomes._jdf.queryExecution().executedPlan().toString()
    for word in ("Python", "Arrow", "MapPartitions", "UDF", "DeserializeToObject"):
        assert word not in text, text
    assert text.count("Exchange") == 1, text
