"""Files that commits wrote, held against the storage: what is missing or cut is named, and what is in order is not."""

from __future__ import annotations

import shutil
import warnings
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge import AlteredTableWarning, HudiTable, rehearse
from bridge.cli import main
from bridge.hudi import AlteredTableError, TableQueries
from tests.conformance.tables import load, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.hudi import FileSlice

FIELDS_OR_CHECKSUM = ("hoodie.table.partition.fields", "hoodie.table.checksum")
MADE_SO = {
    # Damaged, or put together of several logs, when they were recorded.
    "mor-appended-blocks-default",
    "mor-appended-blocks-partial",
    "mor-empty-log",
    "mor-torn-log-tail",
}


def test_the_files_of_recorded_tables_are_as_they_were_written(tables: Path) -> None:
    altered = set()
    for recorded in load(tables):
        opened = TableQueries(str(recorded.folder / "table"), recorded.release)
        if opened.listings.altered_files():
            altered.add(recorded.folder.name)
        assert opened.listings.unlisted() == (frozenset(), frozenset()), recorded.label
    assert altered == MADE_SO


def with_logs(tables: Path, release: str, path: Path) -> FileSlice:
    """Copy a merge-on-read table to `path`; return a slice of it that has a base file and logs."""
    for recorded in load(tables, release):
        if recorded.folder.name in MADE_SO or "archived" in recorded.folder.name:  # archived commits are not looked at
            continue
        for found in TableQueries(str(recorded.folder / "table"), release).snapshot().slices:
            if found.base_file and found.data_logs:
                shutil.copytree(recorded.folder / "table", path)
                return found
    raise LookupError(release)


def remove(path: Path) -> str:
    path.unlink()
    return "is missing"


def cut(path: Path) -> str:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return f"has {len(data) // 2} bytes, but the commit"


def empty(path: Path) -> str:
    path.write_bytes(b"")
    return "has 0 bytes, but the commit"


def unmark(path: Path) -> str:
    for marker in path.parent.glob(".hoodie_partition_metadata*"):
        marker.unlink()
    return "is missing"


def unpartition(path: Path) -> str:
    properties = path.parents[1] / ".hoodie" / "hoodie.properties"
    kept = [line for line in properties.read_text().splitlines() if not line.startswith(FIELDS_OR_CHECKSUM)]
    properties.write_text("\n".join(kept))
    return "is in a partition, and the table names no partition fields"


@pytest.mark.parametrize("release", ["0.15.0", "1.2.0"])
@pytest.mark.parametrize("kind", ["base", "log"])
@pytest.mark.parametrize("damage", [remove, cut, empty, unmark, unpartition])
def test_a_damaged_file_is_named(
    tables: Path, tmp_path: Path, release: str, kind: str, damage: Callable[[Path], str]
) -> None:
    path = tmp_path / "table"
    one = with_logs(tables, release, path)
    name = str(one.base_file) if kind == "base" else one.data_logs[-1]
    told = damage(path / one.path_of(name))
    found = {str(each) for each in TableQueries(str(path), release).listings.altered_files()}
    assert any(text.startswith(f"{one.path_of(name)} {told}") for text in found), found


def test_verbs_warn_and_those_that_change_a_table_refuse(tables: Path, tmp_path: Path, spark: SparkSession) -> None:
    (recorded,) = load(tables, "0.15.0", "mor-plain-default")
    path = tmp_path / "table"
    shutil.copytree(recorded.folder / "table", path)
    whole = len(rows_of(TableQueries(str(path)).snapshot()))
    base = next(path.glob("p*/*.parquet"))
    for each in base.parent.glob(f"{base.name.partition('_')[0]}*"):
        each.unlink()
    left = len(rows_of(TableQueries(str(path)).snapshot()))
    assert left < whole
    told = "of completed commits: "
    shown = CliRunner().invoke(main, ["snapshot", str(path)])
    assert (shown.exit_code, told in shown.stderr, f"{left} rows" in shown.stdout) == (0, True, True)
    refused = CliRunner().invoke(main, ["snapshot", str(path), "--strict"])
    assert (refused.exit_code, told in refused.stderr, refused.stdout) == (3, True, "")
    inspected = CliRunner().invoke(main, ["inspect", str(path), "--slices", "0"])
    assert "is missing" in inspected.stderr
    for changes in (
        ["rehearse", str(path), "--to", "1.2", "--copy", str(tmp_path / "copy")],
        ["migrate", "--table", str(path), "--to", "1.2"],
    ):
        refused = CliRunner().invoke(main, changes)
        assert (refused.exit_code, told in refused.stderr) == (3, True), refused.output
    with pytest.raises(AlteredTableError, match=told):
        rehearse(HudiTable(spark, str(path), "0.15"), "1.2", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize(
    "read", [lambda one: one.snapshot(), lambda one: one.read_optimized(), lambda one: one.versions()]
)
def test_a_table_opened_in_python_warns_once(
    tables: Path, tmp_path: Path, spark: SparkSession, read: Callable[[HudiTable], object]
) -> None:
    path = tmp_path / "table"
    found = with_logs(tables, "1.2.0", path)
    cut(path / found.partition / found.data_logs[0])
    table = HudiTable(spark, str(path))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", AlteredTableWarning)
        read(table)
        read(table)
    (text,) = [str(one.message) for one in told if one.category is AlteredTableWarning]
    assert "1 file of completed commits: " in text
    assert text.endswith("rows may be missing, as they are for Hudi's own reader")


def test_a_table_without_its_timeline_is_refused(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    with_logs(tables, "1.2.0", path)
    shutil.rmtree(path / ".hoodie/timeline")
    refused = CliRunner().invoke(main, ["inspect", str(path)])
    assert (refused.exit_code, "the timeline of the table, is missing" in refused.stderr) == (3, True)
