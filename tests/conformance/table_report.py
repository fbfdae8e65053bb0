"""The report on recorded tables: how many answers are real Hudi's, which differ, which are refused and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.conformance.selection import EmptySelectionError
from tests.conformance.sums import Sums
from tests.conformance.tables import Check, check, load

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class TableReport:
    """What became of each question.

    Attributes:
        passed: how many answers are real Hudi's.
        failed: those that are not.
        refused: those that this project does not give.
        misread: refusals where real Hudi's answer is none: it mixed the columns up.
        tables: how many tables were asked.
    """

    passed: int = 0
    failed: list[Check] = field(default_factory=list)
    refused: list[Check] = field(default_factory=list)
    misread: list[Check] = field(default_factory=list)
    tables: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether no answer differs."""
        return not self.failed

    @property
    def sums(self) -> Sums:
        """The sums; a refusal where Hudi mixed the columns up is optional."""
        return Sums(self.passed, len(self.failed), len(self.misread), len(self.refused))

    @property
    def last_line(self) -> str:
        """The counts."""
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.refused)} refused by us"

    def as_text(self, failures: int) -> list[str]:
        """Return the report, with at most `failures` of the answers that differ, and all refusals."""
        lines = [f"{self.tables} tables"]
        lines += [f"differs: {c.table}, {c.question}\n    {c.problem}" for c in self.failed[:failures]]
        lines += [f"refused: {c.table}, {c.question}\n    {c.problem}" for c in self.refused]
        lines += [f"refused, and mixed up by Hudi: {c.table}, {c.question}" for c in self.misread]
        return [*lines, self.last_line]

    def as_json(self) -> dict[str, Any]:
        """Return the report as data."""
        return {
            "tables": self.tables,
            "passed": self.passed,
            "failed": [check._asdict() for check in self.failed],
            "refused": [check._asdict() for check in self.refused],
            "misread": [check._asdict() for check in self.misread],
        }


def check_tables(directory: Path, release: str | None = None, case: str | None = None) -> TableReport:
    """Ask every recorded table below a directory.

    Raises:
        EmptySelectionError: there are none.
    """
    report = TableReport()
    for recorded in load(directory, release, case):
        report.tables += 1
        for done in check(recorded):
            if not done.problem:
                report.passed += 1
            else:
                kind = report.misread if done.is_misread else report.refused if done.is_refusal else report.failed
                kind.append(done)
    if not report.tables:
        msg = f"there are no tables below {directory} for these options"
        raise EmptySelectionError(msg)
    return report
