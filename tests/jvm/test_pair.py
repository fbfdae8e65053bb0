from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from bridge.engines.jvm.pair import merged_pair
from bridge.errors import InputError
from tests.jvm.frames import example_plan

ROW = "struct<id:string,ts:bigint,v:string,n:bigint,tags:array<string>,day:date,at:timestamp>"
VALUES = (
    "'k' id, number ts, {0} v, 1L n, array({0}) tags, DATE'1500-02-03' day, TIMESTAMP'1500-01-01 00:00:00.000001' at"
)


def pairs(spark, *values):
    """Return pairs of rows that differ in `v`; None stands for no row."""
    numbered = [(number, *pair) for number, pair in enumerate(values)]
    frame = spark.createDataFrame(numbered, "number int, o string, n string")
    for name, side in (("older", "o"), ("newer", "n")):
        fields = ", ".join(_named(VALUES.format(side)))
        frame = frame.withColumn(name, sf.expr(f"IF({side} IS NULL, NULL, CAST(named_struct({fields}) AS {ROW}))"))
    return frame.coalesce(1)


def _named(row):
    for part in row.split(", "):
        value, name = part.rsplit(" ", 1)
        yield f"'{name}', {value}"


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_payload_merges_pairs(jar, spark, release):
    frame = pairs(spark, ("x", "y"), (None, "y"), ("x", None), (None, None))
    plan = example_plan(jar, "Concat", release=release)
    merged = frame.select("number", merged_pair(frame, "older", "newer", plan).alias("row")).orderBy("number").collect()
    assert [row["row"] and row["row"]["v"] for row in merged] == ["x+y", "y", "x", None]
    assert [str(row["row"]["day"]) for row in merged[:3]] == ["1500-02-03"] * 3
    assert frame.select(merged_pair(frame, "older", "newer", plan)).schema[0].dataType.simpleString() == ROW.replace(
        " ", ""
    )


def test_structs_of_other_fields_are_refused(jar, spark):
    frame = pairs(spark, ("x", "y")).withColumn("newer", sf.struct(sf.lit("k").alias("id")))
    with pytest.raises(InputError, match="not structs with the same fields"):
        merged_pair(frame, "older", "newer", example_plan(jar, "Concat"))
