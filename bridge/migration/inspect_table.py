"""inspect: the settings of a table under a release, its rows, and what a move to the release changes."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.config import TABLE_VERSION, TableMergeConfig, assumed_writer_of
from bridge.errors import ParameterError
from bridge.migration.damage import MOST_SLICES
from bridge.migration.findings import Finding
from bridge.migration.inspection import inspect_settings
from bridge.migration.plan import plan_migration
from bridge.migration.table_source import ReadOptions, check_reads, damage_in, stored_in
from bridge.plan import CALL_TIMEOUT
from bridge.report import Severity
from payloads.errors import PayloadBridgeError
from payloads.jars import jar_paths
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from bridge.migration.inspect_report import Inspection
    from bridge.migration.table_source import TableLike
    from payloads import PayloadRef
    from payloads.jars import JarPaths, MavenPackages


def inspect(  # noqa: PLR0913 (one parameter an option)
    table: TableLike,
    writer: Mapping[str, str] | None = None,
    release: str | HudiRelease = HudiRelease.latest(),
    *,
    from_release: str | HudiRelease | None = None,
    jar: JarPaths = None,
    package: MavenPackages = (),
    payload: str | PayloadRef | None = None,
    slices: int | None = MOST_SLICES,
    bootstrap: str | None = None,
    call_timeout: int = CALL_TIMEOUT,
    session: Callable[[], SparkSession] | None = None,
) -> Inspection:
    """Determine how a table merges under a release, what is damaged, and what changes if an older release wrote it.

    Args:
        table: its base path, local or a URI, whose rows are read, too; its `hoodie.properties`, a properties file with
            the TBLPROPERTIES of a table that does not exist yet, or what it stores, as a mapping.
        writer: the options of its writer.
        release: the Hudi release whose rules apply.
        from_release: the release that has written the table so far; None: by its version, 0.13 for 5, 0.15 for 6, 1.0
            for 8, 1.1 for 9.
        jar: jars with compiled payload classes, or with classes that they need.
        package: Maven packages with compiled payload classes, as group:artifact:version.
        payload: the class that merges the rows of a table whose own class Hudi does not ship.
        slices: read the rows of at most this many file slices, to find damage; 0: none, None: no limit.
        bootstrap: the folder with the source files of a bootstrapped table, if they have moved.
        call_timeout: how many seconds a call of the class may take.
        session: returns the session that reads rows; None: the active one, else a local one is started.

    Raises:
        ParameterError: a parameter is for rows, or for a table that exists, and there are properties alone.
        MergeConfigError: the release can't read the table, or nothing can be inferred from its settings.
        PayloadConfigError: a property can't be read; the message names it.
        HudiTableError: the path has no table, or its timeline can't be read.
    """
    line, looks = HudiRelease.asked(release), ReadOptions(slices, payload, bootstrap, call_timeout, session)
    check_reads(table, looks)
    properties = stored_in(table, line)
    found = inspect_settings(properties, writer, line, jar=jar, package=jar_paths(package))
    found = _with_move(found, properties, writer, line, from_release, jar)
    damage = damage_in(table, looks)
    return found if damage is None else found.with_damage(damage)


def _with_move(  # noqa: PLR0913, PLR0917 (what a move is made of)
    found: Inspection,
    properties: Mapping[str, str],
    writer: Mapping[str, str] | None,
    release: HudiRelease,
    from_release: str | HudiRelease | None,
    jar: JarPaths,
) -> Inspection:
    """Return an inspection with what a move from the release that has written the table changes.

    A release that is older than the one that is assumed may have written it just as well, so that nothing moves.
    """
    if from_release is not None and TABLE_VERSION.key not in properties:
        msg = f"`from_release` is for a table that exists; give its {TABLE_VERSION.key}, too, or leave it out"
        raise ParameterError(msg)
    table = TableMergeConfig.from_properties(properties, release)
    old = assumed_writer_of(table) if from_release is None else HudiRelease.asked(from_release)
    is_assumed = from_release is None
    if TABLE_VERSION.key not in properties or release == old or (is_assumed and release < old):
        return found
    try:
        made = plan_migration(properties, release, writer, old, jar=jar)
    except PayloadBridgeError as error:
        told = f"the effect of Hudi {release} on new batches was not checked: {error}"
        untold = Finding(Severity.NOT_CHECKED, told, f"replay --batches NEXT --to {release} shows the rows")
        return dataclasses.replace(found, risks=(*found.risks, untold))
    return dataclasses.replace(found, move=made, writer_known=not is_assumed or made.from_version != made.to_version)
