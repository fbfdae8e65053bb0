"""python -m tests.lines.smoke, in an environment with one line of PySpark: what every line has to do.

Rows of frames in the python and the native engine, of all types that nest; recorded tables in place; a compiled class
against the recorded rows of real Hudi, or the refusal where the line has no bundle.
"""

from __future__ import annotations

import datetime
import decimal
import os
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyspark

from bridge import HudiTable, MergePlan, PlanError, local_session, upsert
from bridge.spark import line_of
from bridge.spark.small_input import JAVA_OPTIONS
from payloads import HudiRelease, PayloadRef
from tests.conformance.tables import difference, json_rows, load
from tests.corpus.jars import jars_for
from tests.corpus.shapes import SHAPES
from tests.corpus.tables import RECORDED
from tests.corpus.tables import load as load_compiled
from tests.jvm.java_compiler import JavaCompiler
from tests.support import TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

COLUMNS: Final = (
    "id string, ts bigint, price decimal(10,2), at timestamp, day date, raw binary, open boolean, share double, "
    "tags array<string>, legs array<struct<stop: string, at: timestamp>>, "
    "place struct<at: struct<x: int>, name: string>, notes map<string, struct<by: string>>"
)
_MOMENT: Final = datetime.datetime(2024, 3, 31, 1, 30, 0, 5)  # noqa: DTZ001 (Spark's own form of a timestamp)
TABLES_IN_PLACE: Final = (("0.15", "mor-plain-default"), ("1.2", "mor-types-default"))
"""Recorded tables, by release and folder."""
BUNDLES: Final = {
    "3.3": ("org.apache.hudi:hudi-spark3.3-bundle_2.12:0.14.0",),
    "3.4": ("org.apache.hudi:hudi-spark3.4-bundle_2.12:0.14.0",),
    "3.5": ("org.apache.hudi:hudi-spark3.5-bundle_2.12:0.15.0",),
}
"""The bundle of a line whose release is asked about a compiled class: the one that Maven Central gives."""


def row(key: str, ts: int, price: str) -> tuple[Any, ...]:
    """Return a row of all types."""
    return (
        *(key, ts, decimal.Decimal(price), _MOMENT, _MOMENT.date(), bytearray(key.encode()), True, ts / 3, [key, None]),
        *([(key, _MOMENT)], ((ts,), key), {"why": (key,)}),
    )


def told(frame: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows of a frame, with nested ones as tuples, by key."""
    return sorted(tuple(one) for one in frame.select(*(name.split()[0] for name in _names())).collect())


def _names() -> Iterable[str]:
    return ("id", "ts", "price", "at", "day", "raw", "open", "share", "tags", "legs", "place", "notes")


def frames(spark: SparkSession) -> str:
    """Merge frames in each engine; in the jvm engine, where the line has a bundle of Hudi."""
    of_java = PayloadRef("DefaultHoodieRecordPayload", package=BUNDLES.get(line_of().name, ()))
    stored = spark.createDataFrame([row("a", 20, "9.50"), row("b", 20, "2.00"), row("c", 20, "3.00")], COLUMNS)
    incoming = spark.createDataFrame([row("a", 10, "1.00"), row("b", 30, "1.50"), row("d", 5, "7.00")], COLUMNS)
    newest = [row("a", 20, "9.50"), row("b", 30, "1.50"), row("c", 20, "3.00"), row("d", 5, "7.00")]
    dearest = [*newest[:1], row("b", 30, "2.00"), *newest[2:]]
    for merges, engine, wanted in (
        ({"payload": "DefaultHoodieRecordPayload", "release": "0.15"}, "python", newest),
        ({"payload": "DefaultHoodieRecordPayload", "release": "0.14"}, "native", newest),
        ({"merger": "EVENT_TIME_ORDERING", "release": "1.2"}, "native", newest),
        ({"merger": "EVENT_TIME_ORDERING", "release": "1.0"}, "python", newest),
        ({"payload": "tests.lines.classes:NeverCheaper", "release": "0.14"}, "python", dearest),
        ({"payload": of_java, "release": "0.15" if line_of().name == "3.5" else "0.14"}, "jvm", newest),
    ):
        if engine == "jvm" and not of_java.package:
            continue
        plan = MergePlan(key="id", ordering="ts", engine=engine, **merges)
        found = told(upsert(stored, incoming, plan))
        assert found == wanted, f"{merges}, {engine}: {found}"
    return "frames in the python, the native" + (" and the jvm engine" if of_java.package else " engine")


def tables(spark: SparkSession, folder: Path) -> str:
    """Read recorded tables in place, as Arrow, which keeps every value as it is."""
    with tarfile.open(TABLES) as archive:
        unpack(archive, folder)
    chosen = [next(load(folder / "tables", *one)) for one in TABLES_IN_PLACE]
    for recorded in chosen:
        frame = HudiTable(spark, str(recorded.folder / "table"), recorded.release).snapshot()
        found = [one for batch in frame._collect_as_arrow() for one in json_rows(batch)]
        assert difference(recorded.answers["snapshot"], found) == "", recorded.label
    return f"{len(chosen)} tables in place"


def compiled(spark: SparkSession, folder: Path) -> str:
    """Read tables whose rows a compiled class merges, or see its refusal."""
    package = BUNDLES.get(line_of().name)
    if package is None:
        plan = MergePlan(payload="DefaultHoodieRecordPayload", engine="jvm", release="0.15", key="id", ordering="ts")
        rows = spark.createDataFrame([row("a", 20, "9.50")], COLUMNS)
        refusal = ""
        try:
            upsert(rows, rows, plan)
        except PlanError as error:
            refusal = str(error)
        assert "has not run on Spark" in refusal, refusal
        return f"a compiled class is refused: {refusal}"
    bundle = HudiRelease.parse(package[0].rpartition(":")[2])
    with tarfile.open(RECORDED) as archive:
        unpack(archive, folder)
    compiler = JavaCompiler(spark, folder)
    jars = jars_for(compiler, HudiRelease.V0_15)
    label = []
    for recorded in load_compiled(folder):
        if (recorded.release, recorded.name) not in {("0.14.0", "CountsMerges"), ("0.14.0", "KeepsMarked")}:
            continue
        reader = next(one for one in recorded.answers if HudiRelease.parse(one) is bundle)
        own = PayloadRef(SHAPES[recorded.name].class_name, jars=(str(jars.classes), str(jars.library)), package=package)
        frame = HudiTable(spark, recorded.path, bundle, payload=own).snapshot()
        rows = [one.asDict() for one in frame.collect()]
        assert difference(recorded.answers[reader], rows) == "", f"{recorded.name}, {reader}"
        label.append(f"{recorded.name} as real Hudi {reader}")
    assert label
    return f"compiled classes: {', '.join(label)}"


def main() -> None:
    """Ask everything, and print what ran."""
    start = time.monotonic()
    os.environ.setdefault("SPARK_SUBMIT_OPTS", JAVA_OPTIONS)
    spark = local_session(cores=2)
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    with tempfile.TemporaryDirectory() as name:
        said = [frames(spark), tables(spark, Path(name, "tables")), compiled(spark, Path(name))]
    spark.stop()
    python = ".".join(map(str, sys.version_info[:2]))
    print(f"PySpark {pyspark.__version__}, Python {python}: {'; '.join(said)}; {time.monotonic() - start:.0f} s")  # noqa: T201 (a command)


if __name__ == "__main__":
    main()
