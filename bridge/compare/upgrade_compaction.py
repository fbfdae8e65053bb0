"""The rows of a table after an upgrade, whose compaction leaves file groups out and reads columns by their ids.

Where a compaction is pending, an upgrade compacts the other file groups alone (UpgradeDowngradeUtils of 1.0.2, 1.1.1
and 1.2.0). Of these it reads columns by a schema history, which a query without the option does not.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import DataFrame

from bridge.compare.other_programs import compared_with
from bridge.config import UpgradeCompaction, capabilities, change_version
from bridge.errors import PlanError
from bridge.hudi import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from bridge.hudi import FileSlice, HudiTable
    from payloads import HudiRelease


class UpgradedSlices(NamedTuple):
    """The file slices that a table has before an upgrade, by what they show after it.

    Attributes:
        before: all of them, as the release that upgrades shows them before.
        alike: those that show the same: without logs, or compacted as a query merges them.
        by_ids: those that are compacted by a schema history: renamed columns have their values again (seen with 1.2.0,
            tables of 0.15.0 and 1.0.2).
        waiting: those on a pending compaction: they stay, and are merged by the new settings (seen with 1.2.0, tables
            of 1.0.2). Logs of table version 6 that are named after that compaction are hidden: from version 8 on it
            counts as an instant that has not completed (seen with 1.0.2, 1.1.1 and 1.2.0).
        hidden: how many logs are hidden.
    """

    before: Answer
    alike: Answer
    by_ids: Answer
    waiting: Answer
    hidden: int

    @property
    def may_differ(self) -> bool:
        """Whether some slices may show other rows than before."""
        return bool(self.by_ids.slices or self.waiting.slices)

    def rows(self, reader: HudiTable) -> DataFrame:
        """Return the rows after the upgrade, with meta columns; `reader` is the table as the release reads it."""
        frames = [reader.rows_of(one) for one in (self.alike, self.by_ids, self.waiting) if one.slices]
        return functools.reduce(DataFrame.unionByName, frames) if frames else reader.rows_of(self.alike)

    def differing(self, reader: HudiTable, which: Answer) -> DataFrame:
        """Return the rows that some of the slices show differently than before, as `compared_with` does."""
        groups = {_group(one) for one in which.slices}
        before = Answer(self.before.query, [one for one in self.before.slices if _group(one) in groups])
        return compared_with(reader, reader.rows_of(before), reader.rows_of(which))


def upgraded_slices(
    table: HudiTable, release: HudiRelease, properties: Mapping[str, str] | None = None
) -> UpgradedSlices:
    """Return the file slices of a table by what they show after an upgrade.

    Args:
        table: the table, before.
        release: the one that upgrades.
        properties: what the table stores afterwards; None for what the upgrade makes of its properties.

    Raises:
        PayloadBridgeError: the release can't read the table.
    """
    opened, can = table.queries(), capabilities(release)
    queries = opened.read_by(release)
    before = queries.snapshot()
    none = Answer(before.query, [])
    found = UpgradedSlices(before, before, none, none, 0)
    logged = [one for one in before.slices if one.data_logs]
    if not logged or not can.completion_times:
        return found
    pending, runs = opened.slices.pending_groups, can.upgrade_compaction is UpgradeCompaction.RUN
    hidden = opened.slices.on_pending_compactions()
    waiting = [one for one in logged if _group(one) in pending]
    if waiting and (runs or hidden):  # else no log of the table is compacted
        stored = properties or change_version(table.properties, can.created_version, release)
        query = dataclasses.replace(before.query, plan=opened.read_by(release, stored).merging_plan)
        found = found._replace(waiting=Answer(query, [_without(one, hidden) for one in waiting]), hidden=len(hidden))
    query = queries.snapshot(schema_on_read=True).query
    if query.history is not None and runs:
        found = found._replace(by_ids=Answer(query, [one for one in logged if _group(one) not in pending]))
    others = {_group(one) for one in (*found.by_ids.slices, *found.waiting.slices)}
    return found._replace(alike=Answer(before.query, [one for one in before.slices if _group(one) not in others]))


def check_compaction(table: HudiTable, release: HudiRelease, properties: Mapping[str, str] | None = None) -> None:
    """Refuse to predict writes after an upgrade by which a table shows other rows than the same release did before.

    Args:
        table: the table, before.
        release: the one that upgrades.
        properties: as in `upgraded_slices`.

    Raises:
        PlanError: saying why, and what to do first.
    """
    found, reader = upgraded_slices(table, release, properties), table.read_by(release)
    waits = f"a pending compaction: Hudi {release} upgrades the table without running it, and then "
    hides = f"hides {found.hidden} log files that were written to its file groups since"
    merges = "merges the logs of its file groups by the new settings"
    reads = (
        f"a schema history (hoodie.schema.on.read.enable): the compaction in an upgrade to Hudi {release} resolves "
        "renamed and dropped columns by it, but a query does not"
    )
    run, compact = (f"{do} with Hudi {table.release} first" for do in ("run it", "compact"))
    for which, why, do in (
        (found.waiting, waits + (hides if found.hidden else merges), run),
        (found.by_ids, reads, compact),
    ):
        if which.slices and (number := found.differing(reader, which).count()):
            told = f"{number} row{' differs' if number == 1 else 's differ'} from what Hudi {release} shows before it"
            msg = f"{table.path} has {why}: {told}; {do} (CALL run_compaction)"
            raise PlanError(msg)


def _group(found: FileSlice) -> tuple[str, str]:
    return found.partition, found.file_id


def _without(found: FileSlice, hidden: AbstractSet[str]) -> FileSlice:
    return dataclasses.replace(found, log_files=tuple(name for name in found.log_files if name not in hidden))
