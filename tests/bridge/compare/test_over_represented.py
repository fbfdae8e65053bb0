"""Values that keys that differ have more often than all rows: which are notable, and what a replay says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as sf

from bridge import Batches, MergePlan, OverRepresented, replay
from bridge.compare.over_represented import over_represented
from bridge.redaction import redacted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("counts", "notable"),
    [
        ((40, 44, 1_200, 10_000), True),  # 91% and 12%
        ((30, 100, 500, 10_000), True),  # less than half, and six times as often
        ((44, 44, 10_000, 10_000), False),  # a constant
        ((42, 44, 9_000, 10_000), False),  # frequent everywhere
        ((5, 5, 3_000, 10_000), False),  # by chance
        ((5, 5, 10, 10_000), True),
        ((5, 5, 0, 0), False),  # nothing to compare with
    ],
)
def test_what_chance_explains_is_not_notable(counts: tuple[int, int, int, int], *, notable: bool) -> None:
    assert OverRepresented("country", "DE", *counts).is_notable is notable


@pytest.mark.parametrize(
    ("value", "name"),
    [(None, "note=null"), ("x" * 60, f"note={'x' * 60}"), ("x" * 61, f"note={'x' * 60}…")],
    ids=["null", "whole", "cut"],
)
def test_a_long_value_is_cut(value: str | None, name: str) -> None:
    assert OverRepresented("note", value, 40, 44, 1_200, 10_000).name == name


@pytest.mark.parametrize("rows", [10_001, 60_000])
def test_frequent_values_are_found_among_more_rows_than_are_looked_through(spark: SparkSession, rows: int) -> None:
    """Rows that are equal but for their keys are many rows, whichever of them are looked through."""
    country = sf.when(sf.col("id") % 10 < 3, "DE").otherwise(sf.concat(sf.lit("FR"), sf.col("id") % 10))
    every = spark.range(rows).select("id", country.alias("country"))
    row = sf.struct("id", "country")
    differing = every.select(row.alias("_pb_left"), row.alias("_pb_right"))
    others = spark.range(rows).select(sf.lit("IT").alias("country"))
    (found,) = over_represented(differing, lambda columns: others.select(*columns), ["id"])
    assert (found.column, found.value, found.of_differing, found.rows) == ("country", "DE", rows, 0)


def test_a_replay_names_the_value_of_each_column(spark: SparkSession) -> None:
    """Late versions come from one country, and these alone lose under the other release."""
    columns = "id int, country string, city string, ts int, open boolean"
    first = [(n, "DE" if n % 10 == 0 else "FR", None if n % 20 == 0 else "Oslo", 5, True) for n in range(200)]
    late = [(n, "DE", None if n % 20 == 0 else "Oslo", 1, True) for n in range(0, 200, 10)]
    batches = Batches.of([spark.createDataFrame(rows, columns) for rows in (first, late)])
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id", ordering="ts")
    late_wins = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")
    with replay(batches, plan, late_wins) as found:
        country, ts, city = found.over_represented
        assert country == ("country", "DE", 20, 20, 20, 200)
        assert ts == ("ts", "1", 20, 20, 20, 200)
        assert city == ("city", None, 10, 20, 10, 200)
        report = found.to_report()
        assert report.statistics["over_represented"] == {"cow": [one._asdict() for one in (country, ts, city)]}
        assert "country=DE   100% (20 of 20)" in report.as_text()
        with redacted("country"):
            assert [one.column for one in found.over_represented] == ["ts", "city"]
