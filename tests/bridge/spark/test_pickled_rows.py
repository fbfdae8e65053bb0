"""The rows of the tests' session: those of PySpark's own way, in the same partitions, whatever their types."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from pyspark import RDD
from pyspark.serializers import AutoBatchedSerializer, CPickleSerializer

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import Row, SparkSession

COLUMNS = (
    "i int, l bigint, s smallint, f float, d double, m decimal(20,5), b boolean, t string, x binary, day date,"
    " at timestamp, local timestamp_ntz, a array<int>, o map<string,decimal(10,2)>, r struct<p:string,q:array<date>>"
)
DAY, AT = datetime.date(1500, 1, 31), datetime.datetime(2024, 3, 31, 1, 30, 0, 7)  # noqa: DTZ001 (as Spark takes them)
FULL = (1, -(2**63), 3, 0.1, float("nan"), Decimal("1.50000"), True, "é\0", b"\x00\xff", DAY, AT, AT)
NESTED = ([1, None], {"k": Decimal("2.50")}, ("p", [DAY, None]))
ROWS = [(*FULL, *NESTED), (None,) * 15, *[(number, *FULL[1:], *NESTED) for number in range(5)]]


def test_values_and_partitions_are_those_of_pysparks_way(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> list[list[Row]]:
        return spark.createDataFrame(ROWS, COLUMNS).rdd.glom().collect()

    here = made()
    monkeypatch.setattr(RDD, "_pickled", lambda rows: rows._reserialize(AutoBatchedSerializer(CPickleSerializer())))
    assert repr(here) == repr(made())
    assert [len(part) > 0 for part in here] == [True, True]
