"""Classes that misbehave in a merge into a table: named with merge point and key, or the key is quarantined."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

from bridge import MergePlan, merge_into
from bridge.engines import QUARANTINE, Job
from bridge.errors import MergeFailedError, sentence_of
from bridge.write.changes import CHANGE
from bridge.write.slice_tasks import merged_slices
from tests.bridge.engines.test_misbehaving import DOES, SECONDS
from tests.bridge.write.table import MadeTable
from tests.bridge.write.test_slice_tasks import STORED, rows, work_of
from tests.jvm.misbehaving import _DOES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NAME = f"{__name__}:Payload"
MODULE = importlib.import_module("bridge.write.merge_into")
FEW = ("sys.exit", "os._exit", "loop", "other-key", "empty-record")


class Payload:
    """The incoming row wins, or what its city names is done."""

    def __init__(self, record: Any, ordering: Any = None) -> None:
        self.record = record

    def pre_combine(self, older: Payload) -> Payload:
        return self

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        return self._done()

    def get_insert_value(self, schema: Any) -> Any:
        return self._done()

    def _done(self) -> Any:
        does = _DOES.get(self.record["city"])
        return self.record if does is None else does(self.record)


def plan_of(on_error: Any) -> MergePlan:
    return MergePlan(payload=NAME, release="0.15", key="id", call_timeout=SECONDS, on_error=on_error)


def merged(tmp_path: Path, how: str, key: str, on_error: Any = "fail") -> list[dict[str, Any]]:
    """Merge the keys a to d, of which one misbehaves, into a table that has a to f."""
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    work = work_of(made)
    job = Job(plan_of(on_error), work.query.schema, ("id", "city", "qty"), "upsert")
    batch = rows(*((name, how if name == key else "Rome", 2) for name in sorted({"a", "b", "d", key})))
    return [row for found in merged_slices(work, job, [batch]) for row in found.to_pylist()]


@pytest.mark.parametrize("key", ["d", "x"])
@pytest.mark.parametrize("how", [how for how in DOES if how != "half-a-pair"])  # in a column that this table lacks
def test_a_class_is_named_with_merge_point_and_key(tmp_path: Path, how: str, key: str) -> None:
    """Of a key that the table has, and of a new one."""
    with pytest.raises(MergeFailedError) as failure:
        merged(tmp_path, how, key)
    said = str(failure.value)
    point = "upsert" if key == "d" else "insert"
    assert said.startswith(f"{NAME} failed at {point} (key id='{key}'): ")
    assert "\n" not in said
    assert DOES[how].partition("; fix the class")[0].partition("()")[0] in said


@pytest.mark.parametrize("key", ["d", "x"])
@pytest.mark.parametrize("how", FEW)
def test_its_key_is_quarantined(tmp_path: Path, how: str, key: str) -> None:
    found = merged(tmp_path, how, key, "quarantine")
    assert {row["id"] for row in found if row.get(QUARANTINE)} == {key}
    changed = {row["id"]: row["city"] for row in found if row[CHANGE]}
    assert changed == dict.fromkeys({"a", "b", "d"} - {key}, "Rome")


@pytest.mark.parametrize("how", ["sys.exit", "loop", "other-key"])
def test_nothing_is_committed(tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    before = made.instants
    frame = spark.createDataFrame([("a", how, 2), ("c", "Rome", 2)], "id string, city string, qty bigint").coalesce(1)
    with pytest.raises(Exception) as failure:  # noqa: PT011 (of Spark, or our own: what counts is its sentence)
        merge_into(str(made.path), frame, plan_of("fail"))
    assert sentence_of(failure.value).startswith(f"{NAME} failed at upsert (key id='a'): ")
    assert made.instants == before
    with merge_into(str(made.path), frame, plan_of("quarantine")) as report:
        assert report.quarantine is not None
        assert {row["id"] for row in report.quarantine.collect()} == {"a"}
        assert report.updated == 1
    assert {made.rows["a"]["city"], made.rows["c"]["city"]} == {"Oslo", "Rome"}
