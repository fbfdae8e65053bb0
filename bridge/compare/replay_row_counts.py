"""The row counts of both sides of a comparison, from the jobs that compare them: no row is merged again for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import COMMIT, IS_DELETE, ORIGIN, SIDES, RowCounts, RowStatus, statuses_of
from bridge.pipeline import row_counts_in, with_partitions
from bridge.programs import Origin
from bridge.report import Table
from bridge.spark import ObservedFrame, can_observe, functions, in_one_task, kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.pipeline import NamedPartitions
    from bridge.plan import MergePlan
    from bridge.programs import Operations
    from bridge.report import JsonObject


class ReplayRowCounts:
    """Counts the rows that both sides take in, and what became of them.

    Outcomes that Spark keeps tell it themselves. Others are observed while one job compares them, so that nothing has
    to be kept.

    Attributes:
        versions: the rows of all batches, to be used in place of those that were given.
    """

    def __init__(
        self, versions: DataFrame, plan: MergePlan, operations: Operations, named: NamedPartitions | None = None
    ) -> None:
        """Take the rows of all batches, and the partitions that some name (`Batches.partitions_named`).

        Outcomes are kept where they are read once more: to quarantine keys, and to look for these partitions.
        """
        spark = versions.sparkSession
        reads_again = plan.on_error == "quarantine" or named is not None
        self._keeps = reads_again or in_one_task(spark) or not can_observe(spark)
        self._named = named
        self._counts = tuple(_counts(versions, operations))
        self._rows = None if self._keeps else ObservedFrame(versions, *self._counts)
        self.versions = versions if self._rows is None else self._rows.frame
        self._sides: JsonObject = {}

    def of_side(self, name: str, outcomes: DataFrame) -> DataFrame:
        """Return the outcomes of a side, to be used in place of those that were given."""
        if self._keeps:
            self._sides[name] = found = kept(outcomes)
            return found
        self._sides[name] = seen = ObservedFrame(outcomes, *statuses_of(outcomes))
        return seen.frame

    def read(self, *names: str) -> dict[str, RowCounts]:
        """Return the row counts of sides whose outcomes a job has computed.

        Raises:
            RowCountsError: rows were lost or doubled.
        """
        counts = (
            self.versions.select(*self._counts).collect()[0].asDict() if self._rows is None else self._rows.counts()
        )
        rows_in = {side: int(number) for side, number in counts.items() if number}
        found = {}
        for name in names:
            side = self._sides[name]
            found[name] = row_counts_in(side, rows_in) if self._keeps else RowCounts.of_observed(rows_in, side.counts())
            found[name] = with_partitions(found[name], side, self._named)
            found[name].check_sides()
        return found

    @property
    def kept(self) -> tuple[DataFrame, ...]:
        """What Spark keeps for it."""
        return tuple(self._sides.values()) if self._keeps else ()

    def release(self) -> None:
        """Release what Spark keeps."""
        for frame in self.kept:
            frame.unpersist()


def _counts(versions: DataFrame, operations: Operations) -> Iterator[Column]:
    """Count rows by side, without the keys that an overwrite removes."""
    replacing = [number for number, one in operations.by_commit.items() if one.replaces]
    is_row = ~(sf.col(IS_DELETE) & sf.col(COMMIT).isin(*replacing)) if replacing else sf.lit(True)
    for origin in Origin:
        of_side = sf.lit(origin is Origin.INCOMING)
        if ORIGIN in versions.columns:
            of_side = sf.col(ORIGIN) == int(origin)
        yield functions.count_if(of_side & is_row).alias(SIDES[origin])


def both_row_counts_table(row_counts: Mapping[str, RowCounts], sides: Comparison) -> Table:
    """Return the statuses by merge point and side of both tables; a refused one has none."""
    both = zip(sides.names, row_counts.values(), strict=False)
    lines = [{"table": name, **line} for name, one in both for line in one.lines()]
    title = f"Row counts, {sides.left.table_type.long_name}"
    return Table.of_rows(("table", "merge_point", "side", *RowStatus), lines, title)
