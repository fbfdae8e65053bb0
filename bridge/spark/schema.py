"""The schema of a DataFrame as Hudi's Avro schema, the way back, and Hudi's meta columns.

Source: SchemaConverters and AvroConversionUtils.convertStructTypeToAvroSchema. The names of nested types are Hudi's,
too: a decimal column `d` of the record `ns.r` is the fixed `ns.r.d.fixed`.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pyspark
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.spark.failures import PySparkException
from bridge.spark.lines import line_of
from bridge.spark.session import local_session
from bridge.spark.storage import place_of
from payloads.avro import parse_schema, unscaled_bytes
from payloads.errors import SchemaError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from payloads.avro import AvroSchema

META_COLUMNS = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
"""The columns that Hudi puts in front of a table's own, in order."""

_NO_COLUMNS = "there are no columns; write them like: id string, ts bigint"
_DDL = re.compile(r"\s*(?:`[^`]+`|\w+)(?:\s*:\s*|\s+)\w.*(?<!\.avsc|\.json)(?<!\.ddl|\.sql|\.txt)\s*\Z", re.DOTALL)
"""A column with its type, and more of them; not the name of a file that has a blank."""
_MAX_PRECISION = 38  # of Spark's decimals

_PLAIN: dict[type[spark_types.DataType], Any] = {
    spark_types.BooleanType: "boolean",
    spark_types.ByteType: "int",
    spark_types.ShortType: "int",
    spark_types.IntegerType: "int",
    spark_types.LongType: "long",
    spark_types.FloatType: "float",
    spark_types.DoubleType: "double",
    spark_types.StringType: "string",
    spark_types.BinaryType: "bytes",
    spark_types.DateType: {"type": "int", "logicalType": "date"},
    spark_types.TimestampType: {"type": "long", "logicalType": "timestamp-micros"},
}
# PySpark 3.3 reads columns of these types as plain strings.
_PLAIN |= {getattr(spark_types, name): "string" for name in ("CharType", "VarcharType") if hasattr(spark_types, name)}
_LOCAL_TIMESTAMP = {"type": "long", "logicalType": "local-timestamp-micros"}

_FROM_PLAIN: dict[str, type[spark_types.DataType]] = {
    "boolean": spark_types.BooleanType,
    "int": spark_types.IntegerType,
    "long": spark_types.LongType,
    "float": spark_types.FloatType,
    "double": spark_types.DoubleType,
    "string": spark_types.StringType,
    "enum": spark_types.StringType,
    "bytes": spark_types.BinaryType,
    "fixed": spark_types.BinaryType,
}
_FROM_LOGICAL: dict[tuple[str, str | None], type[spark_types.DataType]] = {
    ("int", "date"): spark_types.DateType,
    ("long", "timestamp-millis"): spark_types.TimestampType,
    ("long", "timestamp-micros"): spark_types.TimestampType,
    ("long", "local-timestamp-millis"): spark_types.TimestampNTZType,
    ("long", "local-timestamp-micros"): spark_types.TimestampNTZType,
}


def avro_schema(
    struct: spark_types.StructType,
    release: HudiRelease,
    name: str = "hoodie_record",
    namespace: str = "hoodie",
) -> AvroSchema:
    """Convert a DataFrame's schema as Hudi's writer does.

    A nullable column becomes a union of null and its type with default null, a required one its type without default.

    Raises:
        SchemaError: a column has a name or a type that Hudi does not write in this release.
    """
    return parse_schema(_record(struct, release, name, namespace, ""))


def _record(struct: spark_types.StructType, release: HudiRelease, name: str, namespace: str, path: str) -> Any:
    fields = []
    for field in struct.fields:
        column = f"{path}.{field.name}" if path else field.name
        if not _is_avro_name(field.name):
            msg = f"column {column!r}: Avro names have only letters, digits and _, and no digit first; rename it"
            raise SchemaError(msg)
        converted = _to_avro(field.dataType, release, field.name, f"{namespace}.{name}", column)
        fields.append(
            {"name": field.name, "type": ["null", converted], "default": None}
            if field.nullable
            else {"name": field.name, "type": converted}
        )
    return {"type": "record", "name": name, "namespace": namespace, "fields": fields}


