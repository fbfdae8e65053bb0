"""The process that starts Python workers, with the python engine loaded: a worker is a copy of it, and begins at once.

Run by Spark as `spark.python.daemon.module`.
"""

from __future__ import annotations

from pyspark.daemon import manager

from bridge.engines.python import run  # noqa: F401 (loaded once, for all workers)

if __name__ == "__main__":
    manager()  # type: ignore[no-untyped-call]
