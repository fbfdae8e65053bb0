"""A table that changes between the moment of a query and its jobs: the rows of that moment, or one sentence."""

from __future__ import annotations

import json
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge import HudiTable, HudiTableError
from bridge.errors import sentence_of
from bridge.hudi.queries import TableQueries
from bridge.spark import PySparkException
from tests.support.made_table import FIRST, MadeTable, instant

BASE = f"g1_0-0-0_{FIRST}.parquet"
LOG = f".g1_{FIRST}.log.1_0-0-0"
BEFORE = [("a", 3), ("b", 2)]


@pytest.fixture
def made(tmp_path):
    table = MadeTable(tmp_path / "made", {"id": "string", "part": "string", "ts": "long"})
    table.base("g1", pa.table({"id": ["a", "b"], "part": ["p", "p"], "ts": [1, 2]}))
    table.commit()
    table.log("g1", "p", [{"id": "a", "part": "p", "ts": 3}], 1)
    table.commit(1)
    return table


def commit(made):
    made.log("g1", "p", [{"id": "b", "part": "p", "ts": 9}], 2)
    made.commit(2)


def append(made):
    """Commit to the log file that is there, as writers do on HDFS; the last bytes are still on their way."""
    commit(made)
    added = made.path / "p" / f".g1_{FIRST}.log.2_0-0-0"
    with (made.path / "p" / LOG).open("ab") as log:
        log.write(added.read_bytes()[:-9])
    added.unlink()


def compact(made):
    commit(made)
    rows = pq.read_table(made.path / "p" / BASE)
    rows = rows.set_column(rows.column_names.index("ts"), "ts", pa.array([3, 9]))
    pq.write_table(rows, made.path / "p" / f"g1_1-0-0_{instant(3)}.parquet")
    told = {"partitionToWriteStats": {}, "extraMetadata": {"schema": made._table}, "operationType": "COMPACT"}
    (made.path / ".hoodie" / f"{instant(3)}.commit").write_text(json.dumps(told))


def archive(made):
    compact(made)
    (made.path / ".hoodie" / f"{FIRST}.deltacommit").unlink()
    (made.path / ".hoodie" / f"{instant(1)}.deltacommit").unlink()


def clean(made):
    compact(made)
    for path in (made.path / "p").iterdir():
        if f"g1_0-0-0_{FIRST}" in path.name or ".log." in path.name:
            path.unlink()


def roll_back(made):
    (made.path / ".hoodie" / f"{instant(1)}.deltacommit").unlink()
    (made.path / "p" / LOG).unlink()


def drop(made):
    shutil.rmtree(made.path)


@pytest.mark.parametrize("change", [commit, append, compact, archive])
def test_what_is_committed_later_is_not_shown(spark, made, change):
    table = HudiTable(spark, str(made.path))
    rows = table.snapshot(columns=("id", "ts"))
    change(made)
    assert sorted(map(tuple, rows.collect())) == BEFORE


@pytest.mark.parametrize("change", [commit, compact, archive, clean])
def test_the_next_query_shows_it(spark, made, change):
    table = HudiTable(spark, str(made.path))
    change(made)
    assert sorted(map(tuple, table.snapshot(columns=("id", "ts")).collect())) == [("a", 3), ("b", 9)]


@pytest.mark.parametrize("change", [clean, roll_back, drop])
def test_a_file_that_is_gone_is_named(spark, made, change):
    rows = HudiTable(spark, str(made.path)).snapshot(columns=("id", "ts"))
    change(made)
    with pytest.raises(PySparkException) as raised:
        rows.collect()
    told = rf"{re.escape(LOG)} can't be opened: .*No such file.*; it may have been cleaned since: read the table again"
    assert re.search(told, sentence_of(raised.value)), sentence_of(raised.value)


def test_a_table_that_is_gone_is_named(spark, made):
    table = HudiTable(spark, str(made.path))
    drop(made)
    with pytest.raises(HudiTableError, match=r"made is not a Hudi table"):
        table.snapshot()


def test_a_table_that_goes_between_its_timeline_and_its_files_is_not_one_without_rows(made):
    opened = TableQueries(str(made.path), None)
    drop(made)
    with pytest.raises(HudiTableError, match=r"made was removed while it was read"):
        opened.snapshot()
