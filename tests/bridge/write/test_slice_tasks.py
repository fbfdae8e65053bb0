"""What tasks make of the rows that were sent to file slices; without Spark."""

from __future__ import annotations

import dataclasses
import json
import pickle
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import Row

from bridge import InputError, MergePlan
from bridge.engines import ORIGIN, ROW_COUNTS, Job
from bridge.hudi import TableQueries
from bridge.programs import Origin
from bridge.write import slice_tasks
from bridge.write.changes import CHANGE, PLACE
from bridge.write.slice_merge import counted
from bridge.write.slice_tasks import LABEL_BITS, SliceWork, merged_slices, read_keys, stored_in_slices
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

PLAN = MergePlan(payload="tests.bridge.write.test_merge_into:Adder", release="0.15", key="id")
STORED = [{"id": name, "city": "Oslo", "qty": 1} for name in "abcdef"]
LABEL = 7


@pytest.fixture
def work(tmp_path: Path) -> SliceWork:
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    return work_of(made)


def work_of(made: MadeTable) -> SliceWork:
    query, (found,) = TableQueries(str(made.path)).snapshot()
    sent: Any = SimpleNamespace(value={LABEL: pickle.dumps(found)})
    return SliceWork(query, sent)


def rows(*given: tuple[str, str | None, int], label: int = LABEL) -> pa.RecordBatch:
    """Rows as they come: sorted by key, all of one slice."""
    ids, cities, numbers = zip(*given, strict=True)
    return pa.RecordBatch.from_pydict(
        {
            "id": list(ids),
            "city": pa.array(cities, pa.string()),
            "qty": pa.array(numbers, pa.int64()),
            ORIGIN: pa.array([int(Origin.INCOMING)] * len(ids), pa.int8()),
            PLACE: pa.array([(label << LABEL_BITS) + ord(key) for key in ids], pa.int64()),
        }
    )


def told(work: SliceWork, *batches: pa.RecordBatch) -> tuple[list[tuple[Any, ...]], dict[str, int]]:
    """The changes, and the counts of the row counts."""
    job = Job(PLAN, work.query.schema, ("id", "city", "qty"), "upsert", row_counts=True)
    found = [row for batch in merged_slices(work, job, batches) for row in batch.to_pylist()]
    row_counts: dict[str, int] = {}
    for row in found:
        if row[ROW_COUNTS] is not None:
            assert row[CHANGE] is None
            row_counts |= json.loads(row[ROW_COUNTS])
    return sorted((row["id"], row["city"], row["qty"], row[CHANGE]) for row in found if row[CHANGE]), row_counts


BATCHES = [
    rows(("_", "Bonn", -1), ("a", None, 2), ("b", None, 0), label=LABEL),
    rows(("b", None, 3), ("c", None, -9), ("d", "skip", 5), ("g", "Bern", 3), ("g", "Bern", 1)),
    rows(("x", "Rome", 6), label=-3),
    rows(("x", "Rome", 1), ("y", None, -1), label=-3),
]
CHANGED = [
    ("a", "Oslo", 3, "updated"),
    ("b", "Oslo", 4, "updated"),
    ("c", "Oslo", 1, "deleted"),
    ("g", "Bern", 4, "inserted"),
    ("x", "Rome", 7, "inserted"),
]


@pytest.mark.parametrize("held", [1 << 20, 0])
@pytest.mark.parametrize("few", [10_000, 0])
def test_the_rows_of_a_slice_are_merged_where_it_is_read(
    work: SliceWork, monkeypatch: pytest.MonkeyPatch, held: int, few: int
) -> None:
    monkeypatch.setattr(slice_tasks, "_HELD", held)
    monkeypatch.setattr(slice_tasks, "FEW", few)
    found, row_counts = told(work, *BATCHES)
    assert found == CHANGED
    assert (row_counts["read"], row_counts["left"]) == (4, 5)  # a, b, c, d; all but c of them, and two new ones
    assert sum(number for name, number in row_counts.items() if " incoming " in name) == 11
    assert sum(number for name, number in row_counts.items() if " stored " in name) == 4


def test_a_row_that_comes_to_what_is_stored_is_no_change(work: SliceWork) -> None:
    assert told(work, rows(("a", None, 0)))[0] == []


def test_a_key_that_is_stored_twice_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = MadeTable(tmp_path / "table")
    made.write(STORED)
    work = work_of(made)
    read = slice_tasks.SliceReader.read
    monkeypatch.setattr(slice_tasks.SliceReader, "read", lambda *given: [*read(*given), *read(*given)])
    with pytest.raises(InputError, match="more than one row for the key 'b'"):
        told(work, rows(("b", None, 3)))


def test_the_keys_of_a_slice_are_told_with_its_number(work: SliceWork) -> None:
    given = pa.RecordBatch.from_pydict({"number": pa.array([3], pa.int32()), "slice": [work.slices.value[LABEL]]})
    (found,) = read_keys(work.query, ("id",), [given])
    assert found.to_pylist() == [{"id": name, "number": 3} for name in "abcdef"]


def test_the_stored_rows_of_keys_are_given_without_meta_columns(work: SliceWork) -> None:
    query = dataclasses.replace(work.query, shown=frozenset({"id", "city", "qty"}))
    found = stored_in_slices(dataclasses.replace(work, query=query), ("id",), BATCHES)
    assert [row for batch in found for row in batch.to_pylist()] == STORED[:4]


def test_two_tasks_with_the_same_books_count_twice() -> None:
    row = Row(CHANGE, ROW_COUNTS, "rows")
    told = [row("updated", None, 3), row(None, '{"read": 1}', 2), row(None, None, 4)]
    assert counted(told) == ({"updated": 3}, ['{"read": 1}'] * 2)
