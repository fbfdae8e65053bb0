"""The result of reading a table: the rows that a query returns, and the quarantine."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import QUARANTINE, recompiled_warnings
from bridge.errors import ParameterError
from bridge.pipeline.point_run import has_quarantine, quarantine_of
from bridge.pipeline.row_counts_report import report_quarantine
from bridge.redaction import current
from bridge.report import Listing, Report, counted, list_rows
from bridge.spark import META_COLUMNS, ObservedFrame, functions, observing, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from bridge.hudi import HudiTable
    from bridge.pipeline.merge_report import Output

_ORDER = (META_COLUMNS[3], META_COLUMNS[2])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class SnapshotReport(Listing):
    """What `table_snapshot` answers. Nothing runs before a row is read or written.

    Attributes:
        table: the table, read by its own release.
        outcomes: the rows, and with a quarantine the versions of keys that can't be merged; Spark counts both.
        as_of: the instant of the rows; None for the latest.
        columns: the columns of the rows; None for all.
        where: the condition on merged rows, in SQL; None for none.
        place: where an output has the rows, if `write` wrote one.
    """

    table: HudiTable
    outcomes: ObservedFrame
    as_of: str | None = None
    columns: tuple[str, ...] | None = None
    where: str | None = None
    place: str | None = None

    @functools.cached_property
    def _kept(self) -> DataFrame:
        frame = self.outcomes.frame
        with observing(frame.sparkSession):
            kept = frame.persist()
            kept.write.format("noop").mode("overwrite").save()
        return kept

    @functools.cached_property
    def _counts(self) -> dict[str, int]:
        """How many rows there are, and how many versions are in quarantine; their job has run."""
        kept = self._kept if self.place is None else None
        return {name: int(number) for name, number in self.outcomes.counts(kept).items()}

    @property
    def verdict(self) -> str:
        """How many rows there are, in a sentence."""
        moment = f" as of {self.as_of}" if self.as_of else ""
        chosen = f" where {self._condition}" if self.where else ""
        where = "" if self.place is None else f", written to {self.place}"
        rows = f"{counted(self._counts['rows'], 'row')}, as Hudi {self.table.release} reads them"
        return f"{self.table.path}{moment}{chosen}: {rows}{where}."

    @property
    def _condition(self) -> str | None:
        return "a condition that redaction hides" if self.where and current().is_active else self.where

    def rows_of(self, outcomes: DataFrame) -> DataFrame:
        """Return the rows among outcomes."""
        if not has_quarantine(outcomes):
            return outcomes
        rows = outcomes.where(sf.col(QUARANTINE).isNull()).drop(QUARANTINE)
        return rows if self.columns is None else rows.select(*map(quoted, self.columns))

    def write(self, out: Output, place: str) -> SnapshotReport:
        """Write the rows; with a quarantine, rows and quarantine each to a folder, computed once."""
        frame = self.outcomes.frame
        with observing(frame.sparkSession):
            if has_quarantine(frame):
                outcomes = out.aside(frame, "outcomes")
                out.write(self.rows_of(outcomes), "rows")
                out.write(quarantine_of(outcomes), "quarantine")
                out.drop("outcomes")
            else:
                out.write(frame)
        return dataclasses.replace(self, place=place)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line with `sample` rows; None for all, or for some if not `whole`."""
        table, rows, aside = self.table, self._counts["rows"], self._counts["quarantined"]
        settings = {"table": table.path, "release": str(table.release), "read": table.config.read.why}
        columns = None if self.columns is None else list(self.columns)
        about = {"as_of": self.as_of, "columns": columns, "where": self._condition}
        report = Report("snapshot", self.verdict, plan=settings | about)
        report.warnings += recompiled_warnings(table.queries().plan)
        report.statistics = {"rows_out": rows} | ({"quarantined": aside} if has_quarantine(self.outcomes.frame) else {})
        if self.place is None:
            shown = self.rows_of(self._kept)
            order = [name for name in _ORDER if name in shown.columns] or shown.columns[:1]
            list_rows(report, shown.orderBy(*map(quoted, order)), rows, sample, whole=whole)
        if self.place is None and aside:
            list_rows(report, quarantine_of(self._kept), aside, sample, whole=whole, name="quarantine")
        place = "among the results" if self.place is None else f"in {self.place}/quarantine"
        report_quarantine(report, aside, all_that_came=not rows, where=place)
        return report

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if "_kept" in vars(self):
            self._kept.unpersist()


def table_snapshot(  # noqa: PLR0913 (what a query says)
    table: HudiTable,
    *,
    as_of: str | None = None,
    read_optimized: bool = False,
    columns: Sequence[str] | None = None,
    where: str | None = None,
    on_error: str = "fail",
) -> SnapshotReport:
    """Read the rows of a table, merged by its own payload class or merge mode.

    Args:
        table: the table, read by its own release.
        as_of: the rows as of an instant, by its requested time; None for the latest.
        read_optimized: only the rows of base files, without logs.
        columns: the columns to read; None for all.
        where: a condition in Spark SQL, on merged rows.
        on_error: `quarantine` separates the versions of keys that can't be merged; `fail` raises.

    Raises:
        ParameterError: as in `check_query`.
        HudiTableError, InputError: as in `HudiTable.snapshot`.
    """
    check_query(as_of, on_error, read_optimized=read_optimized)
    if on_error == "quarantine":
        found = table.snapshot_outcomes(as_of, where=where)
    elif read_optimized:
        found = table.read_optimized(columns=columns, where=where)
    else:
        found = table.snapshot(as_of, columns=columns, where=where)
    aside = sf.col(QUARANTINE).isNotNull() if has_quarantine(found) else sf.lit(False)
    counts = (functions.count_if(~aside).alias("rows"), functions.count_if(aside).alias("quarantined"))
    return SnapshotReport(
        table, ObservedFrame(found, *counts), as_of, None if columns is None else tuple(columns), where
    )


def check_query(as_of: str | None, on_error: str, *, read_optimized: bool, by_engine: bool = False) -> None:
    """Refuse parameters of `table_snapshot` that contradict each other.

    `by_engine`: whether the query names the native or the jvm engine; in Python that is set for the table.

    Raises:
        ParameterError: naming them.
    """
    if read_optimized and as_of:
        msg = "`as_of` reads merged rows; leave out `read_optimized`"
        raise ParameterError(msg)
    if read_optimized and by_engine:
        msg = "`engine`: `read_optimized` merges nothing; leave out one of them"
        raise ParameterError(msg)
    if read_optimized and on_error != "fail":
        msg = f"`on_error` {on_error}: `read_optimized` merges nothing; leave out one of them"
        raise ParameterError(msg)
