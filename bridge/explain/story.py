"""The story of one row as text: its versions, then every merge call of a table and what decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.errors import sentence_of
from bridge.explain.versions import ordering_text, same_record
from bridge.report import Table, json_record

if TYPE_CHECKING:
    from bridge.explain.row import ExplainedRow, ExplainedSide
    from bridge.explain.traced_programs import TracedCall
    from bridge.explain.versions import Side
    from bridge.report import JsonObject, Label
    from payloads import Record

POINTS_EXPLAINED = (
    "Where versions merge: combine-input = two rows of one batch; insert = a row without a stored one is written; "
    "upsert = a row merges with the stored row (copy-on-write); log-fold = a log entry merges with those before it, "
    "snapshot and compact = the merged log merges with the stored row (all merge-on-read)."
)
CALL_WIDTH = 54
"""The width of the last column in a line of 80 columns."""

PARTING = "<- first difference"


def story(told: ExplainedRow) -> list[str | Table]:
    """Return the versions, the calls of each side under its name, and the rows that merging made."""
    labels = Labels(told)
    parting = told.deciding_calls()
    calls = [
        _calls(told, side, name, labels, decided)
        for side, name, decided in zip(told.sides, told.long_names, parting, strict=True)
    ]
    versions = [json_record(record, told.schema) for _, record in told.versions]
    numbers: list[Label] = [
        ("version", [f"v{number}" for number in range(1, len(versions) + 1)]),
        ("commit", [commit for commit, _ in told.versions]),
    ]
    ordering = ", ".join(told.sides[0].plan.ordering)
    by = f" (ordering: {ordering})" if ordering else ""
    tables = [Table.of_rows(tuple(versions[0]), versions, f"Versions of {words(told.shown_row)}{by}", numbers)]
    if labels.made:
        made = [("row", [f"m{number}" for number in range(1, len(labels.made) + 1)])]
        tables.append(Table.of_rows(tuple(labels.made[0]), labels.made, "Rows created by merging", made))
    return [*tables, POINTS_EXPLAINED, *calls]


def words(row: Any) -> str:
    """Write identifying columns as text."""
    return ", ".join(f"{name}={value}" for name, value in row.items())


class Labels:
    """Names versions v1, v2 and so on by their data, rows that merging made m1, m2.

    Attributes:
        made: the rows that merging made, as JSON values.
    """

    def __init__(self, told: ExplainedRow) -> None:
        """Name the versions of a row in order."""
        self.made: list[JsonObject] = []
        self._schema = told.schema
        self._versions = [record for _, record in told.versions]
        self._ordering = told.sides[0].plan.ordering
        self._made: list[Record] = []

    def of(self, side: Side | None) -> str:
        """Return the label of one side of a call."""
        if side is None:
            return "no row"
        if side.record is None:
            at = "" if side.ordering is None else f" at {ordering_text(side.ordering, self._ordering)}"
            return f"a delete{at}"
        return self.of_record(side.record)

    def of_record(self, record: Record | None) -> str:
        """Return the label of a row."""
        if record is None:
            return "no row"
        number = self._number(record, self._versions)
        if number is not None:
            return f"v{number}"
        number = self._number(record, self._made)
        if number is None:
            self._made.append(record)
            self.made.append(json_record(record, self._schema))
            number = len(self._made)
        return f"m{number}"

    def _number(self, record: Record, among: list[Record]) -> int | None:
        """Return the position of an equal record, from 1."""
        same = (number for number, one in enumerate(among, start=1) if same_record(record, one, self._schema))
        return next(same, None)


def _calls(told: ExplainedRow, side: ExplainedSide, name: str, labels: Labels, decided: TracedCall | None) -> Table:
    releases = {call.release for call in side.trace.calls}
    lines = [
        (str(call.commit), _where(call, names_release=len(releases) > 1), _call(call, labels, call is decided))
        for call in side.trace.calls
    ]
    end, several = labels.of_record(side.trace.row_after(told.commits)), side.trace.has_several_rows
    if side.trace.error is not None:
        lines.append(("", "not followed" if several else "failed", sentence_of(side.trace.error)))
        end = "several rows" if several else "an error"
    title = f"{name[:1].upper()}{name[1:]}: ends with {end}"
    return Table(("commit", "where", "what merges -> result"), lines, title, frozenset({"commit"}), folded=CALL_WIDTH)


def _where(call: TracedCall, *, names_release: bool) -> str:
    return f"{call.point.value} {call.release}" if names_release else call.point.value


def _call(call: TracedCall, labels: Labels, parts: bool) -> str:  # noqa: FBT001 (private)
    older = "" if call.older is None else f"{labels.of(call.older)}, then "
    mark = f"  {PARTING}" if parts else ""
    return f"{older}{labels.of(call.newer)} -> {labels.of(call.result)}{mark}\n{call.rule}"
