"""Known reports of Apache Hudi on merges by a class; those on what is written are in `bridge.demo.write_issues`."""

from __future__ import annotations

from typing import Final

from bridge.demo.issue import Issue, LawExample
from bridge.demo.write_issues import WRITE_ISSUES

_MARKER: Final = "__debezium_unavailable_value"

ISSUES: Final[dict[int, Issue]] = {
    issue.number: issue
    for issue in (
        *WRITE_ISSUES,
        Issue(
            number=2057,
            title="AWSDmsAvroPayload not processing Deletes correctly + IOException when reading log file",
            reported=(
                "With Hudi 0.5.2 and 0.6.0, a row of an AWS DMS feed that is inserted and deleted within one batch "
                "stays in the table; deletes in later batches fail."
            ),
            shown=(
                "A table written by a single release no longer has the deleted rows. The issue reappears on an "
                "upgrade: a copy-on-write table of 0.15 stores no payload class, so a 1.2 writer that keeps the "
                "table version assumes DefaultHoodieRecordPayload, which ignores Op, and both deletes are stored as "
                "rows."
            ),
            payloads=("AWSDmsAvroPayload",),
            fields={"id": "string", "ts": "long", "city": "string", "Op": "string"},
            ordering="ts",
            batches=(
                ({"id": "a", "ts": 1, "city": "Oslo", "Op": "I"},),
                (
                    {"id": "b", "ts": 2, "city": "Rome", "Op": "I"},
                    {"id": "b", "ts": 3, "city": "Rome", "Op": "D"},
                    {"id": "a", "ts": 3, "city": "Oslo", "Op": "D"},
                ),
            ),
            example=LawExample(
                "action",
                {"id": "a", "ts": 1, "city": "Oslo", "Op": "I"},
                ({"id": "a", "ts": 3, "city": "Oslo", "Op": "D"}, {"id": "a", "ts": 2, "city": "Lima", "Op": "U"}),
            ),
        ),
        Issue(
            number=9635,
            title="COW and MOR have inconsistent results when using preCombineField",
            reported=(
                "Three writes of one row, each with a smaller precombine value than the one before: copy-on-write "
                "stores each of them, merge-on-read stores the second but not the third. The row of a merge-on-read "
                "table depends on when it is compacted."
            ),
            shown=(
                "In 0.15, preCombine merges log entries and keeps the greater precombine value, while a merge with "
                "the stored row takes the incoming row. From 1.0 on the row that arrives last wins everywhere. After "
                "1.2 has upgraded a merge-on-read table of 0.15, it merges by event time, and the first row stays: a "
                "third result."
            ),
            payloads=("OverwriteWithLatestAvroPayload",),
            fields={"id": "int", "name": "string", "price": "double", "ts": "string"},
            ordering="ts",
            batches=(
                ({"id": 1, "name": "a5", "price": 10.0, "ts": "2021-01-05"},),
                ({"id": 1, "name": "a4", "price": 10.0, "ts": "2021-01-04"},),
                ({"id": 1, "name": "a3", "price": 10.0, "ts": "2021-01-03"},),
            ),
            example=LawExample(
                "action",
                {"id": 1, "name": "a5", "price": 10.0, "ts": "2021-01-05"},
                (
                    {"id": 1, "name": "a4", "price": 10.0, "ts": "2021-01-04"},
                    {"id": 1, "name": "a3", "price": 10.0, "ts": "2021-01-03"},
                ),
            ),
        ),
        Issue(
            number=11348,
            title="Partial update of the MOR table after compaction with Hudi Streamer",
            reported=(
                "In a merge-on-read table with PartialUpdateAvroPayload, a row whose second version omits column1 has "
                "column1 = null after compaction instead of the value of the first version."
            ),
            shown=(
                "PartialUpdateAvroPayload keeps column1 on every path on which it is called, compacted or not. The "
                "reported row appears if another class merges instead: OverwriteWithLatestAvroPayload, the default of "
                "a 0.15 writer without a class; or DefaultHoodieRecordPayload, which 1.2 assumes for a copy-on-write "
                "table of 0.15 whose version it keeps. Why the class was not used in the report depends on its "
                "streamer settings, which are not part of a merge and can't be shown here."
            ),
            payloads=("PartialUpdateAvroPayload", "OverwriteWithLatestAvroPayload"),
            fields={"id": "string", "column1": "string", "column2": "string", "update_dt": "string"},
            ordering="update_dt",
            batches=(
                ({"id": "hash", "column1": "before", "column2": "before", "update_dt": "2024-01-01"},),
                ({"id": "hash", "column1": None, "column2": "after", "update_dt": "2024-02-02"},),
            ),
            example=LawExample(
                "action",
                {"id": "hash", "column1": None, "column2": "before", "update_dt": "2024-01-04"},
                (
                    {"id": "hash", "column1": "first", "column2": None, "update_dt": "2024-01-01"},
                    {"id": "hash", "column1": "second", "column2": None, "update_dt": "2024-01-02"},
                ),
            ),
        ),
        Issue(
            number=19748,
            title="Postgres Debezium TOAST sentinel leaks to readers on table-version-6 MOR tables",
            reported=(
                "If Hudi 1.x reads a merge-on-read table of version 6 with PostgresDebeziumAvroPayload, an unchanged "
                f"TOAST column shows the marker {_MARKER} instead of its value. Tables of version 9 and Hudi 0.x "
                "show the value."
            ),
            shown=(
                "The marker appears in merge-on-read tables that 0.15 or 1.0 created and that 1.2 reads without "
                "upgrading them to version 9: the payload fills in the column in place and returns the same record "
                "object, which the reader considers unchanged. The marker also appears, for another reason, in a "
                "copy-on-write table of 0.15 that 1.2 writes at its old version: 1.2 assumes "
                "DefaultHoodieRecordPayload, which ignores the marker."
            ),
            payloads=("PostgresDebeziumAvroPayload",),
            fields={"id": "string", "body": "string", "_change_operation_type": "string", "_event_lsn": "long"},
            ordering="_event_lsn",
            batches=(
                ({"id": "a", "body": "long text", "_change_operation_type": "c", "_event_lsn": 1},),
                ({"id": "a", "body": _MARKER, "_change_operation_type": "u", "_event_lsn": 2},),
            ),
            example=LawExample(
                "action",
                {"id": "a", "body": "old", "_change_operation_type": "c", "_event_lsn": 1},
                (
                    {"id": "a", "body": "new", "_change_operation_type": "u", "_event_lsn": 2},
                    {"id": "a", "body": _MARKER, "_change_operation_type": "u", "_event_lsn": 3},
                ),
            ),
        ),
    )
}
"""The scenarios, by number."""
