"""Batches onto a real table, and its own history: what both sides come to is what real Hudi wrote."""

from __future__ import annotations

import collections
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from bridge import HudiTable, InputError, PlanError, replay_batches, replay_history, table_history
from bridge.cli import main
from tests.conformance.histories import columns_of, parse_value
from tests.conformance.tables import Recorded, load

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

OLD_STEPS = 3


def recorded(tables: Path, case: str) -> Recorded:
    (found,) = load(tables, case=case)
    return found


def batches_of(spark: SparkSession, one: Recorded) -> list[DataFrame]:
    """Return what the newer release wrote."""
    ddl = one.answers["schema_ddl"]
    kinds = columns_of(ddl)
    steps = one.answers["steps"][OLD_STEPS:]
    rows = [[[parse_value(kinds[name], row[name]) for name in kinds] for row in step["incoming"]] for step in steps]
    return [spark.createDataFrame(batch, ddl).coalesce(1) for batch in rows]


def as_text(rows: list[Any]) -> collections.Counter[tuple[tuple[str, str], ...]]:
    return collections.Counter(tuple(sorted((name, str(value)) for name, value in row.items())) for row in rows)


def expected(one: Recorded, touched: set[tuple[str, str]]) -> list[dict[str, Any]]:
    kinds = columns_of(one.answers["schema_ddl"])
    rows = [{name: parse_value(kinds[name], row[name]) for name in kinds} for row in one.answers["snapshot"]]
    return [row for row in rows if (row["part"], row["id"]) in touched]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [True, False], ids=["kept", "upgraded"])
@pytest.mark.parametrize("case", ["cow-{}-from-0.15.0-plain-partial", "mor-{}-from-0.15.0-plain-postgres"])
def test_the_next_writes_come_to_what_real_hudi_stores(
    tables: Path, spark: SparkSession, case: str, *, kept: bool
) -> None:
    """Both tables began as one of 0.15.0, which the kept one still is as of its third commit."""
    before = recorded(tables, case.format("kept"))
    after = before if kept else recorded(tables, case.format("upgraded"))
    table = HudiTable(spark, str(before.folder / "table"), "0.15")
    moment = sorted(before.answers["as_of"])[OLD_STEPS - 1]
    batches = batches_of(spark, after)
    payload = before.answers["payload_class"]
    with replay_batches(table, batches, "1.2", payload=payload, keep_table_version=kept, as_of=moment) as found:
        assert found.right is not None, found.refused
        last = found.right.where(f"_pb_commit = {len(batches)}").drop("_pb_commit").collect()
        keys = {(row["part"], row["id"]) for batch in batches for row in batch.collect()}
        assert as_text([row.asDict() for row in last]) == as_text(expected(after, keys))
        assert "in the table" in found.to_report().as_text() or found.is_equal


class TestHistory:
    @pytest.fixture
    def path(self, tables: Path) -> str:
        return str(next(load(tables, release="0.15.0", case="mor-plain-postgres")).folder / "table")

    def test_versions_are_counted_by_commit_and_by_key(self, path: str, spark: SparkSession) -> None:
        found = table_history(HudiTable(spark, path, "0.15"))
        assert len(found.commits) == 5
        assert found.commits[0].logged == 0 < found.commits[0].based
        assert all(commit.based < commit.logged for commit in found.commits[1:])
        assert sum(found.versions.values()) == found.keys
        assert 0 < found.several <= found.keys
        assert sum(number * keys for number, keys in found.versions.items()) >= found.keys + found.several

    def test_the_replay_of_the_own_release_gives_the_table(self, path: str, spark: SparkSession) -> None:
        found = replay_history(HudiTable(spark, path, "0.15"), "1.2")
        assert found.unlike == 0
        assert not found.success
        text = found.to_report().as_text()
        assert "exactly its rows (45)" in " ".join(text.split())
        found.close()

    def test_what_is_lost_is_said(self, tables: Path, spark: SparkSession) -> None:
        """Deletes of a copy-on-write table leave no trace, so that rows come back."""
        folder = next(load(tables, release="0.15.0", case="cow-op-delete-default")).folder
        found = replay_history(HudiTable(spark, str(folder / "table"), "0.15"), "0.15")
        assert found.success
        assert found.unlike > 0
        assert f"other rows for {found.unlike} of its keys" in found.proof
        assert "winners alone" in found.history.verdict

    def test_tables_that_cannot_be_rebuilt(self, tables: Path, spark: SparkSession) -> None:
        cases = (
            ("1.0.2", "cow-no-meta-default", "no meta columns"),
            ("1.2.0", "mor-merge-into-partial-commit", "partial updates"),
        )
        for release, case, message in cases:
            folder = next(load(tables, release=release, case=case)).folder
            with pytest.raises((InputError, PlanError), match=message):
                replay_history(HudiTable(spark, str(folder / "table")), "1.1")

    def test_the_command_line(self, path: str, spark: SparkSession, tmp_path: Path) -> None:
        result = run("history", path, "--output", "json")
        assert result.exit_code == 0, result.output
        assert len(json.loads(result.stdout)["results"]) == 5
        result = run("replay", "--table", path, "--history", "--to", "1.2", "--output", "json")
        assert result.exit_code == 1, result.output
        assert json.loads(result.stdout)["statistics"]["not_rebuilt"] == 0
        (tmp_path / "1.json").write_text(
            '{"id": "k002", "part": "p0", "_change_operation_type": "u", "_event_lsn": 99}'
        )
        result = run("replay", "--table", path, "--batches", str(tmp_path), "--to", "1.2", "--output", "json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert (found["statistics"]["question"], found["results"]) == ("batches", [])

    def test_explain_shows_where_each_version_lies(self, path: str, spark: SparkSession) -> None:
        result = run("explain", "--table", path, "--row", "k002", "--to", "1.2", "--output", "json")
        assert result.exit_code == 1, result.output
        found = json.loads(result.stdout)
        versions, shown = found["results"][0]["versions"], found["results"][0]["shown"]
        assert [version["kind"] for version in versions][:2] == ["base", "data"]
        assert all(".log." in version["file"] for version in versions[1:])
        assert shown["0.15"][0]["blob"] == "base"
        assert shown["1.2"][0]["blob"] == "__debezium_unavailable_value"
        assert "Hudi 0.15 and Hudi 1.2 show different rows" in found["verdict"]
        assert "no version of id=nobody" in run("explain", "--table", path, "--row", "nobody").stderr


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)
