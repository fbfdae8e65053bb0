"""MergeIntoReport: what a merge into a table did, in figures and sentences."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.engines import RowStatus, recompiled_warnings
from bridge.merge import class_warnings
from bridge.pipeline import report_quarantine, row_counts_table, statistics_of
from bridge.report import Closeable, Report, Showable, plan_as_json

if TYPE_CHECKING:
    import contextlib

    from pyspark.sql import DataFrame

    from bridge.engines import RowCounts
    from bridge.plan import MergePlan
    from bridge.report import JsonObject


@dataclasses.dataclass(frozen=True, repr=False)
class MergeIntoReport(Showable, Closeable):
    """The result of `merge_into`.

    Attributes:
        path: the table.
        plan: what merged.
        read: the commit whose stored rows were read (requested time); None for an empty table.
        instant: the commit that was made; None where nothing changed.
        batch: the id of the batch; None if it has none.
        merged_by: the earlier commit that already merged this batch, so that nothing was done; None for none.
        inserted: how many rows are new.
        updated: how many rows are changed.
        deleted: how many rows were deleted.
        adds_flag: whether the commit added the column `_hoodie_is_deleted` to the table.
        row_counts: the row counts; None if the batch was merged before.
        quarantine: the versions of the keys that can't be merged, as in `MergeReport`; None unless the plan quarantines
            them.
    """

    path: str
    plan: MergePlan
    read: str | None
    instant: str | None = None
    batch: str | None = None
    merged_by: str | None = None
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    adds_flag: bool = False
    row_counts: RowCounts | None = None
    quarantine: DataFrame | None = None
    _kept: contextlib.ExitStack | None = dataclasses.field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """What was done, in a sentence."""
        if self.merged_by is not None:
            return f"{self.path}: the commit {self.merged_by} has merged this batch ({self.batch}); nothing is written."
        if self.instant is None:
            return f"{self.path}: the batch changes no row; nothing is written."
        counts = f"rows inserted: {self.inserted}, updated: {self.updated}, deleted: {self.deleted}"
        return f"{self.path}: {counts}, in the commit {self.instant}."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        about = {"table": self.path, "batch": self.batch, "read": self.read, "instant": self.instant}
        warnings = [*recompiled_warnings(self.plan), *class_warnings(self.plan)]
        report = Report("merge-into", self.verdict, plan=plan_as_json(self.plan) | about, warnings=warnings)
        counts: JsonObject = {} if self.row_counts is None else statistics_of(self.row_counts)
        written = {"inserted": self.inserted, "updated": self.updated, "deleted": self.deleted}
        report.statistics = counts | {"written": written, "merged_by": self.merged_by}
        if self.adds_flag:
            report.warnings.append(
                "the table has a new column _hoodie_is_deleted, by which Hudi deletes and updates in one commit"
            )
        if self.row_counts is None:
            return report
        report.body.append(row_counts_table(self.row_counts))
        aside = self.row_counts.total(RowStatus.QUARANTINED)
        came = self.row_counts.rows_in["incoming"]
        all_of_it = self.row_counts.total(RowStatus.QUARANTINED, ["incoming"]) == came
        report_quarantine(report, aside, all_that_came=all_of_it, where="in the quarantine of this run")
        if aside:
            report.warnings.append(
                "to merge the quarantine later, correct its incoming rows (_pb_side), drop the columns _pb_*, and "
                "merge only these rows, with another batch id: this batch counts as merged"
            )
        return report

    def close(self) -> None:
        """Release the rows that Spark keeps for `quarantine`."""
        if self._kept is not None:
            self._kept.close()
