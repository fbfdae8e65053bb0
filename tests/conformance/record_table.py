"""Writes the batches of a case to a table with the Hudi of this process, and notes what it answers."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from tests.conformance.histories import columns_of, parse_value
from tests.conformance.record_cases import TABLE_TYPES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.conformance.record_cases import Case

_BUNDLE = "org.apache.hudi:hudi-spark3.5-bundle_2.12"
_WRITER = {
    "hoodie.table.name": "recorded",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.metadata.enable": "false",
    "hoodie.compact.inline": "false",
}
_COMPACT = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
_LONGEST = 500
_MERGING = (
    "hoodie.compaction.payload.class",
    "hoodie.compaction.record.merger.strategy",
    "hoodie.record.merge.",
    "hoodie.table.legacy.payload.class",
    "hoodie.table.ordering.fields",
    "hoodie.table.partial.update.mode",
    "hoodie.table.precombine.field",
    "hoodie.table.version",
)


def session(release: str) -> SparkSession:
    """Start Spark with the bundle of a release; a process has one of them, since Java keeps its class path."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (--help needs no Spark)

    from bridge.spark.java import find_java  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["JAVA_HOME"] = str(find_java())
    os.environ["TZ"] = "UTC"  # Python's timestamps are local
    time.tzset()
    settings = {
        "spark.jars.packages": f"{_BUNDLE}:{release}",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[1]").appName("record")
    for name, value in settings.items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found


def write(
    spark: SparkSession, case: Case, table: Path, number: int, options: dict[str, str] | None = None
) -> dict[str, Any]:
    """Write batch `number` of a case, with more options, and return the commit: its rows and the snapshot after it."""
    rows = case.batches[number - 1]
    compacts = number in case.compact_after
    written = _WRITER | case.options | (options or {}) | (_COMPACT if compacts else {})
    written |= {"hoodie.datasource.write.table.type": TABLE_TYPES[case.table_type]}
    kinds = columns_of(case.schema_ddl).items()
    values = [tuple(parse_value(kind, row[at]) for at, (_, kind) in enumerate(kinds)) for row in rows]
    frame = spark.createDataFrame(values, case.schema_ddl).coalesce(1)
    frame.write.format("hudi").options(**written).mode("append").save(str(table))
    return {"incoming": rows, "snapshot": read(spark, case, table), "compacted_inline": compacts}


def read(spark: SparkSession, case: Case, table: Path) -> list[dict[str, Any]]:
    """Return what a snapshot query finds, without meta columns, in the order of the keys."""
    found = spark.read.format("hudi").load(str(table)).select(*columns_of(case.schema_ddl)).collect()
    return sorted((row.asDict() for row in found), key=lambda row: (row["id"], str(row["part"])))


def reason(error: Exception, table: Path) -> str:
    """Return what Hudi said when it refused: the lines of Java's stack trace that name an exception, without paths."""
    text = str(error).replace(f"{table.parent}/", "")
    return "\n".join([line[:_LONGEST] for line in text.splitlines() if "Exception" in line][:3])


def properties(table: Path) -> dict[str, str]:
    """Return the properties of a table that concern merging."""
    lines = (table / ".hoodie" / "hoodie.properties").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if not line.startswith("#"))
    return {key: value.replace("\\:", ":") for key, _, value in pairs if key.startswith(_MERGING)}


def history_of(case: Case, release: str) -> dict[str, Any]:
    """Return the history of a table that has no commits yet."""
    return {
        "hudi_version": release,
        "payload_class": case.payload_class,
        "table_type": TABLE_TYPES[case.table_type],
        "ordering": case.ordering,
        "options": case.options,
        "schema_ddl": case.schema_ddl,
        "commits": [],
    }


def save(folder: Path, history: dict[str, Any]) -> None:
    """Write a history to its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    data = json.dumps(history, ensure_ascii=False, default=str).encode()
    (folder / "history.json.gz").write_bytes(gzip.compress(data, mtime=0))
    click.echo(f"{folder}: {len(history['commits'])} commits {history.get('error', '')}")
