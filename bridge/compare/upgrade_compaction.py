"""The compaction in an upgrade: tables of which it leaves file groups out, or reads columns by ids, are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.compare.other_programs import compared_with
from bridge.config import UpgradeCompaction, capabilities, change_version
from bridge.errors import PlanError
from bridge.hudi import Answer

if TYPE_CHECKING:
    from bridge.hudi import FileSlice, HudiTable, TableQueries
    from payloads import HudiRelease


def check_compaction(table: HudiTable, release: HudiRelease) -> None:
    """Refuse the upgrade of a table that shows other rows because of what its compaction does.

    Where a compaction is pending, an upgrade compacts the other file groups alone (UpgradeDowngradeUtils of 1.0.2,
    1.1.1 and 1.2.0).

    Raises:
        PlanError: saying why, and what to do first.
    """
    opened = table.queries()
    if not capabilities(release).completion_times:
        return
    if capabilities(release).upgrade_compaction is UpgradeCompaction.RUN:
        _check_columns(table, opened, release)
    if opened.properties.has_completion_times:
        _check_settings(table, opened, release)
    else:
        _check_logs(table, opened, release)


def _check_logs(table: HudiTable, opened: TableQueries, release: HudiRelease) -> None:
    """Refuse logs on a pending compaction of table version 6, which have its instant in their names.

    From version 8 on that instant counts as one that has not completed, and an upgrade does not rename the files, so
    that queries show older rows (seen with 1.0.2, 1.1.1 and 1.2.0).
    """
    waiting = opened.slices.on_pending_compactions()
    if waiting:
        planned, number = min(waiting), sum(map(len, waiting.values()))
        msg = (
            f"{table.path} has a compaction that was planned at {planned} and has not run, and {number} log files "
            f"written to its file groups since: Hudi {release} upgrades the table without running it, and then shows "
            f"these file groups as they were before; run it with Hudi {table.release} first (CALL run_compaction)"
        )
        raise PlanError(msg)


def _check_settings(table: HudiTable, opened: TableQueries, release: HudiRelease) -> None:
    """Refuse logs of table version 8 that the settings of the new version merge into other rows.

    Where nothing is pending, the upgrade compacts them by the settings of before (seen with 1.2.0).
    """
    pending = opened.slices.pending_groups
    if not pending:
        return
    stored = change_version(table.properties, capabilities(release).created_version, release)
    before, after = (opened.read_by(release, one).snapshot() for one in (None, stored))
    waiting = [one for one in _logged(before) if (one.partition, one.file_id) in pending]
    if number := _differing(table.read_by(release), before, after, waiting):
        msg = (
            f"{table.path} has a compaction that was planned and has not run: Hudi {release} upgrades the table "
            f"without running it, and then merges the logs of its file groups by the new settings, which changes rows "
            f"({number}); run it with Hudi {table.release} first (CALL run_compaction)"
        )
        raise PlanError(msg)


def _check_columns(table: HudiTable, opened: TableQueries, release: HudiRelease) -> None:
    """Refuse logs of a table with a schema history, by which a compaction reads and a query without the option doesn't.

    So columns that were renamed have their values again in the file groups that the upgrade compacts (seen with 1.2.0,
    tables of 0.15.0 and 1.0.2).
    """
    queries = opened.read_by(release)
    if not table.is_merge_on_read or not queries.timeline.schema_history(queries.timeline.latest or ""):
        return
    plain, by_ids = (queries.snapshot(schema_on_read=one) for one in (False, True))
    if number := _differing(table.read_by(release), plain, by_ids, _logged(plain)):
        msg = (
            f"{table.path} has a schema history (hoodie.schema.on.read.enable): the compaction in an upgrade to Hudi "
            f"{release} reads renamed and dropped columns by it, and a query does not, which changes rows of file "
            f"groups with logs ({number}); compact with Hudi {table.release} first (CALL run_compaction)"
        )
        raise PlanError(msg)


def _logged(answer: Answer) -> list[FileSlice]:
    return [one for one in answer.slices if one.data_logs]


def _differing(reader: HudiTable, one: Answer, other: Answer, slices: list[FileSlice]) -> int:
    """Return how many rows of some file slices two queries show differently."""
    if not slices:
        return 0
    return compared_with(reader, *(reader.rows_of(Answer(each.query, slices)) for each in (one, other))).count()
