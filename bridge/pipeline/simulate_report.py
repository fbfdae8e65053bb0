"""The report of `simulate`: the snapshot after each batch, what each commit changed, where two table types disagree."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines import COMMIT, RowStatus, recompiled_warnings
from bridge.merge import class_warnings
from bridge.pipeline.batches import as_batches
from bridge.pipeline.course import Course
from bridge.pipeline.differences import Figures, disagreements, figures
from bridge.pipeline.point_run import has_quarantine, quarantine_of
from bridge.pipeline.row_counts_report import report_quarantine, row_counts_in, row_counts_table, with_partitions
from bridge.pipeline.run import choice_of, report_choices
from bridge.pipeline.scope_report import report_scope
from bridge.pipeline.simulate import program_of, simulate_outcomes, snapshots_of, upgrade_outcomes
from bridge.programs import NextWriter, inline_warnings, may_store_twice, operation_warnings
from bridge.report import SAMPLE, Listing, Report, Table, counted, json_rows, limit_of, plan_as_json
from bridge.spark import described, kept, quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import DataFrame

    from bridge.engines import Choice, RowCounts
    from bridge.pipeline.batches import Batches, BatchesLike
    from bridge.plan import MergePlan
    from bridge.report import JsonObject

_PLACE = "_pb_place"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class SimulateReport(Listing):
    """The result of `simulate` for one table. Nothing runs before a figure or a row is read.

    Once figures are read, Spark keeps the snapshots; `close`, or the end of a `with` block, releases them.

    Attributes:
        batches: what was written.
        plan: how versions merged until the upgrade to `new`.
        outcomes: the rows of all snapshots, each once, and the source of `row_counts` and `quarantine`.
        compact_after: the commits after which the log was compacted.
        new: the plan after the upgrade, which follows the commit `upgrade_after`.
        upgrade_after: the number of that commit; None without an upgrade.
        via: the writers between `plan` and `new`.
        keep_table_version: whether `new` left the table at its version.
        ran: which engine runs the commits, and why.
    """

    batches: Batches
    plan: MergePlan
    outcomes: DataFrame
    compact_after: tuple[int, ...] = ()
    new: MergePlan | None = None
    upgrade_after: int | None = None
    via: tuple[NextWriter, ...] = ()
    keep_table_version: bool = False
    ran: Choice | None = None

    @property
    def quarantine(self) -> DataFrame | None:
        """All versions of the keys that can't be merged, which no snapshot has; None unless the plan quarantines them.

        The columns besides the data are those of `MergeReport.quarantine`.
        """
        return quarantine_of(self._kept_outcomes) if has_quarantine(self._kept_outcomes) else None

    @functools.cached_property
    def row_counts(self) -> RowCounts:
        """The row counts, by the snapshot after each batch.

        A row is kept if that snapshot shows it and the one before did not, merged if the snapshot shows another row of
        its key that is new, deleted if it shows less than before, and ignored if it shows what it did before. A row of
        a delete_partition is deleted, too, if its partition was shown before, else ignored.

        Raises:
            RowCountsError: rows were lost or doubled.
        """
        found = row_counts_in(self._kept_outcomes, {"incoming": self.batches.rows_of(self.plan)})
        found = with_partitions(found, self._kept_outcomes, self.batches.partitions_named(self.plan), are_in=True)
        found.check_sides()
        return found

    @functools.cached_property
    def quarantined(self) -> int:
        """How many rows are in quarantine."""
        return 0 if self.quarantine is None else self.quarantine.count()

    @functools.cached_property
    def figures(self) -> tuple[Figures, ...]:
        """What each commit changed: rows, and keys inserted, changed and deleted."""
        plan = self.plan
        what = f"{plan.payload_name}, Hudi {plan.release}, {plan.table_type.long_name}: the snapshot after each commit"
        with described(self.snapshots.sparkSession, what):
            return tuple(figures(self.kept, plan.identity, len(self.batches), duplicates=self.has_duplicates))

    @property
    def has_duplicates(self) -> bool:
        """Whether a key may have several rows in a partition."""
        new, operations = self.new, self.batches.operations_of(self.plan)
        writers = () if new is None else (*self.via, NextWriter(self.upgrade_after or 0, new))
        return may_store_twice(self.plan, operations, writers)

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return self.to_report(whole=False).verdict

    @property
    def success(self) -> bool:
        """True: an error of a payload or of the settings is raised."""
        return True

    @property
    def snapshots(self) -> DataFrame:
        """The rows of the table after each commit, with the number of the commit in `_pb_commit` (from 1)."""
        return snapshots_of(self.outcomes)

    @functools.cached_property
    def _kept_outcomes(self) -> DataFrame:
        return kept(self.outcomes)

    @functools.cached_property
    def kept(self) -> DataFrame:
        """The snapshots, which Spark keeps from the first job on."""
        return snapshots_of(self._kept_outcomes)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line; `whole`: with the rows of each snapshot, `sample` of them at most."""
        return report_simulations([self], sample, whole=whole)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if "_kept_outcomes" in self.__dict__:
            self._kept_outcomes.unpersist()