def _to_avro(spark_type: spark_types.DataType, release: HudiRelease, name: str, namespace: str, column: str) -> object:
    match spark_type:
        case spark_types.StructType():
            return _record(spark_type, release, name, namespace, column)
        case spark_types.ArrayType():
            items = _to_avro(spark_type.elementType, release, name, namespace, column)
            return {"type": "array", "items": ["null", items] if spark_type.containsNull else items}
        case spark_types.MapType(keyType=spark_types.StringType()):
            values = _to_avro(spark_type.valueType, release, name, namespace, column)
            return {"type": "map", "values": ["null", values] if spark_type.valueContainsNull else values}
        case spark_types.DecimalType(precision=precision, scale=scale):
            return {
                "type": "fixed",
                "name": "fixed",
                "namespace": f"{namespace}.{name}",
                "size": decimal_size(precision),
                "logicalType": "decimal",
                "precision": precision,
                "scale": scale,
            }
        case spark_types.TimestampNTZType():
            if not capabilities(release).timestamp_ntz:
                msg = f"column {column!r}: Hudi {release} does not support timestamp_ntz; cast the column to timestamp"
                raise SchemaError(msg)
            return _LOCAL_TIMESTAMP
    # A collated string of Spark 4 is a StringType, too; the other types have no subclasses that Hudi would not write.
    plain = next((_PLAIN[base] for base in type(spark_type).__mro__ if base in _PLAIN), None)
    if plain is None:
        msg = f"column {column!r}: Hudi does not support {spark_type.simpleString()}; cast or drop the column"
        raise SchemaError(msg)
    return plain


def _is_avro_name(name: str) -> bool:
    letters = name.replace("_", "a")
    return letters.isalnum() and letters[0].isalpha()


def decimal_size(precision: int) -> int:
    """Return the least number of bytes that holds every decimal of `precision` digits (Decimal.minBytesForPrecision).

    >>> decimal_size(10)
    5
    """
    return len(unscaled_bytes(10**precision - 1))


def spark_schema(schema: AvroSchema) -> spark_types.StructType:
    """Convert an Avro record schema to the DataFrame schema of its values.

    Enum and uuid become string, fixed binary, timestamps of any unit timestamp; times of day stay numbers.

    Raises:
        SchemaError: the schema is not a record, contains itself, or has a union of several types.
    """
    if schema.kind != "record":
        msg = f"a table needs a record schema, this one is {schema.kind}; wrap it in a record"
        raise SchemaError(msg)
    return _struct(schema, "", ())


def _struct(schema: AvroSchema, path: str, outer: tuple[str, ...]) -> spark_types.StructType:
    if schema.name in outer:
        msg = f"column {path!r}: the record {schema.name} contains itself, which a DataFrame can't; flatten it"
        raise SchemaError(msg)
    outer = (*outer, schema.name)
    return spark_types.StructType(
        [
            spark_types.StructField(
                field.name,
                _to_spark(field.schema, f"{path}.{field.name}" if path else field.name, outer),
                field.schema.nullable,
            )
            for field in schema.fields
        ],
    )


def _to_spark(schema: AvroSchema, column: str, outer: tuple[str, ...]) -> spark_types.DataType:
    plain = only_branch(schema, column)
    match plain.kind:
        case "record":
            return _struct(plain, column, outer)
        case "array":
            return spark_types.ArrayType(_to_spark(plain.items, column, outer), plain.items.nullable)
        case "map":
            values = _to_spark(plain.values, column, outer)
            return spark_types.MapType(spark_types.StringType(), values, plain.values.nullable)
        case "bytes" | "fixed" if plain.logical == "decimal" and "precision" in plain.source:
            precision, scale = int(plain.source["precision"]), int(plain.source.get("scale", 0))
            if precision > _MAX_PRECISION:
                msg = f"column {column!r}: Spark's decimals have at most {_MAX_PRECISION} digits, not {precision}"
                raise SchemaError(msg)
            return spark_types.DecimalType(precision, scale)
        case kind:
            found = _FROM_LOGICAL.get((kind, plain.logical), _FROM_PLAIN[kind])
            if found is spark_types.TimestampNTZType and not line_of().timestamp_ntz:
                msg = (
                    f"column {column!r} is a local timestamp, which Spark has from 3.4 on, and this is PySpark "
                    f"{pyspark.__version__}; leave the column out, or use a newer PySpark"
                )
                raise SchemaError(msg)
            return found()


