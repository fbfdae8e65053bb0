"""Values that are more frequent among the rows that differ than among all: country=DE in 90% of them, in 12% of all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.pipeline import LEFT, RIGHT, percent
from bridge.redaction import current
from bridge.report import Table
from bridge.spark import functions, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.report import JsonObject

_LEAST_ROWS: Final = 5
_LEAST_GAIN: Final = 0.2
_LEAST_DEVIATIONS: Final = 4.0
"""How far a share is from that of all rows, in standard deviations of a random draw (by chance 1 in 30,000)."""
_SAMPLE: Final = 10_000
"""About how many rows are looked through for frequent values, which are then counted in all."""
_MOST: Final = 5
_LONGEST: Final = 60
"""How many characters of a value texts show."""
_COMPARED: Final = (
    spark_types.StringType,
    spark_types.BooleanType,
    spark_types.DateType,
    spark_types.IntegerType,
    spark_types.LongType,
    spark_types.ShortType,
    spark_types.ByteType,
)
_NAME, _VALUE = "_pb_name", "_pb_value"


class OverRepresented(NamedTuple):
    """A value that is more frequent among the rows that differ than among all rows.

    Attributes:
        column: the column.
        value: its value as Spark writes it as text; None for null.
        differing: how many rows that differ have it.
        of_differing: how many rows differ.
        rows: how many of all rows have it.
        of_rows: how many rows there are.
    """

    column: str
    value: str | None
    differing: int
    of_differing: int
    rows: int
    of_rows: int

    @property
    def share(self) -> float:
        """The share of the rows that differ, from 0 to 1."""
        return self.differing / self.of_differing

    @property
    def base(self) -> float:
        """The share of all rows."""
        return self.rows / self.of_rows if self.of_rows else 0.0

    @property
    def is_notable(self) -> bool:
        """Whether the share is greater than that of all rows by more than chance."""
        base = max(self.base, 1 / (self.of_rows + 1))
        deviation = math.sqrt(base * (1 - base) / self.of_differing) if base < 1 else math.inf
        gain = self.share - self.base
        return gain >= _LEAST_GAIN and gain >= _LEAST_DEVIATIONS * deviation

    @property
    def name(self) -> str:
        """The column and its value, shortened if it is long."""
        value = "null" if self.value is None else self.value
        return f"{self.column}={value if len(value) <= _LONGEST else f'{value[:_LONGEST]}…'}"

    @property
    def words(self) -> tuple[str, str]:
        """Its share of the rows that differ, and of all rows."""
        return (
            f"{percent(self.share)} ({self.differing:,} of {self.of_differing:,})",
            f"{percent(self.base)} ({self.rows:,} of {self.of_rows:,})",
        )


def over_represented(
    differing: DataFrame | None, rows_of: Callable[[Sequence[str]], DataFrame], key: Collection[str]
) -> list[OverRepresented]:
    """Return one over-represented value a column at most, the one with the greatest difference first.

    Args:
        differing: the rows that differ, as `_pb_left` and `_pb_right`; the left one counts, the right one where there
            is no left one. None for none.
        rows_of: gives all rows of the left side with some columns; it is asked once, if a value is frequent.
        key: the columns of the record key, which are left out. So are redacted columns.
    """
    if differing is None:
        return []
    names = [
        field.name
        for field in differing.schema[LEFT].dataType.fields  # type: ignore[attr-defined]  # a struct
        if isinstance(field.dataType, _COMPARED) and field.name not in key and not current().hides(field.name)
    ]
    total = differing.count()
    if total < _LEAST_ROWS or not names:
        return []
    values = differing.select(*(_text(_of_row(name)).alias(name) for name in names))
    some = values if total <= _SAMPLE else values.sample(_SAMPLE / total, seed=0)  # of rows: equal ones are frequent
    each = sf.explode(sf.array(*(sf.struct(sf.lit(one).alias(_NAME), quoted(one).alias(_VALUE)) for one in names)))
    counted = some.select(each.alias("one")).groupBy(f"one.{_NAME}", f"one.{_VALUE}").count()
    frequent = counted.where(sf.col("count") >= _LEAST_GAIN / 2 * min(total, _SAMPLE)).select(_NAME, _VALUE).collect()
    if not frequent:
        return []
    wanted = [*map(tuple, frequent)]
    found = _counts(values, wanted)
    columns = list(dict.fromkeys(name for name, _ in wanted))
    of_all = _counts(rows_of(columns).select(*(_text(quoted(name)).alias(name) for name in columns)), wanted)
    parts = zip(wanted, found[1:], of_all[1:], strict=True)
    notable = [
        one
        for (name, value), here, there in parts
        if (one := OverRepresented(name, value, here, total, there, of_all[0])).is_notable
    ]
    notable.sort(key=lambda one: (one.base - one.share, one.column))
    first = {one.column: one for one in reversed(notable)}
    return [one for one in notable if first[one.column] is one][:_MOST]


def values_table(found: Sequence[OverRepresented], what: str) -> list[Table]:
    """Show the values in a table, if there are any; `what` is what differs: keys or rows."""
    lines = [(one.name, *one.words) for one in found]
    title = f"Values that are more frequent among the {what} that differ"
    return [Table(("value", f"of the {what} that differ", "of all rows"), lines, title)] if lines else []


def values_as_json(found: Sequence[OverRepresented]) -> list[JsonObject]:
    """Return the values for the JSON of a report."""
    return [one._asdict() for one in found]


def _of_row(name: str) -> Column:
    return sf.when(sf.col(LEFT).isNotNull(), sf.col(LEFT)[name]).otherwise(sf.col(RIGHT)[name])


def _text(column: Column) -> Column:
    return column.cast("string")


def _counts(frame: DataFrame, wanted: Sequence[tuple[str, str | None]]) -> list[int]:
    """Return how many rows there are, and how many have each value."""
    each = [functions.count_if(quoted(name).eqNullSafe(sf.lit(value))) for name, value in wanted]
    (row,) = frame.agg(sf.count(sf.lit(1)), *each).collect()
    return list(row)
