"""Programs that note every merge call of a key, and the row that is visible after each commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.explain.reasons import Rules
from bridge.explain.recorder import PayloadRecorder, RecordedPayloadRef
from bridge.explain.versions import Side, side_of
from bridge.merge import LogDelete, MergePoint, RecordMerge, Rule
from bridge.programs import KeyRows, OperationTable, Simulate, Upgrade

if TYPE_CHECKING:
    from bridge.merge import Carrier, LogRow, Outcome, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs import Arrival, Emit, KeyTimeline, Stage
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


class Listening:
    """Notes the calls of a table; each belongs to the commit whose snapshot is taken next."""

    merge: RecordMerge

    def __init__(self, plan: MergePlan, schema: AvroSchema, **settings: Any) -> None:
        self._recorder = PayloadRecorder(schema)
        self._names_payload = plan.payload is not None
        self._rules: dict[int, Rules] = {}
        self.forget()
        super().__init__(RecordMerge(plan, schema, listener=self), **settings)  # type: ignore[call-arg]  # the program's

    @property
    def merging(self) -> RecordMerge:
        """The calls that the table makes."""
        return self.merge

    def forget(self) -> None:
        """Forget the calls and rows of a key, also of one that failed half way."""
        self.calls: list[TracedCall] = []
        self.rows: dict[int, Record | None] = {}
        self._unnumbered: list[TracedCall] = []
        self._recorder.calls.clear()
        self._preface = ""
        self.to_log = False

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
        source = (payload.name, payload.jars, payload.package)
        return RecordedPayloadRef(*source, built_for=payload.built_for, of=payload, recorder=self._recorder)


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
        """Let the next writer take over the table; its calls say so."""
        self._preface = "taking over the table: "
        super().hand_over(stage, emit)
        self._preface = ""


class TracedOperations(Listening, OperationTable):
    """A table with other operations than upserts, none of which gives a key a second row."""

    @property
    def current_commit(self) -> int:
        """The commit whose versions are taken."""
        return self._commit

    @property
    def merging(self) -> RecordMerge:
        """The calls of the operation."""
        return self.plain if self.operation.is_statement else self.merge

    def is_written(self, arrival: Arrival) -> bool:  # noqa: ARG002
        """Whether a version counts: the key that a delete_partition removes does, in place of the row that names it."""
        return True

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

    def __init__(self, table: TracedOperations, key: HoodieKey) -> None:
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
