"""Columns of text files that have no value: Spark takes them for text, other files know their type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.spark import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import DataFrame

_TEXT = spark_types.StringType()


def typed_alike(frames: Sequence[DataFrame], inferred: Collection[int]) -> list[DataFrame]:
    """Return frames of one table in which a column without a value has its type in another frame.

    Args:
        frames: in order; of several types that of the nearest frame before counts, else of the nearest after.
        inferred: the places of frames whose types Spark has inferred from text. One job each looks for values, and only
            in columns that are text there and something else in another frame.
    """
    kinds = [{field.name: field.dataType for field in frame.schema} for frame in frames]
    found = []
    for place, frame in enumerate(frames):
        types = {}
        for name in kinds[place] if place in inferred else ():
            others = [one[name] for one in (*kinds[place::-1], *kinds[place:]) if one.get(name, _TEXT) != _TEXT]
            if kinds[place][name] == _TEXT and others:
                types[name] = others[0]
        found.append(_retyped(frame, types))
    return found


def typed_like(frame: DataFrame, wanted: spark_types.StructType) -> DataFrame:
    """Return a frame whose types Spark has inferred from text, in which columns without a value have the wanted type.

    One job looks for values, and only in columns that are text there and not in `wanted`.
    """
    known = {field.name: field.dataType for field in wanted}
    texts = [field.name for field in frame.schema if field.dataType == _TEXT]
    return _retyped(frame, {name: known[name] for name in texts if known.get(name, _TEXT) != _TEXT})


def _retyped(frame: DataFrame, types: dict[str, spark_types.DataType]) -> DataFrame:
    if not types:
        return frame
    values = frame.agg(*(sf.count(quoted(name)).alias(str(place)) for place, name in enumerate(types))).first()
    empty = {name: kind for (name, kind), count in zip(types.items(), values or (), strict=True) if not count}
    columns = [sf.lit(None).cast(empty[name]).alias(name) if name in empty else quoted(name) for name in frame.columns]
    return frame.select(*columns) if empty else frame
