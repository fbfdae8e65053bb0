"""How an upgrade or downgrade of the table version rewrites the properties that decide how records merge.

Hudi collects the changes of all steps first, each step looking at the properties as they were before the first, and
then applies them at once: additions under every name of a key, and removals last. So a key that one step adds and
another one removes is gone, while its old name stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from bridge.config.capabilities import capabilities
from bridge.config.inference import mode_of_payload
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
    TABLE_VERSION,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.stored import TableMergeConfig, payload_in
from bridge.config.succession import DEFAULT, EVENT_TIME, OVERWRITE, SUCCESSORS
from bridge.config.table_type import TableType
from mergers import PAYLOAD_BASED_MERGE_STRATEGY_UUID, RecordMergeMode
from mergers.api import STRATEGY_OF_MODE
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.config.entry import ConfigEntry

_EVENT, _COMMIT, _CUSTOM = (
    RecordMergeMode.EVENT_TIME_ORDERING,
    RecordMergeMode.COMMIT_TIME_ORDERING,
    RecordMergeMode.CUSTOM,
)
_PRECOMBINE: Final = ORDERING_FIELDS.aliases[0]
_KEEP_THEIR_MODE: Final = frozenset({DEFAULT, EVENT_TIME, OVERWRITE})


def change_version(
    properties: Mapping[str, str],
    to_version: int,
    release: HudiRelease = HudiRelease.latest(),
    writer: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return a table's properties after `release` has brought it to a table version.

    `writer` is what the upgrading writer passes: a table that stores no payload class gets the writer's in the step
    to version 9, and its delete key and marker are stored. Properties that don't concern merging stay as they are.

    Raises:
        MergeConfigError: the release can't make this version, or can't read the table.
    """
    table = TableMergeConfig.from_properties(properties, release)
    can = capabilities(release)
    newest = can.created_version
    if max(table.version, to_version) > newest:
        version = max(table.version, to_version)
        msg = f"Hudi {release} knows table versions up to {newest}, not {version}; name a later release"
        raise MergeConfigError(msg)
    if table.version not in can.writable_versions:
        raise MergeConfigError.from_old_version(table.version, can.writable_versions[0])
    if to_version not in can.writable_versions:
        known = ", ".join(map(str, can.writable_versions))
        msg = f"table version {to_version} is not supported; choose one of {known}"
        raise MergeConfigError(msg)
    now, then = capabilities(release, table.version), capabilities(release, to_version)
    changes = _Changes()
    if to_version > table.version:
        if then.stored_modes and not now.stored_modes:
            _to_modes(table, release, changes)
        if then.payload_successors:
            _to_successors(table, release, writer or {}, changes)
    else:
        if now.payload_successors and not then.payload_successors:
            _from_successors(table, changes)
        if now.stored_modes and not then.stored_modes:
            changes.remove(MERGE_MODE.key, STRATEGY_ID.key)
    return changes.applied_to(properties, to_version)


@dataclass(slots=True)
class _Changes:
    """Additions, the later one wins, and removals, which win over additions."""

    added: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def add(self, entry: ConfigEntry[Any], value: str) -> None:
        """Set a key under all of its names."""
        self.added.update(dict.fromkeys((entry.key, *entry.aliases), value))

    def add_mode(self, mode: RecordMergeMode, strategy: str) -> None:
        self.add(MERGE_MODE, mode.name)
        self.add(STRATEGY_ID, strategy)

    def add_merge_properties(self, properties: Mapping[str, str]) -> None:
        self.added.update({MERGE_PROPERTY_PREFIX + key: value for key, value in properties.items()})

    def remove(self, *keys: str) -> None:
        self.removed.update(keys)

    def applied_to(self, properties: Mapping[str, str], version: int) -> dict[str, str]:
        changed = {**properties, **self.added, TABLE_VERSION.key: str(version)}
        return {key: value for key, value in changed.items() if key not in self.removed}


def _to_modes(table: TableMergeConfig, release: HudiRelease, changes: _Changes) -> None:
    """Go to version 8, which stores merge modes."""
    payload = table.resolved_payload(release)
    mode = mode_of_payload(payload, release)
    if mode is _CUSTOM:
        changes.add(PAYLOAD_CLASS, payload)
        changes.add_mode(_CUSTOM, PAYLOAD_BASED_MERGE_STRATEGY_UUID)
    else:
        # EventTime, which from 1.1 on has a mode of its own, is treated like OverwriteWithLatest here.
        has_event_time = table.table_type is TableType.MERGE_ON_READ and bool(table.ordering)
        mode = _EVENT if has_event_time or payload == DEFAULT else _COMMIT
        changes.add(PAYLOAD_CLASS, DEFAULT if mode is _EVENT else OVERWRITE)
        changes.add_mode(mode, STRATEGY_OF_MODE[mode])
    changes.add(INITIAL_VERSION, str(table.version))


def _to_successors(table: TableMergeConfig, release: HudiRelease, writer: Mapping[str, str], changes: _Changes) -> None:
    """Go to version 9, where the eight deprecated classes become their successors."""
    payload = payload_in(table.properties, release) or payload_in(writer, release) or DEFAULT
    if table.mode is not _CUSTOM:
        # Even if no mode is stored: the previous step has not been applied yet.
        changes.remove(STRATEGY_ID.key)
    successor = SUCCESSORS.get(payload)
    if successor is not None:
        if successor.mode_is_written:
            changes.add_mode(successor.mode, successor.strategy)
        if successor.partial:
            changes.add(PARTIAL_UPDATE_MODE, successor.partial)
        changes.add(LEGACY_PAYLOAD_CLASS, payload)
        changes.remove(PAYLOAD_CLASS.key)
    if successor is not None and successor.properties:
        changes.add_merge_properties(successor.properties)
    else:
        marker = {key: writer[key] for key in (DELETE_KEY.key, DELETE_MARKER.key) if writer.get(key)}
        changes.add_merge_properties(marker if len(marker) > 1 else {})
    ordering = successor.ordering if successor is not None and successor.ordering else table.ordering
    if ordering:
        changes.add(ORDERING_FIELDS, ",".join(ordering))
    changes.remove(_PRECOMBINE)


def _from_successors(table: TableMergeConfig, changes: _Changes) -> None:
    """Go back to version 8; a delete key and marker that came from the writer stay."""
    if table.mode is not None and table.mode is not _CUSTOM:
        changes.add(STRATEGY_ID, STRATEGY_OF_MODE[table.mode])
    changes.remove(PARTIAL_UPDATE_MODE.key)
    ordering = ",".join(table.ordering)
    payload = table.legacy_payload
    successor = SUCCESSORS.get(payload or "")
    if payload and successor is not None:
        changes.remove(LEGACY_PAYLOAD_CLASS.key)
        changes.add(PAYLOAD_CLASS, payload)
        if payload not in _KEEP_THEIR_MODE:
            changes.add_mode(_CUSTOM, PAYLOAD_BASED_MERGE_STRATEGY_UUID)
        changes.remove(*(MERGE_PROPERTY_PREFIX + key for key in successor.properties))
        ordering = successor.ordering_before or ordering
    if ordering:
        changes.added[_PRECOMBINE] = ordering
    changes.remove(ORDERING_FIELDS.key)
