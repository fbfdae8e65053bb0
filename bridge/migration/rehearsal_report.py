"""The result of a rehearsal: the verdict, the rows that the upgrade changes, and those that are not as predicted."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Any, Self

from bridge.compare import collected, keys_table, rows_view
from bridge.redaction import current, without_values
from bridge.report import PAGE_KEYS, SAMPLE, Check, Report, Showable, limit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from bridge.compare import Difference, ReaderResult, ReadersReport
    from bridge.migration.steps import PropertyChange
    from bridge.migration.table_copy import CopiedTable
    from bridge.report import View

_WHAT_IT_PROVES = (
    "The rows were predicted from the table as it is, and shown by the released bundle after it upgraded the copy. "
    "Nothing was written but the copy; the next batches are the question of replay --table with --batches."
)
_CLASS = re.compile(r"\w+(?:Exception|Error)")
_CHANGED, _DEVIATING = "Rows that the upgrade changes", "Rows that are not as predicted"
_PREDICTED = ("predicted", "real")


class RehearsalVerdict(enum.StrEnum):
    """How a rehearsal ended.

    Added in 0.1.0.
    """

    AS_PREDICTED = "AS PREDICTED"
    NOT_AS_PREDICTED = "NOT AS PREDICTED"
    REFUSED_BY_HUDI = "REFUSED BY HUDI"


class RehearsalReport(Showable):
    """What `rehearse` answers. Spark keeps the rows that differ until `close`, or the end of a `with` block.

    Attributes:
        table: the table.
        to: the release that upgraded the copy.
        copied: where the copy is, its bytes, and the seconds of copying.
        program: the Maven coordinate of the bundle that ran.
        rows: how many rows the table shows before.
        change: how many rows the predicted upgrade changes, by kind; or why this package's reader refuses the table.
        off: how many rows of the upgraded copy are not as predicted, by kind; None where one side has no rows.
        settings: the merge properties of the copy that are not as predicted: predicted before, real after.
        seconds: how long the bundle took, without the start of its process.

    Added in 0.1.0.
    """

    def __init__(  # noqa: PLR0913 (its attributes)
        self,
        readers: ReadersReport,
        predicted: ReaderResult,
        copied: CopiedTable,
        *,
        program: str,
        refused: str | None,
        off: ReaderResult | None,
        deviations: DataFrame | None,
        settings: Sequence[PropertyChange],
        seconds: float,
        close: Callable[[], object],
    ) -> None:
        self.table = readers.table
        self.to = predicted.reader
        self.copied = copied
        self.program = program
        self.rows = readers.rows
        self.change = predicted
        self.off = off
        self.settings = tuple(settings)
        self.seconds = seconds
        self._refused = refused
        self._readers = readers
        self._deviations = deviations
        self._close = close
        self.__post_init__()

    @property
    def refused(self) -> str | None:
        """Hudi's error, of which a redaction leaves the class; None if it upgraded and read the copy."""
        return self._hiding(self._refused)

    @property
    def verdict(self) -> RehearsalVerdict:
        """How it ended."""
        if self._refused is not None:
            return RehearsalVerdict.REFUSED_BY_HUDI
        is_predicted = self.off is not None and not self.off.total and not self.settings
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
        if self.refused is not None:
            also = "" if self.change.refused is None else "; this was predicted"
            return f"Hudi {self.to} can't upgrade and read the copy: {self.refused}{also}"
        if self.off is None:
            why = self._hiding(self.change.refused)
            return f"Hudi {self.to} upgraded the copy and reads it, but was predicted to refuse: {why}"
        found = f"Hudi {self.to} upgraded the copy; of {self.rows} rows {_count(self.change.total)} by it"
        if self.off.total:
            return f"{found} as predicted, but {_rows(self.off.total)} of the copy are others than predicted"
        if self.settings:
            return f"{found}, each as predicted, but {len(self.settings)} of its properties are others than predicted"
        return f"{found}{', each as predicted' if self.change.total else ''}"

    def _hiding(self, reason: str | None) -> str | None:
        """Return an error without what it may quote if values are hidden, here or where the report was made."""
        hidden = current().joined(self._made_under)
        if reason is None or not hidden.is_active:
            return reason
        kind = reason.partition(": ")[0]
        with hidden.applied():
            return without_values(reason, kind if _CLASS.fullmatch(kind) else "an error")

    @property
    def changes(self) -> DataFrame | None:
        """The rows that the predicted upgrade changes; None where this package's reader of the release refuses.

        The columns are those of `ReadersReport.differences`: the row before is `_pb_left`, that after `_pb_right`.
        """
        return self._readers.differences(self.to)

    @property
    def deviations(self) -> DataFrame | None:
        """The rows of the copy that are not as predicted: the predicted is `_pb_left`, the real `_pb_right`."""
        return self._deviations

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
        counted, frame = (self.off, self._deviations) if is_off else (self.change, self.changes)
        title, names = (_DEVIATING, _PREDICTED) if is_off else (_CHANGED, _upgrade(self))
        counts = (0, 0, 0) if counted is None else (counted.only_left, counted.only_right, counted.changed)
        rows = [] if frame is None else collected(self.table, frame, limit)
        return rows_view(rows, counts, names, self.sentence, title)

    def to_json(self, sample: int | None = None) -> str:
        """Return what `payload-bridge rehearse --output json` prints."""
        return self.to_report(sample).as_json()

    def close(self) -> None:
        """Release the rows that Spark keeps. The copy stays."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def report_rehearsal(found: RehearsalReport, sample: int | None, *, whole: bool) -> Report:
    """Report a rehearsal; `sample` rows are shown, without it all, or a readable number if not `whole`."""
    limit = limit_of(sample, whole=whole)
    report = Report("rehearse", found.sentence, success=found.success)
    report.plan = {
        "table": found.table.path,
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
    }
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
        report.warnings.append("the prediction is wrong: please report it, with this report and the rows that it names")
    if found.refused is None:
        report.body.append(_WHAT_IT_PROVES)
    report.body.append(
        f"The copy, {found.copied.bytes:,} bytes, is {found.copied.path}; copying took {found.copied.seconds:.1f} s, "
        f"the upgrade {found.seconds:.1f} s."
    )
    report.checks = [Check(f"upgrade to {found.to}", None if found.success else found.sentence)]
    return report


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
