"""Commits that are damaged, of another shape, or lost: named where a query needs them, told where it does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import fastavro
import pytest

from bridge.hudi import DamagedFileError, TableQueries, UnreadableTableError
from tests.hudi.damaged import COLUMNS, altered, change_property, copied, rows
from tests.support.made_table import MadeTable, instant

if TYPE_CHECKING:
    from pathlib import Path

KEY = "_hoodie_record_key"
SHAPES: list[Any] = [[], 7, "text", {"extraMetadata": 7}, {"partitionToWriteStats": [1]}, {"operationType": [True]}]


@pytest.mark.parametrize("shape", [*SHAPES, {"extraMetadata": None}])
def test_a_commit_of_another_shape_is_named(made: MadeTable, shape: Any) -> None:
    path = made.path / ".hoodie" / f"{instant(1)}.deltacommit"
    path.write_text(json.dumps(shape))
    with pytest.raises(
        DamagedFileError, match=rf"{path} can't be read: (it holds no object|its \w+ has an unexpected structure)"
    ):
        rows(made.path)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_commit_that_no_query_needs_is_told_alone(made: MadeTable, shape: Any) -> None:
    """The last commit has the schema, so that real Hudi does not read the one before."""
    before = rows(made.path)
    path = made.path / ".hoodie" / f"{instant(0)}.deltacommit"
    path.write_text(json.dumps(shape))
    assert rows(made.path) == before
    assert [text.partition(" can't be read")[0] for text in altered(made.path)] == [str(path)]


@pytest.mark.parametrize(
    ("case", "at", "is_needed"),
    [
        ("mor-part-none", -1, True),
        ("mor-part-none", 0, False),
        ("cow-clustered-default", 3, True),  # which replaced file groups
        ("cow-clustered-default", 4, False),
    ],
)
def test_a_commit_without_a_list_of_written_files_is_named_where_real_hudi_needs_it(
    tables: Path, tmp_path: Path, case: str, at: int, *, is_needed: bool
) -> None:
    table = copied(tables, tmp_path, "1.2.0", case)
    before = rows(table)
    commits = sorted((table / ".hoodie/timeline").glob("*_*.*commit"))
    with commits[at].open("rb") as stream:
        reader = fastavro.reader(stream)
        said = next(reader)
    with commits[at].open("wb") as stream:
        fastavro.writer(stream, reader.writer_schema, [{**said, "partitionToWriteStats": None}])
    if is_needed:
        with pytest.raises(DamagedFileError, match=rf"{commits[at]} can't be read: it has no list of written files"):
            rows(table)
    else:
        assert rows(table) == before


def test_an_instant_that_lost_its_completion_is_told_where_readers_differ(tables: Path, tmp_path: Path) -> None:
    """The slice that it began has been compacted: 1.2.0 reads its logs once more, with the newest slice."""
    path = copied(tables, tmp_path, "0.15.0", "mor-compacted-postgres")
    first = min((path / ".hoodie").glob("*.deltacommit"), key=lambda one: one.name)
    first.unlink()
    assert [text.partition(",")[0] for text in altered(path)] == [f"{first.stem} is open on the timeline"]


def test_logs_on_a_base_file_that_never_completed_do_not_count(made: MadeTable) -> None:
    """The commit that wrote the base file is open, and a completed one is older."""
    older = made.path / ".hoodie" / f"{int(instant(0)) - 1}.deltacommit"
    first = made.path / ".hoodie" / f"{instant(0)}.deltacommit"
    older.write_text(first.read_text())
    first.rename(f"{first}.inflight")
    assert rows(made.path, "0.15") == rows(made.path, "1.2") == []


def test_a_compaction_that_lost_its_completion_is_told(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.0.2", "mor-archived-default")
    (compaction,) = (path / ".hoodie/timeline").glob("*.commit")
    compaction.unlink()
    told = f"{compaction.name.partition('_')[0]} is open on the timeline, but later commits build on its files"
    assert altered(path) == [told]


def test_json_is_no_commit_of_a_timeline_with_completion_times(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.2.0", "mor-plain-partial")
    last = max((path / ".hoodie/timeline").glob("*.deltacommit"), key=lambda one: one.name)
    last.write_text(json.dumps({"extraMetadata": {}}))
    with pytest.raises(DamagedFileError, match=f"{last} can't be read: it is not an Avro container"):
        rows(path)


@pytest.mark.parametrize(
    ("old", "new"), [(b'"map"', b'"}ap"'), (b'"type"', b'"t\xffpe"'), (b"Obj\x01", b"Obj\x01\xff")]
)
def test_a_container_that_is_damaged_is_named(tables: Path, tmp_path: Path, old: bytes, new: bytes) -> None:
    path = copied(tables, tmp_path, "1.2.0", "mor-plain-partial")
    last = max((path / ".hoodie/timeline").glob("*.deltacommit"), key=lambda one: one.name)
    last.write_bytes(last.read_bytes().replace(old, new, 1))
    with pytest.raises(DamagedFileError, match=f"{last} can't be read: it is not a readable Avro container; "):
        rows(path)


def test_delta_commits_do_not_count_in_a_copy_on_write_table(made: MadeTable) -> None:
    change_property(made.path, "hoodie.table.type", "COPY_ON_WRITE")
    assert rows(made.path) == []
    assert [text for text in altered(made.path) if "delta commits on its timeline are ignored" in text]


@pytest.mark.parametrize(("operation", "is_known"), [(7, True), ("upsert", True), ("text", False)])
def test_operations_are_those_of_hudi(made: MadeTable, operation: Any, is_known: bool) -> None:  # noqa: FBT001 (an example)
    path = made.path / ".hoodie" / f"{instant(1)}.deltacommit"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"operationType": operation}))
    if is_known:
        assert len(rows(made.path)) == 3
        return
    with pytest.raises(DamagedFileError, match="its operationType has an unexpected structure"):
        rows(made.path)


@pytest.mark.parametrize("damage", ["removed", "checksum"])
def test_a_metadata_table_without_its_properties_is_none(tables: Path, tmp_path: Path, damage: str) -> None:
    path = copied(tables, tmp_path, "1.2.0", "mor-defaults-default")
    before = rows(path)
    if damage == "removed":
        (path / ".hoodie/metadata/.hoodie/hoodie.properties").unlink()
    else:
        change_property(path / ".hoodie/metadata", "hoodie.table.checksum", "7")
    assert not TableQueries(str(path)).listings.has_metadata
    assert rows(path) == before


@pytest.mark.parametrize(
    "schema",
    ['"string"', "7", "{", '{"type": "map", "values": "long"}', '{"type": "record", "name": "r", "fields": "none"}'],
)
def test_a_schema_of_another_kind_is_named(made: MadeTable, schema: str) -> None:
    path = made.path / ".hoodie" / f"{instant(1)}.deltacommit"
    path.write_text(json.dumps({"extraMetadata": {"schema": schema}, "operationType": "UPSERT"}))
    with pytest.raises(DamagedFileError, match=f"{path} can't be read: it has no valid table schema: "):
        rows(made.path)


def test_a_schema_without_the_partition_column_is_refused(made: MadeTable) -> None:
    path = made.path / ".hoodie" / f"{instant(1)}.deltacommit"
    schema = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "string"}]}
    path.write_text(json.dumps({"extraMetadata": {"schema": json.dumps(schema)}, "operationType": "UPSERT"}))
    with pytest.raises(UnreadableTableError, match=f"{made.path}: the table's schema has no column 'part'"):
        rows(made.path)


@pytest.mark.parametrize(("release", "names"), [("1.1", ["id", "part", "ts"]), ("1.2", ["id", "part", "ts", "new"])])
def test_from_1_2_on_a_table_service_says_the_schema(made: MadeTable, release: str, names: list[str]) -> None:
    wide = MadeTable(made.path.parent / "wide", COLUMNS | {"new": "string"})
    path = made.path / ".hoodie" / f"{instant(2)}.commit"
    path.write_text(json.dumps({"extraMetadata": {"schema": wide._table}, "operationType": "COMPACT"}))
    assert list(TableQueries(str(made.path), release).snapshot().query.schema.by_name) == names


def test_files_say_the_schema_where_no_commit_does(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.0.2", "mor-archived-default")
    timeline = path / ".hoodie/timeline"
    max(timeline.glob("*.deltacommit"), key=lambda one: one.name).unlink()
    assert not any("deltacommit" in one.name for one in timeline.iterdir() if one.name.endswith("deltacommit"))
    assert set(rows(path)[0]) >= {KEY, "id", "part", "ts", "name", "qty", "price", "note"}
