"""Running a program: the sides of a merge in one frame, every key in one task, sorted as the engines want it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge import engines
from bridge.engines import ARRIVAL, COMMIT, ORIGIN, Job
from bridge.spark import in_one_task, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
    order = (*job.order, *(name for name in (ORIGIN, COMMIT, ARRIVAL) if name in versions.columns))
    if in_one_task(versions.sparkSession):
        shuffled = versions.coalesce(1)
    else:
        grouping = map(quoted, job.grouping)
        shuffled = versions.repartition(*grouping) if job.grouping else versions.repartition(1)
    return engines.run(shuffled.sortWithinPartitions(*map(quoted, order)).drop(ARRIVAL), job, layout.fields)
