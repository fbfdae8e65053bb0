"""An insert that goes to a small file: whether it updates the row of its key there, and what is refused by name.

The rows of real Hudi are in `tests/data/histories-operations` (`insert-updates-*`, `insert-adds-*`).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pyspark.sql import types as spark_types

from bridge import MergePlan, PlanError
from bridge.errors import MergeFailedError
from bridge.programs import Operations, WriteOperation, check_operations, unrecorded
from tests.conformance.in_process import simulate
from tests.support.one_key import RELEASES

INSERT, BULK, UPSERT = WriteOperation.INSERT, WriteOperation.BULK_INSERT, WriteOperation.UPSERT
OVERWRITE, DEFAULT = "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload"
LIMIT, DUPLICATES = "hoodie.parquet.small.file.limit", "hoodie.merge.allow.duplicate.on.inserts"
COLUMNS = spark_types.StructType().add("id", "string").add("v", "string").add("ts", "long")
OLD = ("0.12", "0.13", "0.14")


def plan_of(release: str, *, payload: str = OVERWRITE, table_type: str = "cow", **props: str) -> MergePlan:
    return MergePlan(payload=payload, release=release, key="id", ordering="ts", table_type=table_type, props=props)


def rows_of(plan: MergePlan, *batches: tuple[WriteOperation, list[tuple[str, str, int]]]) -> list[str]:
    """Return the values of v after the last batch."""
    rows = [[dict(zip(COLUMNS.names, row, strict=True)) for row in given] for _, given in batches]
    operations = {number: one for number, (one, _) in enumerate(batches, start=1) if one is not UPSERT}
    found: list[dict[str, Any]] = simulate(rows, COLUMNS, plan, operations=operations)[len(batches)]
    return sorted(row["v"] for row in found)


FIRST, LATER = [("a", "one", 5)], [("a", "two", 3), ("b", "new", 1)]


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("release", RELEASES)
def test_until_0_14_an_insert_updates_the_row_of_its_small_file(release: str, table_type: str) -> None:
    """The class decides, as of an upsert; an ordering value counts where the class reads the column."""
    for payload, updated in ((OVERWRITE, "two"), (DEFAULT, "one")):
        for first in (INSERT, UPSERT):
            plan = plan_of(release, payload=payload, table_type=table_type)
            found = rows_of(plan, (first, FIRST), (INSERT, LATER))
            assert found == sorted(["new", updated] if release in OLD else ["new", "one", "two"])


@pytest.mark.parametrize("release", RELEASES)
def test_two_settings_say_otherwise_in_every_release(release: str) -> None:
    both = (INSERT, FIRST), (INSERT, LATER)
    assert rows_of(plan_of(release, **{DUPLICATES: "false"}), *both) == ["new", "two"]
    assert rows_of(plan_of(release, **{DUPLICATES: "true"}), *both) == ["new", "one", "two"]
    assert rows_of(plan_of(release, **{LIMIT: "0"}), *both) == ["new", "one", "two"]
    assert rows_of(plan_of(release, **{LIMIT: "0", DUPLICATES: "false"}), *both) == ["new", "one", "two"]


def test_of_a_key_that_the_batch_has_twice_the_last_row_updates_every_stored_one() -> None:
    twice = [("a", "one", 5), ("a", "also", 6)]
    assert rows_of(plan_of("0.14"), (INSERT, twice)) == ["also", "one"]
    later = [("a", "two", 9), ("a", "three", 1)]
    assert rows_of(plan_of("0.14"), (INSERT, twice), (INSERT, later)) == ["three", "three"]


def test_a_new_key_twice_after_the_first_batch_is_refused() -> None:
    twice = [("b", "x", 1), ("b", "y", 2)]
    with pytest.raises(MergeFailedError, match=r"inserts the new key 2 times: Hudi 0\.14 stores all .*=true or .*=0"):
        rows_of(plan_of("0.14"), (INSERT, FIRST), (INSERT, twice))
    assert rows_of(plan_of("0.15"), (INSERT, FIRST), (INSERT, twice)) == ["one", "x", "y"]


def test_rows_of_one_file_are_merged_as_such() -> None:
    """From 1.1 on a copy-on-write merge takes the first row of a key in its file, and each of a bulk insert's own."""
    upsert = (UPSERT, [("a", "last", 9)])
    assert rows_of(plan_of("1.0"), (INSERT, FIRST), (INSERT, LATER[:1]), upsert) == ["last", "last"]
    assert rows_of(plan_of("1.2"), (INSERT, FIRST), (INSERT, LATER[:1]), upsert) == ["last", "two"]
    assert rows_of(plan_of("1.2"), (INSERT, FIRST), (BULK, LATER[:1]), upsert) == ["last", "last"]
    assert rows_of(plan_of("1.2", **{LIMIT: "0"}), (INSERT, FIRST), (INSERT, LATER[:1]), upsert) == ["last", "last"]


