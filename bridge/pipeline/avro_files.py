"""Avro container files as frames: by Spark's own reader where it is there and agrees, else in parallel over blocks."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import types as spark_types

from bridge.engines import ARRIVAL, RecordWriter, arrow_schema
from bridge.errors import InputError
from bridge.pipeline.file_errors import failures, refuse_taken
from bridge.spark import PySparkException, in_one_task, map_in_arrow, prepare, spark_schema
from payloads.avro import read_blocks, read_container

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.spark import Files, Place
    from payloads.avro import ContainerBlock

# The type of `ARRIVAL`.
_ARRIVAL_TYPE = spark_types.StructType(
    [
        spark_types.StructField("file", spark_types.IntegerType()),
        spark_types.StructField("block", spark_types.LongType()),
        spark_types.StructField("row", spark_types.LongType()),
    ],
)
# In an Arrow batch: what is reached first ends it.
_ROWS, _BYTES = 10_000, 8 << 20
_PART = "spark.sql.files.maxPartitionBytes"
_LISTERS = 16  # requests to a storage at a time


class _Part(NamedTuple):
    """Bytes of a file that one task reads."""

    rank: int
    place: Place
    start: int
    end: int


def avro_frame(spark: SparkSession, files: Files, arrival: Column | None) -> DataFrame:
    """Read Avro files of one schema; `arrival` is what sorts the rows of Spark's own reader, None for no `ARRIVAL`.

    Raises:
        InputError: a file can't be read, or the files have several schemas.
    """
    target = _schema_of(files)
    if arrival is not None and ARRIVAL in target.fieldNames():
        refuse_taken(files.origin)
    found = None if in_one_task(spark) else _by_spark(spark, files, target)
    if found is not None:
        return found if arrival is None else found.select("*", arrival.alias(ARRIVAL))
    prepare(spark)
    target = spark_types.StructType([*target, spark_types.StructField(ARRIVAL, _ARRIVAL_TYPE)])
    parts = _parts(spark, files)
    # A part a task.
    numbers = spark.range(0, len(parts), 1, 1 if in_one_task(spark) else len(parts))
    frame = map_in_arrow(numbers, functools.partial(_rows, parts, target), target)
    return frame.drop(ARRIVAL) if arrival is None else frame


def _schema_of(files: Files) -> spark_types.StructType:
    with ThreadPoolExecutor(_LISTERS) as listers:
        structs = list(listers.map(_container_schema, files.paths))
    for path, struct in zip(files.paths, structs, strict=True):
        if struct != structs[0]:
            msg = (
                f"{path}: its schema is not that of {files.paths[0].name}; "
                "put files of different schemas into separate batches"
            )
            raise InputError(msg)
    # As with every file that Spark reads, no column is required.
    return spark_types.StructType([spark_types.StructField(field.name, field.dataType) for field in structs[0]])


def _container_schema(path: Place) -> spark_types.StructType:
    with failures(path), path.open() as stream:
        return spark_schema(read_container(stream)[0])


def _by_spark(spark: SparkSession, files: Files, target: spark_types.StructType) -> DataFrame | None:
    """Return what Spark's reader makes of the files; None without spark-avro, or if it takes a type in another way."""
    try:
        frame = spark.read.format("avro").load([path.uri for path in files.paths])
    except PySparkException:
        return None
    return frame if _types(frame.schema) == _types(target) else None


def _types(struct: spark_types.StructType) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in struct]


def _parts(spark: SparkSession, files: Files) -> list[_Part]:
    most = _bytes(spark.conf.get(_PART, None) or "128m")
    with ThreadPoolExecutor(_LISTERS) as listers:
        sizes = list(listers.map(lambda path: path.size(), files.paths))
    return [
        _Part(rank, path, start, min(start + most, size))
        for rank, (path, size) in enumerate(zip(files.paths, sizes, strict=True))
        for start in range(0, size, most)
    ]


def _bytes(text: str) -> int:
    """Read a size as Spark writes it.

    >>> _bytes("134217728b"), _bytes("128m"), _bytes("1024")
    (134217728, 134217728, 1024)
    """
    number = text.lower().rstrip("bkmgt")
    unit = text[len(number) :].lower().rstrip("b")
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[unit]


def _rows(
    parts: list[_Part], target: spark_types.StructType, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    arrow = arrow_schema(target)
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from _rows_of(parts[number], arrow)


def _rows_of(part: _Part, arrow: pa.Schema) -> Iterator[pa.RecordBatch]:
    with failures(part.place), part.place.open() as stream:
        schema, blocks = read_blocks(stream, part.start, part.end)
        writer = RecordWriter(schema, arrow)
        done = 0
        for records in _chunks(blocks):
            numbers = range(done, done + len(records))
            done = numbers.stop
            arrival = [{"file": part.rank, "block": part.start, "row": number} for number in numbers]
            yield writer.batch(records, {ARRIVAL: arrival})


def _chunks(blocks: Iterable[ContainerBlock]) -> Iterator[list[Any]]:
    """Gather records of blocks up to the size of an Arrow batch."""
    chunk: list[object] = []
    size = 0.0
    for block in blocks:
        of_each = block.size / max(block.records, 1)
        for value in block.values:
            chunk.append(value)
            size += of_each
            if len(chunk) >= _ROWS or size >= _BYTES:
                yield chunk
                chunk, size = [], 0.0
    if chunk:
        yield chunk
