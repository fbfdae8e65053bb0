"""`merge-into` and `diff` by command, on a table whose commits a stand-in makes."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge import MergePlan, merge_into
from bridge.cli import main
from bridge.hudi import AlteredTableError
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PLAN = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id")
MODULE = importlib.import_module("bridge.write.merge_into")


def run(*words: str, code: int = 0) -> Any:
    result = CliRunner().invoke(main, [*words, "--output", "json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_a_file_is_merged_once_and_the_table_differs_from_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    made = MadeTable(tmp_path / "table")
    first = made.write([{"id": "a", "city": "Oslo", "qty": 1}, {"id": "b", "city": "Rome", "qty": 1}])
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    rows = tmp_path / "day.jsonl"
    rows.write_text('{"id": "a", "city": "Lima", "qty": 2}\n{"id": "c", "city": "Bern", "qty": 3}\n')
    schema = tmp_path / "rows.ddl"
    schema.write_text("id string, city string, qty bigint")
    command = ("merge-into", str(made.path), "--incoming", str(rows), "--schema", str(schema))
    command = (*command, "--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15")

    found = run(*command)
    assert found["statistics"]["written"] == {"inserted": 1, "updated": 1, "deleted": 0}
    assert made.rows["a"] == {"id": "a", "city": "Lima", "qty": 2}  # without a delete, no column is added
    assert found["plan"]["batch"].startswith("sha256:")
    again = run(*command)
    assert again["statistics"]["merged_by"] == found["plan"]["instant"]

    was = run("diff", str(made.path), "--against-as-of", first, "--out", str(tmp_path / "back"), code=1)
    assert [(one["key"]["id"], one["kind"]) for one in was["results"]] == [("a", "changed"), ("c", "only-left")]
    back = pq.read_table(tmp_path / "back").to_pylist()
    assert sorted((row["id"], row["city"], row["_hoodie_is_deleted"]) for row in back) == [
        ("a", "Oslo", False),
        ("c", "Bern", True),
    ]
    for file in made.path.glob("*.parquet"):
        file.unlink()
    lost = "is missing; restore the files, or restore the table to an instant before"
    with pytest.raises(AlteredTableError, match=lost):
        merge_into(str(made.path), spark.createDataFrame([("a", "Lima", 2)], schema.read_text()), PLAN)
    rows.write_text('{"id": "a", "city": "Lima", "qty": 3}\n')
    result = CliRunner().invoke(main, [*command])
    assert (result.exit_code, lost in " ".join(result.stderr.split())) == (3, True), result.output
    result = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "aside")])
    assert result.exit_code == 2
    assert "add --on-error quarantine" in result.stderr


def test_a_column_of_a_text_file_without_values_has_the_type_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    made = MadeTable(tmp_path / "table")
    made.write([{"id": "a", "city": "Oslo", "qty": 1}])
    monkeypatch.setattr(MODULE, "commit", made.commit)
    monkeypatch.setattr(MODULE, "check_writer_is_there", lambda *_: None)
    rows = tmp_path / "day.csv"
    rows.write_text("id,city,qty\na,Lima,\n")
    payload = ("--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15")
    found = run("merge-into", str(made.path), "--incoming", str(rows), *payload)
    assert found["statistics"]["written"] == {"inserted": 0, "updated": 1, "deleted": 0}
    assert made.rows["a"] == {"id": "a", "city": "Lima", "qty": None}
    assert run("diff", str(made.path), "--against", str(rows))["results"] == []
