"""plan_migration: what a move to a release or a merge mode does to a table's properties, how to do it and undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import (
    DELETE_KEY,
    MERGE_PROPERTY_PREFIX,
    OVERWRITE,
    RECORD_KEY,
    TABLE_NAME,
    TABLE_TYPE,
    UPDATE_ON_TIE,
    WRITE_PAYLOAD_CLASS,
    TableMergeConfig,
    TargetMode,
    assumed_writer,
    assumed_writer_of,
    capabilities,
    change_mode,
    change_version,
    check_previewed,
    given_settings,
    ordering_of,
)
from bridge.errors import ParameterError, PlanError
from bridge.migration.examples import differences
from bridge.migration.findings import Finding, worst_first
from bridge.migration.inspection import inspect_settings, refused_options, unreadable_deletes
from bridge.migration.move import Move
from bridge.migration.plan_report import MigrationPlan
from bridge.migration.silent_changes import Changes, silent_changes
from bridge.migration.steps import (
    apply_steps,
    merge_properties,
    options_after,
    undo_steps,
)
from bridge.report import Severity
from mergers import RecordMergeMode
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from payloads.jars import JarPaths


def plan_migration(  # noqa: PLR0913 (one parameter an option, and the mode to set)
    properties: Mapping[str, str],
    to: str | HudiRelease | RecordMergeMode,
    writer: Mapping[str, str] | None = None,
    from_release: str | HudiRelease | None = None,
    *,
    keep_table_version: bool = False,
    mode: TargetMode | None = None,
    jar: JarPaths = None,
) -> MigrationPlan:
    """Plan the move of a table to a release, older or newer, or to a merge mode. Nothing is changed.

    `properties` are what the table stores, `writer` the options of its writer, which still passes them;
    `from_release` is who wrote the table until now, by default the release that its version implies (`assumed_writer`).
    A merge mode is set under the newest release; CUSTOM needs the payload class or the strategy id of the writer.
    `mode` is a merge mode to set as well, under the release `to`; `jar` names where compiled payload classes are.

    Raises:
        PlanError: the target is unknown, or the version can't be kept.
        MergeConfigError: the release can't read or make the table, or the settings contradict each other.
        PayloadConfigError: a property can't be read; the message names it.
    """
    options = dict(writer or {})
    table = TableMergeConfig.from_properties(properties)
    old = assumed_writer_of(table) if from_release is None else HudiRelease.asked(from_release)
    named, new = _target(to)
    check_previewed(table, new)
    if mode is not None and named is not None:
        msg = "`to` and `mode` both name a merge mode; name a release by `to`, or leave out `mode`"
        raise ParameterError(msg)
    mode = mode or named
    newest = capabilities(new).created_version
    version = table.version if keep_table_version else newest
    if version > newest:
        msg = f"Hudi {new} can't read table version {version}; leave out `keep_table_version`"
        raise ParameterError(msg)
    if version < newest and not capabilities(new).keeps_version:
        msg = f"Hudi {new} upgrades table version {version} in its first write; leave out `keep_table_version`"
        raise ParameterError(msg)
    if mode is not None and not capabilities(new, version).payload_successors:
        msg = f"table version {version} cannot be kept with a new merge mode, which needs version 9"
        raise PlanError(msg)
    # A downgrade is the work of the release that knows the table's version.
    worker = new if newest >= table.version else max(old, assumed_writer(table.version))
    after = change_version(properties, version, worker, options)
    if mode is not None:
        after = change_mode(after, mode, options)
    move = Move(
        from_release=old,
        to_release=new,
        from_version=table.version,
        to_version=version,
        payload=_merging_class(table, options),
        table_type=table.table_type,
        stores_payload=table.payload is not None,
        to_mode=TableMergeConfig.from_properties(after).mode,
        changes_mode=mode is not None,
        has_delete_marker=_has_delete_marker(properties, options),
        ordering=ordering_of(table, options, old),
        ordering_then=ordering_of(TableMergeConfig.from_properties(after), options, new),
        keeps_ties=any(UPDATE_ON_TIE.read(given, new) is False for given in (properties, options)),
    )
    if new.is_preview or old.is_preview:
        changes = Changes((), f"no example batch was merged under Hudi {HudiRelease.V1_3}")
    elif mode is None or mode.is_plain:
        changes = silent_changes(move, differences)
    else:
        changes = Changes((), "the effect of a partial update mode or a merger is not known")
    warnings, unlinked = _warnings(table, after, options, move, jar)
    undo = tuple(undo_steps(properties, after, worker))
    undone = properties if any(step.cli for step in undo) else change_version(after, table.version, worker)
    return MigrationPlan(
        from_release=old,
        to_release=new,
        from_version=table.version,
        to_version=version,
        before=merge_properties(properties),
        after=merge_properties(after),
        apply=tuple(apply_steps(table, after, None if mode is None else mode.mode, worker, options)),
        undo=undo,
        after_undo=merge_properties(undone),
        behaviours=changes.found,
        untried=changes.untried,
        warnings=warnings,
        table={key: properties[key] for key in (TABLE_NAME, TABLE_TYPE.key, RECORD_KEY.key) if key in properties},
        unlinked=unlinked,
    )


def _target(to: str | HudiRelease | RecordMergeMode) -> tuple[TargetMode | None, HudiRelease]:
    if isinstance(to, RecordMergeMode):
        return TargetMode(to), HudiRelease.latest()
    if isinstance(to, str) and to.upper() in RecordMergeMode.__members__:
        return TargetMode(RecordMergeMode[to.upper()]), HudiRelease.latest()
    if isinstance(to, str) and not to[:1].isdecimal():
        known = ", ".join([*map(str, HudiRelease), *RecordMergeMode.__members__])
        msg = f"{to!r} is neither a release nor a merge mode; choose one of {known}"
        raise PlanError(msg)
    return None, HudiRelease.asked(to)


def _merging_class(table: TableMergeConfig, options: Mapping[str, str]) -> str | None:
    """Return the class that merges now, or that the table's mode replaces; None for EVENT_TIME_ORDERING alone."""
    payload = table.payload or given_settings(options, HudiRelease.latest()).payload or table.legacy_payload
    by_arrival = table.mode is RecordMergeMode.COMMIT_TIME_ORDERING
    return OVERWRITE if payload is None and by_arrival else payload


