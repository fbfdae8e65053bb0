"""Many tables at once: what each merges by, and what a move to a release changes for it; a failure is a row."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from pyspark.errors import PySparkException

from bridge.compare import Grade, compare_readers, grade_of_reader
from bridge.config import TableMergeConfig
from bridge.errors import sentence_of
from bridge.hudi import HudiTable, TableQueries, tables_below
from bridge.migration.plan import plan_migration
from bridge.report import Report, Table, as_notebook
from bridge.spark import catalog_location, catalog_tables
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from payloads import HudiRelease


class FleetTable(NamedTuple):
    """One table of many.

    Attributes:
        table: its base path.
        version: its table version; None where it can't be read.
        table_type: cow or mor.
        merges_by: the payload class that the table stores, without its package, or its merge mode; empty where it
            stores neither, as copy-on-write tables of 0.15: there the writer's class decides.
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

    @property
    def outcome(self) -> str:
        """What the move means: by rows, where they were read; else by what is known to change for its class."""
        if self.failure is not None:
            return "FAILED"
        if self.grade is not None:
            return self.grade
        if not self.behaviours and self.untried is not None:
            return "NOT LOOKED AT"
        return "DAMAGE" if self.damage else "CHANGES" if self.behaviours else "SAME"


class FleetReport(NamedTuple):
    """What `inspect_tables` and `inspect_catalog` answer: one row a table, by path or name."""

    root: str
    to: str
    tables: tuple[FleetTable, ...]

    @property
    def verdict(self) -> str:
        """How many tables there are, and how many a move changes."""
        many = "1 table" if len(self.tables) == 1 else f"{len(self.tables)} tables"
        failed = f"{sum(one.failure is not None for one in self.tables)} could not be inspected"
        if self.counts_rows:
            changed = sum(bool(one.differing) for one in self.tables)
            rows = sum(one.differing or 0 for one in self.tables)
            return f"{self.root}: {many}; Hudi {self.to} shows {rows} rows of {changed} differently; {failed}."
        words = [one.outcome for one in self.tables]
        changed = words.count("DAMAGE") + words.count("CHANGES")
        return (
            f"{self.root}: {many}; a move to Hudi {self.to} can change rows of {changed} silently, by the known "
            f"changes of their classes, {words.count('DAMAGE')} of them with damage; "
            f"{words.count('NOT LOOKED AT')} could not be looked at; {failed}."
        )

    @property
    def counts_rows(self) -> bool:
        """Whether tables are graded by rows."""
        return any(one.grade is not None for one in self.tables)

    def _repr_html_(self) -> str:
        return as_notebook(self.to_report())

    def to_report(self) -> Report:
        """Return the report of the command line."""
        graded_by = "rows" if self.counts_rows else "known changes"
        report = Report("inspect", self.verdict, plan={"root": self.root, "to": self.to, "graded_by": graded_by})
        report.warns = any(one.outcome not in {"SAME", Grade.IDENTICAL_HERE.value} for one in self.tables)
        report.statistics = {"tables": len(self.tables), "failed": sum(one.failure is not None for one in self.tables)}
        report.results = [one._asdict() | {"outcome": one.outcome} for one in self.tables]
        by = "rows that differ" if self.counts_rows else "known changes"
        lines = [
            {
                "table": one.table.removeprefix(self.root).lstrip("/.") or one.table,
                "merges by": one.merges_by or "not stored",
                "type": one.table_type,
                "version": one.version,
                by: one.differing if self.counts_rows else one.behaviours,
                "outcome": one.outcome,
            }
            for one in self.tables
        ]
        columns = ("table", "merges by", "type", "version", by, "outcome")
        what = "of its rows" if self.counts_rows else "silently for its class, whatever its rows are (--rows counts)"
        report.body.append(Table.of_rows(columns, lines, f"What a move to Hudi {self.to} changes {what}"))
        report.warnings = [f"{one.table}: {one.failure}" for one in self.tables if one.failure is not None]
        if any(one.next for one in self.tables):
            report.body.append(f"Which rows: {next(one.next for one in self.tables if one.next)}")
        return report


def inspect_tables(
    root: str,
    to: HudiRelease,
    writer: Mapping[str, str] | None = None,
    session: Callable[[], SparkSession] | None = None,
) -> FleetReport:
    """Inspect every table below a folder, from its properties and timeline; with a session, from its rows too.

    Args:
        root: a local folder, or a URI.
        to: the release that the tables may move to.
        writer: the options that all writers pass.
        session: gives the session that reads rows; None: no row is read, and tables are graded by what is known to
            change for their classes.

    Raises:
        HudiTableError: the folder can't be listed.
    """
    given = writer or {}
    return FleetReport(root, str(to), tuple(_inspected(path, to, given, session) for path in tables_below(root)))


def inspect_catalog(
    spark: SparkSession,
    database: str,
    to: HudiRelease,
    writer: Mapping[str, str] | None = None,
    *,
    rows: bool = False,
) -> FleetReport:
    """Inspect every table of a database of the catalogue as `inspect_tables` does; one that is not Hudi's is a failure.

    Raises:
        InputError: there is no such database.
    """
    found = []
    for name in catalog_tables(spark, database):
        try:
            path = catalog_location(spark, name)
        except PayloadBridgeError as error:
            found.append(FleetTable(name, failure=str(error)))
            continue
        inspected = _inspected(path, to, writer or {}, (lambda: spark) if rows else None)
        found.append(inspected._replace(table=name))
    return FleetReport(database, str(to), tuple(found))


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
        next=f"payload-bridge replay --table {shlex.quote(path)} --to {to}",
    )
    if session is None:
        return found
    try:
        with compare_readers(HudiTable(session(), path, written_by), [to]) as read:
            (result,) = read.results
            grade = grade_of_reader(result).value
            return found._replace(rows=read.rows, differing=None if result.refused else result.total, grade=grade)
    except (PayloadBridgeError, PySparkException) as error:
        return found._replace(failure=sentence_of(error))
