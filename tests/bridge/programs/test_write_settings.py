"""Writes without dedup, new keys in logs and global indexes: what real Hudi recorded, run in this process."""

from __future__ import annotations

import collections
import dataclasses
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import types as spark_types

from bridge import MergePlan, PlanError
from bridge.engines import Job
from bridge.engines.python.worker import merged
from bridge.errors import MergeFailedError
from bridge.merge import Action, MergePointError
from bridge.merge.carriers import key_reader
from bridge.merge.record_merge import RecordMerge
from bridge.plan import TableType
from bridge.programs import Append, Arrival, Compact, Origin, Snapshot, Upsert
from bridge.programs.global_index import GlobalAppend, GlobalUpsert
from bridge.programs.table import Table
from bridge.spark.schema import META_COLUMNS, avro_schema
from payloads import parse_schema
from tests.conformance.histories import columns_of, differences, load
from tests.conformance.spark_histories import plan_of
from tests.support import SETTINGS
from tests.support.schemas import nullable_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from payloads import Record
    from tests.conformance.histories import History

HISTORIES = list(load(SETTINGS))
BLOOM = {"hoodie.index.type": "GLOBAL_BLOOM"}
_TYPES = {
    "string": spark_types.StringType(),
    "bigint": spark_types.LongType(),
    "int": spark_types.IntegerType(),
    "boolean": spark_types.BooleanType(),
}


def merge_of(history: History) -> RecordMerge:
    plan = plan_of(history)
    fields = [spark_types.StructField(name, _TYPES[kind]) for name, kind in columns_of(history.schema_ddl).items()]
    return RecordMerge(plan, avro_schema(spark_types.StructType(fields), plan.release))


def outcomes(program: Any, merge: RecordMerge, arrivals: Iterable[Arrival]) -> list[tuple[Any, ...]]:
    """Run a program over the arrivals, key by key; each outcome comes with the identity of its key."""
    keys: dict[tuple[Any, ...], list[Arrival]] = collections.defaultdict(list)
    for arrival in arrivals:
        keys[tuple((arrival.record or {})[name] for name in merge.plan.identity)].append(arrival)
    found: list[tuple[Any, ...]] = []
    for values, versions in keys.items():
        identity = dict(zip(merge.plan.identity, values, strict=True))

        def emit(*outcome: Any, identity: Record = identity) -> None:
            found.append((identity, *outcome))

        program.start(merge.key_of(versions[0].record or {}))
        for version in sorted(versions, key=lambda one: (one.origin, one.commit)):
            program.accept(version, emit)
        program.finish(emit)
    return found


def plain(row: Any) -> Record:
    return {name: value for name, value in row.record.items() if name not in META_COLUMNS}


def incoming(history: History, commit: int) -> list[Arrival]:
    rows = history.commits[commit - 1].incoming
    # As frames do: for Hudi the empty text and null are one partition.
    return [Arrival(Origin.INCOMING, commit, {**row, "part": row["part"] or None}, at) for at, row in enumerate(rows)]


def compactions(history: History) -> list[int]:
    return [number for number, commit in enumerate(history.commits, start=1) if commit.compacted_inline]


def test_the_histories_have_every_setting() -> None:
    found = {(str(one.release), one.case.rpartition("-")[0] or one.case) for one in HISTORIES}
    for release in ("0.15", "1.0", "1.1", "1.2"):
        cases = " ".join(case for version, case in found if version == release)
        assert all(setting in cases for setting in ("no-combine", "log-inserts", "global-update", "global-stay"))


@pytest.mark.parametrize("history", HISTORIES, ids=str)
def test_a_table_answers_as_real_hudi(history: History) -> None:
    merge = merge_of(history)
    settings: dict[str, Any] = {"commits": len(history.commits), "compact_after": compactions(history)}
    settings["log_updates"] = merge.plan.table_type is TableType.MERGE_ON_READ
    program = Table(merge, **settings)
    arrivals = [arrival for commit in range(1, len(history.commits) + 1) for arrival in incoming(history, commit)]
    seen: dict[int, list[Record]] = collections.defaultdict(list)
    for _, _, row, first, last in outcomes(program, merge, arrivals):
        for commit in range(first, last + 1):
            seen[commit].append(plain(row))
    for number, snapshot in history.snapshots.items():
        assert differences(snapshot, seen[number]) == []


