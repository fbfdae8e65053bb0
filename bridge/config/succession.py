"""What replaces each deprecated payload class in table version 9: mode, partial update mode, properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bridge.config.keys import CHANGED_FIELDS, DELETE_KEY, DELETE_MARKER, RETAIN_FIELDS, UNAVAILABLE_MARKER
from mergers import (
    COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    CUSTOM_MERGE_STRATEGY_UUID,
    EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
    PAYLOAD_BASED_MERGE_STRATEGY_UUID,
    RecordMergeMode,
)
from mergers.api import STRATEGY_OF_MODE
from payloads import (
    AWSDmsAvroPayload,
    DefaultHoodieRecordPayload,
    EventTimeAvroPayload,
    MySqlDebeziumAvroPayload,
    OracleDebeziumAvroPayload,
    OverwriteNonDefaultsWithLatestAvroPayload,
    OverwriteWithLatestAvroPayload,
    PartialUpdateAvroPayload,
    PostgresDebeziumAvroPayload,
)
from payloads.builtin import CHANGED_COLUMNS, ORACLE_ORDERING, ORACLE_RETAINED, UNAVAILABLE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from payloads import HudiRelease

DEFAULT: Final = DefaultHoodieRecordPayload.java_name
EVENT_TIME: Final = EventTimeAvroPayload.java_name
OVERWRITE: Final = OverwriteWithLatestAvroPayload.java_name

BUILT_IN_STRATEGIES: Final = frozenset(
    {
        EVENT_TIME_BASED_MERGE_STRATEGY_UUID,
        COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
        PAYLOAD_BASED_MERGE_STRATEGY_UUID,
        CUSTOM_MERGE_STRATEGY_UUID,
    }
)


@dataclass(frozen=True, slots=True)
class Successor:
    """The settings of table version 9 that replace a payload class.

    Attributes:
        mode: the merge mode.
        partial: the partial update mode, or None.
        properties: merge properties, without their prefix.
        ordering: the ordering fields that replace the table's own; empty if those stay.
        ordering_before: the one ordering field that a downgrade restores; empty if the table's own stay.
        mode_is_written: whether an upgrade writes mode and strategy; if not, what 8 has stored stays.
    """

    mode: RecordMergeMode
    partial: str | None = None
    properties: Mapping[str, str] = field(default_factory=dict)
    ordering: tuple[str, ...] = ()
    ordering_before: str = ""
    mode_is_written: bool = True

    @property
    def strategy(self) -> str:
        """The strategy id of the mode."""
        return STRATEGY_OF_MODE[self.mode]


def _delete_marker(column: str, marker: str) -> dict[str, str]:
    return {DELETE_KEY.key: column, DELETE_MARKER.key: marker}


_EVENT, _COMMIT = RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING
_DEBEZIUM_DELETES: Final = _delete_marker("_change_operation_type", "d")

SUCCESSORS: Final[Mapping[str, Successor]] = {
    DEFAULT: Successor(_EVENT, mode_is_written=False),
    EVENT_TIME: Successor(_EVENT),
    OVERWRITE: Successor(_COMMIT, mode_is_written=False),
    OverwriteNonDefaultsWithLatestAvroPayload.java_name: Successor(_COMMIT, "IGNORE_DEFAULTS"),
    PartialUpdateAvroPayload.java_name: Successor(_EVENT, "IGNORE_DEFAULTS"),
    AWSDmsAvroPayload.java_name: Successor(_COMMIT, properties=_delete_marker("Op", "D")),
    MySqlDebeziumAvroPayload.java_name: Successor(
        _EVENT,
        properties=_DEBEZIUM_DELETES,
        ordering=("_event_bin_file", "_event_pos"),
        ordering_before="_event_seq",
    ),
    PostgresDebeziumAvroPayload.java_name: Successor(
        _EVENT,
        "FILL_UNAVAILABLE",
        properties={**_DEBEZIUM_DELETES, UNAVAILABLE_MARKER.key: UNAVAILABLE},
        ordering=("_event_lsn",),
    ),
}
"""The eight deprecated classes by their full names; any other class stays, in mode CUSTOM."""
_PREVIEWED: Final[Mapping[str, Successor]] = {
    OracleDebeziumAvroPayload.java_name: Successor(
        _EVENT,
        "FILL_UNCHANGED",
        properties={
            **_DEBEZIUM_DELETES,
            UNAVAILABLE_MARKER.key: UNAVAILABLE,
            CHANGED_FIELDS.key: CHANGED_COLUMNS,
            RETAIN_FIELDS.key: ",".join(ORACLE_RETAINED),
        },
        ordering=(ORACLE_ORDERING,),
    ),
}


def successors_in(release: HudiRelease) -> Mapping[str, Successor]:
    """Return the classes that a release replaces in new tables of version 9: of a preview, what its sources say."""
    return _PREVIEWED if release.is_preview else SUCCESSORS


def implicit_delete_marker(payload: str | None) -> dict[str, str]:
    """Return the delete key and marker that releases from 1.1 on add below table version 9, by the table's class."""
    successor = SUCCESSORS.get(payload or "")
    deletes = (DELETE_KEY.key, DELETE_MARKER.key)
    return (
        {} if successor is None else {key: successor.properties[key] for key in deletes if key in successor.properties}
    )
