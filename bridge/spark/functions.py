"""Functions of Spark's SQL that `pyspark.sql.functions` has not had since 3.3, called by their names."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as sf
from pyspark.sql import types as spark_types

_BITS = {
    spark_types.ByteType: 8,
    spark_types.ShortType: 16,
    spark_types.IntegerType: 32,
    spark_types.LongType: 64,
}


def call_function(name: str, *columns: Column | str) -> Column:
    """Return the call of a function of the session by its name, of Spark's own or a registered one."""
    for caller in ("call_function", "call_udf"):  # from PySpark 3.5 and 3.4 on
        if hasattr(sf, caller):
            found: Column = getattr(sf, caller)(name, *columns)
            return found
    from pyspark import SparkContext  # noqa: PLC0415 (of the one line that needs it, as its own functions do)
    from pyspark.sql.column import _to_java_column, _to_seq  # noqa: PLC0415

    context: Any = SparkContext._active_spark_context  # noqa: SLF001 (PySpark 3.3 has no public way)
    sequence = _to_seq(context, columns, _to_java_column)
    return Column(context._jvm.functions.callUDF(name, sequence))  # noqa: SLF001 (as above)


def bool_or(column: Column) -> Column:
    """Return whether a boolean column is ever true."""
    return call_function("bool_or", column)


def count_if(column: Column | str) -> Column:
    """Return how many times a boolean column is true."""
    return call_function("count_if", column)


def date_part(part: str, column: Column) -> Column:
    """Return a part of an interval or a date, such as `DAY`."""
    return call_function("date_part", sf.lit(part), column)


def date_from_unix_date(column: Column) -> Column:
    """Return the date of a number of days since 1970."""
    return call_function("date_from_unix_date", column)


def get(array: Column, index: Column) -> Column:
    """Return an element of an array, from 0 on; null outside of it."""
    if hasattr(sf, "get"):
        return sf.get(array, index)
    return sf.when(index >= 0, call_function("try_element_at", array, (index + 1).cast("int")))


def java_method(*arguments: Column) -> Column:
    """Return what a static method of a Java class gives, named by the first two arguments."""
    return call_function("java_method", *arguments)


def make_dt_interval(*parts: Column) -> Column:
    """Return the interval of days, hours, minutes and seconds."""
    return call_function("make_dt_interval", *parts)


def pmod(dividend: Column, divisor: Column) -> Column:
    """Return the rest of a division, which is not negative for a positive divisor."""
    return call_function("pmod", dividend, divisor)


def timestamp_micros(column: Column) -> Column:
    """Return the timestamp of a number of microseconds since 1970."""
    return call_function("timestamp_micros", column)


def try_add(left: Column, right: Column) -> Column:
    """Return a sum; null where it overflows."""
    return call_function("try_add", left, right)


def unix_date(column: Column) -> Column:
    """Return the days of a date since 1970."""
    return call_function("unix_date", column)


def unix_micros(column: Column) -> Column:
    """Return the microseconds of a timestamp since 1970."""
    return call_function("unix_micros", column)


def narrowed(value: Column, kind: spark_types.IntegralType, why: Column) -> Column:
    """Return a whole number in a type of whole numbers; one that does not fit fails the job, with the text `why`."""
    most = (1 << (_BITS[type(kind)] - 1)) - 1
    fits = value.isNull() | value.between(-most - 1, most)
    # The cast is of what fits alone: an ANSI session fails on any other, with words of its own.
    return sf.when(fits, sf.when(fits, value).cast(kind)).otherwise(sf.raise_error(why).cast(kind))
