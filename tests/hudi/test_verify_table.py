"""`verify --table`: operands are drawn from the versions that the files of a table still hold."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from bridge.cli import main
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

STORED, LOGGED = ("7 EUR", "12 EUR"), ("40 CHF", "41 CHF")


class Converts:
    """Converts where an amount in francs follows one in euros, which breaks associativity; the last wins otherwise."""

    merging_strategy = "f0b6c6f5-1d0c-4d57-8d1b-5be1c9a7a9f4"
    record_type = "AVRO"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        if older.record is None or newer.record is None:
            return newer
        amounts = (older.record["amount"] or "", newer.record["amount"] or "")
        if not all(re.fullmatch(rf"\d+ {one}", text) for one, text in zip(("EUR", "CHF"), amounts, strict=True)):
            return newer
        row = {**newer.record, "amount": " and ".join(amounts)}
        return type(newer)(newer.key, row, newer.schema, ordering_value=newer.ordering_value)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    made = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long", "amount": "string"})
    rows = [{"id": str(at), "part": "p", "ts": 1, "amount": one} for at, one in enumerate(STORED)]
    made.base("g", pa.Table.from_pylist(rows))
    made.commit()
    made.log("g", "p", [{"id": str(at), "part": "p", "ts": 2, "amount": one} for at, one in enumerate(LOGGED)], 1)
    made.commit(1)
    made.deletes("g", "p", ["0"], 2)
    made.commit(2)
    return made.path


def test_operands_are_drawn_from_base_files_and_logs(table: Path, spark: SparkSession) -> None:
    words = ["verify", f"{__name__}:Converts", "--table", str(table), "--laws", "associativity", "--exhaustive"]
    answer = CliRunner().invoke(main, [*words, "--output", "json"])
    assert answer.exit_code == 1, answer.output
    found = json.loads(answer.stdout)
    assert found["plan"]["key"] == ["id"], found["plan"]
    assert found["plan"]["ordering"] == ["ts"], found["plan"]
    assert [field["name"] for field in found["plan"]["schema"]["fields"]] == ["id", "part", "ts", "amount"]
    amounts = {one["record"]["amount"] for one in found["results"][0]["counterexample"]["versions"]}
    assert amounts & set(STORED), amounts
    assert amounts & set(LOGGED), amounts


def test_batches_and_a_table_are_too_much(table: Path) -> None:
    answer = CliRunner().invoke(main, ["verify", "Any", "--table", str(table), "--batches", str(table)])
    assert answer.exit_code == 2, answer.output
    assert "--batches and --table: name one of them" in answer.output
