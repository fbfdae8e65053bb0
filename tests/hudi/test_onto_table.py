"""Batches onto a real table, and its own history: what both sides come to is what real Hudi wrote."""

from __future__ import annotations

import collections
import dataclasses
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest
from click.testing import CliRunner, Result
from pyspark.sql import functions as sf

from bridge import (
    HeldCompaction,
    HudiTable,
    InputError,
    PlanError,
    RebuiltCommits,
    RowStatus,
    Scope,
    TableRow,
    compare_readers,
    explain,
    rebuilt_commits,
    replay,
    table_history,
)
from bridge.cli import main
from bridge.compare.table_scope import _condition
from bridge.explain import replay_view
from bridge.hudi import HudiTableError
from bridge.pipeline import Batches
from bridge.spark import PySparkException
from payloads import PayloadBridgeError
from payloads.avro import parse_schema
from tests.conformance.histories import columns_of, parse_value
from tests.conformance.tables import Recorded, load
from tests.support.pages import check_timelines

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

OLD_STEPS = 3


def test_nothing_is_compacted_before_the_first_batch() -> None:
    held = (HeldCompaction("1", 0, 1, 1), HeldCompaction("7", 2, 1, 1))
    assert RebuiltCommits(Batches([], []), held, lambda: None).compact_after == (2,)


@pytest.mark.parametrize(
    ("kind", "condition"), [("int", "(`day` IS NULL)"), ("string", "((`day` IS NULL OR `day` = ''))")]
)
def test_only_a_column_of_text_is_compared_with_the_empty_text(kind: str, condition: str) -> None:
    schema = parse_schema({"type": "record", "name": "r", "fields": [{"name": "day", "type": ["null", kind]}]})
    query: Any = SimpleNamespace(schema=schema, text_columns=())
    assert _condition(Scope(({"day": ""},)), query) == condition


@pytest.mark.parametrize(("readers", "real"), [(["1.1", "hudi-rs"], False), (["real 1.1"], False), (None, True)])
def test_programs_take_no_scope(readers: list[str] | None, *, real: bool) -> None:
    opened = SimpleNamespace(plan=SimpleNamespace(runs_java=False, engine="auto"))
    table: Any = MagicMock(spec=HudiTable, readers=(), release=None, is_merge_on_read=True, queries=lambda: opened)
    with pytest.raises(PlanError, match="released bundles read whole tables"):
        compare_readers(table, readers, real=real, scope=Scope(keys_sample=0.5))


def test_a_real_table_is_upgraded_by_a_release_alone() -> None:
    table: Any = MagicMock(spec=HudiTable)
    with pytest.raises(PlanError, match=r"^to EVENT_TIME_ORDERING: a real table is read or upgraded by a release"):
        replay(table, to="EVENT_TIME_ORDERING", batches=Batches(["1"], []))


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
@pytest.mark.parametrize(
    ("case", "kept"),
    [
        pytest.param("cow-{}-from-0.15.0-plain-partial", True, marks=pytest.mark.long),
        ("cow-{}-from-0.15.0-plain-partial", False),
        ("mor-{}-from-0.15.0-plain-postgres", True),
        pytest.param("mor-{}-from-0.15.0-plain-postgres", False, marks=pytest.mark.long),
    ],
)
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
    with replay(table, to="1.2", batches=batches, payload=payload, keep_table_version=kept, as_of=moment) as found:
        assert found.refused is None
        last = found.right.where(f"_pb_commit = {len(batches)}").drop("_pb_commit").collect()
        steps = after.answers["steps"][OLD_STEPS:]
        keys = {(row["part"], row["id"]) for step in steps for row in step["incoming"]}
        written = sum(len(step["incoming"]) for step in steps)
        assert as_text([row.asDict() for row in last]) == as_text(expected(after, keys))
        for row_counts in found.row_counts.values():
            assert row_counts.rows_in["incoming"] == written
            assert row_counts.total(RowStatus.KEPT, ["stored", "log"]) > 0
        assert "in the table" in found.to_report().as_text() or found.is_equal
        listed = replay_view([found]).keys
        assert listed is not None
        if not found.is_equal:
            check_timelines(listed.rows)


