"""A script of a process of its own: a released Hudi bundle reads a table, and what it shows is written as Parquet.

It takes one JSON object on standard input, `path`, `out` and `conf` (Spark's settings), and ends its output with one:
`rows`, or `error`. It imports nothing of this project, so that the bundle alone decides.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Read and write."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (the module's docstring is read without Spark)

    task = json.load(sys.stdin)
    builder = SparkSession.builder.master("local[*]").appName("released-reader")
    for name, value in task["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()  # a session that can't start ends the process: that is no refusal of Hudi
    try:
        rows = spark.read.format("hudi").load(task["path"])
        rows.write.parquet(task["out"])
        answer: dict[str, object] = {"rows": spark.read.parquet(task["out"]).count()}
    except Exception as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
        answer = {"error": str(error)}
    print(json.dumps(answer))  # noqa: T201 (its result)


if __name__ == "__main__":
    main()
