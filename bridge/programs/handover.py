"""How a table passes from one writer to the next: the settings of each on the table as it then is; plain Python.

Source: UpgradeDowngrade and its handlers of 1.0.2, 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import (
    WRITE_TABLE_VERSION,
    MergeConfigError,
    TableMergeConfig,
    UpgradeCompaction,
    capabilities,
    change_version,
    created_properties,
    keys,
)
from bridge.errors import PlanError
from bridge.plan import TableType
from bridge.programs.inline_compaction import compacts_inline
from bridge.programs.small_files import small_file_candidates
from bridge.programs.write_operation import WriteOperation
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from bridge.plan import MergePlan
    from bridge.programs.write_operation import Operations

_LEAVES = UpgradeCompaction.NONE
_FILL = "FILL_UNAVAILABLE"
_PLANNED = (
    "the compaction that the upgrade plans does not run, and which file groups it covers is not known from a key "
    "alone; leave that option out, as Spark's writer does by default"
)
_RECORDED_UPGRADES = (HudiRelease.V1_0, HudiRelease.V1_2)
_WITHOUT_INDEX = "leave the index out if no batch names another partition for a stored key"


class Handover(NamedTuple):
    """What happens to a table between two writers.

    Attributes:
        after: the last commit of the old one.
        kept: the new one on the table as the old one left it, or downgraded it.
        upgraded: the new one on the upgraded table; None if the table is not upgraded.
        upgrading: how the batch that upgrades is combined; None if the table is not upgraded.
        compacting: how the old release compacts the log before it downgrades the table; None if it does not.
        then: what happens to the table after that.
    """

    after: int
    kept: MergePlan
    upgraded: MergePlan | None = None
    upgrading: MergePlan | None = None
    compacting: MergePlan | None = None
    then: Handover | None = None

    @property
    def left(self) -> MergePlan:
        """The new writer on the table as it is from then on."""
        return self.kept if self.upgraded is None else self.upgraded

    @property
    def steps(self) -> Iterator[Handover]:
        """Give what happens to the table, writer by writer."""
        yield self
        if self.then is not None:
            yield from self.then.steps

    def until(self, commits: int) -> Handover:
        """Return what happens to a table of the first `commits` alone, which is more than its own writer made."""
        then = self.then
        return self._replace(then=then.until(commits) if then is not None and then.after < commits else None)


def writer_of(old: MergePlan, change: Handover | None, commit: int) -> MergePlan:
    """Return the writer of a commit of a table that `old` made."""
    steps = [] if change is None else [one for one in change.steps if one.after < commit]
    return steps[-1].left if steps else old


class NextWriter(NamedTuple):
    """A writer that continues another writer's table, for example after an upgrade.

    Attributes:
        after: the number of the last batch before, from 1.
        plan: what the writer passes; `hoodie.write.table.version` among its properties is the version that it wants.
        keep_table_version: whether the table stays at its version.
    """

    after: int
    plan: MergePlan
    keep_table_version: bool = False

    @property
    def step(self) -> str:
        """The step as `--via` takes it: the batch, the release and the table version that the writer wants, if any."""
        version = self.plan.props.get(WRITE_TABLE_VERSION.key)
        return f"{self.after}={self.plan.release}{f'@{version}' if version else ''}"


def may_store_twice(plan: MergePlan, operations: Operations, writers: Sequence[NextWriter] = ()) -> bool:
    """Return whether a key may have several rows in a partition of a table that `plan` made.

    Inserts look nothing up; no index finds a row that a planned compaction left in a log alone, and a record index
    forgets a row that a log deletes.
    """
    if operations.make_duplicates or plan.table_type is TableType.COPY_ON_WRITE:
        return operations.make_duplicates
    plans = (
        one.plan for one in writers if capabilities(one.plan.release).upgrade_compaction is UpgradeCompaction.PLANNED
    )
    return plan.has_record_index or any(map(compacts_inline, plans))


def handovers(
    old: MergePlan, steps: Sequence[NextWriter], *, commits: int, properties: Mapping[str, str] | None = None
) -> Handover:
    """Return how a table of some `commits` that `old` made passes from one writer to the next.

    A writer that begins after the last commit only reads. `properties` as in `handover`.

    Raises:
        PlanError: there is nothing to upgrade, the steps are not in order, or more differs than what a writer passes.
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    for one, other in itertools.pairwise(steps):
        if one.after >= other.after:
            msg = (
                f"upgrades must come in order, but the one after batch {one.after} comes before the one "
                f"after batch {other.after}; order them"
            )
            raise PlanError(msg)
    found, before, stored = [], old, properties
    for after, plan, keeps in steps:
        leaves = keeps or after == commits
        change = handover(before, plan, after=after, keep_table_version=leaves, properties=stored)
        found.append(change)
        before, stored = change.left, None
    return functools.reduce(lambda then, change: change._replace(then=then), reversed(found[:-1]), found[-1])


