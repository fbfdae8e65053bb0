"""Tracing one key: every merge call that its versions go through, in order, run in this process without Spark."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.config import keys
from bridge.engines import CommitStatuses
from bridge.errors import MergeFailedError, ParameterError, PlanError
from bridge.explain.traced_programs import KeyTrace, SecondRowError
from bridge.merge import located
from bridge.plan import TableType
from bridge.programs import (
    UPSERTS,
    Arrival,
    Origin,
    check_operated,
    check_operations,
    check_writes,
    small_file_candidates,
)
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from bridge.engines import RowCounts
    from bridge.explain.traced_programs import TracedCall
    from bridge.merge import Action, Carrier
    from bridge.plan import MergePlan
    from bridge.programs import Handover, Operations
    from payloads import AvroSchema, Ordering, Record


class Taken(NamedTuple):
    """What a MERGE INTO has of a version: its clause, and the ordering value; see `Arrival`."""

    clause: int | None = None
    ordering: Ordering | None = None


class Trace(NamedTuple):
    """What happened to one key in one table.

    Attributes:
        calls: every merge call in order.
        rows: the visible row from a commit on, at each commit that looked at it; None for no row.
        error: what ended it before the last commit.
        row_counts: of the versions, by the row that is visible after their commit; None where no merge began, or the
            table has rows before the first commit.
    """

    calls: list[TracedCall]
    rows: dict[int, Record | None]
    error: PayloadBridgeError | None = None
    row_counts: RowCounts | None = None

    def row_after(self, commit: int) -> Record | None:
        """Return the row that a query sees after `commit`, without meta columns; None for no row."""
        seen = [number for number in self.rows if number <= commit]
        return self.rows[max(seen)] if seen else None

    @property
    def has_several_rows(self) -> bool:
        """Whether it ended since the key got a second row, which is no failure of a merge."""
        return isinstance(self.error, SecondRowError)


class Tracer:
    """Runs one key after the other through the merge points of a table, as `pipeline.simulate` does.

    What depends on plan and schema alone is resolved once, as in an engine.
    """

    def __init__(  # noqa: PLR0913 (keyword-only settings of one table)
        self,
        plan: MergePlan,
        schema: AvroSchema,
        *,
        commits: int,
        compact_after: Collection[int] = (),
        handover: Handover | None = None,
        operations: Operations = UPSERTS,
    ) -> None:
        """Set up a table; arguments and errors are those of `trace_key`.

        An error of the settings becomes part of every trace.
        """
        check_traceable(plan)
        check_followed(operations)
        self.plan = plan
        self._operations = operations
        self._refusal: PayloadBridgeError | None = None
        settings: dict[str, Any] = {
            "commits": commits,
            "log_updates": plan.table_type is TableType.MERGE_ON_READ,
            "compact_after": compact_after,
            "operations": operations,
            "handover": handover,
        }
        try:
            check_writes(plan, commits, change=handover, operations=operations)
            if operations.by_commit:
                check_operations(plan, operations, commits)
            if operations.by_commit and handover is not None:
                check_operated(plan, handover, operations)
            self._notes = KeyTrace(plan, schema, **settings)
        except PayloadBridgeError as error:
            self._refusal = error
        else:
            self._key_of = self._notes.table.merge.key_of

    def trace(self, versions: Iterable[tuple[int, Record]], clauses: Iterable[Taken] = ()) -> Trace:
        """Run the versions of one key; an error of the payload ends the trace and is part of it.

        Args:
            versions: number of the commit, from 1 and ascending, and record of physical Avro values, by arrival.
            clauses: which clause of a MERGE INTO takes each; none without a MERGE INTO.
        """
        arrivals = [
            Arrival(Origin.INCOMING, commit, None, source, is_delete=True, identity=record)
            if self._operations.names_keys(commit)
            else Arrival(Origin.INCOMING, commit, record, source, clause=taken.clause, ordering=taken.ordering)
            for source, ((commit, record), taken) in enumerate(
                zip(versions, itertools.chain(clauses, itertools.repeat(Taken())), strict=False)
            )
        ]
        return self.trace_arrivals(arrivals)

    def trace_arrivals(self, arrivals: Sequence[Arrival]) -> Trace:
        """Run the versions of one key, also those that its table has before the first commit; as `trace`."""
        if not arrivals:
            return Trace([], {})
        if self._refusal is not None:
            return Trace([], {}, self._refusal)
        return self._run(arrivals)

    def _run(self, arrivals: Sequence[Arrival]) -> Trace:
        first = arrivals[0].record or arrivals[0].identity or {}
        notes, program = self._notes, self._notes.table
        failed: PayloadBridgeError | None = None
        notes.forget()
        program.listener = statuses = CommitStatuses()
        try:
            program.start(self._key_of(first))
            for arrival in arrivals:
                program.accept(arrival, _ignore)
            program.finish(_ignore)
        except SecondRowError as error:  # which row counts of one key can't hold
            notes.number(program.current_commit)
            return Trace(notes.calls, notes.rows, error)
        except Exception as error:  # noqa: BLE001 (a payload or merger may raise anything)
            failure = located(error)
            identity = {name: first.get(name) for name in self.plan.identity}
            failed = MergeFailedError(
                failure.reason, self.plan.payload_name, failure.point and failure.point.value, identity
            )
            failed.__cause__ = failure.error
            notes.number(program.current_commit)
            statuses.failed(len(arrivals))
        is_new = all(one.origin is Origin.INCOMING for one in arrivals)
        return Trace(notes.calls, notes.rows, failed, statuses.row_counts(len(arrivals)) if is_new else None)


def trace_key(  # noqa: PLR0913 (keyword-only settings of one table)
    versions: Sequence[tuple[int, Record]],
    plan: MergePlan,
    schema: AvroSchema,
    *,
    commits: int | None = None,
    compact_after: Collection[int] = (),
    handover: Handover | None = None,
    operations: Operations = UPSERTS,
    clauses: Sequence[Taken] = (),
) -> Trace:
    """Run the versions of one key through the merge points of the plan's table type; of several, take a `Tracer`.

    An error of the payload or of the settings ends the trace and is part of it.

    Args:
        versions: number of the commit, from 1 and ascending, and record of physical Avro values, by arrival.
        plan: how versions merge.
        schema: the write schema.
        commits: how many commits there are; without, the last that has a version or a compaction.
        compact_after: the commits after which the log is compacted.
        handover: what takes the table over; the plan is then the old release's.
        operations: of the commits that are not upserts; the versions of a delete have the key alone.
        clauses: as in `Tracer.trace`.

    Raises:
        PlanError: the plan needs more than this key and this process: the small-file rule.
        PayloadNotFoundError, MergerNotFoundError: the class is compiled, and the plan is not one of
            `bridge.engines.in_driver`.
    """
    last = commits or max([1, *compact_after, *(commit for commit, _ in versions[-1:])])
    settings: dict[str, Any] = {"compact_after": compact_after, "handover": handover, "operations": operations}
    return Tracer(plan, schema, commits=last, **settings).trace(versions, clauses)


def check_followed(operations: Operations) -> None:
    """Refuse operations that are not traced; a second row of the key ends a trace when it comes.

    Raises:
        PlanError: naming one.
    """
    for number, operation in operations.by_commit.items():
        if operation.inserts and operation.replaces:
            msg = (
                f"batch {number} ({operation.value}) replaces rows of other keys, but explain follows a single "
                "key; upsert it"
            )
            raise PlanError(msg)


def check_traceable(plan: MergePlan) -> None:
    """Refuse what can't be traced for one key in this process.

    Raises:
        PlanError: saying what to do instead.
    """
    problem = None
    if plan.engine == "native":
        problem = "the native engine merges whole columns and makes no calls per row; leave `engine` out"
    elif plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props):
        problem = (
            f"under the small-file rule a key depends on others of its partition; leave out {keys.SMALL_FILE_LIMIT}"
        )
    if problem is not None:
        raise ParameterError(problem)


def _ignore(action: Action, row: Carrier | None, *extras: object) -> None:
    """Drop an outcome."""
