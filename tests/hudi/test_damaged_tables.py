"""Damaged tables are read as real Hudi reads them, which `tests.live.damage` asks, or refused in a sentence."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge.hudi import DamagedFileError, HudiTableError, SliceReader, TableQueries, UnreadableTableError
from bridge.hudi.log_blocks import BlockType, HeaderKey
from tests.hudi.damaged import COLUMNS, altered, change_property, copied, rewrite, rows
from tests.support.made_table import FIRST, MadeTable, block, instant

if TYPE_CHECKING:
    from pathlib import Path

KEY = "_hoodie_record_key"
BASE = f"g_0-0-0_{FIRST}.parquet"


# -- logs that continue no file of their group


@pytest.mark.parametrize("release", ["0.15", "1.2"])
@pytest.mark.parametrize("name", [str(int(FIRST) + 9), str(int(FIRST) + 1), f"2999{FIRST[4:]}"])
def test_a_log_whose_name_continues_no_file_is_named(made: MadeTable, release: str, name: str) -> None:
    """Another instant, a commit's, and one to come: real 0.15.0 passes over it or reads it alone, 1.2.0 merges it."""
    (log,) = (made.path / "p").glob(".g_*.log.1_*")
    other = log.rename(log.with_name(log.name.replace(FIRST, name)))
    with pytest.raises(UnreadableTableError, match=f"{other} continues, by its name, a file of the instant {name}"):
        rows(made.path, release)


@pytest.mark.parametrize("release", ["0.15", "1.2"])
@pytest.mark.parametrize("after", [1, 9])
def test_the_second_log_of_a_group_of_logs_continues_the_first(tmp_path: Path, release: str, after: int) -> None:
    """Real 1.2.0 shows both rows; 0.15.0 the row of the first log, or of the second where its name is a commit's."""
    made = MadeTable(tmp_path / "table", COLUMNS)
    made.base("g", pa.table({"id": ["x"], "part": ["p"], "ts": [1]}))
    for number, key in enumerate(("a", "b")):
        made.log("g", "p", [{"id": key, "part": "p", "ts": 1}], number or 9)
        made.commit(number)
    (made.path / "p" / BASE).unlink()
    (first,) = (made.path / "p").glob(".g_*.log.9_*")
    first.write_bytes(first.read_bytes().replace(instant(9).encode(), FIRST.encode()))
    assert sorted(row["id"] for row in rows(made.path, release)) == ["a", "b"]
    (second,) = (made.path / "p").glob(".g_*.log.1_*")
    second.rename(second.with_name(second.name.replace(FIRST, instant(after))))
    with pytest.raises(UnreadableTableError, match=f"continues, by its name, a file of the instant {instant(after)}"):
        rows(made.path, release)


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_logs_of_a_file_that_the_cleaner_removes_are_not_read(made: MadeTable, release: str) -> None:
    """It removed the base file already; a later one counts."""
    (log,) = (made.path / "p").glob(".g_*.log.1_*")
    base, later = made.path / "p" / BASE, instant(5)
    base.rename(base.with_name(BASE.replace(FIRST, later)))
    first = made.path / ".hoodie" / f"{FIRST}.deltacommit"
    (made.path / ".hoodie" / f"{later}.commit").write_text(first.read_text())
    assert [row["ts"] for row in rows(made.path, release)] == [1, 1, 1]
    log.write_bytes(b"damaged")
    assert [row["ts"] for row in rows(made.path, release)] == [1, 1, 1]


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_log_that_was_rolled_back_continues_any_file(made: MadeTable, release: str) -> None:
    """So does the log of a bucket whose first write was rolled back: the next one begins another slice."""
    rolled_back, by = str(int(FIRST) + 7), str(int(FIRST) + 8)
    header = {HeaderKey.INSTANT_TIME: by, HeaderKey.TARGET_INSTANT_TIME: rolled_back, HeaderKey.COMMAND_BLOCK_TYPE: "0"}
    (log,) = (made.path / "p").glob(".g_*.log.1_*")
    data = log.read_bytes().replace(instant(1).encode(), rolled_back.encode())
    before = rows(made.path, release)
    stray = log.with_name(log.name.replace(FIRST, rolled_back))
    stray.write_bytes(data + block(BlockType.COMMAND, b"", header))
    (made.path / ".hoodie" / f"{by}.rollback").write_text("")
    assert rows(made.path, release) == before


