"""The result of a rehearsal: the verdict, step by step, and the rows that are changed or not as predicted."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import collected, keys_table, rows_view
from bridge.redaction import current, shown_message
from bridge.report import FAILS, PAGE_KEYS, SAMPLE, Check, Judged, Listing, Report, Severity, Table, limit_of
from payloads.backports import StrEnum

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame

    from bridge.compare import Difference, ReaderResult, ReadersReport
    from bridge.hudi import HudiTable
    from bridge.migration.steps import PropertyChange
    from bridge.migration.table_copy import CopiedTable
    from bridge.report import JsonObject, View

_WHAT_IT_PROVES = (
    "The rows were predicted from the table as it is, and shown by the released bundle after it changed the copy. "
    "Only the copy was written."
)
_CLASS = re.compile(r"\w+(?:Exception|Error)")
_CHANGED, _DEVIATING = "Rows that the upgrade changes", "Rows that are not as predicted"
_PREDICTED = ("the prediction", "the copy")


class RehearsalOutcome(StrEnum):
    """How a rehearsal ended."""

    AS_PREDICTED = "AS PREDICTED"
    NOT_AS_PREDICTED = "NOT AS PREDICTED"
    REFUSED_BY_HUDI = "REFUSED BY HUDI"


class RehearsedStep(NamedTuple):
    """A step of a rehearsal: the upgrade, the write of a batch, the compaction or the downgrade.

    Attributes:
        name: what it is called.
        refused: Hudi's error (under redaction only its class); None if it took the step and read the copy.
        expected: why this package predicted a refusal, likewise; None if it did not.
        off: how many rows of the copy are not as predicted, by kind; None where one side has no rows.
        deviations: these rows: the predicted is `_pb_left`, the real `_pb_right`.
        settings: the merge properties of the copy that are not as predicted: predicted before, real after.
        seconds: how long the bundle took.
    """

    name: str
    refused: str | None
    seconds: float
    expected: str | None = None
    off: ReaderResult | None = None
    deviations: DataFrame | None = None
    settings: Sequence[PropertyChange] = ()

    @property
    def is_predicted(self) -> bool:
        """Whether Hudi took the step as predicted."""
        return self.off is not None and not self.off.total and not self.settings


def as_shown(reason: str | None) -> str | None:
    """Return an error; of what it may quote, the class alone where values are hidden."""
    if reason is None:
        return None
    kind = reason.partition(": ")[0]
    return shown_message(reason, kind if _CLASS.fullmatch(kind) else "an error")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class RehearsalReport(Judged, Listing):
    """The result of `rehearse`. Spark keeps the rows that differ until `close`, or the end of a `with` block.

    Attributes:
        path: the base path of the whole table.
        prediction: the table, or the part of it that was copied, before the predicted upgrade and after it, which is
            the only reader of the result.
        copied: where the copy is, its bytes, and the seconds of copying.
        program: the Maven coordinate of the bundle that ran.
        steps: the steps that the bundle took, in order; where it refused one, that is the last.
        bundle: the archive that reports a wrong prediction; None where it is right.
        resources: what `close` releases.
    """

    path: str
    prediction: ReadersReport
    copied: CopiedTable
    program: str
    steps: tuple[RehearsedStep, ...]
    bundle: Path | None = None
    resources: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)

    @property
    def table(self) -> HudiTable:
        """The table, or the part of it that was copied."""
        return self.prediction.table

    @property
    def rows(self) -> int:
        """How many rows the table shows before."""
        return self.prediction.rows

    @property
    def change(self) -> ReaderResult:
        """How many rows the predicted upgrade changes, by kind; or why this package's reader refuses the table."""
        return self.prediction.results[0]

    @property
    def to(self) -> str:
        """The release that upgraded the copy."""
        return self.change.reader

    @property
    def seconds(self) -> float:
        """How long the bundle took, without the start of its process."""
        return sum(step.seconds for step in self.steps)

    @property
    def _decisive(self) -> RehearsedStep:
        """The first step that is not as predicted; else the last one."""
        return next((step for step in self.steps if not step.is_predicted), self.steps[-1])

    @property
    def off(self) -> ReaderResult | None:
        """How many rows are not as predicted after the first step where some are not, by kind."""
        return self._decisive.off

    @property
    def settings(self) -> Sequence[PropertyChange]:
        """The merge properties that are not as predicted after that step: predicted before, real after."""
        return self._decisive.settings

    @property
    def refused(self) -> str | None:
        """Hudi's error, only its class under redaction; None if every step succeeded."""
        return self._hiding(self._decisive.refused)

    @property
    def outcome(self) -> RehearsalOutcome:
        """How it ended."""
        if self._decisive.refused is not None:
            return RehearsalOutcome.REFUSED_BY_HUDI
        is_predicted = self._decisive.is_predicted
        return RehearsalOutcome.AS_PREDICTED if is_predicted else RehearsalOutcome.NOT_AS_PREDICTED

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether the upgrade changes rows, as predicted or not, or Hudi refused a step."""
        if self.outcome is RehearsalOutcome.REFUSED_BY_HUDI:
            return frozenset({Severity.REFUSED})
        is_same = self.success and not self.change.total
        return frozenset({Severity.UNCHANGED if is_same else Severity.CHANGED})

    @property
    def success(self) -> bool:
        """Whether Hudi did what was predicted."""
        return self.outcome is RehearsalOutcome.AS_PREDICTED

    @property
    def verdict(self) -> str:
        """How it ended, and what that rests on, in a sentence or two."""
        return f"{self.outcome.value}: {self._told()}."

    def _told(self) -> str:
        step, first = self._decisive, self._decisive is self.steps[0]
        if self.refused is not None:
            also = "" if step.expected is None else "; this was predicted"
            what = "can't upgrade and read the copy" if first else f"upgraded the copy, but refused the {step.name}"
            return f"Hudi {self.to} {what}: {self.refused}{also}"
        if step.off is None:
            did = "upgraded the copy and reads it" if first else f"took the {step.name}"
            return f"Hudi {self.to} {did}, but was predicted to refuse: {self._hiding(step.expected)}"
        found = f"Hudi {self.to} upgraded the copy and changed {self.change.total or 'none'} of {_rows(self.rows)}"
        after = "" if first else f" after the {step.name}"
        if step.off.total:
            number = step.off.total
            return f"Hudi {self.to} upgraded the copy, but{after} {_rows(number)} of the copy {_are_not(number)}"
        if step.settings:
            number = len(step.settings)
            return f"{found}, each as predicted, but{after} {number} of its properties {_are_not(number)}"
        later = ", ".join(step.name for step in self.steps[1:])
        every = f"; the rows after {later} are as predicted, too" if later else ""
        return f"{found}, {'each ' if self.change.total else ''}as predicted{every}"

    def _hiding(self, reason: str | None) -> str | None:
        """Return an error without what it may quote if values are hidden, here or where the report was made."""
        with current().joined(self._made_under).applied():
            return as_shown(reason)

    @property
    def changes(self) -> DataFrame | None:
        """The rows that the predicted upgrade changes; None where this package's reader of the release refuses.

        The columns are those of `ReadersReport.differences`: the row before is `_pb_left`, that after `_pb_right`.
        """
        return self.prediction.differences(self.to)

    @property
    def deviations(self) -> DataFrame | None:
        """The rows that are not as predicted, of that step: the predicted is `_pb_left`, the real `_pb_right`."""
        return self._decisive.deviations

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` rows of each kind; without it all, or some if not `whole`."""
        return report_rehearsal(self, sample, whole=whole)

    def to_view(self, limit: int = PAGE_KEYS) -> View:
        """Return what a page shows: the rows that are not as predicted; if all are, those that the upgrade changes."""
        is_off = self.off is not None and self.off.total > 0
        counted, frame = (self.off, self.deviations) if is_off else (self.change, self.changes)
        title, names = (_DEVIATING, _PREDICTED) if is_off else (_CHANGED, _upgrade(self))
        counts = (0, 0, 0) if counted is None else (counted.only_left, counted.only_right, counted.changed)
        rows = [] if frame is None else collected(self.table, frame, limit)
        return rows_view(rows, counts, names, self.verdict, title)

    def close(self) -> None:
        """Release the rows that Spark keeps. The copy stays."""
        self.resources.close()


