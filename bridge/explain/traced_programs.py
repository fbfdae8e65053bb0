"""Programs that note every merge call of a key, and the row that is visible after each commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.errors import PlanError
from bridge.explain.reasons import Rules
from bridge.explain.recorder import PayloadRecorder, RecordedPayloadRef
from bridge.explain.versions import Side, side_of
from bridge.merge import LogDelete, MergePoint, RecordMerge, Rule
from bridge.plan import TableType
from bridge.programs import (
    ClauseAction,
    GlobalIndexTable,
    KeyRows,
    OperationTable,
    Simulate,
    Upgrade,
    WriteOperation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.merge import Carrier, LogRow, Outcome, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs import Arrival, Emit, FileGroup, KeyTimeline, MergeClause, Stage
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
_BULK = "bulk insert"
_MERGE_INTO = "MERGE INTO"
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


class CallListener:
    """Notes the merge calls of a key in order, with what decided each.

    Attributes:
        noted: the calls; none has a commit yet.
        to_log: whether a write goes to the log.
    """

    def __init__(self, plan: MergePlan, schema: AvroSchema) -> None:
        """Listen to a merge of the plan, of records of `schema`."""
        self._plan, self._schema = plan, schema
        self._recorder = PayloadRecorder(schema)
        self._names_payload = plan.payload is not None
        self._rules: dict[int, Rules] = {}
        self.noted: list[TracedCall] = []
        self._preface = ""
        self.to_log = False

    @property
    def merging_plan(self) -> MergePlan:
        """The plan of the calls that are made now."""
        return self._plan

    def merged(
        self,
        point: MergePoint,
        rule: Rule,
        older: Carrier | None,
        newer: Carrier | LogDelete,
        outcome: Outcome[Carrier | LogDelete],
    ) -> None:
        """Note a call, with what decided it."""
        plan = self.merging_plan
        if id(plan) not in self._rules:
            self._rules[id(plan)] = Rules(plan, self._schema)
        told = self._rules[id(plan)].words(point, (older, newer, outcome), self._recorder.calls, to_log=self.to_log)
        self._recorder.calls.clear()
        sides = (_side_or_none(older), side_of(newer), _side_or_none(outcome.version))
        self.noted.append(TracedCall(0, plan.release, point, _METHODS[rule], *sides, self._preface + told))

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Have the calls of payloads recorded, unless the plan names a merge mode and Hudi the class."""
        if not self._names_payload:
            return payload
        source = (payload.name, payload.jars, payload.package)
        return RecordedPayloadRef(*source, built_for=payload.built_for, of=payload, recorder=self._recorder)


class SecondRowError(PlanError):
    """The key has several rows, and one is followed."""


class Listening(CallListener):
    """Notes the calls of a table; each belongs to the commit whose snapshot is taken next."""

    merge: RecordMerge

    def __init__(self, plan: MergePlan, schema: AvroSchema, **settings: Any) -> None:
        CallListener.__init__(self, plan, schema)
        self.forget()
        # The program's, which is next in the order of classes.
        super(CallListener, self).__init__(RecordMerge(plan, schema, listener=self), **settings)  # type: ignore[call-arg]

    @property
    def merging(self) -> RecordMerge:
        """The calls that the table makes."""
        return self.merge

    @property
    def merging_plan(self) -> MergePlan:
        """The plan of the calls that are made now."""
        return self.merging.plan

    def forget(self) -> None:
        """Forget the calls and rows of a key, also of one that failed half way."""
        self.calls: list[TracedCall] = []
        self.rows: dict[int, Record | None] = {}
        self.noted.clear()
        self._recorder.calls.clear()
        self._preface = ""
        self.to_log = False

    def see(self, commit: int, rows: Sequence[StoredRow]) -> None:
        """Note the row that is visible from `commit` on.

        Raises:
            SecondRowError: there are several.
        """
        if len(rows) > 1:
            msg = f"after batch {commit} the key has {len(rows)} rows, but explain follows one; simulate shows them all"
            raise SecondRowError(msg)
        self.rows[commit] = side_of(rows[0]).record if rows else None

    def number(self, commit: int) -> None:
        """Give the calls since the last snapshot their commit."""
        self.calls += [call._replace(commit=commit) for call in self.noted]
        self.noted.clear()


