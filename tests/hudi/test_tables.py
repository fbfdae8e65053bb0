"""Tables of real Hudi, read in this process: every answer is that of the release's own reader."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import tarfile
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from pyarrow import orc

from bridge.hudi import (
    DamagedFileError,
    HudiTableError,
    SliceReader,
    SliceSymptoms,
    SymptomKind,
    TableQueries,
    UnreadableTableError,
)
from bridge.migration.damage_search import _settings
from bridge.write.record_location import _some_keys
from tests.conformance.__main__ import main
from tests.conformance.all_sets import checks
from tests.conformance.table_report import TableReport, check_tables
from tests.conformance.tables import Recorded, difference, load, rows_of, without_meta
from tests.support import ORC_TABLES, SQL_TABLES, TYPED_TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.parametrize("release", ["0.15.0", "1.0.2", "1.1.1", "1.2.0"])
def test_every_answer_is_real_hudis(tables: Path, release: str) -> None:
    report = check_tables(tables, release)
    assert (report.failed, report.refused) == ([], [])
    assert report.tables > 5
    assert report.passed > 7 * report.tables


MERGED = {"0.15.0": 33, "1.0.2": 29, "1.1.1": 5, "1.2.0": 76}
"""How many answers of each release the native engine merges; the others it refuses, or they have no log."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "release", ["1.1.1", *(pytest.param(one, marks=pytest.mark.long) for one in ("0.15.0", "1.0.2", "1.2.0"))]
)
def test_the_native_engine_merges_as_real_hudi_or_refuses(tables: Path, spark: SparkSession, release: str) -> None:
    report = check_tables(tables, release, by=("native", lambda: spark))
    assert report.failed == []
    assert report.passed - report.without_logs == MERGED[release]
    assert all(re.search("the (engine auto or python|python engine)", done.problem) for done in report.refused)
    assert f"native: merged {report.passed - report.without_logs} answers" in "\n".join(report.as_text(1))


@pytest.mark.parametrize(("release", "least"), [("0.15.0", 2), ("1.0.2", 1), ("1.2.0", 2)])
def test_commits_say_the_same_of_themselves_when_they_are_archived(tables: Path, release: str, least: int) -> None:
    """Each wrote its schema; real Hudi lists the archive."""
    found = [one for one in load(tables, release) if one.answers.get("archived_instants")]
    assert len(found) >= least
    for recorded in found:
        listed = [*recorded.answers["instants"], *recorded.answers["archived_instants"]]
        done = {one["requested"] for one in listed if one["state"] == "COMPLETED" and "commit" in one["action"]}
        told = dict(opened(recorded).timeline.commits_with("schema"))
        assert told.keys() == done, recorded.label
        assert all('"fields"' in text for text in told.values()), recorded.label


def test_tables_of_version_5_are_read_with_their_kryo_delete_blocks(older_tables: Path) -> None:
    report = check_tables(older_tables)
    assert (report.failed, report.refused) == ([], [])
    assert report.passed == report.tables == 9


def test_the_tables_of_sql_statements_are_a_set_of_their_own() -> None:
    """Their answers are not compressed, and do not note a table version."""
    with contextlib.ExitStack() as stack:
        (check,) = checks(stack, [SQL_TABLES])
        report = check.run()
    assert (report.sums.passed, report.sums.failed, report.sums.refused) == (6, 0, 0)


def test_the_command_prints_the_counts_last(tables: Path) -> None:
    result = CliRunner().invoke(main, ["tables", str(tables), "--case", "mor-rollback-archived"])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].endswith("passed, 0 failed, 0 refused by us")
    missing = CliRunner().invoke(main, ["tables", str(tables), "--case", "nothing"])
    assert missing.exit_code == 2


def test_a_difference_fails_the_command(tables: Path, tmp_path: Path) -> None:
    (recorded,) = load(tables, case="mor-order-none")
    folder = shutil.copytree(recorded.folder, tmp_path / "1.2.0" / "mor-order-none")
    log = next(path for path in (folder / "table").rglob(".*.log.*"))
    log.unlink()
    result = CliRunner().invoke(main, ["tables", str(tmp_path)])
    assert result.exit_code == 1
    assert "differs: 1.2.0/mor-order-none, snapshot" in result.stdout


def test_the_report_counts_refusals_apart(tables: Path) -> None:
    report = check_tables(tables, case="mor-merge-into-partial-compacted-event")
    assert isinstance(report, TableReport)
    assert report.succeeded
    assert report.misread
    assert all(done.question.startswith("incremental") for done in report.misread)


@pytest.fixture
def copied(tables: Path, tmp_path: Path) -> Recorded:
    """A merge-on-read table whose files a test may change."""
    (recorded,) = load(tables, case="mor-order-none")
    shutil.copytree(recorded.folder / "table", tmp_path / "table")
    return recorded._replace(folder=tmp_path)


