"""What Spark's batch writer compacts after its commits unless it is told otherwise; plain Python.

Source: HoodieSparkSqlWriter, DataSourceUtils and BaseHoodieWriteClient.runTableServicesInline, all releases; seen with
0.15.0, 1.0.2 and 1.2.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config import keys
from bridge.plan import TableType

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.plan import MergePlan

_COMMITS: Final = 5


def compacts_inline(plan: MergePlan) -> bool:
    """Whether a writer of a merge-on-read table compacts, and runs what is planned, after its commits."""
    return plan.props.get(keys.INLINE_COMPACTION, "").strip().lower() != "false"


def inline_warnings(plan: MergePlan, commits: int, compact_after: Collection[int]) -> list[str]:
    """Return a sentence if the writer would compact by default between the commits, of which no compaction is asked."""
    if plan.table_type is not TableType.MERGE_ON_READ or compact_after or not compacts_inline(plan):
        return []
    given = plan.props.get(keys.INLINE_COMPACTION_COMMITS, "").strip()
    every = int(given) if given.isdecimal() and int(given) else _COMMITS
    if commits <= every:
        return []
    told = (
        f"by default, Spark's writer compacts a merge-on-read table after {every} delta commits, and a later batch may "
        f"then give another row; no compaction is assumed here. Pass compact_every={every} (--compact-every {every}), "
        f"or the option {keys.INLINE_COMPACTION}=false if the job has it"
    )
    return [told]
