"""The class by which a table's versions merge: its properties alone load no code; the caller may name any class."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import HudiTable, HudiTableError
from bridge.cli import main
from bridge.hudi import TableQueries
from payloads import PayloadNotFoundError
from tests.conformance.tables import Recorded, difference, load, rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

MODULE = "a_module_that_must_not_be_loaded"
SOURCE = """
import pathlib

pathlib.Path(__file__).with_suffix(".loaded").touch()


class First:
    def __init__(self, record, orderingValue):
        self.record = record

    def preCombine(self, older):
        return older

    def combineAndGetUpdateValue(self, current, schema):
        return current

    def getInsertValue(self, schema):
        return self.record
"""


def event_time_table(tables: Path, release: str) -> Recorded:
    """A merge-on-read table whose log has late versions: by event time some of them lose."""
    return next(
        one
        for one in load(tables, release)
        if one.folder.name.startswith(("mor-p", "mor-k"))
        and one.folder.name.endswith("-default")
        and one.answers["snapshot"] != one.answers["read_optimized"]
    )


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module on the path, whose loading leaves a file."""
    (tmp_path / f"{MODULE}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / f"{MODULE}.loaded"
    sys.modules.pop(MODULE, None)


@pytest.fixture(params=["0.15.0", "1.0.2", "1.2.0"])
def planted(tables: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Recorded:
    """A merge-on-read table whose properties name a Python class."""
    recorded = event_time_table(tables, request.param)
    folder = tmp_path / "planted"
    shutil.copytree(recorded.folder / "table", folder / "table")
    properties = folder / "table/.hoodie/hoodie.properties"
    lines = [
        line
        for line in properties.read_text("iso-8859-1").splitlines()
        if not line.startswith(("hoodie.compaction.payload.class", "hoodie.record.merge", "hoodie.table.payload"))
    ]
    lines.append(f"hoodie.compaction.payload.class={MODULE}\\:First")
    if request.param != "0.15.0":
        lines += [
            "hoodie.record.merge.mode=CUSTOM",
            "hoodie.record.merge.strategy.id=00000000-0000-0000-0000-000000000000",
        ]
    properties.write_text("\n".join(lines), "iso-8859-1")
    return recorded._replace(folder=folder)


def test_a_tables_properties_alone_load_no_code(planted: Recorded, module: Path, spark: SparkSession) -> None:
    path = str(planted.folder / "table")
    table = HudiTable(spark, path, planted.release)
    assert table.columns.names
    assert table.read_optimized().count() > 0
    assert table.versions().count() > 0
    with pytest.raises(HudiTableError, match=rf"merges with {MODULE}:First, which Hudi does not ship"):
        table.snapshot()
    with pytest.raises(HudiTableError, match="name a Python class that does the same"):
        table.plan()
    told = ["snapshot", path], ["inspect", "--root", path], ["compare-readers", path], ["history", path]
    for command in (
        *told,
        ["replay", "--table", path, "--to", "1.2"],
        ["inspect", f"{path}/.hoodie/hoodie.properties"],
    ):
        found = CliRunner().invoke(main, command)
        assert "Traceback" not in found.output, command
    assert not module.exists()


def test_the_caller_names_the_class(planted: Recorded, module: Path) -> None:
    path = str(planted.folder / "table")
    table = TableQueries(path, planted.release, payload=f"{MODULE}:First")
    base = {row["_hoodie_record_key"]: row for row in rows_of(table.read_optimized())}
    stored = [row for row in rows_of(table.snapshot()) if row["_hoodie_record_key"] in base]
    assert stored
    assert difference([base[row["_hoodie_record_key"]] for row in stored], stored) == ""  # deletes are not asked
    assert module.exists()


@pytest.mark.parametrize("release", ["0.15.0", "1.0.2", "1.1.1", "1.2.0"])
def test_another_class_of_hudi_takes_the_place_of_the_tables(tables: Path, release: str) -> None:
    """OverwriteWithLatest named for an event-time table: late versions win, as in its twin by commit time."""
    path = str(event_time_table(tables, release).folder / "table")
    names = None, "DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"
    own, same, other = (rows_of(TableQueries(path, release, payload=name).snapshot()) for name in names)
    if release == "0.15.0":  # from 1.0 on a mode breaks ties otherwise than the class
        assert difference(own, same) == ""
    assert difference(own, other) != ""


def test_no_such_class(tables: Path, spark: SparkSession) -> None:
    path = str(event_time_table(tables, "1.2.0").folder / "table")
    with pytest.raises(PayloadNotFoundError, match="Nope"):
        HudiTable(spark, path, payload="Nope")
    found: Any = CliRunner().invoke(main, ["snapshot", path, "--payload", "Nope"])
    assert found.exit_code in {2, 3}
    assert "Nope" in found.output
