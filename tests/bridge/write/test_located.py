"""Which file slice each row of a batch is sent to."""

from __future__ import annotations

import collections
import importlib
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge import MergePlan, PlanError
from bridge.hudi import Answer, TableQueries
from bridge.spark import functions
from bridge.write.record_location import buckets_of, check_buckets, labels_of, located, task_of
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

MODULE = importlib.import_module("bridge.write.record_location")
PLAN = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id")
COLUMNS = spark_types.StructType().add("id", "string").add("city", "string")
OPTIONS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "4"}


@pytest.mark.parametrize(("slices", "tasks"), [(4, 2), (3, 200), (40, 7), (1, 1)])
def test_the_slices_are_spread_over_the_tasks_by_size(slices: int, tasks: int) -> None:
    sizes = [100 + at % 5 for at in range(slices)]
    labels = labels_of(sizes, tasks)
    assert len(set(labels)) == slices
    load: collections.Counter[int] = collections.Counter()
    for label, size in zip(labels, sizes, strict=True):
        load[task_of(label, tasks)] += size
    assert len(load) == min(slices, tasks)
    assert max(load.values()) - min(load.values()) <= max(sizes)


def test_a_number_goes_to_the_task_that_spark_sends_it_to(spark: SparkSession) -> None:
    rows = spark.range(1000).select(sf.col("id").cast("int").alias("n"))
    sent = rows.select("n", functions.pmod(sf.hash("n"), sf.lit(7)).alias("task")).collect()
    assert [task_of(row.n, 7) for row in sent] == [row.task for row in sent]


@pytest.fixture
def bucketed(tmp_path: Path) -> MadeTable:
    made = MadeTable(tmp_path / "table")
    made.file_id = "00000002-made"
    made.write([{"id": name, "city": "Oslo", "qty": 1} for name in "ac"])
    return made


@pytest.mark.parametrize(
    "given",
    [
        {"hoodie.index.type": "SIMPLE"},
        {"hoodie.bucket.index.num.buckets": ""},
        {"hoodie.bucket.index.num.buckets": "2"},  # there is a bucket with the number 2
        {"hoodie.index.bucket.engine": "CONSISTENT_HASHING"},
        {"hoodie.bucket.index.partition.expressions": "x,8"},
    ],
)
def test_buckets_that_are_not_sure_are_not_computed(bucketed: MadeTable, given: dict[str, str]) -> None:
    queries = TableQueries(str(bucketed.path))
    found = buckets_of(queries, queries.snapshot(), PLAN, COLUMNS, OPTIONS)
    assert found is not None
    assert (found.keys, found.fields, found.number, found.partitions) == (("id",), "id", 4, {"": ()})
    assert buckets_of(queries, queries.snapshot(), PLAN, COLUMNS, OPTIONS | given) is None
    number = spark_types.StructType().add("id", "double")
    assert buckets_of(queries, queries.snapshot(), PLAN, number, OPTIONS) is None


def test_buckets_that_differ_by_partition_are_not_computed(bucketed: MadeTable) -> None:
    folder = bucketed.path / ".hoodie" / ".bucket_index" / "partition_bucket_index_meta" / "configs"
    folder.mkdir(parents=True)
    (folder / "00000000000000.hashing_config").touch()
    queries = TableQueries(str(bucketed.path))
    assert buckets_of(queries, queries.snapshot(), PLAN, COLUMNS, OPTIONS) is None


def test_two_slices_of_a_bucket_are_told_apart_by_their_keys(bucketed: MadeTable) -> None:
    (file,) = bucketed.path.glob("*.parquet")
    (bucketed.path / file.name.replace("-made", "-other")).write_bytes(file.read_bytes())
    queries = TableQueries(str(bucketed.path))
    assert len(queries.snapshot().slices) == 2
    assert buckets_of(queries, queries.snapshot(), PLAN, COLUMNS, OPTIONS) is None


@pytest.mark.parametrize(
    ("given", "other"),
    [
        ({}, None),
        (
            {"hoodie.bucket.index.num.buckets": "8"},
            "the key 'f' elsewhere, by 8 buckets of id, .* of the table",
        ),
        ({"hoodie.bucket.index.num.buckets": None}, "by 256 buckets of id"),
        ({"hoodie.index.type": "SIMPLE", "hoodie.bucket.index.num.buckets": "8"}, None),
        ({"hoodie.index.bucket.engine": "CONSISTENT_HASHING", "hoodie.bucket.index.num.buckets": "8"}, None),
    ],
)
def test_buckets_that_are_not_those_of_the_table_are_refused(
    bucketed: MadeTable,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    given: dict[str, str | None],
    other: str | None,
) -> None:
    monkeypatch.setattr(MODULE, "_bucket_of_key", lambda _, key, __, number: ord(key) % number)
    (file,) = bucketed.path.glob("*.parquet")
    rows = pq.read_table(file)
    footer = {"hoodie_min_record_key": "b", "hoodie_max_record_key": "f"}  # 98 and 102: both 2 of 4
    pq.write_table(rows.replace_schema_metadata(footer), file)
    queries = TableQueries(str(bucketed.path))
    options = {name: text for name, text in {**OPTIONS, **given}.items() if text is not None}
    with nullcontext() if other is None else pytest.raises(PlanError, match=other):
        check_buckets(spark, queries, queries.snapshot(), options)


def test_rows_go_to_the_slice_that_has_their_key(tmp_path: Path, spark: SparkSession) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([{"id": name, "city": "Oslo", "qty": 1} for name in "abc"])
    answer: Answer = TableQueries(str(made.path)).snapshot()
    batch = spark.createDataFrame([("a", 1), ("z", 2), ("c", 3), ("a", 0)], "id string, n int")
    rows, slices = located(batch, answer, PLAN, None, "n")
    (label,) = slices
    found = [(row["id"], row["_pb_place"] >> 32) for row in rows.collect()]
    assert sorted(key for key, number in found if number == label) == ["a", "a", "c"]
    assert [key for key, number in found if number < 0] == ["z"]
    assert slices[label].file_id == "f1-0"
