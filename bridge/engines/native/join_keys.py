"""The key of a row on both sides of a merge: versions are combined by it, and joined with the stored row.

Both go by a hash of the key, and compare the key itself where hashes are equal. So the newer side is shuffled once, by
a number, which sorts and joins faster than texts that begin alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines.control_columns import PREFIX
from bridge.spark import in_one_task, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

_HASH = f"{PREFIX}hash"


class SameKey:
    """The columns that identify a key on the newer side, and the comparison of a stored row with them.

    Attributes:
        names: those columns, the hash first.
    """

    def __init__(
        self, identity: Sequence[str], types: Mapping[str, spark_types.DataType], new: Mapping[str, str]
    ) -> None:
        """Name the columns; `new` are the names of data columns on the newer side."""
        # 0.0 and -0.0 are one key for Spark and two for Hudi, whose keys are texts.
        floating = spark_types.FloatType | spark_types.DoubleType
        self._texts = {name: f"{PREFIX}text_{name}" for name in identity if isinstance(types[name], floating)}
        self._newer = {name: self._texts.get(name, new[name]) for name in identity}
        self.names = [_HASH, *self._newer.values()]

    def of_newer(self, column_of: Callable[[str], Column]) -> list[Column]:
        """Return the columns that a newer side gets besides its data; `column_of` gives its columns."""
        texts = [self.compared(name, column_of(name)).alias(text) for name, text in self._texts.items()]
        return [self._hash(column_of).alias(_HASH), *texts]

    def compared(self, name: str, column: Column) -> Column:
        """Return what is compared of a column of the key: of floating-point numbers, the text."""
        return column.cast("string") if name in self._texts else column

    @staticmethod
    def gathered(newer: DataFrame, *, in_one: bool = False) -> DataFrame:
        """Let one task have all versions of a key; all keys if `in_one`, as stages take longer than few rows do."""
        in_one = in_one or in_one_task(newer.sparkSession)
        return newer.coalesce(1) if in_one else newer.repartition(sf.col(_HASH))

    def matches(self) -> Column:
        """Whether a stored row has the key of a combined version; null is equal to null.

        Spark would take a plain equality for one more column to join by, and shuffle the batch again by all of them.
        """
        same = self._hash(quoted) == sf.col(_HASH)
        for name, other in self._newer.items():
            one, another = self.compared(name, quoted(name)), sf.col(other)
            same &= sf.coalesce(one == another, one.isNull() & another.isNull())
        return same

    def _hash(self, column_of: Callable[[str], Column]) -> Column:
        return sf.xxhash64(*(self.compared(name, column_of(name)) for name in self._newer))
