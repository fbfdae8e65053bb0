"""Running a program: the sides of a merge in one frame, every key in one task, sorted as the engines want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import types as spark_types

from bridge import engines
from bridge.engines import ARRIVAL, COMMIT, ORIGIN, Job
from bridge.spark import in_one_task, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.pipeline.layout import Layout
    from bridge.plan import MergePlan


def run(  # noqa: PLR0913 (keyword-only settings of one job)
    sides: list[DataFrame],
    layout: Layout,
    plan: MergePlan,
    *,
    program: str,
    arguments: dict[str, Any] | None = None,
    instant: str | None = None,
    only_rows: bool = False,
) -> DataFrame:
    """Run a program; return outcomes: data columns, `_pb_action` and what the program adds.

    With `only_rows` the result is what `visible` makes of the outcomes, and the engine does not hand over more.
    """
    job = Job(plan, layout.schema, layout.names, program, arguments or {}, instant, only_rows=only_rows)
    versions = sides[0]
    for side in sides[1:]:
        versions = versions.unionByName(side, allowMissingColumns=True)
    control = [quoted(name) for name in (ORIGIN, COMMIT, ARRIVAL) if name in versions.columns]
    order = [*(column for name in job.order for column in _sorting(versions, name)), *control]
    if in_one_task(versions.sparkSession):
        shuffled = versions.coalesce(1)
    else:
        grouping = map(quoted, job.grouping)
        shuffled = versions.repartition(*grouping) if job.grouping else versions.repartition(1)
    return engines.run(shuffled.sortWithinPartitions(*order).drop(ARRIVAL), job, layout.fields)


def _sorting(frame: DataFrame, name: str) -> list[Column]:
    """Return what sorts by a column; 0.0 and -0.0 are equal for Spark, and two keys for Hudi, whose keys are texts."""
    is_floating = isinstance(frame.schema[name].dataType, spark_types.FloatType | spark_types.DoubleType)
    return [quoted(name), quoted(name).cast("string")] if is_floating else [quoted(name)]
