"""Readers compared: slice by slice they find what two whole snapshots show, and the reports say what it proves."""

from __future__ import annotations

import base64
import collections
import json
import random
import re
import zlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from bridge import HudiTable, HudiTableError, compare_readers, replay
from bridge.cli import main
from bridge.config import capabilities
from bridge.errors import ParameterError
from bridge.hudi import ComparedRows, Differing, ReaderQuery, SliceReaders, TableQueries
from bridge.report import Table
from bridge.spark import PySparkException
from payloads import HudiRelease, PayloadBridgeError
from tests.conformance.tables import Recorded, json_rows, load, rows_of, without_meta
from tests.support.other_engines import PAGE, text
from tests.support.pages import check_timelines

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.compare import ReadersReport

BY_ENGINE = (("0.15.0", "mor-plain-default"), ("1.0.2", "mor-plain-event"))
"""Tables that the native engine merges as the readers of all releases do."""
POSTGRES = "mor-plain-postgres"
"""1.2 shows the marker of unavailable values where 0.15 shows the stored one (addenda of real Hudi's answers)."""


def texts(rows: list[dict[str, Any]]) -> collections.Counter[str]:
    return collections.Counter(
        json.dumps({name: None if value is None else str(value) for name, value in row.items()}, sort_keys=True)
        for row in rows
    )


def compared(first: TableQueries, other: TableQueries) -> tuple[list[Differing], list[ComparedRows]]:
    answer = first.snapshot()
    readers = SliceReaders([ReaderQuery(answer.query), ReaderQuery(other.snapshot().query)])
    parts = [part for found in answer.slices for part in readers.compare(found)]
    return [p for p in parts if isinstance(p, Differing)], [p for p in parts if isinstance(p, ComparedRows)]


def check_against_snapshots(recorded: Recorded) -> int:
    """Compare a table's own reader with every other; return how many rows differ."""
    first = TableQueries(str(recorded.folder / "table"), recorded.release)
    try:
        own = texts(without_meta(rows_of(first.snapshot())))
    except PayloadBridgeError:
        return 0
    total = 0
    for release in HudiRelease:
        if release is first.release or capabilities(release).created_version < first.properties.version:
            continue
        differing, seen = compared(first, first.read_by(release))
        try:
            others = texts(without_meta(rows_of(first.read_by(release).snapshot())))
        except PayloadBridgeError:
            assert any(one.refused for one in seen), (recorded.label, release)
            continue
        assert not any(one.refused for one in seen), (recorded.label, release)
        assert sum(one.rows for one in seen) == own.total()
        left = texts([row for part in differing for row in json_of(part.left)])
        right = texts([row for part in differing for row in json_of(part.right)])
        assert (left - right, right - left) == (own - others, others - own), (recorded.label, release)
        total += sum(len(part.keys) for part in differing)
    return total


def packed(page: Path) -> dict[str, Any]:
    """Return what the list of a page is drawn from."""
    (data,) = re.findall(r'id="data">([^<]+)<', page.read_text("utf-8"))
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(data)))
    return found


def json_of(rows: Any) -> list[dict[str, Any]]:
    found = rows.drop_null()
    return list(json_rows(pa.RecordBatch.from_struct_array(found))) if len(found) else []


def test_the_rows_that_differ_are_those_of_two_snapshots(tables: Path) -> None:
    recorded = [one for one in load(tables) if one.answers["table_version"] and not (one.folder / "source").is_dir()]
    chosen = random.Random(17).sample(recorded, 25)  # noqa: S311 (a seeded choice)
    chosen += [one for one in recorded if one.folder.name in {POSTGRES, "mor-part-timestamp-slash"}]
    assert sum(map(check_against_snapshots, chosen)) > 20


def test_a_reader_is_refused_slice_by_slice(tables: Path) -> None:
    (recorded,) = load(tables, release="1.1.1", case="mor-merge-into-partial-commit")
    first = TableQueries(str(recorded.folder / "table"), "1.1")
    with pytest.raises(HudiTableError, match=r"has table version 9, but Hudi 1\.0 reads only 8 and below"):
        first.read_by("1.0")


def counts_of(found: ReadersReport) -> dict[str, tuple[int, int, int, str | None]]:
    """Return what was found of each reader that ran."""
    ran = (one for one in found.results if one.not_run is None)
    return {one.reader: (one.only_left, one.only_right, one.changed, one.refused) for one in ran}


