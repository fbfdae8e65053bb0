from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.demo import ISSUES, answers, reproduce, violation
from bridge.demo import recordings as demo
from bridge.explain.trace import trace_key
from bridge.explain.traced_programs import COMPARED, DELETE_TEST
from bridge.merge.points import MergePoint
from bridge.plan import MergePlan, TableType
from payloads import HudiRelease, PayloadRef, parse_schema
from payloads.release import releases
from tests.support.schemas import nullable, record_schema

SCHEMA = parse_schema(record_schema("account", id="string", ts="long", _hoodie_is_deleted=nullable("boolean")))
PLAN = MergePlan(
    payload=PayloadRef("OverwriteWithLatestAvroPayload"),
    release="0.15",
    table_type=TableType.MERGE_ON_READ,
    key=("id",),
    ordering=("ts",),
)
TOAST = "__debezium_unavailable_value"
BREAK_LAWS = sorted(number for number, issue in ISSUES.items() if issue.example is not None)
OF_OVERWRITE = (9635, 11421)
"""The reports on OverwriteWithLatestAvroPayload, which from 1.0 on is COMMIT_TIME_ORDERING."""
RESULTS = {1803: 1, 3394: 1, 3709: 3, 9475: 4, 9635: 3, 11138: 6, 19978: 3}
"""How many different results a report has, where it is not two."""


def version(ts, deleted=None):
    return {"id": "a", "ts": ts, "_hoodie_is_deleted": deleted}


# -- the recorded batches


def test_the_answers_are_real_hudis(spark):
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    assert not [line for line in result.stderr.splitlines() if " tasks" not in line]  # a slow machine shows progress
    words = " ".join(result.stdout.split())
    assert words.startswith("All 20 answers are real Hudi's, row by row. On the same batches Hudi 1.2 gives different")
    assert "10 of 42 rows (copy-on-write) and 11 of 42 rows (merge-on-read)" in words
    assert result.stdout.count("5 of 5") == 4
    assert result.stdout.count("<- first difference") == 2
    assert "disagree on 1: p0/k008." in words
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_demo_as_json(spark):
    result = CliRunner().invoke(main, ["demo", "--payload", "DefaultHoodieRecordPayload", "--output", "json"])
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["success"]
    assert [one["equal"] for one in answer["results"]] == [True] * 20
    assert answer["statistics"]["rows_out"] == {"cow 0.15.0": 42, "cow 1.2.0": 42, "mor 0.15.0": 42, "mor 1.2.0": 42}
    assert answer["statistics"]["changed_keys"] == {"cow": 0, "mor": 0}
    assert "Both releases give the same rows." in answer["verdict"]


def test_another_answer_ends_with_1(spark, monkeypatch):
    read = demo.read_recording

    def altered(payload, table_type, release):
        recording = read(payload, table_type, release)
        if release == demo.NEW:
            recording.snapshots[2][0]["qty"] = 1000
        return recording

    monkeypatch.setattr(demo, "read_recording", altered)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert result.stdout.count("4 of 5") == 2
    assert result.stdout.startswith("\u2260 different\n2 of 20 answers differ from real Hudi's")


@pytest.mark.parametrize("table_type", TableType)
@pytest.mark.parametrize("payload", demo.RECORDED)
def test_an_explanation_ends_where_spark_does(spark, payload, table_type):
    old, new = (demo.read_recording(payload, table_type, release) for release in (demo.OLD, demo.NEW))
    assert old.batches == new.batches
    identities = {demo.identity_of(row) for batch in old.batches for row in batch}
    assert len(identities) > 40
    told = {identity: demo.explained(spark, old, new, identity) for identity in identities}
    for side, recording in enumerate((old, new)):
        last = {demo.identity_of(row): row for row in demo.run(spark, [recording])[0][-1].rows}
        for identity, explanation in told.items():
            # Text tells -0.0 from 0.0, and 1 from True.
            found, real = explanation.sides[side].trace.row_after(5), last.get(identity)
            assert (found and repr(sorted(found.items()))) == (real and repr(sorted(real.items()))), identity


def test_the_smallest_example_has_the_fewest_versions():
    recording = demo.read_recording("AWSDmsAvroPayload", TableType.COPY_ON_WRITE)
    chosen = demo.smallest(recording, [("p0", "k008"), ("p0", "k002"), ("p0", "k000")])
    assert chosen == ("p0", "k002")


