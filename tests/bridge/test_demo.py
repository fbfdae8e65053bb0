from __future__ import annotations

import dataclasses
import json

import pytest
from click.testing import CliRunner

from bridge import demo
from bridge.cli import main
from bridge.merge_point import MergePoint
from bridge.plan import MergePlan, TableType
from bridge.trace import COMPARED, trace_key
from payloads import PayloadRef, parse_schema

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "account",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
        ],
    }
)
PLAN = MergePlan(
    payload=PayloadRef("OverwriteWithLatestAvroPayload"),
    release="0.15",
    table_type=TableType.MERGE_ON_READ,
    key=("id",),
    ordering=("ts",),
)


def version(ts, deleted=None):
    return {"id": "a", "ts": ts, "_hoodie_is_deleted": deleted}


def test_the_answers_are_real_hudis(spark):
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 0, result.output
    assert not result.stderr
    assert result.stdout.count(" equal\n") == 10
    assert "NOT EQUAL" not in result.stdout
    assert "disagree on 1 of" in result.stdout
    assert "At commit 5 they part" in result.stdout
    assert "All 10 answers are real Hudi's" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_demo_as_json(spark):
    result = CliRunner().invoke(main, ["demo", "--payload", "DefaultHoodieRecordPayload", "--output", "json"])
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["success"]
    assert [one["equal"] for one in answer["results"]] == [True] * 10
    assert answer["statistics"]["rows_out"] == {"cow": 42, "mor": 42}
    assert answer["statistics"]["disagreeing_keys"] == 0


def test_another_answer_ends_with_1(spark, monkeypatch):
    read = demo.read_recording

    def altered(payload, table_type):
        recording = read(payload, table_type)
        recording.snapshots[2][0]["qty"] = 1000
        return recording

    monkeypatch.setattr(demo, "read_recording", altered)
    result = CliRunner().invoke(main, ["demo"])
    assert result.exit_code == 1
    assert result.stdout.count("NOT EQUAL") == 2
    assert "2 of 10 answers differ from real Hudi's" in " ".join(result.stdout.split())


@pytest.mark.parametrize("table_type", TableType)
@pytest.mark.parametrize("payload", demo.RECORDED)
def test_a_trace_ends_where_spark_does(spark, payload, table_type):
    recording = demo.read_recording(payload, table_type)
    last = {demo.identity_of(row): row for row in demo.run(spark, recording)[-1].rows}
    identities = {demo.identity_of(row) for batch in recording.batches for row in batch}
    assert len(identities) > 40
    for identity in identities:
        result = demo.trace(spark, recording, identity)[-1].result
        assert (None if result is None else result.record) == last.get(identity), identity


def test_rows_are_compared_with_their_types():
    assert not demo.Answer(1, [{"id": 1}], [{"id": 1.0}]).is_equal
    assert not demo.Answer(1, [{"id": 1}], [{"id": 1}, {"id": 1}]).is_equal
    assert demo.Answer(1, [{"id": 1, "a": None}], [{"a": None, "id": 1}]).is_equal


def test_a_trace_names_point_method_and_commit():
    calls = trace_key([(1, version(1)), (2, version(3)), (2, version(2)), (4, version(5))], PLAN, SCHEMA)
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
    calls = trace_key([(1, version(1)), (2, version(2))], PLAN, SCHEMA, compact_after=[4])
    assert [(call.commit, call.point) for call in calls][-1] == (4, MergePoint.COMPACT)
    assert calls[-1].result.record == version(2)


def test_a_trace_shows_delete_entries_as_such():
    calls = trace_key([(1, version(1)), (2, version(5)), (3, version(3, deleted=True))], PLAN, SCHEMA)
    fold = next(call for call in calls if call.method == COMPARED)
    assert (fold.commit, fold.point) == (3, MergePoint.LOG_FOLD)
    assert (fold.newer.record, fold.newer.ordering.value) == (None, 3)
    assert fold.result.record == version(5)  # the greater ordering value stays


def test_a_trace_of_copy_on_write_has_no_log():
    plan = dataclasses.replace(PLAN, table_type=TableType.COPY_ON_WRITE)
    calls = trace_key([(1, version(5)), (2, version(3, deleted=True))], plan, SCHEMA)
    assert [call.point for call in calls] == [MergePoint.INSERT, MergePoint.UPSERT]
    assert calls[-1].result is None


def test_a_trace_of_nothing():
    assert trace_key([], PLAN, SCHEMA) == []
