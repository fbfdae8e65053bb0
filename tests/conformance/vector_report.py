"""Renders the verdicts of vectors: a table by operation and class, the first failures, and the line with the sums."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING, Any

from tests.conformance.sums import Sums
from tests.conformance.vector import Vector
from tests.conformance.vectors import Result, Selection, Verdict, label_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.conformance.pins import Pinned

_COLUMNS = ("passed", "failed", "opt.pass", "opt.fail")
SECTION = "vectors"


class VectorReport:
    """Counts of verdicts beside the pinned ones, and the failures themselves, the required ones first.

    In a pinned directory an optional vector counts as required, unless it is pinned as one that fails.

    Attributes:
        total: how many vectors ended in each column of the table.
        counts: how many there are, by label.
        failures: the verdicts that name differences.
        drops: vectors that are pinned and not there.
        notes: what else is not as pinned.
    """

    def __init__(
        self, verdicts: Iterable[Verdict], pinned: Pinned | None = None, selection: Selection | None = None
    ) -> None:
        self._cells: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self._known = None if pinned is None else pinned.pins.optional_failures
        self.total: collections.Counter[str] = collections.Counter()
        self.counts: collections.Counter[str] = collections.Counter()
        self.failures: list[Verdict] = []
        self.drops: list[str] = []
        self.notes: list[str] = []
        for verdict in verdicts:
            self._add(verdict)
        self.failures.sort(key=self.is_excused)
        if pinned is not None:
            self._compare(pinned, selection or Selection())

    def _add(self, verdict: Verdict) -> None:
        vector = verdict.vector
        column = self._column(verdict)
        if isinstance(vector, Vector):
            self._cells[vector.op, vector.short_class][column] += 1
            self.counts[label_of(vector)] += 1
        else:
            self._cells["not readable", ""][column] += 1
        self.total[column] += 1
        if verdict.result is Result.FAILED:
            self.failures.append(verdict)
        elif vector.id in (self._known or {}):
            self.notes.append(f"{vector.id} passes, but is pinned as one that fails; pin the directory again")

    def _column(self, verdict: Verdict) -> str:
        if verdict.result is Result.PASSED:
            return "opt.pass" if _is_optional(verdict) else "passed"
        return "opt.fail" if self.is_excused(verdict) else "failed"

    def _compare(self, pinned: Pinned, selection: Selection) -> None:
        def concerns(label: str) -> bool:
            return label.startswith(pinned.prefix) and selection.takes_label(label)

        for change in pinned.pins.changes(SECTION, self.counts, concerns):
            (self.drops if change.is_drop else self.notes).append(str(change))

    def is_excused(self, verdict: Verdict) -> bool:
        """Whether a failure of this vector is optional."""
        return _is_optional(verdict) and (self._known is None or verdict.vector.id in self._known)

    @property
    def succeeded(self) -> bool:
        """Whether no required vector failed, and none that is pinned is missing."""
        return self.total["failed"] == 0 and not self.drops

    @property
    def sums(self) -> Sums:
        """The sums."""
        return Sums(self.total["passed"] + self.total["opt.pass"], self.total["failed"], self.total["opt.fail"])

    @property
    def last_line(self) -> str:
        """The sums as one line."""
        return str(self.sums)

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; `shown` failures are printed."""
        width = max((len(f"{op} {name}") for op, name in self._cells), default=10)
        yield f"{'':{width}}  " + "  ".join(f"{column:>8}" for column in _COLUMNS)
        for (op, name), cell in sorted(self._cells.items()):
            label = f"{op} {name}"
            yield f"{label:{width}}  " + "  ".join(f"{cell[column] or '.':>8}" for column in _COLUMNS)
        for verdict in self.failures[:shown]:
            yield from _failure_text(verdict)
        if len(self.failures) > shown:
            yield f"\n... and {len(self.failures) - shown} more failures"
        yield from pin_lines(self.drops, self.notes)
        yield f"\n{self.last_line}"

    def as_json(self) -> dict[str, Any]:
        """Give the report as JSON-like data."""
        return {
            "format": 1,
            "success": self.succeeded,
            "statistics": dict(self.total),
            "results": [{"op": op, "class": name, **cell} for (op, name), cell in sorted(self._cells.items())],
            "missing": self.drops,
            "notes": self.notes,
            "failures": [
                {"id": verdict.vector.id, "optional": _is_optional(verdict), "reasons": list(verdict.reasons)}
                for verdict in self.failures
            ],
            "summary": self.last_line,
        }


def pin_lines(drops: list[str], notes: list[str]) -> Iterator[str]:
    """Give the lines about what is not as pinned."""
    if drops:
        yield "\nFAIL, fewer than pinned:"
        yield from (f"  {line}" for line in drops)
    if notes:
        yield "\nnot as pinned (`python -m tests.conformance pin` pins again):"
        yield from (f"  {line}" for line in notes)


def _is_optional(verdict: Verdict) -> bool:
    return isinstance(verdict.vector, Vector) and verdict.vector.optional


def _failure_text(verdict: Verdict) -> Iterator[str]:
    vector = verdict.vector
    yield f"\nFAIL {vector.id}{' (optional)' if _is_optional(verdict) else ''}"
    for reason in verdict.reasons:
        yield f"  {reason}"
    if not isinstance(vector, Vector):
        return
    for field in ("identity", "equals"):
        if field in vector.expect:
            yield f"  {field} of Hudi's result: {vector.expect[field]}"
    props = json.dumps(vector.props)
    yield f"  schema {vector.raw.get('schema')}, api {vector.raw.get('api', 'default')}, props {props}"
    for index, record in enumerate(vector.raw.get("records") or ()):
        yield f"  record {index}: {json.dumps(record, ensure_ascii=False)[:600]}"
