"""Failures as expressions: the sentences of the python engine, raised by Spark while it evaluates a row."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.spark import quoted, quoted_name

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
OTHER_CLASS = "the log has a delete with an ordering value of another type; use the python engine"


class Failures:
    """Makes the failures of the versions of one side."""

    def __init__(self, plan: MergePlan, key: Mapping[str, str], types: Mapping[str, spark_types.DataType]) -> None:
        """Name the key: the columns under their names in messages, and the types by these."""
        self._plan = plan
        self._key = key
        self._types = types

    def raised(self, point: MergePoint | None, reason: str | Column, *, field: str | None = None) -> Column:
        """Return an expression of the type boolean that fails with the key of its row; None: at no merge point.

        Spark compiles each failure into the loop over rows, and Java only interprets a long one. So several reasons had
        better be one failure, whose `reason` is an expression.
        """
        where = "" if field is None else f", field {field!r}"
        at = "" if point is None else f" at {point.value}"
        key = ", ".join(f"{_escaped(name)}={self._form(name)}" for name in self._key)
        told, reasons = (_escaped(reason), []) if isinstance(reason, str) else ("%s", [reason])
        text = f"{_escaped(self._plan.payload_name)} failed{at} (key {key}{_escaped(where)}): {told}"
        return sf.raise_error(sf.format_string(text, *self._shown, *reasons)).cast("boolean")

    def _form(self, name: str) -> str:
        return "'%s'" if name in self._plan.key and isinstance(self._types[name], spark_types.StringType) else "%s"

    @functools.cached_property
    def _shown(self) -> list[Column]:
        """The key as Python shows it, a text a column; as SQL, which takes fewer calls of the JVM."""
        return [
            sf.expr(_shown(quoted_name(column), self._types[name], is_key=name in self._plan.key))
            for name, column in self._key.items()
        ]

    def present(self, name: str) -> Column:
        """Return a key column, which fails where it is null."""
        msg = f"{self._plan.payload_name}: the key column {name!r} is null in some rows; fill it or drop these rows"
        return sf.coalesce(quoted(self._key[name]), sf.raise_error(sf.lit(msg)))


def _shown(column: str, kind: spark_types.DataType, *, is_key: bool) -> str:
    text = f"CAST({column} AS STRING)"
    if isinstance(kind, spark_types.BooleanType):
        text = f"INITCAP({text})"
    if is_key:  # it is not null, and the text around it has the quotes
        return text
    if isinstance(kind, spark_types.StringType):
        text = f"CONCAT(CHR(39), {text}, CHR(39))"
    return f"COALESCE({text}, 'None')"


def _escaped(text: str) -> str:
    return text.replace("%", "%%")
