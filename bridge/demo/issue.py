"""A known report of Apache Hudi as a scenario: batches of a few rows, and what each table and release makes of them.

The scenarios are data (`bridge.demo.issues`). The results, and whether a law is violated, come from the merge code.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.errors import PlanError
from bridge.explain import Trace, Tracer
from bridge.merge import MergePointError, RecordMerge
from bridge.plan import MergePlan, TableType
from bridge.programs import (
    Arrival,
    MergeClause,
    MergeStatement,
    Operations,
    Origin,
    Table,
    WriteOperation,
    check_operations,
    check_statement,
    handover,
    unrecorded,
)
from mergers.laws import Version, find_violation
from payloads import HudiRelease, Ordering, PayloadRef, builtin_payloads, parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mergers.laws import Counterexample
    from payloads import AvroSchema, Record

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
        example: a law that the class violates; None where the report is of no class.
        operations: how the batches are written that are not upserted, by their number.
        props: the options of the writer.
        partition: the partition columns.
        statement: the MERGE INTO of the batches that are written by one.
        clauses: its clauses, which have no conditions.
    """

    number: int
    title: str
    reported: str
    shown: str
    payloads: tuple[str, ...]
    fields: dict[str, str]
    ordering: str
    batches: tuple[tuple[Record, ...], ...]
    example: LawExample | None = None
    operations: Mapping[int, WriteOperation] = dataclasses.field(default_factory=dict)
    props: Mapping[str, str] = dataclasses.field(default_factory=dict)
    partition: tuple[str, ...] = ()
    statement: str = ""
    clauses: tuple[MergeClause, ...] = ()

    @property
    def commits(self) -> Operations:
        """How all batches are written."""
        statement = MergeStatement({}, self.clauses)
        merges = [number for number, one in self.operations.items() if one is WriteOperation.SQL_MERGE]
        return Operations(self.operations, {}, dict.fromkeys(merges, statement))

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
            payload=PayloadRef(payload),
            release=release,
            table_type=table_type,
            key=(KEY,),
            partition=self.partition,
            ordering=(self.ordering,),
            props=self.props,
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


def answers(issue: Issue) -> list[IssueAnswer]:
    """Run the batches of a report through every table and release, in this process."""
    return [answer for payload in issue.payloads for answer in _answers(issue, payload)]


def violation(issue: Issue, release: HudiRelease) -> Counterexample | None:
    """Check the class of a report against its law under a release; None if the law holds on the example.

    Raises:
        PayloadBridgeError: the release does not ship the class.
    """
    if issue.example is None:
        return None
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
        if issue.clauses and unrecorded(issue.commits, issue.plan(payload, release, TableType.COPY_ON_WRITE)):
            continue
        for table_type in TableType:
            plan = issue.plan(payload, release, table_type)
            yield _answer(issue, table_type.long_name, plan)
            if table_type is TableType.MERGE_ON_READ:
                yield _answer(issue, f"{table_type.long_name}, compacted", plan, compact_after=(last,))
                each = tuple(range(1, last + 1))
                yield _answer(issue, f"{table_type.long_name}, compacted each time", plan, compact_after=each)
    if issue.partition or issue.operations:
        return
    for old in (HudiRelease.V0_15, HudiRelease.V1_0):
        for table_type in TableType:
            plan, new = issue.plan(payload, old, table_type), issue.plan(payload, HudiRelease.V1_2, table_type)
            for what, batch, keeps in (("upgraded", 1, False), ("version kept", 1, True), ("only read", last, True)):
                change = handover(plan, new, after=batch, keep_table_version=keeps)
                name = f"{table_type.long_name}, {what}"
                yield _answer(issue, name, plan, handover=change)._replace(new=str(new.release))


def _answer(issue: Issue, table: str, plan: MergePlan, **settings: Any) -> IssueAnswer:
    commits = len(issue.batches)
    if issue.partition or issue.operations:
        rows, error = _visible(issue, plan, **settings)
        return IssueAnswer(plan.payload_name, table, str(plan.release), None, rows, error)
    tracer = Tracer(plan, issue.schema, commits=commits, **settings)
    traces = [tracer.trace(versions) for versions in _keys(issue.batches)]
    rows = [row for trace in traces if (row := trace.row_after(commits)) is not None]
    return IssueAnswer(plan.payload_name, table, str(plan.release), None, rows, _error(traces))


def _visible(issue: Issue, plan: MergePlan, compact_after: tuple[int, ...] = ()) -> tuple[list[Record], str | None]:
    """Return all rows after the last batch, of which a key may have several, and why a key failed."""
    operations, commits = issue.commits, len(issue.batches)
    settings: dict[str, Any] = {"commits": commits, "compact_after": compact_after, "operations": operations}
    settings["log_updates"] = plan.table_type is TableType.MERGE_ON_READ
    try:
        check_operations(plan, operations)
        for number, statement in operations.statements.items():
            check_statement(statement, number, plan, tuple(issue.fields), deletes=operations.delete_by_merge)
    except PlanError as error:
        return [], str(error)
    merge, rows = RecordMerge(plan, issue.schema), []
    for versions in _keys(issue.batches):
        program = Table(merge, **settings)

        def keep(action: Any, row: Any, *extras: Any) -> None:  # noqa: ARG001 (as `Emit` names them)
            if extras[1] == commits:
                rows.append({name: row.record[name] for name in issue.fields})

        try:
            program.start(merge.key_of(versions[0][1]))
            for source, (commit, record) in enumerate(versions):
                for clause in _clauses(operations, commit):
                    program.accept(Arrival(Origin.INCOMING, commit, record, source, clause=clause), keep)
            program.finish(keep)
        except MergePointError as error:
            return rows, str(error.error)
    return rows, None


def _clauses(operations: Operations, commit: int) -> Iterator[int | None]:
    """Give the clauses that take a row of a commit: one for a matched row, one for another; else none."""
    if commit not in operations.statements:
        yield None
        return
    clauses = operations.statements[commit].clauses
    for matched in (True, False):
        yield next(number for number, one in enumerate(clauses) if one.matched is matched)


def _error(traces: Sequence[Trace]) -> str | None:
    return next((str(trace.error) for trace in traces if trace.error is not None), None)


def _keys(batches: tuple[tuple[Record, ...], ...]) -> list[list[tuple[int, Record]]]:
    """Return the versions of each key with their commits, by arrival."""
    found: dict[Any, list[tuple[int, Record]]] = {}
    for commit, rows in enumerate(batches, start=1):
        for row in rows:
            found.setdefault(row[KEY], []).append((commit, row))
    return list(found.values())
