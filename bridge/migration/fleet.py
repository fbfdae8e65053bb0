"""Many tables at once: what each merges by, and what a move to a release changes for it; a failure is a row."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import Grade, class_named, compare_readers, grade_of_reader, replay_command
from bridge.config import TableMergeConfig
from bridge.errors import AlteredTableWarning, InputError, sentence_of
from bridge.hudi import HudiTable, TableQueries, tables_below
from bridge.migration.damage_search import find_damage
from bridge.migration.findings import findings_as_json, worst_first
from bridge.migration.move import severity_of
from bridge.migration.plan import plan_migration
from bridge.report import REPORTS, Check, Judged, NextStep, Report, Severity, Table
from bridge.spark import PySparkException, catalog_location, catalog_tables, session_of
from payloads import HudiRelease
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession

    from bridge.migration.findings import Finding


class FleetTable(NamedTuple):
    """One of the inspected tables.

    Attributes:
        table: its base path.
        version: its table version; None where it can't be read.
        table_type: cow or mor.
        merges_by: the payload class that the table stores, without its package, or its merge mode; empty where it
            stores neither, as in copy-on-write tables of 0.15, where the writer's class decides.
        written_by: the release that counts as its writer.
        properties: how many properties the move changes.
        behaviours: how many behaviours it changes silently.
        damage: how many of these damage rows.
        next: the command to run next.
        rows: how many rows the table has; None where they were not read.
        differing: how many of them `to` shows differently, if it reads the files as they are.
        grade: how far both readers agree; None where no row was read.
        failure: why the table can't be inspected; None where it can.
        untried: why not all behaviours are known; None if they are.
        new_batches: what the move means for new batches.
        findings: what is visible in its files, the worst first, where they were read.
    """

    table: str
    version: int | None = None
    table_type: str = ""
    merges_by: str = ""
    written_by: str = ""
    properties: int = 0
    behaviours: int = 0
    damage: int = 0
    next: str = ""
    rows: int | None = None
    differing: int | None = None
    grade: str | None = None
    failure: str | None = None
    untried: str | None = None
    new_batches: Severity = Severity.NOT_CHECKED
    findings: tuple[Finding, ...] = ()

    @property
    def severities(self) -> frozenset[Severity]:
        """What is found in its files, what the move means for new batches, and whether its rows were read."""
        found = {one.severity for one in self.findings}
        if self.failure is not None:
            return frozenset({*found, Severity.NOT_CHECKED})
        read = Severity.NOT_CHECKED if self.grade is None else Grade(self.grade).severity
        return frozenset({*found, read, self.new_batches})

    @property
    def severity(self) -> Severity:
        """The worst of them."""
        return max(self.severities)


@dataclasses.dataclass(frozen=True, repr=False)
class FleetReport(Judged):
    """The result of `inspect_tables` and `inspect_catalog`.

    Attributes:
        root: the folder or the database.
        to: the release that the tables may move to.
        tables: the tables, by path or name; at least one.
    """

    fails = REPORTS

    root: str
    to: str
    tables: tuple[FleetTable, ...]

    @property
    def severities(self) -> frozenset[Severity]:
        """Those of all tables."""
        return frozenset(one for table in self.tables for one in table.severities)

    @property
    def verdict(self) -> str:
        """How many tables there are, how many a move changes, and how many were not checked."""
        many = "1 table" if len(self.tables) == 1 else f"{len(self.tables)} tables"
        words = [one.new_batches for one in self.tables if one.failure is None]
        damaged = words.count(Severity.DAMAGED)
        changed = damaged + words.count(Severity.CHANGED)
        with_damage = f", {damaged} of them with damage" if damaged else ""
        known = f"by the known changes of their classes, new batches change rows silently in {changed}{with_damage}"
        for number, told in (
            (words.count(Severity.NOT_CHECKED), "not checked"),
            (sum(one.failure is not None for one in self.tables), "could not be inspected"),
        ):
            known += f"; {number} {told}" if number else ""
        if not self.counts_rows:
            return f"{self.root}: {many}; a move to Hudi {self.to}: no rows were read; {known}."
        differing = sum(bool(one.differing) for one in self.tables)
        rows = sum(one.differing or 0 for one in self.tables)
        damaged = sum(any(found.severity is Severity.DAMAGED for found in one.findings) for one in self.tables)
        as_read = f"as the files are read, it shows {rows} rows of {differing} differently, and {damaged} are damaged"
        return f"{self.root}: {many}; a move to Hudi {self.to}: {as_read}; {known}."

    @property
    def counts_rows(self) -> bool:
        """Whether tables are graded by rows."""
        return any(one.grade is not None for one in self.tables)

    def to_report(self) -> Report:
        """Return the report of the command line."""
        graded_by = "rows" if self.counts_rows else "known changes"
        report = Report("inspect", self.verdict, self.severities, self.fails)
        report.releases = [one.written_by for one in self.tables]
        report.plan = {"root": self.root, "to": self.to, "graded_by": graded_by}
        report.statistics = {"tables": len(self.tables), "failed": sum(one.failure is not None for one in self.tables)}
        report.results = [
            one._asdict()
            | {"new_batches": one.new_batches.value, "severity": one.severity.value}
            | {"findings": findings_as_json(one.findings)}
            for one in self.tables
        ]
        lines = [
            {
                "table": one.table.removeprefix(self.root).lstrip("/.") or one.table,
                "merges by": one.merges_by or "not stored",
                "type": one.table_type,
                "version": one.version,
                "rows that differ": one.differing,
                "known changes": one.behaviours,
                "severity": one.severity.value,
            }
            for one in self.tables
        ]
        columns = [*lines[0]] if self.counts_rows else [name for name in lines[0] if name != "rows that differ"]
        more = "" if self.counts_rows else " (--rows counts the rows that differ as the files are read)"
        report.body.append(Table.of_rows(columns, lines, f"What a move to Hudi {self.to} changes{more}"))
        report.checks = [Check(one.table, one.severity, _told(one)) for one in self.tables]
        report.warnings = [f"{one.table}: {one.failure}" for one in self.tables if one.failure is not None]
        report.warnings += [f"{one.table}: {found}" for one in self.tables for found in one.findings]
        worst = max((one for one in self.tables if one.next), key=lambda one: one.severity, default=None)
        report.next = [] if worst is None else [NextStep(worst.next, "which rows of this table change")]
        return report


def _told(one: FleetTable) -> str:
    """Say what decides the severity of a table."""
    worst = [str(found) for found in one.findings if found.severity is one.severity]
    return one.failure or next(iter(worst), one.untried or one.severity.value)


def inspect_tables(
    root: str,
    release: str | HudiRelease = HudiRelease.latest(),
    writer: Mapping[str, str] | None = None,
    *,
    rows: bool = False,
    session: Callable[[], SparkSession] | None = None,
) -> FleetReport:
    """Inspect every table below a folder, from its properties and timeline, and from its rows if asked.

    Args:
        root: inspect every table below this folder, local or a URI, for what a move to `release` changes.
        release: the release that the tables may move to.
        writer: the options that all writers pass.
        rows: read each table, count the rows that differ, and find damage; else tables are graded by what is known to
            change for their classes.
        session: returns the session that reads rows; None: the active one, else a local one is started.

    Raises:
        HudiTableError: the folder can't be listed.
        InputError: no table is below it.
    """
    given, line = writer or {}, HudiRelease.asked(release)
    found = tuple(
        _inspected(path, line, given, (session or session_of) if rows else None) for path in tables_below(root)
    )
    return FleetReport(root, str(line), _some(found, f"no Hudi table is below {root}"))


def _some(found: Sequence[FleetTable], lack: str) -> tuple[FleetTable, ...]:
    """Return the tables, if there are any: of none nothing can be said.

    Raises:
        InputError: there are none.
    """
    if not found:
        msg = f"{lack}, so nothing was looked at; name a folder or a database that has tables"
        raise InputError(msg)
    return tuple(found)


def inspect_catalog(
    spark: SparkSession,
    database: str,
    release: str | HudiRelease = HudiRelease.latest(),
    writer: Mapping[str, str] | None = None,
    *,
    rows: bool = False,
) -> FleetReport:
    """Inspect every table of a catalogue database as `inspect_tables` does; tables that aren't Hudi's are failures.

    Args:
        spark: the session whose catalogue has the database.
        database: inspect every table of this database of Spark's catalogue for what a move to `release` changes.
        release: the release that the tables may move to.
        writer: the options that all writers pass.
        rows: see `inspect_tables`.

    Raises:
        InputError: there is no such database, or it has no table.
    """
    found, line = [], HudiRelease.asked(release)
    for name in catalog_tables(spark, database):
        try:
            path = catalog_location(spark, name)
        except PayloadBridgeError as error:
            found.append(FleetTable(name, failure=str(error)))
            continue
        inspected = _inspected(path, line, writer or {}, (lambda: spark) if rows else None)
        found.append(inspected._replace(table=name))
    return FleetReport(database, str(line), _some(found, f"the database {database} has no table"))


def _inspected(
    path: str, to: HudiRelease, writer: Mapping[str, str], session: Callable[[], SparkSession] | None
) -> FleetTable:
    try:
        opened = TableQueries(path)
        _ = opened.schema(opened.timeline.latest or "")  # without which no row can be read
        stored, written_by = dict(opened.properties.stored), opened.release
        table = TableMergeConfig.from_properties(stored)
        plan = plan_migration(stored, to, writer, written_by)
    except PayloadBridgeError as error:
        return FleetTable(path, failure=str(error))
    mode = "" if table.mode is None else table.mode.value
    found = FleetTable(
        table=path,
        version=table.version,
        table_type=table.table_type.value,
        merges_by=mode if table.payload is None else table.payload.rpartition(".")[2],
        written_by=str(written_by),
        properties=len(plan.changes),
        behaviours=len(plan.behaviours),
        damage=sum(change.is_damage for change in plan.behaviours),
        untried=plan.untried,
        next=replay_command(path, str(to), class_named(opened)),
        new_batches=severity_of(plan.behaviours, plan.untried, sure=plan.from_version != plan.to_version),
    )
    if session is None:
        return found
    try:
        damage = find_damage(path, session, most=None, to=to)
        found = found._replace(findings=worst_first(damage.findings))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AlteredTableWarning)  # the findings say so
            with compare_readers(HudiTable(session(), path, written_by), [to]) as read:
                (result,) = read.results
                grade = grade_of_reader(result).value
                return found._replace(rows=read.rows, differing=None if result.refused else result.total, grade=grade)
    except (PayloadBridgeError, PySparkException) as error:
        return found._replace(failure=sentence_of(error))
