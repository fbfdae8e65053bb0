"""KeyTrace: notes every merge call of a key, and the row that is visible after each commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.errors import PlanError
from bridge.explain.reasons import Rules
from bridge.explain.recorder import PayloadRecorder, RecordedPayloadRef
from bridge.explain.versions import Side, side_of
from bridge.merge import LogDelete, MergePoint, RecordMerge, Rule
from bridge.plan import TableType
from bridge.programs import ClauseAction, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.merge import Carrier, Outcome, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs import MergeClause
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
    """

    def __init__(self, plan: MergePlan, schema: AvroSchema) -> None:
        """Listen to a merge of the plan, of records of `schema`."""
        self._plan, self._schema = plan, schema
        self._recorder = PayloadRecorder(schema)
        self._names_payload = plan.payload is not None
        self._rules: dict[int, Rules] = {}
        self.noted: list[TracedCall] = []
        self._preface = ""

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

    @property
    def to_log(self) -> bool:
        """Whether a write goes to the log."""
        return False

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Have the calls of payloads recorded, unless the plan names a merge mode and Hudi the class."""
        if not self._names_payload:
            return payload
        source = (payload.name, payload.jars, payload.package)
        return RecordedPayloadRef(*source, built_for=payload.built_for, of=payload, recorder=self._recorder)


class SecondRowError(PlanError):
    """The key has several rows, and one is followed."""


class KeyTrace(CallListener):
    """Notes the calls and rows of a key of a table; each call belongs to the commit whose snapshot is taken next.

    Attributes:
        table: the table, which tells its calls.
        calls: the calls that have a commit.
        rows: the row that is visible from a commit on, at each snapshot; None for no row.
    """

    def __init__(self, plan: MergePlan, schema: AvroSchema, **settings: Any) -> None:
        """Set up a table; `settings` are those of `bridge.programs.Table`."""
        super().__init__(plan, schema)
        self.forget()
        self.table = Table(RecordMerge(plan, schema, listener=self), **settings)
        self.table.trace = self
        self.table.counts_removed = True  # the key that a delete_partition removes, in place of the row that names it

    @property
    def merging_plan(self) -> MergePlan:
        """The plan of the calls that are made now."""
        return self.table.calling.plan

    @property
    def to_log(self) -> bool:
        """Whether a write goes to the log."""
        return self.table.files.writes_to_log

    def forget(self) -> None:
        """Forget the calls and rows of a key, also of one that failed half way."""
        self.calls: list[TracedCall] = []
        self.rows: dict[int, Record | None] = {}
        self.noted.clear()
        self._recorder.calls.clear()
        self._preface = ""

    def queried(self, commit: int, rows: Sequence[StoredRow]) -> None:
        """Note the row that is visible from `commit` on, and give the calls since the last snapshot their commit.

        Raises:
            SecondRowError: there are several.
        """
        if len(rows) > 1:
            self.rows.pop(commit, None)  # what the next writer saw before the batch
            msg = f"after batch {commit} the key has {len(rows)} rows, but explain follows one; simulate shows them all"
            raise SecondRowError(msg)
        self.rows[commit] = side_of(rows[0]).record if rows else None
        self.number(commit)

    def number(self, commit: int) -> None:
        """Give the calls since the last snapshot their commit."""
        self.calls += [call._replace(commit=commit) for call in self.noted]
        self.noted.clear()

    def took(self, version: Carrier, clause: MergeClause) -> None:
        """Note which clause of a MERGE INTO takes the row of its source."""
        side, release = side_of(version), self.merging_plan.release
        when, action = "WHEN MATCHED" if clause.matched else "WHEN NOT MATCHED", clause.action.value.upper()
        told = f"a clause {when} takes the row: {action}"
        if clause.action is ClauseAction.NOTHING:
            told = f"no clause {when} takes the row, so that nothing is written"
        elif clause.lacks_columns and self.merging_plan.table_type is TableType.MERGE_ON_READ:
            told += "; as another UPDATE sets more columns, nothing is written to the log"
        self.noted.append(TracedCall(0, release, MergePoint.COMBINE_INPUT, _MERGE_INTO, None, side, None, told))

    def stored_as_is(self, row: StoredRow) -> None:
        """Note a row of a bulk insert."""
        side, release = side_of(row), self.merging_plan.release
        told = "bulk_insert stores each row as it is, without a call of the payload"
        self.noted.append(TracedCall(0, release, MergePoint.INSERT, _BULK, None, side, side, told))

    def hands_over(self, *, begins: bool) -> None:
        """Let the calls say that the next writer takes the table over."""
        self._preface = "upgrading the table: " if begins else ""


def _side_or_none(carrier: Carrier | LogDelete | None) -> Side | None:
    return None if carrier is None else side_of(carrier)
