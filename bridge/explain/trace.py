"""Tracing one key: every merge call that its versions go through, in order, run in this process without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.config import keys
from bridge.errors import MergeFailedError, PlanError
from bridge.explain.reasons import Rules
from bridge.explain.recorder import PayloadRecorder, RecordedPayloadRef
from bridge.explain.versions import Side, side_of
from bridge.merge import LogDelete, MergePoint, RecordMerge, Rule, located
from bridge.plan import TableType
from bridge.programs import (
    UPSERTS,
    Arrival,
    KeyRows,
    OperationTable,
    Origin,
    Simulate,
    Upgrade,
    check_operations,
    small_file_candidates,
)
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bridge.merge import Action, Carrier, LogRow, Outcome, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs import Emit, Handover, KeyTimeline, Operations, Stage
    from mergers import HoodieKey
    from payloads import AvroSchema, HudiRelease, PayloadRef, Record

_METHODS = {
    Rule.PRE_COMBINE: "pre_combine",
    Rule.COMBINE: "combine_and_get_update_value",
    Rule.INSERT_VALUE: "get_insert_value",
    Rule.DELTA: "delta merge",
    Rule.FINAL: "final merge",
    Rule.DELETE_TEST: "delete test",
    Rule.COMPARISON: "compare ordering values",
}
COMPARED = _METHODS[Rule.COMPARISON]
"""The method of a call where the log reader decides about a delete entry without the payload."""
DELETE_TEST = _METHODS[Rule.DELETE_TEST]


class TracedCall(NamedTuple):
    """One merge call.

    Attributes:
        commit: the commit that caused it, from 1.
        release: the Hudi release that ran it.
        point: the merge point.
        method: the payload method, the operation of the merge mode, or `COMPARED`.
        older: the version that was there; None if there was none.
        newer: the version that came.
        result: what is there afterwards; None for nothing.
        rule: what decided, in words.
    """

    commit: int
    release: HudiRelease
    point: MergePoint
    method: str
    older: Side | None
    newer: Side
    result: Side | None
    rule: str


class Trace(NamedTuple):
    """What happened to one key in one table.

    Attributes:
        calls: every merge call in order.
        rows: the visible row from a commit on, at each commit that looked at it; None for no row.
        error: what ended it before the last commit.
    """

    calls: list[TracedCall]
    rows: dict[int, Record | None]
    error: PayloadBridgeError | None = None

    def row_after(self, commit: int) -> Record | None:
        """Return the row that a query sees after `commit`, without meta columns; None for no row."""
        seen = [number for number in self.rows if number <= commit]
        return self.rows[max(seen)] if seen else None


def trace_key(  # noqa: PLR0913 (keyword-only settings of one table)
    versions: Iterable[tuple[int, Record]],
    plan: MergePlan,
    schema: AvroSchema,
    *,
    commits: int | None = None,
    compact_after: Collection[int] = (),
    handover: Handover | None = None,
    operations: Operations = UPSERTS,
) -> Trace:
    """Run the versions of one key through the merge points of the plan's table type, as `pipeline.simulate` does.

    An error of the payload or of the settings ends the trace and is part of it.

    Args:
        versions: number of the commit, from 1 and ascending, and record of physical Avro values, by arrival.
        plan: what merges, and how.
        schema: the write schema.
        commits: how many commits there are; without, the last that has a version or a compaction.
        compact_after: the commits after which the log is compacted.
        handover: what takes the table over; the plan is then the old release's.
        operations: of the commits that are not upserts; the versions of a delete have the key alone.

    Raises:
        PlanError: the plan needs more than this key and this process: the small-file rule, a compiled merger.
        PayloadNotFoundError: the payload is compiled, and the plan is not one of `bridge.engines.in_driver`.
    """
    check_traceable(plan)
    check_one_row(operations)
    arrivals = [
        Arrival(Origin.INCOMING, commit, None, source, is_delete=True, identity=record)
        if operations.names_keys(commit)
        else Arrival(Origin.INCOMING, commit, record, source)
        for source, (commit, record) in enumerate(versions)
    ]
    if not arrivals:
        return Trace([], {})
    last = commits or max(arrivals[-1].commit, *compact_after, 1)
    settings: dict[str, Any] = {
        "commits": last,
        "log_updates": plan.table_type is TableType.MERGE_ON_READ,
        "compact_after": compact_after,
    }
    program: _Traced | _TracedOperations
    try:
        if operations.by_commit:
            check_operations(plan, operations)
            program = _TracedOperations(plan, schema, **settings, operations=operations)
        elif handover is None:
            program = _Traced(plan, schema, **settings)
        else:
            program = _TracedUpgrade(plan, schema, **settings, handover=handover)
    except PayloadBridgeError as error:
        return Trace([], {}, error)
    return _run(program, arrivals, plan)


def check_one_row(operations: Operations) -> None:
    """Refuse operations after which a key may have several rows.

    Raises:
        PlanError: naming one.
    """
    for number, operation in operations.by_commit.items():
        if operation.inserts:
            msg = f"batch {number} ({operation.value}) may give a key a second row, and explain follows one; upsert it"
            raise PlanError(msg)


def check_traceable(plan: MergePlan) -> None:
    """Refuse what can't be traced for one key in this process.

    Raises:
        PlanError: saying what to do instead.
    """
    problem = None
    if plan.engine == "native":
        problem = "the native engine merges whole columns, and calls nothing for a row; leave --engine out"
    elif plan.global_index:
        problem = "with a global index a key has rows of several partitions, which is not traced; leave it out"
    elif plan.runs_java and plan.payload is None:
        problem = f"{plan.payload_name} is a compiled merger, which runs in Spark's tasks alone; use a Python merger"
    elif plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props):
        problem = (
            f"under the small-file rule a key depends on others of its partition; leave out {keys.SMALL_FILE_LIMIT}"
        )
    if problem is not None:
        raise PlanError(problem)


def _run(program: _Traced | _TracedOperations, arrivals: list[Arrival], plan: MergePlan) -> Trace:
    first = arrivals[0].record or arrivals[0].identity or {}
    identity = {name: first.get(name) for name in plan.identity}
    failed: PayloadBridgeError | None = None
    try:
        program.start(program.merge.key_of(first))
        for arrival in arrivals:
            program.accept(arrival, _ignore)
        program.finish(_ignore)
    except Exception as error:  # noqa: BLE001 (a payload or merger may raise anything)
        failure = located(error)
        failed = MergeFailedError(failure.reason, plan.payload_name, failure.point.value, identity)
        failed.__cause__ = failure.error
        program.number(program.current_commit)
    return Trace(program.calls, program.rows, failed)


class _Listener:
    """Notes the calls of a table; each belongs to the commit whose snapshot is taken next."""

    merge: RecordMerge

    def __init__(self, plan: MergePlan, schema: AvroSchema, **settings: Any) -> None:
        self.calls: list[TracedCall] = []
        self.rows: dict[int, Record | None] = {}
        self._unnumbered: list[TracedCall] = []
        self._recorder = PayloadRecorder()
        self._names_payload = plan.payload is not None
        self._rules: dict[int, Rules] = {}
        self._preface = ""
        self.to_log = False
        super().__init__(RecordMerge(plan, schema, listener=self), **settings)  # type: ignore[call-arg]  # the program's

    @property
    def merging(self) -> RecordMerge:
        """The calls that the table makes."""
        return self.merge

    def number(self, commit: int) -> None:
        """Give the calls since the last snapshot their commit."""
        self.calls += [call._replace(commit=commit) for call in self._unnumbered]
        self._unnumbered.clear()

    def merged(
        self,
        point: MergePoint,
        rule: Rule,
        older: Carrier | None,
        newer: Carrier | LogDelete,
        outcome: Outcome[Carrier | LogDelete],
    ) -> None:
        """Note a call, with what decided it."""
        plan = self.merging.plan
        if id(plan) not in self._rules:
            self._rules[id(plan)] = Rules(plan, self.merge.schema)
        told = self._rules[id(plan)].words(point, (older, newer, outcome), self._recorder.calls, to_log=self.to_log)
        self._recorder.calls.clear()
        sides = (_side_or_none(older), side_of(newer), _side_or_none(outcome.version))
        self._unnumbered.append(TracedCall(0, plan.release, point, _METHODS[rule], *sides, self._preface + told))

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Have the calls of payloads recorded, unless the plan names a merge mode and Hudi the class."""
        if not self._names_payload:
            return payload
        return RecordedPayloadRef(payload.name, payload.jar, payload.package, of=payload, recorder=self._recorder)


