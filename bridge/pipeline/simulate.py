"""Tables over time: batches written in order to an empty table, and the snapshot after each, in one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from bridge.config import keys
from bridge.engines import CLAUSE, COMMIT, FIRST, IS_DELETE, LAST, with_strategy_id
from bridge.errors import PlanError
from bridge.pipeline.layout import Layout, data_fields, incoming_side, layout_of
from bridge.pipeline.merged_rows import with_statements
from bridge.pipeline.run import check_that_rows_are_all, run
from bridge.plan import TableType
from bridge.programs import (
    UPSERTS,
    check_operated,
    check_operations,
    check_statement,
    check_writes,
    handovers,
    small_file_candidates,
    writer_of,
)
from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.engines.trusted import Evidence
    from bridge.plan import MergePlan
    from bridge.programs import Handover, NextWriter, Operations


def simulate_commits(
    versions: DataFrame,
    plan: MergePlan,
    *,
    commits: int,
    compact_after: Collection[int] = (),
    operations: Operations = UPSERTS,
) -> DataFrame:
    """Write batches to an empty table of the plan's type; return the snapshot after each, with `_pb_commit`.

    `versions` has all batches, with their numbers from 1 in `_pb_commit`; one job simulates all commits. After the
    commits of `compact_after` the log is compacted (merge-on-read) before the snapshot is taken. A column that a later
    batch adds is null in the snapshots before it. `operations` are those of the commits that are not upserts.

    Raises:
        PlanError: the plan quarantines keys, or wants what is not supported.
    """
    check_that_rows_are_all(plan)
    settings: dict[str, Any] = {"commits": commits, "compact_after": compact_after, "operations": operations}
    return snapshots_of(simulate_outcomes(versions, plan, **settings))


def simulate_outcomes(  # noqa: PLR0913 (keyword-only settings of one table)
    versions: DataFrame,
    plan: MergePlan,
    *,
    commits: int,
    compact_after: Collection[int] = (),
    operations: Operations = UPSERTS,
    row_counts: bool = False,
    evidence: list[Evidence] | None = None,
) -> DataFrame:
    """Return the rows of all snapshots, each once, with the first and last commit at which it is visible.

    Among them are the versions of keys that the plan quarantines and, with `row_counts`, what the engine counts;
    `snapshots_of` leaves both out. `evidence` gets how found rules were checked, if they run.
    """
    plan = with_strategy_id(versions.sparkSession, plan)
    versions = evaluated(versions, plan, operations)
    layout, side = commits_of(versions, plan)
    told: dict[str, Any] = {"row_counts": row_counts, "evidence": evidence}
    return _written(side, layout, plan, commits, compact_after=compact_after, operations=operations, **told)


def _written(  # noqa: PLR0913 (settings of one job)
    side: DataFrame,
    layout: Layout,
    plan: MergePlan,
    commits: int,
    *,
    compact_after: Collection[int],
    operations: Operations,
    **told: Any,
) -> DataFrame:
    if operations.by_commit:
        return _operated(side, layout, plan, commits, compact_after, operations, **told)
    return _simulated([side], layout, plan, commits, compact_after, **told)


def evaluated(
    versions: DataFrame, plan: MergePlan, operations: Operations, change: Handover | None = None
) -> DataFrame:
    """Return the versions with what the clauses of MERGE INTO statements make of the rows of their sources.

    `change` is how the table passes to other writers.

    Raises:
        PlanError: a statement can't be run on a table of its writer.
        InputError: an expression of it does not fit.
    """
    if not operations.statements:
        return versions
    check_operations(plan, operations)
    columns, deletes = [field.name for field in data_fields(versions)], operations.delete_by_merge
    for number, statement in operations.statements.items():
        is_upgraded = change is not None and any(one.after >= number for one in change.steps)
        writer = writer_of(plan, change, number)
        check_statement(statement, number, writer, columns, is_upgraded=is_upgraded, deletes=deletes)

    def before(earlier: DataFrame, commits: int) -> DataFrame:
        """Return the snapshot of a copy-on-write table, which has no log to be compacted."""
        then = operations.until(commits)
        unused = [name for name, used in ((CLAUSE, then.statements), (IS_DELETE, then.by_commit)) if not used]
        layout, side = commits_of(earlier.drop(*unused), plan)
        if change is not None and change.after < commits:
            settings: dict[str, Any] = {"compact_after": (), "operations": then}
            return snapshots_of(_upgraded(side, layout, plan, commits, change.until(commits), **settings))
        return snapshots_of(_written(side, layout, plan, commits, compact_after=(), operations=then))

    return with_statements(versions, plan, operations, before)


def commits_of(versions: DataFrame, plan: MergePlan) -> tuple[Layout, DataFrame]:
    """Return batches as commits to a table, and their layout.

    The table is empty, unless `versions` has the column `_pb_origin`: then it says which rows are its own.
    """
    layout = layout_of(plan, versions)
    side = incoming_side(versions, layout, plan, commit=sf.col(COMMIT).cast("long"))
    return layout, side


def upgrade_outcomes(  # noqa: PLR0913 (keyword-only settings of one table)
    versions: DataFrame,
    old: MergePlan,
    next_writers: Sequence[NextWriter],
    *,
    commits: int,
    compact_after: Collection[int] = (),
    properties: Mapping[str, str] | None = None,
    operations: Operations = UPSERTS,
    **told: Any,
) -> DataFrame:
    """Do what `simulate_outcomes` does for a table that `old` writes first, and then other writers, in order.

    A real table, which stores `properties` and has its rows among `versions`, may be upgraded after commit 0. An
    upgrade is part of the first write of the new release; a downgrade comes before it. A writer that begins after
    the last commit only reads, and takes the last snapshot.

    Raises:
        PlanError: there is nothing to upgrade, or more differs than what the writer passes.
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    for one in next_writers:
        if not (1 if properties is None else 0) <= one.after <= commits:
            msg = f"the upgrade can't come after commit {one.after}; the last is {commits}; name one from 1 on"
            raise PlanError(msg)
    spark = versions.sparkSession
    old = with_strategy_id(spark, old)
    next_writers = [one._replace(plan=with_strategy_id(spark, one.plan)) for one in next_writers]
    change = handovers(old, next_writers, commits=commits, properties=properties)
    if operations.by_commit:
        for writer in (old, *(one.plan for one in next_writers)):
            check_operations(writer, operations, commits)
        check_operated(old, change, operations)
    layout, side = commits_of(evaluated(versions, old, operations, change), old)
    return _upgraded(side, layout, old, commits, change, compact_after=compact_after, operations=operations, **told)


