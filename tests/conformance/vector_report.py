"""Renders the verdicts of vectors: a table by operation and class, the first failures, and the line with the sums."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING, Any

from tests.conformance.vectors import Result, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COLUMNS = ("passed", "failed", "opt.pass", "opt.fail", "not yet")


class VectorReport:
    """Counts of verdicts, and the failures themselves, the required ones first.

    Attributes:
        total: how many vectors ended in each column of the table.
        failures: the verdicts that name differences.
        missing: what the project lacks, with the number of vectors that ask for it.
    """

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._cells: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self.total: collections.Counter[str] = collections.Counter()
        self.missing: collections.Counter[str] = collections.Counter()
        self.failures: list[Verdict] = []
        for verdict in verdicts:
            column = _column(verdict)
            self._cells[verdict.vector.op, verdict.vector.short_class][column] += 1
            self.total[column] += 1
            self.missing.update(verdict.missing)
            if verdict.result is Result.FAILED:
                self.failures.append(verdict)
        self.failures.sort(key=lambda verdict: verdict.vector.optional)

    @property
    def succeeded(self) -> bool:
        """Whether no required vector failed."""
        return self.total["failed"] == 0

    @property
    def last_line(self) -> str:
        """The sums as one line."""
        passed = self.total["passed"] + self.total["opt.pass"]
        return f"{passed} passed, {self.total['failed']} failed, {self.total['opt.fail']} optional failed"

    def as_text(self, shown: int) -> Iterator[str]:
        """Give the report line by line, the sums last; `shown` failures are printed."""
        width = max((len(f"{op} {name}") for op, name in self._cells), default=10)
        yield f"{'':{width}}  " + "  ".join(f"{column:>8}" for column in _COLUMNS)
        for (op, name), cell in sorted(self._cells.items()):
            label = f"{op} {name}"
            yield f"{label:{width}}  " + "  ".join(f"{cell[column] or '.':>8}" for column in _COLUMNS)
        if self.missing:
            yield "\nnot yet supported:"
            yield from (f"  {count:6} {name}" for name, count in sorted(self.missing.items()))
        for verdict in self.failures[:shown]:
            yield from _failure_text(verdict)
        if len(self.failures) > shown:
            yield f"\n... and {len(self.failures) - shown} more failures"
        yield f"\n{self.last_line}"

    def as_json(self) -> dict[str, Any]:
        """Give the report as JSON-like data."""
        return {
            "format": 1,
            "success": self.succeeded,
            "statistics": dict(self.total),
            "results": [{"op": op, "class": name, **cell} for (op, name), cell in sorted(self._cells.items())],
            "not_yet_supported": dict(self.missing),
            "failures": [
                {"id": verdict.vector.id, "optional": verdict.vector.optional, "reasons": list(verdict.reasons)}
                for verdict in self.failures
            ],
            "summary": self.last_line,
        }


def _column(verdict: Verdict) -> str:
    match verdict.result:
        case Result.NOT_SUPPORTED:
            return "not yet"
        case Result.PASSED:
            return "opt.pass" if verdict.vector.optional else "passed"
        case Result.FAILED:
            return "opt.fail" if verdict.vector.optional else "failed"


def _failure_text(verdict: Verdict) -> Iterator[str]:
    vector = verdict.vector
    yield f"\nFAIL {vector.id}{' (optional)' if vector.optional else ''}"
    for reason in verdict.reasons:
        yield f"  {reason}"
    for field in ("identity", "equals"):
        if field in vector.expect:
            yield f"  {field} of Hudi's result: {vector.expect[field]}"
    props = json.dumps(vector.props)
    yield f"  schema {vector.raw.get('schema')}, api {vector.raw.get('api', 'default')}, props {props}"
    for index, record in enumerate(vector.raw.get("records") or ()):
        yield f"  record {index}: {json.dumps(record, ensure_ascii=False)[:600]}"
