"""The same batches on both sides of a comparison: which keys differ after each commit, by kind."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.difference import BY_IDENTITY, Counts
from bridge.compare.replay_report import TABLE, ReplayReport
from bridge.compare.replay_row_counts import ReplayRowCounts
from bridge.engines import COMMIT, recompiled, with_strategy_id
from bridge.errors import ClassLinkError, PlanError, TrustedRuleError, is_refusal, sentence_of
from bridge.merge import check_links
from bridge.pipeline import (
    KIND,
    KINDS,
    differences,
    has_quarantine,
    join_rows,
    quarantine_of,
    snapshots_of,
)
from bridge.spark import PySparkException, distinct_keys, functions, kept, observing
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.engines.trusted import Evidence
    from bridge.pipeline import Batches

_COUNT = "_pb_count"
LEFT_SIDE, RIGHT_SIDE = "left", "right"


def compare(batches: Batches, comparison: Comparison) -> ReplayReport:
    """Write the same batches to both tables of a comparison, and count the keys that differ after each commit.

    Raises:
        PayloadBridgeError, PySparkException: the left side fails. If only the right one fails, it is REFUSED.
        PlanError: the two plans are not an upgrade.
    """
    comparison = dataclasses.replace(comparison, operations=batches.operations_of(comparison.left))
    refused = comparison.refused_ordering()
    if refused is None:
        return _compared(batches, comparison)
    told = _compared(batches, comparison.without_ordering())
    why = f"{sentence_of(refused.error)}. Without the option: {told.verdict}".rstrip(".")
    return dataclasses.replace(told, refused=why)


def _compared(batches: Batches, comparison: Comparison) -> ReplayReport:
    versions = batches.versions(comparison.left)
    spark = versions.sparkSession
    check_links(comparison.left)
    comparison = dataclasses.replace(comparison, left=with_strategy_id(spark, comparison.left))
    named = batches.partitions_named(comparison.left)
    row_counts = ReplayRowCounts(versions, comparison.left, comparison.operations, named)
    checked: dict[str, list[Evidence]] = {LEFT_SIDE: [], RIGHT_SIDE: []}
    told = {"row_counts": True, "evidence": checked[LEFT_SIDE]}
    outcomes = {LEFT_SIDE: row_counts.of_side(LEFT_SIDE, comparison.left_outcomes(row_counts.versions, **told))}
    left = snapshots_of(outcomes[LEFT_SIDE])
    report = ReplayReport(batches, comparison, versions, left)
    try:
        check_links(comparison.right)
        comparison = dataclasses.replace(comparison, right=with_strategy_id(spark, comparison.right))
        report = dataclasses.replace(report, comparison=comparison, recompiled=recompiled(comparison.right))
        told = {"row_counts": True, "evidence": checked[RIGHT_SIDE]}
        outcomes[RIGHT_SIDE] = row_counts.of_side(RIGHT_SIDE, comparison.right_outcomes(row_counts.versions, **told))
        right = snapshots_of(outcomes[RIGHT_SIDE])
        choices = zip(comparison.choices(versions).items(), checked.values(), strict=True)
        report = dataclasses.replace(report, ran={name: one.told(evidence) for (name, one), evidence in choices})
        with observing(spark):  # a cached plan runs with the settings of the moment in which it is marked
            found = kept(_found(versions, comparison, left, right).where(sf.col(COMMIT) >= batches.first))
    except (PayloadBridgeError, PySparkException) as error:  # of Spark, where a class merges a sample at once
        # The settings may be wrong, not the release; a class that does not link is refused whatever the data is.
        if isinstance(error, PlanError | TrustedRuleError | ClassLinkError) or not is_refusal(error):
            row_counts.release()
            if not isinstance(error, ClassLinkError):
                raise
            return dataclasses.replace(report, refused=sentence_of(error))
        return _refused(report, error, row_counts)
    try:
        with comparison.job_description(versions, "keys that differ after each commit"), observing(spark):
            rows = found.groupBy(COMMIT, KIND).agg(sf.count(sf.lit(1)), functions.count_if(BY_IDENTITY)).collect()
    except (PayloadBridgeError, PySparkException) as error:
        found.unpersist()
        return _refused(report, error, row_counts)
    except BaseException:
        found.unpersist()
        row_counts.release()
        raise
    numbers = {(commit, kind): number for commit, kind, number, _ in rows}
    first, last = batches.first, comparison.commits
    by_identity = sum(number for commit, _, _, number in rows if commit == last)
    counts = (Counts(commit, *(numbers.get((commit, kind), 0) for kind in KINDS)) for commit in range(first, last + 1))
    report = dataclasses.replace(
        report, right_rows=right, differing=found, counts=tuple(counts), by_identity=by_identity
    )
    report = dataclasses.replace(report, row_counts=row_counts.read(*outcomes), outcomes=row_counts.kept)
    aside = [
        quarantine_of(frame).withColumn(TABLE, sf.lit(side))
        for side, frame in outcomes.items()
        if has_quarantine(frame)
    ]
    if not aside:
        return report
    quarantine = functools.reduce(lambda one, other: one.unionByName(other), aside)
    quarantined = {row[0]: row[1] for row in quarantine.groupBy(TABLE).count().collect()}
    return dataclasses.replace(report, quarantine=quarantine, quarantined=quarantined)


def _refused(report: ReplayReport, error: Exception, row_counts: ReplayRowCounts) -> ReplayReport:
    """Return the report of a right side that fails; the left one raises if it is at fault."""
    with report.comparison.job_description(report.left, "the left side alone"), observing(report.left.sparkSession):
        report.left.count()
    return dataclasses.replace(
        report, refused=sentence_of(error), row_counts=row_counts.read(LEFT_SIDE), outcomes=row_counts.kept
    )


def _found(versions: DataFrame, sides: Comparison, left: DataFrame, right: DataFrame) -> DataFrame:
    """Return the differences; `_pb_by_identity`: there is none if IGNORE_DEFAULTS compares values, not objects."""
    keys = [COMMIT, *sides.left.identity]
    duplicates = sides.may_store_twice
    found = differences(left, right, sides.left.identity, duplicates=duplicates)
    if not sides.missed_defaults():
        return found.withColumn(BY_IDENTITY, sf.lit(False))
    intended = sides.as_intended()
    both = intended.left_of(versions), intended.right_of(versions)
    same = differences(*both, sides.left.identity, duplicates=duplicates)
    marked = distinct_keys(same, keys).withColumn(_COUNT, sf.lit(True))
    return join_rows(found, marked, keys, "left").withColumn(BY_IDENTITY, sf.col(_COUNT).isNull()).drop(_COUNT)
