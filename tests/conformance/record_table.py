"""Writes the batches of a case to a table with the Hudi of this process, and notes what it answers."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from tests.conformance.histories import columns_of, parse_value
from tests.conformance.record_cases import TABLE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.conformance.record_cases import Batch, Case

_BUNDLE = "org.apache.hudi:hudi-spark{}-bundle_2.12"  # of the Spark that runs
_WRITER = {
    "hoodie.table.name": "recorded",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.operation": "upsert",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.metadata.enable": "false",
    "hoodie.compact.inline": "false",
    "hoodie.embed.timeline.server": "false",  # it serves several executors, and takes a second a write
}
_COMPACT = {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "1"}
_KEY = ("id", "part")
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


def session(release: str, more: Mapping[str, str] | None = None) -> SparkSession:
    """Start Spark with the bundle of a release; a process has one of them, since Java keeps its class path.

    Args:
        release: in full: 1.2.0; one before 0.15.0 needs an older PySpark on the path (0.14.0 has a bundle for 3.4).
        more: other settings of Spark.
    """
    import pyspark  # noqa: PLC0415 (--help needs no Spark)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    from bridge.spark.java import find_java  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["JAVA_HOME"] = str(find_java())
    os.environ["TZ"] = "UTC"  # Python's timestamps are local
    time.tzset()
    settings = {
        "spark.jars.packages": f"{_BUNDLE.format('.'.join(pyspark.__version__.split('.')[:2]))}:{release}",
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        **({} if release < "0.13" else {"spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar"}),
        "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
    }
    builder = SparkSession.builder.master("local[1]").appName("record")
    for name, value in (settings | dict(more or {})).items():
        builder = builder.config(name, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("ERROR")
    return found


def write(
    spark: SparkSession, case: Case, table: Path, number: int, options: Mapping[str, str | None] | None = None
) -> dict[str, Any]:
    """Write batch `number` of a case, with more options, and return the commit: its rows and the snapshot after it."""
    batch = case.batches[number - 1]
    compacts = number in case.compact_after
    if batch.statement is not None:
        _merge(spark, case, table, batch)
    elif batch.operation in _STATEMENTS:
        _STATEMENTS[batch.operation](spark, table, batch.rows)
    else:
        given = _WRITER | case.options | dict(batch.options) | dict(options or {}) | (_COMPACT if compacts else {})
        given["hoodie.datasource.write.table.type"] = TABLE_TYPES[case.table_type]
        given["hoodie.datasource.write.operation"] = batch.operation
        written = {key: value for key, value in given.items() if value is not None}
        _frame(spark, case.schema_ddl, batch.rows).write.format("hudi").options(**written).mode("append").save(
            str(table)
        )
    commit = {"incoming": batch.rows, "snapshot": read(spark, case, table), "compacted_inline": compacts}
    if batch.operation != "upsert":
        commit["operation"] = batch.operation
    commit |= {name: told for name in ("statement", "source_ddl") if (told := getattr(batch, name)) is not None}
    return commit | ({"options": batch.options} if batch.options else {})


def write_on(spark: SparkSession, case: Case, table: Path, number: int, history: dict[str, Any], **more: Any) -> bool:
    """Write batch `number` as `write` does, and add to a history the commit, or that Hudi refused it.

    Returns whether the table goes on: a refused statement leaves nothing in it.
    """
    batch = case.batches[number - 1]
    try:
        history["commits"].append(write(spark, case, table, number, more.get("options_then")) | more)
    except Exception as error:  # noqa: BLE001 (that Hudi fails is an answer, too)
        told = reason(error, table)
        if batch.statement is None:
            history["error"] = told
            return False
        given: dict[str, Any] = {} if batch.source_ddl is None else {"source_ddl": batch.source_ddl}
        given |= {"incoming": batch.rows, "after": len(history["commits"])}
        history.setdefault("refused", []).append({"statement": batch.statement, "error": told} | given)
    return True


def _frame(spark: SparkSession, ddl: str, rows: Iterable[Any]) -> DataFrame:
    kinds = columns_of(ddl)
    by_place = (row if isinstance(row, dict) else dict(zip(kinds, row, strict=True)) for row in rows)
    values = [tuple(parse_value(kind, row.get(name)) for name, kind in kinds.items()) for row in by_place]
    return spark.createDataFrame(values, ddl).coalesce(1)


def _update(spark: SparkSession, table: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Assign to the rows of the named keys what each row has besides its key."""
    names = [name for name in rows[0] if name not in _KEY]
    cases = {name: " ".join(f"WHEN {_matches([row])} THEN {_literal(row[name])}" for row in rows) for name in names}
    assigned = ", ".join(f"{name} = CASE {whens} END" for name, whens in cases.items())
    spark.sql(f"UPDATE {registered(spark, table)} SET {assigned} WHERE {_matches(rows)}")  # noqa: S608 (our own rows)


def _delete(spark: SparkSession, table: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    spark.sql(f"DELETE FROM {registered(spark, table)} WHERE {_matches(rows)}")  # noqa: S608 (our own rows)


def _merge(spark: SparkSession, case: Case, table: Path, batch: Batch) -> None:
    """Run a MERGE INTO of `target` with `source`; the index is no property of a table, so the session names it."""
    _frame(spark, batch.source_ddl or case.schema_ddl, batch.rows).createOrReplaceTempView("source")
    statement = (batch.statement or "").replace("INTO target", f"INTO {registered(spark, table)}")
    index = {key: value for key, value in case.options.items() if "index." in key and value is not None}
    for key, value in index.items():
        spark.conf.set(key, value)
    try:
        spark.sql(statement)
    finally:
        for key in index:
            spark.conf.unset(key)


_STATEMENTS = {"sql_update": _update, "sql_delete": _delete}


def registered(spark: SparkSession, table: Path) -> str:
    """Return the name of a table in the catalog of the session."""
    name = re.sub(r"\W", "_", f"{table.parent.name}_{table.name}")
    spark.sql(f"CREATE TABLE IF NOT EXISTS {name} USING hudi LOCATION '{table}'")
    for key, value in _WRITER.items():
        if "datasource" not in key and key != "hoodie.table.name":
            spark.conf.set(key, value)
    return name


def _matches(rows: Iterable[Mapping[str, Any]]) -> str:
    tests = (" AND ".join(f"{name} = {_literal(row[name])}" for name in _KEY) for row in rows)
    return " OR ".join(f"({test})" for test in tests)


def _literal(value: Any) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value).lower()


def read(spark: SparkSession, case: Case, table: Path) -> list[dict[str, Any]]:
    """Return what a snapshot query finds, without meta columns, in the order of the keys."""
    found = spark.read.format("hudi").options(**case.reads_with).load(str(table)).select(*columns_of(case.schema_ddl))
    rows = (row.asDict() for row in found.collect())
    return sorted(rows, key=lambda row: (row["id"] is not None, row["id"], str(row["part"])))


def reason(error: Exception, table: Path) -> str:
    """Return what Hudi said when it refused: the lines of Java's stack trace that name an exception, without paths."""
    text = str(error).replace(f"{table.parent}/", "")
    lines = text.splitlines()
    return "\n".join([line[:_LONGEST] for line in lines if "Exception" in line][:3]) or lines[0][:_LONGEST]


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
