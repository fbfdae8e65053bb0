"""A job on executors in JVMs of their own; `test_cluster` runs it as a process and reads the JSON that it prints.

Its folder has `their_payloads.py`, and its executors don't have this project: code is shipped automatically.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from bridge import MergePlan, combine_input, upsert
from bridge.errors import sentence_of
from payloads import PayloadRef

VERSIONS, BYTES_EACH = 100_000, 6_000


def _session() -> SparkSession:
    return (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.extraJavaOptions", "-XX:-OmitStackTraceInFastThrow")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )


def _plan(jar: str, name: str) -> MergePlan:
    payload = PayloadRef(f"com.acme.Examples${name}", jar=jar)
    return MergePlan(payload=payload, release="0.15", key=("id",), ordering=("ts",))


def run(spark: SparkSession, jar: str) -> dict[str, Any]:
    """Merge, fail, and combine a key with more data than an executor has memory."""
    numbers = spark.range(100).selectExpr("CAST(id AS STRING) id", "id ts", "id n")
    merged = upsert(numbers, numbers, _plan(jar, "RunningSum")).agg(sf.sum("n")).first()
    # Python runs the program, and calls the class in the JVM of its executor.
    index = {"partition": ("id",), "props": {"hoodie.index.type": "GLOBAL_SIMPLE"}}
    called = upsert(numbers, numbers, dataclasses.replace(_plan(jar, "RunningSum"), **index)).agg(sf.sum("n")).first()
    # A class of the working folder, which executors don't have; nor do they have this project.
    theirs = MergePlan(payload="their_payloads:Newest", release="0.15", key=("id",), ordering=("ts",))
    in_python = upsert(numbers, numbers, theirs).agg(sf.sum("n")).first()
    named = spark.range(100).selectExpr("IF(id = 7, 'bad', CAST(id AS STRING)) id", "id ts")
    before = time.monotonic()
    try:
        upsert(named, named, _plan(jar, "Throwing")).collect()
        failure = "none"
    except Exception as error:  # noqa: BLE001 (whatever Spark makes of it)
        failure = sentence_of(error)
    took = time.monotonic() - before
    wide = spark.range(VERSIONS).select(
        sf.lit("k").alias("id"),
        sf.col("id").alias("ts"),
        sf.lit(1).cast("long").alias("n"),
        sf.repeat(sf.substring(sf.sha2(sf.col("id").cast("string"), 256), 1, 10), BYTES_EACH // 10).alias("wide"),
    )
    combined = combine_input(wide, _plan(jar, "RunningSum")).select("n").collect()
    return {
        "sum": merged[0],
        "called": called[0],
        "in_python": in_python[0],
        "failure": failure,
        "seconds": took,
        "versions": [row["n"] for row in combined],
    }


if __name__ == "__main__":
    session = _session()
    answer = run(session, sys.argv[1])
    session.stop()
    print(json.dumps(answer))  # noqa: T201 (the parent process reads it)
