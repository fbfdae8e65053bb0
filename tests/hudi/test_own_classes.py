"""The class by which a table's versions merge: its properties alone load no code; the caller may name any class."""

from __future__ import annotations

import dataclasses
import pickle
import shutil
import sys
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pytest
from click.testing import CliRunner

from bridge import HudiTable, HudiTableError, MergeFailedError
from bridge.cli import main
from bridge.engines import QUARANTINE
from bridge.hudi import SliceReader, TableQueries, tables_below
from bridge.hudi.slice_tasks import read_slices
from bridge.hudi.slice_versions import GroupVersions
from payloads import PayloadNotFoundError
from tests.conformance.tables import Recorded, difference, load, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def test_a_tables_properties_alone_load_no_code(
    planted: Recorded, module: Path, spark: SparkSession, tmp_path: Path
) -> None:
    path = str(planted.folder / "table")
    table = HudiTable(spark, path, planted.release)
    assert table.columns.names
    assert table.read_optimized().count() > 0
    assert table.versions().count() > 0
    with pytest.raises(HudiTableError, match=rf"merges with {MODULE}:First, which Hudi does not ship"):
        table.snapshot()
    with pytest.raises(HudiTableError, match="a Python class that does the same"):
        table.plan()
    for command in _readers_of(path, tmp_path):
        found = CliRunner().invoke(main, command)
        assert found.exception is None or isinstance(found.exception, SystemExit), command
        assert not module.exists(), command


def test_a_class_of_a_cell_merges_as_that_of_a_module(planted: Recorded, module: Path) -> None:
    path, cell = str(planted.folder / "table"), {"__name__": "__main__", "__file__": str(module)}
    exec(SOURCE, cell)  # noqa: S102 (as a notebook does)
    given, named = (
        TableQueries(path, planted.release, payload=payload).snapshot()
        for payload in (cell["First"], f"{MODULE}:First")
    )
    sent = given._replace(query=pickle.loads(pickle.dumps(given.query)))  # noqa: S301 (as for a task)
    assert rows_of(sent) == rows_of(named)


def _readers_of(path: str, folder: Path) -> Iterator[list[str]]:
    """Every verb that reads a table or its properties, and a writer's settings of the same name."""
    properties = f"{path}/.hoodie/hoodie.properties"
    job = folder / "job.properties"
    job.write_text(
        f"hoodie.datasource.write.payload.class={MODULE}\\:First\nhoodie.datasource.write.recordkey.field=id\n"
    )
    mergers = folder / "mergers.properties"
    mergers.write_text(f"hoodie.write.record.merge.custom.implementation.classes={MODULE}\\:First\n")
    batch = folder / "batch"
    batch.mkdir(exist_ok=True)
    (batch / "1.jsonl").write_text('{"id": "1"}\n')
    jar = folder / "empty.jar"
    jar.write_bytes(b"PK\x05\x06" + bytes(18))
    for place in (path, properties):
        yield ["inspect", place]
        yield ["inspect", place, "--jar", str(jar)]
        yield ["plan", place, "--to", "1.2"]
        yield ["migrate", "--table", place, "--to", "1.2"]
        yield ["migrate", "--table", place, "--to", "1.2", "--jar", str(jar)]
        yield ["migrate", "--table", place, "--to", "1.2", "--script", str(folder / "script.py")]
    yield ["snapshot", path]
    yield ["snapshot", path, "--on-error", "quarantine"]
    yield ["inspect", "--root", path]
    yield ["compare-readers", path]
    yield ["history", path]
    yield ["diff", path, "--against", path]
    yield ["replay", "--table", path, "--to", "1.2"]
    yield ["replay", "--table", path, "--to", "1.2", "--history"]
    yield ["replay", "--table", path, "--to", "1.2", "--batches", str(batch)]
    yield ["explain", "--table", path, "--row", "_hoodie_record_key=1"]
    yield ["merge-into", path, "--incoming", str(batch), "--dry-run"]
    for settings in (job, mergers):
        yield ["inspect", properties, "--config", str(settings)]
        yield ["plan", properties, "--to", "1.2", "--config", str(settings)]
        yield ["migrate", "--table", properties, "--to", "1.2", "--config", str(settings)]
        yield ["simulate", "--batches", str(batch), "--key", "id", "--config", str(settings)]
        yield ["replay", "--batches", str(batch), "--key", "id", "--to", "1.2", "--config", str(settings)]
        yield ["verify", "DefaultHoodieRecordPayload", "--config", str(settings)]


