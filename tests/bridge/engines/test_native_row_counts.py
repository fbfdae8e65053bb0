"""The row counts of the native engine are those of the python engine: every row of a run has the same status."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from bridge.pipeline.point_run import PointRun
from tests.bridge.engines.agreement import fine_frames
from tests.bridge.engines.generated import MERGER, Combination

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.engines import RowCounts

FILLS, DEFAULT = "PartialUpdateAvroPayload", "DefaultHoodieRecordPayload"


@pytest.mark.parametrize(
    "combination",
    [
        Combination("upsert", "1.2", FILLS, ("long",)),
        Combination("append", "1.2", FILLS, ("long",)),
        Combination("append", "0.15", DEFAULT, ("long",)),
        Combination("upsert", "1.2", MERGER, ()),
    ],
    ids=str,
)
def test_every_row_has_the_same_status_on_both_engines(
    spark: SparkSession, combination: Combination, tmp_path: Path
) -> None:
    frames = fine_frames(spark, combination, 60, 17, tmp_path)
    point = combination.program.replace("_", "-")

    def row_counts(engine: str) -> RowCounts:
        run = PointRun(point, frames, dataclasses.replace(combination.plan, engine=engine))
        run.outcomes.collect()
        return run.row_counts(run.outcomes)

    native, python = row_counts("native"), row_counts("python")
    assert native.lines() == python.lines()
    assert (native.made, native.rows_out, native.inserted) == (python.made, python.rows_out, python.inserted)