def opened(recorded: Recorded) -> TableQueries:
    return TableQueries(str(recorded.folder / "table"), recorded.release)


class TestWhatIsRefused:
    def test_a_folder_without_properties(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableTableError, match=r"is not a Hudi table: it has no \.hoodie/hoodie\.properties"):
            TableQueries(str(tmp_path))

    def test_an_unknown_table_version(self, copied: Recorded) -> None:
        properties = copied.folder / "table/.hoodie/hoodie.properties"
        properties.write_text(properties.read_text().replace("hoodie.table.version=9", "hoodie.table.version=7"))
        with pytest.raises(UnreadableTableError, match="that did not end; finish it with"):
            opened(copied)

    def test_base_files_of_another_format(self, copied: Recorded) -> None:
        properties = copied.folder / "table/.hoodie/hoodie.properties"
        properties.write_text(properties.read_text().replace("format=PARQUET", "format=HFILE"))
        with pytest.raises(UnreadableTableError, match="HFILE base files, but only PARQUET and ORC are supported"):
            opened(copied)

    def test_a_cdc_query(self, copied: Recorded) -> None:
        with pytest.raises(UnreadableTableError, match="cdc queries are not supported, only latest_state"):
            opened(copied).incremental("0", form="cdc")

    def test_a_base_file_that_is_not_a_parquet_file(self, copied: Recorded) -> None:
        for path in (copied.folder / "table").rglob("*.parquet"):
            path.write_bytes(b"PAR1")
        with pytest.raises(DamagedFileError, match=r"\.parquet can't be read"):
            rows_of(opened(copied).snapshot())

    def test_a_damaged_commit(self, copied: Recorded) -> None:
        for path in (copied.folder / "table/.hoodie/timeline").glob("*_*.deltacommit"):
            path.write_bytes(b"Obj\x01")
        with pytest.raises(DamagedFileError, match=r"deltacommit can't be read"):
            rows_of(opened(copied).snapshot())

    def test_an_unknown_file_system(self) -> None:
        with pytest.raises(HudiTableError, match="this storage can't be reached"):
            TableQueries("gopher://somewhere/table")


def test_orc_base_files_that_real_hudi_wrote(tmp_path: Path) -> None:
    """1.2.0 writes copy-on-write tables in ORC that it can't read itself (ClassCastException): rows are as written."""
    with tarfile.open(ORC_TABLES) as archive:
        unpack(archive, tmp_path)
    report = check_tables(tmp_path)
    assert (report.tables, report.passed, report.failed, report.refused) == (3, 3, [], [])
    for recorded in load(tmp_path):
        found = without_meta(rows_of(opened(recorded).snapshot()))
        assert difference(recorded.answers["written"], found) == ""


def test_vectors_blobs_and_dates_as_folders_that_real_hudi_wrote(tmp_path: Path) -> None:
    """1.2.0 fails to read rows of the tables whose partition paths have slashes and whose column is a date."""
    with tarfile.open(TYPED_TABLES) as archive:
        unpack(archive, tmp_path)
    report = check_tables(tmp_path)
    assert (report.tables, report.passed, report.failed, report.refused) == (9, 59, [], [])
    unread = [one for one in load(tmp_path) if one.answers["refused"]]
    assert [one.folder.name for one in unread] == ["slashes-date-cow", "slashes-date-mor"]
    for recorded in unread:
        queries = opened(recorded)
        for ask in (queries.snapshot, queries.read_optimized, lambda each=queries: each.incremental("000")):
            with pytest.raises(UnreadableTableError, match=r"part is a date, so Hudi 1\.2 fails to read the table"):
                ask()


def test_base_files_in_orc(copied: Recorded) -> None:
    """The rows of a recorded table as ORC files; other types than in the tables that real Hudi wrote as ORC."""
    table = copied.folder / "table"
    for path in table.rglob("*.parquet"):
        orc.write_table(pq.read_table(path), path.with_suffix(".orc"))
        path.unlink()
    properties = table / ".hoodie/hoodie.properties"
    properties.write_text(properties.read_text().replace("format=PARQUET", "format=ORC"))
    expected = json.loads(json.dumps(copied.answers["snapshot"]).replace(".parquet", ".orc"))
    found = json.loads(json.dumps(rows_of(opened(copied).snapshot())).replace(".parquet", ".orc"))
    assert difference(expected, found) == ""
    queries = opened(copied)
    answer = queries.snapshot()
    (readers, _, markers), _ = _settings(queries, answer)
    scan = SliceSymptoms(readers, list(answer.query.schema.by_name), markers)  # the types of all columns are read
    assert SymptomKind.UNREADABLE not in {symptom.kind for each in answer.slices for symptom in scan.of(each)}
    damaged = next(table.rglob("*.orc"))
    damaged.write_bytes(b"ORC")
    with pytest.raises(DamagedFileError, match=r"\.orc can't be read"):
        rows_of(opened(copied).snapshot())


