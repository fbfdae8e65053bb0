"""The result of a rehearsal: the verdict, step by step, and the rows that are changed or not as predicted."""

from __future__ import annotations

import contextlib
import enum
import re
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from bridge.compare import collected, keys_table, rows_view
from bridge.redaction import current, without_values
from bridge.report import PAGE_KEYS, SAMPLE, Check, Report, Showable, Table, limit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame

    from bridge.compare import Difference, ReaderResult, ReadersReport
    from bridge.migration.steps import PropertyChange
    from bridge.migration.table_copy import CopiedTable
    from bridge.report import View

_WHAT_IT_PROVES = (
    "The rows were predicted from the table as it is, and shown by the released bundle after it changed the copy. "
    "Nothing was written but the copy."
)
_CLASS = re.compile(r"\w+(?:Exception|Error)")
_CHANGED, _DEVIATING = "Rows that the upgrade changes", "Rows that are not as predicted"
_PREDICTED = ("predicted", "real")


class RehearsalVerdict(enum.StrEnum):
    """How a rehearsal ended."""

    AS_PREDICTED = "AS PREDICTED"
    NOT_AS_PREDICTED = "NOT AS PREDICTED"
    REFUSED_BY_HUDI = "REFUSED BY HUDI"


class RehearsedStep(NamedTuple):
    """A step of a rehearsal: the upgrade, the write of a batch, the compaction or the downgrade.

    Attributes:
        name: what it is called.
        refused: Hudi's error, of which a redaction leaves the class; None if it took the step and read the copy.
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
    if reason is None or not current().is_active:
        return reason
    kind = reason.partition(": ")[0]
    return without_values(reason, kind if _CLASS.fullmatch(kind) else "an error")


class RehearsalReport(Showable):
    """What `rehearse` answers. Spark keeps the rows that differ until `close`, or the end of a `with` block.

    Attributes:
        table: the table, or the part of it that was copied.
        path: the base path of the whole table.
        bundle: the archive that reports a wrong prediction; None where it is right.
        to: the release that upgraded the copy.
        copied: where the copy is, its bytes, and the seconds of copying.
        program: the Maven coordinate of the bundle that ran.
        rows: how many rows the table shows before.
        change: how many rows the predicted upgrade changes, by kind; or why this package's reader refuses the table.
        steps: the steps that the bundle took, in order; the last one where it refused is that one.
        seconds: how long the bundle took, without the start of its process.
    """

    def __init__(  # noqa: PLR0913 (its attributes)
        self,
        readers: ReadersReport,
        predicted: ReaderResult,
        copied: CopiedTable,
        *,
        program: str,
        steps: Sequence[RehearsedStep],
        close: Callable[[], object],
    ) -> None:
        self.table = readers.table
        self.path = self.table.path
        self.bundle: Path | None = None
        self.to = predicted.reader
        self.copied = copied
        self.program = program
        self.rows = readers.rows
        self.change = predicted
        self.steps = tuple(steps)
        self.seconds = sum(step.seconds for step in steps)
        self._readers = readers
        self._closing = contextlib.ExitStack()
        self._closing.callback(close)
        self.__post_init__()

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
        """Hudi's error, of which a redaction leaves the class; None if it took every step."""
        return self._hiding(self._decisive.refused)

    @property
    def verdict(self) -> RehearsalVerdict:
        """How it ended."""
        if self._decisive.refused is not None:
            return RehearsalVerdict.REFUSED_BY_HUDI
        is_predicted = self._decisive.is_predicted
        return RehearsalVerdict.AS_PREDICTED if is_predicted else RehearsalVerdict.NOT_AS_PREDICTED

    @property
    def success(self) -> bool:
        """Whether Hudi did what was predicted."""
        return self.verdict is RehearsalVerdict.AS_PREDICTED

    @property
    def sentence(self) -> str:
        """The verdict, and what it rests on."""
        return f"{self.verdict.value}: {self._told()}."

    def _told(self) -> str:
        step, first = self._decisive, self._decisive is self.steps[0]
        if self.refused is not None:
            also = "" if step.expected is None else "; this was predicted"
            what = "can't upgrade and read the copy" if first else f"upgraded the copy, but not the {step.name}"
            return f"Hudi {self.to} {what}: {self.refused}{also}"
        if step.off is None:
            did = "upgraded the copy and reads it" if first else f"took the {step.name}"
            return f"Hudi {self.to} {did}, but was predicted to refuse: {self._hiding(step.expected)}"
        found = f"Hudi {self.to} upgraded the copy; of {self.rows} rows {_count(self.change.total)} by it"
        after = "" if first else f" after the {step.name}"
        if step.off.total:
            return f"{found} as predicted, but{after} {_rows(step.off.total)} of the copy are others than predicted"
        if step.settings:
            return (
                f"{found}, each as predicted, but{after} {len(step.settings)} of its properties are others than "
                "predicted"
            )
        later = ", ".join(step.name for step in self.steps[1:])
        every = f"; and so are the rows after {later}" if later else ""
        return f"{found}{', each as predicted' if self.change.total or later else ''}{every}"

    def _hiding(self, reason: str | None) -> str | None:
        """Return an error without what it may quote if values are hidden, here or where the report was made."""
        with current().joined(self._made_under).applied():
            return as_shown(reason)

    @property
    def changes(self) -> DataFrame | None:
        """The rows that the predicted upgrade changes; None where this package's reader of the release refuses.

        The columns are those of `ReadersReport.differences`: the row before is `_pb_left`, that after `_pb_right`.
        """
        return self._readers.differences(self.to)

    @property
    def deviations(self) -> DataFrame | None:
        """The rows that are not as predicted, of that step: the predicted is `_pb_left`, the real `_pb_right`."""
        return self._decisive.deviations

    def _said(self) -> str:
        return self.sentence

    def _readable(self) -> Report:
        return report_rehearsal(self, None, whole=False)

    def to_report(self, sample: int | None = None) -> Report:
        """Return the report of the command line, with `sample` rows of each kind; without it all up to 100,000."""
        return report_rehearsal(self, sample, whole=True)

    def to_view(self, limit: int = PAGE_KEYS) -> View:
        """Return what a page shows: the rows that are not as predicted; if all are, those that the upgrade changes."""
        is_off = self.off is not None and self.off.total > 0
        counted, frame = (self.off, self.deviations) if is_off else (self.change, self.changes)
        title, names = (_DEVIATING, _PREDICTED) if is_off else (_CHANGED, _upgrade(self))
        counts = (0, 0, 0) if counted is None else (counted.only_left, counted.only_right, counted.changed)
        rows = [] if frame is None else collected(self.table, frame, limit)
        return rows_view(rows, counts, names, self.sentence, title)

    def to_json(self, sample: int | None = None) -> str:
        """Return what `payload-bridge rehearse --output json` prints."""
        return self.to_report(sample).as_json()

    def closes(self, close: Callable[[], object]) -> None:
        """Let `close` release something else, too."""
        self._closing.callback(close)

    def close(self) -> None:
        """Release the rows that Spark keeps. The copy stays."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def report_rehearsal(found: RehearsalReport, sample: int | None, *, whole: bool) -> Report:
    """Report a rehearsal; `sample` rows are shown, without it all, or a readable number if not `whole`."""
    limit = limit_of(sample, whole=whole)
    report = Report("rehearse", found.sentence, success=found.success)
    report.plan = {
        "table": found.path,
        "from": str(found.table.release),
        "to": found.to,
        "copy": str(found.copied.path),
        "program": found.program,
    }
    report.statistics = {
        "verdict": found.verdict.value,
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
    for about, frame, counts, title, names in (upgrade, prediction):
        rows = [] if frame is None else collected(found.table, frame, limit)
        report.results += [{"about": about, **_as_json(row)} for row in rows]
        if rows and counts is not None:
            report.body.append(keys_table(rows[: SAMPLE if sample is None else sample], counts.total, names, title))
    for name, predicted, real in found.settings:
        report.warnings.append(f"{name} is {_value(real)} in the copy; predicted was {_value(predicted)}")
    if found.verdict is RehearsalVerdict.NOT_AS_PREDICTED:
        what = "this report and the rows that it names" if found.bundle is None else str(found.bundle)
        report.warnings.append(f"the prediction is wrong: please report it, with {what}")
    if found.refused is None:
        report.body.append(_WHAT_IT_PROVES)
    report.body.append(
        f"The copy, {found.copied.bytes:,} bytes, is {found.copied.path}; copying took {found.copied.seconds:.1f} s, "
        f"the bundle {found.seconds:.1f} s."
    )
    report.checks = [Check(f"upgrade to {found.to}", None if found.success else found.sentence)]
    return report


def _steps_table(steps: Sequence[RehearsedStep]) -> Table:
    lines = [
        {
            "step": step.name,
            "answer": "refused" if step.refused is not None else "as predicted" if step.is_predicted else "others",
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


def _as_json(row: Difference) -> dict[str, Any]:
    return {name: value for name, value in row._asdict().items() if name != "note"}


def _rows(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


def _count(number: int) -> str:
    return "none is changed" if not number else "1 is changed" if number == 1 else f"{number} are changed"


def _value(text: str | None) -> str:
    return "not set" if text is None else text
