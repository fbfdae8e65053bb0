"""The session of tests and of commands that compare few rows: what Spark prepares for many is left out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bridge.spark import local_session, small_input

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def session_for_few_rows() -> SparkSession:
    """Start a session on two cores.

    Its Java VM has no optimising compiler, which would take half of the time. Python workers start from a process that
    has the engine loaded. As for small inputs there are no statistics, which cost more stages than they save, and
    queries are interpreted; Arrow batches are those of any user's session.
    """
    name = "spark.python.daemon.module"
    java_options = f"{small_input.JAVA_OPTIONS} -D{name}={small_input.SETTINGS[name]}"
    os.environ.setdefault("SPARK_SUBMIT_OPTS", java_options)
    session = local_session(cores=2)
    settings = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    settings["spark.sql.ui.explainMode"] = small_input.SETTINGS["spark.sql.ui.explainMode"]
    for name, value in (settings | small_input.INTERPRETED).items():
        session.conf.set(name, value)
    session.conf.unset("spark.payload_bridge.fits_arrow_batches")
    return session
