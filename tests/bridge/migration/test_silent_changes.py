"""What changes silently: the scenarios, which are played, and the notes on what they don't show."""

from __future__ import annotations

import pytest

from bridge.migration.examples import Rows, answers, differences
from bridge.migration.move import Answering, Move
from bridge.migration.scenarios import SCENARIOS
from bridge.migration.silent_changes import silent_changes as changes_of
from bridge.plan import TableType
from mergers import RecordMergeMode
from payloads import HoodieJsonPayload
from payloads.release import HudiRelease
from tests.bridge.config.recorded import MODEL, lines_of, silent_changes

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
COW, MOR = TableType.COPY_ON_WRITE, TableType.MERGE_ON_READ
EVENT, COMMIT = RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING
VERSIONS = {"vcur": 6, "v6": 6, "v8": 8, "v9": 9}


def _recorded():
    """Every table of the recording: what it is, and the row after the second and the third batch by scenario."""
    for line in lines_of("e2e-scenarios.txt.gz"):
        if line.startswith("#") or not line:
            continue
        head, _, cells = line.partition(" k01:")
        release, payload, version, table_type = head.split()
        package = "debezium." if "Debezium" in payload else ""
        full = None if payload == "none" else f"{MODEL}{package}{payload}"
        side = Answering(HudiRelease.parse(release), VERSIONS[version], full, COW if table_type == "COPY" else MOR)
        found = dict(cell.split(":", 1) for cell in ("k01:" + cells).split(" | "))
        yield side, {name: found[name].strip().split(">") for name in SCENARIOS}


def _text(row):
    """Write a recorded row as the examples do; the recording leaves an empty operation out."""
    if row in {"", "-"}:
        return "no row"
    texts = {"None": "null", "__debezium_unavailable_value": "(unavailable)"}
    pairs = zip(("ts", "v", "w", "Op"), row.split("/"), strict=False)
    return " ".join(f"{name}={texts.get(value, value)}" for name, value in pairs)


def test_the_scenarios_end_as_the_tables_of_real_hudi():
    compared = 0
    for side, recorded in _recorded():
        ours = answers(side)
        for name, rows in recorded.items():
            assert ours[name] == Rows(_text(rows[0]), _text(rows[1])), (side, name)
            assert rows[1:] == rows[1:2] * len(rows[1:])  # a compaction changes nothing that a query sees
            compared += 1
    assert compared == 1751


def test_answers_are_written_for_people():
    left = Answering(V1_2, 8, MODEL + "PartialUpdateAvroPayload", MOR)
    found = {d.scenario.text: (d.left, d.right) for d in differences(left, left._replace(table_version=9))}
    assert found["a delete by flag of ts 7, then a row of ts 6 in the next batch"] == (
        "no row, then ts=6 v=v6 w=w6",
        "no row",
    )


@pytest.mark.parametrize("payload", ["com.acme.X", "tests.support.user_payloads:Broken"])
def test_a_class_of_a_user_is_not_played(payload):
    mine = Answering(V1_1, 8, payload, COW)
    assert differences(mine, mine) is None


def test_a_class_that_a_release_lacks_has_no_answers():
    assert answers(Answering(V1_0, 8, MODEL + "FirstValueAvroPayload", COW)) is not None
    assert answers(Answering(V1_2, 8, MODEL + "FirstValueAvroPayload", COW)) is None


def test_a_merge_that_fails_is_an_answer():
    rows = answers(Answering(V1_2, 9, HoodieJsonPayload.java_name, COW))
    assert rows["k01"].second.startswith("an error (")


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
    assert not {SCENARIOS[name].text for name in ("k10", "k11", "k12")} & cases  # such a row deletes as before
    assert SCENARIOS["k17"].text in cases  # but not where it is late


@pytest.mark.parametrize("payload", ["AWSDmsAvroPayload", "debezium.MySqlDebeziumAvroPayload"])
def test_damage_comes_first(payload):
    move = Move(V0_15, V1_2, 6, 6, MODEL + payload, COW, stores_payload=False)
    first, *others = silent_changes(move)
    assert first.is_damage
    assert "live row" in first.after
    assert not any(change.case for change in others)  # the scenarios have tables that store their class


def test_a_table_that_stays_changes_nothing():
    assert silent_changes(Move(V1_2, V1_2, 9, 9, MODEL + "AWSDmsAvroPayload", MOR)) == ()


def test_a_users_class_is_passed_deletes():
    move = Move(V1_0, V1_2, 8, 9, "com.acme.X", MOR, to_mode=RecordMergeMode.CUSTOM)
    assert any("payload is called" in change.after for change in silent_changes(move))
    assert not any("payload is called" in change.after for change in silent_changes(move._replace(table_type=COW)))


def test_the_removed_class_is_named():
    move = Move(V1_0, V1_2, 8, 8, MODEL + "FirstValueAvroPayload", COW)
    assert any("the class was removed" in change.after for change in silent_changes(move))
    before = Move(HudiRelease.V0_14, V1_2, 6, 6, MODEL + "FirstValueAvroPayload", COW)
    assert not any("the class was removed" in change.after for change in silent_changes(before)), "it came with 0.15"


def test_a_class_that_cannot_run_is_not_called_unchanged():
    for payload, release in (("com.acme.X", V1_0), (MODEL + "FirstValueAvroPayload", V1_0)):
        move = Move(release, V1_2, 8, 9, payload, COW, to_mode=RecordMergeMode.CUSTOM)
        found = changes_of(move, differences)
        assert "was not tried on examples" in str(found.untried)


@pytest.mark.parametrize(
    ("payload", "changed", "about"),
    [
        ("DefaultHoodieRecordPayload", {"keeps_ties": False}, "wins every tie"),
        ("DefaultHoodieRecordPayload", {"has_delete_marker": False}, "a custom delete key"),
        ("AWSDmsAvroPayload", {"ordering": (), "ordering_then": ()}, "it is no longer read"),
        ("", {"ordering": (), "ordering_then": (), "stores_payload": False, "to_version": 6}, "EVENT_TIME_ORDERING"),
    ],
)
def test_what_is_not_set_is_not_listed(payload, changed, about):
    move = Move(V0_15, V1_2, 6, 9, MODEL + payload if payload else None, COW)
    kept = {name: value for name, value in changed.items() if name in {"stores_payload", "to_version"}}
    found, without = (
        [text for one in silent_changes(each) for text in (one.before, one.after) if about in text]
        for each in (move._replace(**kept), move._replace(**changed))
    )
    assert found
    assert without == []


def test_examples_of_late_rows_concern_tables_with_an_ordering_column():
    move = Move(V0_15, V1_2, 6, 9, MODEL + "OverwriteWithLatestAvroPayload", MOR, to_mode=EVENT)
    late = [one for one in silent_changes(move) if one.case == SCENARIOS["k01"].text]
    assert late[0].columns == ("ts", "ts")
    none = silent_changes(move._replace(ordering=(), ordering_then=()))
    assert SCENARIOS["k01"].text not in {one.case for one in none}
