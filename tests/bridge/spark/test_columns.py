"""Names of columns are taken as they are: one with a backtick or a dot is found, or refused by its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import types as spark_types

from bridge import MergePlan, upsert
from bridge.pipeline import Figures, differences, join_rows
from bridge.pipeline.differences import disagreements, figures
from bridge.spark import distinct_keys, quoted, quoted_name
from payloads import SchemaError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NAME, OTHER = "a`b", "c.d `"
SNAPSHOT = (
    spark_types.StructType()
    .add("_pb_commit", spark_types.LongType())
    .add(NAME, spark_types.StringType())
    .add(OTHER, spark_types.LongType())
)


def test_a_backtick_is_doubled():
    assert quoted_name(NAME) == "`a``b`"


def snapshots(spark: SparkSession, *rows: tuple[int, str, int]) -> DataFrame:
    return spark.createDataFrame(rows, SNAPSHOT).coalesce(1)


def test_a_column_with_a_backtick_identifies_rows(spark: SparkSession) -> None:
    left, right = snapshots(spark, (1, "x", 1), (2, "x", 2)), snapshots(spark, (1, "x", 1), (2, "x", 3))
    assert figures(left, [NAME], 2) == [Figures(1, 1, 1, 0, 0), Figures(2, 1, 0, 1, 0)]
    assert [tuple(row) for row in disagreements(left, right, [NAME]).collect()] == [(2, "x")]
    assert [row[NAME] for row in differences(left, right, (NAME,)).collect()] == ["x"]
    joined = join_rows(left.select(quoted(NAME)), right.select(quoted(NAME)), [NAME])
    assert (joined.columns, joined.count()) == ([NAME], 4)


def test_zero_and_negative_zero_are_two_keys(spark: SparkSession) -> None:
    """As the merge points have them: Spark's joins and groups take them for one."""
    zeros = "_pb_commit int, id double, v string"
    left = spark.createDataFrame([(1, 0.0, "a"), (1, -0.0, "b"), (1, math.nan, "n"), (2, -0.0, "b")], zeros)
    right = spark.createDataFrame([(1, 0.0, "a"), (1, -0.0, "c"), (1, math.nan, "n"), (2, 0.0, "b")], zeros)
    assert figures(left, ["id"], 2) == [Figures(1, 3, 3, 0, 0), Figures(2, 1, 0, 0, 2)]
    for duplicates in (False, True):
        differing = differences(left, right, ("id",), duplicates=duplicates)
        found = {(row["_pb_commit"], repr(row["id"]), row["_pb_kind"]) for row in differing.collect()}
        assert found == {(1, "-0.0", "changed"), (2, "-0.0", "only-left"), (2, "0.0", "only-right")}
        disagreeing = disagreements(left, right, ["id"], duplicates=duplicates)
        assert {(row[0], repr(row[1])) for row in disagreeing.collect()} == {(1, "-0.0"), (2, "-0.0"), (2, "0.0")}
    joined = join_rows(left.drop("_pb_commit"), right.select("id"), ["id"], "leftsemi")
    assert joined.count() == left.count()
    assert sorted(repr(row[0]) for row in distinct_keys(left, ["id"]).collect()) == ["-0.0", "0.0", "nan"]


def test_a_column_with_a_backtick_is_refused_by_its_name_where_avro_has_no_such_name(spark: SparkSession) -> None:
    rows = snapshots(spark, (1, "x", 1)).drop("_pb_commit")
    with pytest.raises(SchemaError, match="column 'a`b': Avro names have only letters, digits and _"):
        upsert(rows, rows, MergePlan(payload="OverwriteWithLatestAvroPayload", key=NAME))
