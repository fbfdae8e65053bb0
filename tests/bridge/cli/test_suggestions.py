"""A misspelt word gets the one that was probably meant; a word that is merely unknown here gets none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge import MergePlan, PlanError
from bridge.cli import main
from bridge.pipeline import layout_of
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PLAN = ("--batches", ".", "--key", "id", "--payload", "EventTimeAvroPayload", "--dry-run")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("replai",), "'replay'"),
        (("payloads", "--relese", "1.2"), "'--release'"),
        (("payloads", "AWSDmsPayload"), "AWSDmsAvroPayload"),
        (("verify", "EVENT_TIME_ORDERIN"), "EVENT_TIME_ORDERING"),
        (("verify", "OverwriteWithLatestAvroPayloda"), "OverwriteWithLatestAvroPayload"),
        (("replay", *PLAN, "--from", "0.15", "--to", "COMIT_TIME_ORDERING"), "COMMIT_TIME_ORDERING"),
        (("simulate", *PLAN, "--prop", "hoodie.payload.delete.feild=op"), "hoodie.payload.delete.field?"),
        (
            ("simulate", *PLAN, "--prop", "hoodie.datasource.write.payload.clas=X"),
            "hoodie.datasource.write.payload.class?",
        ),
    ],
)
def test_a_slip_is_recognized(words: tuple[str, ...], meant: str) -> None:
    told = CliRunner().invoke(main, list(words)).stderr
    assert "did you mean" in told.lower()
    assert meant in told


@pytest.mark.parametrize(
    "key",
    [
        "hoodie.datasource.write.operation",
        "hoodie.datasource.write.payload.type",
        "hoodie.record.merge.property.hoodie.payload.delete.field",
        "hoodie.payload.delete.marker",
        "hoodie.merge.allow.duplicate.on.inserts",
        "hoodie.upsert.shuffle.parallelism",
    ],
)
def test_other_options_of_hudi_are_let_through(key: str) -> None:
    result = CliRunner().invoke(main, ["simulate", *PLAN, "--prop", f"{key}=x"])
    assert "did you mean" not in result.stderr


@pytest.mark.usefixtures("spark")
def test_a_slip_is_told_once_and_stands_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "ts": 1}\n')
    words = ["merge", "combine-input", "--incoming", str(tmp_path / "rows.jsonl"), "--key", "id", "--ordering", "ts"]
    words += ["--payload", "EventTimeAvroPayload", "--prop", "hoodie.payload.delete.feild=op"]
    told = CliRunner().invoke(main, words)
    assert (told.exit_code, told.stderr.count("did you mean hoodie.payload.delete.field?")) == (0, 1), told.output
    (warning,) = json.loads(CliRunner().invoke(main, [*words, "--output", "json"]).stdout)["warnings"]
    assert warning.endswith("did you mean hoodie.payload.delete.field?")


def test_a_column_is_recognized(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", 1)], "order_id string, ts bigint")
    plan = MergePlan(payload="EventTimeAvroPayload", release=HudiRelease.V1_2, key="orderid", ordering="ts")
    with pytest.raises(PlanError, match="did you mean order_id"):
        layout_of(plan, frame)
