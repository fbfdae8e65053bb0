"""Programs: how the sorted versions of one key go through the merge points, one program a pipeline function.

A program sees the versions of a key in order (`start`, `accept` each, `finish`) and emits outcomes. It keeps what the
merge needs and no more, so a key of any number of versions streams. Plain Python, no Spark.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from bridge.carriers import LogDelete, LogRow, StoredRow
from bridge.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.carriers import Carrier
    from bridge.record_merge import RecordMerge
    from mergers import HoodieKey
    from payloads import Ordering, Record


class Origin(enum.IntEnum):
    """Where a version comes from; the order in which a key's versions meet."""

    STORED = 0
    LOG = 1
    INCOMING = 2


class Action(enum.IntEnum):
    """What became of a key."""

    INSERT = 0
    UPDATE = 1
    KEEP = 2
    DELETE = 3
    SKIP = 4


class Arrival(NamedTuple):
    """One version as it arrives at a program.

    Attributes:
        origin: stored, log or incoming.
        commit: number of the commit that brought it; 0 for stored rows.
        record: its data; None for a delete that carries none.
        source: where the record stands.
        is_delete: whether it is a log's delete entry.
        ordering: an ordering value that overrides the record's own; a delete entry always has one.
        identity: of a delete without data, a record of its key and partition columns.
    """

    origin: Origin
    commit: int
    record: Record | None
    source: Any
    is_delete: bool = False
    ordering: Ordering | None = None
    identity: Record | None = None


class Emit(Protocol):
    """Takes an outcome: the action, the row (None or without data: the bare key), and what the program adds."""

    def __call__(self, action: Action, row: Carrier | None, *extras: Any) -> None:
        """Take one outcome."""


class Program(Protocol):
    """What the engines run."""

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take the next version of the key."""

    def finish(self, emit: Emit) -> None:
        """End the key."""

    def held(self) -> Iterator[Carrier]:
        """Give the carriers whose rows the program still needs."""


class KeyState:
    """The parts that all programs share: the key, its stored row, its folded log and its folded input."""

    def __init__(self, merge: RecordMerge) -> None:
        self.merge = merge
        self.key: HoodieKey = None  # type: ignore[assignment]
        self.base: StoredRow | None = None
        self.log: Carrier | None = None
        self.input: Carrier | None = None
        self.uncombined: list[Carrier] = []  # what the batch has before `input`, where it is not combined

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""
        self.key, self.base, self.log, self.input, self.uncombined = key, None, None, None, []

    def accept(self, arrival: Arrival, emit: Emit) -> None:  # noqa: ARG002
        """Take the next version."""
        if arrival.origin is Origin.INCOMING:
            self.fold_input(arrival)
        elif arrival.origin is Origin.STORED:
            if self.base is not None:
                msg = "the stored side has more than one row for the key; deduplicate it or check the key columns"
                raise InputError(msg)
            self.base = StoredRow(self.key, arrival.record, self.merge.schema, arrival.source)
        elif arrival.is_delete:
            self.log = self.merge.fold_log(self.log, self.key, LogDelete(arrival.ordering))
        else:
            self.log = self.merge.fold_log(self.log, self.key, LogRow(arrival.record or {}, arrival.source))

    def fold_input(self, arrival: Arrival) -> None:
        """Combine an incoming version with those of its batch before it, where the plan has batches combined."""
        version = self.merge.incoming(self.key, arrival.record, arrival.source, arrival.ordering)
        if self.input is None:
            self.input = version
        elif self.merge.plan.combine_before_upsert:
            self.input = self.merge.combine_input(self.input, version)
        else:
            self.uncombined.append(self.input)
            self.input = version

    def take_input(self) -> list[Carrier]:
        """Return the versions of the batch that reach the table, in order of arrival, and forget them."""
        versions = [] if self.input is None else [*self.uncombined, self.input]
        self.input, self.uncombined = None, []
        return versions

    def write_base(self) -> None:
        """Merge the input into the base file (copy-on-write), or insert it."""
        versions = self.take_input()
        if self.base is not None and versions:
            self.base = self.merge.upsert(self.base, functools.reduce(self.merge.meet, versions))
        elif versions:
            self.base = self._insert(versions)

    def log_entries(self) -> list[LogRow | LogDelete]:
        """Return what the input becomes in a log, in its order there: deletes come last."""
        entries = [entry for version in self.take_input() if (entry := self.merge.log_entry(version)) is not None]
        return sorted(entries, key=lambda entry: isinstance(entry, LogDelete))

    def _insert(self, versions: list[Carrier]) -> StoredRow | None:
        rows = [row for version in versions if (row := self.merge.insert(version)) is not None]
        if len(rows) > 1:
            msg = (
                f"a batch inserts {len(rows)} rows of the new key; Hudi would store them all and have duplicates from "
                "then on, which is not ported: combine the batch (hoodie.combine.before.upsert=true) or drop one"
            )
            raise InputError(msg)
        return rows[0] if rows else None

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of all parts."""
        return (carrier for carrier in (self.base, self.log, *self.uncombined, self.input) if carrier is not None)


class CombineInput(KeyState):
    """Deduplicate a batch. Adds: whether the survivor is a delete, its ordering value."""

    def finish(self, emit: Emit) -> None:
        """Emit the survivor; a delete without data as a bare key."""
        if self.input is not None:
            extras = self.merge.is_deleted(self.input), self.input.ordering_value
            emit(Action.INSERT, None if self.input.record is None else self.input, *extras)


class Upsert(KeyState):
    """Copy-on-write merge of a batch into the stored rows."""

    def finish(self, emit: Emit) -> None:
        """Emit the row that is stored afterwards, or the bare key of a deleted or dropped one."""
        before = self.base
        self.write_base()
        emit(change_of(before, self.base), self.base)


class Append(KeyState):
    """Merge-on-read write. Adds: whether the outcome goes to the log, the ordering value of a delete entry."""

    def finish(self, emit: Emit) -> None:
        """Emit the stored row as it was, and the log entries or the new row that the batch makes."""
        if self.base is not None:
            emit(Action.KEEP, self.base, False, None)
        elif self.merge.plan.inserts_to == "base":
            self.write_base()
            emit(change_of(None, self.base), self.base, False, None)
            return
        new = Action.INSERT if self.base is None else Action.UPDATE
        had_input, entries = self.input is not None, self.log_entries()
        if had_input and not entries:
            emit(Action.SKIP, None, True, None)
        for entry in entries:
            if isinstance(entry, LogDelete):
                emit(Action.DELETE, None, True, entry.ordering)
            else:
                emit(new, StoredRow(self.key, entry.record, self.merge.schema, entry.source), True, None)


class Snapshot(KeyState):
    """Query-time merge of stored rows with the log."""

    def finish(self, emit: Emit) -> None:
        """Emit the row that a query sees."""
        row = self.merge.snapshot(self.base, self.log)
        emit(change_of(self.base, row), row)


class Compact(KeyState):
    """Compaction of the log into the stored rows."""

    def finish(self, emit: Emit) -> None:
        """Emit the row of the new base file."""
        row = self.merge.compact(self.base, self.log)
        emit(change_of(self.base, row), row)


def change_of(base: StoredRow | None, row: StoredRow | None) -> Action:
    """Return what became of a stored row that is `row` now."""
    if row is None:
        return Action.SKIP if base is None else Action.DELETE
    if base is None:
        return Action.INSERT
    return Action.KEEP if row is base else Action.UPDATE
