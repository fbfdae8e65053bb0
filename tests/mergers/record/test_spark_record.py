"""HoodieSparkRecord: RFC-46's record API as column expressions, evaluated in one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as sf

from bridge.spark import avro_schema
from mergers import HoodieKey, HoodieSparkRecord, MetadataValues
from payloads import HudiRelease, parse_schema
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEY = HoodieKey("a")
COLUMNS = "id: string, ts: bigint, at: struct<city: string>, op: string, _hoodie_is_deleted: boolean"
ROWS: list[Any] = [
    (("a", 1, ("x",), "I", None),),
    (("b", None, None, "D", False),),
    (("c", 3, ("y",), None, True),),
    (None,),
]
PROPS = {
    "hoodie.table.ordering.fields": "ts",
    "hoodie.payload.delete.field": "op",
    "hoodie.payload.delete.marker": "D",
}


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(ROWS, f"row struct<{COLUMNS}>")


def schema_of(frame: DataFrame) -> Any:
    return avro_schema(frame.select("row.*").schema, HudiRelease.latest())


def test_its_methods_are_expressions(frame: DataFrame) -> None:
    schema, version = schema_of(frame), HoodieSparkRecord(KEY, sf.col("row"))
    city, unknown = version.get_column_values(schema, ["at.city", "at.street"])
    stamped = version.rewrite_record(
        schema, {}, parse_schema(with_column(schema.source, "_hoodie_commit_time")), MetadataValues(commit_time="9")
    )
    renamed = version.rewrite_record_with_new_schema(
        schema, {}, parse_schema(with_column(schema.source, "later", "ts", "double")), {"later": "ts"}
    )
    found = frame.select(
        city.alias("city"),
        unknown.alias("unknown"),
        version.get_ordering_value(schema, PROPS).alias("ts"),
        version.get_ordering_value(schema, {}).alias("none"),
        version.is_delete(schema, PROPS).alias("marked"),
        version.is_delete(schema, {}).alias("flagged"),
        stamped.column["_hoodie_commit_time"].alias("time"),
        stamped.column["id"].alias("id"),
        renamed.column["later"].alias("later"),
    ).collect()
    assert [tuple(row) for row in found] == [
        ("x", None, 1, 0, False, False, "9", "a", 1.0),
        (None, None, None, 0, True, False, "9", "b", None),
        ("y", None, 3, 0, True, True, "9", "c", 3.0),
        (None, None, None, 0, True, True, None, None, None),
    ]


def test_what_it_refuses_when_the_plan_is_made(frame: DataFrame) -> None:
    schema, version = schema_of(frame), HoodieSparkRecord(KEY, sf.col("row"))
    with pytest.raises(SchemaError, match="_hoodie_commit_time"):
        version.update_metadata_values(schema, {}, MetadataValues(commit_time="9"))
    narrower = parse_schema(with_column(schema.source, "ts", "ts", "int"))
    with pytest.raises(SchemaError, match="'ts' can't be converted from long to int"):
        version.rewrite_record_with_new_schema(schema, {}, narrower)
    text = parse_schema(with_column(schema.source, "_hoodie_is_deleted", "_hoodie_is_deleted", "string"))
    with pytest.raises(SchemaError, match="make the column a boolean"):
        version.is_delete(text, {})


def with_column(source: Any, name: str, replaces: str | None = None, kind: str = "string") -> dict[str, Any]:
    """Return the JSON of a schema with another column, in place of one that it `replaces`."""
    kept = [field for field in source["fields"] if field["name"] != replaces]
    return {**source, "fields": [*kept, {"name": name, "type": ["null", kind], "default": None}]}
