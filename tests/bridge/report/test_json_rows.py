"""Rows of a frame as JSON: what Python's types can't say is a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.report import json_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_day_that_python_lacks_is_a_text(spark: SparkSession) -> None:
    frame = spark.sql("select date '+99999-01-01' as day, date '2024-02-29' as other, 1 as number")
    assert json_rows(frame) == [{"day": "+99999-01-01", "other": "2024-02-29", "number": 1}]
