"""The pipeline functions on Spark: the merge points chained as a table uses them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as sf
from pyspark.sql.utils import PythonException

from bridge import (
    InputError,
    MergePlan,
    PlanError,
    append,
    combine_input,
    compact,
    simulate,
    snapshot,
    upsert,
)
from bridge.pipeline import simulate_commits
from tests.conformance.histories import differences, load
from tests.conformance.spark_histories import plan_of, versions_of
from tests.support import DATA, HISTORIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

KEY = "334e26e9-8355-45cc-97c6-c31daf0df330"
TRIPS = "uuid string, ts bigint, rider string, driver string, fare double, city string"
RIDER_A = (KEY, 3, "rider-A", "driver-K", 19.10, "san_francisco")
RIDER_C = (KEY, 2, "rider-C", "driver-M", 27.70, "san_francisco")
RIDER_D = (KEY, 1, "rider-D", "driver-K", 18.00, "san_francisco")


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, frame.collect()), key=repr)


@pytest.fixture(params=[1, 3, 10_000], ids=lambda size: f"batches of {size}")
def arrow_batches(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[int]:
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(name)
    spark.conf.set(name, request.param)
    yield request.param
    spark.conf.set(name, before)


class TestTheBlogsExample:
    """The worked example of Hudi's blog: three versions of one trip, in two inserts."""

    @pytest.mark.parametrize(
        ("mode", "first", "second"),
        [
            ("COMMIT_TIME_ORDERING", RIDER_C, (*RIDER_D[:4], 19.10, "san_francisco")),
            ("EVENT_TIME_ORDERING", RIDER_A, RIDER_A),
        ],
    )
    @pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
    def test_the_merge_modes(
        self, spark: SparkSession, release: str, mode: str, first: tuple[Any, ...], second: tuple[Any, ...]
    ) -> None:
        last = second if mode == "COMMIT_TIME_ORDERING" else RIDER_D
        batches = [spark.createDataFrame(rows, TRIPS).coalesce(1) for rows in ([RIDER_A, RIDER_C], [last])]
        for table_type in ("cow", "mor"):
            plan = MergePlan(
                merger=mode, release=release, table_type=table_type, key="uuid", partition="city", ordering="ts"
            )
            assert rows_of(simulate(batches, plan).snapshots) == [(1, *first), (2, *second)]


@pytest.mark.parametrize(
    ("folder", "release", "case"),
    [
        pytest.param("histories", "0.15", "dms", marks=pytest.mark.long),
        pytest.param("histories", "0.15", "default", marks=pytest.mark.long),
        ("histories", "0.15", "late-overwrite"),
        pytest.param("histories-settings", "0.15", "no-combine-default", marks=pytest.mark.long),
        ("histories-settings", "1.2", "log-inserts-partial-update"),
        ("histories-settings", "1.2", "global-stay-dms"),
    ],
)
def test_the_functions_chained_answer_like_simulate(spark: SparkSession, folder: str, release: str, case: str) -> None:
    """append, snapshot and compact, frame by frame, against one job for all commits."""
    (history,) = load(DATA / folder, release, f"{case}-mor")
    plan = plan_of(history)
    compactions = [number for number, commit in enumerate(history.commits, start=1) if commit.compacted_inline] or [3]
    versions = versions_of(spark, {0: history}).drop("conformance_case").cache()
    together = simulate_commits(versions, plan, commits=5, compact_after=compactions).cache()
    stored = versions.where("false").drop("_pb_commit", "_pb_arrival")
    log = None
    for number in range(1, 6):
        batch = versions.where(sf.col("_pb_commit") == number).drop("_pb_commit")
        stored, log = (frame.localCheckpoint() for frame in append(stored, log, batch, plan))
        if number in compactions:
            stored, log = compact(stored, log, plan).localCheckpoint(), None
        seen = stored if log is None else snapshot(stored, log, plan)
        expected = together.where(sf.col("_pb_commit") == number).drop("_pb_commit")
        assert rows_of(seen) == rows_of(expected), number


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_neither_partitions_nor_batches_change_the_answer(
    spark: SparkSession, arrow_batches: int, partitions: int
) -> None:
    (history,) = load(HISTORIES, "0.15", "dms-cow")
    plan = MergePlan(payload="AWSDmsAvroPayload", release="0.15", key="id", partition="part", ordering="ts")
    versions = versions_of(spark, {0: history}).drop("conformance_case").repartition(partitions, sf.rand(7))
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        result = simulate_commits(versions, plan, commits=5).where("_pb_commit = 5").drop("_pb_commit")
        rows = [row.asDict() for row in result.collect()]
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    assert differences(history.commits[-1].snapshot, rows) == []


