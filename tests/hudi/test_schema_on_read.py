"""Columns told apart by id: renamed, dropped and added again, at every depth, in base files and in logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unittest.mock import MagicMock

import pyarrow as pa
from pyspark.sql import SparkSession

from bridge import HudiTable
from bridge.hudi.schema_evolution import evolved
from bridge.hudi.schema_on_read import SchemaHistory
from bridge.spark import META_COLUMNS
from payloads.avro import parse_schema
from tests.conformance.tables import load

if TYPE_CHECKING:
    from pathlib import Path


def field(number: int, name: str, kind: object = "int") -> dict[str, object]:
    return {"id": number, "name": name, "optional": True, "type": kind}


def struct(*fields: dict[str, object]) -> dict[str, object]:
    return {"type": "record", "fields": list(fields)}


def items(kind: object) -> dict[str, object]:
    return {"type": "array", "element_id": 90, "element_optional": True, "element": kind}


OLD = [field(0, "a"), field(1, "b"), field(2, "s", struct(field(3, "x"), field(4, "y"))), field(5, "l", items("int"))]
OLD.append(field(6, "ls", items(struct(field(7, "u"), field(8, "v")))))
NEW = [field(0, "A"), field(9, "b"), field(2, "s", struct(field(4, "x"), field(10, "y"))), field(5, "l", items("int"))]
NEW.append(field(6, "ls2", items(struct(field(8, "w")))))
HISTORY = SchemaHistory.parse(
    json.dumps({"schemas": [{"version_id": 20240202, "fields": NEW}, {"version_id": 20240101, "fields": OLD}]}),
    json.dumps({"fields": NEW}),
)
ROW = {"a": 1, "b": 2, "s": {"x": 3, "y": 4}, "l": [5], "ls": [{"u": 6, "v": 7}, None]}


def test_rows_of_an_older_file_go_by_id() -> None:
    """`a` was renamed, `b` dropped and added again, `s.x` dropped and `s.y` renamed to it."""
    int_list, pair = pa.list_(pa.int32()), pa.struct([("x", pa.int32()), ("y", pa.int32())])
    items_of = pa.list_(pa.struct([("w", pa.int32())]))
    schema = pa.schema([("A", pa.int64()), ("b", pa.int32()), ("s", pair), ("l", int_list), ("ls2", items_of)])
    renames = HISTORY.renames("20240115")
    found = evolved(pa.RecordBatch.from_pylist([ROW]), schema, renames)
    assert found.to_pylist() == [{"A": 1, "b": None, "s": {"x": 4, "y": None}, "l": [5], "ls2": [{"w": 7}, None]}]
    assert renames is not None
    assert renames.stored(["A", "b", "l"]) == ["a", "l"]


def test_records_of_an_older_block_do_too() -> None:
    integer = ["null", "int"]
    inner = {"type": "record", "name": "p", "fields": [{"name": n, "type": integer} for n in ("x", "y")]}
    item = {"type": "record", "name": "q", "fields": [{"name": n, "type": integer} for n in ("u", "v")]}
    kinds = {"a": integer, "b": integer, "s": ["null", inner], "l": {"type": "array", "items": "int"}}
    kinds |= {"ls": {"type": "array", "items": ["null", item]}}
    schema = parse_schema(
        {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in kinds.items()]}
    )
    renames = HISTORY.renames("20240201")
    assert renames is not None
    assert renames.of_record(ROW, schema) == {"A": 1, "s": {"x": 4}, "l": [5], "ls2": [{"w": 7}, None]}
    assert list(renames.of_schema(schema).by_name) == ["A", "s", "l", "ls2"]


def test_a_file_from_before_the_history_goes_by_name() -> None:
    assert HISTORY.renames("20230101") is None


def test_the_columns_of_a_table_are_those_without_meta_columns(tables: Path) -> None:
    """The schema of a commit after ALTER TABLE has them."""
    (recorded,) = load(tables, case="mor-schema-on-read-type-change-default")
    columns = HudiTable(MagicMock(spec=SparkSession), str(recorded.folder / "table")).columns.names
    assert "id" in columns
    assert not {*META_COLUMNS} & {*columns}
