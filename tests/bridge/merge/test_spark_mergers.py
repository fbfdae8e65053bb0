"""A merger of record type SPARK: what Hudi made of the same batches with the same merger in Java.

Recorded from 1.0.2, 1.1.1 and 1.2.0, with logs in Parquet, the only ones that Hudi writes for such a merger.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from bridge import MergePlan, PlanError
from bridge.engines import Job
from bridge.engines.python.worker import merged
from bridge.merge import Action, RecordMerge, class_warnings
from bridge.programs import Origin
from mergers import MergerConfigError
from payloads import parse_schema
from tests.bridge.programs.test_global_index import MOVES
from tests.support.one_key import SCHEMA, plan_of, row, rows_after
from tests.support.schemas import nullable_schema

MERGER = "tests.support.user_mergers:SparkRows"
BASE = row(5, "s")
KINDS = {"part": "string", "ts": "long", "v": "string", "op": "string", "_hoodie_is_deleted": "boolean"}
GLOBAL_SCHEMA = parse_schema(nullable_schema("Row", id="string", **KINDS))
ARROW = {name: {"string": pa.string(), "long": pa.int64(), "boolean": pa.bool_()}[kind] for name, kind in KINDS.items()}
RECORDED = {
    # The batches after the first row, and what a query shows after each: copy-on-write, then merge-on-read.
    "newer": ([[row(6, "b")]], [(6, "b")], [(6, "b")]),
    "late": ([[row(3, "b")], [row(2, "c", deleted=True)]], [(3, "b"), None], [(3, "b"), (3, "b")]),
    "keep": ([[row(6, "b", "keep")]], [(5, "s")], [(5, "s")]),
    "delete": ([[row(6, "b", "delete")], [row(7, "c")]], [None, (7, "c")], [None, (7, "c")]),
    "made": ([[row(6, "b", "made")]], [(6, "s+b")], [(6, "s+b")]),
    "flag": ([[row(6, "b", "flag")]], [None], [None]),
    "empty": ([[row(6, "b", "empty")], [row(7, "c")]], [None, (7, "c")], [None, (7, "c")]),
    "deleted": ([[row(6, "b", deleted=True)]], [None], [None]),
    "deleted late": ([[row(3, "b", deleted=True)]], [None], [(5, "s")]),
    "combined": ([[row(6, "b1"), row(7, "b2", "made")]], [(7, "s+b1+b2")], [(7, "s+b1+b2")]),
    "combined delete first": ([[row(6, "b1", deleted=True), row(7, "b2")]], [(7, "b2")], [(7, "b2")]),
    "combined delete last": ([[row(7, "x"), row(6, "y", deleted=True)]], [None], [None]),
    "combined keep": ([[row(8, "x", "keep"), row(6, "y", "keep")]], [(5, "s")], [(5, "s")]),
}
LATER = RECORDED | {
    # In 1.1.1 and 1.2.0 deletes reach the merger in logs, too, and a flag in the row that it makes is data.
    "late": (RECORDED["late"][0], [(3, "b"), None], [(3, "b"), None]),
    "flag": (RECORDED["flag"][0], [(6, "b")], [(6, "b")]),
    "deleted late": (RECORDED["deleted late"][0], [None], [None]),
    "kept after a delete": ([[row(6, "b", deleted=True)], [row(4, "c", "keep")]], [None, (4, "c")], [None, None]),
}
CASES = [("1.0", case) for case in RECORDED] + [(release, case) for release in ("1.1", "1.2") for case in LATER]


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize(("release", "case"), CASES)
def test_it_is_called_wherever_versions_meet(release, case, table_type):
    batches, *expected = (RECORDED if release == "1.0" else LATER)[case]
    seen = rows_after(plan_of(None, release, table_type, merger=MERGER), [BASE], *batches)
    shown = [found and (found["ts"], found["v"]) for found in seen[1:]]
    assert shown == expected[table_type == "mor"]


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_later_releases_fail_with_a_global_index(release):
    plan = MergePlan(merger=MERGER, release=release, key="id", partition="part", ordering="ts", props=MOVES)
    with pytest.raises(PlanError, match=r"with a global index a writer of Hudi 1\.. fails where it reads the rows"):
        RecordMerge(plan, GLOBAL_SCHEMA)


@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_it_is_called_in_a_batch_of_a_new_key_in_order_of_arrival(table_type):
    plan = plan_of(None, "1.0", table_type, merger=MERGER)
    (seen,) = rows_after(plan, [row(6, "b1"), row(4, "b2", "made")])
    assert (seen["ts"], seen["v"]) == (4, "b1+b2")
    assert rows_after(plan, [row(6, "u", deleted=True)]) == [None]


def test_a_writer_knows_no_delete_marker_of_the_user():
    props = {"hoodie.payload.delete.field": "v", "hoodie.payload.delete.marker": "x"}
    marked = plan_of(None, "1.0", "cow", merger=MERGER, props=props)
    assert [found["v"] for found in rows_after(marked, [BASE], [row(6, "x")])] == ["s", "x"]


def test_of_an_uncombined_batch_the_last_row_is_merged():
    plan = plan_of(None, "1.0", "cow", merger=MERGER, combine_before_upsert=False)
    assert rows_after(plan, [BASE], [row(6, "x"), row(7, "y", "made")])[-1]["v"] == "s+y"


@pytest.mark.parametrize(
    ("table_type", "commits", "point", "words"),
    [
        ("cow", [[row(6, "x"), row(7, "y", "delete")]], "combine-input", "No value present in Option"),
        ("mor", [[row(6, "x")], [row(7, "y", "empty")]], "log-fold", "NullPointerException"),
    ],
)
def test_what_hudi_fails_on_is_refused(table_type, commits, point, words):
    plan = plan_of(None, "1.0", table_type, merger=MERGER)
    failure = rows_after(plan, [BASE], *commits)[-1]
    assert isinstance(failure, MergerConfigError)
    assert words in str(failure)


def test_it_gets_the_meta_columns_of_the_stored_row_alone():
    rows_after(plan_of(None, "1.0", "cow", merger=f"{__name__}:Notes"), [BASE], [row(6, "b")])
    width = len(SCHEMA.fields)
    assert Notes.seen == [(width + 5, width, row(6, "b"))]


class Notes:
    """Notes what it gets, in the five arguments of Java's interface."""

    merging_strategy, record_type = "3f0f7d0c-52c8-4d0e-9d1b-7f6a2b1f9c33", "SPARK"
    seen: ClassVar[list[Any]] = []

    def merge(self, older, older_schema, newer, newer_schema, props):
        self.seen.append((len(older_schema.fields), len(newer_schema.fields), newer.record))
        return newer


