"""Readers that are other programs: hudi-rs in a task of Spark, and released Hudi bundles in processes of their own.

What they show becomes a frame with the columns of the table, so that it compares with the rows of the table's reader.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as sf

from bridge.compare.readers_report import HUDI_RS
from bridge.compare.released_process import NotRunError, check_local, first_line, reason_of, run_released
from bridge.engines import COMMIT, arrow_schema, bundle_for, check_spark
from bridge.hudi import UnreadableTableError, converted
from bridge.pipeline import KIND, LEFT, RIGHT, differences
from bridge.spark import META_COLUMNS, is_local, local_path, map_in_arrow, prepare, quoted
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as spark_types

    from bridge.hudi import HudiTable

_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]


def has_bundle(release: HudiRelease) -> bool:
    """Whether a release has a bundle for this Spark."""
    try:
        check_spark(release)
    except PayloadBridgeError:
        return False
    return True


def program_version(name: str, spark: SparkSession) -> str:
    """Return what runs as a reader: the package of hudi-rs with its version, or the Maven coordinate of a bundle.

    Raises:
        NotRunError: it is not installed, or there is none for this Spark.
    """
    if name != HUDI_RS:
        try:
            return bundle_for(spark, HudiRelease.parse(name.rpartition(" ")[2]))
        except PayloadBridgeError as error:
            raise NotRunError(str(error)) from error
    if importlib.util.find_spec("hudi") is None:
        msg = "the package hudi is not installed (pip install 'hudi-payload-bridge[hudi-rs]')"
        raise NotRunError(msg)
    return f"hudi-rs {importlib.metadata.version('hudi')}"


def shown_by(name: str, table: HudiTable, folder: Path) -> DataFrame:
    """Return the rows that a program shows of a table; bundles write them into `folder`.

    Raises:
        NotRunError: it can't run here.
        UnreadableTableError: it refuses the table, when the frame is read where it is hudi-rs.
    """
    if name == HUDI_RS:
        prepare(table.spark, "")
        task = functools.partial(_read_by_hudi_rs, _absolute(table.path), arrow_schema(_columns(table)))
        return map_in_arrow(table.spark.range(0, 1, 1, 1), task, _columns(table))
    return _read_by_bundle(table, name, folder)


def compared_with(table: HudiTable, own: DataFrame, theirs: DataFrame) -> DataFrame:
    """Return the rows that differ, with the columns of `ReadersReport.differences`.

    Rows meet by Hudi's key and partition, or by the columns that identify them where `own` has no meta columns.
    """
    data = [name for name in own.columns if name not in META_COLUMNS]
    has_meta = table.has_meta_columns and _KEY in own.columns

    def keyed(frame: DataFrame) -> DataFrame:
        names = [quoted(name) for name in table.identity]
        keys = [sf.col(_PARTITION), sf.col(_KEY)]
        if not has_meta:
            keys = [sf.lit("").alias(_PARTITION), sf.to_json(sf.struct(*names)).alias(_KEY)]
        return frame.select(sf.lit(0).alias(COMMIT), *keys, *map(quoted, data))

    found = differences(keyed(own), keyed(_typed(theirs, own.schema)), (_PARTITION, _KEY), duplicates=True)
    rows = [sf.when(sf.col(side).isNotNull(), _part(side, data)).alias(side) for side in (LEFT, RIGHT)]
    return found.select(_PARTITION, _KEY, KIND, *rows)


def _part(side: str, names: Iterable[str]) -> object:
    """Return some columns of a row."""
    return sf.struct(*(sf.col(side)[name].alias(name) for name in names))


def _typed(frame: DataFrame, schema: spark_types.StructType) -> DataFrame:
    """Return rows in the types of the table's own reader; a column that they lack is null."""
    has = {name.lower() for name in frame.columns}
    return frame.select(
        *(
            (quoted(field.name) if field.name.lower() in has else sf.lit(None)).cast(field.dataType).alias(field.name)
            for field in schema
        )
    )


def _columns(table: HudiTable) -> spark_types.StructType:
    return table.snapshot().schema


def _absolute(path: str) -> str:
    """Return a path for a program that runs in another folder, or knows no relative paths."""
    return str(local_path(path).absolute()) if is_local(path) else path


# -- hudi-rs


def _read_by_hudi_rs(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give what hudi-rs reads, batch by batch, in the columns of the table.

    Raises:
        UnreadableTableError: hudi-rs refuses the table, or its rows do not fit the columns.
    """
    for _ in batches:
        try:
            hudi = importlib.import_module("hudi")  # an optional package
            for batch in hudi.HudiTable(path).read_stream():
                columns = dict(zip(batch.schema.names, batch.columns, strict=True))
                rows = [
                    converted(columns[field.name], field.type)
                    if field.name in columns
                    else pa.nulls(batch.num_rows, field.type)
                    for field in schema
                ]
                yield pa.RecordBatch.from_arrays(rows, schema=schema)
        except GeneratorExit:
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            msg = f"hudi-rs refuses the table: {first_line(str(error))}"
            raise UnreadableTableError(msg) from error


# -- released bundles


def _read_by_bundle(table: HudiTable, name: str, folder: Path) -> DataFrame:
    """Let a bundle read the table in a process of its own.

    Raises:
        NotRunError: the session's executors may not reach this machine's files, or the jars can't be resolved.
        UnreadableTableError: Hudi refuses the table.
    """
    spark = table.spark
    check_local(spark)
    coordinate = program_version(name, spark)
    out = folder / name.replace(" ", "-")
    script = Path(__file__).with_name("released_reader.py")
    way_out = "read a copy with fewer partitions, or compare without released bundles"
    given = {"path": _absolute(table.path), "out": str(out)}
    answer = run_released(spark, coordinate, script, given, way_out=way_out, jars=table.jars)[-1]
    if "error" in answer:
        msg = f"{coordinate} refuses the table: {reason_of(answer['error'])}"
        raise UnreadableTableError(msg)
    return spark.read.parquet(str(out))