def _has_delete_marker(properties: Mapping[str, str], options: Mapping[str, str]) -> bool:
    """Whether table or writer set a custom delete key, under its own name or as a property of mergers."""
    names = DELETE_KEY.key, MERGE_PROPERTY_PREFIX + DELETE_KEY.key
    return any(given.get(name) for given in (properties, options) for name in names)


# -- warnings


def _warnings(
    now: TableMergeConfig, after: Mapping[str, str], options: Mapping[str, str], move: Move, jar: JarPaths
) -> tuple[tuple[Finding, ...], str | None]:
    """Return what is wrong with the table as it will be, or would be if it moved as it is; and what does not link."""
    table, new = TableMergeConfig.from_properties(after), move.to_release
    follow, drop = options_after(table, options, changes_mode=move.changes_mode)
    then = {key: text for key, text in {**options, **follow}.items() if key not in drop}
    inspected = inspect_settings(after, then, new, jar=jar)
    found = [*inspected.warnings]
    if table.version > now.version:
        refused = refused_options(table, then, new)
        found = [one for one in found if one not in refused]
        found += refused_options(table, then, new, is_upgraded=True)
    if capabilities(move.from_release).delete_block_utf8 not in {None, capabilities(new).delete_block_utf8}:
        found += unreadable_deletes(now, new)
    if move.is_upgraded and not move.stores_payload and move.payload is None:
        found.append(
            Finding(
                Severity.DAMAGED,
                "the table stores no payload class and none is given, so the upgrade assumes the Default class; if "
                "its rows come from AWS DMS or Debezium, deleted rows will survive",
                f"name the writer's class ({WRITE_PAYLOAD_CLASS.key})",
            )
        )
    ends_by_event_time = move.to_mode is RecordMergeMode.EVENT_TIME_ORDERING and not move.changes_mode
    if move.is_upgraded and move.payload == OVERWRITE and ends_by_event_time:
        found.append(
            Finding(
                Severity.CHANGED,
                "this table merged by arrival and ends in EVENT_TIME_ORDERING",
                "plan the move to COMMIT_TIME_ORDERING instead, which sets the mode after the upgrade",
            )
        )
    return worst_first(found), inspected.unlinked
