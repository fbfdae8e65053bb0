"""Many tables at once: what each merges by, and what a move to a release changes for it; a failure is a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import TableMergeConfig, assumed_writer
from bridge.hudi import TableQueries, tables_below
from bridge.migration.plan import plan_migration
from bridge.report import Report, Table
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        failure: why the table can't be inspected; None where it can.

    Added in 0.1.0.
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
    failure: str | None = None

    @property
    def outcome(self) -> str:
        """What the move means for the table, in a word or two."""
        if self.failure is not None:
            return "FAILED"
        return "DAMAGE" if self.damage else "CHANGES" if self.behaviours else "SAME"


class FleetReport(NamedTuple):
    """What `inspect_tables` answers: one row a table, by path.

    Added in 0.1.0.
    """

    root: str
    to: str
    tables: tuple[FleetTable, ...]

    @property
    def verdict(self) -> str:
        """How many tables there are, and how many a move changes."""
        numbers = {word: sum(one.outcome == word for one in self.tables) for word in ("DAMAGE", "CHANGES", "FAILED")}
        return (
            f"{self.root}: {len(self.tables)} tables; a move to Hudi {self.to} changes rows of "
            f"{numbers['DAMAGE'] + numbers['CHANGES']} silently, {numbers['DAMAGE']} of them with damage; "
            f"{numbers['FAILED']} could not be inspected."
        )

    def to_report(self) -> Report:
        """Return the report of the command line."""
        report = Report("inspect", self.verdict, plan={"root": self.root, "to": self.to})
        report.statistics = {"tables": len(self.tables), "failed": sum(one.failure is not None for one in self.tables)}
        report.results = [one._asdict() | {"outcome": one.outcome} for one in self.tables]
        lines = [
            {
                "table": one.table.removeprefix(self.root).lstrip("/") or one.table,
                "merges by": one.merges_by or "not stored",
                "type": one.table_type,
                "version": one.version,
                "changes": one.behaviours,
                "outcome": one.outcome,
            }
            for one in self.tables
        ]
        columns = ("table", "merges by", "type", "version", "changes", "outcome")
        report.body.append(Table.of_rows(columns, lines, f"What a move to Hudi {self.to} changes silently"))
        report.warnings = [f"{one.table}: {one.failure}" for one in self.tables if one.failure is not None]
        if any(one.next for one in self.tables):
            report.body.append(f"Which rows: {next(one.next for one in self.tables if one.next)}")
        return report


def inspect_tables(root: str, to: HudiRelease, writer: Mapping[str, str] | None = None) -> FleetReport:
    """Inspect every table below a folder, from its properties and timeline alone; no row is read.

    Args:
        root: a local folder, or a URI.
        to: the release that the tables may move to.
        writer: the options that all writers pass.

    Raises:
        HudiTableError: the folder can't be listed.

    Added in 0.1.0.
    """
    return FleetReport(root, str(to), tuple(_inspected(path, to, writer or {}) for path in tables_below(root)))


def _inspected(path: str, to: HudiRelease, writer: Mapping[str, str]) -> FleetTable:
    try:
        stored = dict(TableQueries(path).properties.stored)
        table = TableMergeConfig.from_properties(stored)
        written_by = assumed_writer(table.version)
        plan = plan_migration(stored, to, writer)
    except PayloadBridgeError as error:
        return FleetTable(path, failure=str(error))
    mode = "" if table.mode is None else table.mode.value
    return FleetTable(
        table=path,
        version=table.version,
        table_type=table.table_type.value,
        merges_by=mode if table.payload is None else table.payload.rpartition(".")[2],
        written_by=str(written_by),
        properties=len(plan.changes),
        behaviours=len(plan.behaviours),
        damage=sum(change.is_damage for change in plan.behaviours),
        next=f"payload-bridge replay --table {path} --to {to}",
    )