class TestSchemas:
    """Batches of different schemas."""

    @pytest.mark.parametrize(
        ("ddl", "words"),
        [
            ("id string, ts boolean", "'ts' is int in the older data and boolean in the newer"),
            ("id string, name string, ts int", "'kind' is stored but not in the newer data"),
        ],
    )
    def test_anything_else_is_refused(self, spark: SparkSession, ddl: str, words: str) -> None:
        stored = spark.createDataFrame([], "id string, ts int, kind string" if "name" in ddl else "id string, ts int")
        plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")
        with pytest.raises(InputError, match=words):
            upsert(stored, spark.createDataFrame([], ddl), plan)

    def test_a_schema_that_comes_and_goes_is_refused(self, spark: SparkSession) -> None:
        wide, narrow = (spark.createDataFrame([], ddl) for ddl in ("id string, ts int, x int", "id string, ts int"))
        plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")
        with pytest.raises(InputError, match="'x' is stored but not"):
            simulate([wide, narrow, wide], plan)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"key": "nobody"}, "key column 'nobody' is not in the data"),
        ({"ordering": "when"}, "ordering column 'when' is not in the data"),
        ({"partition": "place"}, "partition column 'place' is not in the data"),
        ({"arrival": "seen"}, "arrival column 'seen' is not in the data"),
    ],
)
def test_a_missing_column_is_named_before_any_job(spark: SparkSession, settings: dict[str, Any], words: str) -> None:
    frame = spark.createDataFrame([], "id string, ts int")
    plan = MergePlan(**{"payload": "DefaultHoodieRecordPayload", "release": "0.15", "key": "id", **settings})
    with pytest.raises(PlanError, match=words):
        upsert(frame, frame, plan)


def test_a_failing_payload_names_itself_and_the_key(spark: SparkSession) -> None:
    stored = spark.createDataFrame([("a", "x"), ("b", "y")], "id string, name string")
    incoming = spark.createDataFrame([("a", "fine"), ("b", "boom")], "id string, name string")
    plan = MergePlan(payload="tests.support.user_payloads:RaisesForNameBoom", release="0.15", key="id")
    with pytest.raises(PythonException, match=r"RaisesForNameBoom failed at upsert \(key id='b'\).*boom is not a name"):
        upsert(stored, incoming, plan).collect()


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
def test_a_users_class_runs_through_every_merge_point(spark: SparkSession, release: str) -> None:
    """Java style, two-argument methods, no base class, and it changes the row that it returns.

    Readers from 1.1 on lose such a change: they take the row as it was stored where its record comes back.
    """
    batches = [
        spark.createDataFrame(rows, "id string, name string")
        for rows in ([("a", "x"), ("b", "long")], [("a", "yy"), ("a", "zz"), ("b", "no")], [("a", "w")])
    ]
    answers = {}
    for table_type in ("cow", "mor"):
        plan = MergePlan(
            payload="tests.support.user_payloads:KeepsLongestName", release=release, key="id", table_type=table_type
        )
        compactions = [2] if table_type == "mor" else []
        result = simulate([batch.coalesce(1) for batch in batches], plan, compact_after=compactions).snapshots
        answers[table_type] = rows_of(result)
    expected = [(1, "a", "x"), (1, "b", "long"), (2, "a", "zz"), (2, "b", "long"), (3, "a", "zz"), (3, "b", "long")]
    read = [(commit, key, "x") if key == "a" else (commit, key, name) for commit, key, name in expected]
    assert answers == {"cow": expected, "mor": expected if release in {"0.15", "1.0"} else read}


def test_the_state_of_a_users_class_lasts_through_the_batch(spark: SparkSession) -> None:
    batches = [
        spark.createDataFrame(rows, "id string, name string").coalesce(1)
        for rows in ([("a", "x"), ("a", "y"), ("b", "z")], [("a", "w"), ("a", "v"), ("a", "u")])
    ]
    plan = MergePlan(payload="tests.support.user_payloads:Counts", release="0.15", key="id")
    assert rows_of(simulate(batches, plan).snapshots) == [
        (1, "a", "y*2"),
        (1, "b", "z*1"),
        (2, "a", "u*3"),
        (2, "b", "z*1"),
    ]


def test_a_column_with_a_name_like_an_added_one_is_refused_and_not_dropped(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", 1, "x")], "id string, ts bigint, _pb_note string")
    told = "the column '_pb_note' begins with _pb_, as columns that are added to the data do; rename it"
    plan = MergePlan(merger="COMMIT_TIME_ORDERING", key="id")
    calls = (
        lambda: combine_input(rows, plan),
        lambda: upsert(rows, rows, plan),
        lambda: upsert(rows, rows.drop("_pb_note"), plan),
        lambda: simulate([rows], plan),
    )
    for call in calls:
        with pytest.raises(InputError, match=re.escape(told)):
            call()


@pytest.mark.parametrize("inserts_to", ["base", "log"])
@pytest.mark.parametrize("release", ["0.15", "1.0", "1.2"])
def test_a_row_that_a_class_ignores_leaves_nothing_in_a_log(spark, release, inserts_to):
    """Its key alone in the log would be a delete there, and the stored row gone."""
    columns = "id string, ts bigint, name string"
    payload = "tests.support.user_payloads:IgnoresShortNames"
    settings = {"release": release, "table_type": "mor", "key": "id", "ordering": "ts", "inserts_to": inserts_to}
    plan = MergePlan(payload=payload, **settings)
    stored = [("ignored", 1, "ann"), ("longer", 1, "ann"), ("untouched", 1, "ann")]
    batch = [("ignored", 2, "b"), ("longer", 2, "anna"), ("new", 2, "c")]
    below, log = append(spark.createDataFrame(stored, columns), None, spark.createDataFrame(batch, columns), plan)
    assert rows_of(below) == stored
    assert [(row.id, row.name, row["_pb_kind"]) for row in log.collect()] == [("longer", "anna", "data")]
    shown = rows_of(snapshot(below, log, plan))
    assert [row for row in shown if row[0] != "longer"] == [stored[0], stored[2]]
