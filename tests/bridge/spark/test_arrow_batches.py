from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from bridge import MergePlan, upsert
from bridge.spark import fit_batches
from bridge.spark.arrow_batches import _FITS, ROWS, settings

MIB = 1 << 20


@pytest.fixture
def own_session(spark):
    before = spark.conf.get(ROWS)
    spark.conf.set(_FITS, "true")
    yield spark
    spark.conf.unset(_FITS)
    spark.conf.set(ROWS, before)


def wide(spark, rows, columns=(), megabytes=0):
    more = [sf.lit(number).alias(f"c{number}") for number in columns]
    text = sf.repeat(sf.lit("x"), megabytes * MIB).alias("text")
    return spark.range(rows).select(sf.col("id").cast("string").alias("id"), sf.col("id").alias("ts"), text, *more)


def test_batches_have_fewer_rows_where_rows_are_large_and_the_fewest_remain(own_session):
    spark = own_session
    fit_batches(wide(spark, 300))
    assert spark.conf.get(ROWS) == "10000"
    fit_batches(wide(spark, 20, megabytes=1))
    assert spark.conf.get(ROWS) == "15"
    fit_batches(wide(spark, 20, columns=range(2_000)))
    fit_batches(wide(spark, 0))
    assert spark.conf.get(ROWS) == "15"


def test_the_setting_of_a_user_or_of_another_session_stays(spark):
    assert settings({ROWS: "7"}) == {}
    before = spark.conf.get(ROWS)
    fit_batches(wide(spark, 2, megabytes=1))
    assert spark.conf.get(ROWS) == before


@pytest.mark.parametrize(
    ("rows", "columns", "megabytes"), [(40, (), 1), pytest.param(60, range(2_000), 0, marks=pytest.mark.long)]
)
def test_large_rows_merge(own_session, rows, columns, megabytes):
    frame = wide(own_session, rows, columns, megabytes)
    fit_batches(frame)
    plan = MergePlan(payload="tests.support.user_payloads:ByTime", release="0.15", key="id", ordering="ts")
    merged = upsert(frame, frame, plan)
    assert merged.agg(sf.count("id"), sf.min(sf.length("text"))).first() == (rows, megabytes * MIB)
