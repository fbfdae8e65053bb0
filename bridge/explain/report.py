"""The result of `explain`: how the row ends, its versions, and every merge call on one side or two."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.engines import recompiled_warnings
from bridge.errors import sentence_of
from bridge.explain.causes import cause_of
from bridge.explain.row import ExplainedRow
from bridge.explain.story import story, words
from bridge.explain.timeline import timeline_of
from bridge.explain.versions import ordering_text
from bridge.merge import class_warnings
from bridge.pipeline import row_counts_table
from bridge.report import REPORTS, Judged, Report, Severity, View, cell, counted, json_record, plan_as_json

if TYPE_CHECKING:
    from bridge.explain.row import ExplainedSide
    from bridge.explain.traced_programs import TracedCall
    from bridge.explain.versions import Side
    from bridge.report import JsonObject
    from payloads import Record


@dataclasses.dataclass(frozen=True, repr=False)
class ExplainReport(Judged, ExplainedRow):
    """How one row came about.

    Attributes:
        row: the columns that identify it, with their values as text; empty for a null partition.
        versions: its versions in order of arrival, with the numbers of the commits; physical Avro values.
        schema: the Avro schema of the versions.
        commits: how many commits there are.
        sides: one side or two.
        comparison: both configurations, if there are two.
        compact_after: the commits after which the log was compacted.
    """

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a configuration fails, or the rows differ after a commit; empty for a single one that merges."""
        ended = [side.trace for side in self.sides if side.trace.error is not None]
        if not all(trace.has_several_rows for trace in ended):
            return frozenset({Severity.REFUSED})
        if len(self.sides) == 1:
            return frozenset()
        return frozenset({Severity.CHANGED if ended or self.first_difference() is not None else Severity.UNCHANGED})

    @property
    def success(self) -> bool:
        """Whether all configurations have the same row after the last commit."""
        return self.ends_equal

    @property
    def verdict(self) -> str:
        """How the row ends, and where two configurations diverge, in one sentence."""
        return parting_words(self)

    def to_report(self) -> Report:
        """Return the report of the command line."""
        return report_of(self)


def report_of(told: ExplainReport) -> Report:
    """Report one row."""
    sides = told.comparison
    plans = [side.plan for side in told.sides]
    warnings = class_warnings(*plans) + recompiled_warnings(*plans)
    report = Report("explain", parting_words(told), told.severities, warnings=warnings)
    if told.ends_equal:
        report.fails = REPORTS
    report.sides = None if sides is None else sides.names
    types = list(dict.fromkeys(side.plan.table_type.value for side in told.sides))
    report.plan = plan_as_json(told.sides[0].plan) | {
        "row": dict(told.shown_row),
        "table_type": types[0] if len(types) == 1 else "both",
        "from": None if sides is None or len(types) > 1 else str(sides.left.release),
        "to": None if sides is None or len(types) > 1 else sides.to or sides.names[1],
        "upgrade_after": None if sides is None else sides.upgrade_after,
        "via": [] if sides is None else [one.step for one in sides.via],
        "keep_table_version": sides is not None and sides.keep_table_version,
        "compact_after": list(told.compact_after),
    }
    report.statistics = {
        "rows_in": len(told.versions),
        "commits": told.commits,
        "calls": [len(side.trace.calls) for side in told.sides],
        "parting_commit": told.first_difference(),
        "books": [None if side.trace.row_counts is None else side.trace.row_counts.lines() for side in told.sides],
    }
    report.results = [
        _side_as_json(told, side, name, decided)
        for side, name, decided in zip(told.sides, told.long_names, told.deciding_calls(), strict=True)
    ]
    report.body += story(told)
    report.body += [
        row_counts_table(
            side.trace.row_counts, name, unmerged="quarantined" if side.plan.on_error == "quarantine" else "failed"
        )
        for side, name in zip(told.sides, told.names, strict=True)
        if side.trace.row_counts is not None
    ]
    report.view = View(_headline(told), story=timeline_of(told))
    return report


def _headline(told: ExplainedRow) -> str:
    """Say in a few words how the row ends; the verdict has the rows."""
    row, parting = words(told.shown_row), told.first_difference()
    if len(told.sides) == 1:
        return f"{row}: {_calls(told)} in {counted(told.commits, 'batch', 'batches')}"
    both = " and ".join(told.names)
    if any(side.trace.has_several_rows for side in told.sides):
        return f"{row}: one of {both} has several rows"
    if any(side.trace.error is not None for side in told.sides):
        return f"{row}: one of {both} fails"
    if parting is None:
        return f"{row}: {both} agree after every batch"
    how = f"differ after batch {parting} and agree in the end" if told.ends_equal else f"disagree since batch {parting}"
    return f"{row}: {both} {how} ({cause_of(told).title.lower()})"


def _calls(told: ExplainedRow) -> str:
    return counted(len(told.sides[0].trace.calls), "merge call")


def parting_words(told: ExplainedRow) -> str:
    """Say what becomes of the row, and where two sides diverge."""
    row, parting = words(told.shown_row), told.first_difference()
    ends = [_end(side, told) for side in told.sides]
    if len(told.sides) == 1:
        return f"{row} ends {ends[0]} after {counted(told.commits, 'commit')} ({_calls(told)})."
    if told.ends_equal:
        between = f"; after commit {parting} they differ" if parting is not None else ""
        return f"{row} ends {ends[0]} on both sides{between}."
    since = f", first after commit {parting}" if parting is not None else ""
    return (
        f"{row} differs{since}: "
        + "; ".join(f"{name} ends {end}" for name, end in zip(told.names, ends, strict=True))
        + "."
    )


def _end(side: ExplainedSide, told: ExplainedRow) -> str:
    if side.trace.error is not None and side.plan.on_error == "quarantine":
        return (
            f"in quarantine, {sentence_of(side.trace.error).rstrip('.')}, with all its versions ({len(told.versions)}),"
        )
    if side.trace.error is not None:
        return "with several rows" if side.trace.has_several_rows else "with an error"
    row = side.trace.row_after(told.commits)
    if row is None:
        return "without a row"
    shown = json_record(row, told.schema)
    return "as " + ", ".join(f"{name}={cell(shown[name])}" for name in shown if name not in told.row)


def _side_as_json(told: ExplainedRow, side: ExplainedSide, name: str, decided: TracedCall | None) -> dict[str, object]:
    """Return a side with its calls for programs."""
    row, error = side.trace.row_after(told.commits), side.trace.error
    return {
        "side": name,
        "table_type": side.plan.table_type.value,
        "row": _row(told, row),
        "error": None if error is None else sentence_of(error),
        "calls": [_call(told, call) | {"parts": call is decided} for call in side.trace.calls],
    }


def _call(told: ExplainedRow, call: TracedCall) -> dict[str, object]:
    return {
        "commit": call.commit,
        "release": str(call.release),
        "point": call.point.value,
        "method": call.method,
        "older": _side(told, call.older),
        "newer": _side(told, call.newer),
        "result": _side(told, call.result),
        "rule": call.rule,
    }


def _side(told: ExplainedRow, side: Side | None) -> JsonObject | None:
    if side is None:
        return None
    ordering = None if side.ordering is None else ordering_text(side.ordering, told.sides[0].plan.ordering)
    return {"record": _row(told, side.record), "ordering": ordering, "is_delete": side.is_delete}


def _row(told: ExplainedRow, record: Record | None) -> JsonObject | None:
    return None if record is None else json_record(record, told.schema)
