"""The merge points on Spark: a DataFrame in, a DataFrame out, every key independent of the others.

All functions are lazy. `append` gives two frames of one job: persist or write its inputs first where that matters.
"""

from __future__ import annotations

import datetime
import itertools
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge import frames
from bridge.engines.outcomes import ACTION, COMMIT, FIRST, IS_DELETE, LAST, ORDERING, TO_LOG
from bridge.errors import PlanError
from bridge.frames import KIND, SEQUENCE, visible
from bridge.plan import TableType
from bridge.programs import Action
from bridge.small_files import SMALL_FILE_LIMIT, small_file_candidates
from bridge.upgrade import handover

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan


def combine_input(incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Deduplicate a batch: one row a key, plus `_pb_delete` and `_pb_ordering`.

    A delete without data has null in every column but the key's. With a global index the key alone makes two rows one.

    Raises:
        PlanError: the plan has batches that are not combined.
    """
    if not plan.combine_before_upsert:
        msg = "the plan has combine_before_upsert=False, so there is nothing to combine; give the batch to the write"
        raise PlanError(msg)
    layout = frames.layout_of(plan, incoming)
    outcomes = frames.run(
        [frames.incoming_side(incoming, layout, plan)],
        layout,
        plan,
        program="combine_input",
        extras=(IS_DELETE, ORDERING),
        untouched=None,
    )
    return outcomes.drop(ACTION)


def upsert(stored: DataFrame, incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge a batch into the stored rows, copy-on-write; return the rows that are stored afterwards."""
    return _upserted(stored, incoming, plan, only_rows=True)


def upsert_outcomes(stored: DataFrame, incoming: DataFrame, plan: MergePlan) -> DataFrame:
    """Return what `upsert` does to each key: the row and `_pb_action`; deleted and dropped keys as bare keys."""
    return _upserted(stored, incoming, plan, only_rows=False)


def _upserted(stored: DataFrame, incoming: DataFrame, plan: MergePlan, *, only_rows: bool) -> DataFrame:
    layout = frames.layout_of(plan, incoming, stored)
    sides = [frames.stored_side(stored, layout), frames.incoming_side(incoming, layout, plan)]
    settings: dict[str, Any] = {"program": "upsert", "instant": _instant(), "only_rows": only_rows}
    if plan.global_index:
        settings |= {"program": "upsert_global_index", "untouched": None}
    return frames.run(sides, layout, plan, **settings)


def append(
    stored: DataFrame, log: DataFrame | None, incoming: DataFrame, plan: MergePlan
) -> tuple[DataFrame, DataFrame]:
    """Write a batch to a merge-on-read table; return its stored rows and its log.

    A key with a row in `stored`, even one that the log hides, goes to the log; any other key is inserted into
    `stored`, or goes to the log as well (`inserts_to`). The log has the data columns, `_pb_commit`, `_pb_kind` (data,
    delete), `_pb_seq` and, for delete entries, `_pb_ordering`. `log` is None where nothing was logged yet.
    """
    return appended(append_outcomes(stored, incoming, plan, log), log)


def appended(outcomes: DataFrame, log: DataFrame | None) -> tuple[DataFrame, DataFrame]:
    """Part what `append_outcomes` gave into the stored rows and the log."""
    logged = (Action.INSERT, Action.UPDATE, Action.DELETE)
    to_log = outcomes.where(sf.col(TO_LOG) & sf.col(ACTION).isin(*map(int, logged)))
    return visible(outcomes.where(~sf.col(TO_LOG))), _log(log, to_log)


def append_outcomes(stored: DataFrame, incoming: DataFrame, plan: MergePlan, log: DataFrame | None = None) -> DataFrame:
    """Return what `append` does: outcomes with `_pb_to_log` and, for delete entries, `_pb_ordering`."""
    layout = frames.layout_of(plan, incoming, stored)
    sides = [frames.stored_side(stored, layout), frames.incoming_side(incoming, layout, plan)]
    extras: tuple[str, ...] = (TO_LOG, ORDERING)
    if plan.global_index:  # what a row is now, and so where it goes, is in the log, too
        sides += [] if log is None else [frames.log_side(log, layout)]
        program, instant = "append_global_index", _instant()
        return frames.run(sides, layout, plan, program=program, extras=extras, untouched=None, instant=instant)
    untouched = (False, None)
    outcomes = frames.run(sides, layout, plan, program="append", extras=extras, untouched=untouched, instant=_instant())
    if plan.inserts_to == "log":
        is_new = sf.col(ACTION) == int(Action.INSERT)  # also of rows that passed as Arrow
        return outcomes.withColumn(TO_LOG, sf.col(TO_LOG) | is_new)
    return outcomes


def compact(stored: DataFrame, log: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge the log into the stored rows; return the rows of the new base files."""
    return read_outcomes(stored, log, plan, program="compact", only_rows=True)


def snapshot(stored: DataFrame, log: DataFrame, plan: MergePlan) -> DataFrame:
    """Merge the log with the stored rows as a query does; return the rows that it sees."""
    return read_outcomes(stored, log, plan, program="snapshot", only_rows=True)


def read_outcomes(
    stored: DataFrame, log: DataFrame, plan: MergePlan, *, program: str, only_rows: bool = False
) -> DataFrame:
    """Return what `compact` and `snapshot` (the `program`) do to each key; no index has a part in reading."""
    plan = plan.within_partitions()
    layout = frames.layout_of(plan, log, stored)
    sides = [frames.stored_side(stored, layout), frames.log_side(log, layout)]
    return frames.run(sides, layout, plan, program=program, only_rows=only_rows)


def simulate(batches: Sequence[DataFrame], plan: MergePlan, *, compact_after: Collection[int] = ()) -> DataFrame:
    """Write batches in order to an empty table of the plan's type; return the snapshot after each, with `_pb_commit`.

    One job for all commits, numbered from 1. After the commits of `compact_after` the log is compacted (merge-on-read)
    before the snapshot is taken. A column that a later batch adds is null in the snapshots before it.
    """
    layout, sides = commits_of(batches, plan)
    return _simulated(sides, layout, plan, len(batches), compact_after)


def commits_of(batches: Sequence[DataFrame], plan: MergePlan) -> tuple[frames.Layout, list[DataFrame]]:
    """Return batches as commits to an empty table, numbered from 1, in the layout of the last."""
    for older, newer in itertools.pairwise(batches):
        frames.layout_of(plan, newer, older)  # each write is checked against the table as it is then
    layout = frames.layout_of(plan, batches[-1], *batches[:-1])
    sides = [
        frames.incoming_side(batch, layout, plan, commit=sf.lit(number).cast("long"))
        for number, batch in enumerate(batches, start=1)
    ]
    return layout, sides


def simulate_commits(
    versions: DataFrame, plan: MergePlan, *, commits: int, compact_after: Collection[int] = ()
) -> DataFrame:
    """Do what `simulate` does for batches of one schema in one frame, with their numbers in `_pb_commit`."""
    layout = frames.layout_of(plan, versions)
    side = frames.incoming_side(versions, layout, plan, commit=sf.col(COMMIT).cast("long"))
    return _simulated([side], layout, plan, commits, compact_after)


def simulate_upgrade(  # noqa: PLR0913 (keyword-only settings of one table)
    versions: DataFrame,
    old: MergePlan,
    new: MergePlan,
    *,
    commits: int,
    upgrade_after: int,
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
) -> DataFrame:
    """Do what `simulate_commits` does for a table that `old` writes until `upgrade_after`, and then `new`.

    The upgrade is part of the first write of the new release. With `keep_table_version` the new release leaves the
    table as it is. Where `upgrade_after` is the last commit, the new release only reads, and the last snapshot is its.

    Raises:
        PlanError: there is nothing to upgrade, or more differs than what the writer passes.
        MergeConfigError: the settings contradict each other; said as Hudi says it.
    """
    if not 1 <= upgrade_after <= commits:
        msg = f"the upgrade can't come after commit {upgrade_after}; there are {commits}, counted from 1"
        raise PlanError(msg)
    keeps = keep_table_version or upgrade_after == commits
    change = handover(old, new, after=upgrade_after, keep_table_version=keeps)
    layout = frames.layout_of(old, versions)
    log_updates = old.table_type is TableType.MERGE_ON_READ
    arguments = {
        "commits": commits,
        "compact_after": tuple(compact_after),
        "log_updates": log_updates,
        "handover": change,
    }
    side = frames.incoming_side(versions, layout, old, commit=sf.col(COMMIT).cast("long"))
    rows = frames.run(
        [side],
        layout,
        old,
        program="simulate_upgrade",
        arguments=arguments,
        extras=(FIRST, LAST),
        untouched=None,
    )
    return _by_commit(rows, layout)


def _simulated(
    sides: list[DataFrame], layout: frames.Layout, plan: MergePlan, commits: int, compact_after: Collection[int]
) -> DataFrame:
    log_updates = plan.table_type is TableType.MERGE_ON_READ
    puts_in_base = log_updates and plan.inserts_to == "base"
    candidates = small_file_candidates(plan.props) if puts_in_base else 0
    if candidates and (plan.global_index or not plan.combine_before_upsert):
        what = "a global index" if plan.global_index else "a batch that is not combined"
        msg = f"the small-file rule together with {what} is not ported; leave out {SMALL_FILE_LIMIT}"
        raise PlanError(msg)
    arguments: dict[str, Any] = {"commits": commits, "compact_after": tuple(compact_after)}
    arguments |= {"candidates": candidates} if candidates else {"log_updates": log_updates}
    program = "simulate_global_index" if plan.global_index else "simulate"
    rows = frames.run(
        sides,
        layout,
        plan,
        program="simulate_small_files" if candidates else program,
        arguments=arguments,
        extras=(FIRST, LAST),
        untouched=None,
        by_partition=candidates > 0,
    )
    return _by_commit(rows, layout)


def _by_commit(rows: DataFrame, layout: frames.Layout) -> DataFrame:
    """Return snapshots: a row that stays visible is one outcome, however many commits it lives through."""
    numbers = sf.explode(sf.sequence(FIRST, LAST)).alias(COMMIT)
    return rows.select(numbers, *(f"`{name}`" for name in layout.names))


def _log(log: DataFrame | None, entries: DataFrame) -> DataFrame:
    deleted = sf.col(ACTION) == int(Action.DELETE)
    data = [f"`{field.name}`" for field in frames.data_fields(entries)]
    kind = sf.when(deleted, "delete").otherwise("data").alias(KIND)
    sequence = sf.monotonically_increasing_id().alias(SEQUENCE)
    new = entries.select(*data, kind, sequence, ORDERING)
    if log is None:
        return new.select(*data, _first_commit().alias(COMMIT), KIND, SEQUENCE, ORDERING)
    last = log.agg((sf.coalesce(sf.max(COMMIT), sf.lit(0)) + 1).cast("long").alias(COMMIT))
    numbered = new.crossJoin(sf.broadcast(last)).select(*data, COMMIT, KIND, SEQUENCE, ORDERING)
    return log.unionByName(numbered, allowMissingColumns=True)


def _first_commit() -> Column:
    return sf.lit(1).cast("long")


def _instant() -> str:
    """Return the commit time of a write that starts now: yyyyMMddHHmmssSSS in UTC, as Hudi names instants."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y%m%d%H%M%S%f")[:17]