def simulate(
    batches: BatchesLike,
    plan: MergePlan,
    *,
    plain_after: int | None = None,
    compact_after: Collection[int] = (),
    compact_every: int | None = None,
) -> SimulateReport:
    """Write batches in order to an empty table of the plan's type, and take the snapshot after each.

    All commits run in one job and are numbered from 1. A column that a later batch adds is null in earlier snapshots.

    Args:
        batches: the batches, or one DataFrame per batch.
        plan: how versions merge.
        plain_after: the batch, from 1, after which the writer passes neither payload class nor merge mode, as most
            later writers do.
        compact_after: the batches after which the log of a merge-on-read table is compacted, before the snapshot.
        compact_every: instead of `compact_after`: compact the log after every N batches.

    Raises:
        ParameterError: parameters contradict each other, or name a batch that does not exist.
        InputError: a batch does not fit the one before it.
        PlanError: a column that the plan names is missing, or a setting is not supported.
        MergeFailedError: with `trust_rule`, a class gives another row than its rule for a key of the sample.
    """
    written = as_batches(batches)
    settings: dict[str, Any] = {"plain_after": plain_after, "compact_every": compact_every}
    compactions = Course.of(len(written), {plan.table_type}, compact_after=compact_after, **settings).compact_after
    settings = {"compact_after": compactions}
    if plain_after is not None:
        settings |= {"upgrade_after": plain_after, "keep_table_version": True}
        return simulate_upgrade(written, plan, plan.as_plain(), **settings)
    versions, operations, checked = written.versions(plan), written.operations_of(plan), list[Any]()
    settings |= {"commits": len(written), "operations": operations, "row_counts": True, "evidence": checked}
    outcomes = simulate_outcomes(versions, plan, **settings)
    ran = choice_of(program_of(plan, operations), plan, versions).told(checked)
    return SimulateReport(written, plan, outcomes, compactions, ran=ran)


def simulate_upgrade(  # noqa: PLR0913 (keyword-only settings of one table)
    batches: BatchesLike,
    old: MergePlan,
    new: MergePlan,
    *,
    upgrade_after: int,
    keep_table_version: bool = False,
    via: Sequence[NextWriter] = (),
    compact_after: Collection[int] = (),
) -> SimulateReport:
    """Simulate a table that `old` writes until the batch `upgrade_after`, and `new` from then on.

    The upgrade is part of the first write of the new release. If the release of `new` is older, the table is downgraded
    first. With `keep_table_version` the new release leaves the table at its version. `via` are intermediate writers,
    for an upgrade in several steps. If `upgrade_after` is the last batch, the new release only reads, and the last
    snapshot is what it shows.

    Raises:
        ParameterError: a compaction is impossible.
        PlanError: there is nothing to upgrade, or more differs than what the writer passes.
        MergeConfigError: the settings contradict each other; in Hudi's words.
        InputError: a batch does not fit the one before it.
    """
    written = as_batches(batches)
    compactions = Course.of(len(written), {old.table_type}, compact_after=compact_after).compact_after
    outcomes = upgrade_outcomes(
        versions := written.versions(old),
        old,
        (*via, NextWriter(upgrade_after, new, keep_table_version)),
        commits=len(written),
        compact_after=compactions,
        operations=written.operations_of(old),
        row_counts=True,
    )
    ran = choice_of(program_of(old, written.operations_of(old), upgraded=True), old, versions)
    return SimulateReport(written, old, outcomes, compactions, new, upgrade_after, tuple(via), keep_table_version, ran)


# -- the report


def report_simulations(parts: Sequence[SimulateReport], sample: int | None, *, whole: bool) -> Report:
    """Report tables of the same batches and settings, one a table type.

    Args:
        parts: the tables; of two, the keys on which they disagree are reported, too.
        sample: how many rows or keys to show.
        whole: whether the results have the rows of the snapshots.
    """
    plan = (first := parts[0]).plan
    report = Report("simulate", "", plan=plan_as_json(plan), warnings=class_warnings(plan))
    report.warnings += recompiled_warnings(plan, first.new or plan)
    plans = (*(part.plan for part in parts), first.new or plan)
    report.warnings += operation_warnings(first.batches.operations_of(plan), *plans)
    for part in parts:
        report.warnings += inline_warnings(part.plan, len(part.batches), part.compact_after)
    types = plan.table_type.value if len(parts) == 1 else "both"
    report.plan |= {"table_type": types, "compact_after": list(parts[-1].compact_after)}
    if first.new is not None:
        taken_over = {
            "to": str(first.new.release),
            "upgrade_after": first.upgrade_after,
            "via": [one.step for one in first.via],
            "keep_table_version": first.keep_table_version,
        }
        report.plan |= {"plain_after": first.upgrade_after} if first.new.plain else taken_over
    disagreeing: dict[str, DataFrame] | None = None
    if len(parts) == 1:
        _tell(report, parts, {})
    else:
        commits = len(first.batches)
        differing = disagreements(
            first.kept, parts[1].kept, plan.identity, duplicates=any(part.has_duplicates for part in parts)
        )
        counts = dict(map(tuple, differing.groupBy(COMMIT).count().collect()))
        _tell(report, parts, counts)
        last = differing.where(sf.col(COMMIT) == commits).drop(COMMIT)
        _name_keys(report, last, counts.get(commits, 0), commits, sample)
        disagreeing = {"both table types": last}
    if whole:
        _add_snapshots(report, parts, sample)
    for part in parts:
        _add_quarantine(report, part, sample, whole=whole)
    report_scope(report, first.batches, plan, disagreeing, "disagree after the last batch")
    report_choices(report, {part.plan.table_type.value: part.ran for part in parts if part.ran is not None})
    return report


