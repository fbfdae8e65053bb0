"""The steps around a commit, without Spark: the timeline is a real one, and the frames are stand-ins."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark_types

from bridge import ConflictError, InputError, MergePlan, merge_batch, merge_into
from bridge.engines import RowCounts
from bridge.errors import EngineError
from bridge.spark import Target, files_of, place_of
from bridge.write.changes import Merged, check_types
from tests.bridge.write.table import MadeTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MODULE = importlib.import_module("bridge.write.merge_into")
CLOCK = importlib.import_module("bridge.write.clock")
CHANGES = MODULE._changes
COMMAND = importlib.import_module("bridge.cli.merge_into")
PLAN = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id")
LOCK = {"hoodie.write.concurrency.mode": "OPTIMISTIC_CONCURRENCY_CONTROL", "hoodie.write.lock.provider": "x"}
ROW = {"id": "d", "city": "Bern", "qty": 5}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MadeTable:
    """A table into which every batch inserts one row."""
    made = MadeTable(tmp_path / "table")
    made.write([{"id": "a", "city": "Oslo", "qty": 1}])
    inserts = Merged(MagicMock(), {"inserted": 1}, RowCounts({}, {}, 0, 0, 1), None, keeps_flagged=False)
    for name, stand_in in {
        "_changes": MagicMock(return_value=inserts),
        "described": lambda *_: contextlib.nullcontext(),
        "commit": lambda _rows, _path, options: committed(made, options),
    }.items():
        monkeypatch.setattr(MODULE, name, stand_in)
    monkeypatch.setattr(CLOCK, "next_instant", lambda *_, **__: ("20240102000000000", "UTC"))
    for name in ("check_writer_is_there", "as_commit", "forget_read"):
        monkeypatch.setattr(MODULE, name, MagicMock())
    return made


def committed(made: MadeTable, options: Mapping[str, str]) -> None:
    made.asked.append(dict(options))
    made.write([ROW], {name: text for name, text in options.items() if name.startswith("_")})


def rows() -> Any:
    spark = MagicMock(spec=SparkSession)
    return MagicMock(spec=DataFrame, isStreaming=False, columns=["id", "city", "qty"], sparkSession=spark)


def test_a_commit_that_is_complete_is_named_when_what_came_after_it_fails(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_rows: Any, _path: str, options: Mapping[str, str]) -> None:
        committed(table, options)
        msg = "cleaning failed"
        raise RuntimeError(msg)

    monkeypatch.setattr(MODULE, "commit", MagicMock(side_effect=RuntimeError("no commit")))
    with pytest.raises(RuntimeError, match=r"^no commit$"):
        merge_into(str(table.path), rows(), PLAN, batch_id="monday")
    monkeypatch.setattr(MODULE, "commit", fails)
    with pytest.raises(EngineError, match="commit 20240101000000002 is complete; what came after it failed: cleaning"):
        merge_into(str(table.path), rows(), PLAN, batch_id="monday")
    assert merge_into(str(table.path), rows(), PLAN, batch_id="monday").merged_by == "20240101000000002"


def test_what_is_archived_behind_a_savepoint_is_no_other_writer(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, archived, *_ = [table.instants[0].partition("_")[0], *(table.write([]) for _ in range(3))]
    (table.timeline / f"{first}_{first}.savepoint").touch()

    def archives(_rows: Any, _path: str, options: Mapping[str, str]) -> None:
        committed(table, options)
        (gone,) = table.timeline.glob(f"{archived}_*.commit")
        gone.unlink()

    monkeypatch.setattr(MODULE, "commit", archives)
    assert merge_into(str(table.path), rows(), PLAN).instant == "20240101000000005"


def test_the_only_commit_that_was_read_is_rolled_back_meanwhile(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    (read,) = table.instants

    def rolls_back(_rows: Any, _path: str, options: Mapping[str, str]) -> None:
        committed(table, options)
        (gone,) = table.timeline.glob(f"{read.partition('_')[0]}_*.commit")
        gone.unlink()

    monkeypatch.setattr(MODULE, "commit", rolls_back)
    with pytest.raises(ConflictError, match=read.partition("_")[0]):
        merge_into(str(table.path), rows(), PLAN)


def test_slices_that_the_index_does_not_find_are_refused_before_anything_is_merged(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = MagicMock(side_effect=InputError("not found"))
    monkeypatch.setattr(MODULE, "_changes", CHANGES)
    for name, stand_in in {"check_slices": checked, "merged_in_slices": MagicMock()}.items():
        monkeypatch.setattr(MODULE, name, stand_in)
    with pytest.raises(InputError, match="not found"):
        merge_into(str(table.path), rows(), PLAN, write_options={"hoodie.index.type": "BLOOM"})
    MODULE.merged_in_slices.assert_not_called()
    assert checked.call_args.args[-1] == "BLOOM"


def test_another_writer_is_noticed_before_the_quarantine_is_handed_over(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "check_rows", lambda _: table.write([{"id": "z", "city": "Bonn", "qty": 1}]))
    handed: list[Any] = []
    with pytest.raises(ConflictError, match="of another writer came after"):
        merge_into(str(table.path), rows(), PLAN, before_commit=handed.append)
    assert (handed, table.asked) == ([], [])


@pytest.mark.parametrize("clock", ["20240101000000009", "20231231233000000"])
def test_a_clock_that_is_behind_the_table_is_told_before_the_quarantine_is_handed_over(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch, clock: str
) -> None:
    table.write([])
    monkeypatch.setattr(CLOCK, "_PATIENCE", 0.0)
    monkeypatch.setattr(CLOCK, "next_instant", lambda *_, is_local: (clock, "Asia/Tokyo" if is_local else "UTC"))
    handed: list[Any] = []
    said = rf"get the instant {clock} now \(time zone UTC\), but the table has 20240101000000009, .* nothing is written"
    with pytest.raises(EngineError, match=said):
        merge_into(str(table.path), rows(), PLAN, before_commit=handed.append)
    assert (handed, table.asked) == ([], [])


def test_a_commit_waits_for_a_clock_that_is_a_little_behind(table: MadeTable, monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = itertools.chain(["20240101000000000", "20240101000000001"], itertools.repeat("20240101000000010"))
    monkeypatch.setattr(CLOCK, "next_instant", lambda *_, **__: (next(clocks), "UTC"))
    assert merge_into(str(table.path), rows(), PLAN).instant == "20240101000000002"


def test_a_micro_batch_that_comes_again_changes_nothing(table: MadeTable) -> None:
    merge = merge_batch(str(table.path), PLAN, stream="orders")
    for number in (0, 0, 1, 1):
        merge(rows(), number)
    assert [asked["hoodie.index.type"] for asked in table.asked] == ["SIMPLE", "SIMPLE"]
    assert [asked["_payload_bridge_batch"] for asked in table.asked] == ["orders/0", "orders/1"]


def test_a_commit_that_hudi_refuses_because_of_another_writer_is_merged_again(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[list[str]] = []
    monkeypatch.setattr(MODULE, "check_since", lambda _, completed: told.append(completed))
    refused = itertools.count()
    names = itertools.cycle(["HoodieWriteConflictException", "HoodieEarlyConflictDetectionException"])
    told_by = (f"org.apache.hudi.exception.{name}: conflicting writes" for name in names)

    def commit(_rows: Any, _path: str, options: Mapping[str, str]) -> None:
        if next(refused) < 2:
            table.write([{"id": "z", "city": "Bonn", "qty": 1}])
            raise RuntimeError(next(told_by))
        committed(table, options)

    monkeypatch.setattr(MODULE, "commit", commit)
    report = merge_into(str(table.path), rows(), PLAN, write_options=LOCK)
    assert [len(completed) for completed in told] == [1, 2, 3]  # each try has read what came meanwhile
    assert report.instant == "20240101000000004"
    assert MODULE.forget_read.call_count == 2 * 3  # before a try and after its commit
    refused = itertools.count(-9)
    with pytest.raises(
        ConflictError, match=("Hudi refused the commit because another writer's came after 202401010000000")
    ):
        merge_into(str(table.path), rows(), PLAN, write_options=LOCK)
    assert len(told) == 3 + 5
    with pytest.raises(RuntimeError, match="conflicting writes"):
        merge_into(str(table.path), rows(), PLAN)  # one writer: whatever it is, it is not tried again
    assert len(told) == 3 + 5


def test_a_session_that_takes_no_class_for_the_lock_is_refused_before_anything_is_merged(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "forget_read", MagicMock(side_effect=EngineError("no class can be added")))
    with pytest.raises(EngineError, match="no class can be added"):
        merge_into(str(table.path), rows(), PLAN, write_options=LOCK)
    MODULE._changes.assert_not_called()


def test_what_is_quarantined_stays_only_if_the_batch_is_committed(
    table: MadeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed: list[Target] = []
    monkeypatch.setattr(COMMAND, "output", lambda *_: contextlib.nullcontext(MagicMock()))
    monkeypatch.setattr(COMMAND, "discard", lambda _, target: removed.append(target))
    settings = (MagicMock(), Target("aside"), MagicMock(), str(table.path), "monday")

    def fails(then: Any = None) -> None:
        with COMMAND._put_quarantine(*settings):
            if then is not None:
                then()
            msg = "another writer"
            raise ConflictError(msg)

    with pytest.raises(ConflictError):
        fails()
    assert removed == [Target("aside")]
    with pytest.raises(ConflictError):
        fails(lambda: table.write([ROW], {"_payload_bridge_batch": "monday"}))
    assert removed == [Target("aside")]


def test_files_that_change_while_they_are_merged_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text("{}\n")
    files = files_of(place_of(tmp_path))
    seen = COMMAND._stamps(files)
    COMMAND._check_same(files, seen)
    (tmp_path / "2.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"changed while it was merged \(2.jsonl\); nothing is written"):
        COMMAND._check_same(files, seen)
    (tmp_path / "2.jsonl").unlink()
    (tmp_path / "1.jsonl").write_text("{ }\n")
    with pytest.raises(InputError, match=r"changed while it was merged \(1.jsonl\)"):
        COMMAND._check_same(files, seen)


STRING, LONG, INT = spark_types.StringType(), spark_types.LongType(), spark_types.IntegerType()
TIME, DATE = spark_types.TimestampType(), spark_types.DateType()


def inside(kind: spark_types.DataType, *more: str) -> spark_types.DataType:
    found = spark_types.StructType().add("a", spark_types.ArrayType(kind))
    for name in more:
        found = found.add(name, INT)
    return found


@pytest.mark.parametrize(
    ("own", "given"),
    [
        (STRING, INT),
        (INT, LONG),
        (LONG, INT),
        (spark_types.DecimalType(4, 1), spark_types.DecimalType(9, 2)),
        (inside(INT), inside(LONG, "more")),
    ],
)
def test_a_batch_keeps_the_types_of_the_table_but_for_wider_numbers(
    own: spark_types.DataType, given: spark_types.DataType
) -> None:
    check_types("t", frame(own), frame(given))


@pytest.mark.parametrize(
    ("own", "given"),
    [(TIME, STRING), (TIME, LONG), (LONG, TIME), (DATE, INT), (INT, STRING), (inside(TIME), inside(STRING))],
)
def test_a_batch_that_would_change_a_type_of_the_table_is_refused(
    own: spark_types.DataType, given: spark_types.DataType
) -> None:
    told = f"the column 'x' is {own.simpleString()} in t and {given.simpleString()} in the batch"
    with pytest.raises(InputError, match=f"{re.escape(told)}.*schema"):
        check_types("t", frame(own), frame(given))


def frame(kind: spark_types.DataType) -> Any:
    return SimpleNamespace(schema=spark_types.StructType().add("x", kind))