def check_engine(spark: SparkSession, recorded: Recorded, engine: Any = "native") -> tuple[int, int]:
    """Hold the readers that an engine runs against those in tasks; return how many ran, and how many were not run."""
    path, source = str(recorded.folder / "table"), recorded.folder / "source"
    given: Any = {"bootstrap": str(source) if source.is_dir() else None}
    try:
        by_tasks = compare_readers(HudiTable(spark, path, recorded.release, **given))
    except (PayloadBridgeError, PySparkException):
        return 0, 0
    with by_tasks:
        try:
            by_engine = compare_readers(HudiTable(spark, path, recorded.release, **given, engine=engine))
        except (PayloadBridgeError, PySparkException) as error:
            if "engine" not in str(error):
                raise
            return 0, len(by_tasks.results)
        with by_engine:
            found, expected = counts_of(by_engine), counts_of(by_tasks)
            assert found == {name: expected[name] for name in found}, recorded.label
            assert by_engine.rows == by_tasks.rows
            for name in found:
                assert by_engine.collect(name) == by_tasks.collect(name), (recorded.label, name)
                assert by_engine.over_represented[name] == by_tasks.over_represented[name], (recorded.label, name)
            not_run = [one for one in by_engine.results if one.not_run is not None and one.reader in expected]
            assert all("engine" in str(one.not_run) for one in not_run), recorded.label
            return len(found), len(not_run)


@pytest.mark.parametrize(("release", "case"), BY_ENGINE)
def test_an_engine_finds_the_rows_that_tasks_find(tables: Path, spark: SparkSession, release: str, case: str) -> None:
    ran, _ = check_engine(spark, next(load(tables, release=release, case=case)))
    assert ran > 2


def test_a_reader_as_which_the_engine_does_not_merge_is_not_run(tables: Path, spark: SparkSession) -> None:
    path = str(next(load(tables, release="0.15.0", case="mor-part-timestamp-slash")).folder / "table")
    with compare_readers(HudiTable(spark, path, "0.15", engine="native"), ["1.2"]) as found:
        (result,) = found.results
        assert "the native engine does not merge a table that shows" in str(result.not_run)
        assert (result.refused, found.verdict.startswith("Not checked")) == (None, True)
    words = ["replay", "--table", path, "--from", "0.15", "--to", "1.2", "--engine", "native"]
    answer = CliRunner().invoke(main, words)
    assert (answer.exit_code, "the rows of Hudi 1.2 are not known: " in answer.stderr) == (3, True)


def test_a_table_that_the_engine_does_not_merge_is_refused(tables: Path, spark: SparkSession) -> None:
    path = str(next(load(tables, release="1.2.0", case="mor-merge-into-partial-event")).folder / "table")
    with pytest.raises(Exception, match="partial updates, which this engine does not merge"):
        compare_readers(HudiTable(spark, path, engine="native"), ["base files"])


@pytest.mark.long
def test_it_does_so_on_all_tables(tables: Path, spark: SparkSession) -> None:
    every = [check_engine(spark, recorded) for recorded in load(tables)]
    ran, not_run = (sum(numbers) for numbers in zip(*every, strict=True))
    print(f"{len(every)} tables: {ran} readers equal, {not_run} not run by the engine")  # noqa: T201 (figures)
    assert ran > len(every)


