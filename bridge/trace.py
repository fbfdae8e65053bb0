"""Tracing one key: every merge call that its versions go through, in order, run in this process without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.carriers import LogDelete
from bridge.merge_point import MergePoint, Rule, calls_of
from bridge.plan import TableType
from bridge.programs import Arrival, Origin
from bridge.record_merge import RecordMerge
from bridge.schema import META_COLUMNS
from bridge.timeline import Simulate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from bridge.carriers import Carrier
    from bridge.plan import MergePlan
    from bridge.programs import Action
    from payloads import AvroSchema, Ordering, Record

_METHODS = {
    Rule.PRE_COMBINE: "pre_combine",
    Rule.COMBINE: "combine_and_get_update_value",
    Rule.INSERT_VALUE: "get_insert_value",
    Rule.DELTA: "delta merge",
    Rule.FINAL: "final merge",
    Rule.DELETE_TEST: "delete test",
}
COMPARED = "compare ordering values"
"""Stands for a method where the log reader decides about a delete entry by itself, without the payload."""


class Side(NamedTuple):
    """One version in a call: its data without meta columns (None: a delete without data), its ordering value.

    A stored row has no ordering value of its own.
    """

    record: Record | None
    ordering: Ordering | None


class Call(NamedTuple):
    """One merge call.

    Attributes:
        commit: the commit that caused it, from 1.
        point: the merge point.
        method: the payload method, the operation of the merge mode, or `COMPARED`.
        older: the version that was there; None where there was none.
        newer: the version that came.
        result: what is there afterwards; None for nothing.
    """

    commit: int
    point: MergePoint
    method: str
    older: Side | None
    newer: Side
    result: Side | None


def trace_key(
    versions: Iterable[tuple[int, Record]],
    plan: MergePlan,
    schema: AvroSchema,
    *,
    compact_after: Collection[int] = (),
) -> list[Call]:
    """Run the versions of one key through the merge points of the plan's table type, as `pipeline.simulate` does.

    Args:
        versions: number of the commit, from 1 and ascending, and record of physical Avro values, by arrival.
        plan: what merges, and how. Hudi's small-file rule looks at all keys of a partition and plays no part here.
        schema: the write schema.
        compact_after: the commits after which the log is compacted.

    Raises:
        PayloadBridgeError: what the payload raises on these versions.
    """
    arrivals = [Arrival(Origin.INCOMING, commit, record, source) for source, (commit, record) in enumerate(versions)]
    if not arrivals:
        return []
    last = max(arrivals[-1].commit, *compact_after, 1)
    merge = RecordMerge(plan, schema)
    log_updates = plan.table_type is TableType.MERGE_ON_READ
    program = _Traced(merge, plan, commits=last, log_updates=log_updates, compact_after=compact_after)
    program.start(merge.key_of(arrivals[0].record or {}))
    for arrival in arrivals:
        program.accept(arrival, _ignore)
    program.finish(_ignore)
    return program.calls


class _Traced(Simulate):
    """Notes the calls; each belongs to the commit whose snapshot is taken next."""

    def __init__(self, merge: RecordMerge, plan: MergePlan, **settings: Any) -> None:
        super().__init__(merge, **settings)
        self.calls: list[Call] = []
        self._unnumbered: list[Call] = []
        self._methods = {point: _METHODS[call.rule] for point, call in calls_of(plan.release).items()}
        merge.trace = self._note

    def query(self, commit: int, emit: Any) -> None:
        """Take the snapshot, and give the calls since the last one their commit."""
        super().query(commit, emit)
        self.calls += [call._replace(commit=commit) for call in self._unnumbered]
        self._unnumbered.clear()

    def _note(self, point: MergePoint, older: Any, newer: Any, result: Any) -> None:
        asked = self._methods[MergePoint.INSERT if older is None else point]
        method = COMPARED if isinstance(newer, LogDelete) else asked
        sides = (None if older is None else _side(older), _side(newer), None if result is None else _side(result))
        self._unnumbered.append(Call(0, point, method, *sides))


def _side(carrier: Any) -> Side:
    if isinstance(carrier, LogDelete):
        return Side(None, carrier.ordering)
    if hasattr(carrier, "payload"):
        return Side(_plain(carrier.payload.record), carrier.payload.get_ordering_value())
    return Side(_plain(carrier.record), None)


def _plain(record: Record | None) -> Record | None:
    if record is None:
        return None
    return {name: value for name, value in record.items() if name not in META_COLUMNS}


def _ignore(action: Action, row: Carrier | None, *extras: Any) -> None:
    """Drop an outcome."""
