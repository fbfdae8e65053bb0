"""Quarantine and row counts of the python engine: in one process, without Spark."""

from __future__ import annotations

import collections
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import MergeFailedError, RowCounts, RowCountsError
from bridge.engines import ACTION, COMMIT, IS_DELETE, QUARANTINE, ROW_COUNTS, Job
from bridge.engines.python.outcomes import Outcomes
from bridge.engines.python.worker import merged
from bridge.merge import Action
from bridge.programs import NextWriter, Operations, Origin, WriteOperation, handovers
from payloads import parse_schema
from tests.support.plans import plan_of
from tests.support.schemas import nullable_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.plan import MergePlan
    from payloads import Record

SCHEMA = parse_schema(nullable_schema("Row", id="string", ts="long", v="string"))
NAMES = ("id", "ts", "v")
PROGRAMS = {
    "combine_input": (Origin.INCOMING,),
    "upsert": (Origin.STORED, Origin.INCOMING),
    "append": (Origin.STORED, Origin.INCOMING),
    "snapshot": (Origin.STORED, Origin.LOG),
    "compact": (Origin.STORED, Origin.LOG),
    "simulate": (Origin.INCOMING,),
}
TIMED = {"commits": 3, "log_updates": True, "compact_after": (2,)}

Row = tuple[Origin, int, str, "int | None", "str | None"]


class Moody:
    """Keeps the greater `v`; raises, or makes what does not fit, where `v` says so."""

    def __init__(self, record: Record, ordering_value: Any) -> None:
        self.record, self.ordering_value = record, ordering_value
        if record["v"] == "no record":
            msg = "no such record"
            raise LookupError(msg)

    def pre_combine(self, older: Moody) -> Moody:
        if self.record["v"] == "no pair":
            msg = "no such pair"
            raise LookupError(msg)
        return older if older.ordering_value.value > self.ordering_value.value else self

    def combine_and_get_update_value(self, current: Record, schema: object) -> Record | None:
        if self.record["v"] == "no merge":
            msg = "no such merge"
            raise LookupError(msg)
        if self.record["v"] == "delete":
            return None
        if self.record["v"] == "misfit":
            return {**current, "ts": "text"}
        if self.record["v"] == "made":
            return {**current, "v": "made of both"}
        return self.record if (self.record["v"] or "") >= (current["v"] or "") else current

    def get_insert_value(self, schema: object) -> Record | None:
        if self.record["v"] == "misfit":
            return {**self.record, "ts": "text"}
        return None if self.record["v"] == "delete" else self.record


VALUES = ["a", "b", "made", "delete", "no record", "no pair", "no merge", "misfit"]
versions = st.tuples(st.integers(1, 3), st.sampled_from("abcdef"), st.integers(0, 2), st.sampled_from(VALUES))
stored_keys = st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 2), max_size=6)


def plan(program: str, **settings: Any) -> MergePlan:
    table_type = "cow" if program in {"combine_input", "upsert"} else "mor"
    return plan_of(f"{__name__}:Moody", table_type=table_type, **settings)


def job(program: str, **settings: Any) -> Job:
    arguments: dict[str, object] = dict(TIMED) if program == "simulate" else {}
    return Job(plan(program, **settings), SCHEMA, NAMES, program, arguments, row_counts=True)


def table(rows: list[Row], program: str) -> pa.Table:
    """Sort by key, origin and commit, as Spark does; arrival order stays."""
    ordered = sorted(rows, key=lambda row: (row[2] or "", row[0], row[1] if program == "simulate" else 0))
    found = pa.table(
        {
            "id": pa.array([row[2] for row in ordered], pa.string()),
            "ts": pa.array([row[3] for row in ordered], pa.int64()),
            "v": pa.array([row[4] for row in ordered], pa.string()),
            "_pb_origin": pa.array([row[0] for row in ordered], pa.int8()),
        }
    )
    if program == "simulate":
        found = found.append_column(COMMIT, pa.array([row[1] for row in ordered], pa.int64()))
    if Origin.LOG in PROGRAMS[program]:
        found = found.append_column(IS_DELETE, pa.array([False] * len(ordered)))
    return found


def run(of: Job, rows: list[Row], batch_size: int = 10_000) -> list[dict[str, Any]]:
    batches = table(rows, of.program).to_batches(max_chunksize=batch_size)
    return [row for batch in merged(of, batches) for row in batch.to_pylist()]


