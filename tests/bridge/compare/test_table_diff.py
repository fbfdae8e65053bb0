"""Rows of two frames by key, and the batch that makes one the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge import InputError, diff

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame(spark: SparkSession, *rows: tuple[object, ...], ddl: str = "id string, qty int, city string") -> DataFrame:
    return spark.createDataFrame(list(rows), ddl).coalesce(1)


def test_the_batch_that_is_written_for_a_difference_has_the_other_rows_and_deletes(spark: SparkSession) -> None:
    left = frame(spark, ("a", 1, "Oslo"), ("b", 2, "Rome"), ("c", 3, None))
    right = frame(spark, (4, "a", 1), (5, "c", 9), (6, "d", None), ddl="extra int, id string, qty bigint")
    with diff(left, right, ["id"], ("old", "new")) as found:
        assert (found.counts.only_left, found.counts.only_right, found.counts.changed) == (1, 1, 1)
        assert found.alone == ("city", "extra")
        rows = sorted(map(tuple, found.batch.collect()))
        assert rows == [("b", 2, True), ("c", 9, False), ("d", None, False)]
        report = found.to_report()
    assert "3 keys differ: 1 only in old, 1 only in new, 1 changed" in report.verdict
    assert [(one["kind"], one["columns"]) for one in report.results] == [
        ("only-left", []),
        ("changed", ["qty"]),
        ("only-right", []),
    ]
    assert not report.success
    with diff(left, left, ["id"]) as same:
        assert same.success


def test_a_key_that_does_not_identify_rows_is_named(spark: SparkSession) -> None:
    rows = frame(spark, ("a", 1, "Oslo"), ("a", 2, "Rome"))
    with pytest.raises(InputError, match="left has several rows of the key id='a'"):
        diff(rows, rows, ["id"])
    with pytest.raises(InputError, match="left has no column nr"):
        diff(rows, rows, ["nr"])
