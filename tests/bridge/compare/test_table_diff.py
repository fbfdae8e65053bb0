"""Rows of two frames by key, and the batch that makes one the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge import InputError, diff, redacted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame(spark: SparkSession, *rows: tuple[object, ...], ddl: str = "id string, qty int, city string") -> DataFrame:
    return spark.createDataFrame(list(rows), ddl).coalesce(1)


def test_the_batch_that_is_written_for_a_difference_has_the_other_rows_and_deletes(spark: SparkSession) -> None:
    left = frame(spark, ("a", 1, "Oslo"), ("b", 2, "Rome"), ("c", 3, None))
    right = frame(
        spark, ("Oslo", "a", 1), ("Bern", "c", 9), (None, "d", None), ddl="CITY string, id string, Qty bigint"
    )
    with diff(left, right, ["ID"], ("old", "new")) as found:
        assert (found.counts.only_left, found.counts.only_right, found.counts.changed) == (1, 1, 1)
        assert (found.identity, found.alone) == (("id",), ())
        rows = sorted(map(tuple, found.batch.collect()))
        assert rows == [("b", 2, "Rome", True), ("c", 9, "Bern", False), ("d", None, None, False)]
        assert found.batch.schema["qty"].dataType.simpleString() == "int"
        report = found.to_report()
    assert "3 keys differ: 1 only in old, 1 only in new, 1 changed" in report.verdict
    assert [(one["kind"], one["columns"]) for one in report.results] == [
        ("only-left", []),
        ("changed", ["qty", "city"]),
        ("only-right", []),
    ]
    assert not report.success
    with diff(left, left, ["id"]) as same:
        assert same.success
    with (
        diff(left, frame(spark, ("a", 2**40, None), ddl="id string, qty bigint, city string"), ["id"]) as found,
        pytest.raises(InputError, match="right has values of qty that its type in left, int, can't hold"),
    ):
        _ = found.batch


def test_rows_are_not_the_same_while_a_column_is_not_compared(spark: SparkSession) -> None:
    left, right = (
        frame(spark, ("a", 1, "Oslo")),
        frame(spark, ("a", 2, "Rome"), ddl="id string, amount int, town string"),
    )
    with diff(left, right, ["id"], ("old", "new")) as found:
        assert not found.success
        assert found.verdict == (
            "old and new have the same rows in the columns of both, but amount, city, qty, town are on one side "
            "only, and not compared."
        )
        with pytest.raises(InputError, match="amount, city, qty, town are on one side only; give both sides the same"):
            _ = found.batch
    with pytest.raises(InputError, match="left has the columns qty and QTY"):
        diff(left.toDF("id", "qty", "QTY"), right, ["id"])


def test_values_of_two_types_are_the_same_only_if_they_are_equal(spark: SparkSession) -> None:
    texts = "id string, a string, b string, c string"
    left = frame(spark, ("x", "1.2345", "1", "1.1"), ("y", "1.2300", "2", "1.5"), ddl=texts)
    right = frame(spark, ("x", "1.23", "1.5", "1.1"), ("y", "1.23", "2.0", "1.5"), ddl=texts)
    left = left.selectExpr("id", "cast(a as decimal(10,4)) a", "cast(b as bigint) b", "cast(c as float) c")
    right = right.selectExpr("id", "cast(a as decimal(10,2)) a", "cast(b as decimal(10,2)) b", "cast(c as double) c")
    with diff(left, right, ["id"]) as found:
        report = found.to_report()
    assert [(one["key"], one["columns"]) for one in report.results] == [({"id": "x"}, ["a", "b"])]
    moment = spark.sql("select 'a' id, timestamp'2024-01-01 10:00:00' qty")
    with pytest.raises(InputError, match="qty is timestamp in left and date in right"):
        diff(moment, spark.sql("select 'a' id, date'2024-01-01' qty"), ["id"])


def test_a_key_that_does_not_identify_rows_is_named(spark: SparkSession) -> None:
    rows = frame(spark, ("a", 1, "Oslo"), ("a", 2, "Rome"))
    with pytest.raises(InputError, match="left has several rows of the key id=a;"):
        diff(rows, rows, ["id"])
    with redacted("id"), pytest.raises(InputError, match=r"rows of the key id=text [0-9a-f]{16};"):
        diff(rows, rows, ["id"])
    with pytest.raises(InputError, match=r"left has no column idd; name those of id, .*; did you mean id\?"):
        diff(rows, rows, ["idd"])
