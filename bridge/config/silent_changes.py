"""Merge behaviours that change without an error when a table meets a later release or a later table version."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.inference import mode_of_payload
from bridge.config.succession import SUCCESSORS
from bridge.plan import TableType
from mergers import RecordMergeMode
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_V0_15, _V1_0, _V1_1, _V1_2 = HudiRelease
_WITH_SUCCESSORS: Final = 9


class About(enum.Enum):
    """What kind of versions a change concerns."""

    LATE_ROWS = "late rows"
    TIES = "ties"
    DELETES = "deletes"
    BATCH = "duplicates within a batch"
    VALUES = "column values"
    ORDERING = "ordering fields"
    CODE = "code that runs"


class Move(NamedTuple):
    """A table that goes from one release to another.

    Attributes:
        from_release: who wrote it until now.
        to_release: who will.
        from_version: the table version now.
        to_version: the table version then; the same where the table is kept.
        payload: the full name of the class that its writer passes or it stores; None for a merge mode alone.
        table_type: copy-on-write or merge-on-read.
        has_ordering: whether an ordering field is set.
    """

    from_release: HudiRelease
    to_release: HudiRelease
    from_version: int
    to_version: int
    payload: str | None
    table_type: TableType
    has_ordering: bool = True

    def passes(self, release: HudiRelease) -> bool:
        """Whether `release` is newer than the old one and not newer than the new one."""
        return self.from_release < release <= self.to_release

    @property
    def is_upgraded(self) -> bool:
        """Whether the table reaches version 9 on the way."""
        return self.from_version < _WITH_SUCCESSORS <= self.to_version

    @property
    def short(self) -> str:
        """The class without its package."""
        return (self.payload or "").rpartition(".")[2]


class SilentChange(NamedTuple):
    """One behaviour that changes; nothing fails and nothing is logged.

    Attributes:
        about: what it concerns.
        before: what happened.
        after: what will.
        holds: whether a move meets it.
    """

    about: About
    before: str
    after: str
    holds: Callable[[Move], bool]


def silent_changes(move: Move) -> tuple[SilentChange, ...]:
    """Return the changes that a move meets, in the order of `About`."""
    return tuple(sorted(_met(move), key=lambda change: list(About).index(change.about)))


def _met(move: Move) -> Iterator[SilentChange]:
    if move.to_release > move.from_release or move.to_version > move.from_version:
        yield from (change for change in _CHANGES if change.holds(move))


# -- which moves


def _upgraded(*classes: str) -> Callable[[Move], bool]:
    """The table reaches version 9, and had one of these classes; none named: any class or mode."""
    return lambda move: move.is_upgraded and (not classes or move.short in classes)


def _upgraded_log(*classes: str) -> Callable[[Move], bool]:
    return lambda move: _upgraded(*classes)(move) and move.table_type is TableType.MERGE_ON_READ


def _has_class(move: Move) -> bool:
    return move.payload is not None


def _is_custom(move: Move) -> bool:
    """Whether the payload's own code goes on merging, in mode CUSTOM."""
    is_code = move.payload is not None and mode_of_payload(move.payload, move.to_release) is RecordMergeMode.CUSTOM
    return is_code and (move.to_version < _WITH_SUCCESSORS or move.payload not in SUCCESSORS)


def _is_kept_log(move: Move, *classes: str) -> bool:
    is_log = move.table_type is TableType.MERGE_ON_READ
    return is_log and move.to_version < _WITH_SUCCESSORS and (not classes or move.short in classes)


def _loses_class(move: Move) -> bool:
    """Whether the table is a copy-on-write one of 0.15, which stores no class, and stays below version 9."""
    is_unnamed = move.from_release is _V0_15 and move.table_type is TableType.COPY_ON_WRITE
    return is_unnamed and move.passes(_V1_1) and move.to_version < _WITH_SUCCESSORS


_PARTIAL = "PartialUpdateAvroPayload"
_NON_DEFAULTS = "OverwriteNonDefaultsWithLatestAvroPayload"
_OVERWRITE = "OverwriteWithLatestAvroPayload"
_DMS = "AWSDmsAvroPayload"
_MYSQL = "MySqlDebeziumAvroPayload"
_POSTGRES = "PostgresDebeziumAvroPayload"
_EVENT_TIME = "EventTimeAvroPayload"
_DEFAULT = "DefaultHoodieRecordPayload"
_FIRST_VALUE = "FirstValueAvroPayload"

