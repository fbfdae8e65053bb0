"""Columns by their literal names, and as keys: a dot in a name is a character, and 0.0 and -0.0 are two keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame


def quoted_name(name: str) -> str:
    """Return a name as Spark's SQL, DDL and functions take it."""
    return f"`{name.replace('`', '``')}`"


def quoted(name: str) -> Column:
    """Return the column of this name, whatever characters it has."""
    return sf.col(quoted_name(name))


def is_floating(frame: DataFrame, name: str) -> bool:
    """Whether a column is a float or a double: 0.0 and -0.0 are equal for Spark, and two keys for Hudi, as texts."""
    return isinstance(frame.schema[name].dataType, spark_types.FloatType | spark_types.DoubleType)


def key_columns(frame: DataFrame, names: Iterable[str]) -> list[Column]:
    """Return columns, under their names, so that Spark groups and joins by them as Hudi's record keys do."""
    return [quoted(name).cast("string").alias(name) if is_floating(frame, name) else quoted(name) for name in names]


def from_keys(frame: DataFrame, keys: DataFrame) -> list[Column]:
    """Return all columns of `keys`; those that `key_columns` made of columns of `frame` are numbers again."""
    return [
        quoted(name).cast(frame.schema[name].dataType).alias(name)
        if name in frame.columns and is_floating(frame, name)
        else quoted(name)
        for name in keys.columns
    ]


def distinct_keys(frame: DataFrame, names: Iterable[str]) -> DataFrame:
    """Return the columns `names` of a frame, each key once."""
    keys = frame.select(*key_columns(frame, names)).distinct()
    return keys.select(*from_keys(frame, keys))


def in_order(frame: DataFrame, name: str) -> list[Column]:
    """Return what sorts by a column and tells every two keys apart."""
    return [quoted(name), quoted(name).cast("string")] if is_floating(frame, name) else [quoted(name)]
