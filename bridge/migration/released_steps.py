"""A script of a process of its own: a released Hudi bundle takes steps on tables, and writes what it then shows.

It takes one JSON object on standard input: `conf` (Spark's settings) and `tables`, each with `path` and `steps`. A step
has `do` (upgrade, script, write, compaction, downgrade), what that needs, and `out`, the folder for the rows that the
table shows then. For each step it prints an object: `table` (its number), `step`, `seconds`, and either `rows` and
`properties` (what the table then stores, as text) or `error` and `at` (the step's `do`, or read); after an error the
table's other steps are left out. Where this machine fails, it prints `ended`, which says why, and ends. It imports
nothing of this project, so that the bundle alone decides. The tables are changed in place: they must be copies.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import runpy
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

if TYPE_CHECKING:
    from bridge.report import JsonObject

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
    """Take every step of every table, and read the table after each."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (the module's docstring is read without Spark)

    task = json.load(sys.stdin)
    log = _Log(Path("hudi.log"))
    try:
        builder = SparkSession.builder.master("local[*]").appName("released-steps")
        for name, value in task["conf"].items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
    except Exception:  # that is not a refusal by Hudi
        log.give_back()
        raise
    for number, table in enumerate(task["tables"]):
        copy = _Copy(f"rehearsed_{number}", table["path"])
        for step in table["steps"]:
            began = time.monotonic()
            answer = _taken(spark, copy, step, log)
            answer |= {"table": number, "step": step["do"], "seconds": time.monotonic() - began}
            print(json.dumps(answer), flush=True)  # noqa: T201 (its result)
            if "error" in answer:
                break


class _Copy(NamedTuple):
    """A table by its name in the catalogue, and its place."""

    name: str
    path: str


def _taken(spark: Any, copy: _Copy, step: JsonObject, log: _Log) -> dict[str, object]:
    """Take a step and write the rows that the table then shows; return how many there are, or Hudi's error."""
    at = step["do"]
    place = copy.path.replace("\\", "\\\\").replace("'", "\\'")
    try:
        spark.sql(f"CREATE TABLE IF NOT EXISTS {copy.name} USING hudi LOCATION '{place}'")
        log.skip()
        _STEPS[at](spark, copy, step, log)
        at = "read"
        rows = spark.read.format("hudi").load(copy.path).persist()
        found: JsonObject = {"rows": rows.count()}
    except (Exception, SystemExit) as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
        if (why := _failure_here(error)) is not None:
            _end(why, log)
        return {"error": str(error), "at": at}
    try:
        rows.write.parquet(step["out"])
        rows.unpersist()
    except Exception as error:  # noqa: BLE001 (that is not a refusal by Hudi)
        _end(_failure_here(error) or _cause(error), log)
    found["properties"] = Path(copy.path, ".hoodie", "hoodie.properties").read_text("iso-8859-1")
    return found


def _failure_here(error: BaseException) -> str | None:
    """Return what says that Java ended, or that memory, disk or network failed; None for a refusal."""
    if type(error).__name__ in _LOST or isinstance(error, ConnectionError):
        return f"Java ended: {str(error).strip().partition(chr(10))[0]}"
    found = _NO_REFUSAL.search(str(error))
    return None if found is None else found[0].strip()


def _end(why: str, log: _Log) -> NoReturn:
    """End the process, and say why on standard output: Java may log more to standard error while it shuts down."""
    log.give_back()
    print(json.dumps({"ended": why}), flush=True)  # noqa: T201 (its result)
    sys.exit(why)


def _cause(error: Exception) -> str:
    """Return the innermost cause that Java names, in a line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return next((line for line in reversed(lines) if line.startswith("Caused by: ")), lines[0])


def _change_version(spark: Any, copy: _Copy, step: JsonObject, log: _Log) -> None:
    """Call the procedure of the step, which answers false where it fails, and says why in the log alone.

    Raises:
        RuntimeError: with what the log says.
    """
    procedure = f"{step['do']}_table"
    ((done,),) = spark.sql(f"CALL {procedure}(table => '{copy.name}', to_version => '{step['version']}')").collect()
    if not done:
        raise RuntimeError(log.rest() or f"the procedure {procedure} answered false")


def _script(spark: object, copy: _Copy, step: JsonObject, _log: _Log) -> None:
    """Run a script of `migrate --script`, which ends the process where the table is not as planned."""
    with contextlib.redirect_stdout(sys.stderr):
        runpy.run_path(step["script"])["main"](["apply", copy.path], spark)


def _write(spark: Any, copy: _Copy, step: JsonObject, _log: _Log) -> None:
    """Upsert the rows of a folder, in the order of their column `_pb_arrival`."""
    rows = spark.read.parquet(step["rows"]).coalesce(1).sortWithinPartitions("_pb_arrival").drop("_pb_arrival")
    rows.write.format("hudi").options(**step["options"]).mode("append").save(copy.path)


def _compact(spark: Any, copy: _Copy, step: JsonObject, _log: _Log) -> None:
    """Plan a compaction of all logs, and run it."""
    for operation in ("schedule", "run"):
        options = f", options => '{step['options']}'" if operation == "schedule" else ""
        spark.sql(f"CALL run_compaction(op => '{operation}', table => '{copy.name}'{options})").collect()


_STEPS = {
    "upgrade": _change_version,
    "script": _script,
    "write": _write,
    "compaction": _compact,
    "downgrade": _change_version,
}


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
