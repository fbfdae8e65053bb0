"""Logs and files that are larger than what a task holds at a time: many slices, many logs, ranges of keys."""

from __future__ import annotations

import dataclasses
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from bridge import HudiTable
from bridge.engines import SEQUENCE
from bridge.engines.python import RecordReader
from bridge.hudi import (
    ComparedRows,
    DamagedFileError,
    Differing,
    ReaderQuery,
    SliceReader,
    SliceReaders,
    SliceSymptoms,
    TableQueries,
    base_files,
    log_folder,
)
from bridge.hudi.files import TableFiles
from bridge.hudi.key_ranges import KeyRange, split
from bridge.hudi.log_columns import LogColumns
from bridge.hudi.log_folder import LogFolder
from bridge.hudi.slice_tasks import read_slices
from bridge.hudi.slice_versions import GroupVersions, _DeletedRows
from bridge.migration.damage_search import _settings
from bridge.spark import META_COLUMNS
from payloads import HudiRelease
from tests.conformance.tables import check, load
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession


FIELDS = {"id": "string", "part": "string", "ts": "long", "note": "string"}
RANGED = (
    ("0.15.0", "mor-plain-default"),
    ("0.15.0", "mor-log-only-compacted"),
    ("0.15.0", "mor-rollback-partial"),
    ("0.15.0", "mor-no-meta-default"),
    ("0.15.0", "mor-hfile-log-default"),
    ("1.0.2", "mor-op-insert-duplicates-default"),
    ("1.1.1", "mor-merge-into-partial-event"),
    ("1.2.0", "mor-plain-partial"),
    ("1.2.0", "mor-positions-commit"),
    ("1.2.0", "mor-types-parquet-log-default"),
)


def rows(first: int, count: int, ts: int) -> pa.Table:
    ids = [f"k{number:06}" for number in range(first, first + count)]
    return pa.table({"id": ids, "part": ["p"] * count, "ts": [ts] * count, "note": [f"{one} at {ts}" for one in ids]})


def made(folder: Path, *, groups: int, size: int, logs: int, rows_a_group: int = 1 << 16) -> str:
    """Write file groups of `size` rows each, and logs that update every second row each time."""
    table = MadeTable(folder, FIELDS)
    for group in range(groups):
        table.base(f"g{group}", rows(group * size, size, 0), rows_a_group=rows_a_group)
    table.commit()
    for version in range(1, logs + 1):
        for group in range(groups):
            table.log(f"g{group}", "p", rows(group * size, size, version).to_pylist()[::2], version)
        table.commit(version)
    return str(folder)


def notes(batches: Iterator[pa.RecordBatch]) -> list[tuple[str, str]]:
    return sorted((row["id"], row["note"]) for batch in batches for row in batch.to_pylist())


def expected(size: int, logs: int) -> list[tuple[str, str]]:
    ids = [f"k{number:06}" for number in range(size)]
    return [(one, f"{one} at {0 if number % 2 else logs}") for number, one in enumerate(ids)]


@pytest.mark.parametrize(("release", "case"), RANGED)
def test_ranges_of_keys_give_the_rows_of_the_whole_log(
    tables: Path, release: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_folder, "_IN_COLUMNS", 500)
    monkeypatch.setattr(log_folder, "_BY_CALLS", 500)
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 1)
    (recorded,) = load(tables, release, case)
    answer = TableQueries(str(recorded.folder / "table"), release).snapshot()
    folder = SliceReader(answer.query).folder
    passes = []
    for found in answer.slices:
        with folder.blocks(found) as blocks:
            passes.append(len(folder.ranges(found, blocks)))
    assert max(passes) > 2
    assert [done for done in check(recorded) if done.problem] == []


def test_a_row_without_a_key_is_in_the_first_range() -> None:
    keys = pa.array(["a", None, "é", "\U0001f600", "\ufffd"])
    ranges = split([keys, pa.array([], pa.string())], 1)
    assert ranges == [KeyRange(None, None)]
    ranges = [KeyRange(None, "é"), KeyRange("é", "\ufffe"), KeyRange("\ufffe", None)]
    masks = [one.mask(keys).to_pylist() for one in ranges]
    assert [list(column) for column in zip(*masks, strict=True)] == [
        [True, False, False],
        [True, False, False],
        [False, True, False],
        [False, False, True],
        [False, True, False],
    ]
    assert [[key in one for one in ranges] for key in ("a", "é")] == [[True, False, False], [False, True, False]]


def test_many_short_blocks_fill_ranges_evenly() -> None:
    drawn = np.sort(np.random.default_rng(1).integers(10**6, size=(5000, 60)))
    blocks = [pa.array([f"{number:06}" for number in some]) for some in drawn.tolist()]
    ranges = split(iter(blocks), 16)
    keys = pa.concat_arrays(blocks)
    shares = [pc.sum(one.mask(keys)).as_py() / len(keys) for one in ranges]
    assert len(shares) == 16
    assert sum(shares) == pytest.approx(1)
    assert max(shares) < 2 / 16


