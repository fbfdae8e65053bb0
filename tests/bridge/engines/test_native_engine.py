"""The native engine: its plan has no Python, it agrees with the python engine, and it says what it does not run."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from pyspark.sql import functions as sf

from bridge import InputError, MergePlan, PlanError, append, combine_input, merge_frames, snapshot, upsert
from bridge.cli import main
from bridge.engines import REFUSALS, Job, engine_of
from bridge.engines.native.size import broadcasts_newer, file_bytes
from bridge.errors import RowCountsError
from bridge.merge import Action
from bridge.pipeline import choice_of, layout_of
from bridge.pipeline.merge_points import upsert_outcomes
from bridge.pipeline.point_run import PointRun
from bridge.programs import PROGRAMS, EngineName
from bridge.spark import functions, line_of
from bridge.spark.small_input import INTERPRETED
from mergers.strategies import EventTimeMerger
from payloads import PayloadFailedError
from payloads.ordering_fields import CONSISTENT_TIMESTAMP
from payloads.rules import ByOrdering, Case, Effect, IsDelete, MergeRule, Role, Sum
from payloads.user import CallGuard
from tests.bridge.engines.agreement import agree, broadcasts, outcomes_of
from tests.bridge.engines.combinations import covering, natively
from tests.bridge.engines.generated import MERGER, Combination
from tests.conformance.checks import NATIVE, check_histories
from tests.jvm.misbehaving import ColumnMerger
from tests.support import HISTORIES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

ROWS = "id string, part string, ts bigint, v string, _hoodie_is_deleted boolean"
LOG_COLUMNS = "_pb_commit bigint, _pb_seq bigint, _pb_kind string, _pb_ordering struct<type:string,value:string>"
LOG = f"{ROWS}, {LOG_COLUMNS}"
SHORT = 60
"""Keys a combination; the command takes as many as it is told."""

GATHERS = pytest.mark.skipif(not line_of().gathers, reason="Spark 3.3 runs no merger of columns natively")
_POSTGRES = {"merger": None, "payload": "PostgresDebeziumAvroPayload", "ordering": "_event_lsn"}


def plan_of(**settings: Any) -> MergePlan:
    given = {"merger": "EVENT_TIME_ORDERING", "release": "1.2", "key": "id", "partition": "part", "ordering": "ts"}
    return MergePlan(**given | settings)


def job_of(frame: DataFrame, plan: MergePlan, program: str = "upsert", **settings: Any) -> Job:
    layout = layout_of(plan, frame)
    return Job(plan, layout.schema, layout.names, program, **settings)


def physical_plan(frame: DataFrame) -> str:
    return frame._jdf.queryExecution().executedPlan().toString()


def test_it_agrees_with_the_python_engine_on_generated_keys_by_plans_without_python(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspected: set[tuple[str, str]] = set()

    def planned(session: SparkSession, one: Combination, *given: Any) -> DataFrame:
        outcomes = outcomes_of(session, one, *given)
        text = physical_plan(outcomes)  # which Spark keeps for the job
        for word in ("Python", "Arrow", "MapPartitions", "UDF", "DeserializeToObject"):
            assert word not in text, (str(one), text)
        inspected.add((one.program, one.merges))
        return outcomes

    monkeypatch.setattr("tests.bridge.engines.agreement.outcomes_of", planned)
    counts, seen = {}, collections.Counter[str]()
    for number, one in enumerate(covering(natively())):
        # Its plans by turns: what they do to a row is the rule's, which both evaluate.
        plans = (seen[one.program] % 2 == 0,)
        seen[one.program] += 1
        counts[str(one)] = agree(spark, one, SHORT, 17, failing=number % 8 == 0, plans=plans)
    assert all(count.keys > count.failures for count in counts.values()), counts
    assert inspected == {(one.program, one.merges) for one in natively()}


@pytest.mark.long
@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
def test_recorded_tables_are_real_hudis_commit_by_commit(spark: SparkSession, release: str) -> None:
    report = check_histories(HISTORIES, lambda: spark, release, engine=NATIVE)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in report.failures] == []
    assert report.sums.passed >= {"0.15": 15, "1.0": 10, "1.2": 48}[release]


@GATHERS
def test_a_merger_of_columns_is_found_among_the_implementations_of_its_strategy(spark: SparkSession) -> None:
    rows = "id string, v int, op string"
    stored = spark.createDataFrame([("a", 1, None), ("b", 1, None)], rows)
    batch = spark.createDataFrame([("a", 5, None), ("b", 5, "d")], rows)
    frame, listed = spark.createDataFrame([], rows), "hoodie.write.record.merge.custom.implementation.classes"
    mergers = "tests.support.user_mergers"
    plan = plan_of(merger=f"{mergers}:AddsUpRows", partition=(), ordering=())
    assert engine_of(job_of(frame, plan)).engine is EngineName.PYTHON
    both = plan_of(
        merger=f"{mergers}:AddsUpRows", partition=(), ordering=(), props={listed: f"{mergers}:AddsUpColumns"}
    )
    alone = plan_of(merger=f"{mergers}:AddsUpColumns", partition=(), ordering=())
    for one in (both, alone):
        assert engine_of(job_of(frame, one, fits_one_task=True)).engine is EngineName.NATIVE
    found = {row.id: row.v for row in upsert(stored, batch, dataclasses.replace(both, engine="native")).collect()}
    assert found == {"a": 6, "b": 1}
    streams = job_of(frame, both)
    assert "gathers the versions of a key" in engine_of(streams).why
    only_way = engine_of(dataclasses.replace(streams, plan=alone))
    assert only_way.engine is EngineName.NATIVE
    assert "must fit into memory" in only_way.why
    with pytest.raises(Exception, match=r"merges SPARK records|only merge_columns"):
        upsert(stored, batch, dataclasses.replace(alone, engine="python")).collect()


@GATHERS
def test_auto_gathers_the_versions_of_a_key_only_from_small_files(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory = spark.createDataFrame([("a", 1, None)], "id string, v int, op string")
    in_memory.coalesce(1).write.parquet(str(tmp_path / "batch"))
    files = spark.read.parquet(str(tmp_path / "batch"))
    twice = files.select(sf.explode(sf.array(*[sf.struct(*files.columns)] * 2)).alias("row")).select("row.*")
    size, plan = file_bytes(files), plan_of(merger=MERGER, partition=(), ordering=())
    assert size is not None

    def ran(batch: DataFrame) -> EngineName:
        chosen = choice_of("upsert", plan, batch, in_memory).engine
        has_python = "InArrow" in physical_plan(upsert(in_memory, batch, plan))
        assert has_python is (chosen is EngineName.PYTHON), "what is told is what runs"
        return chosen

    monkeypatch.setattr("bridge.engines.native.size._TASK_BYTES", size)
    assert ran(files) is ran(files.where("v > 0")) is EngineName.NATIVE
    assert ran(in_memory) is ran(twice) is EngineName.PYTHON
    monkeypatch.setattr("bridge.engines.native.size._TASK_BYTES", size - 1)
    assert ran(files) is EngineName.PYTHON


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_row_that_a_merger_makes_is_data_whatever_its_flag_or_the_sign_of_its_zeros(
    spark: SparkSession, engine: str
) -> None:
    rows = "id string, v int, op string, price double, prices array<double>, _hoodie_is_deleted boolean"
    stored = [("flagged", 1, None, 0.0, [0.0], None), ("zero", 1, None, 0.0, [0.0], None)]
    stored += [("zeros", 1, None, 0.0, [0.0], None), ("kept", 1, None, 0.0, [0.0], None)]
    batch = [("flagged", 2, "I", 0.0, [0.0], True), ("zero", 0, None, -0.0, [0.0], None)]
    batch += [("zeros", 0, None, 0.0, [-0.0], None), ("kept", 0, "d", -0.0, [-0.0], None)]
    batch += [("new", 1, None, 0.0, None, None), ("new", 1, "I", 0.0, None, True)]
    batch += [("gone", 1, None, 0.0, None, None), ("gone", 1, None, 0.0, None, True)]
    frames = [spark.createDataFrame(side, rows).coalesce(1) for side in (stored, batch)]
    plan = plan_of(merger=MERGER, partition=(), ordering=(), engine=engine)
    found = {row[0]: row[1:] for row in upsert_outcomes(*frames, plan).collect()}
    update, insert, keep, skip = (int(one) for one in (Action.UPDATE, Action.INSERT, Action.KEEP, Action.SKIP))
    assert repr(sorted(found.items())) == repr(
        [
            ("flagged", (3, "I", 0.0, [0.0], True, update)),
            ("gone", (None, None, None, None, None, skip)),
            ("kept", (1, None, 0.0, [0.0], None, keep)),
            ("new", (2, "I", 0.0, None, True, insert)),
            ("zero", (1, None, -0.0, [0.0], None, update)),
            ("zeros", (1, None, 0.0, [-0.0], None, update)),
        ]
    )


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_a_merger_makes_of_a_delete_in_a_log_is_read_at_the_stored_row_alone(
    spark: SparkSession, engine: str
) -> None:
    rows = "id string, v int, op string"
    log_rows = [("a", 2, "log", 0, "data"), ("a", None, None, 1, "delete"), ("b", None, None, 0, "delete")]
    log_rows += [("c", 2, "log", 0, "data"), ("c", None, None, 1, "delete")]
    stored = spark.createDataFrame([("a", 1, "stored"), ("b", 1, "stored")], rows).coalesce(1)
    log = spark.createDataFrame([(*row[:3], 1, *row[3:], None) for row in log_rows], f"{rows}, {LOG_COLUMNS}")
    plan = plan_of(
        merger="tests.support.user_mergers:Revives", partition=(), ordering=(), table_type="mor", engine=engine
    )
    found = {tuple(row) for row in snapshot(stored, log.coalesce(1), plan).collect()}
    assert found == {("a", -1, "stored"), ("b", -1, "stored")}


@pytest.mark.parametrize("in_memory", [True, False])
def test_all_rows_meet_in_one_join(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, *, in_memory: bool) -> None:
    monkeypatch.setattr("bridge.engines.native.size.fits_in_memory", lambda _frame: in_memory)
    rows, log = spark.createDataFrame([], ROWS), spark.createDataFrame([], LOG)
    for frame in (upsert(rows, rows, plan_of()), snapshot(rows, log, plan_of(table_type="mor"))):
        text = physical_plan(frame)
        assert "FullOuter" in text
        assert ("ShuffledHashJoin" in text) is in_memory
        assert ("SortMergeJoin" in text) is not in_memory


def test_a_hash_table_is_built_only_of_what_is_known_to_be_small(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.createDataFrame([("a", "p", 1, "x", None)], ROWS)
    rows.write.parquet(str(tmp_path / "batch"))
    known = spark.read.parquet(str(tmp_path / "batch"))
    with broadcasts(spark, allowed=False):
        assert "ShuffledHashJoin" in physical_plan(upsert(rows, known, plan_of()))
    assert "SortMergeJoin" in physical_plan(upsert(rows, rows, plan_of())), "of rows in memory Spark knows no size"


@pytest.mark.parametrize("merger", ["EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"])
@pytest.mark.parametrize("ordering", ["ts", "v"])
def test_each_side_is_shuffled_once_and_the_newer_one_sorted_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, merger: str, ordering: str
) -> None:
    monkeypatch.setattr("bridge.engines.native.join_keys.in_one_task", lambda _session: False)
    monkeypatch.setattr("bridge.engines.native.size.fits_in_memory", lambda _frame: True)
    rows = spark.createDataFrame([("a", "p", 1, "x", None)] * 8, ROWS).repartition(2)
    log = spark.createDataFrame([], LOG).repartition(2)
    plan = plan_of(merger=merger, ordering=ordering)
    for frame in (upsert(rows, rows, plan), snapshot(rows, log, dataclasses.replace(plan, table_type="mor"))):
        text = physical_plan(frame)
        assert text.count("Exchange hashpartitioning") == 2, text
        assert text.count("Sort [") == 1, text


def test_keys_of_one_hash_are_compared(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.engines.native.join_keys.SameKey._hash", lambda *_: sf.lit(1).cast("bigint"))
    stored = [("a", "p", 1, "old", None), ("b", "p", 1, "stays", None), ("a", None, 1, "elsewhere", None)]
    batch = [("a", "p", 2, "new", None), ("c", "p", 1, "added", None), ("b", None, 1, "other", None)]
    frames = [spark.createDataFrame(rows, ROWS) for rows in (stored, batch)]
    for in_memory in (True, False):
        monkeypatch.setattr("bridge.engines.native.size.fits_in_memory", lambda _frame, known=in_memory: known)
        found = {(row.id, row.part, row.v) for row in upsert(*frames, plan_of()).collect()}
        assert found == {
            ("a", "p", "new"), ("b", "p", "stays"), ("a", None, "elsewhere"), ("c", "p", "added"), ("b", None, "other")
        }  # fmt: skip


def test_stored_rows_are_not_shuffled_where_the_batch_is_small(spark: SparkSession, tmp_path: Path) -> None:
    stored = [("a", "p", 1, "old", None), ("b", "p", 1, "stays", None), ("c", "p", 1, "goes", None)]
    batch = [("a", "p", 2, "new", None), ("c", "p", 2, "", True), ("d", "p", 1, "added", None), ("e", "p", 1, "", True)]
    frames, plan = [], plan_of(engine="native")
    for name, rows in (("stored", stored), ("batch", batch)):
        spark.createDataFrame(rows, ROWS).coalesce(1).write.parquet(str(tmp_path / name))
        frames.append(spark.read.parquet(str(tmp_path / name)))
    few = upsert(*frames, plan)
    assert "FullOuter" in physical_plan(few), "a shuffle of three rows costs less than to read their keys once more"
    with broadcasts(spark, allowed=True):
        found = upsert(*frames, plan)
    above = physical_plan(found).partition("Scan parquet")[0]
    assert "BroadcastHashJoin" in above
    assert "Exchange hashpartitioning" not in above, "over the scan of the stored rows"
    assert sorted(map(repr, found.collect())) == sorted(map(repr, few.collect()))
    with broadcasts(spark, allowed=True):
        again = physical_plan(upsert(found, frames[1], plan))
    assert "FullOuter" in again, "what is more than a scan is read once"


def test_few_rows_are_sent_to_many_times_as_many(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, rows in (("many", 400), ("few", 10)):
        # Texts that do not compress, so that the sizes of the files are as the numbers of the rows.
        made = spark.range(rows).select(sf.concat(*(sf.sha2(sf.concat("id", sf.lit(n)), 512) for n in range(20))))
        made.coalesce(1).write.parquet(str(tmp_path / name))
    many, few = (spark.read.parquet(str(tmp_path / name)) for name in ("many", "few"))
    assert not broadcasts_newer(many, few), "a table of some hundred kilobytes"
    monkeypatch.setattr("bridge.engines.native.size._MANY_BYTES", 0)
    assert broadcasts_newer(many, few)
    assert not broadcasts_newer(few, few)
    with broadcasts(spark, allowed=False):
        assert not broadcasts_newer(many, few), "the session broadcasts nothing"


@pytest.mark.parametrize("payload", [None, "PartialUpdateAvroPayload"])
def test_java_compiles_the_loops_of_a_merge_of_25_columns(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, payload: str | None
) -> None:
    monkeypatch.setattr("bridge.engines.native.join_keys.in_one_task", lambda _session: False)
    more = [sf.concat("id", sf.lit(f" {number}")).alias(f"text_{number}") for number in range(22)]
    spark.range(8).select(
        sf.col("id").cast("string"), sf.lit("p").alias("part"), sf.col("id").alias("ts"), *more
    ).write.parquet(str(tmp_path / "rows"))
    rows = spark.read.parquet(str(tmp_path / "rows"))
    plan = plan_of(
        merger=None if payload else "EVENT_TIME_ORDERING", payload=payload, engine="native", table_type="mor"
    )
    log = append(rows, None, rows, plan)[1]
    # An adaptive plan shows its loops only once they have run, and the tests' session compiles none.
    compiled = {"spark.sql.adaptive.enabled": "false", **dict(zip(INTERPRETED, ("FALLBACK", "true"), strict=True))}
    before = {name: spark.conf.get(name) for name in compiled}
    for name, value in compiled.items():
        spark.conf.set(name, value)
    try:
        for frame in (upsert(rows, rows, plan), snapshot(rows, log, plan)):
            executed = frame._jdf.queryExecution().executedPlan()
            code = spark._jvm.org.apache.spark.sql.execution.debug.package.codegenString(executed)
            sizes = [int(size) for size in re.findall(r"maxMethodCodeSize:(\d+)", code)]
            assert sizes
            assert max(sizes) < 8000, "bytes of bytecode, the most that Java compiles"
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))


# With the other columns 48 are more than 50, from which on plans differ, by whether they fill gaps and not by which.
@pytest.mark.parametrize(
    ("settings", "texts"),
    [
        ({"merger": "EVENT_TIME_ORDERING"}, 48),
        ({"merger": "EVENT_TIME_ORDERING"}, 0),
        ({"merger": None, "payload": "PartialUpdateAvroPayload"}, 48),
        ({"merger": None, "payload": "PartialUpdateAvroPayload"}, 0),
        pytest.param(_POSTGRES, 48, marks=pytest.mark.long),
        (_POSTGRES, 0),
    ],
    ids=lambda one: one if isinstance(one, int) else one.get("payload") or one["merger"],
)
def test_rows_of_any_number_of_columns_come_to_those_of_python(
    spark: SparkSession, settings: dict[str, Any], texts: int
) -> None:
    ordering = settings.get("ordering", "ts")
    number = sf.col("n")
    text = sf.when(number % 3 == 0, sf.lit("__debezium_unavailable_value")).otherwise(sf.lit("seen"))

    def one_in(many: int, what: int) -> Column:
        return functions.pmod(sf.xxhash64(number, sf.lit(what)), sf.lit(many)) == 0

    gaps = [sf.when(one_in(3, place), sf.concat(text, number)).alias(f"text_{place}") for place in range(texts)]
    deletes = [one_in(9, -1).alias("_hoodie_is_deleted")]
    row = [sf.concat(text, number % 20).alias("id"), sf.lit("p").alias("part"), *deletes, *gaps]

    def side(rows: int, at: Column) -> DataFrame:
        return spark.range(rows).withColumnRenamed("id", "n").select(*row, at.cast("bigint").alias(ordering))

    stored, incoming = side(20, sf.lit(2)), side(300, functions.pmod(sf.xxhash64(number), sf.lit(5)))
    seen = []
    for engine in ("native", "python"):
        plan = plan_of(engine=engine, **settings)
        with merge_frames("upsert", plan, stored=stored, incoming=incoming) as merged:
            row_counts, rows = merged.row_counts, sorted(map(repr, merged.rows.collect()))
        if engine == "native":  # without row counts its plan is another
            assert rows == sorted(map(repr, upsert(stored, incoming, plan).collect()))
        seen.append((rows, row_counts.lines(), row_counts.made, row_counts.rows_out))
    assert seen[0] == seen[1]


def test_only_a_batch_of_few_bytes_is_combined_in_one_task(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engines.native.join_keys.in_one_task", lambda _session: False)
    for name in ("stored", "batch"):
        spark.createDataFrame([("a", "p", 1, "x", None)], ROWS).write.parquet(str(tmp_path / name))
    frames = [spark.read.parquet(str(tmp_path / name)) for name in ("stored", "batch")]
    shuffled = "hashpartitioning(_pb_hash"
    with broadcasts(spark, allowed=True):
        assert shuffled not in physical_plan(upsert(*frames, plan_of(engine="native")))
        assert shuffled not in physical_plan(combine_input(frames[1], plan_of(engine="native")))
        monkeypatch.setattr("bridge.engines.native.size._TASK_BYTES", 0)
        large = physical_plan(upsert(*frames, plan_of(engine="native")))
        assert shuffled in large, "whatever the session broadcasts"
        assert "FullOuter" in large
        assert shuffled in physical_plan(combine_input(frames[1], plan_of(engine="native")))


def test_a_key_that_is_stored_twice_is_refused_where_it_is_seen(spark: SparkSession, tmp_path: Path) -> None:
    stored = [("a", "p", 1, "old", None), ("a", "p", 2, "again", None), ("b", "p", 1, "stays", None)]
    for name, rows in (("stored", stored), ("batch", [("a", "p", 3, "new", None)])):
        spark.createDataFrame(rows, ROWS).coalesce(1).write.parquet(str(tmp_path / name))
    frames = {name: spark.read.parquet(str(tmp_path / name)) for name in ("stored", "batch")}
    twice = "the stored side has more than one row for the key"
    with broadcasts(spark, allowed=True):
        with pytest.raises(Exception, match=rf"\(key part='p', id='a'\): {twice}"):
            upsert(frames["stored"], frames["batch"], plan_of(engine="native")).collect()
        with pytest.raises(Exception, match=twice):
            append(frames["stored"], None, frames["batch"], plan_of(table_type="mor", engine="native"))[1].collect()
    with broadcasts(spark, allowed=False), pytest.raises(InputError, match="more than one row for some keys"):
        merge_frames("upsert", plan_of(engine="native"), stored=frames["stored"], incoming=frames["batch"]).row_counts  # noqa: B018


def test_a_number_that_is_stored_twice_is_refused_and_zeros_are_two(spark: SparkSession, tmp_path: Path) -> None:
    numbers = {"stored": (float("nan"), float("nan"), 0.0, -0.0), "zeros": (0.0, -0.0), "batch": (float("nan"),)}
    for name, ids in numbers.items():
        spark.createDataFrame([(one, 1) for one in ids], "id double, ts int").coalesce(1).write.parquet(
            str(tmp_path / name)
        )
    stored, zeros, batch = (spark.read.parquet(str(tmp_path / name)) for name in numbers)
    plan = plan_of(partition=(), engine="native")
    with broadcasts(spark, allowed=True):
        assert upsert(stored, zeros, plan).count() == len(numbers["stored"])
        with pytest.raises(Exception, match=r"id=NaN\): the stored side has more than one row for the key"):
            upsert(stored, batch, plan).collect()


def test_books_that_only_count_too_many_rows_blame_no_key(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = spark.createDataFrame([("a", "p", 1, "x", None)], ROWS)
    run = PointRun("upsert", {"stored": rows, "incoming": rows}, plan_of())
    run.outcomes.collect()
    # As if Spark had run a task again, and counted its rows twice.
    run._frames["incoming"] = rows.where("false")
    monkeypatch.setattr(run._sides["incoming"], "counts", lambda: {"rows": 0})
    with pytest.raises(RowCountsError):
        run.row_counts(run.outcomes)


@pytest.mark.parametrize(
    ("settings", "columns", "reason"),
    [
        ({"release": "0.15", "merger": None, "payload": "PartialUpdateAvroPayload"}, ROWS, "builds records"),
        ({"merger": None, "payload": "HoodieAvroPayload"}, ROWS, "in mode CUSTOM"),
        ({"combine_before_upsert": False}, ROWS, "not deduplicated"),
        ({}, ROWS.replace("ts bigint", "ts date"), "don't compare in Spark"),
        ({}, ROWS.replace("deleted boolean", "deleted string"), "decides which rows are deletes"),
        ({"props": {CONSISTENT_TIMESTAMP: "true"}}, ROWS, "of two Java classes"),
        ({"ordering": "ts.x"}, ROWS.replace("ts bigint", "ts struct<x: bigint>"), "an ordering field is nested"),
    ],
)
def test_what_it_does_not_run_goes_to_python_and_says_why(
    spark: SparkSession, settings: dict[str, Any], columns: str, reason: str
) -> None:
    frame = spark.createDataFrame([], columns)
    choice = engine_of(job_of(frame, plan_of(**settings)))
    assert choice.engine is EngineName.PYTHON
    assert reason in choice.why
    with pytest.raises(PlanError, match=f"the native engine does not run this: .*{reason}"):
        upsert(frame, frame, plan_of(**settings, engine="native"))


UNKNOWN = {
    "which is later": (MergeRule(ByOrdering(reverse=True)), r"ByOrdering\(reverse=True\)"),
    "a case": (MergeRule(cases=(Case(IsDelete(Role.NEWER), Effect.CURRENT),)), r"Case\(when=IsDelete\(role=NEWER\)"),
    "what it yields": (MergeRule(otherwise=Effect.DELETE), "DELETE"),
    "a column": (MergeRule(columns={"ts": Sum()}, otherwise=Effect.FILLED), r"Sum\(\)"),
}


@pytest.mark.parametrize(("rule", "node"), UNKNOWN.values(), ids=UNKNOWN)
def test_a_node_that_has_no_expressions_is_named(
    spark: SparkSession, rule: MergeRule, node: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EventTimeMerger, "rule", lambda *_: rule)
    frame = spark.createDataFrame([], ROWS)
    choice = engine_of(job_of(frame, plan_of()))
    assert choice.engine is EngineName.PYTHON
    assert re.search(node, choice.why), choice.why


def test_auto_runs_the_merge_modes_and_their_payloads_natively(spark: SparkSession) -> None:
    frame = spark.createDataFrame([], ROWS)
    for name in ("DefaultHoodieRecordPayload", "PartialUpdateAvroPayload", "EventTimeAvroPayload"):
        plan = plan_of(merger=None, payload=name)
        natively = {one for one, spec in PROGRAMS.items() if spec.native}
        ran = {one for one in natively if engine_of(job_of(frame, plan, one)).engine is EngineName.NATIVE}
        assert natively - ran == ({"simulate"} if name.startswith("Partial") else set())
    assert engine_of(job_of(frame, plan_of(engine="python")))[:2] == (EngineName.PYTHON, "as requested")


def test_every_refusal_has_a_name_of_its_own() -> None:
    assert len({refusal.name for refusal in REFUSALS}) == len(REFUSALS)
    assert {name for name, spec in PROGRAMS.items() if spec.native} == {
        "combine_input",
        "upsert",
        "append",
        "snapshot",
        "compact",
        "simulate",
    }


def test_a_null_key_fails_on_either_side(spark: SparkSession) -> None:
    good = spark.createDataFrame([("a", "p", 1, "x", None)], ROWS)
    bad = spark.createDataFrame([(None, "p", 1, "x", None)], ROWS)
    for stored, incoming in ((good, bad), (bad, good)):
        with pytest.raises(Exception, match="the key column 'id' is null"):
            upsert(stored, incoming, plan_of()).collect()


def test_zeros_of_either_sign_are_two_keys(spark: SparkSession) -> None:
    rows = "id double, ts bigint, v string"
    stored = spark.createDataFrame([(0.0, 1, "plus"), (float("nan"), 1, "none")], rows)
    incoming = spark.createDataFrame([(-0.0, 2, "minus"), (float("nan"), 2, "new")], rows)
    plan = plan_of(partition=())
    seen = sorted((str(row.id), row.v) for row in upsert(stored, incoming, plan).collect())
    assert seen == [("-0.0", "minus"), ("0.0", "plus"), ("nan", "new")]


@pytest.mark.parametrize("kind", ["decimal(6,2)", "decimal(30,4)", "date", "timestamp", "boolean", "binary"])
def test_keys_of_every_type_meet_as_in_python(spark: SparkSession, kind: str) -> None:
    values = {"date": ("2024-03-05", "1969-12-31"), "timestamp": ("2024-03-05 01:02:03.000004", "1969-12-31 23:59:59")}
    one, other = values.get(kind, ("1", "0"))
    texts = [(one, one, 1, "old"), (one, other, 1, "stays"), (other, one, 1, "stays"), (one, None, 1, "old")]
    typed = [sf.col(name).cast("string").cast(kind).alias(name) for name in ("id", "part")]
    frames = [
        spark.createDataFrame(rows, "id string, part string, ts bigint, v string").select(*typed, "ts", "v")
        for rows in (texts, [(one, one, 2, "new"), (other, other, 2, "new"), (one, None, 2, "new")])
    ]
    seen = [sorted(map(repr, upsert(*frames, plan_of(engine=engine)).collect())) for engine in ("native", "python")]
    assert seen[0] == seen[1]
    assert len(seen[0]) == 5


def test_a_null_partition_is_a_partition(spark: SparkSession) -> None:
    stored = spark.createDataFrame([("a", None, 1, "old", None), ("a", "p", 1, "other", None)], ROWS)
    incoming = spark.createDataFrame([("a", None, 2, "new", None)], ROWS)
    assert {(row.part, row.v) for row in upsert(stored, incoming, plan_of()).collect()} == {
        (None, "new"),
        ("p", "other"),
    }


def test_merge_says_which_engine_ran_and_why(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.engines.native.size._SMALL_BYTES", 0)  # else both go to Python
    for name in ("stored", "incoming"):
        spark.createDataFrame([("a", "p", 1, name, None)], ROWS).coalesce(1).write.parquet(str(tmp_path / name))
    given = ["--stored", str(tmp_path / "stored"), "--incoming", str(tmp_path / "incoming"), "--key", "id"]
    given += ["--partition", "part", "--ordering", "ts", "--output", "json"]
    modes = {"native": ["--mode", "EVENT_TIME_ORDERING"], "python": ["--payload", "HoodieAvroPayload"]}
    for engine, mode in modes.items():
        result = CliRunner().invoke(main, ["merge", "upsert", *given, *mode])
        plan = json.loads(result.output)["plan"]
        assert plan["engine"] == "auto"
        assert plan["ran"]["engine"] == engine
        assert plan["ran"]["why"]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("sys.exit", r"ColumnMerger: merge_columns raised SystemExit\(3\), which ends the process"),
        ("os._exit", r"ColumnMerger: merge_columns raised os\._exit\(4\), which ends the process"),
        ("KeyboardInterrupt", r"ColumnMerger: merge_columns raised KeyboardInterrupt\(\), which ends the process"),
        ("loop", r"ColumnMerger: merge_columns took longer than 0\.2 s"),
        ("surrogate", r"ColumnMerger\.merge_columns raised ValueError: half \\ud800 of a pair; fix the class"),
        ("empty-record", r"ColumnMerger\.merge_columns raised AttributeError"),
    ],
)
def test_a_merger_of_columns_is_named(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, how: str, says: str
) -> None:
    """Its expressions are made in the process of the user."""
    monkeypatch.setattr(ColumnMerger, "how", how)
    monkeypatch.setattr("bridge.engines.native.custom.CallGuard", functools.partial(CallGuard, timeout=0.2))
    merger = "tests.jvm.misbehaving:ColumnMerger"
    plan = MergePlan(merger=merger, release="1.2", key="id", ordering="ts", engine="native")
    frame = spark.createDataFrame([("a", 1, "old")], "id string, ts bigint, v string")
    with pytest.raises(PayloadFailedError, match=says):
        upsert(frame, frame, plan)
