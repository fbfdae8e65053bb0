"""A log as readers until 0.15 fold it: by ordering value, but a row that follows a delete replaces it whatever it has.

A delete entry removes the row before it unless that has a greater value of the same class. So whether an entry removes
anything depends on the entries before it; yet the row that is left can be told without them. It is the greatest, by
ordering value and then arrival, of the rows that no later entry outranks: an entry that removes nothing meets a row
greater than itself, which then is the one that stays, or goes with a later entry that outranks both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.engines.control_columns import PREFIX
from bridge.spark import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

    from bridge.engines.native.ordering import Kind

ENTRY, TOP = f"{PREFIX}entry", f"{PREFIX}top"
_CLEARS, _STANDS = f"{PREFIX}clears", f"{PREFIX}stands"


def described(kind: Kind, entry: Column, ordering: Column, value: str) -> list[Column]:
    """Return the columns that `folded` needs of a version: its value, whether it is an entry that removes any row.

    Args:
        kind: the ordering field.
        entry: whether a version is a delete entry.
        ordering: `_pb_ordering` of the side.
        value: the name of the column for the value, which entries have if its class is that of rows.
    """
    kept, text = ordering["type"], ordering["value"]
    is_default = kept.isNull() | ((kept == "int") & (text == "0"))
    compares = sf.coalesce((kept == kind.logged_type) & ~is_default, sf.lit(False))
    (own,) = kind.values(quoted(kind.name))
    return [
        sf.when(entry, sf.when(compares, kind.parsed(text))).otherwise(own).alias(value),
        entry.alias(ENTRY),
        (entry & ~compares).alias(_CLEARS),
    ]


def folded(  # noqa: PLR0913 (names of columns)
    versions: DataFrame, by_key: WindowSpec, *, value: str, position: str, dead: str, reset: str
) -> DataFrame:
    """Return the version of each key that is left; where only deletes are, one of them.

    Args:
        versions: all versions, with the columns of `described`.
        by_key: the window of a key.
        value: the column of ordering values.
        position: the column by which versions arrived.
        dead: the column that tells whether a version is a delete; true where only deletes are left.
        reset: the column to add: whether only deletes are left, which replace the stored row whatever it has.
    """
    # From the last version back, since frames that reach to the end take quadratic time.
    later = by_key.orderBy(sf.desc(position)).rowsBetween(Window.unboundedPreceding, -1)
    is_cleared = sf.coalesce(sf.max(_CLEARS).over(later), sf.lit(False))
    highest = sf.max(sf.when(sf.col(ENTRY), sf.col(value))).over(later)
    is_greater = sf.coalesce(sf.col(value) > highest, sf.lit(True))
    told = versions.withColumn(_STANDS, ~sf.col(ENTRY) & ~is_cleared & is_greater)
    top = sf.max(sf.struct(_STANDS, value, position)).over(by_key)
    left = told.withColumn(TOP, top).where(sf.col(position) == sf.col(TOP)[position])
    is_gone = ~sf.col(_STANDS)
    found = left.withColumns({dead: sf.col(dead) | is_gone, reset: is_gone})
    return found.drop(ENTRY, _CLEARS, _STANDS, TOP, position)
