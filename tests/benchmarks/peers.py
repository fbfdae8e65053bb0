"""The peers: real Hudi 1.2.0 and Delta Lake merge the same rows in the same session, each at its best settings.

An upsert changes its table, so that every run has a copy of its own, made before the clock starts. The jars come from
Maven Central, through Spark.
"""

from __future__ import annotations

import functools
import shutil
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.spark import SessionOptions, session_of
from tests.benchmarks.cases import PEER, Case
from tests.benchmarks.data import KEY

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.benchmarks.data import Data

JARS = ("org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0", "io.delta:delta-spark_2.12:3.3.2")
CONF = {
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",  # Hudi refuses another
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
    "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
_FILES = 4
"""One a partition: small tables with many files would cost the peers more."""
_HUDI = {
    "hoodie.table.name": "peer",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.precombine.field": "ts",
    "hoodie.index.type": "SIMPLE",
    "hoodie.metadata.enable": "false",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.bulkinsert.shuffle.parallelism": str(_FILES),
    "hoodie.upsert.shuffle.parallelism": str(_FILES),
    "hoodie.simple.index.parallelism": str(_FILES),
    "hoodie.parquet.compression.codec": "snappy",  # as Spark and Delta; Hudi's default, gzip, takes longer
    "hoodie.compact.inline": "false",
    "hoodie.clean.automatic": "false",
}
_PAYLOAD = "org.apache.hudi.common.model.OverwriteNonDefaultsWithLatestAvroPayload"
_RULES = {
    "event time": {
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
    },
    # The same class twice: table version 8 calls it with Avro records, version 9 has a merge mode in its place.
    "NonDefaults by Avro payload": {
        "hoodie.datasource.write.payload.class": _PAYLOAD,
        "hoodie.write.table.version": "8",
        "hoodie.write.auto.upgrade": "false",
    },
    "NonDefaults by merge mode": {"hoodie.datasource.write.payload.class": _PAYLOAD},
}
UPSERT, SNAPSHOT, DELTA = "Hudi 1.2.0 upsert, {}, {}", "Hudi 1.2.0 snapshot, {}", "Delta dedup and MERGE"


def session() -> SparkSession:
    """Start a session that has the peers beside this project, with the settings of any session."""
    return session_of(SessionOptions(conf=CONF, packages=JARS))


def peers() -> list[Case]:
    """Return the cases of peers."""
    cases = [Case(DELTA, PEER, _merged_by_delta, before=functools.partial(_copied, _delta_table))]
    for rule in _RULES:
        kinds = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"} if rule != "NonDefaults by merge mode" else {}
        for short, kind in kinds.items():
            table = functools.partial(_hudi_table, kind, rule)
            job = functools.partial(_upserted, kind, rule)
            cases.append(Case(UPSERT.format(short, rule), PEER, job, before=functools.partial(_copied, table)))
        read = functools.partial(_read, rule)
        cases.append(Case(SNAPSHOT.format(rule), PEER, read, before=functools.partial(_logged, rule)))
    return cases


def _copied(table: object, data: Data) -> None:
    """Give the next run a table of its own."""
    shutil.rmtree(_current(data), ignore_errors=True)
    shutil.copytree(table(data), _current(data))  # type: ignore[operator]


def _current(data: Data) -> Path:
    return data.folder / "peer-now"


# -- Hudi


def _hudi_table(kind: str, rule: str, data: Data) -> Path:
    """Return the table of the stored rows; it is written where it is wanted first."""
    folder = data.folder / f"hudi-{kind}-{rule}"
    if not folder.exists():
        by_partition = data.stored.repartition(_FILES, "part")
        _save(by_partition, folder, kind, rule, "bulk_insert")
    return folder


def _upserted(kind: str, rule: str, data: Data) -> None:
    _save(data.incoming, _current(data), kind, rule, "upsert")


def _logged(rule: str, data: Data) -> Path:
    """Return a merge-on-read table with the batch in its logs."""
    folder = data.folder / f"hudi-logged-{rule}"
    if not folder.exists():
        shutil.copytree(_hudi_table("MERGE_ON_READ", rule, data), folder)
        _save(data.incoming, folder, "MERGE_ON_READ", rule, "upsert")
    return folder


def _read(rule: str, data: Data) -> DataFrame:
    return data.stored.sparkSession.read.format("hudi").load(str(_logged(rule, data)))


def _save(frame: DataFrame, folder: Path, kind: str, rule: str, operation: str) -> None:
    own = {"hoodie.datasource.write.table.type": kind, "hoodie.datasource.write.operation": operation}
    frame.write.format("hudi").options(**_HUDI, **_RULES[rule], **own).mode("append").save(str(folder))


# -- Delta


def _delta_table(data: Data) -> Path:
    folder = data.folder / "delta"
    if not folder.exists():
        data.stored.repartition(_FILES, "part").write.format("delta").partitionBy("part").save(str(folder))
    return folder


def _merged_by_delta(data: Data) -> None:
    merge_by_delta(data.incoming, _current(data))


def merge_by_delta(incoming: DataFrame, folder: Path) -> None:
    """Dedup a batch and merge it into a Delta table: MERGE refuses a key that the source has twice."""
    latest = Window.partitionBy(*KEY).orderBy(sf.desc("ts"))
    ranked = incoming.withColumn("rank", sf.row_number().over(latest))
    ranked.where("rank = 1").drop("rank").createOrReplaceTempView("batch")
    incoming.sparkSession.sql(
        f"MERGE INTO delta.`{folder}` AS old USING batch AS new ON old.part = new.part AND old.id = new.id "
        "WHEN MATCHED AND (new.ts >= old.ts OR old.ts IS NULL) THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
