"""Behaviours that change silently and that no scenario shows, each with the moves that it affects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import OVERWRITE, SUCCESSORS, TableType
from bridge.migration.move import Move, SilentChange
from bridge.migration.scenarios import OPERATIONS, VersionKind
from mergers import RecordMergeMode
from payloads import FirstValueAvroPayload
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable


class Note(NamedTuple):
    """A change, and whether it affects a move."""

    holds: Callable[[Move], bool]
    change: SilentChange


def _upgraded(*classes: str) -> Callable[[Move], bool]:
    """The table reaches version 9, and had one of these classes; none named: any class or mode."""
    return lambda move: move.is_upgraded and (not classes or _short(move) in classes)


def _upgraded_log(*classes: str) -> Callable[[Move], bool]:
    return lambda move: _upgraded(*classes)(move) and move.table_type is TableType.MERGE_ON_READ


def _is_custom(move: Move) -> bool:
    """Whether a class without a successor merges; scenarios cover the others."""
    return move.payload is not None and move.payload not in SUCCESSORS


def _is_custom_log(move: Move) -> bool:
    return _is_custom(move) and move.table_type is TableType.MERGE_ON_READ


def _short(move: Move) -> str:
    return (move.payload or "").rpartition(".")[2]


_CHANGE_FEEDS: Final = ("AWSDmsAvroPayload", "MySqlDebeziumAvroPayload", "PostgresDebeziumAvroPayload")
_ORDERED_BY_PROPERTY: Final = ("DefaultHoodieRecordPayload", "EventTimeAvroPayload", "PartialUpdateAvroPayload")
_RULE: Final = "what the class does"
_LOG_DELETE: Final = SilentChange(
    VersionKind.DELETES,
    "",
    "a delete in a log file blocks older rows",
    "the compaction that the upgrade performs drops it: an older row that arrives later is inserted",
)
_MERGE_AS_DEFAULT: Final = ("DefaultHoodieRecordPayload", "EventTimeAvroPayload", "OverwriteWithLatestAvroPayload", "")

NOTES: Final = (
    Note(
        lambda move: move.passes(HudiRelease.V0_13) and _is_custom(move),
        SilentChange(
            VersionKind.CODE,
            "",
            "preCombine gets neither schema nor properties: its overload (older) or (older, properties) runs",
            "it gets both: the overload (older, schema, properties) runs, if the class has it",
            depends_on="the overloads of the class",
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V0_14) and _short(move) == "MySqlDebeziumAvroPayload",
        SilentChange(
            VersionKind.ORDERING,
            "",
            "_event_seq is compared with the stored row as text, and a tie goes to the incoming row",
            "it is compared as two numbers (any other text fails), and a tie keeps the stored row",
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V0_14) and move.has_ordering and _short(move) in _ORDERED_BY_PROPERTY,
        SilentChange(
            VersionKind.ORDERING,
            "",
            "only hoodie.payload.ordering.field names the field that is compared with the stored row",
            "without it the precombine field does",
        ),
    ),
    Note(
        lambda move: (
            move.passes(HudiRelease.V0_14) and _short(move) == "DefaultHoodieRecordPayload" and move.has_delete_marker
        ),
        SilentChange(
            VersionKind.DELETES,
            "",
            "a custom delete key and marker have no effect",
            "rows with the marker delete, and _hoodie_is_deleted no longer does where they are set",
        ),
    ),
    Note(
        lambda move: (
            move.passes(HudiRelease.V0_14) and move.has_ordering and move.table_type is TableType.MERGE_ON_READ
        ),
        SilentChange(
            VersionKind.DELETES,
            "",
            "in a log file a late delete loses to an earlier row if the ordering field is text",
            "it wins, because its ordering value is read from the delete block as another Java class",
            depends_on="the type of the ordering field",
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V0_14),
        SilentChange(
            VersionKind.LATE_ROWS,
            "",
            "a row that a global index moves to another partition always replaces the stored one",
            "the payload merges both first, and a row that loses moves nothing",
            depends_on="the index",
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V0_15),
        SilentChange(
            VersionKind.VALUES,
            "",
            "the operation insert updates the row of a key that its small file has",
            "it adds a second row of the key, unless hoodie.merge.allow.duplicate.on.inserts=false",
            depends_on="the operation of the write",
        ),
    ),
    Note(
        lambda move: move.loses_class and _short(move) in _CHANGE_FEEDS,
        SilentChange(
            VersionKind.DELETES,
            "",
            "a row with a delete operation deletes its record",
            "it is stored as a live row, because this copy-on-write table stores no payload class",
            is_damage=True,
            columns=OPERATIONS,
        ),
    ),
    Note(
        lambda move: move.loses_class and _short(move) not in _MERGE_AS_DEFAULT,
        SilentChange(
            VersionKind.LATE_ROWS,
            "",
            "the payload class merges an incoming row with the stored one",
            "Default merges them, because this copy-on-write table stores no payload class: late rows lose by the "
            "precombine field, ties win, nulls and markers for unavailable values overwrite",
        ),
    ),
    Note(
        lambda move: move.loses_class and move.has_ordering and not _short(move),
        SilentChange(
            VersionKind.LATE_ROWS,
            "",
            "a table and a writer without a class merge as OverwriteWithLatest",
            "they merge in EVENT_TIME_ORDERING as Default",
        ),
    ),
    Note(
        lambda move: (
            move.passes(HudiRelease.V1_1)
            and move.from_release in FirstValueAvroPayload.shipped
            and _short(move) == FirstValueAvroPayload.__name__
        ),
        SilentChange(
            VersionKind.CODE,
            "",
            "the class merges",
            "the class was removed: copy-on-write tables can be read but not written, and merge-on-read tables fail "
            "where a log must be merged",
        ),
    ),
    Note(
        _upgraded_log("PostgresDebeziumAvroPayload"),
        SilentChange(
            VersionKind.VALUES,
            "",
            "queries resolve the marker for unavailable values in log files",
            "the compaction that the upgrade performs stores the markers of log files as values",
            is_damage=True,
        ),
    ),
    Note(lambda move: _upgraded_log()(move) and not _is_custom(move), _LOG_DELETE),
    Note(lambda move: _upgraded_log()(move) and _is_custom(move), _LOG_DELETE._replace(depends_on=_RULE)),
    Note(
        _upgraded("AWSDmsAvroPayload"),
        SilentChange(
            VersionKind.DELETES,
            "",
            "Op=d deletes like Op=D",
            "the marker is compared letter by letter: only D deletes",
            columns=OPERATIONS[:1],
        ),
    ),
    Note(
        lambda move: (
            _upgraded("AWSDmsAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload")(move) and bool(move.ordering)
        ),
        SilentChange(
            VersionKind.ORDERING, "", "the ordering field picks the row of a batch that is kept", "it is no longer read"
        ),
    ),
    Note(
        _upgraded("MySqlDebeziumAvroPayload"),
        SilentChange(
            VersionKind.ORDERING,
            "",
            "rows are ordered by the numbers in _event_seq",
            "by _event_bin_file as text, then by _event_pos; the write after the upgrade must pass these fields",
        ),
    ),
    Note(
        _upgraded("MySqlDebeziumAvroPayload"),
        SilentChange(
            VersionKind.ORDERING,
            "",
            "a stored row without _event_seq (from a bootstrap) loses to any row",
            "its null columns count as a 0 of another type, and merging it fails",
        ),
    ),
    Note(
        _upgraded("PostgresDebeziumAvroPayload"),
        SilentChange(
            VersionKind.VALUES,
            "",
            "an incoming row gets the stored value for the marker of an unavailable one",
            "rows of one batch fill each other too, and of two rows the one with the higher LSN is filled",
        ),
    ),
    Note(
        lambda move: _upgraded("EventTimeAvroPayload", "DefaultHoodieRecordPayload")(move) and move.keeps_ties,
        SilentChange(
            VersionKind.TIES,
            "",
            "hoodie.payload.update.on.same.ordering.field=false keeps the stored row on a tie",
            "the incoming row wins every tie",
        ),
    ),
    Note(
        _upgraded("EventTimeAvroPayload", "DefaultHoodieRecordPayload"),
        SilentChange(
            VersionKind.CODE,
            "",
            "the event time of a commit is recorded",
            "only with hoodie.write.track.event.time.watermark=true",
        ),
    ),
    Note(
        lambda move: move.is_upgraded and move.has_delete_marker,
        SilentChange(
            VersionKind.DELETES,
            "",
            "a custom delete key and marker work only for the Default payload, and switch off _hoodie_is_deleted",
            "they work in every merge mode and in addition to _hoodie_is_deleted",
        ),
    ),
    Note(
        lambda move: move.is_upgraded and move.payload in SUCCESSORS,
        SilentChange(
            VersionKind.CODE,
            "",
            "a row that its payload ignores, or for which it has no insert value, is not inserted",
            "no payload is called: the row is inserted",
        ),
    ),
    Note(
        lambda move: (
            move.is_upgraded
            and move.payload == OVERWRITE
            and move.to_mode is RecordMergeMode.EVENT_TIME_ORDERING
            and not move.changes_mode
        ),
        SilentChange(
            VersionKind.LATE_ROWS,
            "",
            "the last row to arrive wins",
            "the upgrade of this table ends in EVENT_TIME_ORDERING, so the greatest ordering value wins; but while a "
            "writer passes OverwriteWithLatest, its batches and copy-on-write merges still go by arrival",
        ),
    ),
    Note(
        lambda move: (
            _is_custom_log(move)
            and move.has_ordering
            and move.passes(HudiRelease.V1_0)
            and not move.passes(HudiRelease.V1_1)
        ),
        SilentChange(
            VersionKind.DELETES,
            "",
            "a late delete removes the row, and an older row after a delete restores the record",
            "deletes obey the ordering field, and the payload is not called for them",
            depends_on=_RULE,
        ),
    ),
    Note(
        lambda move: _is_custom_log(move) and move.passes(HudiRelease.V1_1) and not move.passes(HudiRelease.V1_0),
        SilentChange(
            VersionKind.DELETES,
            "",
            "deletes obey the ordering field, and the payload is not called for them",
            "the payload is called: a late delete removes the row, and an older row after a delete can bring the "
            "record back",
            depends_on=_RULE,
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V1_1) and move.payload is None and move.to_mode is RecordMergeMode.CUSTOM,
        SilentChange(
            VersionKind.CODE,
            "",
            "a merger class merges HoodieRecords, and may suppress a record with shouldFlush",
            "it must be rewritten for BufferedRecord; shouldFlush is not called",
        ),
    ),
    Note(
        lambda move: move.passes(HudiRelease.V1_2) and move.table_type is TableType.MERGE_ON_READ,
        SilentChange(
            VersionKind.LATE_ROWS,
            "",
            "blocks of several writers in one log merge in file order",
            "instant by instant, in the order in which the instants first appear",
            depends_on="whether several writers write at once",
        ),
    ),
)