def test_the_metadata_table_has_no_such_log_either(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-metadata-table-default")
    before = rows(path, "0.15")
    (log,) = (path / ".hoodie/metadata/files").glob(".files-0000-0_20*.log.1_*")
    log.rename(log.with_name(log.name.replace("-0_20", "-0_21", 1)))
    assert rows(path, "0.15") == before  # which does not look there
    with pytest.raises(UnreadableTableError, match=r"metadata, which .* can't be read: .* continues, by its name"):
        rows(path)


# -- names


@pytest.mark.parametrize("name", [b"\xff\xfe", b"p/\xff.parquet", b".hoodie/\xff.commit"])
def test_names_that_are_no_text_are_passed_over(made: MadeTable, name: bytes) -> None:
    before = rows(made.path)
    (made.path / os.fsdecode(name)).write_bytes(b"")
    assert rows(made.path) == before


@pytest.mark.parametrize("name", [BASE.upper(), f"{BASE}.bak", BASE.replace(".parquet", ".PARQUET")])
def test_other_names_are_no_base_files(made: MadeTable, name: str) -> None:
    (made.path / "p" / BASE).rename(made.path / "p" / name)
    assert [row["id"] for row in rows(made.path)] == ["a"]


# -- properties


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("hoodie.table.checksum", "7", "does not match the table's name"),
        ("hoodie.table.name", "other", "does not match the table's name"),
        ("hoodie.timeline.layout.version", "7", "hoodie.timeline.layout.version is '7'"),
        ("hoodie.timeline.layout.version", "one", "hoodie.timeline.layout.version is 'one'"),
        ("hoodie.table.type", "other", "hoodie.table.type='other' can't be read"),
        ("hoodie.table.type", "", "hoodie.table.type is empty"),
        ("hoodie.table.type", "MERGE_ON_rEAD", "hoodie.table.type is 'MERGE_ON_rEAD'"),
        ("hoodie.table.keygenerator.type", "", "hoodie.table.keygenerator.type is empty"),
        ("hoodie.timeline.path", "", "hoodie.timeline.path is empty"),
        ("hoodie.table.keygenerator.type", "true", "hoodie.table.keygenerator.type is 'true'"),
    ],
)
def test_properties_that_hudi_refuses(tables: Path, tmp_path: Path, name: str, value: str, told: str) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    change_property(path, name, value)
    with pytest.raises(UnreadableTableError, match=f"{path}/.hoodie/hoodie.properties.*{told}"):
        rows(path)


@pytest.mark.parametrize(("release", "is_read"), [("0.15", True), ("1.0", False), ("1.2", False)])
def test_from_1_0_on_a_table_says_its_layout(made: MadeTable, release: str, is_read: bool) -> None:  # noqa: FBT001 (an example)
    file = made.path / ".hoodie/hoodie.properties"
    file.write_text(file.read_text().replace("hoodie.timeline.layout.version=1\n", ""))
    if is_read:
        assert len(rows(made.path, release)) == 3
        return
    with pytest.raises(UnreadableTableError, match=r"the properties lack hoodie.timeline.layout.version"):
        rows(made.path, release)


@pytest.mark.parametrize("release", ["0.15", "1.2"])
@pytest.mark.parametrize("blank", [" ", "\\t"])
def test_a_blank_belongs_to_a_name(tables: Path, tmp_path: Path, release: str, blank: str) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    change_property(path, "hoodie.table.partition.fields", f"part{blank}")
    with pytest.raises(UnreadableTableError, match=rf"{path}: the table's schema has no column 'part(\\t| )'"):
        rows(path, release)
    change_property(path, "hoodie.table.partition.fields", "part")
    name = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
    change_property(path, "hoodie.compaction.payload.class", f"{name}{blank}")
    with pytest.raises(UnreadableTableError, match=rf"{path} merges with {name}\s, which Hudi does not ship"):
        rows(path, release)


def test_an_ordering_field_that_is_no_column_beside_a_class(tables: Path, tmp_path: Path) -> None:
    """Real 1.2.0 asks the class, which has an order of its own; real 0.15.0 fails."""
    path = copied(tables, tmp_path, "0.15.0", "mor-compacted-postgres")
    before = rows(path, "1.2")
    change_property(path, "hoodie.table.precombine.field", "other")
    assert rows(path, "1.2") == before
    with pytest.raises(UnreadableTableError, match=f"{path}: the ordering field 'other'"):
        rows(path, "0.15")


