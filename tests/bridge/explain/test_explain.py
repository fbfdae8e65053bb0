"""Explain: traces end as the tables of real Hudi, and what they say of each call is what happened there."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import Batches, InputError, MergePlan, PlanError, explain
from bridge.cli import main
from bridge.compare.comparison import Comparison
from bridge.demo.issues import ISSUES
from bridge.explain.explanation import explain_sides
from bridge.explain.report import ExplainReport
from bridge.explain.trace import Trace, Tracer, trace_key
from bridge.explain.versions import winner, wins
from bridge.merge.carriers import StoredRow
from bridge.merge.outcome import Action, Outcome
from bridge.merge.points import MergePoint
from bridge.plan import TableType
from bridge.programs import handover
from bridge.report import Table, json_record
from mergers import MergerRef
from payloads import parse_schema
from tests.support.plans import plan_of
from tests.support.schemas import nullable, nullable_schema, record_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from payloads import AvroSchema, Record

PAYLOADS = "tests.support.user_payloads"
SCHEMA = parse_schema(
    record_schema(
        "account",
        id="string",
        ts=nullable("long"),
        name=nullable("string"),
        op=nullable("string"),
        _hoodie_is_deleted=nullable("boolean"),
    )
)
MARKER = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "gone"}


def row(ts: int | None, name: str | None = None, op: str | None = None, *, deleted: bool | None = None) -> Record:
    return {"id": "a", "ts": ts, "name": name, "op": op, "_hoodie_is_deleted": deleted}


def rules(
    versions: list[tuple[int, Record]], plan: MergePlan, schema: AvroSchema = SCHEMA, **settings: Any
) -> list[str]:
    trace = trace_key(versions, plan, schema, **settings)
    assert trace.error is None
    return [call.rule for call in trace.calls]


# -- what is said of a call


@pytest.mark.parametrize(
    ("release", "payload", "versions", "point", "expected"),
    [
        (
            "0.15",
            "DefaultHoodieRecordPayload",
            [(1, row(5)), (2, row(3, "late"))],
            MergePoint.UPSERT,
            "ts 3 < 5: the older version stays",
        ),
        (
            "1.0",
            "OverwriteWithLatestAvroPayload",
            [(1, row(5)), (2, row(3, "late"))],
            MergePoint.UPSERT,
            "ordering values are not compared: the newer version wins (ts: 5, then 3)",
        ),
        (
            "0.15",
            "OverwriteWithLatestAvroPayload",
            [(1, row(5)), (1, row(3, "late"))],
            MergePoint.COMBINE_INPUT,
            "ts 3 < 5: the older version stays",
        ),
        (
            "0.15",
            "OverwriteWithLatestAvroPayload",
            [(1, row(5)), (2, row(6, deleted=True))],
            MergePoint.UPSERT,
            "the newer version is a delete (_hoodie_is_deleted is true): no row is left (ts: 5, then 6)",
        ),
        (
            "0.15",
            "OverwriteNonDefaultsWithLatestAvroPayload",
            [(1, row(5, "Ann")), (2, row(6))],
            MergePoint.UPSERT,
            (
                "ordering values are not compared: the newer version wins, as a new row (ts: 5, then 6)"
                "; kept from the older version: name"
            ),
        ),
        (
            "1.2",
            "DefaultHoodieRecordPayload",
            [(1, row(2)), (2, row(3))],
            MergePoint.UPSERT,
            "ts 3 > 2: the newer version wins",
        ),
        (
            "1.2",
            "DefaultHoodieRecordPayload",
            [(1, row(3)), (2, row(3, "tie"))],
            MergePoint.UPSERT,
            "ts 3 = 3, a tie: the newer version wins",
        ),
        (
            "1.2",
            "DefaultHoodieRecordPayload",
            [(1, row(3)), (2, row(2, "late", deleted=True))],
            MergePoint.UPSERT,
            "ts 2 < 3: the older version stays",
        ),
        (
            "1.2",
            "DefaultHoodieRecordPayload",
            [(1, row(3)), (2, row(4, deleted=True))],
            MergePoint.UPSERT,
            "ts 4 > 3: the newer version wins, and deletes (_hoodie_is_deleted is true)",
        ),
        (
            "1.2",
            "OverwriteWithLatestAvroPayload",
            [(1, row(3)), (2, row(2))],
            MergePoint.UPSERT,
            "ordering values are not compared: the newer version wins (ts: 3, then 2)",
        ),
        (
            "1.2",
            "PartialUpdateAvroPayload",
            [(1, row(5, "Ann")), (2, row(6))],
            MergePoint.UPSERT,
            "ts 6 > 5: the newer version wins, as a new row; kept from the older version: name (IGNORE_DEFAULTS)",
        ),
        (
            "0.15",
            "DefaultHoodieRecordPayload",
            [(1, row(5, deleted=True))],
            MergePoint.INSERT,
            "it is a delete (_hoodie_is_deleted is true): nothing is there to delete",
        ),
        ("1.2", "DefaultHoodieRecordPayload", [(1, row(5))], MergePoint.INSERT, "no row is stored yet: inserted"),
    ],
)
def test_the_rule_that_decided(
    release: str, payload: str, versions: list[tuple[int, Record]], point: MergePoint, expected: str
) -> None:
    trace = trace_key(versions, plan_of(payload, release), SCHEMA)
    assert trace.error is None
    assert [call.rule for call in trace.calls if call.point is point][-1] == expected


def test_a_delete_without_an_ordering_value() -> None:
    plan = plan_of("DefaultHoodieRecordPayload", "1.2", ordering=())
    assert rules([(1, row(3)), (2, row(2, deleted=True))], plan)[-1] == (
        "the newer version is a delete and has the ordering value 0 (none): the newer version wins, and deletes "
        "(_hoodie_is_deleted is true)"
    )


def test_a_payload_that_answers_sentinel_is_quoted() -> None:
    old = plan_of("MySqlDebeziumAvroPayload", "0.15", ordering="ts")
    change = handover(old, dataclasses.replace(old, release="1.2"), after=1, keep_table_version=True)
    names = ("id", "ts", "_change_operation_type", "_event_bin_file", "_event_pos")
    schema = parse_schema(nullable_schema("r", **dict.fromkeys(names, "string")))
    versions = [(1, dict(zip(names, ("a", "9.1", "c", "f.9", "1"), strict=True)))]
    versions += [(2, dict(zip(names, ("a", "10.1", "u", "f.10", "1"), strict=True)))]
    told = trace_key(versions, old, schema, handover=change)
    # The table stores no class, so another one than the writer's is asked: it compares text, and is named.
    assert told.calls[-1].rule == (
        "DefaultHoodieRecordPayload: ts '10.1' < '9.1' as text: the older version is left as it is (SENTINEL)"
    )


def test_a_custom_marker_is_named() -> None:
    plan = plan_of("DefaultHoodieRecordPayload", "1.2", props=MARKER)
    assert rules([(1, row(1)), (2, row(2, op="gone"))], plan)[-1] == (
        "ts 2 > 1: the newer version wins, and deletes (op is 'gone')"
    )


@pytest.mark.parametrize(
    ("release", "ignored", "counted"),
    [
        (
            "0.15",
            "the delete entry at 3 is older than the logged version at 5: it is ignored",
            "the delete entry at 7 is not older than the logged version at 5: it wins",
        ),
        (
            "1.2",
            "ts 3 < 5: the logged version stays, and the delete entry is ignored",
            "ts 7 > 5: the delete entry wins",
        ),
    ],
)
def test_delete_entries_of_a_log(release: str, ignored: str, counted: str) -> None:
    plan = plan_of("DefaultHoodieRecordPayload", release, "mor")
    versions = [(1, row(1)), (2, row(5)), (3, row(3, deleted=True)), (4, row(7, deleted=True))]
    told = rules(versions, plan)
    assert ignored in told
    assert counted in told
    assert any(re.search(r"delete.* \(_hoodie_is_deleted is true\): logged as a delete entry", one) for one in told)


def test_classes_that_do_not_compare_are_named() -> None:
    schema = parse_schema({**SCHEMA.source, "fields": [
        {**one, "type": ["null", "string"]} if one["name"] == "ts" else one for one in SCHEMA.source["fields"]
    ]})  # fmt: skip
    versions = [(1, row(1)), (2, row(5)), (3, row(3, deleted=True))]
    texts = [(commit, {**one, "ts": str(one["ts"])}) for commit, one in versions]
    told = rules(texts, plan_of("DefaultHoodieRecordPayload", "1.0", "mor"), schema)
    assert "ts '3' after '5', values of different types that are not compared: the delete entry wins" in told


def test_users_classes_are_recorded_and_their_results_stay_the_same(spark: SparkSession) -> None:
    plan = plan_of(f"{PAYLOADS}:Counts", "0.15", "mor")
    versions = [(1, row(1, "a")), (2, row(2, "b")), (3, row(3, "c")), (3, row(4, "d"))]
    trace = trace_key(versions, plan, SCHEMA)
    assert [call.rule for call in trace.calls if call.point is MergePoint.LOG_FOLD] == [
        "the class states no rule: pre_combine returns the newer version (ts: 2, then 4)"
    ]
    columns = (
        "_pb_commit int, _pb_arrival int, id string, ts bigint, name string, op string, _hoodie_is_deleted boolean"
    )
    frame = spark.createDataFrame([(c, n, *one.values()) for n, (c, one) in enumerate(versions)], columns)
    told = explain(Batches.by(frame, "_pb_commit"), plan, {"id": "a"})
    assert told.sides[0].trace.rows == trace.rows


def test_a_merger_is_named() -> None:
    plan = plan_of(None, "1.2", merger="tests.support.user_mergers:LastArrival")
    assert rules([(1, row(5)), (2, row(3))], plan)[-1] == (
        "tests.support.user_mergers:LastArrival merges: the newer version wins (ts: 5, then 3)"
    )


def test_the_versions_of_a_trace_have_their_statuses() -> None:
    versions = [(1, row(1, "x")), (2, row(3, "y")), (3, row(2, "z")), (4, row(4, "w", deleted=True))]
    row_counts = trace_key(versions, plan_of("DefaultHoodieRecordPayload", "1.2"), SCHEMA).row_counts
    assert row_counts is not None
    assert row_counts.lines() == [
        {
            "merge_point": "snapshot",
            "side": "incoming",
            "merged": 0,
            "kept": 2,
            "deleted": 1,
            "ignored": 1,
            "quarantined": 0,
        }
    ]


def test_an_error_ends_a_trace() -> None:
    told = trace_key([(1, row(1)), (2, row(None))], plan_of("DefaultHoodieRecordPayload", "0.15"), SCHEMA)
    assert [call.commit for call in told.calls] == [1]
    assert "ordering value is null" in str(told.error)
    assert "key id='a'" in str(told.error)


def test_an_edit_that_a_reader_loses_is_reported() -> None:
    issue = ISSUES[19748]
    old, new = (issue.plan(issue.payloads[0], release, TableType.MERGE_ON_READ) for release in ("0.15", "1.2"))  # type: ignore[arg-type]
    versions = [(commit, one) for commit, batch in enumerate(issue.batches, start=1) for one in batch]
    change = handover(old, new, after=1, keep_table_version=True)
    assert rules(versions, old, issue.schema, handover=change)[-1] == (
        "_event_lsn 2 > 1: the newer version wins, edited in place; the reader considers it unchanged, and the edit is "
        "lost"
    )


def test_payloads_that_payloads_make_are_recorded() -> None:
    plan = plan_of("PartialUpdateAvroPayload", "0.15", "mor")
    told = rules([(1, row(1, "a")), (2, row(2, "b")), (3, row(3))], plan)
    assert told[-2:] == [
        "ts 3 > 2: the newer version wins, as a new row; kept from the older version: name",
        "ts 3 > 1: the newer version wins, as a new row",
    ]


def test_what_one_key_does_not_tell_is_refused() -> None:
    plan = plan_of("FirstValueAvroPayload", "0.15", "mor", props={"hoodie.parquet.small.file.limit": "1"})
    with pytest.raises(PlanError, match="small-file"):
        trace_key([(1, row(1))], plan, SCHEMA)


def test_a_compiled_merger_is_traced_where_there_is_a_jvm() -> None:
    plan = MergePlan(merger=MergerRef("com.acme.M", jar="acme.jar"), release="1.0", key="id")
    trace = trace_key([(1, row(1))], plan, SCHEMA)
    assert "com.acme.M has no Python class" in str(trace.error)


@pytest.mark.parametrize("table_type", ["cow", "mor"])
@pytest.mark.parametrize("is_upgraded", [False, True])
def test_a_tracer_starts_each_key_anew(table_type: str, is_upgraded: bool) -> None:  # noqa: FBT001 (pytest names it)
    plan = plan_of("DefaultHoodieRecordPayload", "0.15", table_type)
    new = dataclasses.replace(plan, release="1.2")
    change = handover(plan, new, after=1) if is_upgraded else None
    merged, failed, keyless = (
        [(1, row(5)), (2, row(3))],
        [(1, row(5)), (2, row(3)), (2, row(None))],
        [(1, {"id": None})],
    )

    def tracer() -> Tracer:
        return Tracer(plan, SCHEMA, commits=3, compact_after=[2], handover=change)

    def told(trace: Trace) -> tuple[Any, ...]:
        return trace.calls, trace.rows, str(trace.error)

    one = tracer()
    for versions in (merged, failed, merged, keyless, merged):
        assert told(one.trace(versions)) == told(tracer().trace(versions))
    assert one.trace(failed).calls
    assert all(one.trace(versions).error is not None for versions in (failed, keyless))


# -- two sides


def two(versions: list[tuple[int, Record]], left: MergePlan, right: MergePlan, **settings: Any) -> ExplainReport:
    commits = versions[-1][0]
    sides = Comparison(left, right, commits, **settings)
    return ExplainReport({"id": "a"}, versions, SCHEMA, commits, explain_sides(versions, SCHEMA, sides))


def test_the_call_at_which_releases_part() -> None:
    versions = [(1, row(1)), (2, row(5)), (2, row(3, "late")), (3, row(9))]
    left, right = (plan_of("OverwriteWithLatestAvroPayload", release) for release in ("0.15", "1.2"))
    told = two(versions, left, right)
    assert (told.ends_equal, told.first_difference()) == (True, 2)
    assert [call and (call.commit, call.point) for call in told.deciding_calls()] == [(2, MergePoint.COMBINE_INPUT)] * 2
    assert two(versions, left, left).deciding_calls() == (None, None)


def test_the_call_at_which_table_types_part() -> None:
    versions = [(1, row(5)), (2, row(3, "late")), (3, row(4, "later"))]
    types = [plan_of("DefaultHoodieRecordPayload", "0.15", kind) for kind in ("cow", "mor")]
    assert two(versions, *types).ends_equal
    deleted = [(1, row(1)), (2, row(5, deleted=True)), (3, row(3, "back"))]
    told = two(deleted, *types)
    assert (told.ends_equal, told.first_difference()) == (True, None)
    flags = [plan_of("EventTimeAvroPayload", "1.0", kind) for kind in ("cow", "mor")]
    told = two(deleted, *flags)
    assert (told.ends_equal, told.first_difference()) == (False, 3)
    points = [call and call.point for call in told.deciding_calls()]
    assert points == [MergePoint.INSERT, MergePoint.LOG_FOLD]


def test_an_upgraded_side_names_the_release_that_merged() -> None:
    old = plan_of("OverwriteWithLatestAvroPayload", "0.15", "mor")
    versions = [(1, row(1)), (2, row(2)), (3, row(3))]
    told = two(versions, old, dataclasses.replace(old, release="1.2"), upgrade_after=2)
    calls = told.sides[1].trace.calls
    assert [str(call.release) for call in calls if call.commit < 3] == ["0.15"] * 3
    assert {str(call.release) for call in calls if call.commit == 3} == {"1.2"}
    compaction = next(call for call in calls if call.point is MergePoint.COMPACT)
    assert compaction.rule.startswith("upgrading the table: ")


def test_a_side_that_is_refused_ends_differently() -> None:
    left = plan_of("FirstValueAvroPayload", "1.0")
    told = two([(1, row(1)), (2, row(2))], left, dataclasses.replace(left, release="1.2"))
    assert not told.ends_equal
    assert "does not ship" in str(told.sides[1].trace.error)


@pytest.mark.parametrize(("on_error", "column"), [("fail", "failed"), ("quarantine", "quarantined")])
def test_the_versions_of_a_side_that_fails_count_as_what_becomes_of_them(on_error: str, column: str) -> None:
    plan = dataclasses.replace(plan_of("DefaultHoodieRecordPayload", "0.15"), on_error=on_error)
    sides = Comparison(plan, dataclasses.replace(plan, release="1.2"), commits=2)
    told = two([(1, row(1)), (2, row(None))], sides.left, sides.right)
    report = dataclasses.replace(told, comparison=sides).to_report()
    statuses = [part for part in report.body if isinstance(part, Table) and part.title.startswith("Row counts")]
    assert [part.columns[-1] for part in statuses] == [column, column]
    assert statuses[0].rows[0][-1] == "2"


# -- finding the row, and its values


COLUMNS = "_pb_commit int, id string, day date, at timestamp, price decimal(10,2), n double"


def frame_of(spark: SparkSession) -> Any:
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=datetime.timezone.utc)
    day = datetime.date(1582, 10, 4)
    rows = [(1, "k1", day, moment, None, float("nan")), (1, "k2", day, moment, None, 1.0)]
    return spark.createDataFrame([*rows, (2, "k1", None, moment, None, float("nan"))], COLUMNS)


def test_values_travel_as_they_are(spark: SparkSession) -> None:
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="1.2", key="id", ordering="at")
    told = explain(Batches.by(frame_of(spark), "_pb_commit"), plan, {"id": "k1"})
    assert [commit for commit, _ in told.versions] == [1, 2]
    assert told.versions[0][1]["day"] == (datetime.date(1582, 10, 4) - datetime.date(1970, 1, 1)).days
    shown = json_record(told.versions[0][1], told.schema)
    assert shown == {"id": "k1", "day": "1582-10-04", "at": "2024-05-06T07:08:09.123456Z", "price": None, "n": "NaN"}
    assert told.ends_equal


READING = parse_schema(record_schema("reading", id="string", n="double"))


@pytest.mark.parametrize(
    ("earlier", "later", "parting"), [(0.0, -0.0, 2), (float("nan"), float("nan"), None), (1.0, 1, None)]
)
def test_rows_are_compared_as_replay_does(earlier: float, later: float, parting: int | None) -> None:
    versions: list[tuple[int, Record]] = [(1, {"id": "a", "n": earlier}), (2, {"id": "a", "n": later})]
    last = plan_of(None, "1.2", merger="tests.support.user_mergers:LastArrival", ordering=())
    first = plan_of("tests.support.user_mergers:FirstPayload", "1.2", ordering=())
    sides = explain_sides(versions, READING, Comparison(last, first, 2))
    assert [side.trace.error for side in sides] == [None, None]
    told = ExplainReport({"id": "a"}, versions, READING, 2, sides)
    assert (told.first_difference(), told.ends_equal) == (parting, parting is None)


@pytest.mark.parametrize("stays", [True, False])
def test_a_result_is_the_version_that_has_its_sign(stays: bool) -> None:  # noqa: FBT001 (a case)
    older, newer = (StoredRow(None, {"id": "a", "n": number}, READING) for number in (0.0, -0.0))
    made = StoredRow(None, {"id": "a", "n": 0.0 if stays else -0.0}, READING)
    assert wins(older, newer, Outcome(Action.UPDATE, made), READING) is not stays
    told = "the older version stays" if stays else "the newer version wins"
    assert winner(older, newer, made, READING) == told


@pytest.mark.parametrize("empty", [None, ""])
def test_a_row_in_a_null_partition(spark: SparkSession, empty: str | None) -> None:
    rows = [(1, "k1", empty, 1.0), (2, "k1", None, 2.0), (2, "k1", "a", 3.0)]
    frame = spark.createDataFrame(rows, "_pb_commit int, id string, part string, n double")
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="1.2", key="id", partition="part")
    told = explain(Batches.by(frame, "_pb_commit"), plan, {"id": "k1", "part": ""})
    assert [(commit, one["n"]) for commit, one in told.versions] == [(1, 1.0), (2, 2.0)]
    with pytest.raises(InputError, match=r"several rows have id=k1: .*part=, id=k1"):
        explain(Batches.by(frame, "_pb_commit"), plan, {"id": "k1"})


def test_a_row_that_is_not_there(spark: SparkSession) -> None:
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", key="id", partition="day")
    with pytest.raises(InputError, match=r"no version has id=k3; similar ones are day=1582-10-04, id=k1"):
        explain(Batches.by(frame_of(spark).where("_pb_commit = 1"), "_pb_commit"), plan, {"id": "k3"})
    with pytest.raises(InputError, match=r"several rows have day=1582-10-04: .*; add the other columns"):
        explain(Batches.by(frame_of(spark).where("_pb_commit = 1"), "_pb_commit"), plan, {"day": "1582-10-04"})
    with pytest.raises(InputError, match="named by day and id, not by city"):
        explain(Batches.by(frame_of(spark), "_pb_commit"), plan, {"city": "Oslo"})


# -- the command


BATCHES = [
    '{"id": "a", "ts": 10, "city": "Oslo", "Op": "I"}\n{"id": "b", "ts": 10, "city": "Rome", "Op": "I"}\n',
    '{"id": "b", "ts": 30, "city": null, "Op": "D"}\n{"id": "b", "ts": 25, "city": "Bari", "Op": "U"}\n',
]
BASIC = ("--payload", "AWSDmsAvroPayload", "--key", "id", "--ordering", "ts")
RELEASES = ("--from", "0.15", "--to", "1.2", "--table-type", "mor")


@pytest.fixture
def days(tmp_path: Path) -> list[str]:
    folder = tmp_path / "days"
    folder.mkdir()
    for number, text in enumerate(BATCHES, start=1):
        (folder / f"{number}.jsonl").write_text(text)
    schema = tmp_path / "rows.ddl"
    schema.write_text("id string, ts bigint, city string, Op string")
    return ["explain", "--batches", str(folder), "--schema", str(schema), *BASIC]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(main, list(arguments))


def test_two_releases_as_text(spark: SparkSession, days: list[str]) -> None:
    result = run(*days, *RELEASES, "--row", "b")
    assert (result.exit_code, result.stderr) == (1, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "\u2260 changed"
    assert lines[1] == "id=b differs, first after commit 2: Hudi 0.15 ends without a row; Hudi 1.2 ends"
    assert max(map(len, lines)) <= 80
    marked = [line.split("<-")[0].split() for line in lines if "<- first difference" in line]
    assert marked == [
        ["2", "combine-input", "v2,", "then", "v3", "->", "v2"],
        ["2", "combine-input", "v2,", "then", "v3", "->", "v3"],
    ]


def test_two_releases_as_json(spark: SparkSession, days: list[str]) -> None:
    result = run(*days, *RELEASES, "--row", "id=b", "--output", "json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["success"], answer["statistics"]["parting_commit"]) == (1, False, 2)
    assert answer["plan"]["row"] == {"id": "b"}
    assert [answer["plan"][name] for name in ("from", "to", "table_type", "upgrade_after")] == [
        "0.15",
        "1.2",
        "mor",
        None,
    ]
    left, right = answer["results"]
    assert (left["row"], right["row"]) == (None, {"id": "b", "ts": 25, "city": "Bari", "Op": "U"})
    parting = [call for call in right["calls"] if call["parts"]]
    assert parting == [
        {
            "commit": 2,
            "release": "1.2",
            "point": "combine-input",
            "method": "delta merge",
            "older": {"record": {"id": "b", "ts": 30, "city": None, "Op": "D"}, "ordering": "0", "is_delete": True},
            "newer": {"record": {"id": "b", "ts": 25, "city": "Bari", "Op": "U"}, "ordering": None, "is_delete": False},
            "result": {
                "record": {"id": "b", "ts": 25, "city": "Bari", "Op": "U"},
                "ordering": None,
                "is_delete": False,
            },
            "rule": "ordering values are not compared: the newer version wins (ts: 30, then 25)",
            "parts": True,
        }
    ]


def test_one_side_both_types_and_markdown(spark: SparkSession, days: list[str]) -> None:
    result = run(*days, "--row", "a")
    assert result.exit_code == 0
    assert result.stdout.startswith("id=a ends as ts=10, city=Oslo, Op=I after 2 commits (1 merge call).")
    result = run(*days, "--row", "b", "--release", "0.15", "--table-type", "both", "--output", "markdown")
    assert result.exit_code == 0, result.output
    assert "**id=b ends without a row on both sides.**" in result.stdout
    assert (
        "| 2 | upsert | v1, then v2 -&gt; no row<br>" in result.stdout or "v1, then v2 -> no row<br>" in result.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--row", "zz"), 3, "no version has id=zz; similar ones are id=a; id=b"),
        ((), 2, "Missing option '--row'"),
        (("--row", "a", "--row", "id=b"), 2, "id is given twice"),
        (("--row", "a", "--to", "1.2"), 2, "add --from"),
        (("--row", "a", *RELEASES, "--release", "1.0"), 2, "--from are one option"),
        (("--row", "a", "--from", "0.15", "--to", "1.2", "--table-type", "both"), 2, "choose cow or mor"),
        (("--row", "a", "--upgrade-after", "1"), 2, "are for two releases; add --to"),
        (("--row", "a", *RELEASES, "--upgrade-after", "3"), 2, "the last batch is 2"),
        (("--row", "a", *RELEASES, "--keep-table-version"), 2, "add --upgrade-after"),
        (("--row", "a", "--prop", "hoodie.parquet.small.file.limit=1", "--table-type", "mor"), 2, "small-file rule"),
    ],
)
def test_what_is_refused(
    spark: SparkSession, days: list[str], arguments: tuple[str, ...], code: int, says: str
) -> None:
    result = run(*days, *arguments)
    assert result.exit_code == code, result.output
    assert says in " ".join(result.stderr.split())
    assert not result.stdout
