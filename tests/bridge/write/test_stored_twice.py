"""A key that a table stores twice ends every kind of merge into it with one error, and nothing is written."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge import InputError, MergePlan, merge_into
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

MODULE = importlib.import_module("bridge.write.merge_into")
STORED = [{"id": "a", "city": "Oslo", "qty": 1}, {"id": "b", "city": "Lima", "qty": 2}]
LATEST = "OverwriteWithLatestAvroPayload"
PLAN = MergePlan(payload=LATEST, release="0.15", key="id")
NATIVE = MergePlan(payload=LATEST, release="0.15", key="id", engine="native")


def in_two_slices(path: Path) -> None:
    shutil.copy(path, path.with_name(path.name.replace("f1-0", "f2-0")))


def in_one_slice(path: Path) -> None:
    rows = pq.read_table(path)
    pq.write_table(pa.concat_tables([rows, rows]), path)


@pytest.mark.parametrize("double", [in_two_slices, in_one_slice])
@pytest.mark.parametrize("plan", [PLAN, NATIVE], ids=["in slices", "in frames"])
def test_a_key_that_is_stored_twice_is_named(
    tmp_path: Path,
    spark: SparkSession,
    monkeypatch: pytest.MonkeyPatch,
    plan: MergePlan,
    double: Callable[[Path], None],
) -> None:
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    (file,) = made.path.glob("*.parquet")
    double(file)
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)

    def merge(*rows: Any) -> Any:
        frame = spark.createDataFrame([*rows], "id string, city string, qty bigint").coalesce(1)
        return merge_into(str(made.path), frame, plan)

    with pytest.raises(InputError, match=r"(stores|has more than one row for) the key (id=)?'b'") as told:
        merge(("b", "Rome", 3), ("c", "Bern", 4))
    assert "\n" not in str(told.value)
    assert made.asked == []
    assert merge(("c", "Bern", 4)).inserted == 1