@pytest.mark.parametrize("prefix", ["file:", "file://"])
def test_a_local_path_may_be_a_uri(copied: Recorded, prefix: str) -> None:
    table = TableQueries(f"{prefix}{copied.folder / 'table'}")
    assert difference(copied.answers["snapshot"], rows_of(table.snapshot())) == ""


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "has no hoodie.table.version"), ("hoodie.table.version=nine", "there is no such table version")],
)
def test_properties_without_a_version(copied: Recorded, content: str, reason: str) -> None:
    (copied.folder / "table/.hoodie/hoodie.properties").write_text(content)
    with pytest.raises(UnreadableTableError, match=reason):
        opened(copied)


def test_files_that_no_instant_wrote_are_not_read(copied: Recorded) -> None:
    """Nothing outside the listing is opened, and nothing that only looks like a table's file counts."""
    folder = copied.folder / "table"
    partition = next(path.parent for path in folder.rglob(".hoodie_partition_metadata"))
    (partition / "notes.txt").write_text("not a data file")
    (partition / "_temporary.parquet").write_bytes(b"")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "x_0-0-0_20990101000000000.parquet").write_bytes(b"")
    assert difference(copied.answers["snapshot"], rows_of(opened(copied).snapshot())) == ""


def test_a_block_whose_schema_lost_the_key_is_an_error(tables: Path, tmp_path: Path) -> None:
    """One bit of the column's name; rows without a key are no rows of one key."""
    (recorded,) = load(tables, "0.15.0", "mor-plain-default")
    table = shutil.copytree(recorded.folder / "table", tmp_path / "table")
    for log in table.rglob(".*.log.*"):
        log.write_bytes(log.read_bytes().replace(b'"_hoodie_record_key"', b'"_hoodie_record_kex"'))
    with pytest.raises(DamagedFileError, match=r"\.log\..*, block at byte 0: a record has no key"):
        rows_of(TableQueries(str(table), "0.15").snapshot())


def test_what_commits_say_about_places_is_not_followed(tables: Path, tmp_path: Path) -> None:
    """Names that lead out of the table, in a commit's metadata; and a log file that is a link to one elsewhere."""
    (recorded,) = load(tables, "0.15.0", "mor-plain-default")
    table = shutil.copytree(recorded.folder / "table", tmp_path / "table")
    for path in (table / ".hoodie").glob("*.deltacommit"):
        commit = json.loads(path.read_text("utf-8"))
        for stat in (stat for stats in commit["partitionToWriteStats"].values() for stat in stats):
            stat.update(path="../../outside.parquet", baseFile="/etc/passwd", logFiles=["../../outside.log"])
        path.write_text(json.dumps(commit), "utf-8")
    opened = TableQueries(str(table), "0.15")
    assert difference(recorded.answers["snapshot"], rows_of(opened.snapshot())) == ""
    log = next(table.rglob(".*.log.*"))
    log.rename(tmp_path / "elsewhere")
    log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HudiTableError, match=r"\.log\..* is a symbolic link to "):
        rows_of(opened.snapshot())


@pytest.mark.parametrize("content", [b"\0\xff" * 40, b"=" * 9, b"hoodie.table.version=6\\u12"])
def test_properties_that_are_none(copied: Recorded, content: bytes) -> None:
    (copied.folder / "table/.hoodie/hoodie.properties").write_bytes(content)
    with pytest.raises(UnreadableTableError):
        opened(copied)


def test_a_commit_that_completes_later_does_not_show(copied: Recorded) -> None:
    table = opened(copied)
    timeline = copied.folder / "table/.hoodie/timeline"
    last = max(timeline.glob("*_*.deltacommit"))
    name = f"{last.name.partition('_')[0]}.deltacommit.inflight"
    last.unlink()
    assert (timeline / name).exists()
    before = copied.answers["as_of"][sorted(copied.answers["as_of"])[-2]]
    assert difference(before, rows_of(opened(copied).snapshot())) == ""
    assert table.timeline.latest == last.name.partition("_")[0]


def test_a_slice_is_read_in_batches_of_one_schema(tables: Path) -> None:
    (recorded,) = load(tables, case="mor-types-parquet-log-default")
    answer = opened(recorded).snapshot()
    reader = SliceReader(answer.query)
    schemas = {batch.schema for found in answer.slices for batch in reader.read(found)}
    assert schemas == {reader.shown}


def test_a_slice_of_logs_alone_tells_keys_too(tables: Path) -> None:
    found = next(load(tables, release="0.15.0", case="mor-log-only-pending-compaction")).folder / "table"
    queries = TableQueries(str(found), "0.15")
    answer = queries.snapshot()
    alone = [one for one in answer.slices if one.base_file is None]
    told = list(_some_keys(queries, answer._replace(slices=alone)))
    assert told
    assert {one.file_id for one, _ in told} <= {one.file_id for one in alone}
    assert len({key for _, key in told}) == len(told)
