"""Records histories: writes batches with real Hudi and notes its answers (`python -m tests.conformance.record --help`).

Needs network or a filled Ivy cache for Hudi's bundle. What it writes is what `tests.conformance.histories` reads.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

_TABLE_TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
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


@click.command()
@click.argument("cases", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--release", required=True, help="The Hudi release, in full: 1.2.0.")
@click.option("--case", "wanted", multiple=True, help="Only this case; may be repeated.")
def main(cases: Path, out: Path, release: str, wanted: Sequence[str]) -> None:
    """Record the CASES of a file below OUT/RELEASE; a case is one table for each of its table types.

    CASES is JSON: `schema_ddl` with the columns id and part, `batches` (name: list of batches, each a list of rows),
    and `cases`, each with `case`, `payload_class`, `ordering`, `options`, `batches` (a name), `table_types` (cow, mor)
    and `compact_after` (numbers of batches, from 1); `releases` where not all of them are meant.
    """
    given = json.loads(cases.read_text())
    spark = _session(release)
    try:
        for case in given["cases"]:
            if (wanted and case["case"] not in wanted) or release not in case.get("releases", [release]):
                continue
            for table_type in case["table_types"]:
                history = _record(spark, release, given, case, table_type)
                folder = out / release / f"{case['case']}-{table_type}"
                folder.mkdir(parents=True, exist_ok=True)
                data = json.dumps(history, ensure_ascii=False, default=str).encode()
                (folder / "history.json.gz").write_bytes(gzip.compress(data, mtime=0))
                click.echo(f"{folder}: {len(history['commits'])} commits {history.get('error', '')}")
    finally:
        spark.stop()


def _session(release: str) -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415 (--help needs no Spark)

    from bridge.session import find_java  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["JAVA_HOME"] = str(find_java())
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
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _record(
    spark: SparkSession, release: str, given: dict[str, Any], case: dict[str, Any], table_type: str
) -> dict[str, Any]:
    """Write the batches of a case to a new table; return its history, up to the batch that Hudi refused."""
    ordering = case["ordering"]
    fields = ("datasource.write.precombine", "payload.ordering", "payload.event.time")
    options = {f"hoodie.{name}.field": ordering for name in fields}
    options |= {"hoodie.datasource.write.payload.class": case["payload_class"], **case["options"]}
    commits: list[dict[str, Any]] = []
    history = {
        "hudi_version": release,
        "payload_class": case["payload_class"],
        "table_type": _TABLE_TYPES[table_type],
        "ordering": ordering,
        "options": options,
        "schema_ddl": given["schema_ddl"],
        "commits": commits,
    }
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder:
        for number, rows in enumerate(given["batches"][case["batches"]], start=1):
            compacts = table_type == "mor" and number in case["compact_after"]
            written = _WRITER | options | (_COMPACT if compacts else {})
            written |= {"hoodie.datasource.write.table.type": _TABLE_TYPES[table_type]}
            frame = spark.createDataFrame(list(map(tuple, rows)), given["schema_ddl"]).coalesce(1)
            try:
                frame.write.format("hudi").options(**written).mode("append").save(f"{folder}/table")
                found = spark.read.format("hudi").load(f"{folder}/table").select(*frame.columns).collect()
            except Exception as error:  # noqa: BLE001 (that Hudi fails is an answer, too)
                causes = [line for line in str(error).splitlines() if "Exception" in line]
                return history | {"error": "\n".join(causes[:3])}
            snapshot = sorted((row.asDict() for row in found), key=lambda row: (row["id"], str(row["part"])))
            commits.append({"incoming": rows, "snapshot": snapshot, "compacted_inline": compacts})
    return history


if __name__ == "__main__":
    main()
