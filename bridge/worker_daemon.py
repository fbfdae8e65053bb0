"""The process that starts Python workers, with the python engine loaded: a worker is a copy of it, and begins at once.

Run by Spark as `spark.python.daemon.module`. It is no part of the engine's package, because `python -m` imports the
packages of a module before the module, and PySpark with them.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

_ARCHIVES = ("pyspark", "py4j-")  # as Spark names them in python/lib
_JAR = "spark-core_"


def _folders_before_archives() -> None:
    """Import PySpark from its installed folder, if there is one, and not from the archives that Spark puts first.

    Spark tells a worker to look at its import path anew before each task, and Python 3.11 then reads the directory of
    every archive on it: 3 ms for PySpark's own, 20 ms for the jar of Spark's core, which has no Python.
    """
    path = [entry for entry in sys.path if not _is_of_spark(Path(entry))]
    if all(PathFinder.find_spec(package, path) for package in ("pyspark", "py4j")):
        sys.path[:] = path
        sys.path_importer_cache.clear()


def _is_of_spark(entry: Path) -> bool:
    if entry.suffix == ".jar":
        return entry.name.startswith(_JAR)
    return entry.suffix == ".zip" and entry.name.startswith(_ARCHIVES) and entry.parts[-3:-1] == ("python", "lib")


if __name__ == "__main__":
    _folders_before_archives()
    from pyspark.daemon import manager

    from bridge.engines.python import run  # noqa: F401 (loaded once, for all workers)

    manager()  # type: ignore[no-untyped-call]