def test_rows_are_compared_with_their_types():
    assert not demo.RealAnswer(1, [{"id": 1}], [{"id": 1.0}]).is_equal
    assert not demo.RealAnswer(1, [{"id": 1}], [{"id": 1}, {"id": 1}]).is_equal
    assert demo.RealAnswer(1, [{"id": 1, "a": None}], [{"a": None, "id": 1}]).is_equal


# -- traces


def test_a_trace_names_point_method_and_commit():
    calls = trace_key([(1, version(1)), (2, version(3)), (2, version(2)), (4, version(5))], PLAN, SCHEMA).calls
    told = [(call.commit, call.point, call.method) for call in calls]
    assert told == [
        (1, MergePoint.INSERT, "get_insert_value"),
        (2, MergePoint.COMBINE_INPUT, "pre_combine"),
        (2, MergePoint.INSERT, "get_insert_value"),
        (2, MergePoint.SNAPSHOT, "combine_and_get_update_value"),
        (4, MergePoint.INSERT, "get_insert_value"),
        (4, MergePoint.LOG_FOLD, "pre_combine"),
        (4, MergePoint.SNAPSHOT, "combine_and_get_update_value"),
    ]
    assert calls[1].result.record == version(3)
    assert calls[0].older is None


def test_a_trace_shows_the_compaction_at_its_commit():
    calls = trace_key([(1, version(1)), (2, version(2))], PLAN, SCHEMA, compact_after=[4]).calls
    assert [(call.commit, call.point) for call in calls][-1] == (4, MergePoint.COMPACT)
    assert calls[-1].result.record == version(2)


def test_a_trace_shows_delete_entries_as_such():
    trace = trace_key([(1, version(1)), (2, version(5)), (3, version(3, deleted=True))], PLAN, SCHEMA)
    written, fold = (call for call in trace.calls if call.method in {DELETE_TEST, COMPARED})
    assert (written.point, written.newer.record) == (MergePoint.INSERT, version(3, deleted=True))
    assert (fold.commit, fold.point) == (3, MergePoint.LOG_FOLD)
    assert (fold.newer.record, fold.newer.ordering.value) == (None, 3)
    assert fold.result.record == version(5)  # the greater ordering value stays


def test_a_trace_of_copy_on_write_has_no_log():
    plan = MergePlan(payload=PLAN.payload, release="0.15", key=("id",), ordering=("ts",))
    trace = trace_key([(1, version(5)), (2, version(3, deleted=True))], plan, SCHEMA)
    assert [call.point for call in trace.calls] == [MergePoint.INSERT, MergePoint.UPSERT]
    assert trace.calls[-1].result is None
    assert (trace.row_after(1), trace.row_after(2), trace.row_after(0)) == (version(5), None, None)


def test_a_trace_of_nothing():
    assert trace_key([], PLAN, SCHEMA).calls == []


# -- known reports of apache/hudi


def releases_of(number):
    return ISSUES[number].releases(ISSUES[number].payloads[0])


def rows_of(number, column, *, payload=None, refused=()):
    """Return a column of the last rows, by table, release and the release after the upgrade."""
    issue = ISSUES[number]
    found = [one for one in answers(issue) if payload in {None, one.payload}]
    assert {one.release for one in found if one.error} == set(refused)
    return {(one.table, one.release, one.new): [row[column] for row in one.rows] for one in found}


def test_2057_deletes_of_dms_stay_only_where_the_class_is_not_stored():
    found = rows_of(2057, "Op")
    assert {key for key, rows in found.items() if rows} == {("copy-on-write, version kept", "0.15", "1.2")}
    assert found["copy-on-write, version kept", "0.15", "1.2"] == ["D", "D"]


def test_9635_the_table_types_and_the_time_of_compaction_disagree_until_0_15():
    found = rows_of(9635, "name")
    alone = {(table, release): rows for (table, release, new), rows in found.items() if new is None}
    differing = {key for key, rows in alone.items() if rows != ["a3"]}
    tables = ("merge-on-read", "merge-on-read, compacted")
    assert differing == {(table, release) for table in tables for release in map(str, releases(until="0.15"))}
    assert alone["merge-on-read", "0.15"] == alone["merge-on-read, compacted", "0.15"] == ["a4"]
    assert alone["merge-on-read, compacted each time", "0.15"] == ["a3"]
    taken = {key: rows for key, rows in found.items() if key[2] is not None and rows != ["a3"]}
    assert taken == {("merge-on-read, upgraded", "0.15", "1.2"): ["a5"]}


