"""Small inputs: which files count as small, and the settings of a session for them alone.

With few rows, seconds go into what Spark prepares for many: compiled queries, an optimising compiler in the
Java VM, shuffles, tasks, and a Python worker for each. Such a session does all in one task, with the same engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.spark.storage import is_local, local_path

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

SMALL = 1 << 20
"""The bytes of files up to which an input is small: of text, some ten thousand rows."""

_ONE_TASK = "spark.payload_bridge.one_task"
INTERPRETED = {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.codegen.wholeStage": "false"}
"""Settings for few rows: compiling a query takes longer than interpreting it."""

SETTINGS = {
    _ONE_TASK: "true",
    "spark.default.parallelism": "1",
    **INTERPRETED,
    # Statistics of small data cost more stages than they save.
    "spark.sql.adaptive.enabled": "false",
    # Spark writes each plan down for its UI, with all its expressions; this form is the shortest.
    "spark.sql.ui.explainMode": "simple",
    # One task sees all rows already; a broadcast would be a job of its own.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "1",
    "spark.python.daemon.module": "bridge.worker_daemon",
}
"""Settings of Spark for small inputs."""

JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
"""Options of a Java VM that ends before an optimising compiler pays.

Without that compiler Java keeps 48 MB for code, which Spark fills within minutes: then code is dropped and compiled
again.
"""


def is_small(text: str | Path) -> bool:
    """Whether all files at and below a folder, or the one file, are on this machine and small together."""
    if not is_local(str(text)):
        return False
    folder = local_path(text)
    files = folder.rglob("*") if folder.is_dir() else [folder]
    size = 0
    for file in files:
        size += file.stat().st_size if file.is_file() else 0
        if size > SMALL:
            return False
    return True


def in_one_task(spark: SparkSession) -> bool:
    """Whether a session does everything in one task."""
    return spark.conf.get(_ONE_TASK, "false") == "true"


def kept(frame: DataFrame) -> DataFrame:
    """Return a frame whose rows are kept from the first job on; `unpersist` frees many."""
    # Spark's cache compiles code for each schema; rows of a checkpoint stay as they are.
    return frame.localCheckpoint(eager=False) if in_one_task(frame.sparkSession) else frame.persist()