_CHANGES: Final = (
    # -- the table reaches version 9
    SilentChange(
        About.DELETES,
        "a late flagged delete removes the stored row",
        "it is ignored",
        _upgraded(_PARTIAL),
    ),
    SilentChange(
        About.DELETES,
        "a batch with a delete and an older row of the same key keeps the row",
        "it deletes",
        _upgraded(_PARTIAL),
    ),
    SilentChange(
        About.DELETES,
        "an older row that comes after a delete in the log brings the record back",
        "the record stays deleted",
        _upgraded_log(_PARTIAL, _MYSQL, _POSTGRES),
    ),
    SilentChange(
        About.BATCH,
        "of the duplicates in a batch the one with the greatest ordering value wins",
        "the last one wins",
        _upgraded(_NON_DEFAULTS, _DMS),
    ),
    SilentChange(
        About.BATCH,
        "a batch with a delete and an older row of the same key deletes",
        "the row that came last survives",
        _upgraded(_NON_DEFAULTS, _DMS),
    ),
    SilentChange(
        About.VALUES,
        "nulls of the winner in a batch stay null",
        "they are filled from the other rows of the key in that batch",
        _upgraded(_NON_DEFAULTS),
    ),
    SilentChange(
        About.ORDERING,
        "the ordering field picks the winner of a batch",
        "it is not read any more",
        _upgraded(_NON_DEFAULTS, _DMS),
    ),
    SilentChange(
        About.DELETES,
        "Op=d deletes like Op=D",
        "the marker is compared letter by letter: only D deletes",
        _upgraded(_DMS),
    ),
    SilentChange(
        About.DELETES,
        "a late delete removes the row of a merge-on-read table",
        "it is ignored",
        _upgraded_log(_MYSQL, _POSTGRES),
    ),
    SilentChange(
        About.ORDERING,
        "rows are ordered by the file and position in _event_seq",
        "by (_event_bin_file, _event_pos): the file name as text, then the position; _event_seq is not read, and "
        "the next write must pass the new fields",
        _upgraded(_MYSQL),
    ),
    SilentChange(
        About.ORDERING,
        "a stored row without _event_seq (from a bootstrap) loses to any row",
        "its null columns count as 0 of another type, and the merge fails",
        _upgraded(_MYSQL),
    ),
    SilentChange(
        About.VALUES,
        "the marker for unavailable values is resolved where a row meets the stored row",
        "also between rows of one batch and for late rows: the row with the higher LSN is filled from the lower one",
        _upgraded(_POSTGRES),
    ),
    SilentChange(
        About.ORDERING,
        "a null LSN fails with an error of the payload",
        "it fails while ordering values are compared, with an error that depends on the merge point",
        _upgraded(_POSTGRES),
    ),
    SilentChange(
        About.TIES,
        "hoodie.payload.update.on.same.ordering.field=false keeps the stored row on a tie",
        "the incoming row wins every tie",
        _upgraded(_EVENT_TIME, _DEFAULT),
    ),
    SilentChange(
        About.CODE,
        "the payload records the event time of each commit",
        "only with hoodie.write.track.event.time.watermark=true",
        _upgraded(_EVENT_TIME, _DEFAULT),
    ),
    SilentChange(
        About.DELETES,
        "a custom delete key and marker work for the Default payload, and switch off _hoodie_is_deleted",
        "they work in every merge mode at every merge point, beside _hoodie_is_deleted",
        _upgraded(),
    ),
    SilentChange(
        About.CODE,
        "a row whose payload has no insert value, or ignores it, is not inserted",
        "no payload is asked: the row is inserted",
        lambda move: move.is_upgraded and move.payload in SUCCESSORS,
    ),
    SilentChange(
        About.LATE_ROWS,
        "the last row to arrive wins",
        "the row with the greatest ordering value wins, because the upgrade of this table ends in "
        "EVENT_TIME_ORDERING; while a writer passes OverwriteWithLatest, its batches and copy-on-write merges still "
        "go by arrival, log merges do not",
        lambda move: (
            move.is_upgraded
            and move.short == _OVERWRITE
            and move.has_ordering
            and move.from_version < 8  # noqa: PLR2004 (the version from which modes are stored)
            and (move.table_type is TableType.MERGE_ON_READ or move.from_release is _V0_15)
        ),
    ),
    # -- the release changes, whatever becomes of the table
    SilentChange(
        About.BATCH,
        "duplicates of a batch, and rows that meet in the log, are won by the greatest ordering value",
        "by the last to arrive",
        lambda move: move.passes(_V1_0) and move.short == _OVERWRITE,
    ),
    SilentChange(
        About.LATE_ROWS,
        "without a payload class rows merge as OverwriteWithLatest",
        "in EVENT_TIME_ORDERING as Default, if an ordering field is set",
        lambda move: move.passes(_V1_0) and not _has_class(move),
    ),
    SilentChange(
        About.DELETES,
        "in merge-on-read tables a late delete removes the row, and an older row after a delete brings it back",
        "deletes obey the ordering field there",
        lambda move: (
            move.from_release is _V0_15
            and move.to_release is _V1_0
            and move.table_type is TableType.MERGE_ON_READ
            and _has_class(move)
            and move.short != _OVERWRITE
        ),
    ),
    SilentChange(
        About.DELETES,
        "in merge-on-read tables deletes obey the ordering field",
        "a late delete removes the row, and an older row after a delete brings it back",
        lambda move: move.from_release is _V1_0 and move.passes(_V1_1) and _is_kept_log(move) and _is_custom(move),
    ),
    SilentChange(
        About.TIES,
        "on a tie the stored row stays",
        "the incoming row wins",
        lambda move: move.passes(_V1_1) and move.short == _MYSQL,
    ),
    SilentChange(
        About.VALUES,
        "queries and compaction of a merge-on-read table resolve the marker for unavailable values",
        "they show the marker itself, and compaction stores it; an upgrade compacts first, so it stores it too",
        lambda move: (
            move.passes(_V1_1)
            and move.short == _POSTGRES
            and (_is_kept_log(move) or move.table_type is TableType.MERGE_ON_READ)
        ),
    ),
    SilentChange(
        About.CODE,
        "EventTimeAvroPayload merges by its own code, in mode CUSTOM",
        "the mode EVENT_TIME_ORDERING merges",
        lambda move: move.from_release is _V1_0 and move.passes(_V1_1) and move.short == _EVENT_TIME,
    ),
    SilentChange(
        About.CODE,
        "a merger class merges HoodieRecords, and may keep a record back with shouldFlush",
        "it must be written anew against BufferedRecord; shouldFlush is not called",
        lambda move: move.passes(_V1_1) and (_is_custom(move) or not _has_class(move)),
    ),
    SilentChange(
        About.LATE_ROWS,
        "blocks of several writers in one log merge in the order in which they stand",
        "instant by instant, in the order in which each instant comes first",
        lambda move: move.passes(_V1_2) and move.table_type is TableType.MERGE_ON_READ,
    ),
    SilentChange(
        About.DELETES,
        "a row with a delete operation deletes its record",
        "it is stored as a live row, because this copy-on-write table stores no payload class",
        lambda move: _loses_class(move) and move.short in {_DMS, _MYSQL, _POSTGRES},
    ),
    SilentChange(
        About.LATE_ROWS,
        "the payload class merges an incoming row with the stored one",
        "Default merges them, because this copy-on-write table stores no payload class: late rows lose by the "
        "precombine field, ties win, nulls and unavailable markers overwrite",
        lambda move: _loses_class(move) and move.short not in {_DEFAULT, _EVENT_TIME, _OVERWRITE, ""},
    ),
    SilentChange(
        About.CODE,
        "FirstValueAvroPayload merges",
        "the class is gone: copy-on-write tables can be read but not written, and merge-on-read tables fail where a "
        "log must be merged",
        lambda move: move.passes(_V1_1) and move.short == _FIRST_VALUE,
    ),
)
