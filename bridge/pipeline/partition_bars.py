"""Keys by partition, as bars of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.redaction import current
from bridge.report import Chart, json_field
from bridge.spark import distinct_keys, key_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from bridge.plan import MergePlan
    from bridge.report import Bar

_EMPTY = "(none)"


def keys_by_partition(versions: DataFrame, plan: MergePlan) -> dict[str, int]:
    """Return how many keys the batches have, by partition."""
    keys = distinct_keys(versions, plan.identity)
    rows = keys.groupBy(*key_columns(keys, plan.partition)).count()
    return {partition_name(plan, row[:-1]): row[-1] for row in rows.collect()}


def partition_name(plan: MergePlan, values: Sequence[object]) -> str:
    """Return the values of the partition columns as the page shows them."""
    named = zip(plan.partition, values, strict=True)
    return "/".join(
        _EMPTY if value in {None, ""} else json_field(name, value) if current().hides(name) else str(value)
        for name, value in named
    )


def chart_of(title: str, bars: Sequence[Bar], shown: Sequence[Bar]) -> Chart:
    """Return a chart of some of the bars, which says so."""
    return Chart(title, shown, "" if len(shown) == len(bars) else f"{len(shown)} of {len(bars):,} are shown")