class TestHistory:
    @pytest.fixture
    def path(self, tables: Path) -> str:
        return str(next(load(tables, release="0.15.0", case="mor-plain-postgres")).folder / "table")

    def test_versions_are_counted_by_commit_and_by_key(self, path: str, spark: SparkSession) -> None:
        found = table_history(HudiTable(spark, path, "0.15"))
        assert len(found.commits) == 5
        assert all(commit.is_complete for commit in found.commits)
        assert "5 of 5 commits complete" in found.verdict
        assert found.commits[0].logged == 0 < found.commits[0].based
        assert all(commit.based < commit.logged for commit in found.commits[1:])
        assert sum(found.versions.values()) == found.keys
        assert 0 < found.several <= found.keys
        assert sum(number * keys for number, keys in found.versions.items()) >= found.keys + found.several

    def test_the_replay_of_the_own_release_gives_the_table(self, path: str, spark: SparkSession) -> None:
        found = replay(HudiTable(spark, path, "0.15"), to="1.2", history=True)
        assert found.unlike == 0
        assert not found.success
        text = found.to_report().as_text()
        assert "exactly its rows (45)" in " ".join(text.split())
        listed = replay_view([found.replay]).keys
        assert listed is not None
        check_timelines(listed.rows)
        found.close()

    def test_what_is_lost_is_said(self, tables: Path, spark: SparkSession) -> None:
        """Deletes of a copy-on-write table leave no trace, so that rows come back."""
        folder = next(load(tables, release="0.15.0", case="cow-op-delete-default")).folder
        found = replay(HudiTable(spark, str(folder / "table"), "0.15"), to="0.15", history=True)
        assert found.success
        assert found.unlike > 0
        assert f"other rows for {found.unlike} of its keys" in found.proof
        assert "keep only the merged rows" in found.history.verdict
        assert not all(commit.is_complete for commit in found.history.commits)

    def test_tables_that_cannot_be_rebuilt(self, tables: Path, spark: SparkSession) -> None:
        cases = (
            ("1.0.2", "cow-no-meta-default", "no meta columns"),
            ("1.2.0", "mor-merge-into-partial-commit", "partial updates"),
        )
        for release, case, message in cases:
            folder = next(load(tables, release=release, case=case)).folder
            with pytest.raises((InputError, PlanError), match=message):
                replay(HudiTable(spark, str(folder / "table")), to="1.1", history=True)

    def test_the_command_line(self, path: str, spark: SparkSession, tmp_path: Path) -> None:
        result = run("history", path, "--output", "json")
        assert result.exit_code == 0, result.output
        assert len(json.loads(result.stdout)["results"]) == 5
        result = run("replay", "--table", path, "--history", "--to", "1.2", "--output", "json")
        assert result.exit_code == 1, result.output
        assert json.loads(result.stdout)["statistics"]["not_rebuilt"] == 0
        check_alike(result, replay(path, to="1.2", history=True))
        (tmp_path / "1.json").write_text(
            '{"id": "k002", "part": "p0", "_change_operation_type": "u", "_event_lsn": 99}'
        )
        result = run("replay", "--table", path, "--batches", str(tmp_path), "--to", "1.2", "--output", "json")
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert (found["statistics"]["question"], found["results"]) == ("batches", [])
        table = HudiTable(spark, path)
        batches = Batches.read(spark, tmp_path, table.columns)
        check_alike(result, replay(table, to="1.2", batches=batches))

    def test_what_out_writes_is_what_python_has(self, path: str, spark: SparkSession, tmp_path: Path) -> None:
        asked: tuple[tuple[str, ...], dict[str, Any]]
        for number, asked in enumerate((((), {}), (("--history",), {"history": True}))):
            out = str(tmp_path / str(number))
            result = run("replay", "--table", path, "--to", "1.2", *asked[0], "--output", "json", "--out", out)
            with replay(path, to="1.2", **asked[1]) as found:
                check_alike(result, found)
                keys, written = found.differing_keys, spark.read.parquet(out)
                assert written.columns == keys.columns
                assert written.columns[-3:] == ["kind", "left", "right"]
                assert sorted(map(str, written.collect())) == sorted(map(str, keys.collect()))
                assert written.count() == len(json.loads(result.stdout)["results"]) > 0

    def test_a_scope(self, path: str, spark: SparkSession) -> None:
        """A part of the keys has the answers that they have among all keys."""
        whole = answer("replay", "--table", path, "--to", "1.2")
        for words in (("--partitions", "p0"), ("--keys-sample", "50%")):
            part = answer("replay", "--table", path, "--to", "1.2", *words)
            keys = [one["key"] for one in part["results"]]
            assert 0 < len(keys) < len(whole["results"])
            assert all(one in whole["results"] for one in part["results"])
            assert words[0] == "--keys-sample" or {key["part"] for key in keys} == {"p0"}
            assert part["statistics"]["rows_in"] < whole["statistics"]["rows_in"]
            assert "Scope: " in part["verdict"]
        commits = [one.instant for one in table_history(HudiTable(spark, path, "0.15")).commits]
        late = answer("replay", "--table", path, "--to", "1.2", "--since", commits[-1])
        assert 0 < late["statistics"]["rows_in"] < whole["statistics"]["rows_in"]
        history = answer("replay", "--table", path, "--history", "--to", "1.2", "--partitions", "p0")
        assert {one["key"]["part"] for one in history["results"]} == {"p0"}
        assert history["statistics"]["not_rebuilt"] == 0

    def test_the_commits_are_batches_of_other_verbs(self, path: str, spark: SparkSession) -> None:
        found = answer("simulate", "--table", path, "--keys-sample", "50%")
        assert len(found["results"]) == 5
        assert found["statistics"]["keys"] == 56  # with those that are deleted
        result = run("simulate", "--table", path, "--key", "id")
        assert (result.exit_code, "--key is for a table" in result.stderr) == (2, True)

    def test_the_commits_are_batches_of_a_migration(self, path: str, spark: SparkSession) -> None:
        moved = answer("migrate", "--table", path, "--accept-differences", "--keys-sample", "50%")
        assert moved["statistics"]["keys_with_several_versions"] > 0
        for words in (("--compact-every", "2"), ("--schema", "id string")):
            result = run("migrate", "--table", path, *words)
            assert (result.exit_code, f"{words[0]} is for --batches; the commits of a --table" in result.stderr) == (
                2,
                True,
            )

    def test_what_is_for_trials_needs_commits_that_can_be_tried(self, tables: Path, spark: SparkSession) -> None:
        table = str(next(load(tables, release="1.0.2", case="cow-no-meta-default")).folder / "table")
        for words in (("--all-paths",), ("--compact-every", "2"), ("--keys-sample", "5%")):
            result = run("migrate", "--table", table, *words)
            assert result.exit_code == 2, result.output
            assert f"{words[0]} is for commits of the table, which can't be tried: " in result.stderr
            assert "no meta columns" in result.stderr

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
        row = explain(HudiTable(spark, path), row={"id": "k002"}, to="1.2")
        assert isinstance(row, TableRow)
        assert json.loads(row.to_json())["results"] == found["results"]
        for wrong, says in (
            ({}, "`row`"),
            ({"row": row.row, "via": {1: "1.0"}}, "^via is for batches"),
            ({"row": {"x": "1"}}, "x"),
        ):
            with pytest.raises(PayloadBridgeError, match=says):
                explain(path, **wrong)


