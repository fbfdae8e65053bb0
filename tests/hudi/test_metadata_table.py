"""Files that lie on the storage and that the metadata table does not list, and the reverse, in tables of real Hudi.

Recorded from the readers of 0.15.0, 1.0.2 and 1.2.0, see the README of the archive.
"""

from __future__ import annotations

import re
import tarfile
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge import HudiTable, PlanError, Scope, compare_readers, find_damage, replay
from bridge.cli import main
from bridge.hudi import HudiTableError, TableQueries
from tests.conformance.tables import rows_of
from tests.support import DATA
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NAMES = ("0.15.0-cow", "0.15.0-mor", "1.2.0-cow", "1.2.0-mor")
ON_STORAGE, LISTED = 9, 6


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    with tarfile.open(DATA / "tables-metadata.tar.xz") as tar:
        unpack(tar, tmp_path)
    return str(tmp_path / request.param)


def of_release(name: str) -> list[tuple[str, str, int]]:
    releases = {"0.15": ON_STORAGE, "1.0": LISTED, "1.1": LISTED, "1.2": LISTED}
    return [(name, one, rows) for one, rows in releases.items() if name.startswith("0.15") or one in {"1.1", "1.2"}]


@pytest.mark.parametrize(
    ("table", "release", "rows"), [case for name in NAMES for case in of_release(name)], indirect=["table"]
)
def test_a_release_finds_files_where_it_looks(table: str, release: str, rows: int) -> None:
    found = rows_of(TableQueries(table, release).snapshot())
    assert (len(found), len({row["_hoodie_record_key"] for row in found})) == (rows, LISTED)


@pytest.mark.parametrize("table", ["0.15.0-mor"], indirect=True)
def test_no_write_is_predicted_of_a_release_that_finds_other_files(table: str, spark: SparkSession) -> None:
    opened = HudiTable(spark, table)
    told = "Hudi 1.2 finds other files than Hudi 0.15, because only one of them reads the metadata table"
    with pytest.raises(PlanError, match=f"{table}: {told}"):
        replay(opened, to="1.2", batches=[opened.snapshot()])


@pytest.mark.parametrize("table", NAMES, indirect=True)
def test_inspect_names_what_one_listing_has_alone(table: str) -> None:
    found = [(one.about, one.number) for one in find_damage(table).damage if one.kind == "unlisted"]
    assert found == [("storage", 1)]


@pytest.mark.parametrize("table", NAMES, indirect=True)
def test_a_listed_file_that_is_missing_is_no_answer(table: str, tmp_path: Path) -> None:
    listed = TableQueries(table, "1.2").snapshot().slices[0]
    (tmp_path / table / listed.path_of(str(listed.base_file))).unlink()
    told = re.escape(f"{listed.base_file} can't be opened")
    with pytest.raises(HudiTableError, match=told):
        rows_of(TableQueries(table, "1.2").snapshot())


@pytest.mark.parametrize("table", NAMES, indirect=True)
@pytest.mark.parametrize("damage", ["cut", "foreign"])
def test_a_damaged_metadata_table_is_named(table: str, tmp_path: Path, damage: str) -> None:
    files = tmp_path / table / ".hoodie/metadata/files"
    for path in files.iterdir():
        if path.suffix == ".hfile" or ".log." in path.name:
            path.write_bytes(path.read_bytes()[:100] if damage == "cut" else b"no HFile, no log: " * 10)
    with pytest.raises(HudiTableError, match="on uses to find the files, can't be read"):
        rows_of(TableQueries(table, "1.2").snapshot())
    assert "listing" in {one.kind for one in find_damage(table).damage}


@pytest.mark.parametrize("table", NAMES[:2], indirect=True)
def test_readers_of_different_files_are_compared_by_what_each_shows(table: str, spark: SparkSession) -> None:
    with compare_readers(HudiTable(spark, table), ["0.14", "1.0", "1.2"]) as found:
        totals = {one.reader: (one.only_left, one.only_right) for one in found.results}
        assert found.rows == ON_STORAGE
        assert totals == {"0.14": (0, 0), "1.0": (ON_STORAGE - LISTED, 0), "1.2": (ON_STORAGE - LISTED, 0)}
        shown = [row.key for row in found.collect("1.2")]
    with compare_readers(HudiTable(spark, table), ["1.2"], scope=Scope(keys_sample=1.0)) as found:
        assert [row.key for row in found.collect("1.2")] == shown


@pytest.mark.parametrize("table", NAMES[:1], indirect=True)
def test_rows_of_other_files_are_not_called_the_same(table: str, spark: SparkSession) -> None:
    found = find_damage(table, lambda: spark)
    assert [one.about for one in found.damage if one.kind == "apart"] == ["1.0", "1.1", "1.2"]
    assert (found.compared("1.2"), found.compared("0.14")) == (0, found.slices)
    said = " ".join(CliRunner().invoke(main, ["plan", table, "--to", "1.2"]).stdout.split())
    assert said.startswith("! damaged, not checked in part")
    assert f"No rows were read (0 of {found.slices} file slices). " in said
    assert "shows no row differently" not in said
