"""Which stored rows a merge reads, and when it is tried again; without Spark."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import types as spark_types

from bridge import MergePlan, PlanError
from bridge.hudi import SliceReader, TableProperties, TableQueries
from bridge.write import WriteTarget
from bridge.write.concurrency import is_locked, lock_options
from bridge.write.read_instant import ReadInstant
from bridge.write.stored_rows import partitions_of, record_keys
from tests.bridge.write.table import MadeTable, write_metadata

if TYPE_CHECKING:
    from pathlib import Path

LOCK = {
    "hoodie.write.concurrency.mode": "optimistic_concurrency_control",
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
}


def test_a_task_reads_the_rows_of_the_batch_s_keys_alone(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([{"id": name, "city": "Oslo", "qty": 1} for name in "abcde"])
    query, slices = TableQueries(str(made.path)).snapshot()
    some = dataclasses.replace(query, keys=frozenset({"b", "e", "z"}))
    rows = [row for found in slices for batch in SliceReader(some).read(found) for row in batch.to_pylist()]
    assert [row["id"] for row in rows] == ["b", "e"]


KINDS = {
    pa.string(): spark_types.StringType(),
    pa.int64(): spark_types.LongType(),
    pa.float64(): spark_types.DoubleType(),
}


def typed(**kinds: spark_types.DataType) -> spark_types.StructType:
    return spark_types.StructType([spark_types.StructField(name, kind) for name, kind in kinds.items()])


class _Rows:
    """A frame of key columns, as `record_keys` uses it."""

    def __init__(self, **columns: pa.Array[Any]) -> None:
        self._batch = pa.RecordBatch.from_pydict(columns)
        self.schema = typed(**{name: KINDS[array.type] for name, array in columns.items()})

    def select(self, *_: Any) -> _Rows:
        return self

    def limit(self, rows: int) -> _Rows:
        self._batch = self._batch.slice(0, rows)
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
    assert record_keys(rows, TableProperties(properties), rows.schema) == wanted


def test_the_keys_of_a_large_batch_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.write.stored_rows.quoted", lambda _: _Cast())
    monkeypatch.setattr("bridge.write.stored_rows.FEW", 2)
    properties = TableProperties({"hoodie.table.recordkey.fields": "id"})
    two, three = (_Rows(id=pa.array(list(text))) for text in ("ab", "abc"))
    assert record_keys(two, properties, two.schema) == {"a", "b"}  # type: ignore[arg-type]
    assert record_keys(three, properties, three.schema) is None  # type: ignore[arg-type]


class _Cast:
    def cast(self, _: str) -> _Cast:
        return self

    def alias(self, _: str) -> _Cast:
        return self


def test_keys_whose_text_is_not_ported_are_not_looked_up() -> None:
    rows: Any = _Rows(id=pa.array([1.5]))
    assert record_keys(rows, TableProperties({"hoodie.table.recordkey.fields": "id"}), rows.schema) is None


@pytest.mark.parametrize(
    ("own", "values"),
    [
        (spark_types.DecimalType(10, 2), [1]),
        (spark_types.DoubleType(), [1]),
        (spark_types.DateType(), ["2024-1-1"]),
    ],
    ids=str,
)
def test_keys_whose_text_is_another_one_in_the_table_are_not_looked_up(
    monkeypatch: pytest.MonkeyPatch, own: spark_types.DataType, values: list[Any]
) -> None:
    monkeypatch.setattr("bridge.write.stored_rows.quoted", lambda _: _Cast())
    rows: Any = _Rows(id=pa.array(values))
    assert record_keys(rows, TableProperties({"hoodie.table.recordkey.fields": "id"}), typed(id=own)) is None
    rows.columns = ["id"]
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id", partition="id")
    assert partitions_of(rows, plan, typed(id=own)) is None


def test_a_lock_lets_other_writers_in_and_hudi_checks_them(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([])
    queries = TableQueries(str(made.path))
    own = WriteTarget(queries).options(LOCK, None, "run")
    assert own["hoodie.write.lock.conflict.resolution.strategy"] == "bridge.write.SinceTheRead"
    assert own["hoodie.clean.failed.writes.policy"] == "LAZY"
    moment = ReadInstant(str(made.path), queries.timeline, is_locked=is_locked(own))
    assert moment.completed == ["20240101000000001"]
    made.write([])
    mine = made.write([], {"_payload_bridge_run": "run"})
    now = TableQueries(str(made.path)).timeline
    moment.check_before(now)
    assert moment.own_commit(now, "run") == mine
    assert not is_locked(WriteTarget(queries).options({}, None, "run"))


def test_table_services_that_were_done_at_the_read_are_no_other_writers(tmp_path: Path) -> None:
    made = MadeTable(tmp_path / "table")
    first = made.write([])
    clustered = "20240101000000500"
    done = made.timeline / f"{clustered}_20240101000000501.replacecommit"
    write_metadata(done, {"operationType": "cluster", "partitionToWriteStats": {}, "extraMetadata": {}})
    timeline = TableQueries(str(made.path)).timeline
    assert [one.requested for one in timeline.writes] == [first]
    assert ReadInstant(str(made.path), timeline, is_locked=True).completed == [first, clustered]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"hoodie.write.concurrency.mode": LOCK["hoodie.write.concurrency.mode"]},
            "set hoodie.write.lock.provider",
        ),
        ({**LOCK, "hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL"}, "would be overwritten"),
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
