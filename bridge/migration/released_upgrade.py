"""A script of a process of its own: a released Hudi bundle upgrades tables and writes what it then shows.

It takes one JSON object on standard input: `conf` (Spark's settings), `version` (the name of a table version) and
`tables`, each with `path` and `out`. For each it prints one: `rows` and `seconds`, or `error` and `step`. Where this
machine fails, it ends. It imports nothing of this project, so that the bundle alone decides. The
tables are changed in place: they must be copies.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

_NO_REFUSAL = re.compile(r"^.*(?:\bOutOfMemoryError\b|No space left on device|stopped SparkContext).*$", re.MULTILINE)
"""What a machine says, and not Hudi."""
_LOST = ("Py4JError", "Py4JNetworkError")
"""What Py4J raises where Java is gone; an exception of Java is a Py4JJavaError."""


def main() -> None:
    """Upgrade and read every table."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (the module's docstring is read without Spark)

    task = json.load(sys.stdin)
    log = _Log(Path("hudi.log"))
    try:
        builder = SparkSession.builder.master("local[*]").appName("released-upgrade")
        for name, value in task["conf"].items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
    except Exception:  # that is no refusal of Hudi
        log.give_back()
        raise
    for number, table in enumerate(task["tables"]):
        began = time.monotonic()
        answer: dict[str, Any] = {"step": "upgrade"}
        rows = None
        try:
            _upgrade(spark, f"rehearsed_{number}", table["path"], task["version"], log)
            answer["step"] = "read"
            rows = spark.read.format("hudi").load(table["path"]).persist()
            answer = {"rows": rows.count()}
        except Exception as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
            if (why := _failure_here(error)) is not None:
                log.give_back()
                sys.exit(why)
            answer["error"] = str(error)
        if rows is not None and "error" not in answer:
            try:
                rows.write.parquet(table["out"])
                rows.unpersist()
            except Exception as error:  # noqa: BLE001 (that is no refusal of Hudi)
                log.give_back()
                sys.exit(_failure_here(error) or _cause(error))
        print(json.dumps(answer | {"seconds": time.monotonic() - began}), flush=True)  # noqa: T201 (its result)


def _failure_here(error: Exception) -> str | None:
    """Return what says that Java ended, or that memory or disk are full; None for a refusal."""
    if type(error).__name__ in _LOST or isinstance(error, ConnectionError):
        return f"Java ended: {str(error).strip().partition(chr(10))[0]}"
    found = _NO_REFUSAL.search(str(error))
    return None if found is None else found[0].strip()


def _cause(error: Exception) -> str:
    """Return the innermost cause that Java names, in a line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line for line in reversed(lines) if line.startswith("Caused by: ")), lines[0])


def _upgrade(spark: Any, name: str, path: str, version: str, log: _Log) -> None:
    """Call Hudi's procedure, which answers false where it fails, and says why in the log alone.

    Raises:
        RuntimeError: with what the log says.
    """
    place = path.replace("\\", "\\\\").replace("'", "\\'")
    spark.sql(f"CREATE TABLE {name} USING hudi LOCATION '{place}'")
    log.skip()
    ((done,),) = spark.sql(f"CALL upgrade_table(table => '{name}', to_version => '{version}')").collect()
    if not done:
        raise RuntimeError(log.rest() or "the procedure upgrade_table answered false")


class _Log:
    """What Java logs: standard error goes to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before = os.dup(2)
        self._read = 0
        kept = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(kept, 2)
        os.close(kept)

    def skip(self) -> None:
        """Forget what is there."""
        self._read = self._path.stat().st_size

    def rest(self) -> str:
        """Return what came since."""
        return self._path.read_bytes()[self._read :].decode("utf-8", "replace")

    def give_back(self) -> None:
        """Let standard error be what it was, with what went to the file."""
        os.dup2(self._before, 2)
        os.write(2, self._path.read_bytes())


if __name__ == "__main__":
    main()