def _tell(report: Report, parts: Sequence[SimulateReport], differing: dict[int, int]) -> None:
    """Put the figures of all commits into the report; `differing` are the keys on which table types disagree."""
    lines = []
    for part in parts:
        for own in part.figures[part.batches.first - 1 :]:
            batch = part.batches.names[own.commit - 1]
            line = {"table type": part.plan.table_type.value, "batch": batch, **own._asdict()}
            if len(parts) > 1:
                line["disagree"] = differing.get(own.commit, 0)
            lines.append(line)
    report.body.append(Table.of_rows(tuple(lines[0]), lines, "What each commit changed in the snapshot"))
    batches = parts[0].batches
    totals = {name: sum(getattr(own, name) for part in parts for own in part.figures) for name in Figures._fields[2:]}
    rows_in = batches.rows_of(parts[0].plan)
    written = rows_in * len(parts)
    quarantined = sum(part.quarantined for part in parts)
    row_counts = {part.plan.table_type.value: part.row_counts for part in parts}
    report.statistics = {
        "rows_in": written,
        "rows_out": sum(part.figures[-1].rows for part in parts),
        "inserted": totals["inserted"],
        "changed": totals["changed"],
        "removed": totals["deleted"],
        **{status.value: sum(one.total(status) for one in row_counts.values()) for status in RowStatus},
        "books": {table_type: one.lines() for table_type, one in row_counts.items()},
        "commits": len(batches),
    }
    for table_type, one in row_counts.items():
        report.body.append(row_counts_table(one, table_type if len(parts) > 1 else ""))
    rows = " and ".join(f"{part.figures[-1].rows} ({part.plan.table_type.value})" for part in parts)
    rows = f"{rows} row{'' if len(parts) == 1 and parts[0].figures[-1].rows == 1 else 's'}"
    report.verdict = (
        f"{counted(rows_in, 'row')} in {counted(len(batches), 'batch', 'batches')}; the last snapshot has {rows}."
    )
    report_quarantine(report, quarantined, all_that_came=quarantined == written, where="with them")


def _name_keys(report: Report, keys: DataFrame, number: int, commits: int, sample: int | None) -> None:
    """Name some of the `number` keys on which the table types disagree after the last commit."""
    report.statistics["disagreeing_keys"] = number
    if not number:
        report.verdict += " Both table types agree on every key."
        return
    report.verdict += f" The table types disagree on {number} {'key' if number == 1 else 'keys'}."
    shown = json_rows(keys.limit(SAMPLE if sample is None else sample))
    count = "" if len(shown) == number else f", {len(shown)} of {number}"
    title = f"Keys on which the table types disagree after commit {commits}{count}"
    report.body.append(Table.of_rows(keys.columns, shown, title))


def _add_snapshots(report: Report, parts: Sequence[SimulateReport], sample: int | None) -> None:
    """Put the snapshots into the results, `sample` rows of each."""
    limit, identity = limit_of(sample, whole=True), [*map(quoted, parts[0].plan.identity)]
    for part in parts:
        by_commit: dict[int, list[JsonObject]] = collections.defaultdict(list)
        place = sf.row_number().over(Window.partitionBy(COMMIT).orderBy(*identity))
        first = part.kept.withColumn(_PLACE, place).where(sf.col(_PLACE) <= limit).drop(_PLACE)
        for row in json_rows(first.orderBy(COMMIT, *identity)):
            by_commit[row.pop(COMMIT)].append(row)
        table_type = part.plan.table_type.value
        report.results += [
            {"commit": commit, "table_type": table_type, "snapshot": by_commit[commit]}
            for commit in range(part.batches.first, len(part.batches) + 1)
        ]
    if any(own.rows > limit for part in parts for own in part.figures):
        report.warnings.append(f"only the first {limit} rows of each snapshot are listed (--sample)")


def _add_quarantine(report: Report, part: SimulateReport, sample: int | None, *, whole: bool) -> None:
    """Put the rows in quarantine into the results and the text: at most `sample`, or a readable number."""
    if part.quarantine is None or not part.quarantined:
        return
    table_type, rows = part.plan.table_type, json_rows(part.quarantine.limit(limit_of(sample, whole=whole)))
    report.results.append({"table_type": table_type.value, "quarantine": rows})
    shown = rows[: limit_of(sample, whole=False)]
    title = f"In quarantine, {table_type.long_name}: {len(shown)} of {part.quarantined} rows"
    report.body.append(Table.of_rows(tuple(part.quarantine.columns), shown, title))
