"""The result of one merge point on frames: the rows, the row counts of the run, and the quarantine."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple, Protocol

from bridge.config import keys
from bridge.engines import RowStatus, recompiled_warnings
from bridge.merge import class_warnings
from bridge.pipeline.point_run import PointRun
from bridge.pipeline.row_counts_report import report_quarantine, row_counts_table, statistics_of
from bridge.programs import small_file_candidates
from bridge.report import Listing, Report, counted, list_rows, plan_as_json, shown_constants
from bridge.spark import described, observing, quoted

if TYPE_CHECKING:
    import contextlib

    from pyspark.sql import DataFrame

    from bridge.engines import RowCounts
    from bridge.plan import MergePlan


class Output(Protocol):
    """Where frames are written, complete or not at all."""

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Write a frame, below `name` where there are several."""

    def aside(self, frame: DataFrame, name: str) -> DataFrame:
        """Write a frame from which later ones are made, and return what was written."""

    def drop(self, name: str) -> None:
        """Delete what `aside` wrote."""


class Written(NamedTuple):
    """What an output has of a merge.

    Attributes:
        place: where the results are.
        row_counts: what became of the rows that came in.
    """

    place: str
    row_counts: RowCounts


def merge_frames(
    point: str,
    plan: MergePlan,
    *,
    stored: DataFrame | None = None,
    log: DataFrame | None = None,
    incoming: DataFrame | None = None,
) -> MergeReport:
    """Run a merge point on frames; nothing is computed before the result is read.

    Args:
        point: combine-input, upsert, append, compact or snapshot, which are the functions of these names.
        plan: how versions merge; `on_error` says what to do with a key that can't be merged.
        stored: the rows of the table's base files, for all but combine-input.
        log: the log of a merge-on-read table, as an append returned it, for compact and snapshot; an append may have
            an older one.
        incoming: the batch to merge, for combine-input, upsert and append.

    Raises:
        ParameterError: the point does not exist, or an input is missing or superfluous.
        PlanError: a column that the plan names is missing, or a setting is not supported.
    """
    given = {"stored": stored, "log": log, "incoming": incoming}
    return MergeReport(PointRun(point, {name: frame for name, frame in given.items() if frame is not None}, plan))


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MergeReport(Listing):
    """The result of `merge_frames`.

    The first read of any part computes all parts in one job. Spark keeps the result until `close`, or the end of a
    `with` block.

    Attributes:
        run: the merge point.
        written: what was written, if `write` was called.
    """

    run: PointRun
    written: Written | None = None

    @property
    def verdict(self) -> str:
        """How many rows the result has, in a sentence. Errors as in `row_counts`."""
        where = "" if self.written is None else f", written to {self.written.place}"
        return f"{self.run.point}: {counted(self.row_counts.rows_out, 'row')}{where}."

    @functools.cached_property
    def _kept(self) -> DataFrame:
        # Spark tells what it observed of a cached frame, and nothing of a checkpoint.
        # A cached plan runs with the settings of the moment in which it is marked.
        with observing(self.run.outcomes.sparkSession):
            return self.run.outcomes.persist()

    @functools.cached_property
    def frames(self) -> dict[str, DataFrame]:
        """The results by name: `rows`, or `stored` and `log` of an append; and `quarantine`, if asked.

        Errors as in `row_counts`.
        """
        self.row_counts  # noqa: B018 (it computes the outcomes, and refuses those that don't balance)
        return self.run.split(self._kept)

    @functools.cached_property
    def row_counts(self) -> RowCounts:
        """Row counts.

        Raises:
            RowCountsError: rows were lost or doubled.
            MergeFailedError, PySparkException: a key can't be merged, and the plan has `on_error="fail"`.
        """
        if self.written is not None:
            return self.written.row_counts
        with self._described(), observing(self._kept.sparkSession):
            self._kept.write.format("noop").mode("overwrite").save()
        return self.run.row_counts(self._kept)

    @property
    def rows(self) -> DataFrame:
        """The rows of the result; of an append the stored rows. Errors as in `row_counts`."""
        return self.frames.get("rows", self.frames.get("stored"))  # type: ignore[return-value]  # it has one of them

    @property
    def log(self) -> DataFrame | None:
        """The log after an append; None after anything else. Errors as in `row_counts`."""
        return self.frames.get("log")

    @property
    def quarantine(self) -> DataFrame | None:
        """The versions of keys that can't be merged; None unless the plan quarantines them. Errors as in `row_counts`.

        All versions of such a key are here, the stored row included, and none in the result. Besides the data columns:
        `_pb_reason`, `_pb_merge_point` and `_pb_side` (stored, log, incoming) as text, `_pb_commit` (the number of the
        batch or log block, null for others), `_pb_kind` (data, delete), and `_pb_ordering` of a delete entry.
        """
        return self.frames.get("quarantine")

    def write(self, out: Output, place: str) -> MergeReport:
        """Write the results in one pass over the inputs; several outputs are split after the outcomes are written.

        Raises:
            RowCountsError: the rows that came in are not those that are accounted for.
        """
        run = self.run
        with self._described(), observing(run.outcomes.sparkSession):
            if run.has_one_result:
                for frame in run.split(run.outcomes).values():
                    out.write(frame)
                return dataclasses.replace(self, written=Written(place, run.row_counts(run.outcomes)))
            outcomes = out.aside(run.outcomes, "outcomes")
            row_counts = run.row_counts(outcomes)
            for name, frame in run.split(outcomes).items():
                out.write(frame, name)
            out.drop("outcomes")
        return dataclasses.replace(self, written=Written(place, row_counts))

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line with `sample` rows; None for all, or for some if not `whole`."""
        plan, ran, row_counts = self.run.plan, self.run.choice, self.row_counts
        about = {"point": self.run.point, "ran": {"engine": ran.engine.value, "why": ran.why}}
        report = Report("merge", self.verdict, plan=plan_as_json(plan) | about)
        report.warnings = class_warnings(plan) + recompiled_warnings(plan)
        if self.run.point == "append" and small_file_candidates(plan.props):
            report.warnings.append(
                f"{keys.SMALL_FILE_LIMIT} is not followed by append, which sends each update to the log; simulate "
                "follows it"
            )
        report.statistics = statistics_of(row_counts)
        counts = {name.replace("_", " "): n for name, n in report.statistics.items() if isinstance(n, int)}
        report.body = [
            f"engine {ran.engine}: {ran.why}",
            ", ".join(f"{name} {n}" for name, n in counts.items()),
            row_counts_table(row_counts),
        ]
        if self.run.evidence is not None:
            report.plan["trusted"] = self.run.evidence.as_json
            report.body += self.run.evidence.found.sentences
            report.warnings += shown_constants()
        if self.written is None:
            self._list(report, sample, whole=whole)
        newer = [side for side in row_counts.rows_in if side != "stored"]
        report_quarantine(
            report,
            row_counts.total(RowStatus.QUARANTINED),
            all_that_came=row_counts.total(RowStatus.QUARANTINED, newer)
            == sum(row_counts.rows_in[side] for side in newer),
            where="among the results" if self.written is None else f"in {self.written.place}/quarantine",
        )
        return report

    def _list(self, report: Report, sample: int | None, *, whole: bool) -> None:
        """Add the rows of each result to the report."""
        for name, frame in self.frames.items():
            ordered = frame.orderBy(*map(quoted, self.run.plan.identity))
            before = len(report.results)
            list_rows(report, ordered, frame.count(), sample, whole=whole, name=name)
            if len(self.frames) > 1:
                report.results[before:] = [{"to": name, **row} for row in report.results[before:]]

    def _described(self) -> contextlib.AbstractContextManager[None]:
        plan = self.run.plan
        what = f"{self.run.point}: {plan.payload_name}, Hudi {plan.release}, {plan.table_type.long_name}"
        return described(self.run.outcomes.sparkSession, what)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if "_kept" in vars(self):
            self._kept.unpersist()