class TracedCommits(Listening, Simulate):
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


class TracedUpgrade(TracedCommits, Upgrade):
    """A table that is upgraded."""

    def hand_over(self, stage: Stage, emit: Emit) -> None:
        """Let the next writer go on with the table; its calls say so."""
        self._preface = "upgrading the table: "
        super().hand_over(stage, emit)
        self._preface = ""

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot; an earlier file group may show a row, too."""
        super().query(commit, emit)
        if self.others:
            self.rows.pop(commit, None)
            self.see(commit, self.visible())


class TracedOperations(Listening, OperationTable):
    """A table with other operations than upserts, as long as none gives the key a second row."""

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    @property
    def merging(self) -> RecordMerge:
        """The calls of the operation."""
        if self._source is not None and self.operation is WriteOperation.SQL_MERGE:
            return self._source.merge
        return self.plain if self.operation.is_statement else self.merge

    def is_written(self, arrival: Arrival) -> bool:  # noqa: ARG002
        """Whether a version counts: the key that a delete_partition removes does, in place of the row that names it."""
        return True

    def new_slice(self) -> KeyRows:
        """Return a file group without rows."""
        return _TracedSlice(self, self._key)

    def took(self, version: Carrier, clause: MergeClause) -> None:
        """Note which clause of a MERGE INTO takes the row of its source, before what is merged of it."""
        side, release = side_of(version), self.merge.plan.release
        when, action = "WHEN MATCHED" if clause.matched else "WHEN NOT MATCHED", clause.action.value.upper()
        told = f"a clause {when} takes the row: {action}"
        if clause.action is ClauseAction.NOTHING:
            told = f"no clause {when} takes the row, so that nothing is written"
        elif clause.lacks_columns and self.merge.plan.table_type is TableType.MERGE_ON_READ:
            told += "; as another UPDATE sets more columns, nothing is written to the log"
        self.noted.append(TracedCall(0, release, MergePoint.COMBINE_INPUT, _MERGE_INTO, None, side, None, told))

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot, and give the calls since the last one their commit."""
        super().query(commit, emit)
        self.see(commit, self.visible())
        self.number(commit)


class TracedGlobalIndex(Listening, GlobalIndexTable):
    """A table with a global index, whose commits are upserts."""

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    def put(self, group: FileGroup, version: Carrier) -> None:
        """Write a version to a file group."""
        self.to_log = self._log_updates and group.base is not None
        super().put(group, version)
        self.to_log = False

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot, and give the calls since the last one their commit."""
        super().query(commit, emit)
        self.see(commit, self.visible())
        self.number(commit)


class _TracedSlice(KeyRows):
    """A file group that tells what is written to it."""

    def __init__(self, table: TracedOperations, key: HoodieKey) -> None:
        super().__init__(table.merge, key)
        self._table = table

    def add(self, row: StoredRow) -> None:
        """Insert a row; of one that is inserted in bulk nothing else is called."""
        super().add(row)
        if self._table.operation is WriteOperation.BULK_INSERT:
            side, release = side_of(row), self.merge.plan.release
            told = "bulk_insert stores each row as it is, without a call of the payload"
            self._table.noted.append(TracedCall(0, release, MergePoint.INSERT, _BULK, None, side, side, told))

    def write_row(self, row: KeyTimeline, merge: RecordMerge, version: Carrier, *, log_updates: bool) -> None:
        """Merge a version with a row, or append it to the log of the row."""
        self._table.to_log = log_updates
        super().write_row(row, merge, version, log_updates=log_updates)
        self._table.to_log = False


def _side_or_none(carrier: Carrier | LogDelete | None) -> Side | None:
    return None if carrier is None else side_of(carrier)
