"""Tasks over Arrow batches; PySpark checks what they return against the types that it converts itself, up to 3.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import types as spark_types

from bridge.spark.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    Task = Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]


def map_in_arrow(frame: DataFrame, task: Task, result: spark_types.StructType | str) -> DataFrame:
    """Return the batches that a task makes of those of a frame (`DataFrame.mapInArrow`), of any nested type."""
    if line_of().nested_results:
        return frame.mapInArrow(task, result)
    from pyspark import SparkContext  # noqa: PLC0415 (of the lines that need it, as its own functions do)
    from pyspark.rdd import PythonEvalType  # noqa: PLC0415
    from pyspark.sql.column import _to_java_column, _to_seq  # noqa: PLC0415
    from pyspark.sql.udf import _wrap_function  # noqa: PLC0415

    context: Any = SparkContext._active_spark_context  # noqa: SLF001 (PySpark's only way to the JVM)
    struct = spark_types._parse_datatype_string(result) if isinstance(result, str) else result  # noqa: SLF001 (as above)
    kind = frame.sparkSession._jsparkSession.parseDataType(struct.json())  # noqa: SLF001 (as above)
    # Only Java reads the type of the result; the worker checks the one that it is sent, and needs none.
    sent = _wrap_function(context, task, spark_types.StructType())
    name = getattr(task, "__name__", type(task).__name__)
    function = context._jvm.org.apache.spark.sql.execution.python.UserDefinedPythonFunction(  # noqa: SLF001 (as above)
        name, sent, kind, PythonEvalType.SQL_MAP_ARROW_ITER_UDF, True
    )
    column = function.apply(_to_seq(context, [frame[name] for name in frame.columns], _to_java_column))
    return DataFrame(frame._jdf.pythonMapInArrow(column.expr()), frame.sparkSession)  # noqa: SLF001 (as above)
