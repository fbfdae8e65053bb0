"""Compactions that were planned and have not run, and what an upgrade of the table hides until they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import PlanError

if TYPE_CHECKING:
    from bridge.hudi.table import HudiTable
    from payloads import HudiRelease


def check_pending(table: HudiTable, release: HudiRelease) -> None:
    """Refuse the upgrade of a table whose pending compactions have log files on them.

    In table version 6 these have the instant of the compaction in their names. From version 8 on that instant counts
    as one that has not completed, and an upgrade neither runs the compaction nor renames the files (seen with 1.0.2,
    1.1.1 and 1.2.0; UpgradeDowngradeUtils compacts the other file groups alone), so that queries show older rows.

    Raises:
        PlanError: naming the compaction.
    """
    opened = table.queries()
    if opened.properties.has_completion_times or not capabilities(release).completion_times:
        return
    waiting = opened.slices.on_pending_compactions()
    if waiting:
        planned, number = min(waiting), sum(map(len, waiting.values()))
        msg = (
            f"{table.path} has a compaction that was planned at {planned} and has not run, and {number} log files "
            f"written to its file groups since: Hudi {release} upgrades the table without running it, and then shows "
            f"these file groups as they were before; run it with Hudi {table.release} first (CALL run_compaction)"
        )
        raise PlanError(msg)
