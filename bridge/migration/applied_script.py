"""A script of a process of its own: it runs the script of a migration on a copy of a table, with a released bundle.

It takes one JSON object on standard input: `conf` (Spark's settings), `script` (a file), `table` and `verbs` (what the
script is asked to do, one after the other), and prints one a verb: `said`, and `failed`, which is null where the script
ended well. It imports nothing of this project.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys


def main() -> None:
    """Run the script once a verb, in one session."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (the module's docstring is read without Spark)

    task = json.load(sys.stdin)
    builder = SparkSession.builder.master("local[*]").appName("migration-of-a-copy")
    for name, value in task["conf"].items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for verb in task["verbs"]:
        said, failed = io.StringIO(), None
        try:
            with contextlib.redirect_stdout(said):
                runpy.run_path(task["script"])["main"]([verb, task["table"]], spark)
        except SystemExit as end:
            failed = str(end.code)
        except Exception as error:  # noqa: BLE001 (whatever Hudi refuses with is the answer)
            failed = str(error)
        print(json.dumps({"said": said.getvalue(), "failed": failed}), flush=True)  # noqa: T201 (its result)


if __name__ == "__main__":
    main()
