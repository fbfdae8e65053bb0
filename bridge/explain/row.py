"""What is explained: one row, its versions and their trace on one side or two, and where the sides part."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.explain.versions import same_record
from bridge.redaction import current
from bridge.report import json_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.compare import Comparison
    from bridge.explain.trace import Trace
    from bridge.explain.traced_programs import TracedCall
    from bridge.plan import MergePlan
    from payloads import AvroSchema, Record


@dataclasses.dataclass(frozen=True)
class ExplainedSide:
    """What one table did with the versions of the row.

    Attributes:
        plan: what it merges by; after an upgrade, `new`.
        trace: its calls, and the visible row after each commit.
        new: the plan that upgraded the table, if any.
    """

    plan: MergePlan
    trace: Trace
    new: MergePlan | None = None


@dataclasses.dataclass(frozen=True)
class ExplainedRow:
    """One row, its versions and what each side did with them; `ExplainReport` describes the attributes."""

    row: Mapping[str, str]
    versions: list[tuple[int, Record]]
    schema: AvroSchema
    commits: int
    sides: tuple[ExplainedSide, ...]
    comparison: Comparison | None = None
    compact_after: tuple[int, ...] = ()

    @property
    def shown_row(self) -> dict[str, str]:
        """The columns that identify the row, as reports show them."""
        shown = json_record(self.versions[0][1], self.schema)
        return {name: shown[name] if text and current().hides(name) else text for name, text in self.row.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the configurations."""
        if self.comparison is not None:
            return self.comparison.names
        plan = self.sides[0].plan
        return (f"{plan.table_type.long_name}, Hudi {plan.release}",)

    @property
    def long_names(self) -> tuple[str, ...]:
        """The labels of the configurations, with table type, releases and payload or merge mode."""
        return tuple(self._long_name(name, side) for name, side in zip(self.names, self.sides, strict=True))

    @staticmethod
    def _long_name(name: str, side: ExplainedSide) -> str:
        last = side.plan if side.new is None else side.new
        release = "" if str(side.plan.release) in name else f"Hudi {side.plan.release}"
        said = (side.plan.table_type.long_name, release, last.payload_name.rpartition(".")[2])
        return ", ".join((name, *(text for text in said if text and text not in name)))

    @property
    def ends_equal(self) -> bool:
        """Whether all configurations run and have the same row after the last commit; always true for a single one."""
        traces = [side.trace for side in self.sides]
        first = traces[0].row_after(self.commits)
        return all(trace.error is None and self._same(trace.row_after(self.commits), first) for trace in traces)

    def first_difference(self) -> int | None:
        """Return the first commit after which the configurations show different rows; None if there is none."""
        traces = [side.trace for side in self.sides]
        for commit in range(1, self.commits + 1):
            first = traces[0].row_after(commit)
            if not all(self._same(trace.row_after(commit), first) for trace in traces):
                return commit
        return None

    def deciding_calls(self) -> tuple[TracedCall | None, ...]:
        """Return the call of each configuration at which they begin to differ; None if there is none.

        That is the first pair at one merge point with unlike results. Where the sides don't go through the same points,
        it is on each the first call that gave what is visible then.
        """
        commit = self.first_difference()
        if commit is None:
            return (None,) * len(self.sides)
        here = [[call for call in side.trace.calls if call.commit == commit] for side in self.sides]
        for calls in zip(*here, strict=False):
            if len({call.point for call in calls}) > 1:
                break
            results = [_data(call) for call in calls]
            if not all(self._same(result, results[0]) for result in results):
                return calls
        return tuple(
            self._deciding(calls, side.trace.row_after(commit)) for calls, side in zip(here, self.sides, strict=True)
        )

    def last_made(self, side: ExplainedSide) -> TracedCall | None:
        """Return the call that produced the last row of a configuration; None if it fails."""
        return None if side.trace.error else self._deciding(side.trace.calls, side.trace.row_after(self.commits))

    def _deciding(self, calls: list[TracedCall], end: Record | None) -> TracedCall | None:
        """Return the call that produced `end`: those after it only pass it on."""
        decided = None
        for call in reversed(calls):
            if decided is not None and not self._same(_data(call), end):
                break
            decided = call
        return decided

    def _same(self, left: Record | None, right: Record | None) -> bool:
        return same_record(left, right, self.schema)


def _data(call: TracedCall) -> Record | None:
    return None if call.result is None else call.result.record
