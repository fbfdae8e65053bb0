"""Spark's own errors; before PySpark 3.4 they had another home, and CapturedException was the name of the root."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.errors import AnalysisException, ParseException, PySparkException
else:
    try:
        from pyspark.errors import AnalysisException, ParseException, PySparkException
    except ImportError:
        from pyspark.sql.utils import AnalysisException, ParseException
        from pyspark.sql.utils import CapturedException as PySparkException

__all__ = ["AnalysisException", "ParseException", "PySparkException"]
