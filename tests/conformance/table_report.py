"""The report on recorded tables: how many answers are real Hudi's, which differ, which are refused and why."""

from __future__ import annotations

import collections
import functools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.conformance.selection import EmptySelectionError
from tests.conformance.sums import Sums
from tests.conformance.tables import Check, check, load, opened, opened_by

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession


@dataclass
class TableReport:
    """What became of each question.

    Attributes:
        passed: how many answers are real Hudi's.
        failed: those that are not.
        refused: those that this project does not give.
        misread: refusals where real Hudi's answer is none: it mixed the columns up.
        tables: how many tables were asked.
        engine: the engine that merged; None where they were read in this process.
        without_logs: how many of the answers had nothing to merge.
    """

    passed: int = 0
    failed: list[Check] = field(default_factory=list)
    refused: list[Check] = field(default_factory=list)
    misread: list[Check] = field(default_factory=list)
    tables: int = 0
    engine: str | None = None
    without_logs: int = 0

    @property
    def reasons(self) -> dict[str, int]:
        """Why the engine refused tables, and how many."""
        found = collections.Counter(map(_reason, self.refused))
        return dict(found.most_common())

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
        if self.engine is not None:
            merged = self.passed + len(self.failed) - self.without_logs
            lines.append(
                f"{self.engine}: merged {merged} answers, refused {len(self.refused)}; {self.without_logs} had no log"
            )
            lines += [f"refused {number}: {reason}" for reason, number in self.reasons.items()]
        else:
            lines += [f"refused: {c.table}, {c.question}\n    {c.problem}" for c in self.refused]
        lines += [f"refused, and mixed up by Hudi: {c.table}, {c.question}" for c in self.misread]
        return [*lines, self.last_line]

    def as_json(self) -> dict[str, Any]:
        """Return the report as data."""
        return {
            "tables": self.tables,
            "engine": self.engine,
            "without_logs": self.without_logs,
            "reasons": self.reasons,
            "passed": self.passed,
            "failed": [check._asdict() for check in self.failed],
            "refused": [check._asdict() for check in self.refused],
            "misread": [check._asdict() for check in self.misread],
        }


def check_tables(
    directory: Path,
    release: str | None = None,
    case: str | None = None,
    by: tuple[str, Callable[[], SparkSession]] | None = None,
) -> TableReport:
    """Ask every recorded table below a directory: in this process everything, or `by` an engine what it merges.

    Raises:
        EmptySelectionError: there are none.
    """
    report = TableReport(engine=None if by is None else by[0])
    open_table = opened if by is None else functools.partial(opened_by, by[0], by[1]())
    for recorded in load(directory, release, case):
        report.tables += 1
        for done in check(recorded, open_table, merges=by is not None):
            if not done.problem:
                report.passed += 1
                report.without_logs += not done.has_logs
            else:
                kind = report.misread if done.is_misread else report.refused if done.is_refusal else report.failed
                kind.append(done)
    if not report.tables:
        msg = f"there are no tables below {directory} for these options"
        raise EmptySelectionError(msg)
    return report


def _reason(refused: Check) -> str:
    """Return why an engine refused a table, without the table's own places and keys."""
    text = refused.problem.partition(": ")[2].removeprefix("the native engine does not run this: ")
    text = re.sub(r"^\S*[/.]\S*,? (?:block at byte \d+: )?|^\S*/\S*: ", "", text)
    return re.sub(r" '[^']*'", "", re.sub(r"; use .*", "", text))