class _Traced(_Listener, Simulate):
    """A table whose commits are upserts."""

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot, and give the calls since the last one their commit."""
        super().query(commit, emit)
        self.number(commit)

    def show(self, outcome: Outcome[StoredRow], commit: int, emit: Emit) -> None:
        """Note the row that is visible from `commit` on."""
        if commit <= self._commits:
            self.rows[commit] = None if outcome.version is None else side_of(outcome.version).record
        super().show(outcome, commit, emit)

    def log_entries(self) -> list[LogRow | LogDelete]:
        """Make the entries of a batch."""
        self.to_log = True
        try:
            return super().log_entries()
        finally:
            self.to_log = False


class _TracedUpgrade(_Traced, Upgrade):
    """A table that is upgraded."""

    def hand_over(self, stage: Stage, emit: Emit) -> None:
        """Let the next writer take over the table; its calls say so."""
        self._preface = "taking over the table: "
        super().hand_over(stage, emit)
        self._preface = ""


class _TracedOperations(_Listener, OperationTable):
    """A table with other operations than upserts, none of which gives a key a second row."""

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    @property
    def merging(self) -> RecordMerge:
        """The calls of the operation."""
        return self.plain if self.operation.is_statement else self.merge

    def new_slice(self) -> KeyRows:
        """Return a file group without rows."""
        return _TracedSlice(self, self._key)

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot, and give the calls since the last one their commit."""
        super().query(commit, emit)
        shown = [one.shown for one in self.slices if isinstance(one, _TracedSlice) and one.shown is not None]
        self.rows[commit] = side_of(shown[0]).record if shown else None
        self.number(commit)


class _TracedSlice(KeyRows):
    """A file group that remembers the row which a query last saw."""

    def __init__(self, table: _TracedOperations, key: HoodieKey) -> None:
        super().__init__(table.merge, key)
        self._table = table
        self.shown: StoredRow | None = None

    def seen(self, row: KeyTimeline) -> Outcome[StoredRow]:
        """Return what a query makes of a row."""
        found = super().seen(row)
        self.shown = found.version
        return found

    def write(self, merge: RecordMerge, version: Carrier, *, log_updates: bool) -> None:
        """Merge a version into the base file, or append it to the log."""
        self._table.to_log = log_updates
        super().write(merge, version, log_updates=log_updates)
        self._table.to_log = False


def _side_or_none(carrier: Carrier | LogDelete | None) -> Side | None:
    return None if carrier is None else side_of(carrier)


def _ignore(action: Action, row: Carrier | None, *extras: Any) -> None:
    """Drop an outcome."""
