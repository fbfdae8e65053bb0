"""Programs over time: a key through the commits of a table, and which row of it is visible when; plain Python."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import keys
from bridge.errors import InputError, PlanError
from bridge.merge import SKIPPED, Action, MergePoint, MergePointError
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.key_state import KeyState
from bridge.programs.program import Origin

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Carrier, LogDelete, LogRow, Outcome, PartialMerge, RecordMerge, StoredRow
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey
    from payloads import AvroSchema, Record


LOG_ALONE: Final = (
    "the key is in a log file of the table and in no base file: a writer whose index reads base files (SIMPLE, BLOOM) "
    "stores it a second time, which is not ported; if the writer finds keys in logs, as Flink and bucket indexes do, "
    f"set {keys.INDEX_TYPE}=BUCKET and {keys.BUCKET_ENGINE}=CONSISTENT_HASHING, else compact the table first"
)
"""Why a batch is not written to a key that a log alone has."""


class _Visible(NamedTuple):
    """The row that queries see.

    Attributes:
        row: the row.
        first: the first commit at which they see it.
        revision: that of the stored row, if they see it as it is stored; None if the query merged it, as it does anew
            each time.
    """

    row: StoredRow
    first: int
    revision: int | None


class KeyTimeline(KeyState):
    """A key through the commits of a table: its state, and which row of it is visible since when."""

    in_one_partition = True

    def __init__(self, merge: RecordMerge) -> None:
        if merge.plan.global_index and self.in_one_partition:
            msg = "with a global index a key may be in several partitions, which only simulate supports; use simulate"
            raise PlanError(msg)
        super().__init__(merge)
        self._visible: _Visible | None = None
        self._partial: PartialMerge | None = None

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        super().start(key)
        self._visible = self._partial = None

    @property
    def reader(self) -> RecordMerge | PartialMerge:
        """The calls that fold and read the log: once it has a partial row, those of partial merges."""
        return self._partial or self.merge

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table and the visible row."""
        yield from super().held()
        if self._visible is not None:
            yield self._visible.row

    def write_log(self) -> None:
        """Append the input to the log (merge-on-read), unless it is new and new keys go to base files.

        Raises:
            MergePointError: a log alone has the key.
        """
        if self.base is None and self.merge.plan.inserts_to == "base":
            if self.log is not None:
                raise MergePointError(MergePoint.TAG, InputError(LOG_ALONE))
            self.write_base()
        else:
            self.append_input()

    def append_input(self) -> None:
        """Append the input to the log."""
        for entry in self.log_entries():
            self.append_log(entry)

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry of the log."""
        self.log = self.reader.fold_log(self.log, self.key, entry)

    def append_partial(self, merge: PartialMerge, record: Record, columns: AvroSchema) -> None:
        """Note a row of the log that has some columns alone."""
        self._partial = merge
        self.log = merge.fold_row(self.log, self.key, record, columns)

    def compact(self) -> None:
        """Merge the log into the base file."""
        if self.log is not None:
            self.store(self.reader.compact(self.base, self.log))
            self.forget_log()

    def forget_log(self) -> None:
        """Go on without a log."""
        self.log = self._partial = None

    def visible(self) -> list[StoredRow]:
        """Return the row that queries see, if there is one."""
        return [] if self._visible is None else [self._visible.row]

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        self.show(self.reader.snapshot(self.base, self.log), commit, emit)

    def show(self, outcome: Outcome[StoredRow], commit: int, emit: Emit) -> None:
        """Note what is visible from `commit` on; emit the row that was visible until then."""
        action, row = outcome
        seen, revision = self._visible, self.revision if action is Action.KEEP else None
        if seen is not None and revision is not None and seen.revision == revision:
            return
        if seen is not None and seen.first < commit:
            emit(Action.KEEP, seen.row, seen.first, commit - 1)
        self._visible = None if row is None else _Visible(row, commit, revision)


class Simulate(KeyTimeline, CommitLoop):
    """Commits in order through all merge points. Adds: the first and the last commit at which the row is visible."""

    def __init__(
        self, merge: RecordMerge, *, commits: int, log_updates: bool, compact_after: Collection[int] = ()
    ) -> None:
        """Set up a table.

        Args:
            merge: the calls of the release.
            commits: how many commits there are; they are numbered from 1.
            log_updates: whether updates go to the log (merge-on-read) or are merged at once (copy-on-write).
            compact_after: the commits after which the log is compacted.
        """
        CommitLoop.__init__(self, commits, compact_after if log_updates else ())
        KeyTimeline.__init__(self, merge)
        self._write = self.write_log if log_updates else self.write_base

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        super().start(key)
        self.rewind()
        self._own: collections.Counter[Origin] = collections.Counter()
        self._stored: StoredRow | None = None

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of a commit, or one that the table has before the first."""
        if arrival.origin is Origin.INCOMING:
            CommitLoop.accept(self, arrival, emit)
            return
        self._own[arrival.origin] += 1
        self.take_stored(arrival, emit)
        if arrival.origin is Origin.STORED:
            self._stored = self.base

    def take_stored(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row or a log entry of the table as it is before the first commit."""
        KeyTimeline.accept(self, arrival, emit)

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        if self._commit:
            self._tell_table()
        super()._end_commit(next_commit, emit)

    def _tell_table(self) -> None:
        own, self._own = self._own, collections.Counter()
        if own and self.listener is not None:
            self.listener.table(own, self._stored, self.visible())

    def write_commit(self, emit: Emit) -> None:
        """Write the input, and take the snapshot; a compaction takes it otherwise."""
        if not self._commit and (self.base is not None or self.log is not None):
            self.query(1, emit)
        if self.input is not None:
            self._write()
            if self._commit not in self._compactions:
                self.query(self._commit, emit)

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact, and take the snapshot."""
        self.compact()
        self.query(commit, emit)

    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        self._tell_table()
        self.show(SKIPPED, commit, emit)
