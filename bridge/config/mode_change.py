"""Setting another merge mode on a table of version 9: which properties it adds and removes."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.creation import given_settings
from bridge.config.inference import MergeSettings, infer_for_creation
from bridge.config.keys import (
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    PARTIAL_UPDATE_MODE,
    PAYLOAD_CLASS,
    STRATEGY_ID,
    UNAVAILABLE_MARKER,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.stored import TableMergeConfig
from mergers import RecordMergeMode
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

_STATE_A_MODE: Final = (
    MERGE_MODE.key,
    STRATEGY_ID.key,
    *STRATEGY_ID.aliases,
    PAYLOAD_CLASS.key,
    LEGACY_PAYLOAD_CLASS.key,
    PARTIAL_UPDATE_MODE.key,
    MERGE_PROPERTY_PREFIX + UNAVAILABLE_MARKER.key,
)


class TargetMode(NamedTuple):
    """A merge mode to go to, and what belongs to it.

    Attributes:
        mode: the merge mode.
        partial: the partial update mode, or None.
        properties: merge properties that are added to the table's, without their prefix.
        strategy: for CUSTOM the strategy id of a merger that replaces the payload class, or None.
    """

    mode: RecordMergeMode
    partial: str | None = None
    properties: Mapping[str, str] = MappingProxyType({})
    strategy: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is a mode alone."""
        return self.partial is None and self.strategy is None


def change_mode(properties: Mapping[str, str], target: TargetMode, writer: Mapping[str, str]) -> dict[str, str]:
    """Return the properties of a table of version 9 with another merge mode.

    The partial update mode of a former payload class is removed. Ordering fields stay, and so do the delete key and
    marker, so that rows marked as deletes still delete. Without a strategy of the target, CUSTOM takes the payload
    class or the strategy id from the writer's options or from the table.

    Raises:
        MergeConfigError: CUSTOM has neither a payload class nor a strategy id, or they imply another mode.
    """
    table, mode = TableMergeConfig.from_properties(properties), target.mode
    kept = {key: text for key, text in properties.items() if key not in _STATE_A_MODE}
    given = MergeSettings(mode, strategy=target.strategy)
    if mode is RecordMergeMode.CUSTOM and target.strategy is None:
        passed = given_settings(writer, HudiRelease.latest())
        given = MergeSettings(mode, passed.payload or table.payload, passed.strategy or None)
    stated = infer_for_creation(given, table.ordering, table.version, HudiRelease.latest())
    if stated[MERGE_MODE.key] != mode.name:
        msg = (
            f"table version {table.version} stores {given.payload} as {stated[MERGE_MODE.key]}, never in mode "
            f"{mode.name}; choose that mode, or a class of your own"
        )
        raise MergeConfigError(msg)
    partial = {PARTIAL_UPDATE_MODE.key: target.partial} if target.partial else {}
    added = {MERGE_PROPERTY_PREFIX + key: value for key, value in target.properties.items()}
    return {**kept, **stated, **partial, **added}