@pytest.mark.parametrize(("layout", "told"), [("0", 1), ("1", 0), ("2", 1)])
def test_a_timeline_of_another_layout_is_told(tables: Path, tmp_path: Path, layout: str, told: int) -> None:
    """Real 0.15.0 shows the same rows, 1.2.0 those of base files alone."""
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    before = rows(path)
    change_property(path, "hoodie.timeline.layout.version", layout)
    assert rows(path) == before
    assert [text for text in altered(path) if f"layout.version is '{layout}'" in text] == altered(path)[:told]


@pytest.mark.parametrize("damage", ["removed", "checksum"])
def test_the_backup_stands_for_the_properties(tables: Path, tmp_path: Path, damage: str) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    before = rows(path)
    file = path / ".hoodie/hoodie.properties"
    text = change_property(path, "hoodie.table.checksum", "7")
    file.with_name("hoodie.properties.backup").write_text(text)
    if damage == "removed":
        file.unlink()
    assert rows(path) == before


def test_settings_that_contradict_each_other_are_refused(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.0.2", "mor-plain-event")
    change_property(path, "hoodie.record.merge.strategy.id", "true")
    with pytest.raises(UnreadableTableError, match=f"{path}: the merge mode EVENT_TIME_ORDERING does not fit"):
        rows(path)


@pytest.mark.parametrize("name", ["hoodie.record.merge.mode", "hoodie.table.partial.update.mode"])
def test_a_mode_that_is_none_is_refused_where_something_merges(tables: Path, tmp_path: Path, name: str) -> None:
    base_files = copied(tables, tmp_path, "1.2.0", "cow-clustered-default")
    before = rows(base_files)
    change_property(base_files, name, "other")
    assert rows(base_files) == before
    with_logs = copied(tables, tmp_path / "logs", "1.2.0", "mor-plain-partial")
    change_property(with_logs, name, "other")
    with pytest.raises(UnreadableTableError, match=f"{with_logs}: {name}='other' can't be read"):
        rows(with_logs)


def test_until_0_15_logs_need_the_payload_class_that_the_table_stores(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    change_property(path, "hoodie.compaction.payload.class", "")
    assert len(rows(path)) == 46
    with pytest.raises(UnreadableTableError, match=f"{path}: the table stores no hoodie.compaction.payload.class"):
        rows(path, "0.15")


def test_a_table_without_the_mode_that_it_stores_is_refused(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.2.0", "mor-plain-partial")
    change_property(path, "hoodie.record.merge.mode", "")
    with pytest.raises(UnreadableTableError, match=f"{path}: the table stores no hoodie.record.merge.mode"):
        rows(path)


def test_an_ordering_field_that_is_no_column_is_refused(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "1.0.2", "mor-plain-event")
    change_property(path, "hoodie.table.precombine.field", "other")
    with pytest.raises(UnreadableTableError, match=f"{path}: .*'other'"):
        rows(path)


def test_without_partition_fields_the_folders_are_no_partitions(made: MadeTable) -> None:
    change_property(made.path, "hoodie.table.partition.fields", "")
    assert rows(made.path) == []


def test_a_metadata_table_that_lost_its_payload_is_refused(tables: Path, tmp_path: Path) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-metadata-table-default")
    change_property(path / ".hoodie/metadata", "hoodie.compaction.payload.class", "")
    with pytest.raises(UnreadableTableError, match="its properties name no HoodieMetadataPayload"):
        rows(path)
    assert len(rows(path, "0.15")) == 44


# -- base files


@pytest.mark.parametrize("change", ["dropped", "null"])
@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_log_needs_the_record_keys_of_its_base_file(made: MadeTable, change: str, release: str) -> None:
    path = made.path / "p" / BASE
    place = pq.read_schema(path).get_field_index(KEY)
    nulls = pa.array([None, "b", "c"])
    rewrite(path, lambda found: found.drop_columns(KEY) if change == "dropped" else found.set_column(place, KEY, nulls))
    with pytest.raises(DamagedFileError, match=f"{path} has rows without a record key"):
        rows(made.path, release)


def test_a_base_file_alone_needs_no_record_keys(tmp_path: Path) -> None:
    table = MadeTable(tmp_path / "table", COLUMNS)
    table.base("g", pa.table({"id": ["a", "b"], "part": ["p"] * 2, "ts": [1, 1]}))
    table.commit()
    rewrite(table.path / "p" / BASE, lambda found: found.drop_columns(KEY))
    assert [(row[KEY], row["id"]) for row in rows(table.path)] == [(None, "a"), (None, "b")]


def foreign(tmp_path: Path, texts: list[str | None]) -> MadeTable:
    table = MadeTable(tmp_path / "table", COLUMNS)
    table.base("g", pa.table({"id": list(map(str, range(len(texts)))), "part": ["p"] * len(texts), "ts": texts}))
    table.commit()
    return table


def test_texts_are_numbers_as_spark_casts_them(tmp_path: Path) -> None:
    table = foreign(tmp_path, ["7", " -12 ", "+3", "4.9", "b", "", None, str(2**63), "1e3"])
    assert [row["ts"] for row in rows(table.path)] == [7, -12, 3, 4, None, None, None, None, None]


def test_texts_are_no_numbers_to_0_15(tmp_path: Path) -> None:
    table = foreign(tmp_path, ["7"])
    with pytest.raises(DamagedFileError, match=f"{BASE} has texts in ts, a number in the table"):
        rows(table.path, "0.15")


@pytest.mark.parametrize("place", ["schema", "row group"])
@pytest.mark.parametrize("name", [b"tz", b"\xffs"])
def test_row_groups_have_the_columns_of_the_schema(made: MadeTable, place: str, name: bytes) -> None:
    path = made.path / "p" / BASE
    data = bytearray(path.read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    # The name is in the schema, and then in each column of a row group.
    found = [at for at in range(footer, len(data)) if data[at - 1 : at + 2] == b"\x02ts"]
    at = found[0] if place == "schema" else found[-1]
    data[at : at + 2] = name
    path.write_bytes(data)
    with pytest.raises(
        DamagedFileError, match=f"{BASE} can't be read: (row group 0 has other columns|it has bytes that are no)"
    ):
        rows(made.path)


def test_an_empty_base_file_has_no_rows_in_a_table_without_logs(tables: Path, tmp_path: Path) -> None:
    """Spark splits such files into parts, of which an empty one has none; others it opens."""
    path = copied(tables, tmp_path, "0.15.0", "cow-plain-default")
    before = rows(path)
    one = TableQueries(str(path)).snapshot().slices[0]
    (path / one.path_of(str(one.base_file))).write_bytes(b"")
    assert rows(path) == [row for row in before if row["_hoodie_file_name"] != one.base_file]
    assert any(f"{one.base_file} has 0 bytes" in text for text in altered(path))
    change_property(path, "hoodie.table.type", "MERGE_ON_READ")
    with pytest.raises(DamagedFileError, match=f"{one.base_file} can't be read"):
        rows(path)


# -- partition values

DAYS = {"12": None, "2024-13-45": None, "2023-02-30": None, "-5-01-01": None, "99999-01-01": 35804357, "2024-3": 19783}


@pytest.mark.parametrize(("name", "day"), DAYS.items())
def test_a_partition_path_that_is_no_date_is_null(tables: Path, tmp_path: Path, name: str, day: int | None) -> None:
    path = copied(tables, tmp_path, "1.2.0", "mor-part-date")
    (path / "1969-07-01").rename(path / name)
    opened = TableQueries(str(path), "1.2").snapshot()
    reader = SliceReader(opened.query)
    found = {
        value
        for one in opened.slices
        if one.partition == name
        for batch in reader.read(one)
        for value in batch.column("part").cast(pa.int32()).to_pylist()
    }
    assert found == {day}


def test_a_partition_path_that_is_no_number_is_refused(tmp_path: Path) -> None:
    table = MadeTable(tmp_path / "table", {"id": "string", "part": "long", "ts": "long"})
    (table.path / "p").mkdir()
    table.commit()
    shutil.copytree(table.path / "p", table.path / "x")
    (table.path / "x/.hoodie_partition_metadata").write_text("")
    pq.write_table(pa.table({KEY: ["a"], "id": ["a"], "part": [1], "ts": [1]}), table.path / "x" / BASE)
    with pytest.raises(HudiTableError, match=r"partition path '.*/x' has no value of the type int64 in 'x'"):
        rows(table.path)
