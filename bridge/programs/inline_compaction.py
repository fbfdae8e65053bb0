"""What Spark's batch writer compacts after its commits unless it is told otherwise; plain Python.

Source: HoodieSparkSqlWriter and BaseHoodieWriteClient.runTableServicesInline; seen with 0.15.0, 1.0.2 and 1.2.0.
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
    """Return a warning if the writer would compact by default before the last commit, and no compaction is given."""
    if plan.table_type is not TableType.MERGE_ON_READ or compact_after or not compacts_inline(plan):
        return []
    given = plan.props.get(keys.INLINE_COMPACTION_COMMITS, "").strip()
    every = int(given) if given.isdecimal() and int(given) else _COMMITS
    if commits <= every:
        return []
    told = (
        f"by default, Spark's writer compacts a merge-on-read table after {every} delta commits, which can change the "
        f"rows of later batches; no compaction is assumed here. Pass compact_every={every} (--compact-every {every}), "
        f"or the job's option {keys.INLINE_COMPACTION}=false"
    )
    return [told]