def test_11348_the_column_is_lost_only_where_another_class_merges():
    partial = rows_of(11348, "column1", payload="PartialUpdateAvroPayload")
    lost = {key for key, rows in partial.items() if rows == [None]}
    assert lost == {("copy-on-write, version kept", "0.15", "1.2")}
    assert all(rows == ["before"] for key, rows in partial.items() if key not in lost)
    overwrite = rows_of(11348, "column1", payload="OverwriteWithLatestAvroPayload")
    assert all(rows == [None] for rows in overwrite.values())
    assert ("merge-on-read, compacted", "0.15", None) in overwrite


def test_19748_the_marker_shows_where_1_2_reads_an_old_table():
    found = rows_of(19748, "body")
    marked = {key for key, rows in found.items() if rows == [TOAST]}
    assert marked == {
        ("merge-on-read, version kept", "0.15", "1.2"),
        ("merge-on-read, version kept", "1.0", "1.2"),
        ("merge-on-read, only read", "0.15", "1.2"),
        ("merge-on-read, only read", "1.0", "1.2"),
        ("copy-on-write, version kept", "0.15", "1.2"),
    }
    assert all(rows == ["long text"] for key, rows in found.items() if key not in marked)


def test_9475_text_is_compared_until_0_13_and_another_ordering_field_is_refused_from_1_1_on():
    found = rows_of(9475, "status", refused=("1.1", "1.2"))
    ends = {release: found["copy-on-write", release, None] for release in map(str, HudiRelease)}
    assert ends["0.12"] == ends["0.13"] == ["open"]
    assert ends["0.14"] == ends["0.15"] == ends["1.0"] == ["paid"]
    assert found["copy-on-write, upgraded", "0.15", "1.2"] == ["paid"]  # the write that upgrades is taken


def test_3709_an_insert_updates_the_row_of_a_small_file_until_0_14():
    found = rows_of(3709, "v", payload="OverwriteWithLatestAvroPayload")
    for table in ("copy-on-write", "merge-on-read", "merge-on-read, compacted"):
        for release in map(str, HudiRelease):
            updated = release in {"0.12", "0.13", "0.14"}
            assert sorted(found[table, release, None]) == (["a", "b", "b"] if updated else ["a", "a", "b", "b"])
    late = rows_of(3709, "v", payload="DefaultHoodieRecordPayload")
    assert late["copy-on-write", "0.14", None] == ["a", "a", "b"]


def test_8490_a_late_row_moves_the_stored_one_before_0_14():
    found = rows_of(8490, "city")
    for (_, release, _), rows in found.items():
        assert rows == (["Rome"] if release in {"0.12", "0.13"} else ["Oslo"])


def test_10150_a_delete_field_of_ones_own_means_nothing_until_0_13():
    found = rows_of(10150, "op")
    assert found["copy-on-write", "0.13", None] == ["d", "d"]
    assert all(not rows for (_, release, _), rows in found.items() if release not in {"0.12", "0.13"})


@pytest.mark.parametrize(
    ("number", "release"),
    [(number, release) for number in BREAK_LAWS for release in releases_of(number)],
)
def test_the_class_of_a_report_breaks_the_law(number, release):
    mended = number in OF_OVERWRITE and release > HudiRelease.V0_15
    assert (violation(ISSUES[number], release) is None) is mended


@pytest.mark.parametrize("number", sorted(ISSUES))
def test_a_report_is_shown_without_spark(number):
    report = reproduce(number).to_report()
    text = report.as_text()
    assert text.startswith(f"apache/hudi #{number}, ")
    broken = releases(until="0.15") if number in OF_OVERWRITE else releases_of(number)
    assert text.count("violated") == (len(broken) if number in BREAK_LAWS else 0)
    assert max(map(len, text.splitlines())) <= 80
    found = json.loads(report.as_json())
    assert len(found["results"]) == found["statistics"]["paths"]
    assert found["statistics"]["distinct_answers"] == RESULTS.get(number, 2)


def test_the_command_shows_the_report():
    result = CliRunner().invoke(main, ["demo", "--issue", "1803"])
    assert result.exit_code == 0, result.output
    assert result.stdout == reproduce(1803).to_report().as_text() + "\n"


@pytest.mark.parametrize(
    ("arguments", "says"), [(("13800",), "2057"), (("2057", "--payload", "AWSDmsAvroPayload"), "leave out --payload")]
)
def test_a_report_that_is_not_shown(arguments, says):
    result = CliRunner().invoke(main, ["demo", "--issue", *arguments])
    assert result.exit_code == 2
    assert says in result.stderr
    assert not result.stdout
