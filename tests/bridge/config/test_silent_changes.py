"""What changes silently: the recorded scenarios, and the notes on what they don't show."""

from __future__ import annotations

import pytest

from bridge.config.move import Move
from bridge.config.scenarios import SCENARIOS, Column, Rules, differences
from bridge.config.silent_changes import silent_changes
from bridge.plan import TableType
from mergers import RecordMergeMode
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, lines_of

V0_15, V1_0, V1_1, V1_2 = HudiRelease
COW, MOR = TableType.COPY_ON_WRITE, TableType.MERGE_ON_READ
EVENT, COMMIT = RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING
RULES = {
    ("0.15.0", "vcur"): Rules.V0_15,
    ("1.0.2", "v8"): Rules.V1_0,
    ("1.1.1", "v8"): Rules.V1_1,
    ("1.2.0", "v8"): Rules.V1_1,
    ("1.2.0", "v6"): Rules.V1_1,
    ("1.1.1", "v9"): Rules.VERSION_9,
    ("1.2.0", "v9"): Rules.VERSION_9,
}


def _recorded():
    """Every table of the recording: its column, and the row after the second and the third batch by scenario."""
    for line in lines_of("e2e-scenarios.txt.gz"):
        if line.startswith("#") or not line:
            continue
        head, _, cells = line.partition(" k01:")
        release, payload, version, table_type = head.split()
        full = None if payload == "none" else MODEL + payload
        column = Column(full, RULES[release, version], COW if table_type == "COPY" else MOR)
        answers = dict(cell.split(":", 1) for cell in ("k01:" + cells).split(" | "))
        yield column, {name: answers[name].strip().split(">") for name in SCENARIOS}


def test_the_file_has_what_was_recorded():
    recorded = dict.fromkeys(())
    for column, answers in _recorded():
        for rows in answers.values():
            # A compaction changes nothing that a query sees, so the file leaves the answer after it out.
            assert rows[1:] == rows[1:2] * len(rows[1:])
        recorded.setdefault(column.key, []).append((column, {name: rows[:2] for name, rows in answers.items()}))
    assert len(recorded) == 68  # the two of EventTime count as Default's
    for tables in recorded.values():
        for left, left_answers in tables:
            assert all(answers == left_answers for _, answers in tables)
            for right, right_answers in (other[0] for other in recorded.values()):
                found = differences(left, right)
                changed = {SCENARIOS[n].text for n in SCENARIOS if left_answers[n] != right_answers[n]}
                assert {difference.scenario.text for difference in found} == changed


def test_answers_are_written_for_people():
    left = Column(MODEL + "PartialUpdateAvroPayload", Rules.V1_1, MOR)
    found = {d.scenario.text: (d.left, d.right) for d in differences(left, left._replace(rules=Rules.VERSION_9))}
    assert found["a delete by flag of ts 7, then a row of ts 6 in the next batch"] == (
        "no row, then ts=6 v=v6 w=w6",
        "no row",
    )


def test_what_was_not_recorded_is_not_known():
    mine = Column("com.acme.X", Rules.V1_1, COW)
    assert differences(mine, mine) is None


def _texts(move):
    return {change.case or change.after for change in silent_changes(move)}


UPGRADE = Move(V1_2, V1_2, 8, 9, None, MOR, to_mode=EVENT)


@pytest.mark.parametrize(
    ("payload", "mode", "table_type", "names"),
    [
        ("PartialUpdateAvroPayload", EVENT, COW, "k04 k09"),
        ("PartialUpdateAvroPayload", EVENT, MOR, "k04 k05 k09"),
        ("OverwriteNonDefaultsWithLatestAvroPayload", COMMIT, COW, "k06 k07 k09 k16"),
        ("AWSDmsAvroPayload", COMMIT, MOR, "k06 k09 k16"),
        ("debezium.MySqlDebeziumAvroPayload", EVENT, MOR, "k04 k05 k17"),
        ("debezium.PostgresDebeziumAvroPayload", EVENT, MOR, "k04 k05 k13 k17"),
        ("DefaultHoodieRecordPayload", EVENT, MOR, ""),
        ("EventTimeAvroPayload", EVENT, COW, ""),
        ("OverwriteWithLatestAvroPayload", COMMIT, MOR, ""),
    ],
)
def test_an_upgrade_within_one_release_changes_these_scenarios(payload, mode, table_type, names):
    move = UPGRADE._replace(payload=MODEL + payload, to_mode=mode, table_type=table_type)
    cases = {change.case for change in silent_changes(move)} - {""}
    assert cases == {SCENARIOS[name].text for name in names.split()}


def test_a_table_that_ends_in_another_mode_than_its_class_answers_by_that_mode():
    move = Move(V0_15, V1_2, 6, 9, MODEL + "OverwriteWithLatestAvroPayload", MOR, to_mode=EVENT)
    assert SCENARIOS["k01"].text in _texts(move)
    assert SCENARIOS["k01"].text not in _texts(move._replace(to_mode=COMMIT))


def test_a_plain_mode_keeps_the_delete_marker_of_a_feed():
    move = Move(V1_2, V1_2, 9, 9, MODEL + "AWSDmsAvroPayload", COW, to_mode=EVENT, changes_mode=True)
    cases = _texts(move)
    assert SCENARIOS["k01"].text in cases
    assert SCENARIOS["k10"].text not in cases


@pytest.mark.parametrize("payload", ["AWSDmsAvroPayload", "debezium.MySqlDebeziumAvroPayload"])
def test_damage_comes_first(payload):
    move = Move(V0_15, V1_2, 6, 6, MODEL + payload, COW, stores_payload=False)
    first, *others = silent_changes(move)
    assert first.is_damage
    assert "live row" in first.after
    assert not any(change.case for change in others)  # nothing was recorded for a class that the table does not store


def test_a_table_that_stays_changes_nothing():
    assert silent_changes(Move(V1_2, V1_2, 9, 9, MODEL + "AWSDmsAvroPayload", MOR)) == ()


def test_a_class_of_a_user_is_told_about_deletes():
    move = Move(V1_0, V1_2, 8, 9, "com.acme.X", MOR, to_mode=RecordMergeMode.CUSTOM)
    assert any("payload is asked" in change.after for change in silent_changes(move))
    assert not any("payload is asked" in change.after for change in silent_changes(move._replace(table_type=COW)))


def test_the_removed_class_is_named():
    move = Move(V1_0, V1_2, 8, 8, MODEL + "FirstValueAvroPayload", COW)
    assert any("the class is gone" in change.after for change in silent_changes(move))
