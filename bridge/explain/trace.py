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
from bridge.programs import Arrival, Origin, Simulate, Upgrade, small_file_candidates
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bridge.merge import Action, Carrier, LogRow, Outcome, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs import Emit, Handover
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

    Raises:
        PlanError: the plan needs more than this key and this process: the small-file rule, a compiled merger.
        PayloadNotFoundError: the payload is compiled, and the plan is not one of `bridge.engines.in_driver`.
    """
    check_traceable(plan)
    arrivals = [Arrival(Origin.INCOMING, commit, record, source) for source, (commit, record) in enumerate(versions)]
    if not arrivals:
        return Trace([], {})
    last = commits or max(arrivals[-1].commit, *compact_after, 1)
    settings: dict[str, Any] = {
        "commits": last,
        "log_updates": plan.table_type is TableType.MERGE_ON_READ,
        "compact_after": compact_after,
    }
    program: _Traced
    try:
        if handover is None:
            program = _Traced(plan, schema, **settings)
        else:
            program = _TracedUpgrade(plan, schema, **settings, handover=handover)
    except PayloadBridgeError as error:
        return Trace([], {}, error)
    return _run(program, arrivals, plan)


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


def _run(program: _Traced, arrivals: list[Arrival], plan: MergePlan) -> Trace:
    identity = {name: (arrivals[0].record or {}).get(name) for name in plan.identity}
    failed: PayloadBridgeError | None = None
    try:
        program.start(program.merge.key_of(arrivals[0].record or {}))
        for arrival in arrivals:
            program.accept(arrival, _ignore)
        program.finish(_ignore)
    except Exception as error:  # noqa: BLE001 (a payload or merger may raise anything)
        failure = located(error)
        failed = MergeFailedError(failure.reason, plan.payload_name, failure.point.value, identity)
        failed.__cause__ = failure.error
        program.number(program.current_commit)
    return Trace(program.calls, program.rows, failed)


class _Traced(Simulate):
    """Listens to its merges, and notes the calls; each belongs to the commit whose snapshot is taken next."""

    def __init__(self, plan: MergePlan, schema: AvroSchema, **settings: Any) -> None:
        self.calls: list[TracedCall] = []
        self.rows: dict[int, Record | None] = {}
        self._unnumbered: list[TracedCall] = []
        self._recorder = PayloadRecorder()
        self._names_payload = plan.payload is not None
        self._rules: dict[int, Rules] = {}
        self._preface = ""
        self._to_log = False
        super().__init__(RecordMerge(plan, schema, listener=self), **settings)

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    def number(self, commit: int) -> None:
        """Give the calls since the last snapshot their commit."""
        self.calls += [call._replace(commit=commit) for call in self._unnumbered]
        self._unnumbered.clear()

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
        self._to_log = True
        try:
            return super().log_entries()
        finally:
            self._to_log = False

    def merged(
        self,
        point: MergePoint,
        rule: Rule,
        older: Carrier | None,
        newer: Carrier | LogDelete,
        outcome: Outcome[Carrier | LogDelete],
    ) -> None:
        """Note a call, with what decided it."""
        plan = self.merge.plan
        if id(plan) not in self._rules:
            self._rules[id(plan)] = Rules(plan, self.merge.schema)
        told = self._rules[id(plan)].words(point, (older, newer, outcome), self._recorder.calls, to_log=self._to_log)
        self._recorder.calls.clear()
        sides = (_side_or_none(older), side_of(newer), _side_or_none(outcome.version))
        self._unnumbered.append(TracedCall(0, plan.release, point, _METHODS[rule], *sides, self._preface + told))

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Have the calls of payloads recorded, unless the plan names a merge mode and Hudi the class."""
        if not self._names_payload:
            return payload
        return RecordedPayloadRef(payload.name, payload.jar, payload.package, of=payload, recorder=self._recorder)


class _TracedUpgrade(_Traced, Upgrade):
    """A table that is upgraded."""

    def _hand_over(self, emit: Emit) -> None:
        self._preface = "taking over the table: "
        super()._hand_over(emit)
        self._preface = ""


def _side_or_none(carrier: Carrier | LogDelete | None) -> Side | None:
    return None if carrier is None else side_of(carrier)


def _ignore(action: Action, row: Carrier | None, *extras: Any) -> None:
    """Drop an outcome."""
