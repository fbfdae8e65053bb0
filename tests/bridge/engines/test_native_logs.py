"""Logs of release 1.0 by event time on the native engine: there a delete with Integer 0 is a version like others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, snapshot
from tests.bridge.engines.agreement import agree
from tests.bridge.engines.combinations import logs_of_1_0

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

KEYS = 60
ROWS = "id string, ts {}, v string"
LOG = ROWS + ", _pb_commit bigint, _pb_seq bigint, _pb_kind string, _pb_ordering struct<type:string,value:string>"


def test_they_are_read_as_the_python_engine_reads_them(spark: SparkSession) -> None:
    chosen = [one for number, one in enumerate(logs_of_1_0()) if number % 3 == 0]
    counts = {str(one): agree(spark, one, KEYS, 17, failing=number % 2 == 0) for number, one in enumerate(chosen)}
    assert all(count.keys > count.failures for count in counts.values()), counts


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    ("kind", "log", "left"),
    [
        # Below 0 a row does not come back from a delete with Integer 0; from 0 on it does.
        ("int", [(None, ("int", "0")), (-1, None)], None),
        ("int", [(None, ("int", "0")), (-1, None), (0, None)], 0),
        ("int", [(None, ("int", "0")), (2, None), (-1, None)], 2),
        # An entry does not replace such a delete, so that it is not the greater value that rows have to reach.
        ("int", [(None, ("int", "0")), (None, ("int", "5")), (1, None)], 1),
        # The text of an entry has another class than that of rows: it replaces what is there, however old it is.
        ("string", [("b", None), (None, ("string", "a"))], "stored"),
        ("string", [("b", None), (None, ("string", "a")), ("a", None)], "a"),
        ("string", [("b", None), (None, ("string", "c")), ("a", None)], None),
    ],
)
def test_what_comes_after_a_delete_goes_by_its_value(
    spark: SparkSession, engine: str, kind: str, log: list[Any], left: Any
) -> None:
    stored = "A" if kind == "string" else -9
    base = spark.createDataFrame([("k", stored, "base")], ROWS.format(kind)).coalesce(1)
    found = snapshot(base, _log(spark, kind, log), _plan(engine)).collect()
    # An entry older than the stored row leaves it: "a" is later than "A".
    expected = {"stored": [], None: []}.get(left, [left])
    assert [row.ts for row in found] == expected


def test_a_row_of_another_class_than_the_delete_before_it_fails(spark: SparkSession) -> None:
    base = spark.createDataFrame([("k", 1, "base")], ROWS.format("bigint")).coalesce(1)
    log = _log(spark, "bigint", [(None, ("int", "0")), (3, None)])
    for engine in ("native", "python"):
        with pytest.raises(Exception, match=r"failed at log-fold \(key id='k'"):
            snapshot(base, log, _plan(engine)).collect()


def _log(spark: SparkSession, kind: str, entries: list[Any]) -> DataFrame:
    rows = [
        ("k", value, None if entry else "log", 1, number, "delete" if entry else "data", entry)
        for number, (value, entry) in enumerate(entries)
    ]
    return spark.createDataFrame(rows, LOG.format(kind)).coalesce(1)


def _plan(engine: str) -> MergePlan:
    return MergePlan(
        payload="DefaultHoodieRecordPayload", release="1.0", table_type="mor", key="id", ordering="ts", engine=engine
    )
