"""plan_migration: what a move to a release or a merge mode does to a table, how to do it and undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.migration import plan
from bridge.migration.damage import MOST_SLICES
from bridge.migration.table_source import ReadOptions, check_reads, damage_in, stored_in
from bridge.plan import CALL_TIMEOUT
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from bridge.config import TargetMode
    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.table_source import TableLike
    from mergers import RecordMergeMode
    from payloads import PayloadRef
    from payloads.jars import JarPaths


def plan_migration(  # noqa: PLR0913 (one parameter an option, and the mode to set)
    table: TableLike,
    to: str | HudiRelease | RecordMergeMode,
    writer: Mapping[str, str] | None = None,
    from_release: str | HudiRelease | None = None,
    *,
    keep_table_version: bool = False,
    mode: TargetMode | None = None,
    jar: JarPaths = None,
    payload: str | PayloadRef | None = None,
    slices: int | None = MOST_SLICES,
    bootstrap: str | None = None,
    call_timeout: int = CALL_TIMEOUT,
    session: Callable[[], SparkSession] | None = None,
) -> MigrationPlan:
    """Plan the move of a table to a release, older or newer, or to a merge mode. Nothing is changed.

    A merge mode is set under the newest release; CUSTOM needs the payload class or the strategy id of the writer.

    Args:
        table: its base path, local or a URI, whose rows are read, too; its `hoodie.properties`; or what it stores, as a
            mapping.
        to: a release or a merge mode.
        writer: the options that its writer passes, before and after the move.
        from_release: the release that has written the table so far; None: by its version, 0.13 for 5, 0.15 for 6, 1.0
            for 8, 1.1 for 9.
        keep_table_version: the new release writes the table without upgrading it.
        mode: a merge mode to set as well, under the release `to`.
        jar: jars with compiled payload classes, which are checked against the new release, or with classes that they
            need.
        payload: the class that merges the rows of a table whose own class Hudi does not ship.
        slices: read the rows of at most this many file slices, to find the keys that the move affects; 0: none, None:
            no limit.
        bootstrap: the folder with the source files of a bootstrapped table, if they have moved.
        call_timeout: how many seconds a call of the class may take.
        session: returns the session that reads rows; None: the active one, else a local one is started.

    Raises:
        ParameterError: a parameter about rows comes with properties only, or the table version can't be kept.
        PlanError: the target is unknown.
        MergeConfigError: the release can't read or make the table, or the settings contradict each other.
        PayloadConfigError: a property can't be read; the message names it.
        HudiTableError: the path has no table, or its timeline can't be read.
    """
    line = HudiRelease.latest() if from_release is None else HudiRelease.parse(from_release)
    looks = ReadOptions(slices, payload, bootstrap, call_timeout, session)
    check_reads(table, looks)
    properties = stored_in(table, line)
    made = plan.plan_migration(
        properties, to, writer, from_release, keep_table_version=keep_table_version, mode=mode, jar=jar
    )
    damage = damage_in(table, looks, made.to_release)
    return made if damage is None else made.with_evidence(damage)
