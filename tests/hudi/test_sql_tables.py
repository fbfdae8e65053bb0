"""Tables of SQL statements, one for each way to merge that Hudi's introduction to record mergers has.

Commit time, event time and a delete marker of one's own, written by real Hudi 1.2.0 as copy-on-write and merge-on-read;
`expected.json` has the statements and the rows that Hudi then showed.
"""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING

import pytest

from bridge import HudiTable
from tests.conformance.tables import difference
from tests.support import SQL_TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

RIDERS = {"commit-time": {"rider-D", "rider-C"}, "event-time": {"rider-A", "rider-C"}, "custom-delete": {"rider-A"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("sql")
    with tarfile.open(SQL_TABLES) as archive:
        unpack(archive, found)
    return found / "sql"


@pytest.mark.parametrize("mode", RIDERS)
def test_a_table_of_sql_shows_what_hudi_showed(folder: Path, spark: SparkSession, mode: str) -> None:
    for table_type in ("cow", "mor"):
        table = folder / f"{mode}-{table_type}"
        expected = json.loads((table / "expected.json").read_text("utf-8"))["snapshot"]
        found = [row.asDict() for row in HudiTable(spark, str(table / "table")).snapshot().collect()]
        assert difference(expected, found) == ""
        assert {row["rider"] for row in found} == RIDERS[mode]
