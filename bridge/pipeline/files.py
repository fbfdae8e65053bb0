"""Files of batches and frames, with the order in which their rows arrived.

A batch is one file or one flat folder of files of one format, and batches come in the plain string order of their
names (`10` before `9`). All columns of a frame are nullable, as with every file that Spark reads.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as F  # noqa: N812 (Spark's own convention)
from pyspark.sql import types as spark_types

from bridge.engines import ARRIVAL
from bridge.errors import InputError
from bridge.pipeline.avro_files import avro_frame
from bridge.pipeline.empty_columns import typed_alike, typed_like
from bridge.pipeline.file_errors import failures, refuse_taken, unreadable
from bridge.pipeline.text_files import check_utf8
from bridge.spark import Files, PySparkException, batch_places, files_of, fit_batches, in_one_task, place_of, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from pyspark.sql import Column, DataFrame, SparkSession

    from bridge.spark import Place

    Narrow: TypeAlias = Callable[[DataFrame], DataFrame]

# A quote inside quotes is doubled and may span lines (RFC 4180), so a CSV file can't be split.
_CSV_OPTIONS = {"header": "true", "multiLine": "true", "escape": '"'}
INFERRED = ("csv", "json")
"""The formats whose files don't say what they hold."""
_MOST_INFERRED = 64 << 20
_MOST_HEADER = 8 << 20
_NOT_IN_URI = re.compile(r"[^A-Za-z0-9_\-!.~'()*:@&=+$,;\u00a1-\U0010ffff]")


class BatchFile(NamedTuple):
    """One batch: the name of its file or folder, and its rows with the column `ARRIVAL`."""

    name: str
    frame: DataFrame


def read_batches(
    spark: SparkSession,
    path: str | Path,
    schema: spark_types.StructType | None = None,
    *,
    check: bool = True,
    narrow: Narrow = lambda frame: frame,
) -> list[BatchFile]:
    """Read the folder or pattern of `--batches`, a batch per entry; each batch keeps the schema that its files have.

    CSV and JSON take the types of `schema`, or what Spark infers; a column that is empty in one batch has the type that
    it has in another. They are parsed once here to find rows that can't be, unless the caller parses all rows himself,
    and comes back to `check` them where that fails or a batch has no rows.
    A CSV file starts with its header, and an empty field is null.
    Names that start with `.` or `_` are left out. `narrow` drops rows where Spark still passes its condition on to the
    reader of the files.

    Raises:
        InputError: naming the file or folder that can't be read, and what to do.
    """
    entries = batch_places(path, spark)
    batches = [files_of(entry) for entry in entries]
    frames = [_read(spark, one, schema, arrival=True, check=check, narrow=narrow) for one in batches]
    with failures(place_of(path, spark)):
        if schema is None:
            frames = typed_alike(frames, [place for place, one in enumerate(batches) if one.format in INFERRED])
        fit_batches(frames[-1])
    return [BatchFile(entry.name, frame) for entry, frame in zip(entries, frames, strict=True)]


def read_frame(
    spark: SparkSession,
    path: str | Path | Files,
    schema: spark_types.StructType | None = None,
    *,
    arrival: bool = False,
    like: spark_types.StructType | None = None,
) -> DataFrame:
    """Read one file or flat folder (`--stored`, `--log`, `--incoming`); `arrival` adds the column `ARRIVAL`.

    A folder that is listed already is not listed again. Without a schema, a column of CSV or JSON that has no value has
    the type that it has in `like`.

    Raises:
        InputError: see `read_batches`.
    """
    files = path if isinstance(path, Files) else files_of(place_of(path, spark))
    frame = _read(spark, files, schema, arrival=arrival)
    with failures(files.origin):
        if schema is None and like is not None and files.format in INFERRED:
            frame = typed_like(frame, like)
        fit_batches(frame)
    return frame


def read_sides(
    spark: SparkSession, paths: Mapping[str, str | Path], schema: spark_types.StructType | None
) -> dict[str, DataFrame]:
    """Read the sides of one merge: `stored`, `log` and `incoming`, the last with the column `ARRIVAL`.

    `schema` does not count for a log, which has control columns besides.

    Raises:
        InputError: see `read_batches`.
    """
    files = {name: files_of(place_of(path, spark)) for name, path in paths.items()}
    schemas = {name: None if name == "log" else schema for name in files}
    frames = [read_frame(spark, one, schemas[name], arrival=name == "incoming") for name, one in files.items()]
    inferred = [
        place for place, (name, one) in enumerate(files.items()) if not schemas[name] and one.format in INFERRED
    ]
    return dict(zip(files, typed_alike(frames, inferred), strict=True))


def _read(  # noqa: PLR0913 (keyword-only settings of one reader)
    spark: SparkSession,
    files: Files,
    schema: spark_types.StructType | None,
    *,
    arrival: bool,
    check: bool = True,
    narrow: Narrow = lambda frame: frame,
) -> DataFrame:
    with failures(files.origin):
        if files.format == "avro":
            return narrow(avro_frame(spark, files, _arrival(files.paths) if arrival else None))
        if files.format in INFERRED:
            check_utf8(spark, files)
        frame = _of_spark(spark, files, schema, check=check)
    if ARRIVAL in frame.columns:
        refuse_taken(files.origin)
    if check and files.format in INFERRED:
        _check_rows(spark, files, frame)
    wanted = frame.columns
    if schema is not None and files.format == "csv":
        # The columns that a batch lacks stay absent: schema evolution decides what they become.
        wanted = [name for name in schema.fieldNames() if name in wanted]
    columns = [quoted(name) for name in wanted]
    frame = narrow(frame)  # before the ids of the order of arrival, through which Spark pushes no condition
    return frame.select(*columns, _arrival(files.paths).alias(ARRIVAL)) if arrival else frame.select(*columns)


