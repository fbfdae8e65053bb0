"""A script of a process of its own: a released Hudi bundle reads a table, and what it shows is written as Parquet.

It takes one JSON object on standard input, `path`, `out` and `conf` (Spark's settings), and ends its output with one:
`rows`, or `error`. Where this machine fails, it prints `ended`, which says why, and ends. It imports nothing of this
project, so that the bundle alone decides.
"""

from __future__ import annotations

import json
import re
import sys
from typing import NoReturn

_NO_REFUSAL = re.compile(
    r"^.*(?:\bOutOfMemoryError\b|No space left on device|Disk quota exceeded|Too many open files"
    r"|stopped SparkContext|SparkContext (?:was shut ?down|has been shutdown)"
    r"|UnknownHostException|ConnectException|SocketTimeoutException|Unable to execute HTTP request|timed out).*$",
    re.MULTILINE,
)
"""What a machine says, and not Hudi."""
_LOST = ("Py4JError", "Py4JNetworkError")
"""What Py4J raises where Java is gone; an exception of Java is a Py4JJavaError."""


def main() -> None:
    """Read and write."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (the module's docstring is read without Spark)

    task = json.load(sys.stdin)
    builder = SparkSession.builder.master("local[*]").appName("released-reader")
    for name, value in task["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()  # a session that can't start ends the process: that is not a refusal by Hudi
    try:
        rows = spark.read.format("hudi").load(task["path"])
        rows.write.parquet(task["out"])
        answer: dict[str, object] = {"rows": spark.read.parquet(task["out"]).count()}
    except Exception as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
        if (why := _failure_here(error)) is not None:
            _end(why)
        answer = {"error": str(error)}
    print(json.dumps(answer))  # noqa: T201 (its result)


def _failure_here(error: BaseException) -> str | None:
    """Return what says that Java ended, or that memory, disk or network failed; None for a refusal."""
    if type(error).__name__ in _LOST or isinstance(error, ConnectionError):
        return f"Java ended: {str(error).strip().partition(chr(10))[0]}"
    found = _NO_REFUSAL.search(str(error))
    return None if found is None else found[0].strip()


def _end(why: str) -> NoReturn:
    """End the process, and say why on standard output: Java may log more to standard error while it shuts down."""
    print(json.dumps({"ended": why}), flush=True)  # noqa: T201 (its result)
    sys.exit(why)


if __name__ == "__main__":
    main()