GLOBAL = {
    # What arrives in another partition for the row (p, 5, s), and where the row is then.
    "made": (("q", 6, "x", "made", None), [("q", 6, "s+x")]),
    "keep": (("q", 6, "x", "keep", None), [("p", 5, "s")]),
    "delete": (("q", 6, "x", "delete", None), []),
    "deleted": (("q", 6, "x", None, True), []),
}


@pytest.mark.parametrize("case", GLOBAL)
def test_a_global_index_calls_it_to_know_the_partition(case):
    incoming, expected = GLOBAL[case]
    plan = MergePlan(
        merger=MERGER, release="1.0", key="id", partition="part", ordering="ts", props=MOVES, engine="python"
    )
    names = ("part", "ts", "v", "op", "_hoodie_is_deleted")
    rows = [("p", 5, "s", None, None), incoming]
    columns = {name: pa.array(values, ARROW[name]) for name, values in zip(names, zip(*rows, strict=True), strict=True)}
    origins = pa.array([Origin.STORED, Origin.INCOMING], pa.int8())
    table = pa.table({"id": ["a", "a"], **columns, "_pb_origin": origins})
    job = Job(plan, GLOBAL_SCHEMA, ("id", *names), "upsert_global_index")
    found = [one for batch in merged(job, table.to_batches()) for one in batch.to_pylist()]
    gone = (Action.DELETE, Action.SKIP)
    assert [(one["part"], one["ts"], one["v"]) for one in found if one["_pb_action"] not in gone] == expected


def test_a_warning_names_a_merger_that_hudi_does_not_call():
    avro = plan_of(None, "1.0", merger="tests.support.user_mergers:LaterEvent")
    (warning,) = class_warnings(avro, avro)
    assert "Hudi 1.0 on Spark does not call tests.support.user_mergers:LaterEvent, which merges AVRO" in warning
    called = [plan_of(None, "1.0", merger=MERGER), plan_of(None, "1.0", merger="EVENT_TIME_ORDERING")]
    assert class_warnings(*called, plan_of(None, "1.2", "cow", merger="tests.support.user_mergers:LaterEvent")) == []
    (warning,) = class_warnings(dataclasses.replace(avro, release="1.2"))
    assert "writers of Hudi 1.2 on Spark call tests.support.user_mergers:LaterEvent" in warning
    assert "a query of a merge-on-read table fails where there are log files" in warning
