"""What is said of a copy-on-write table: nothing of logs and compaction, which it has not; and the other way round."""

from __future__ import annotations

import itertools
import re

import pytest

from bridge.config import capabilities
from bridge.migration.inspection import inspect_settings as inspect
from bridge.migration.known_changes import NOTES
from bridge.migration.move import Move
from bridge.plan import TableType
from bridge.report import Severity
from mergers import RecordMergeMode
from payloads import builtin_payloads
from payloads.release import HudiRelease, releases
from tests.bridge.config.recorded import MODEL, silent_changes

V0_15, V1_0, V1_1, V1_2 = HudiRelease.V0_15, HudiRelease.V1_0, HudiRelease.V1_1, HudiRelease.V1_2
COW, MOR = TableType
EVENT, COMMIT, CUSTOM = (
    RecordMergeMode.EVENT_TIME_ORDERING,
    RecordMergeMode.COMMIT_TIME_ORDERING,
    RecordMergeMode.CUSTOM,
)
OF_LOGS = re.compile(r"\b(logs?|compact\w*|quer(y|ies)|blocks?)\b")
REMOVED = "copy-on-write tables can be read but not written, and merge-on-read tables fail where a log must be merged"
VERSION = {release: capabilities(release).created_version for release in HudiRelease}
CLASSES = [None, "com.acme.X", *(found.java_name for found in builtin_payloads())]


def moves(table_type):
    """Give every move from one release to the same or a later one, kept or upgraded."""
    for old, new in itertools.combinations_with_replacement(HudiRelease, 2):
        for before, after in itertools.product({VERSION[old], 8 if old > V1_0 else VERSION[old]}, (6, 8, 9)):
            if not before <= after <= VERSION[new] or (after != before and new < V1_1):
                continue
            for payload, mode, stores in itertools.product(CLASSES, (EVENT, COMMIT, CUSTOM, None), (True, False)):
                yield Move(old, new, before, after, payload, table_type, stores, mode)


def texts(move):
    changes = silent_changes(move)
    return [f"{change.before}; {change.after}" for change in changes if not change.case]


def test_no_silent_change_of_a_copy_on_write_table_is_about_its_log():
    told = {text for move in moves(COW) for text in texts(move)}
    assert told
    assert not [text for text in told if OF_LOGS.search(text.replace(REMOVED, ""))]


def test_every_silent_change_of_a_log_is_reported_for_some_merge_on_read_table():
    """So that the test above does not pass for want of such changes."""
    told = {text for move in moves(MOR) for text in texts(move)}
    about = {f"{note.change.before}; {note.change.after}" for note in NOTES}
    logs = {text for text in about if OF_LOGS.search(text.replace(REMOVED, ""))}
    assert len(logs) == 4
    assert logs <= told


UPGRADE = Move(V0_15, V1_2, 6, 9, None, MOR, to_mode=EVENT)
KEPT = Move(V1_1, V1_2, 9, 9, None, MOR, to_mode=EVENT)


@pytest.mark.parametrize(
    ("move", "says"),
    [
        (UPGRADE, "the compaction that the upgrade performs drops it"),
        (UPGRADE._replace(payload=MODEL + "debezium.PostgresDebeziumAvroPayload"), "stores the markers of log files"),
        (KEPT, "instant by instant"),
        (Move(V0_15, V1_0, 6, 8, "com.acme.X", MOR), "the payload is not called for them"),
        (Move(V1_0, V1_2, 8, 8, "com.acme.X", MOR), "the payload is called"),
    ],
)
def test_changes_in_logs_are_reported_only_for_merge_on_read_tables(move, says):
    assert any(says in change.after for change in silent_changes(move))
    assert not any(says in change.after for change in silent_changes(move._replace(table_type=COW)))


@pytest.mark.parametrize(
    ("move", "says", "pairs_told"),
    [
        (KEPT, "instant by instant", {(V0_15, V1_2), (V1_0, V1_2), (V1_1, V1_2)}),
        (
            Move(V1_0, V1_2, 8, 8, MODEL + "FirstValueAvroPayload", MOR),
            "the class was removed",
            {(V0_15, V1_1), (V0_15, V1_2), (V1_0, V1_1), (V1_0, V1_2)},
        ),
        (
            Move(V1_0, V1_2, 8, 8, None, COW, to_mode=CUSTOM),
            "shouldFlush is not called",
            {(V0_15, V1_1), (V0_15, V1_2), (V1_0, V1_1), (V1_0, V1_2)},
        ),
        (Move(V0_15, V1_0, 6, 8, "com.acme.X", MOR), "not called for them", {(V0_15, V1_0)}),
        (Move(V1_0, V1_2, 8, 8, "com.acme.X", MOR), "payload is called", {(V1_0, V1_1), (V1_0, V1_2)}),
    ],
)
def test_a_change_is_reported_to_moves_past_the_release_that_made_it(move, says, pairs_told):
    pairs = itertools.combinations_with_replacement(releases(since="0.15"), 2)
    told = {
        (old, new)
        for old, new in pairs
        if any(says in change.after for change in silent_changes(move._replace(from_release=old, to_release=new)))
    }
    assert told == pairs_told


# -- inspect


@pytest.mark.parametrize(
    ("table_type", "says"),
    [("MERGE_ON_READ", "queries and compaction by EVENT"), ("COPY_ON_WRITE", "but the table is set to EVENT")],
)
def test_a_writers_class_is_set_against_queries_only_where_they_merge(table_type, says):
    table = {
        "hoodie.table.version": "9",
        "hoodie.table.type": table_type,
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.ordering.fields": "ts",
    }
    writer = {"hoodie.datasource.write.payload.class": MODEL + "OverwriteWithLatestAvroPayload"}
    found = inspect(table, writer).warnings
    assert len(found) == 2
    assert all(says in one.text for one in found)


@pytest.mark.parametrize("table_type", ["MERGE_ON_READ", "COPY_ON_WRITE"])
def test_only_a_copy_on_write_table_of_0_15_has_lost_its_class(table_type):
    """Merge-on-read tables have always stored it."""
    table = {"hoodie.table.version": "6", "hoodie.table.type": table_type, "hoodie.table.precombine.field": "ts"}
    writer = {"hoodie.datasource.write.payload.class": MODEL + "AWSDmsAvroPayload"}
    damaged = any(one.severity is Severity.DAMAGED for one in inspect(table, writer).warnings)
    assert damaged == (table_type == "COPY_ON_WRITE")
