"""A script of a process of its own: a released Hudi bundle reads tables, each into a folder of Parquet files.

It takes one JSON object on standard input: `tables`, the paths of each table and of its folder, and `conf`, Spark's
settings. It prints one JSON object a table: `rows`, or `error`. It imports nothing of this project, so that the bundle
alone decides.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Read and write."""
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 (the module is read without Spark)
    from pyspark.errors import PySparkException  # noqa: PLC0415 (as above)
    from pyspark.sql import SparkSession  # noqa: PLC0415 (as above)

    task = json.load(sys.stdin)
    builder = SparkSession.builder.master("local[2]").appName("read-by-bundle")
    for name, value in task["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for table, out in task["tables"]:
        try:
            spark.read.format("hudi").load(table).write.parquet(out)
            answer = {"rows": spark.read.parquet(out).count()}
        except (Py4JJavaError, PySparkException) as error:  # any other ends the process: it is not Hudi's
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)  # noqa: T201 (its result)


if __name__ == "__main__":
    main()