@pytest.mark.parametrize("history", [one for one in HISTORIES if one.table_type == "COPY_ON_WRITE"], ids=str)
def test_single_upserts_give_the_answers_of_real_hudi(history: History) -> None:
    merge = merge_of(history)
    program = GlobalUpsert(merge) if merge.plan.global_index else Upsert(merge)
    stored: list[Record] = []
    for number, snapshot in history.snapshots.items():
        arrivals = [Arrival(Origin.STORED, 0, row, None) for row in stored] + incoming(history, number)
        visible = {Action.INSERT, Action.UPDATE, Action.KEEP}
        stored = [plain(row) for _, action, row in outcomes(program, merge, arrivals) if action in visible]
        assert differences(snapshot, stored) == []


def shows_its_files(history: History) -> bool:
    """Whether a query may show other partition columns than those of the partition, which frames can't hold."""
    return str(history.release) == "0.15" and "global-stay" in history.case


@pytest.mark.parametrize(
    "history", [h for h in HISTORIES if h.table_type == "MERGE_ON_READ" and not shows_its_files(h)], ids=str
)
def test_single_appends_give_the_answers_of_real_hudi(history: History) -> None:
    merge = merge_of(history)
    reading = merge.with_plan(merge.plan.within_partitions())
    program = GlobalAppend(merge) if merge.plan.global_index else Append(merge)
    stored: list[Record] = []
    log: list[Arrival] = []
    for number, snapshot in history.snapshots.items():
        known = log if merge.plan.global_index else []
        arrivals = [*(Arrival(Origin.STORED, 0, row, None) for row in stored), *known, *incoming(history, number)]
        try:
            written = outcomes(program, merge, arrivals)
        except MergePointError as error:
            assert "compact the table first" in str(error)  # noqa: PT017 (a refusal, after which there is no more)
            return
        stored = [plain(row) for _, action, row, to_log, _ in written if not to_log and action is not Action.SKIP]
        log += [entry(number, *outcome) for outcome in written if outcome[3] and outcome[1] is not Action.SKIP]
        if history.commits[number - 1].compacted_inline:
            stored, log = read(Compact(reading), reading, stored, log), []
        assert differences(snapshot, read(Snapshot(reading), reading, stored, log)) == []


def entry(commit: int, identity: Record, action: Action, row: Any, _to_log: bool, ordering: Any) -> Arrival:  # noqa: FBT001
    """Return what an outcome is in the log."""
    record = identity if row is None else plain(row)
    return Arrival(Origin.LOG, commit, record, None, is_delete=action is Action.DELETE, ordering=ordering)


def read(program: Any, merge: RecordMerge, stored: list[Record], log: list[Arrival]) -> list[Record]:
    arrivals = [Arrival(Origin.STORED, 0, row, None) for row in stored] + log
    visible = {Action.INSERT, Action.UPDATE, Action.KEEP}
    return [plain(row) for _, action, row in outcomes(program, merge, arrivals) if action in visible]


# -- the plan


