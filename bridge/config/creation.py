"""Which merge properties each release stores when a writer or a CREATE TABLE creates a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bridge.config.capabilities import capabilities
from bridge.config.entry import first_given
from bridge.config.inference import MergeSettings, infer, infer_for_creation
from bridge.config.keys import (
    DELETE_KEY,
    DELETE_MARKER,
    INITIAL_VERSION,
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    ORDERING_FIELDS,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    STRATEGY_ID,
    TABLE_TYPE,
    TABLE_VERSION,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_STRATEGY_ID,
    WRITE_TABLE_VERSION,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.succession import DEFAULT, OVERWRITE
from bridge.config.table_type import TableType
from mergers import EVENT_TIME_BASED_MERGE_STRATEGY_UUID
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.config.entry import ConfigEntry

_STORED_TYPE: Final = {
    TableType.COPY_ON_WRITE: "COPY_ON_WRITE",
    TableType.MERGE_ON_READ: "MERGE_ON_READ",
}
_OF_TABLES: Final[tuple[ConfigEntry[Any], ...]] = (
    MERGE_MODE,
    STRATEGY_ID,
    PAYLOAD_CLASS,
    LEGACY_PAYLOAD_CLASS,
    PARTIAL_UPDATE_MODE,
)
"""What CREATE TABLE reads, and a DataFrame writer does not."""


def created_properties(
    options: Mapping[str, str],
    table_type: TableType,
    release: HudiRelease = HudiRelease.latest(),
    *,
    tblproperties: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the merge properties that a new table stores.

    `options` are those of a DataFrame writer, `tblproperties` the properties of a CREATE TABLE. These are two sources:
    of the table's own keys among a writer's options, releases from 1.1 on read only the ordering fields, and these
    win. In all other cases the writer's key wins.
    `hoodie.write.table.version` requests an older table version.

    Raises:
        MergeConfigError: the options contradict each other, or the release can't create this table version.
        PayloadConfigError: naming the option that can't be read.
    """
    is_sql = tblproperties is not None
    options = {**_of_writer(options, release), **(tblproperties or {})}
    newest = capabilities(release).created_version
    version = WRITE_TABLE_VERSION.read(options, release) or newest
    if version > newest:
        msg = f"Hudi {release} can't create table version {version}, only {newest} and below"
        raise MergeConfigError(msg)
    stored = {TABLE_TYPE.key: _STORED_TYPE[table_type], TABLE_VERSION.key: str(version)}
    table = capabilities(release, version)
    if table.stored_modes:
        stored[INITIAL_VERSION.key] = str(version)
    keys = (WRITE_PRECOMBINE, ORDERING_FIELDS)
    own_first = not is_sql and table.separate_writer_options
    ordering = first_given(options, release, *(reversed(keys) if own_first else keys)) or ()
    if ordering:
        stored[ORDERING_FIELDS.names(release)[0]] = ",".join(ordering)
    if not table.merge_modes:
        return {**stored, **_class_of_logs(options, table_type, release)}
    given = given_settings(options, release)
    if table.payload_successors:
        # The ordering fields of a Debezium class replace those of the user.
        stored.update(infer_for_creation(given, ordering, version, release))
    else:
        mode, payload, strategy = infer(given, ordering, version, release)
        stored.update({PAYLOAD_CLASS.key: payload or "", STRATEGY_ID.key: strategy or ""})
        if table.stored_modes:
            stored[MERGE_MODE.key] = mode.name
    payload = given.payload or (None if is_sql or given.mode is not None else DEFAULT)
    return {**_delete_marker(options, payload, release), **stored}


def _of_writer(options: Mapping[str, str], release: HudiRelease) -> dict[str, str]:
    """Return the options of a DataFrame writer without the table's keys that creating a table ignores."""
    if not capabilities(release).separate_writer_options:
        return dict(options)
    ignored = {name for entry in _OF_TABLES for name in entry.names(release)}
    return {
        key: text for key, text in options.items() if key not in ignored and not key.startswith(MERGE_PROPERTY_PREFIX)
    }


def given_settings(options: Mapping[str, str], release: HudiRelease) -> MergeSettings:
    """Return the mode, class and strategy id that options name, the writer's keys before the table's."""
    return MergeSettings(
        first_given(options, release, WRITE_MERGE_MODE, MERGE_MODE),
        first_given(options, release, WRITE_PAYLOAD_CLASS, PAYLOAD_CLASS),
        first_given(options, release, WRITE_STRATEGY_ID, STRATEGY_ID),
    )


def _class_of_logs(options: Mapping[str, str], table_type: TableType, release: HudiRelease) -> dict[str, str]:
    """Return class and strategy, as releases without merge modes store them for merge-on-read alone."""
    if table_type is TableType.COPY_ON_WRITE:
        return {}
    payload = {PAYLOAD_CLASS.key: given_settings(options, release).payload or OVERWRITE}
    if not capabilities(release).mergers:
        return payload
    strategy = first_given(options, release, WRITE_STRATEGY_ID, STRATEGY_ID) or EVENT_TIME_BASED_MERGE_STRATEGY_UUID
    return {**payload, STRATEGY_ID.names(release)[0]: strategy}


def _delete_marker(options: Mapping[str, str], payload: str | None, release: HudiRelease) -> dict[str, str]:
    """Return a custom delete key and marker: given with the prefix, or without it for the Default class only.

    A writer that names neither class nor mode counts as one of the Default class, CREATE TABLE does not.
    """
    if not capabilities(release).merge_properties:
        return {}
    keys = (DELETE_KEY.key, DELETE_MARKER.key)
    prefixed = {MERGE_PROPERTY_PREFIX + key: options.get(MERGE_PROPERTY_PREFIX + key) for key in keys}
    plain = {MERGE_PROPERTY_PREFIX + key: options.get(key) for key in keys}
    for marker in (prefixed, plain if payload == DEFAULT else {}):
        if marker and all(marker.values()):
            return {key: value for key, value in marker.items() if value}
    return {}