def check_alike(told: Result, found: Any) -> None:
    """Check that the command line says what a report of Python says."""
    with found:
        made, shown = json.loads(found.to_json()), json.loads(told.stdout)
        assert found.verdict == made["verdict"]
    shown["statistics"].pop("causes", None)  # the command adds what a view of the result says
    names = ("verdict", "severity", "not_checked", "scenario", "sides", "plan", "statistics", "results", "warnings")
    assert {name: made[name] for name in names} == {name: shown[name] for name in names}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--output", "json")
    assert result.exit_code in {0, 1}, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_rows_are_not_kept_where_commits_cannot_be_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    class Versions:
        is_kept = True

        def groupBy(self, *_: object) -> None:  # noqa: N802 (Spark's name)
            msg = "a file can't be read"
            raise HudiTableError(msg)

        def unpersist(self) -> None:
            self.is_kept = False

    versions = Versions()
    monkeypatch.setattr("bridge.compare.rebuilt.first_of_each", lambda _: versions)
    monkeypatch.setattr("bridge.compare.rebuilt.kept", lambda frame: frame)
    with pytest.raises(HudiTableError):
        rebuilt_commits(MagicMock(spec=HudiTable))
    assert not versions.is_kept


def test_a_compaction_of_some_file_groups_is_an_assumption(tables: Path, spark: SparkSession) -> None:
    """A replay compacts all file groups where the table compacted some; where it compacted all, nothing is assumed."""
    (one,) = load(tables, release="1.2.0", case="mor-late-compaction-partial")
    rebuilt = rebuilt_commits(HudiTable(spark, str(one.folder / "table")))
    compacted = [step for step in one.answers["instants"] if step["action"] == "commit"]
    assert [found.instant for found in rebuilt.compactions] == [step["requested"] for step in compacted]
    partly = [found for found in rebuilt.compactions if found.groups < found.existing]
    assert bool(partly) == bool(rebuilt.assumption)
    other = dataclasses.replace(rebuilt, compactions=(HeldCompaction("7", 1, 1, 4),))
    assert "at 7 (1 of 4 file groups)" in other.assumption
    rebuilt.close()


def test_a_key_that_a_log_alone_has_is_merged_where_the_index_finds_it(tables: Path, spark: SparkSession) -> None:
    """An index that reads base files does not find it, and its writer would store the key a second time."""
    path = next(load(tables, release="1.2.0", case="mor-log-only-plain")).folder / "table"
    table = HudiTable(spark, str(path))
    columns = [name for name in table.columns.names if not name.startswith("_hoodie_") or name.endswith("is_deleted")]
    batch = table.snapshot().where("id = 'k000'").select(*columns).withColumn("name", sf.lit("newest"))
    bucket = {"hoodie.index.type": "BUCKET", "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}
    with replay(table, to="1.2", batches=[batch], props=bucket) as found:
        assert [row["name"] for row in found.left.where("id = 'k000'").collect()] == ["newest"]
    with pytest.raises(PySparkException, match="the key is in a log file of the table and in no base file"):
        replay(table, to="1.2", batches=[batch])