def only_branch(schema: AvroSchema, column: str) -> AvroSchema:
    """Return the one type besides null that values of `column` have.

    Raises:
        SchemaError: there are several, or none.
    """
    branches = [branch for branch in schema.branches or (schema,) if branch.kind != "null"]
    if len(branches) != 1:
        names = ", ".join(branch.name for branch in branches)
        reason = f"a union of {names}" if names else "always null"
        msg = f"column {column!r} is {reason}, which no DataFrame column can be; give it one type"
        raise SchemaError(msg)
    return branches[0]


def with_meta(schema: AvroSchema) -> AvroSchema:
    """Return `schema` with Hudi's five meta fields in front (HoodieAvroUtils.addMetadataFields); one object each."""
    return schema.derived(_with_meta)


def _with_meta(schema: AvroSchema) -> AvroSchema:
    if tuple(field.name for field in schema.fields[: len(META_COLUMNS)]) == META_COLUMNS:
        return schema
    meta = [{"name": name, "type": ["null", "string"], "doc": "", "default": None} for name in META_COLUMNS]
    own = [field for field in schema.source["fields"] if field["name"] not in META_COLUMNS]
    return parse_schema({**schema.source, "fields": meta + own})


def is_schema_text(text: str) -> bool:
    """Whether a value of `--schema` is the schema itself, Avro JSON or Spark DDL, and no path."""
    is_written = text.lstrip().startswith("{") or _DDL.match(text) is not None
    return is_written and not os.path.exists(text)  # noqa: PTH110 (a long text is no path; pathlib fails on it)


def read_schema(
    source: str | Path,
    release: HudiRelease | None = None,
    session: Callable[[], SparkSession] = local_session,
) -> tuple[AvroSchema, spark_types.StructType]:
    """Read the value of `--schema`: Avro JSON or Spark DDL (`id string not null, ts bigint`), or a file with either.

    Only Spark parses DDL, so the active session does it, or the one that `session` starts.

    Raises:
        InputError: the file can't be read.
        SchemaError: the schema is empty or can't be converted; the message names the file.
        JavaNotFoundError: it is DDL, and there is no Java that Spark can run on.
    """
    is_text = isinstance(source, str) and is_schema_text(source)
    text, name = (str(source), "the schema") if is_text else (_read(source), str(source))
    try:
        if text.lstrip().startswith("{") or name.endswith(".avsc"):
            schema = parse_schema(text if text.strip() else "{}")
            return schema, spark_schema(schema)
        struct = _parse_ddl(text, session)
        return avro_schema(struct, release or HudiRelease.latest()), struct
    except SchemaError as error:
        msg = f"{name}: {error}"
        raise SchemaError(msg) from error


def _read(path: str | Path) -> str:
    try:
        with place_of(path, SparkSession.getActiveSession()).open() as file:
            return file.read().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error
        msg = (
            f"the schema {path} can't be read: {why}; name an .avsc file or a text file with Spark DDL, or write the "
            "schema itself: 'id string, ts bigint'"
        )
        raise InputError(msg) from error


def _parse_ddl(text: str, session: Callable[[], SparkSession]) -> spark_types.StructType:
    columns = text.strip()
    if not columns:
        raise SchemaError(_NO_COLUMNS)
    spark = SparkSession.getActiveSession() or session()
    try:
        struct = spark.createDataFrame([], columns).schema
    except PySparkException as error:
        msg = f"this is not Spark DDL ({_reason(error)}); write it like: id string, ts bigint"
        raise SchemaError(msg) from error
    # PySpark takes a type alone for a column called `value`.
    if not struct.fields or (struct.names == ["value"] and "value" not in columns.lower()):
        raise SchemaError(_NO_COLUMNS)
    return struct


def _reason(error: PySparkException) -> str:
    """Return the message of Spark's parser, without the statement that it quotes."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__
