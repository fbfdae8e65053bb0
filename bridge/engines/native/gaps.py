"""Partial update modes as columns: which values are gaps, and how one version is filled from the others of its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines.control_columns import MADE, PREFIX
from bridge.spark import quoted, quoted_name
from payloads.rules import DATA, META_COLUMNS, FirstNonDefault, FirstNonMarker, FirstNonNull, Role, Take

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

    from payloads import AvroSchema
    from payloads.rules import Column as RuleColumn
    from payloads.rules import MergeRule

_SEGMENT, _LAST, _DELETED, _GIVES, _RANK = (
    f"{PREFIX}{name}" for name in ("segment", "last_segment", "deleted", "gives", "rank")
)
_ROW = f"{PREFIX}row"
_FROM_OTHER = (Take(Role.LATER), Take(Role.EARLIER))
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


def gaps_of(rule: MergeRule, schema: AvroSchema) -> tuple[Gap, ...]:
    """Return the columns that a rule fills from the other version; meta columns are not merged here."""
    found: list[Gap] = []
    for name, node in rule.columns.items():
        match node:
            case FirstNonDefault() | FirstNonNull() if name == DATA:
                found += [Gap(field.name, None) for field in schema.fields if field.schema.nullable]
            case FirstNonMarker(marker=marker):
                if schema.by_name[name].schema.non_null.logical is None:
                    found.append(Gap(name, marker))
            case _:
                pass
    return tuple(found)


def unfilled(rule: MergeRule, schema: AvroSchema) -> list[RuleColumn]:
    """Return the nodes of columns for which `gaps_of` is not enough."""
    has_defaults = any(field.has_default and field.default is not None for field in schema.fields)
    found: list[RuleColumn] = []
    for name, node in rule.columns.items():
        match node:
            case _ if name in META_COLUMNS:
                continue
            case Take(Role.LATER):
                continue
            case FirstNonDefault(values) | FirstNonNull(values) if name == DATA and not has_defaults:
                is_filled = values == _FROM_OTHER
            case FirstNonMarker(values):
                is_filled = values == _FROM_OTHER
            case _:
                is_filled = False
        if not is_filled:
            found.append(node)
    return found


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
    made = any_gap(gaps, {old: values[new] for old, new in names.items()}) & (sf.count_if(_GIVES).over(whole) > 1)
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
