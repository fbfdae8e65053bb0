"""The meta columns of written rows as expressions, for the engines that run no Python; see `bridge.merge.meta_columns`.

A kept row keeps its own. There is no file yet, so `_hoodie_file_name` is null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.engines.control_columns import ACTION
from bridge.merge import NO_PARTITION, Action
from bridge.spark import META_COLUMNS, quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from bridge.plan import MergePlan

_ROW_IN_TASK = 2**33 - 1  # the lower bits of monotonically_increasing_id
_WRITTEN = (int(Action.INSERT), int(Action.UPDATE))


def stamped(outcomes: DataFrame, plan: MergePlan, instant: str) -> DataFrame:
    """Set the meta columns of the rows that the commit of `instant` (yyyyMMddHHmmssSSS) writes."""
    row = sf.monotonically_increasing_id().bitwiseAND(_ROW_IN_TASK)
    new = (
        sf.lit(instant),
        sf.concat_ws("_", sf.lit(instant), sf.spark_partition_id(), row),
        _record_key(plan.key),
        sf.concat_ws("/", *map(_partition_path, plan.partition)),
        sf.lit(None),
    )
    is_written = sf.col(ACTION).isin(*_WRITTEN)
    stamps = dict(zip(META_COLUMNS, new, strict=True))
    return outcomes.select(
        *(
            sf.when(is_written, stamps[name]).otherwise(quoted(name)).alias(name) if name in stamps else quoted(name)
            for name in outcomes.columns
        )
    )


def _record_key(key: tuple[str, ...]) -> Column:
    if len(key) == 1:
        return _text(key[0])
    return sf.concat_ws(",", *(sf.concat(sf.lit(f"{name}:"), _text(name)) for name in key))


def _partition_path(name: str) -> Column:
    return sf.when(_text(name) != "", _text(name)).otherwise(NO_PARTITION)


def _text(name: str) -> Column:
    return quoted(name).cast("string")