def test_a_merge_on_read_table_without_logs_fills_its_files() -> None:
    """A query of 0.15 merges a log with the first row of a file."""
    batches = (INSERT, FIRST), (INSERT, LATER[:1]), (UPSERT, [("a", "last", 9)])
    assert rows_of(plan_of("0.15", table_type="mor"), *batches) == ["last", "two"]
    assert rows_of(plan_of("0.15", table_type="mor", **{LIMIT: "0"}), *batches) == ["last", "last"]
    logged = (INSERT, FIRST), (UPSERT, LATER[1:]), (INSERT, LATER[:1]), (UPSERT, [("a", "last", 9)])
    assert rows_of(plan_of("0.15", table_type="mor"), *logged) == ["last", "last", "new"]


@pytest.mark.parametrize(
    ("settings", "operations", "message"),
    [
        ({}, {1: BULK, 2: INSERT}, "a bulk insert before it"),
        ({"table_type": "mor"}, {3: INSERT}, "may have logs"),
        ({"table_type": "mor", LIMIT: "1"}, {2: INSERT}, "the small-file rule of merge-on-read tables"),
        ({"table_type": "mor", LIMIT: "1"}, {2: WriteOperation.DELETE}, "the small-file rule of merge-on-read tables"),
    ],
)
def test_what_a_key_alone_does_not_tell_is_refused(
    settings: dict[str, str], operations: dict[int, WriteOperation], message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        check_operations(plan_of("0.14", **settings), Operations(operations), 3)
    check_operations(plan_of("0.14", **{**settings, LIMIT: "0"}), Operations(operations), 3)


def test_with_a_global_index_an_insert_that_updates_is_refused() -> None:
    props = {"hoodie.index.type": "GLOBAL_SIMPLE"}
    for release in OLD:
        plan = MergePlan(payload=OVERWRITE, release=release, key="id", partition="v", ordering="ts", props=props)
        with pytest.raises(PlanError, match="insert is not supported for a global index, as it updates the row"):
            check_operations(plan, Operations({2: INSERT}))


def test_releases_of_which_no_such_table_was_recorded_are_named() -> None:
    operations = Operations({2: INSERT, 3: WriteOperation.DELETE})
    assert unrecorded(operations, plan_of("0.15"), plan_of("1.2")) == []
    (told,) = unrecorded(operations, plan_of("0.12"), plan_of("0.12"))
    assert told.startswith("delete, insert under Hudi 0.12: the rows follow its sources")
    assert unrecorded(Operations(), plan_of("0.12")) == []
    (told,) = unrecorded(operations, plan_of("0.14"))
    assert told.startswith("delete under Hudi 0.14: ")  # inserts are in tests/data/histories-operations
    bulk = Operations({2: WriteOperation.BULK_INSERT})
    plan = dataclasses.replace(plan_of("1.2"), partition=("v",), props={"hoodie.index.type": "GLOBAL_SIMPLE"})
    (told,) = unrecorded(bulk, plan)
    assert told.startswith("bulk_insert with a global index: ")
    assert unrecorded(bulk, plan_of("1.2")) == unrecorded(operations, plan) == []
