"""Rows of a table chosen by Spark: by columns and by a predicate, with errors that name what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

from bridge.engines import QUARANTINE
from bridge.errors import InputError
from bridge.hudi.errors import HudiTableError
from bridge.hudi.queries import Answer
from bridge.hudi.selection import kept_slices, keyed, narrowed
from bridge.hudi.slice_tasks import answer_columns
from bridge.spark import AnalysisException, ParseException, from_arrow_schema
from payloads.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.hudi.selection import Condition

    Select = Callable[[pa.Table, list[str]], set[int]]

_ROW = "_pb_row"


def known_columns(path: str, answer: Answer, columns: Sequence[str]) -> list[str]:
    """Return columns as the table at a path spells them.

    Raises:
        HudiTableError: it has no such column, or none is asked for.
    """
    known = {field.name.lower(): field.name for field in answer_columns(answer.query)}
    unknown = [name for name in columns if name.lower() not in known]
    if unknown or not columns:
        what = f"has no column {unknown[0]}" if unknown else "was asked for no column"
        hint = did_you_mean(unknown[0], known.values()) if unknown else ""
        msg = f"{path} {what}; its columns are {', '.join(known.values())}{hint}"
        raise HudiTableError(msg)
    return [known[name.lower()] for name in columns]


def kept_before(answer: Answer, names: Collection[str] | None, where: str | Column | None, select: Select) -> Answer:
    """Return an answer that reads no more than its columns `names` (None for all) and a predicate need of it."""
    known = conditions_of(where) if isinstance(where, str) else []
    if where is not None and not known:
        return answer
    return Answer(keyed(narrowed(answer.query, names, known), known), kept_slices(answer, known, select))


def conditions_of(where: str) -> list[Condition]:
    """Return the conditions that a predicate in SQL joins by AND."""
    from bridge.hudi.predicates import conditions  # noqa: PLC0415 (executors lack sqlglot)

    return conditions(where)


def selected(rows: DataFrame, where: str | Column) -> DataFrame:
    """Return the rows that match a predicate, and every quarantined row.

    Raises:
        InputError: Spark can't read the predicate.
    """
    try:
        if QUARANTINE in rows.columns:
            return rows.where(sf.expr(str(where)) | sf.col(QUARANTINE).isNotNull())
        return rows.where(where)
    except (AnalysisException, ParseException) as error:
        msg = f"Spark can't read the predicate {where!s}: {str(error).splitlines()[0]}"
        raise InputError(msg) from error


def selected_numbers(spark: SparkSession, values: pa.Table, texts: list[str]) -> set[int]:
    """Return the numbers of the rows that Spark selects by all of some conditions; errors as in `selected`."""
    number = spark_types.StructField(_ROW, spark_types.LongType())
    fields = spark_types.StructType([*from_arrow_schema(values.schema), number])
    rows = zip(*(column.to_pylist() for column in values.columns), range(values.num_rows), strict=True)
    frame = spark.createDataFrame(list(rows), fields)
    for text in texts:
        frame = selected(frame, text)
    return {row[0] for row in frame.select(_ROW).collect()}
