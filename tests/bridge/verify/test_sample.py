"""Operands that are drawn from the user's rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.errors import InputError
from bridge.verify import sample_of
from payloads import HudiRelease, parse_schema
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

LATEST = HudiRelease.latest()


class Parses:
    """Reads amounts as one feed has them, and takes their mean."""

    merging_strategy = "6f1a2f0e-6a3c-4e0b-9f35-2d7c1f9a4b11"
    record_type = "AVRO"

    def merge(self, older, newer, schema, props):
        if older.record is None or newer.record is None:
            return newer
        texts = [one.record["amount"] for one in (older, newer)]
        if not all(text.endswith(" EUR") for text in texts):
            raise LookupError(texts)
        amounts = [int(text.removesuffix(" EUR")) for text in texts]
        row = {**newer.record, "amount": f"{sum(amounts) // 2} EUR"}
        return type(newer)(newer.key, row, newer.schema, ordering_value=newer.ordering_value)


@pytest.fixture
def days(tmp_path: Path) -> Path:
    folder = tmp_path / "days"
    folder.mkdir()
    for day, amounts in enumerate([("7 EUR", "12 EUR"), ("40 EUR", "40 EUR")]):
        lines = (json.dumps({"id": str(at), "ts": day, "amount": one}) for at, one in enumerate(amounts))
        (folder / f"{day}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def test_the_command_draws_from_batches(days: Path, spark: SparkSession) -> None:
    words = ["verify", f"{__name__}:Parses", "--key", "id", "--ordering", "ts", "--laws", "associativity"]
    answer = CliRunner().invoke(main, [*words, "--exhaustive", "--batches", str(days), "--output", "json"])
    assert answer.exit_code == 1, answer.output
    found = json.loads(answer.stdout)
    operands = found["results"][0]["counterexample"]["versions"]
    assert {version["record"]["amount"] for version in operands} <= {"7 EUR", "12 EUR", "40 EUR"}
    assert {field["name"] for field in found["plan"]["schema"]["fields"]} == {"id", "ts", "amount"}


def test_rows_fit_the_schema(spark: SparkSession) -> None:
    schema = parse_schema(record_schema(id="string", n=nullable("long"), more=nullable("string")))
    frame = spark.createDataFrame([("a", 1), ("b", None)], "id string, n bigint")
    drawn = sample_of(frame, LATEST, schema)
    assert sorted(drawn.rows, key=repr) == [{"id": "a", "n": 1, "more": None}, {"id": "b", "n": None, "more": None}]
    assert sample_of(frame, LATEST).schema.by_name["n"].schema.nullable
    with pytest.raises(InputError, match="the rows lack m; they have id, n"):
        sample_of(frame, LATEST, parse_schema(record_schema(id="string", m="long")))
    with pytest.raises(InputError, match="there are no rows"):
        sample_of(frame.where("false"), LATEST)
