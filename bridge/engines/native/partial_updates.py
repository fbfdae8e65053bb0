"""Partial update modes as columns: which values are gaps, and how one version is filled from the others of its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines.control_columns import MADE, PREFIX
from bridge.spark import functions, quoted, quoted_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

_SEGMENT, _LAST, _DELETED, _GIVES, _RANK = (
    f"{PREFIX}{name}" for name in ("segment", "last_segment", "deleted", "gives", "rank")
)
_ROW = f"{PREFIX}row"
_HELPERS = (_SEGMENT, _LAST, _DELETED, _GIVES, _RANK, _ROW)


class Gap(NamedTuple):
    """A column that may have gaps.

    Attributes:
        name: the column.
        marker: the value that is a gap; None for null.
    """

    name: str
    marker: str | bytes | None

    def of(self, column: str) -> str:
        """Return, as SQL, whether a value of the column is a gap."""
        if self.marker is None:
            return f"{column} IS NULL"
        is_text = isinstance(self.marker, str)
        data = self.marker.encode() if isinstance(self.marker, str) else self.marker
        literal = f"X'{data.hex()}'"  # whatever the session takes for an escape
        return f"COALESCE({column} = {f'CAST({literal} AS STRING)' if is_text else literal}, FALSE)"


def any_gap(gaps: tuple[Gap, ...], names: Mapping[str, str] | None = None) -> Column:
    """Whether one of the columns has a gap; `names` are those of the frame, as SQL."""
    tests = [gap.of(quoted_name(gap.name) if names is None else names[gap.name]) for gap in gaps]
    return sf.expr(" OR ".join(["FALSE", *tests]))


def packed(versions: DataFrame, gaps: tuple[Gap, ...], names: Mapping[str, str], keys: Sequence[str]) -> DataFrame:
    """Return versions with the columns to fill as one struct, until `with_gaps_filled` fills them.

    Each window on the way copies its rows, and Spark compiles that copy column by column; a struct is one column.
    """
    filled = _to_fill(gaps, names, keys)
    kept = [quoted_name(name) for name in versions.columns if name not in filled]
    return versions.selectExpr(*kept, f"STRUCT({', '.join(filled) or 'NULL'}) AS {_ROW}")


def with_gaps_filled(  # noqa: PLR0913 (names of columns)
    versions: DataFrame,
    gaps: tuple[Gap, ...],
    names: Mapping[str, str],
    keys: Sequence[str],
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
        versions: all versions of a key, `packed`.
        gaps: the columns to fill.
        names: what these are called on the newer side.
        keys: the columns of a key.
        position: the column by which versions arrived.
        high: the column that tells whether a version won when it arrived.
        dead: the column that tells whether it is a delete.
    """
    in_order = Window.partitionBy(*map(quoted, keys)).orderBy(position)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    whole = in_order.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    starts = (sf.col(high) & sf.col(dead)).cast("long")
    deleted = sf.last(sf.when(sf.col(high), sf.col(dead)), ignorenulls=True).over(so_far)
    told = versions.withColumns({_SEGMENT: sf.sum(starts).over(so_far), _DELETED: deleted})
    told = told.withColumn(_LAST, sf.max(_SEGMENT).over(whole))
    gives = ~sf.col(dead) & ~sf.coalesce(sf.col(_DELETED), sf.lit(True)) & (sf.col(_SEGMENT) == sf.col(_LAST))
    told = told.withColumn(_GIVES, gives)
    # The most preferred version comes last: of those that won the last one, of the others the first one.
    number = sf.row_number().over(in_order)
    told = told.withColumn(_RANK, sf.when(sf.col(high), number).otherwise(-number))
    filled = _to_fill(gaps, names, keys)
    values = {name: f"{_ROW}.{name}" if name in filled else name for name in names.values()}
    made = any_gap(gaps, {old: values[new] for old, new in names.items()}) & (
        functions.count_if(_GIVES).over(whole) > 1
    )
    rows = (
        f"(PARTITION BY {', '.join(map(quoted_name, keys))} ORDER BY {_RANK} "
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
    )
    told = told.withColumn(MADE, made)
    kept = [quoted_name(name) for name in told.columns if name not in _HELPERS]
    return told.selectExpr(*kept, *(f"{_filled(gap, values[name], rows)} AS {name}" for name, gap in filled.items()))


def _to_fill(gaps: tuple[Gap, ...], names: Mapping[str, str], keys: Sequence[str]) -> dict[str, Gap]:
    """Return the columns to fill by their names: a key has one value in its own columns."""
    return {names[gap.name]: gap for gap in gaps if names[gap.name] not in keys}


def _filled(gap: Gap, own: str, rows: str) -> str:
    """Return, as SQL, a column without gaps where one of its key's `rows` gives a value; `own` is that of a version."""
    # Beside a marker a value may be null, and no gap.
    value = own if gap.marker is None else f"NAMED_STRUCT('value', {own})"
    gives = _GIVES if gap.marker is None else f"{_GIVES} AND NOT {gap.of(own)}"
    last = f"LAST(CASE WHEN {gives} THEN {value} END) IGNORE NULLS OVER {rows}"
    return f"COALESCE({last}, {value}){'' if gap.marker is None else '.value'}"
