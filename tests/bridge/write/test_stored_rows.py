"""Which stored rows a merge reads, and when it is tried again; without Spark."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from bridge import PlanError
from bridge.hudi import SliceReader, TableProperties, TableQueries
from bridge.write import WriteTarget
from bridge.write.concurrency import is_locked, lock_options
from bridge.write.moment import Moment
from bridge.write.stored_rows import record_keys
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

LOCK = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}


@pytest.mark.parametrize("chosen", ["keys", "answered"])
def test_a_task_reads_the_rows_of_the_batch_s_keys_alone(tmp_path: Path, chosen: str) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([{"id": name, "city": "Oslo", "qty": 1} for name in "abcde"])
    query, slices = TableQueries(str(made.path)).snapshot()
    some = dataclasses.replace(query, **{chosen: frozenset({"b", "e", "z"})})  # type: ignore[arg-type]
    rows = [row for found in slices for batch in SliceReader(some).read(found) for row in batch.to_pylist()]
    assert [row["id"] for row in rows] == ["b", "e"]


class _Rows:
    """A frame of key columns, as `record_keys` uses it."""

    def __init__(self, **columns: pa.Array[Any]) -> None:
        from pyspark.sql import types as spark_types  # noqa: PLC0415 (a stand-in for a frame)

        self._batch = pa.RecordBatch.from_pydict(columns)
        kinds = {pa.string(): spark_types.StringType(), pa.float64(): spark_types.DoubleType()}
        self.schema = spark_types.StructType([spark_types.StructField(n, kinds[a.type]) for n, a in columns.items()])

    def count(self) -> int:
        return int(self._batch.num_rows)

    def select(self, *_: Any) -> _Rows:
        return self

    def toArrow(self) -> pa.Table:  # noqa: N802 (PySpark's name)
        return pa.Table.from_batches([self._batch])


@pytest.mark.parametrize(
    ("properties", "columns", "expected"),
    [
        ({"hoodie.table.recordkey.fields": "id"}, {"id": ["a", "b", None]}, {"a", "b"}),
        ({"hoodie.table.recordkey.fields": "id,n"}, {"id": ["a", ""], "n": ["1", None]}, None),
        (
            {
                "hoodie.table.recordkey.fields": "id",
                "hoodie.table.keygenerator.type": "COMPLEX",
                "hoodie.table.version": "9",
            },
            {"id": ["a"]},
            {"a", "id:a"},
        ),
    ],
)
def test_record_keys_are_those_of_the_table(
    monkeypatch: pytest.MonkeyPatch, properties: dict[str, str], columns: dict[str, list[Any]], expected: Any
) -> None:
    monkeypatch.setattr("bridge.write.stored_rows.quoted", lambda _: _Cast())
    rows: Any = _Rows(**{name: pa.array(values, pa.string()) for name, values in columns.items()})
    wanted = expected or {"id:a,n:1", "id:__empty__,n:__null__"}
    assert record_keys(rows, TableProperties(properties)) == wanted


class _Cast:
    def cast(self, _: str) -> _Cast:
        return self

    def alias(self, _: str) -> _Cast:
        return self


def test_keys_whose_text_is_not_ported_are_not_looked_up() -> None:
    rows: Any = _Rows(id=pa.array([1.5]))
    assert record_keys(rows, TableProperties({"hoodie.table.recordkey.fields": "id"})) is None


def test_a_lock_lets_other_writers_in_and_hudi_checks_them(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([])
    queries = TableQueries(str(made.path))
    own = WriteTarget(queries).options(LOCK, None, "run")
    assert own["hoodie.write.lock.conflict.resolution.strategy"] == "bridge.write.SinceTheRead"
    assert own["hoodie.clean.failed.writes.policy"] == "LAZY"
    moment = Moment(str(made.path), queries.timeline, is_locked=is_locked(own))
    assert moment.completed == ["20240101000000001"]
    made.write([])
    mine = made.write([], {"_payload_bridge_run": "run"})
    now = TableQueries(str(made.path)).timeline
    moment.check_before(now)
    assert moment.own_commit(now, "run") == mine
    assert not is_locked(WriteTarget(queries).options({}, None, "run"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"hoodie.write.concurrency.mode": LOCK["hoodie.write.concurrency.mode"]},
            "name its hoodie.write.lock.provider",
        ),
        ({**LOCK, "hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL"}, "would be merged over"),
        ({**LOCK, "hoodie.write.lock.conflict.resolution.strategy": "x"}, "would change what is written"),
        ({**LOCK, "hoodie.clean.failed.writes.policy": "EAGER"}, "would change what is written"),
    ],
)
def test_a_concurrency_control_that_misses_conflicts_is_refused(
    tmp_path: Path, given: dict[str, str], why: str
) -> None:
    target = WriteTarget(TableQueries(str(MadeTable(tmp_path / "table").path)))
    with pytest.raises(PlanError, match=why):
        target.options(given, None, "run")
    assert lock_options({"hoodie.write.concurrency.mode": "single_writer"}) == {}
