"""Columns without a value in one text file of several: their type is that of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bridge.pipeline import read_frame, read_sides
from bridge.pipeline.files import read_batches

if TYPE_CHECKING:
    from pathlib import Path

_CSV = {
    "1": "id,n,flag,note\na,1,,\n",
    "2": "id,n,flag,note\na,2.5,true,\n",
    "3": "id,n,flag,note\na,,false,x\n",
    "4": "id,n,flag,note\na,,x,\n",
}


def kinds(frame) -> list[str]:
    return [field.dataType.simpleString() for field in frame.schema if not field.name.startswith("_pb_")]


@pytest.mark.spark
def test_an_empty_column_of_a_batch_has_the_type_of_the_nearest_one(spark, tmp_path: Path):
    for name, text in _CSV.items():
        (tmp_path / f"{name}.csv").write_text(text)
    found = [kinds(one.frame) for one in read_batches(spark, tmp_path)]
    assert [one[1] for one in found] == ["int", "double", "double", "double"]
    # A column that has a value keeps its type, and whoever merges the batches says that it does not fit.
    assert [one[2] for one in found] == ["boolean", "boolean", "boolean", "string"]
    assert [one[3] for one in found] == ["string"] * 4
    assert read_batches(spark, tmp_path)[2].frame.first()["n"] is None


@pytest.mark.spark
def test_json_lines_and_their_structs(spark, tmp_path: Path):
    (tmp_path / "1.json").write_text('{"id": "a", "at": null}\n')
    (tmp_path / "2.json").write_text('{"id": "a", "at": {"n": 1}}\n')
    assert [kinds(one.frame)[0] for one in read_batches(spark, tmp_path)] == ["struct<n:bigint>"] * 2


@pytest.mark.spark
def test_a_file_beside_a_table(spark, tmp_path: Path):
    (tmp_path / "rows.csv").write_text(_CSV["3"])
    of_table = spark.createDataFrame([], "id string, n bigint, flag int, note string, more int").schema
    found = read_frame(spark, tmp_path / "rows.csv", like=of_table)
    assert kinds(found) == ["string", "bigint", "boolean", "string"]  # who has a value keeps its type
    assert found.first()["n"] is None


@pytest.mark.spark
def test_the_sides_of_a_merge(spark, tmp_path: Path):
    (tmp_path / "stored.csv").write_text("id,n\na,1\n")
    (tmp_path / "incoming.csv").write_text("id,n\na,\n")
    found = read_sides(spark, {name: tmp_path / f"{name}.csv" for name in ("stored", "incoming")}, None)
    assert [kinds(one) for one in found.values()] == [["string", "int"]] * 2