def test_a_range_holds_its_share_of_the_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = TableQueries(made(tmp_path / "t", groups=1, size=2000, logs=2), "0.15").snapshot()
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 8)
    (found,) = answer.slices
    folder = SliceReader(answer.query).folder
    with folder.blocks(found) as blocks:
        monkeypatch.setattr(log_folder, "_IN_COLUMNS", sum(block.content_length for block, _ in blocks) // 4)
        logs = (folder.columns(found, blocks, one) for one in folder.ranges(found, blocks))
        held = [len(log.keys) for log, _ in filter(None, logs)]
    assert len(held) in {4, 5}
    assert sum(held) == 1000
    assert max(held) < 1.3 * 1000 / len(held)
    assert notes(SliceReader(answer.query).read(found)) == expected(2000, 2)


def test_a_log_whose_keys_can_be_quarantined_is_held_as_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = TableQueries(made(tmp_path / "t", groups=1, size=200, logs=2), "0.15").snapshot()
    (found,) = answer.slices
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 1)
    for quarantines in (False, True):
        folder = SliceReader(dataclasses.replace(answer.query, quarantines=quarantines)).folder
        with folder.blocks(found) as blocks:
            monkeypatch.setattr(log_folder, "_BY_CALLS", sum(block.content_length for block, _ in blocks) // 3)
            assert (len(folder.ranges(found, blocks)) > 1) is quarantines


def test_sixteen_logs_of_the_same_keys_take_the_memory_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add, most = LogColumns.add, [0]

    def noted(log: LogColumns, *given: Any) -> None:
        add(log, *given)
        held = [batch for batch in (log.rows, *vars(log)["_added"]) if batch is not None]
        most[0] = max(most[0], sum(batch.nbytes for batch in held))

    monkeypatch.setattr(LogColumns, "add", noted)
    found = {}
    for logs in (1, 2, 16):
        answer = TableQueries(made(tmp_path / str(logs), groups=1, size=8000, logs=logs), "0.15").snapshot()
        most[0] = 0
        assert notes(SliceReader(answer.query).read(answer.slices[0])) == expected(8000, logs)
        found[logs] = most[0]
    assert found[16] < 1.1 * found[2] < 2.3 * found[1], found


def compared(readers: SliceReaders, table: TableQueries) -> tuple[list[tuple[Any, ...]], list[ComparedRows]]:
    """Return what readers show differently, as sorted texts, and how much was compared."""
    parts = [part for found in table.snapshot().slices for part in readers.compare(found)]
    differing = [
        (part.reader, key, repr(left), repr(right))
        for part in parts
        if isinstance(part, Differing)
        for key, left, right in zip(part.keys, part.left.to_pylist(), part.right.to_pylist(), strict=True)
    ]
    return sorted(differing), [part for part in parts if isinstance(part, ComparedRows)]


@pytest.mark.parametrize(
    ("release", "case"),
    [
        ("0.15.0", "mor-plain-postgres"),
        ("0.15.0", "mor-part-timestamp-slash"),
        ("0.15.0", "mor-log-only-compacted"),
        ("1.0.2", "mor-op-insert-duplicates-default"),
        ("1.1.1", "mor-plain-partial"),
    ],
)
def test_readers_are_compared_range_by_range(
    tables: Path, release: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many keys as one reader holds are shared by all; the rows that differ are those of the whole logs."""
    (recorded,) = load(tables, release, case)
    table = TableQueries(str(recorded.folder / "table"), release)
    queries = [ReaderQuery(one.snapshot().query) for one in (table, table.read_by("1.1"), table.read_by("1.2"))]
    readers = SliceReaders([*queries, ReaderQuery(table.read_optimized().query, bases_only=True)])
    whole, seen = compared(readers, table)
    assert len(seen) == len(table.snapshot().slices)
    assert whole
    fold, held = LogFolder.folded, [0]

    def noted(*given: Any) -> Any:
        log = fold(*given)
        held[0] = max(held[0], len(log.folded))
        return log

    monkeypatch.setattr(LogFolder, "folded", noted)
    compared(readers, table)
    most, held[0] = held[0], 0
    monkeypatch.setattr(log_folder, "_BY_CALLS", 500)
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 1)
    found, parts = compared(readers, table)
    assert found == whole
    assert len(parts) > 2 * len(seen)
    assert 0 < held[0] < most / 2
    assert sum(part.rows for part in parts) == sum(part.rows for part in seen)
    assert sum(len(part.logged) for part in parts) == sum(len(part.logged) for part in seen)
    assert all(parts[-1].refused.items() >= part.refused.items() for part in seen[-1:])


def test_symptoms_are_counted_range_by_range(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (recorded,) = load(tables, "1.2.0", "mor-plain-partial")
    table = TableQueries(str(recorded.folder / "table")).read_by("1.1")
    answer = table.snapshot()
    scan = SliceSymptoms(*_settings(table, answer, HudiRelease.latest())[0], with_cases=True)
    whole = [sorted(map(repr, scan.of(found))) for found in answer.slices]
    monkeypatch.setattr(log_folder, "_BY_CALLS", 500)
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 1)
    assert [sorted(map(repr, scan.of(found))) for found in answer.slices] == whole
    assert any(whole)


@pytest.mark.parametrize(("release", "case"), [("1.0.2", "mor-op-delete-default"), ("0.15.0", "mor-plain-default")])
def test_versions_hold_some_of_the_deleted_keys_at_a_time(
    tables: Path, release: str, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (recorded,) = load(tables, release, case)
    answer = TableQueries(str(recorded.folder / "table"), release).snapshot()

    def versions() -> list[list[dict[str, Any]]]:
        read = (GroupVersions(answer.query).read([found]) for found in answer.slices)
        rows = ([row for batch in batches for row in batch.to_pylist()] for batches in read)
        return [sorted(each, key=lambda row: row[SEQUENCE]) for each in rows]

    whole, held = versions(), [0]
    note, read, made = _DeletedRows.note, RecordReader.rows, set[str]()

    def rows_read(*given: Any) -> Any:
        records = read(*given)
        made.update(*records)
        return records

    def noted(deleted: _DeletedRows, *given: Any) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(RecordReader, "rows", rows_read)
            note(deleted, *given)
        held[0] = max(held[0], len(deleted.known))

    monkeypatch.setattr(_DeletedRows, "note", noted)
    assert versions() == whole
    most, held[0] = held[0], 0
    monkeypatch.setattr("bridge.hudi.slice_versions._DELETES", 100)
    monkeypatch.setattr("bridge.hudi.key_ranges._STEP", 1)
    assert versions() == whole
    assert 0 < held[0] < most
    properties = answer.query.properties
    assert made == {*properties.key_fields, *properties.partition_fields}, "of other columns no value is needed"
    assert all([row[SEQUENCE] for row in each] == [*range(len(each))] for each in whole)


def test_a_hundred_slices_in_one_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = TableQueries(made(tmp_path / "t", groups=100, size=40, logs=1), "0.15").snapshot()
    assert len(answer.slices) == 100
    compiled = []
    init = SliceReader.__init__
    monkeypatch.setattr(SliceReader, "__init__", lambda own, query: (compiled.append(own), init(own, query))[1])
    task = pa.RecordBatch.from_arrays([pa.array([pickle.dumps(one) for one in answer.slices])], ["slice"])
    before = pa.total_allocated_bytes()
    held, found = 0, []
    for batch in read_slices(answer.query, [task]):
        found += [(row["id"], row["note"]) for row in batch.to_pylist()]
        held = max(held, pa.total_allocated_bytes() - before)
    assert sorted(found) == expected(4000, 1)
    assert len(compiled) == 1
    assert held < 1 << 20, "the rows of some slices, not of all"


def test_a_base_file_larger_than_a_partition_of_sparks_is_read_once(tmp_path: Path, spark: SparkSession) -> None:
    table = MadeTable(tmp_path / "t", FIELDS)
    table.base("alone", rows(0, 4000, 0), rows_a_group=500)
    table.base("logged", rows(4000, 4000, 0), rows_a_group=500)
    table.commit()
    table.log("logged", "p", rows(4000, 4000, 1).to_pylist()[::2], 1)
    table.commit(1)
    setting = "spark.sql.files.maxPartitionBytes"
    before = spark.conf.get(setting)
    spark.conf.set(setting, str((tmp_path / "t/p/alone_0-0-0_20240101000000000.parquet").stat().st_size // 4))
    try:
        shown = HudiTable(spark, str(tmp_path / "t"), "0.15").snapshot()
        found = sorted((row.id, row.note) for row in shown.select("id", "note").collect())
    finally:
        spark.conf.set(setting, before)
    alone = [(f"k{number:06}", f"k{number:06} at 0") for number in range(4000)]
    assert found == alone + expected(8000, 1)[4000:]


def test_a_bootstrapped_file_is_read_some_rows_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skeleton and source have row groups of other sizes."""
    monkeypatch.setattr(base_files, "_ROWS", 64)
    texts = pa.array([str(number) for number in range(1000)])
    pq.write_table(pa.table([texts] * 5, names=[*META_COLUMNS]), tmp_path / "skeleton.parquet", row_group_size=90)
    pq.write_table(pa.table({"id": texts}), tmp_path / "source.parquet", row_group_size=333)
    files = TableFiles(tmp_path)
    found = list(base_files.read_bootstrapped(files, "skeleton.parquet", files, "source.parquet"))
    assert max(batch.num_rows for batch in found) <= 64
    rows = [row for batch in found for row in batch.to_pylist()]
    assert [row["id"] for row in rows] == texts.to_pylist()
    assert all(row[name] == row["id"] for row in rows for name in META_COLUMNS)
    pq.write_table(pa.table({"id": texts[1:]}), tmp_path / "source.parquet")
    with pytest.raises(DamagedFileError, match=r"has 999 rows, and .* was made from 1000"):
        list(base_files.read_bootstrapped(files, "skeleton.parquet", files, "source.parquet"))