class TestOnSpark:
    @pytest.fixture
    def path(self, tables: Path) -> str:
        return str(next(load(tables, release="0.15.0", case=POSTGRES)).folder / "table")

    def test_every_reader_has_a_result(self, path: str, spark: SparkSession) -> None:
        with compare_readers(HudiTable(spark, path, "0.15")) as found:
            results = {result.reader: result for result in found.results}
            assert list(results) == ["0.14", "1.0", "1.1", "1.2", "hudi-rs", "base files"]
            assert results["0.14"].agrees
            assert 0 < results["1.0"].total < results["1.2"].total < found.rows
            assert results["base files"].only_right > 0
            assert "Hudi 1.2 30 rows" in found.verdict
            assert not found.success
            rows = found.collect("1.2")
            assert len(rows) == results["1.2"].total
            markers = [row for row in rows if row.right and row.right["blob"] == "__debezium_unavailable_value"]
            assert markers
            assert {"blob"} <= set(markers[0].columns)
            assert json.loads(found.to_json(1))["statistics"]["rows_in"] == found.rows

    def test_a_release_that_is_too_old_is_refused(self, tables: Path, spark: SparkSession) -> None:
        path = str(next(load(tables, release="1.2.0", case="mor-order-none")).folder / "table")
        with compare_readers(HudiTable(spark, path), ["0.15", "1.1"]) as found:
            old, near = found.results
            (table,) = (part for part in found.to_report().body if isinstance(part, Table))
        assert [*table.rows] == [
            ["Hudi 0.15", "", "", "", "REFUSED"],
            ["Hudi 1.1", "0", "0", "0", "IDENTICAL ON THIS DATA"],
        ]
        assert "reads only 6 and below" in str(old.refused)
        assert near.agrees
        with pytest.raises(HudiTableError, match="table version 9"):
            HudiTable(spark, path, "1.0")

    def test_replay_asks_what_upgraded_readers_show(self, path: str, spark: SparkSession, tmp_path: Path) -> None:
        out, page = tmp_path / "differences", tmp_path / "page.html"
        asked = ("replay", "--table", path, "--to", "1.2.0", "--output", "json", "--out", str(out))
        result = run(*asked, "--report", str(page))
        assert result.exit_code == 1, result.output
        found = json.loads(result.stdout)
        assert found["verdict"] == "DIFFERS: 30 of 45 rows differ if Hudi 1.2 reads the files as they are."
        assert found["sides"] == {"left": "Hudi 0.15", "right": "read by Hudi 1.2"}
        assert len(found["results"]) == found["statistics"]["differing"] == 30
        assert set(found["results"][0]) == {"key", "kind", "columns", "left", "right"}
        assert spark.read.parquet(str(out)).count() == 30
        assert found["statistics"]["causes"] == {"unavailable": 29, "late-delete": 1}
        listed = packed(page)
        assert len(listed["rows"]) == 30
        check_timelines(listed["rows"])
        parts = {call["where"] for row in listed["rows"] for call in row["story"]["sides"][0]["calls"] if call["parts"]}
        assert parts == {"log-fold", "snapshot"}
        assert all(row["left"] and row["right"] for row in listed["rows"] if listed["kinds"][row["kind"]] == "changed")
        text = run("replay", "--table", path, "--to", "1.2").stdout
        assert re.search(r"Unavailable-value marker +29 ", text)
        assert re.search(r"Late delete +1 ", text)
        following = " ".join(text.partition("Next:")[2].replace("\\\n", "").split())
        assert f"--table {path}" in following
        assert "--from 0.15" in following
        assert "--row " in following
        text = run("replay", "--table", path, "--to", "0.14").stdout
        assert "IDENTICAL ON THIS DATA: none of 45 rows differs" in text
        assert "Exact for the files as they are" in text

    def test_compare_readers_prints_a_line_each(self, path: str, spark: SparkSession) -> None:
        result = run("compare-readers", path, "--reader", "1.2", "--reader", "base files")
        assert result.exit_code == 1, result.output
        assert "Hudi 1.2" in result.stdout
        assert "by documentation" in result.stdout

    def test_an_engine_is_told_by_its_documentation(self, path: str, spark: SparkSession) -> None:
        result = run("compare-readers", path, "--reader", "trino", "--reader", "base files", "--output", "json")
        assert result.exit_code == 1, result.output
        trino, bases = json.loads(result.stdout)["statistics"]["readers"]
        assert 0 < trino["differing"] == bases["differing"]
        assert trino["how"] == "by its documentation: the rows of the base files"
        text = run("compare-readers", path, "--reader", "trino").stdout
        assert "https://trino.io/docs/current/connector/hudi.html" in text

    def test_an_engine_that_merges_is_not_green(self, path: str, spark: SparkSession) -> None:
        result = run("compare-readers", path, "--reader", "doris", "--output", "json")
        found = json.loads(result.stdout)
        assert found["verdict"] == "Not checked: no other reader ran on the 45 rows that Hudi 0.15 shows."
        assert found["severity"] == "not checked"
        assert "2.1.8" in run("compare-readers", path, "--reader", "doris").stdout


def test_the_page_on_engines_has_what_the_command_says() -> None:
    assert PAGE.read_text("utf-8") == text()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("replay", "--table", "/nowhere", "--to", "1.2"), "/nowhere does not exist"),
        (("replay", "--table", ".", "--to", "1.2", "--key", "id"), "--key is for a table that batches make"),
        (("replay", "--table", ".", "--to", "1.2", "--prop", "a=b"), "--prop applies to writes"),
        (("replay", "--table", ".", "--to", "1.2", "--keep-table-version"), "applies to writes"),
        (("replay", "--history", "--to", "1.2"), "--history is for --table"),
        (("replay", "--table", ".", "--to", "EVENT_TIME_ORDERING"), "read or upgraded by a release"),
        (("explain", "--table", ".", "--row", "a", "--to", "EVENT_TIME_ORDERING"), "read or upgraded by a release"),
        (("explain", "--table", ".", "--row", "a", "--via", "1=1.0"), "--via is for a table that batches make"),
        (("simulate", "--table", ".", "--engine", "python"), "--engine is for a table that batches make"),
        (("replay", "--to", "1.2"), "--batches is missing"),
        (("compare-readers", ".", "--reader", "9.9"), "9.9"),
    ],
)
def test_wrong_command_lines(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("asked", "engine"),
    [
        (lambda table: replay(table, to="1.2", batches=[]), "native"),
        (lambda table: replay(table, to="1.2", history=True), "native"),
    ],
)
def test_an_engine_of_snapshots_is_refused_where_tasks_merge(
    tables: Path, spark: SparkSession, asked: Any, engine: Any
) -> None:
    path = next(load(tables, "0.15.0", "mor-plain-default")).folder / "table"
    table = HudiTable(spark, str(path), engine=engine)
    with pytest.raises(ParameterError, match=f"does not merge by the {engine} engine; open the table without engine"):
        asked(table)