def report_rehearsal(found: RehearsalReport, sample: int | None, *, whole: bool) -> Report:
    """Report a rehearsal; `sample` rows are shown, without it all, or a readable number if not `whole`."""
    limit = limit_of(sample, whole=whole)
    fails = {Severity.REFUSED} if found.success else FAILS  # rows that change as predicted are no failure
    report = Report("rehearse", found.verdict, found.severities, fails)
    report.scenario = f"the files as Hudi {found.to} upgrades them"
    report.plan = {
        "table": found.path,
        "from": str(found.table.release),
        "to": found.to,
        "copy": str(found.copied.path),
        "program": found.program,
    }
    report.statistics = {
        "verdict": found.outcome.value,
        "rows_in": found.rows,
        "changed_by_upgrade": _by_kind(found.change),
        "not_as_predicted": _by_kind(found.off),
        "refused": found.refused,
        "properties": [change._asdict() for change in found.settings],
        "bytes": found.copied.bytes,
        "seconds": {"copy": round(found.copied.seconds, 1), "upgrade": round(found.seconds, 1)},
        "steps": [
            {
                "step": step.name,
                "as_predicted": step.is_predicted,
                "not_as_predicted": _by_kind(step.off),
                "seconds": round(step.seconds, 1),
            }
            for step in found.steps
        ],
    }
    if len(found.steps) > 1:
        report.body.append(_steps_table(found.steps))
    upgrade = ("upgrade", found.changes, found.change, _CHANGED, _upgrade(found))
    prediction = ("prediction", found.deviations, found.off, _DEVIATING, _PREDICTED)
    tables: list[Table] = []
    for about, frame, counts, title, names in (upgrade, prediction):
        rows = [] if frame is None else collected(found.table, frame, limit)
        report.results += [{"about": about, **_as_json(row)} for row in rows]
        if rows and counts is not None:
            tables.append(keys_table(rows[: SAMPLE if sample is None else sample], counts.total, names, title))
    report.body += reversed(tables)  # what is not as predicted comes first
    for name, predicted, real in found.settings:
        report.warnings.append(f"{name} is {_value(real)} in the copy, but {_value(predicted)} was predicted")
    if found.outcome is RehearsalOutcome.NOT_AS_PREDICTED:
        what = "this report and the rows that it names" if found.bundle is None else str(found.bundle)
        report.warnings.append(f"the prediction is wrong: please report it, with {what}")
    if found.refused is None:
        report.body.append(_WHAT_IT_PROVES)
    report.body.append(
        f"The copy, {found.copied.bytes:,} bytes, is {found.copied.path}; copying took {found.copied.seconds:.1f} s, "
        f"the bundle {found.seconds:.1f} s."
    )
    report.checks = [Check(f"upgrade to {found.to}", max(found.severities), found.verdict)]
    return report


def _steps_table(steps: Sequence[RehearsedStep]) -> Table:
    lines = [
        {
            "step": step.name,
            "answer": "refused" if step.refused is not None else f"{'' if step.is_predicted else 'not '}as predicted",
            "rows not as predicted": "" if step.off is None else step.off.total,
            "seconds": round(step.seconds, 1),
        }
        for step in steps
    ]
    return Table.of_rows(tuple(lines[0]), lines, "What the bundle did with the copy, in order")


def _upgrade(found: RehearsalReport) -> tuple[str, str]:
    """Return what the rows before and after the upgrade are called."""
    return f"Hudi {found.table.release}", "the upgraded copy"


def _by_kind(counts: ReaderResult | None) -> dict[str, int] | None:
    if counts is None or counts.refused is not None:
        return None
    return {
        "total": counts.total,
        "only_left": counts.only_left,
        "only_right": counts.only_right,
        "changed": counts.changed,
    }


def _as_json(row: Difference) -> JsonObject:
    return {name: value for name, value in row._asdict().items() if name != "note"}


def _rows(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


def _are_not(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} not as predicted"


def _value(text: str | None) -> str:
    return "not set" if text is None else text
