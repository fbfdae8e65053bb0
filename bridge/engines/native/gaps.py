"""Partial update modes as columns: which values are gaps, and how one version is filled from the others of its key."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines.control_columns import MADE, PREFIX
from bridge.spark import quoted
from mergers.strategies import MERGE_PROPERTY_PREFIX, UNAVAILABLE_VALUE, PartialUpdateMode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column, DataFrame, WindowSpec

    from payloads import AvroSchema

_SEGMENT, _LAST, _DELETED, _GIVES, _COUNT = (
    f"{PREFIX}{name}" for name in ("segment", "last_segment", "deleted", "gives", "givers")
)
_HELPERS = (_SEGMENT, _LAST, _DELETED, _GIVES, _COUNT)


class Gap(NamedTuple):
    """A column that may have gaps.

    Attributes:
        name: the column.
        marker: the value that is a gap; None for null.
    """

    name: str
    marker: str | bytes | None

    def of(self, column: Column) -> Column:
        """Whether a value of the column is a gap."""
        if self.marker is None:
            return column.isNull()
        return sf.coalesce(column == sf.lit(self.marker), sf.lit(False))


def gaps_of(mode: str | None, schema: AvroSchema, props: Mapping[str, str], *, reads_bytes: bool) -> tuple[Gap, ...]:
    """Return the columns of a schema that was made of a frame which a partial update mode fills.

    In such a schema only null is declared as a default. Spark's rows show no text of bytes to FILL_UNAVAILABLE.
    """
    if mode is None:
        return ()
    if PartialUpdateMode(mode) is PartialUpdateMode.IGNORE_DEFAULTS:
        return tuple(Gap(field.name, None) for field in schema.fields if field.schema.nullable)
    marker = props.get(MERGE_PROPERTY_PREFIX + UNAVAILABLE_VALUE)
    if marker is None:
        return ()
    kinds: dict[str, str | bytes] = {"string": marker}
    if reads_bytes:
        kinds["bytes"] = marker.encode()
    marked = [(field.name, field.schema.non_null) for field in schema.fields]
    return tuple(Gap(name, kinds[kind.kind]) for name, kind in marked if kind.kind in kinds and kind.logical is None)


def any_gap(gaps: tuple[Gap, ...], names: Mapping[str, str] | None = None) -> Column:
    """Whether one of the columns has a gap; `names` are their names in the frame."""
    tests = [gap.of(quoted(gap.name) if names is None else sf.col(names[gap.name])) for gap in gaps]
    return functools.reduce(operator.or_, tests, sf.lit(False))


def with_gaps_filled(  # noqa: PLR0913 (names of columns)
    versions: DataFrame,
    gaps: tuple[Gap, ...],
    names: Mapping[str, str],
    by_key: WindowSpec,
    *,
    position: str,
    high: str,
    dead: str,
) -> DataFrame:
    """Fill the last of the `high` versions of each key from the others, and tell in `_pb_made` whether that made it.

    A fold fills the version that wins from the one that loses. So a column has the value of the last version that won
    when it arrived and had one; else of the first that had one. A delete that wins starts anew, and until a row wins
    over it nothing is filled.

    Args:
        versions: all versions of a key.
        gaps: the columns to fill.
        names: their names in `versions`.
        by_key: the window of a key.
        position: the column by which versions arrived.
        high: the column that tells whether a version won when it arrived.
        dead: the column that tells whether it is a delete.
    """
    in_order = by_key.orderBy(position)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    whole = in_order.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    starts = (sf.col(high) & sf.col(dead)).cast("long")
    deleted = sf.last(sf.when(sf.col(high), sf.col(dead)), ignorenulls=True).over(so_far)
    told = versions.withColumns({_SEGMENT: sf.sum(starts).over(so_far), _DELETED: deleted})
    told = told.withColumn(_LAST, sf.max(_SEGMENT).over(whole))
    gives = ~sf.col(dead) & ~sf.coalesce(sf.col(_DELETED), sf.lit(True)) & (sf.col(_SEGMENT) == sf.col(_LAST))
    told = told.withColumn(_GIVES, gives)
    gives_high = sf.col(_GIVES) & sf.col(high)  # once for all columns: each expression takes calls of the JVM
    found = {names[gap.name]: _filled(gap, sf.col(names[gap.name]), sf.col(_GIVES), gives_high, whole) for gap in gaps}
    made = any_gap(gaps, names) & (sf.count_if(_GIVES).over(whole) > 1)
    return told.withColumns({**found, MADE: made}).drop(*_HELPERS)


def _filled(gap: Gap, own: Column, gives: Column, gives_high: Column, whole: WindowSpec) -> Column:
    value, has = sf.struct(own.alias("value")), ~gap.of(own)  # a value may be null, and no gap
    last = sf.last(sf.when(gives_high & has, value), ignorenulls=True).over(whole)
    first = sf.first(sf.when(gives & has, value), ignorenulls=True).over(whole)
    return sf.coalesce(last, first, value)["value"]