@pytest.mark.parametrize(
    ("props", "field", "value"),
    [
        ({"hoodie.combine.before.upsert": "false"}, "combine_before_upsert", False),
        ({"hoodie.combine.before.upsert": "TRUE"}, "combine_before_upsert", True),
        (BLOOM, "global_index", True),
        ({"hoodie.index.type": "simple"}, "global_index", False),
        ({"hoodie.index.type": "BUCKET", "hoodie.index.bucket.engine": "CONSISTENT_HASHING"}, "inserts_to", "log"),
        (BLOOM | {"hoodie.bloom.index.update.partition.path": "false"}, "moves_rows", False),
        (BLOOM | {"hoodie.simple.index.update.partition.path": "false"}, "moves_rows", True),
        ({"hoodie.index.type": "record_index"}, "global_index", True),
        ({"hoodie.index.type": "RECORD_INDEX"}, "moves_rows", False),
        (
            {"hoodie.index.type": "RECORD_INDEX", "hoodie.record.index.update.partition.path": "true"},
            "moves_rows",
            True,
        ),
    ],
)
def test_a_plan_reads_the_properties_of_a_writer(props: dict[str, str], field: str, value: object) -> None:
    plan = a_plan(props=props)
    assert getattr(plan, field) == value
    assert getattr(dataclasses.replace(plan, table_type="cow"), field) == value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"props": {"hoodie.index.type": "BUCKET"}}, "CONSISTENT_HASHING, or leave it out"),
        ({"props": {"hoodie.index.type": "HBASE"}}, "hoodie.index.type=HBASE is not supported"),
        (
            {"combine_before_upsert": False, "props": {"hoodie.combine.before.upsert": "true"}},
            "combine_before_upsert=False contradicts the properties, which say True",
        ),
        ({"global_index": True, "combine_before_upsert": False}, "a batch that is not combined; combine it"),
        ({"global_index": True, "inserts_to": "log"}, "a global index does not find rows of a log"),
        ({"global_index": True, "partition": ()}, "for tables with partitions"),
        ({"inserts_to": "both"}, "'base' or 'log', not 'both'"),
    ],
)
def test_a_plan_refuses_what_is_not_ported(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(PlanError, match=re.escape(message)):
        a_plan(**settings)


def a_plan(**settings: Any) -> MergePlan:
    given = {"payload": "DefaultHoodieRecordPayload", "table_type": "mor", "key": "id", "partition": "part"}
    return MergePlan(**(given | settings))


# -- what is refused for a row


def test_duplicates_of_a_new_key_are_refused_where_the_batch_is_not_combined() -> None:
    history = next(one for one in HISTORIES if one.case.startswith("no-combine") and one.table_type == "COPY_ON_WRITE")
    merge = merge_of(history)
    row = dict(history.commits[0].incoming[0])
    twice = [Arrival(Origin.INCOMING, 1, row, source) for source in (0, 1)]
    with pytest.raises(MergePointError, match="a batch inserts 2 rows of the new key"):
        outcomes(Upsert(merge), merge, twice)


STORED_TWICE = [
    *((payload, release) for payload in ("default", "partial-update") for release in ("1.1.1", "1.2.0")),
    ("dms", "1.1.1"),  # a table of commit-time mode
]


def row_with_another_partition(payload: str, release: str) -> tuple[Table, RecordMerge, list[Arrival]]:
    """A key that batch 2 brings with another partition, in a merge-on-read table whose global index moves no rows."""
    history = next(one for one in HISTORIES if one.case == f"global-stay-{payload}" and str(one.release) == "1.2")
    merge = merge_of(history).with_plan(dataclasses.replace(plan_of(history), release=release, table_type="mor"))
    row = {**history.commits[0].incoming[0], "Op": "I", "_hoodie_is_deleted": False}
    versions = [Arrival(Origin.INCOMING, commit, {**row, "part": part}, 0) for commit, part in ((1, "p0"), (2, "p1"))]
    return Table(merge, commits=2, log_updates=True), merge, versions


@pytest.mark.parametrize(("payload", "release"), STORED_TWICE)
def test_a_row_that_hudi_would_store_twice_is_refused(payload: str, release: str) -> None:
    """From 1.1 on a global index that leaves rows where they are duplicates those of a merge-on-read table."""
    program, merge, versions = row_with_another_partition(payload, release)
    with pytest.raises(MergePointError, match="stores such a row of a merge-on-read table a second time"):
        outcomes(program, merge, versions)


def test_1_2_leaves_rows_of_commit_time_mode_where_they_are() -> None:
    program, merge, versions = row_with_another_partition("dms", "1.2.0")
    rows = [plain(row) for _, _, row, _, last in outcomes(program, merge, versions) if last == 2]
    assert [row["part"] for row in rows] == ["p0"]


# -- rows of a global index, through the engine

NAMES = ("id", "part", "ts")
SCHEMA = parse_schema(nullable_schema("Row", id="string", part="string", ts="long"))
_ORDERING = pa.struct([("type", pa.string()), ("value", pa.string())])
_COLUMNS = {"id": pa.string(), "part": pa.string(), "ts": pa.int64(), "_pb_origin": pa.int8()} | {
    "_pb_delete": pa.bool_(),
    "_pb_ordering": _ORDERING,
}
RELEASES = ["0.15", "1.0", "1.1", "1.2"]


def table_of(names: list[str], rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pa.table({name: pa.array(values, _COLUMNS[name]) for name, values in columns})


def run(program: str, plan: MergePlan, table: pa.Table, batch_size: int = 10) -> list[Record]:
    job = Job(plan, SCHEMA, NAMES, program)
    return [row for batch in merged(job, table.to_batches(batch_size)) for row in batch.to_pylist()]


@pytest.mark.parametrize("batch_size", [1, 10])
@pytest.mark.parametrize("part", [None, "p0"])
@pytest.mark.parametrize("release", RELEASES)
def test_an_append_after_a_logged_delete_of_a_global_index(release: str, part: str | None, batch_size: int) -> None:
    plan = a_plan(global_index=True, ordering="ts", release=release)
    at_2 = {"type": "long", "value": "2"}
    rows = [("a", part, 1, 0, None, None), ("a", part, None, 1, True, at_2), ("a", "p1", 3, 2, None, None)]
    found = run("append_global_index", plan, table_of(list(_COLUMNS), rows), batch_size)
    kept, new = ((row["part"], row["ts"], row["_pb_action"]) for row in found)
    assert (kept, new) == ((part, 1, Action.KEEP), ("p1", 3, Action.INSERT))


@pytest.mark.parametrize("batch_size", [1, 10])
@pytest.mark.parametrize("part", [None, "p0", "p1"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_combined_delete_without_data_deletes_through_a_global_index(
    release: str, part: str | None, batch_size: int
) -> None:
    plan = a_plan(table_type="cow", global_index=True, ordering="ts", release=release)
    given = table_of(list(_COLUMNS), [("a", part, None, 2, True, {"type": "long", "value": "9"})])
    (combined,) = run("combine_input", plan, given)
    assert {name: combined[name] for name in NAMES} == {"id": "a", "part": part, "ts": None}
    deleting = tuple(combined[name] for name in (*NAMES, "_pb_delete", "_pb_ordering"))
    versions = table_of(list(_COLUMNS), [("a", "p0", 1, 0, None, None), (*deleting[:3], 2, *deleting[3:])])
    (found,) = run("upsert_global_index", plan, versions, batch_size)
    assert found == {"id": "a", "part": "p0", "ts": None, "_pb_action": Action.DELETE}


MOVED = [("a", "p0", 1, 0), ("a", "p1", 2, 2)]


@pytest.mark.parametrize("release", RELEASES)
def test_a_merge_may_move_a_row_to_a_partition_that_no_version_names(release: str) -> None:
    plan = a_plan(payload="tests.support.user_payloads:Archives", table_type="cow", global_index=True, release=release)
    (found,) = run("upsert_global_index", plan, table_of([*NAMES, "_pb_origin"], MOVED))
    assert found == {"id": "a", "part": "archive", "ts": 1, "_pb_action": Action.UPDATE}


@pytest.mark.parametrize("release", ["0.15", "1.0"])
@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ("MakesARow", "lacks _hoodie_partition_path, which Hudi .* change a copy of `current`"),
        ("ArchivesByPathAlone", "has the partition archive .* its partition columns name p0; set both"),
    ],
)
def test_a_merge_that_says_no_partition_is_refused(release: str, payload: str, message: str) -> None:
    name = f"tests.support.user_payloads:{payload}"
    plan = a_plan(payload=name, table_type="cow", global_index=True, release=release)
    with pytest.raises(MergeFailedError, match=message):
        run("upsert_global_index", plan, table_of([*NAMES, "_pb_origin"], MOVED))


# -- partitions without a name


@pytest.mark.parametrize("batch_size", [1, 2, 10])
def test_rows_of_a_null_partition_merge_only_with_each_other(batch_size: int) -> None:
    plan = a_plan(table_type="cow", ordering="ts", release="0.15")
    rows = [("a", None, 1, 0), ("a", None, 2, 2), ("b", None, 3, 2), ("a", "p0", 4, 0), ("a", "p0", 5, 2)]
    merged = run("upsert", plan, table_of([*NAMES, "_pb_origin"], rows), batch_size)
    found = {(row["part"], row["id"], row["ts"]) for row in merged}
    assert found == {(None, "a", 2), (None, "b", 3), ("p0", "a", 5)}


WITH_DATES = {
    "type": "record",
    "name": "row",
    "fields": [{"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]}],
}


def test_a_null_partition_has_hives_name() -> None:
    key_of = key_reader(a_plan(), parse_schema(WITH_DATES))
    assert key_of({"id": 1, "part": None}) == key_of({"id": 1, "part": ""}) == ("1", "__HIVE_DEFAULT_PARTITION__")


def test_several_key_and_partition_columns_make_one_text_each() -> None:
    plan = MergePlan(payload="DefaultHoodieRecordPayload", key="a,b", partition="p,q")
    record = {"a": 1, "b": 2, "p": "x", "q": None}
    assert key_reader(plan, parse_schema(WITH_DATES))(record) == ("a:1,b:2", "x/__HIVE_DEFAULT_PARTITION__")


def test_a_date_is_its_text_in_keys_and_paths() -> None:
    plan = MergePlan(payload="DefaultHoodieRecordPayload", key="day", partition="day")
    key_of = key_reader(plan, parse_schema(WITH_DATES))
    assert key_of({"day": 19797}) == ("2024-03-15", "2024-03-15")
    assert key_of({"day": None}) == ("None", "__HIVE_DEFAULT_PARTITION__")
    assert key_of({"day": 10**9}) == ("1000000000", "1000000000")  # a day beyond Python's dates