def _of_spark(spark: SparkSession, files: Files, schema: spark_types.StructType | None, *, check: bool) -> DataFrame:
    match files.format:
        case "csv":
            return _csv(spark, files, schema, check=check)
        case "json":
            return _json(spark, files, schema)
        case _:
            # Without a merged schema Spark takes that of one file, and drops the columns that it lacks.
            reader = spark.read.format(files.format).option("mergeSchema", "true")
            return reader.load([path.uri for path in files.paths])


def _check_rows(spark: SparkSession, files: Files, frame: DataFrame) -> None:
    """Parse every row once, so that a bad one is found here and its file named."""
    try:
        frame.write.format("noop").mode("overwrite").save()
    except (PySparkException, Py4JJavaError) as error:
        for path in files.paths if len(files.paths) > 1 else []:
            alone = files._replace(origin=path, paths=[path])
            _check_rows(spark, alone, _of_spark(spark, alone, frame.schema, check=False))
        raise unreadable(files.origin, error) from error


def _refuse_empty(files: Files) -> NoReturn:
    msg = f"{files.origin} has no rows to take the column types from; give them by a schema"
    raise InputError(msg)


def _arrival(paths: list[Place]) -> Column:
    """Return what sorts rows by file, block and row.

    Spark packs blocks of files into partitions by size, so partitions are in no order; but a block lies inside one
    partition, and there the id grows from row to row.
    """
    ranks = F.create_map(*(F.lit(part) for rank, path in enumerate(paths) for part in (_uri(path.name), rank)))
    found = F.element_at(ranks, F.col("_metadata.file_name"))  # a column as an index is nothing to Spark Connect 3.5
    rank = F.coalesce(found, F.raise_error(F.lit("a file of the batch was renamed")))
    return F.struct(
        rank.cast("int").alias("file"),
        F.expr("input_file_block_start()").alias("block"),
        F.monotonically_increasing_id().alias("row"),
    )


def _json(spark: SparkSession, files: Files, schema: spark_types.StructType | None) -> DataFrame:
    reader = spark.read.option("mode", "FAILFAST")
    if schema is None and in_one_task(spark):
        schema = _inferred(spark, files)
    frame = (reader.schema(schema) if schema is not None else reader).json([path.uri for path in files.paths])
    return frame if frame.columns else _refuse_empty(files)


def _inferred(spark: SparkSession, files: Files) -> spark_types.StructType | None:
    """Return the schema that Spark infers for JSON lines, without its job; None if the text is not plain objects."""
    rows = []
    try:
        for path in files.paths:
            data = _head(path, _MOST_INFERRED)
            if len(data) == _MOST_INFERRED:
                return None
            rows += [line for line in _lines(data, "utf-8") if line.strip()]
        if not rows or not all(isinstance(json.loads(row), dict) for row in rows):
            return None
        found = F.schema_of_json(F.lit(f"[{','.join(rows)}]"))
        # Spark infers the schema of a conversion when it analyses the query, and runs none.
        array = spark.range(0).select(F.from_json(F.lit("[]"), found).alias("rows")).schema["rows"].dataType
    except (ValueError, RecursionError, OSError, EOFError, PySparkException):
        return None  # Spark's reader reports the error
    element = array.elementType if isinstance(array, spark_types.ArrayType) else None
    return element if isinstance(element, spark_types.StructType) and element.fields else None


def _csv(spark: SparkSession, files: Files, schema: spark_types.StructType | None, *, check: bool) -> DataFrame:
    headers = {path: header for path in files.paths if (header := _header(path))}
    header = next(iter(headers.values()), [] if schema is None else schema.fieldNames())
    for path, other in headers.items():
        if other != header or len(set(other)) < len(other):
            msg = f"{path}: its header {','.join(other)} differs from the batch's, or repeats a column; align the files"
            raise InputError(msg)
    reader = spark.read.options(mode="FAILFAST", **_CSV_OPTIONS)
    paths = [path.uri for path in files.paths]
    if schema is None:
        frame = reader.option("inferSchema", "true").csv(paths)
        return frame if frame.columns and not (check and frame.isEmpty()) else _refuse_empty(files)
    unknown = set(header) - set(schema.fieldNames())
    if unknown:
        msg = f"{files.origin}: the schema lacks the columns {', '.join(sorted(unknown))} of the header; add them to it"
        raise InputError(msg)
    return reader.schema(spark_types.StructType([schema[name] for name in header])).csv(paths)


def _header(path: Place) -> list[str]:
    """Return the names in the first line of a CSV file, `_c0` like Spark for no name; nothing for an empty file."""
    line = next(csv.reader(_lines(_head(path, _MOST_HEADER), "utf-8-sig")), [])
    if sum(map(len, line)) > _MOST_HEADER // 2:
        msg = f"{path} can't be read: its first line has more than {_MOST_HEADER >> 20} MiB; is it a CSV file?"
        raise InputError(msg)
    return [name or f"_c{index}" for index, name in enumerate(line)]


def _head(path: Place, most: int) -> bytes:
    """Return the first `most` bytes of a file, counted decompressed: few bytes may become more than there is memory."""
    with path.open() as file, gzip.open(file) if path.suffixes[-1:] == [".gz"] else file as plain:
        return plain.read(most)


def _lines(data: bytes, encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding, newline="")


def _uri(name: str) -> str:
    """Return `name` as `_metadata.file_name` has it: quoted like Java's URI does."""
    return _NOT_IN_URI.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name)
