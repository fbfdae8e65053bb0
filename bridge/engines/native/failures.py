"""Failures as expressions: the sentences of the python engine, raised by Spark while it evaluates a row."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import Column

    from bridge.merge import MergePoint
    from bridge.plan import MergePlan

NULL_REFUSED = "the ordering value is null; fill the ordering field before the write"
NULL_ORDERING = "a version has a null ordering value; fill the ordering field"
UNLIKE_CLASSES = (
    "ordering values of different Java classes don't compare (a null is an Integer where it is stored); "
    "fill the ordering field in all rows"
)
DUPLICATES = "the stored side has more than one row for the key; deduplicate it or check the key columns"
OTHER_CLASS = "the log has a delete with an ordering value of another type; use --engine python"


class Failures:
    """Makes the failures of the versions of one side."""

    def __init__(self, plan: MergePlan, key: Mapping[str, tuple[Column, spark_types.DataType]]) -> None:
        """Name the key by its columns, each with its type."""
        self._plan = plan
        self._key = key

    def raised(self, point: MergePoint | None, reason: str, *, field: str | None = None) -> Column:
        """Return an expression of the type boolean that fails with the key of its row; None: at no merge point."""
        where = "" if field is None else f", field {field!r}"
        at = "" if point is None else f" at {point.value}"
        parts = [sf.lit(f"{self._plan.payload_name} failed{at} (key "), self._shown, sf.lit(f"{where}): {reason}")]
        return sf.raise_error(sf.concat(*parts)).cast("boolean")

    @functools.cached_property
    def _shown(self) -> Column:
        """The key as Python shows it."""
        parts = []
        for number, (name, (column, kind)) in enumerate(self._key.items()):
            quote = sf.lit("'" if isinstance(kind, spark_types.StringType) else "")
            parts.append(sf.lit(f"{', ' if number else ''}{name}="))
            text = column.cast("string")
            text = sf.initcap(text) if isinstance(kind, spark_types.BooleanType) else text
            parts.append(sf.coalesce(sf.concat(quote, text, quote), sf.lit("None")))
        return sf.concat(*parts)

    def present(self, name: str) -> Column:
        """Return a key column, which fails where it is null."""
        column, kind = self._key[name]
        msg = f"{self._plan.payload_name}: the key column {name!r} is null in some rows; fill it or drop these rows"
        return sf.coalesce(column, sf.raise_error(sf.lit(msg)).cast(kind))
