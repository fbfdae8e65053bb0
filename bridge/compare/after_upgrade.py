"""The rows of a table before an upgrade beside those after it, as a report of readers."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.compare.other_programs import compared_with
from bridge.compare.readers import compare_readers
from bridge.compare.readers_report import READER, ReaderResult, ReadersReport
from bridge.compare.upgrade_compaction import upgraded_slices
from bridge.pipeline import KIND, KINDS
from bridge.spark import kept, quoted
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.hudi import HudiTable
    from payloads import HudiRelease


def compare_upgraded(
    table: HudiTable, release: HudiRelease, properties: Mapping[str, str] | None = None
) -> ReadersReport:
    """Compare the rows of a table with those that it shows after an upgrade, which are the only reader of the result.

    Args:
        table: the table, read by its own release.
        release: the one that upgrades.
        properties: as in `upgraded_slices`.

    Raises:
        HudiTableError, MergeFailedError: the table can't be read by its own release.
    """
    found = None
    with contextlib.suppress(PayloadBridgeError):  # the comparison of readers says why
        found = upgraded_slices(table, release, properties)
    if found is None or not found.may_differ:
        return compare_readers(table, [release])
    reader, own = table.read_by(release), table.snapshot()
    rows = own.count()
    differing = kept(compared_with(table, own, found.rows(reader)))
    with contextlib.ExitStack() as closing:
        closing.callback(differing.unpersist)
        counts = {row[0]: row[1] for row in differing.groupBy(KIND).count().collect()}
        return ReadersReport(
            table,
            table.queries().timeline.latest,
            (ReaderResult(str(release), *(counts.get(kind, 0) for kind in KINDS)),),
            rows,
            logged=None,
            slices=len(found.before.slices),
            differing=differing.withColumn(READER, sf.lit(1)),
            all_rows=lambda columns: own.select(*map(quoted, columns)),
            resources=closing.pop_all(),
        )
