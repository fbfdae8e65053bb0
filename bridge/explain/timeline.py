"""The timeline of one row for a page: its versions, and the merge calls of each side, as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import sentence_of
from bridge.explain.story import Labels
from bridge.report import json_record, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.explain.row import ExplainedRow, ExplainedSide
    from bridge.explain.traced_programs import TracedCall
    from bridge.report import JsonObject
    from payloads import Record


def timeline_of(told: ExplainedRow) -> dict[str, object]:
    """Return the story of a row.

    `columns` has the names of the columns; `versions` label, commit (null for a row that merging made, 0 for a version
    that the table has before the first batch) and values, as texts, of each row; `sides` the name, the label of the
    last row, the error and the calls of each side.

    A call has `commit`, `where` (the merge point), `release` (null if the side has one), the labels `older` (may be
    null), `newer` and `result`, the `rule`, and `parts`: whether the sides part there.
    """
    return _timeline(told, told.names, told.deciding_calls())


def timeline_of_paths(told: ExplainedRow, names: Sequence[str]) -> dict[str, object]:
    """Return the story of a row along several paths; `parts` marks the call that made the row at the end of each.

    `unit` is what `commit` of a call counts, `mark` what such a call is called.
    """
    words = {"unit": "commit", "mark": "\u2190 decides the end"}
    return _timeline(told, names, [told.last_made(side) for side in told.sides]) | words


def timeline_of_files(told: ExplainedRow, names: Sequence[str], places: Sequence[tuple[str, str]]) -> JsonObject:
    """Return the story of a row of a table that two readers merge; `places` has instant and kind of each version.

    `commit` of a version is its instant, named by `moment`; calls have none: a query makes them all.
    """
    story = _timeline(told, names, told.deciding_calls())
    for version, (instant, kind) in zip(story["versions"], places, strict=False):  # rows made by merging come after
        version["commit"] = instant
        version["label"] += "" if kind in {"base", "data"} else f" ({kind})"
    for side in story["sides"]:
        for call in side["calls"]:
            call["commit"] = None
    return story | {"moment": "commit time", "caption": "Versions in the files, in the order in which they merge"}


def _timeline(told: ExplainedRow, names: Sequence[str], marked: Sequence[TracedCall | None]) -> JsonObject:
    labels = Labels(told)
    sides = [
        _side(side, name, labels, (call, side.trace.row_after(told.commits)))
        for side, name, call in zip(told.sides, names, marked, strict=True)
    ]
    columns = [field.name for field in told.schema.fields]
    versions = [
        {"label": f"v{number}", "commit": commit, "row": texts(json_record(record, told.schema).values())}
        for number, (commit, record) in enumerate(told.versions, start=1)
    ]
    versions += [
        {"label": f"m{number}", "commit": None, "row": texts(row.values())}
        for number, row in enumerate(labels.made, start=1)
    ]
    return {"columns": columns, "versions": versions, "sides": sides}


def _side(side: ExplainedSide, name: str, labels: Labels, end: tuple[TracedCall | None, Record | None]) -> JsonObject:
    several = len({call.release for call in side.trace.calls}) > 1
    marked, row = end
    return {
        "name": name,
        "calls": [_call(call, labels, parts=call is marked, several=several) for call in side.trace.calls],
        "end": labels.of_record(row),
        "error": None if side.trace.error is None else sentence_of(side.trace.error),
    }


def _call(call: TracedCall, labels: Labels, *, parts: bool, several: bool) -> dict[str, object]:
    return {
        "commit": call.commit,
        "where": call.point.value,
        "release": str(call.release) if several else None,
        "older": None if call.older is None else labels.of(call.older),
        "newer": labels.of(call.newer),
        "result": labels.of(call.result),
        "rule": call.rule,
        "parts": parts,
    }
