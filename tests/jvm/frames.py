"""Small frames, what is in them, and plans for the payloads of java/Examples.java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge import MergePlan
from payloads import PayloadRef

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def frame_of(columns: str, spark: SparkSession, *values: tuple[Any, ...]) -> DataFrame:
    """Return rows of one partition; what a row lacks at its end is null."""
    width = columns.count(",") + 1
    return spark.createDataFrame([(*row, *[None] * (width - len(row))) for row in values], columns).coalesce(1)


def rows(frame: DataFrame) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=repr)


def example_plan(jar: Path, name: str, **settings: Any) -> MergePlan:
    payload = PayloadRef(f"com.acme.Examples${name}", jar=str(jar))
    return MergePlan(**{"payload": payload, "release": "0.15", "key": "id", "ordering": "ts", **settings})