def _upgraded(  # noqa: PLR0913 (settings of one job)
    side: DataFrame,
    layout: Layout,
    old: MergePlan,
    commits: int,
    change: Handover,
    *,
    compact_after: Collection[int],
    operations: Operations,
    **told: Any,
) -> DataFrame:
    check_writes(old, commits, change=change, operations=operations)
    arguments: dict[str, Any] = {
        "commits": commits,
        "compact_after": tuple(compact_after),
        "log_updates": old.table_type is TableType.MERGE_ON_READ,
        "handover": change,
    }
    if operations.by_commit:
        arguments["operations"] = operations
    program = program_of(old, operations, upgraded=True)
    return run([side], layout, old, program=program, arguments=arguments, **told)


def upgrade_commits(
    versions: DataFrame, old: MergePlan, next_writers: Sequence[NextWriter], **settings: Any
) -> DataFrame:
    """Return the snapshots of `upgrade_outcomes`, which takes the same settings.

    Raises:
        PlanError: the plan quarantines keys; and what `upgrade_outcomes` raises.
    """
    check_that_rows_are_all(old)
    return snapshots_of(upgrade_outcomes(versions, old, next_writers, **settings))


def _simulated(
    sides: list[DataFrame],
    layout: Layout,
    plan: MergePlan,
    commits: int,
    compact_after: Collection[int],
    **told: Any,
) -> DataFrame:
    check_writes(plan, commits)
    log_updates, candidates = plan.table_type is TableType.MERGE_ON_READ, _candidates(plan)
    if candidates and (plan.global_index or not plan.combine_before_upsert):
        what = "a global index" if plan.global_index else "a batch that is not combined"
        msg = f"the small-file rule together with {what} is not supported; leave out {keys.SMALL_FILE_LIMIT}"
        raise PlanError(msg)
    arguments: dict[str, Any] = {"commits": commits, "compact_after": tuple(compact_after)}
    arguments |= {"candidates": candidates} if candidates else {"log_updates": log_updates}
    return run(sides, layout, plan, program=program_of(plan, UPSERTS), arguments=arguments, **told)


def _operated(  # noqa: PLR0913, PLR0917 (as in `_simulated`)
    side: DataFrame,
    layout: Layout,
    plan: MergePlan,
    commits: int,
    compact_after: Collection[int],
    operations: Operations,
    **told: Any,
) -> DataFrame:
    check_operations(plan, operations, commits)
    check_writes(plan, commits, operations=operations)
    arguments: dict[str, Any] = {
        "commits": commits,
        "compact_after": tuple(compact_after),
        "log_updates": plan.table_type is TableType.MERGE_ON_READ,
        "operations": operations,
    }
    return run([side], layout, plan, program=program_of(plan, operations), arguments=arguments, **told)


def program_of(plan: MergePlan, operations: Operations, *, upgraded: bool = False) -> str:
    """Return the program that runs the commits of a table; `upgraded`: whether releases change between them."""
    if operations.by_commit or upgraded:
        parts = {"global": plan.global_index, "operations": operations.by_commit, "upgrade": upgraded}
        return "_".join(["simulate", *(name for name, is_there in parts.items() if is_there)])
    if _candidates(plan):
        return "simulate_small_files"
    return "simulate_global_index" if plan.global_index else "simulate"


def _candidates(plan: MergePlan) -> int:
    """Return how many small files of a merge-on-read table take new keys, and updates with them."""
    puts_in_base = plan.table_type is TableType.MERGE_ON_READ and plan.inserts_to == "base"
    return small_file_candidates(plan.props) if puts_in_base else 0


def snapshots_of(outcomes: DataFrame) -> DataFrame:
    """Return snapshots: a row that stays visible is one outcome, however many commits it lives through."""
    numbers = sf.explode(sf.sequence(FIRST, LAST)).alias(COMMIT)
    return outcomes.select(numbers, *(quoted(field.name) for field in data_fields(outcomes)))
