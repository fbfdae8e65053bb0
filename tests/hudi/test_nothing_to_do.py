"""Every verb ends on a table without rows, on batches without rows, and where a condition matches nothing.

What Spark tells while it computes must come: what is waited for in vain is waited for half a minute each time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.spark.observed import ObservedFrame
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

COLUMNS = {"id": pa.string(), "part": pa.string(), "ts": pa.int64(), "v": pa.string()}
FIELDS = {"id": "string", "part": "string", "ts": "long", "v": "string"}
PLAN = ["--payload", "DefaultHoodieRecordPayload", "--key", "id", "--partition", "part", "--ordering", "ts"]
OF_0_15 = [*PLAN, "--release", "0.15"]

TABLE_VERBS = {
    "snapshot": ["snapshot", "{table}"],
    "snapshot-out": ["snapshot", "{table}", "--out", "{out}"],
    "snapshot-quarantine": ["snapshot", "{table}", "--on-error", "quarantine"],
    "read-optimized": ["snapshot", "{table}", "--read-optimized"],
    "inspect": ["inspect", "{table}"],
    "fleet": ["inspect", "--root", "{table}/..", "--rows"],
    "plan": ["plan", "{table}", "--to", "1.2"],
    "compare-readers": ["compare-readers", "{table}", "--reader", "1.2", "--reader", "base files"],
    "diff": ["diff", "{table}", "--against", "{other}"],
    "history": ["history", "{table}"],
    "replay": ["replay", "--table", "{table}", "--to", "1.2"],
    "replay-batches": ["replay", "--table", "{table}", "--to", "1.2", "--batches", "{batches}"],
    "replay-history": ["replay", "--table", "{table}", "--to", "1.2", "--history"],
    "simulate": ["simulate", "--table", "{table}"],
    "explain": ["explain", "--table", "{table}", "--row", "id=a"],
    "migrate": ["migrate", "--table", "{table}", "--to", "1.2"],
    "verify": ["verify", "DefaultHoodieRecordPayload", "--release", "0.15", "--table", "{table}"],
}
BATCH_VERBS = {
    "combine-input": ["merge", "combine-input", "--incoming", "{batch}", *OF_0_15],
    "upsert": ["merge", "upsert", "--stored", "{batch}", "--incoming", "{batch}", *OF_0_15],
    "upsert-out": ["merge", "upsert", "--stored", "{batch}", "--incoming", "{batch}", "--out", "{out}", *OF_0_15],
    "upsert-quarantine": [
        *("merge", "upsert", "--stored", "{batch}", "--incoming", "{batch}", "--on-error", "quarantine"),
        *OF_0_15,
    ],
    "simulate": ["simulate", "--batches", "{batches}", *OF_0_15],
    "all-paths": ["simulate", "--batches", "{batches}", "--all-paths", *OF_0_15],
    "replay": ["replay", "--batches", "{batches}", *PLAN, "--from", "0.15", "--to", "1.2"],
    "explain": ["explain", "--batches", "{batches}", "--row", "id=a,part=p", *OF_0_15],
    "migrate": ["migrate", "--batches", "{batches}", *PLAN, "--from", "0.15"],
    "verify": ["verify", "DefaultHoodieRecordPayload", "--release", "0.15", "--batches", "{batches}"],
}


@pytest.fixture(autouse=True)
def adaptive(spark: SparkSession) -> Iterator[None]:
    """Let Spark drop parts of a query that turn out to be empty, as in users' sessions."""
    before = spark.conf.get("spark.sql.adaptive.enabled")
    spark.conf.set("spark.sql.adaptive.enabled", "true")
    yield
    spark.conf.set("spark.sql.adaptive.enabled", before)


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether Spark told what it observed, each time that it was asked."""
    asked: list[bool] = []
    tell = ObservedFrame._told

    def noted(self: ObservedFrame) -> Any:
        found = tell(self)
        asked.append(found is not None)
        return found

    monkeypatch.setattr(ObservedFrame, "_told", noted)
    return asked


@pytest.fixture
def paths(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    """Tables of one kind, a batch without rows, a folder of two such batches, and a place for output."""
    for name in ("table", "other"):
        table = MadeTable(tmp_path / "tables" / name, FIELDS)
        rows = pa.table(
            {name: pa.array(["a"] if str(kind) == "string" else [1], kind) for name, kind in COLUMNS.items()}
        )
        kind = getattr(request, "param", "no files")
        if kind != "no files":
            table.base("f", rows)
        table.commit()
        if kind == "deleted":
            table.deletes("f", "a", ["a"], 1)
            table.commit(1)
    (tmp_path / "batches").mkdir()
    empty = pa.table({name: pa.array([], kind) for name, kind in COLUMNS.items()})
    for number in (1, 2):
        pq.write_table(empty, tmp_path / f"batches/{number}.parquet")
    names = {name: tmp_path / "tables" / name for name in ("table", "other")}
    own = {"batches": tmp_path / "batches", "batch": tmp_path / "batches/1.parquet", "out": tmp_path / "out"}
    return {name: str(path) for name, path in (names | own).items()}


def run(words: list[str], paths: dict[str, str]) -> Any:
    result = CliRunner().invoke(main, [*(word.format(**paths) for word in words), "--output", "json"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert result.exit_code in {0, 1, 2, 3}
    assert "Traceback" not in result.output
    assert result.exit_code < 2 or "Error:" in result.stderr or "error:" in result.stderr, result.output
    return result


@pytest.mark.parametrize("verb", TABLE_VERBS)
@pytest.mark.parametrize("paths", ["no files", "deleted"], indirect=True)
def test_a_table_without_rows(spark: SparkSession, paths: dict[str, str], verb: str, told: list[bool]) -> None:
    result = run(TABLE_VERBS[verb], paths)
    if verb.startswith(("snapshot", "read-optimized", "inspect", "plan", "diff", "compare", "fleet")):
        assert result.exit_code == 0 or (verb == "compare-readers" and result.exit_code == 1), result.output
    if verb.startswith("snapshot"):
        assert json.loads(result.stdout)["statistics"]["rows_out"] == 0
    assert all(told)


@pytest.mark.parametrize("verb", BATCH_VERBS)
def test_batches_without_rows(spark: SparkSession, paths: dict[str, str], verb: str, told: list[bool]) -> None:
    run(BATCH_VERBS[verb], paths)
    assert all(told)


@pytest.mark.parametrize("words", [[], ["--out", "{out}"], ["--on-error", "quarantine"], ["--read-optimized"]])
@pytest.mark.parametrize("where", ["id = 'nobody'", "part = 'nowhere'", "ts > 5", "false"])
@pytest.mark.parametrize("paths", ["rows"], indirect=True)
def test_a_condition_that_matches_nothing(
    spark: SparkSession, paths: dict[str, str], where: str, words: list[str], told: list[bool]
) -> None:
    result = run(["snapshot", "{table}", "--where", where, *words], paths)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["statistics"]["rows_out"] == 0
    assert told == [True]