def plain(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    names = (*NAMES, ACTION, "_pb_first", "_pb_last", "_pb_to_log")
    return sorted(repr([row.get(name) for name in names]) for row in rows if row[ACTION] is not None)


def counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    totals: collections.Counter[str] = collections.Counter()
    for row in rows:
        if row.get(ROW_COUNTS) is not None:
            totals.update(json.loads(row[ROW_COUNTS]))
    return {name: number for name, number in totals.items() if number}


def status_of(found: dict[str, int], side: str) -> int:
    return sum(number for name, number in found.items() if f" {side} " in name)


def fails_alone(program: str, rows: list[Row]) -> bool:
    try:
        run(job(program), rows)
    except MergeFailedError:
        return True
    return False


def rows_of(program: str, stored: dict[str, int], newer: list[tuple[int, str, int, str]]) -> list[Row]:
    sides = PROGRAMS[program]
    rows: list[Row] = [(Origin.STORED, 0, key, ts, "b") for key, ts in stored.items() if Origin.STORED in sides]
    return rows + [(sides[-1], *one) for one in newer]


@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=settings().max_examples // 2)
@given(stored=stored_keys, newer=st.lists(versions, max_size=12), batch_size=st.sampled_from([1, 2, 3, 10_000]))
def test_keys_that_fail_go_with_all_versions_and_the_others_are_as_without_them(
    program: str, stored: dict[str, int], newer: list[tuple[int, str, int, str]], batch_size: int
) -> None:
    rows = rows_of(program, stored, newer)
    keys = {row[2] for row in rows}
    failing = {key for key in keys if fails_alone(program, [row for row in rows if row[2] == key])}
    found = run(job(program, on_error="quarantine"), rows, batch_size)

    fine = [row for row in rows if row[2] not in failing]
    expected = run(job(program), fine)
    assert plain(found) == plain(expected)
    aside = [row for row in found if row[QUARANTINE] is not None]
    told = sorted(repr((row["id"], row["ts"], row["v"], row[QUARANTINE]["side"])) for row in aside)
    sides = [origin.name.lower() for origin in Origin]
    assert told == sorted(repr((*row[2:], sides[row[0]])) for row in rows if row[2] in failing)
    for row in aside:
        assert row[QUARANTINE]["reason"]
        assert (row[QUARANTINE]["commit"] is not None) == (program == "simulate")


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("on_error", ["fail", "quarantine"])
@settings(max_examples=settings().max_examples // 2)
@given(stored=stored_keys, newer=st.lists(versions, max_size=12), batch_size=st.sampled_from([1, 2, 3, 10_000]))
def test_every_row_is_counted_once(
    program: str, on_error: str, stored: dict[str, int], newer: list[tuple[int, str, int, str]], batch_size: int
) -> None:
    rows = rows_of(program, stored, newer)
    if on_error == "fail":
        keys = {row[2] for row in rows}
        failing = {key for key in keys if fails_alone(program, [row for row in rows if row[2] == key])}
        rows = [row for row in rows if row[2] not in failing]
    found = run(job(program, on_error=on_error), rows, batch_size)
    total = counts(found)
    for origin in Origin:
        assert status_of(total, origin.name.lower()) == sum(row[0] is origin for row in rows)
    left = [row for row in found if row[ACTION] in {Action.INSERT, Action.UPDATE, Action.KEEP}]
    kept = sum(number for name, number in total.items() if name.endswith(" kept"))
    if program != "simulate":  # where a row may be seen, hidden, and be seen again
        assert kept + total.get("made", 0) == len(left)
    aside = sum(number for name, number in total.items() if name.endswith(" quarantined"))
    assert aside == sum(row.get(QUARANTINE) is not None for row in found)


def test_the_statuses_of_an_upsert() -> None:
    stored: list[Row] = [(Origin.STORED, 0, key, 1, "b") for key in "abcde"]
    newer: list[Row] = [
        (Origin.INCOMING, 1, key, ts, v)
        for key, ts, v in [
            ("a", 1, "a"),  # loses
            ("b", 1, "c"),  # wins
            ("c", 1, "made"),
            ("d", 1, "delete"),
            ("f", 1, "x"),  # combined
            ("f", 2, "y"),
            ("g", 1, "delete"),  # of an unknown key
        ]
    ]
    assert counts(run(job("upsert"), stored + newer)) == {
        "upsert stored kept": 2,
        "upsert stored merged": 2,
        "upsert stored deleted": 1,
        "upsert incoming kept": 2,
        "upsert incoming merged": 1,
        "upsert incoming ignored": 2,
        "upsert incoming deleted": 1,
        "combine-input incoming merged": 1,
        "made": 1,
    }


def test_the_statuses_of_the_rows_of_a_table() -> None:
    batches = [
        [("a", 5, "x"), ("b", 1, "x"), ("b", 2, "y")],  # two rows of b are combined
        [("a", 4, "y"), ("b", 3, "a"), ("c", 1, "delete")],  # a wins and b loses by value, c is unknown
        [("a", 6, "made"), ("b", 4, "delete")],
    ]
    rows: list[Row] = [(Origin.INCOMING, number, *row) for number, batch in enumerate(batches, 1) for row in batch]
    table = Job(plan("upsert"), SCHEMA, NAMES, "simulate", {"commits": 3, "log_updates": False}, row_counts=True)
    for batch_size in (1, 2, 10_000):
        found = counts(run(table, rows, batch_size))
        assert {name: number for name, number in found.items() if name != "made"} == {
            "snapshot incoming kept": 3,
            "snapshot incoming merged": 2,
            "snapshot incoming ignored": 2,
            "snapshot incoming deleted": 1,
        }


TIMES = {"commits": 3, "compact_after": (2,)}
OPERATIONS = {2: WriteOperation.INSERT, 3: WriteOperation.DELETE}
TABLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "simulate": ({"log_updates": True}, {}),
    "simulate_small_files": ({"candidates": 1}, {}),
    "simulate_global_index": ({"log_updates": True}, {"global_index": True, "partition": "v"}),
    "simulate_operations": ({"log_updates": True, "operations": Operations(OPERATIONS)}, {}),
    "simulate_global_operations": (
        {"log_updates": False, "operations": Operations(OPERATIONS)},
        {"global_index": True, "partition": "v", "table_type": "cow"},
    ),
    "simulate_upgrade": ({"log_updates": True}, {}),
    "simulate_global_upgrade": ({"log_updates": True}, {"global_index": True, "partition": "v"}),
    "simulate_global_operations_upgrade": (
        {"log_updates": True, "operations": Operations({2: WriteOperation.DELETE})},
        {"global_index": True, "partition": "v"},
    ),
}
written = st.tuples(st.integers(1, 3), st.sampled_from("abc"), st.integers(0, 2), st.sampled_from("xy"))


@pytest.mark.parametrize("program", TABLES)
@settings(max_examples=settings().max_examples // 2)
@given(rows=st.lists(written, max_size=10, unique_by=lambda row: row[:2]), size=st.sampled_from([1, 9]))
def test_the_rows_of_any_table_are_counted_once(program: str, rows: list[tuple[Any, ...]], size: int) -> None:
    arguments, where = TABLES[program]
    plan = plan_of(release="0.15", **{"table_type": "mor", **where})
    if program.endswith("_upgrade"):
        next_writer = NextWriter(1, dataclasses.replace(plan, release="1.2"))
        arguments = arguments | {"handover": handovers(plan, [next_writer], commits=3)}
    of = Job(plan, SCHEMA, NAMES, program, {**TIMES, **arguments}, row_counts=True)
    versions = table([(Origin.INCOMING, *row) for row in rows], "simulate")
    if of.spec.by_partition:
        versions = versions.sort_by([(COMMIT, "ascending")])
    found = [row for batch in merged(of, versions.to_batches(max_chunksize=size)) for row in batch.to_pylist()]
    texts = [row[ROW_COUNTS] for row in found if row[ROW_COUNTS] is not None]
    RowCounts.of_texts({"incoming": len(rows)}, texts).check_sides()


@settings(max_examples=settings().max_examples // 2)
@given(rows=st.lists(written, max_size=10, unique_by=lambda row: row[:2]), table_type=st.sampled_from(["cow", "mor"]))
def test_a_search_of_all_paths_counts_rows_on_that_of_the_batches_as_they_are(rows, table_type) -> None:
    own = plan_of(release="0.15", table_type=table_type)
    versions = table([(Origin.INCOMING, *row) for row in rows], "simulate").to_batches()
    ways = {
        "simulate": {"commits": 3, "log_updates": table_type == "mor"},
        "all_paths": {"table_types": (table_type,)},
    }
    jobs = (Job(own, SCHEMA, NAMES, program, given, row_counts=True) for program, given in ways.items())
    simulated, searched = (
        counts([row for batch in merged(one, versions) for row in batch.to_pylist()]) for one in jobs
    )
    assert {name: number for name, number in searched.items() if name != "made"} == {
        name: number for name, number in simulated.items() if name != "made"
    }


def test_a_key_that_fails_on_its_own_path_counts_as_quarantined() -> None:
    """It has an answer: as one batch its versions never meet a stored row."""
    rows: list[Row] = [(Origin.INCOMING, 1, "a", 1, "a"), (Origin.INCOMING, 2, "a", 2, "no merge")]
    of = Job(plan("upsert"), SCHEMA, NAMES, "all_paths", {"table_types": ("cow",)}, row_counts=True)
    found = [row for batch in merged(of, table(rows, "simulate").to_batches()) for row in batch.to_pylist()]
    statuses = {name: number for name, number in counts(found).items() if name != "made"}
    assert statuses == {"snapshot incoming quarantined": 2}


def test_a_defect_on_its_own_path_is_no_key_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(*_: object) -> None:
        message = "a defect of the program"
        raise TypeError(message)

    monkeypatch.setattr("bridge.programs.path_programs.Table.finish", defect)
    of = Job(plan("upsert"), SCHEMA, NAMES, "all_paths", {"table_types": ("cow",)}, row_counts=True)
    with pytest.raises(MergeFailedError, match="a defect of the program"):
        list(merged(of, table([(Origin.INCOMING, 1, "a", 1, "a")], "simulate").to_batches()))


def test_the_statuses_of_a_key_with_several_rows() -> None:
    """An insert looks nothing up, and a delete finds all that there is."""
    batches = [[("a", 1, "x")], [("a", 1, "x"), ("b", 1, "y")], [("a", 5, "z"), ("c", 5, "z")]]
    rows: list[Row] = [(Origin.INCOMING, number, *row) for number, batch in enumerate(batches, 1) for row in batch]
    of = Job(
        plan_of(), SCHEMA, NAMES, "simulate_operations", {**TIMES, **TABLES["simulate_operations"][0]}, row_counts=True
    )
    found = counts([row for batch in merged(of, table(rows, "simulate").to_batches()) for row in batch.to_pylist()])
    assert {name: number for name, number in found.items() if name != "made"} == {
        "snapshot incoming kept": 3,
        "snapshot incoming deleted": 1,
        "snapshot incoming ignored": 1,
    }


def test_a_row_without_a_key_is_quarantined() -> None:
    rows: list[Row] = [(Origin.INCOMING, 1, None, 1, "a"), (Origin.INCOMING, 1, "a", 1, "a")]  # type: ignore[list-item]
    found = run(job("upsert", on_error="quarantine"), rows)
    aside = [row for row in found if row[QUARANTINE] is not None]
    assert [(row["v"], row[QUARANTINE]["reason"]) for row in aside] == [
        ("a", "the key column 'id' is null; fill it or drop the row")
    ]
    assert counts(found) == {"upsert incoming quarantined": 1, "upsert incoming kept": 1}


def test_an_ordering_value_that_does_not_compare_is_the_reason() -> None:
    rows: list[Row] = [(Origin.INCOMING, 1, "a", None, "a"), (Origin.INCOMING, 1, "a", 1, "a")]
    of = Job(plan_of(on_error="quarantine"), SCHEMA, NAMES, "upsert")
    aside = [row for row in run(of, [*rows, (Origin.INCOMING, 1, "b", 1, "b")]) if row[QUARANTINE] is not None]
    assert [(row["id"], row["ts"]) for row in aside] == [("a", None), ("a", 1)]
    assert aside[0][QUARANTINE]["merge_point"] == "combine-input"


def test_a_reason_has_no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        msg = "no such file: s3a://me:hunter2@bucket/x, with fs.s3a.secret.key=hunter2"
        raise LookupError(msg)

    monkeypatch.setattr(Moody, "get_insert_value", failing)
    (aside,) = [
        row for row in run(job("upsert", on_error="quarantine"), [(Origin.INCOMING, 1, "a", 1, "a")]) if row["id"]
    ]
    assert "LookupError: no such file: s3a://***@bucket/x, with" in aside[QUARANTINE]["reason"]
    assert "hunter2" not in repr(aside)


def test_what_is_wrong_with_all_keys_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Moody, "get_insert_value", full)
    with pytest.raises(MergeFailedError, match="MemoryError"):
        run(job("upsert", on_error="quarantine"), [(Origin.INCOMING, 1, "a", 1, "a")])


@pytest.mark.parametrize("times", [0, 2])
def test_books_of_a_lost_or_doubled_outcome_do_not_balance(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    flush = Outcomes.flush

    def flawed(self: Outcomes, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for found in flush(self, batch):
            yield from [found] * times

    monkeypatch.setattr(Outcomes, "flush", flawed)
    rows: list[Row] = [(Origin.STORED, 0, "a", 1, "b"), *[(Origin.INCOMING, 1, "a", 1, "c")] * 2]
    found = run(job("append"), rows)
    texts = [row[ROW_COUNTS] for row in found if row[ROW_COUNTS] is not None]
    left = sum(row[ACTION] is not None for row in found)
    row_counts = dataclasses.replace(RowCounts.of_texts({"stored": 1, "incoming": 2}, texts), rows_out=left)
    row_counts.check_sides()
    with pytest.raises(RowCountsError, match=f"the result has {2 * times} rows, but 2 were kept and 0 made"):
        row_counts.check()


@pytest.mark.parametrize("rows_in", [0, 2])
def test_books_of_a_lost_or_doubled_version_do_not_balance(rows_in: int) -> None:
    rows: list[Row] = [(Origin.STORED, 0, "a", 1, "b"), (Origin.INCOMING, 1, "a", 1, "c")]
    texts = [row[ROW_COUNTS] for row in run(job("upsert"), rows) if row[ROW_COUNTS] is not None]
    with pytest.raises(RowCountsError, match=f"of {rows_in} incoming input rows, 0 merged, 1 kept"):
        RowCounts.of_texts({"stored": 1, "incoming": rows_in}, texts).check_sides()


GLOBAL = {"hoodie.simple.index.update.partition.path": "true"}
moves = st.tuples(st.sampled_from([0, 1, 2, 2]), st.sampled_from("ab"), st.sampled_from("xy"), st.integers(0, 3))


@pytest.mark.parametrize("program", ["upsert_global_index", "append_global_index"])
@settings(max_examples=settings().max_examples // 2)
@given(moved=st.lists(moves, max_size=8), release=st.sampled_from(["0.15", "1.0", "1.2"]), size=st.sampled_from([1, 9]))
def test_rows_that_move_between_partitions_are_counted_once(
    program: str, moved: list[tuple[int, str, str, int]], release: str, size: int
) -> None:
    """A log may have a stored row once more, which counts as made."""
    with_log = program == "append_global_index"
    stored = {row[1]: row for row in moved if row[0] == Origin.STORED}
    newer = [row for row in moved if row[0] == Origin.INCOMING or (with_log and row[0] == Origin.LOG)]
    rows = sorted([*stored.values(), *newer], key=lambda row: (row[1], row[0]))
    columns = {
        "id": pa.array([row[1] for row in rows], pa.string()),
        "ts": pa.array([row[3] for row in rows], pa.int64()),
        "v": pa.array([row[2] for row in rows], pa.string()),
        "_pb_origin": pa.array([row[0] for row in rows], pa.int8()),
    }
    if with_log:
        columns |= {COMMIT: pa.array([1] * len(rows)), IS_DELETE: pa.array([False] * len(rows))}
    table_type = "mor" if with_log else "cow"
    where = {"global_index": True, "partition": "v", "props": GLOBAL, "on_error": "quarantine"}
    moving = Job(plan_of(release=release, table_type=table_type, **where), SCHEMA, NAMES, program, row_counts=True)
    batches = pa.table(columns).to_batches(max_chunksize=size)
    found = [row for batch in merged(moving, batches) for row in batch.to_pylist()]
    sides = collections.Counter(Origin(row[0]).name.lower() for row in rows)
    row_counts = RowCounts.of_texts(sides, [row[ROW_COUNTS] for row in found if row[ROW_COUNTS] is not None])
    left = sum(row[ACTION] in {Action.INSERT, Action.UPDATE, Action.KEEP} for row in found)
    dataclasses.replace(row_counts, rows_out=left).check()
