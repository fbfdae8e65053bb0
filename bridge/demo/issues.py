"""Known reports of Apache Hudi as scenarios: batches of a few rows, and what each table and release makes of them.

The scenarios are data. The results, and whether a law is violated, are computed by the merge code.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.explain import Trace, Tracer
from bridge.plan import MergePlan, TableType
from bridge.programs import handover
from mergers.laws import Version, find_violation
from payloads import HudiRelease, Ordering, PayloadRef, builtin_payloads, parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mergers.laws import Counterexample
    from payloads import AvroSchema, Record

_MARKER = "__debezium_unavailable_value"
KEY = "id"


class LawExample(NamedTuple):
    """A law, and versions on which the class of the report violates it.

    Attributes:
        law: the id of the law.
        stored: the stored row.
        versions: the incoming versions, in order.
    """

    law: str
    stored: Record
    versions: tuple[Record, ...]


@dataclasses.dataclass(frozen=True)
class Issue:
    """A report.

    Attributes:
        number: its number in apache/hudi.
        title: its title there.
        reported: what it reports, in our words.
        shown: what the results here show of it.
        payloads: the classes to run, the one of the report first.
        fields: the columns, as Avro types.
        ordering: the ordering field.
        batches: the rows of each commit, in order of arrival; the upgrade comes after the first.
        example: a law that the class violates.
    """

    number: int
    title: str
    reported: str
    shown: str
    payloads: tuple[str, ...]
    fields: dict[str, str]
    ordering: str
    batches: tuple[tuple[Record, ...], ...]
    example: LawExample

    @property
    def schema(self) -> AvroSchema:
        """The write schema: every column may be null."""
        fields = [{"name": name, "type": ["null", kind], "default": None} for name, kind in self.fields.items()]
        return parse_schema({"type": "record", "name": "hoodie_record", "namespace": "hoodie", "fields": fields})

    @staticmethod
    def releases(payload: str) -> tuple[HudiRelease, ...]:
        """Return the releases that ship a class of a report."""
        return tuple(release for release in HudiRelease if _ships(release, payload))

    def plan(self, payload: str, release: HudiRelease, table_type: TableType) -> MergePlan:
        """Return the plan of a writer."""
        return MergePlan(
            payload=PayloadRef(payload), release=release, table_type=table_type, key=(KEY,), ordering=(self.ordering,)
        )


class IssueAnswer(NamedTuple):
    """The rows at the end of one path.

    Attributes:
        payload: the class of the writer.
        table: the path: the table type, and what happens to the table besides the batches.
        release: the release that makes the table.
        new: the release that takes it over; None if none does.
        rows: what a query sees after the last batch.
        error: why a row failed; None if none did.
    """

    payload: str
    table: str
    release: str
    new: str | None
    rows: list[Record]
    error: str | None


ISSUES: dict[int, Issue] = {
    issue.number: issue
    for issue in (
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
                "table version assumes the Default class, which ignores Op, and both deletes "
                "are stored as rows."
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
                "takes each of them, merge-on-read takes the second but not the third. What a merge-on-read table "
                "returns depends on when it is compacted."
            ),
            shown=(
                "In 0.15, pre_combine combines log entries and keeps the greater precombine value, while a merge "
                "with the stored row takes the incoming row. From 1.0 on the last arrival wins everywhere. Once 1.2 "
                "has upgraded a merge-on-read table of 0.15, it merges by event time, and the first row stays: a third "
                "result."
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
                "A merge-on-read table with PartialUpdateAvroPayload: a row whose second version leaves out column1"
                " has column1 = null after compaction instead of the value of the first version."
            ),
            shown=(
                "PartialUpdateAvroPayload keeps column1 on every path on which it is called, compacted or not. The "
                "reported row appears when another class merges instead: OverwriteWithLatestAvroPayload, the default "
                "of a 0.15 writer that is given no class; or the Default class, which 1.2 assumes for a "
                "copy-on-write table of 0.15 whose version it keeps. Why the class was not used in the report depends "
                "on its streamer settings, which are not part of a merge and cannot be shown here."
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
                "Hudi 1.x reads a merge-on-read table of version 6 with PostgresDebeziumAvroPayload: an unchanged "
                f"TOAST column shows the marker {_MARKER} instead of its value. Tables of version 9 and Hudi 0.x "
                "show the value."
            ),
            shown=(
                "The marker appears in merge-on-read tables that 0.15 or 1.0 created and that 1.2 reads without "
                "upgrading them to version 9: the payload fills in the column in place and returns the very record "
                "that it was given, which the reader takes for unchanged. It also ends up, for another reason, in a "
                "copy-on-write table of 0.15 that 1.2 writes at its old version: 1.2 assumes the Default class, "
                "which ignores the marker."
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


def answers(issue: Issue) -> list[IssueAnswer]:
    """Run the batches of a report through every table and release, in this process."""
    return [answer for payload in issue.payloads for answer in _answers(issue, payload)]


def violation(issue: Issue, release: HudiRelease) -> Counterexample | None:
    """Check the class of a report against its law under a release; None if the law holds on the example.

    Raises:
        PayloadBridgeError: the release does not ship the class.
    """
    law, stored, records = issue.example
    kind = "utf8" if issue.fields[issue.ordering] == "string" else "long"
    versions = [Version(record, Ordering(kind, record[issue.ordering])) for record in records]
    settings: dict[str, Any] = {
        "schema": issue.schema,
        "key": (KEY,),
        "ordering_fields": (issue.ordering,),
        "release": release,
    }
    return find_violation(issue.payloads[0], law, stored, versions, **settings)


def _ships(release: HudiRelease, payload: str) -> bool:
    return any(found.__name__ == payload for found in builtin_payloads(release))


def _answers(issue: Issue, payload: str) -> Iterator[IssueAnswer]:
    last = len(issue.batches)
    for release in issue.releases(payload):
        for table_type in TableType:
            plan = issue.plan(payload, release, table_type)
            yield _answer(issue, table_type.long_name, plan)
            if table_type is TableType.MERGE_ON_READ:
                yield _answer(issue, f"{table_type.long_name}, compacted", plan, compact_after=(last,))
                each = tuple(range(1, last + 1))
                yield _answer(issue, f"{table_type.long_name}, compacted each time", plan, compact_after=each)
    for old in (HudiRelease.V0_15, HudiRelease.V1_0):
        for table_type in TableType:
            plan, new = issue.plan(payload, old, table_type), issue.plan(payload, HudiRelease.V1_2, table_type)
            for what, batch, keeps in (("upgraded", 1, False), ("version kept", 1, True), ("only read", last, True)):
                change = handover(plan, new, after=batch, keep_table_version=keeps)
                name = f"{table_type.long_name}, {what}"
                yield _answer(issue, name, plan, handover=change)._replace(new=str(new.release))


def _answer(issue: Issue, table: str, plan: MergePlan, **settings: Any) -> IssueAnswer:
    commits = len(issue.batches)
    tracer = Tracer(plan, issue.schema, commits=commits, **settings)
    traces = [tracer.trace(versions) for versions in _keys(issue.batches)]
    rows = [row for trace in traces if (row := trace.row_after(commits)) is not None]
    return IssueAnswer(plan.payload_name, table, str(plan.release), None, rows, _error(traces))


def _error(traces: Sequence[Trace]) -> str | None:
    return next((str(trace.error) for trace in traces if trace.error is not None), None)


def _keys(batches: tuple[tuple[Record, ...], ...]) -> list[list[tuple[int, Record]]]:
    """Return the versions of each key with their commits, by arrival."""
    found: dict[Any, list[tuple[int, Record]]] = {}
    for commit, rows in enumerate(batches, start=1):
        for row in rows:
            found.setdefault(row[KEY], []).append((commit, row))
    return list(found.values())