def test_a_link_or_a_path_leads_nowhere_else(tables: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    shutil.copytree(event_time_table(tables, "1.2.0").folder / "table", path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for link, target in (("p9", "."), ("p9", elsewhere), ("p0/.p1", "../p1")):
        (path / link).symlink_to(target)
        with pytest.raises(HudiTableError, match=r"is a symbolic link to .* not followed"):
            rows_of(TableQueries(str(path)).snapshot())
        (path / link).unlink()
    base = next(path.rglob("*.parquet"))
    base.rename(elsewhere / base.name)
    base.symlink_to(elsewhere / base.name)
    with pytest.raises(HudiTableError, match=f"{base.name} is a symbolic link to {elsewhere}"):
        rows_of(TableQueries(str(path)).snapshot())


def test_a_timeline_lies_in_its_table(tables: Path, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "table", tmp_path / "elsewhere"
    shutil.copytree(next(load(tables, "1.2.0", "mor-order-none")).folder / "table", path)
    elsewhere.mkdir()
    properties = path / ".hoodie/hoodie.properties"
    for place, why in (("../../elsewhere", "leads out of the table"), (str(elsewhere), "is missing")):
        with properties.open("a", encoding="utf-8") as stream:
            stream.write(f"\nhoodie.timeline.path={place}\n")
        with pytest.raises(HudiTableError, match=why):
            TableQueries(str(path))


def test_tables_are_found_once_behind_links(tables: Path, tmp_path: Path) -> None:
    shutil.copytree(event_time_table(tables, "1.2.0").folder / "table", tmp_path / "lake/day/table")
    for name in ("a", "b"):
        (tmp_path / "lake" / name).symlink_to(".")
    (tmp_path / "lake/other").symlink_to(tmp_path / "lake/day")
    assert [one.rpartition("lake/")[2] for one in tables_below(str(tmp_path / "lake"))] == ["day/table"]


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


class Refuses:
    """The latest version wins; raises for the keys of `refused`, where a version is made or merged."""

    refused: ClassVar[dict[str, str]] = {}

    def __init__(self, record: Any, ordering_value: Any) -> None:
        self.record = record
        if record is not None and self.refused.get(record["_hoodie_record_key"]) == "made":
            msg = "no such record"
            raise LookupError(msg)

    def pre_combine(self, older: Refuses) -> Refuses:
        return self

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        if self.refused.get(current["_hoodie_record_key"]) == "merged":
            msg = "no such merge"
            raise LookupError(msg)
        return self.record

    def get_insert_value(self, schema: Any) -> Any:
        return self.record


def test_keys_that_fail_are_quarantined_with_all_that_the_files_have(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(event_time_table(tables, "0.15.0").folder / "table")
    found = TableQueries(path, "0.15.0", payload=f"{__name__}:Refuses").snapshot()
    fine = rows_of(found)
    logs = SliceReader(found.query)
    names = [row["_hoodie_record_key"] for row in fine]
    keys = {name for name in names if names.count(name) == 1}  # the others are in several partitions
    merged = sorted(keys & {key for one in found.slices if (log := logs.log_of(one)) for key in log.folded})
    monkeypatch.setattr(Refuses, "refused", {merged[0]: "merged", merged[1]: "made"})
    with pytest.raises(MergeFailedError, match="LookupError: no such"):
        rows_of(found)

    query = dataclasses.replace(found.query, quarantines=True)
    slices = pa.record_batch({"slice": [pickle.dumps(one) for one in found.slices]})
    answer = [row for batch in read_slices(query, [slices]) for row in batch.to_pylist()]
    rows = [row for row in answer if row[QUARANTINE] is None]
    assert sorted(row["_hoodie_record_key"] for row in rows) == sorted(name for name in names if name not in merged[:2])
    aside = [row for row in answer if row[QUARANTINE] is not None]
    assert {row["_hoodie_record_key"] for row in aside} == set(merged[:2])
    versions = [
        row["_hoodie_record_key"]
        for one in found.slices
        for batch in GroupVersions(query).read([one])
        for row in batch.to_pylist()
    ]
    assert sorted(row["_hoodie_record_key"] for row in aside) == sorted(key for key in versions if key in merged[:2])
    told = {row["_hoodie_record_key"]: row[QUARANTINE] for row in aside}
    for key, why in zip(merged, ("no such merge", "no such record"), strict=False):
        assert f"raised LookupError: {why}" in told[key]["reason"]
    assert {row[QUARANTINE]["side"] for row in aside} <= {"stored", "log"}
    assert {told[key]["merge_point"] for key in merged[:2]} == {"snapshot", "log-fold"}


def test_the_command_shows_rows_and_what_is_quarantined(tables: Path, spark: SparkSession, tmp_path: Path) -> None:
    path = str(event_time_table(tables, "0.15.0").folder / "table")
    given = ["--payload", "tests.hudi.always_refuses:AlwaysRefuses", "--release", "0.15"]
    failed = CliRunner().invoke(main, ["snapshot", path, *given])
    assert failed.exit_code == 3
    out = tmp_path / "out"
    result = CliRunner().invoke(main, ["snapshot", path, *given, "--on-error", "quarantine", "--out", str(out)])
    assert result.exit_code == 0, result.output
    aside = spark.read.parquet(str(out / "quarantine"))
    assert aside.where("_pb_reason is null").count() == 0
    names = {row[0] for row in aside.select("_hoodie_record_key").distinct().collect()}
    assert names
    kept = {row[0] for row in spark.read.parquet(str(out / "rows")).select("_hoodie_record_key").collect()}
    assert kept
    assert not kept & names

    key = min(names)
    row = ["--row", f"_hoodie_record_key={key}", *given]
    refused = CliRunner().invoke(main, ["explain", "--table", path, *row])
    assert refused.exit_code == 3, refused.output
    assert "raised LookupError: no such merge" in refused.output
    told = ["--call-timeout", "9", "--on-error", "quarantine"]
    explained = CliRunner().invoke(main, ["explain", "--table", path, *row, *told])
    assert explained.exit_code == 1, explained.output
    told = " ".join(explained.output.split())
    assert "in quarantine by Hudi 0.15, snapshot: " in told
    assert "raised LookupError: no such merge" in told
