"""Which outcomes change a table, by columns; without Spark."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from bridge.engines import ACTION
from bridge.merge import Action
from bridge.write.changes import CHANGE
from bridge.write.row_changes import Stored, same_rows

NAN = float("nan")


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        (pa.string(), "a", "a", True),
        (pa.string(), "a", "b", False),
        (pa.string(), None, None, True),
        (pa.string(), None, "", False),
        (pa.float64(), NAN, NAN, True),
        (pa.float64(), 0.0, -0.0, False),
        (pa.float32(), 1.5, 1.5, True),
        (pa.float64(), None, 0.0, False),
        (pa.null(), None, None, True),
        (pa.list_(pa.int64()), [1, None], [1, None], True),
        (pa.list_(pa.int64()), [1, None], [1, 2], False),
        (pa.list_(pa.int64()), [], [], True),
        (pa.list_(pa.int64()), [], None, False),
        (pa.list_(pa.int64()), None, None, True),
        (pa.list_(pa.int64()), [1], [1, 1], False),
        (pa.struct({"x": pa.float64()}), {"x": NAN}, {"x": NAN}, True),
        (pa.struct({"x": pa.float64()}), {"x": 0.0}, {"x": -0.0}, False),
        (pa.struct({"x": pa.int64()}), None, {"x": None}, False),
        (pa.struct({"x": pa.int64()}), None, None, True),
        (pa.list_(pa.struct({"x": pa.string()})), [{"x": "a"}, None], [{"x": "a"}, None], True),
        (pa.map_(pa.string(), pa.int64()), [("a", 1)], [("a", 1)], False),
        (pa.decimal128(5, 2), None, None, True),
    ],
)
def test_rows_are_equal_as_spark_and_hudi_s_keys_have_it(
    kind: pa.DataType, one: Any, other: Any, *, same: bool
) -> None:
    now, then = (pa.RecordBatch.from_arrays([pa.array([value, None], kind)], ["x"]) for value in (one, other))
    is_map = pa.types.is_map(kind)
    assert same_rows(now, then).tolist() == [same, not is_map]


def keys(batch: pa.RecordBatch) -> pa.Array[Any]:
    return batch.column("id")


def outcomes(*rows: tuple[str, str | None, Action]) -> pa.RecordBatch:
    ids, cities, actions = zip(*rows, strict=True)
    return pa.RecordBatch.from_pydict(
        {"id": list(ids), "city": list(cities), ACTION: pa.array([int(one) for one in actions], pa.int8())}
    )


def test_what_changes_is_told_and_a_deleted_row_is_the_stored_one() -> None:
    rows = pa.RecordBatch.from_pydict({"id": ["a", "b", "c"], "city": ["Rome", "Oslo", "Bern"]})
    found = outcomes(
        ("b", "Oslo", Action.UPDATE),
        ("a", "Lima", Action.UPDATE),
        ("c", None, Action.DELETE),
        ("d", "Bonn", Action.INSERT),
        ("e", None, Action.SKIP),
        ("z", "Rome", Action.UPDATE),
    )
    told = sorted(tuple(row.values()) for batch in Stored(rows, keys).changes(found) for row in batch.to_pylist())
    assert told == [
        ("a", "Lima", "updated"),
        ("c", "Bern", "deleted"),
        ("d", "Bonn", "inserted"),
        ("z", "Rome", "updated"),  # the payload changed the key: no stored row has it
    ]


def test_rows_without_an_action_pass() -> None:
    rows = pa.RecordBatch.from_pydict({"id": ["a"], "city": ["Rome"]})
    aside = pa.RecordBatch.from_pydict({"id": ["a"], "city": [None], ACTION: pa.array([None], pa.int8())})
    (told,) = Stored(rows, keys).changes(aside)
    assert told.to_pylist() == [{"id": "a", "city": None, CHANGE: None}]