def handover(
    old: MergePlan,
    new: MergePlan,
    *,
    after: int,
    keep_table_version: bool = False,
    properties: Mapping[str, str] | None = None,
) -> Handover:
    """Return how a table that `old` made continues under the release, payload and properties of `new`.

    `properties` are what a real table stores; without them it stores what `old` creates. An older release gets the
    table downgraded.

    Raises:
        PlanError: there is nothing to upgrade, or more differs than what the writer passes.
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    check_upgrade(old, new)
    if properties is not None and new.global_index:
        msg = f"batches onto a real table with a global index are not supported: {_WITHOUT_INDEX}"
        raise PlanError(msg)
    if properties is not None:
        created = dict(properties)
    elif old.table is not None:
        created = dict(old.table.properties)
    else:
        created = created_properties(old.writer_options(), old.table_type, old.release)
    version = WRITE_TABLE_VERSION.read(new.props, new.release) or capabilities(new.release).created_version
    stored = TableMergeConfig.from_properties(created, old.release)
    if is_downgrade(old, new):
        can = capabilities(new.release)
        if not keep_table_version and can.merge_modes and stored.initial_version > can.created_version:
            raise MergeConfigError.from_initial_version(stored.initial_version, can.created_version)
        changed = change_version(created, version, old.release)
        table = TableMergeConfig.from_properties(changed, new.release)
        # The command has no writer, and so none of the properties by which a writer would fill markers.
        compacting = dataclasses.replace(old, table=_unfilled(stored))
        return Handover(after, dataclasses.replace(new, table=table), compacting=compacting)
    kept = dataclasses.replace(new, table=stored)
    if keep_table_version or version == stored.version:
        _check_kept(new, stored.version)
        return Handover(after, kept)
    if new.global_index and _leaves_planned(new):
        msg = (
            f"a merge-on-read table with a global index that Hudi {new.release} upgrades is not supported where "
            f"{keys.INLINE_COMPACTION} is false: {_PLANNED}"
        )
        raise PlanError(msg)
    changed = change_version(created, version, new.release, new.writer_options())
    table = TableMergeConfig.from_properties(changed, new.release)
    upgraded = dataclasses.replace(new, table=table)
    # Its writer's properties were collected before the upgrade, so that dedup does not know the marker yet.
    return Handover(after, kept, upgraded, dataclasses.replace(new, table=_unfilled(table)))


def _check_kept(new: MergePlan, version: int) -> None:
    """Refuse a table that keeps its older version, if its index was seen to behave otherwise than in other releases.

    Raises:
        PlanError: saying what to do.
    """
    is_logged = new.table_type is TableType.MERGE_ON_READ
    by_1_0 = capabilities(new.release).upgrade_compaction is UpgradeCompaction.PLANNED
    if is_logged and by_1_0 and new.has_record_index and not new.moves_rows and version < _newest(new):
        msg = (
            f"a record index that does not move rows, in a merge-on-read table of version {version} that Hudi "
            f"{new.release} writes, is not supported: after a delete that comes too late, 1.0.2 keeps an index entry "
            "that other releases drop; let the index move rows, or let the table be upgraded"
        )
        raise PlanError(msg)


def _leaves_planned(plan: MergePlan) -> bool:
    """Whether an upgrade by a writer plans a compaction that nothing runs."""
    plans = capabilities(plan.release).upgrade_compaction is UpgradeCompaction.PLANNED
    return plans and plan.table_type is TableType.MERGE_ON_READ and not compacts_inline(plan)


def _unfilled(table: TableMergeConfig) -> TableMergeConfig:
    """Return a table without the partial update mode that fills markers."""
    is_filled = table.partial_update_mode == _FILL
    return dataclasses.replace(table, partial_update_mode=None) if is_filled else table


def check_operated(old: MergePlan, change: Handover, operations: Operations) -> None:
    """Refuse what operations other than upserts are not supported for.

    Raises:
        PlanError: naming the setting.
    """
    is_only = change.then is None
    step: Handover | None = change
    while step is not None:
        problem = _not_upgrading(step, operations) or _not_operated(old, step, operations)
        if problem is None and not is_only and step.compacting is not None:
            problem = (
                "operations other than upserts with a downgrade after an upgrade are not supported; leave the "
                "downgrade out"
            )
        if problem is not None:
            raise PlanError(problem)
        old, step = step.left, step.then


def _not_upgrading(change: Handover, operations: Operations) -> str | None:
    first = operations.by_commit.get(change.after + 1)
    if change.upgraded is None or first is not WriteOperation.DELETE_PARTITION:
        return None
    return (
        f"a delete_partition in the write in which Hudi {change.upgraded.release} upgrades the table is not ported: "
        "1.1.1 and 1.2.0 fail on it (HoodieDeletePartitionException: Commit instant was not created), 1.0.2 if a "
        "compaction is planned; upsert rows before"
    )


def _not_operated(old: MergePlan, change: Handover, operations: Operations) -> str | None:
    new = change.upgraded
    has_logs = old.table_type is TableType.MERGE_ON_READ
    reads_logs = has_logs and capabilities(old.release).upgrade_compaction is _LEAVES
    later = {one for number, one in operations.by_commit.items() if number > change.after}
    if old.global_index and later and (found := _not_operated_globally(old, change, later)) is not None:
        return found
    if new is not None and _leaves_planned(new):
        return (
            "operations other than upserts with an upgrade of a merge-on-read table to 1.0 are not supported where "
            f"{keys.INLINE_COMPACTION} is false: {_PLANNED}"
        )
    kept = None if change.kept.table is None or new is not None else change.kept.table.version
    merges = any(n > change.after for n in operations.statements)
    updates_logs = reads_logs and WriteOperation.SQL_UPDATE in later
    if (merges or updates_logs) and kept not in {None, _newest(change.kept)}:
        statement = "a MERGE INTO" if merges else "an SQL UPDATE"
        return (
            f"{statement} by Hudi {change.kept.release} of a table that stays at version {kept} was not recorded; "
            "let the table be upgraded"
        )
    if updates_logs and capabilities(change.left.release).buffered_mergers:
        return (
            f"an SQL UPDATE by Hudi {change.left.release} of a merge-on-read table that Hudi {old.release} left is not "
            "supported: if ordering values tie in its log, it updates another row than a query shows, and no UPDATE "
            "after a compaction of that log was recorded; upsert the rows"
        )
    return None


def _not_operated_globally(old: MergePlan, change: Handover, later: Collection[WriteOperation]) -> str | None:
    new = change.upgraded
    if new is None or old.release != HudiRelease.V0_15 or new.release not in _RECORDED_UPGRADES:
        return (
            "operations other than upserts of a table with a global index that passes to another release were recorded "
            f"only for upgrades from 0.15 to {' and '.join(map(str, _RECORDED_UPGRADES))}; upsert the rows, or "
            f"{_WITHOUT_INDEX}"
        )
    is_planned = capabilities(new.release).upgrade_compaction is UpgradeCompaction.PLANNED
    is_logged = is_planned and old.table_type is TableType.MERGE_ON_READ
    if is_logged and WriteOperation.SQL_DELETE in later:
        return (
            f"Hudi {new.release} fails to read the log of a merge-on-read table with a global index that it has "
            "upgraded, if an SQL DELETE is followed by an upsert (ClassCastException); use the operation delete"
        )
    if is_logged and WriteOperation.SQL_UPDATE in later:
        return (
            f"an SQL UPDATE by Hudi {new.release} of a merge-on-read table with a global index that it has upgraded "
            "was not recorded; upsert the rows"
        )
    return None


def _newest(plan: MergePlan) -> int:
    return capabilities(plan.release).created_version


def is_downgrade(old: MergePlan, new: MergePlan) -> bool:
    """Whether a table passes to an older release."""
    return new.release < old.release


def check_upgrade(old: MergePlan, new: MergePlan) -> None:
    """Refuse plans that make no upgrade or downgrade of one table.

    Raises:
        PlanError: saying why.
    """
    problem = None
    has_logs = old.table_type is TableType.MERGE_ON_READ
    if (old.table_type, old.identity) != (new.table_type, new.identity):
        problem = "an upgrade changes neither the table type nor what identifies a row; give both plans the same"
    elif old.has_record_index != new.has_record_index:
        problem = (
            "a change from a record index to another global index, or back, is not supported: what a record index has "
            "forgotten, others find; give both plans the same index"
        )
    elif old.runs_java != new.runs_java:
        problem = "an upgrade runs in one engine; let the compiled class run under both releases, or under none"
    elif has_logs and small_file_candidates(old.props):
        problem = f"an upgrade with the small-file rule is not supported; leave out {keys.SMALL_FILE_LIMIT}"
    if problem is not None:
        raise PlanError(problem)
