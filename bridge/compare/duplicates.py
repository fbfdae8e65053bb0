"""Warnings of the keys that a table stores more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines import COMMIT
from bridge.report import counted
from bridge.spark import key_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison


def duplicate_warnings(comparison: Comparison, sides: tuple[DataFrame, DataFrame | None]) -> list[str]:
    """Return a sentence on each side that has several rows of a key after the last batch, as queries see them."""
    if not comparison.may_store_twice:
        return []
    found = []
    for name, rows in zip(comparison.names, sides, strict=True):
        if rows is None:
            continue
        last = rows.where(sf.col(COMMIT) == comparison.commits)
        several = last.groupBy(*key_columns(rows, comparison.left.identity)).count().where("count > 1")
        with comparison.job_description(rows, "keys that are stored more than once"):
            number = several.count()
        if number:
            found.append(
                f"{name} has several rows of {counted(number, 'key')} after the last batch; rows equal on both "
                "sides are paired, and only the rest counts as different"
            )
    return found
