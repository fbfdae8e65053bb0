"""Files: the file groups that have rows of a key, found by an index of its partition; plain Python, no Spark.

Source: HoodieSimpleIndex and HoodieBloomIndex, which read base files, all releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.merge import SKIPPED, LogDelete, LogRow, MergePoint, MergePointError, StoredRow
from bridge.programs.file_group import FileGroup
from bridge.programs.key_timeline import LOG_ALONE, KeyTimeline
from bridge.programs.noted_log import NotedLog
from bridge.programs.program import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.listeners import TableTrace
    from bridge.programs.merged_source import MergedSource
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey


class Files:
    """The file groups of a key in one partition.

    A compaction that an upgrade has planned can leave a row in a log alone. An index that reads base files does not
    find it: the next version of the key begins another file group, and a query shows both rows. Once a compaction has
    stored the first, a writer finds both.

    Attributes:
        merge: the calls of the writer.
        groups: the file groups that have rows, or had some that queries still show.
        commit: the commit that is written.
        log_updates: whether updates go to the log (merge-on-read) or are merged at once (copy-on-write).
        writes_to_log: whether what is written now goes to a log.
        trace: is told what no merge call tells.
    """

    trace: TableTrace | None = None

    _notes_logs = False

    def __init__(self, merge: RecordMerge, *, log_updates: bool, is_taken_over: bool = False) -> None:
        """Set up a table; `is_taken_over`: whether another writer will merge its logs again."""
        self.merge = merge
        self.log_updates = log_updates
        self.groups: list[FileGroup] = []
        self.commit = 0
        self.writes_to_log = False
        self._key: HoodieKey = None  # type: ignore[assignment]  # there is one from `start` on
        self._row_type = NotedLog if is_taken_over or self._notes_logs else KeyTimeline
        self._finds_logs = log_updates and merge.plan.inserts_to == "log"

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table."""
        self._key, self.groups, self.commit, self.writes_to_log = key, [], 0, False

    def key_of(self, arrival: Arrival) -> HoodieKey:  # noqa: ARG002 (as in a table with a global index)
        """Return the key of a version."""
        return self._key

    def new_group(self, key: HoodieKey, version: Carrier) -> FileGroup:  # noqa: ARG002 (as in `key_of`)
        """Return an empty file group in the partition of `key`; `version` is its first."""
        return FileGroup(self.merge, key, self._row_type)

    def take_own(self, arrival: Arrival) -> None:
        """Take a stored row or a log entry that the table has before the first commit."""
        group = self.groups[0] if self.groups else FileGroup(self.merge, self._key, self._row_type)
        self.groups = [group]
        row = group.rows[0] if group.rows else group.new_row()
        if arrival.origin is Origin.LOG and isinstance(row, NotedLog):
            own = LogDelete(arrival.ordering) if arrival.is_delete else LogRow(arrival.record or {}, arrival.source)
            row.note_own(own)  # the next writer folds the log
        else:
            row.take_own(arrival)

    @property
    def own(self) -> StoredRow | None:
        """The stored row that the table has before the first commit."""
        return self.groups[0].rows[0].base if self.groups else None

    # -- writing

    @property
    def found(self) -> list[FileGroup]:
        """The file groups in which the index finds the key."""
        return [group for group in self.groups if self._finds_logs or group.is_stored]

    @property
    def is_found(self) -> bool:
        """Whether a base file has the key."""
        for group in self.groups:  # noqa: SIM110 (every write asks)
            if group.is_stored:
                return True
        return False

    @property
    def has_log(self) -> bool:
        """Whether a log has the key."""
        return any(row.log is not None for group in self.groups for row in group.rows)

    def write(self, merge: RecordMerge, versions: list[Carrier]) -> None:
        """Upsert versions, or delete by them: in each file group that the index finds, or in a new one."""
        begins, self.writes_to_log = True, self.log_updates
        for group in self.groups:
            if self._finds_logs or group.is_stored:
                group.write(merge, versions, to_log=self.log_updates)
                begins = False
        self.writes_to_log = False
        if begins:
            self.begin(self._key, merge, versions)

    def write_at(self, group: FileGroup, merge: RecordMerge, versions: list[Carrier]) -> None:
        """Merge versions with the rows of a file group, or append them to its log."""
        self.writes_to_log = self.log_updates
        group.write(merge, versions, to_log=self.log_updates)
        self.writes_to_log = False

    def begin(self, key: HoodieKey, merge: RecordMerge, versions: list[Carrier]) -> None:
        """Write the versions of a key that the index does not find.

        Raises:
            MergePointError: a log alone has the key, and no compaction of it is known.
        """
        if any(not getattr(row, "is_lost", False) for group in self.groups for row in group.logged):
            raise MergePointError(MergePoint.TAG, InputError(LOG_ALONE))
        group = self.new_group(key, versions[0])
        self.writes_to_log = self._finds_logs
        group.new_row().write(merge, versions, to_log=self._finds_logs)
        self.writes_to_log = False
        self.keep(group)

    def keep(self, group: FileGroup) -> None:
        """Add a file group, if it has got a row, in place of those that are gone."""
        if group.is_stored or group.logged:
            group.without_log = self.commit
            self.groups = [*(one for one in self.groups if one.is_alive), group]

    def home(self) -> FileGroup | None:
        """Return the small file that an insert of the key goes to, if it is one that has the key."""
        return next((group for group in self.groups if group.is_stored), None)

    def write_source(self, source: MergedSource, *, is_insert: bool) -> None:
        """Write what a MERGE INTO makes of its source, which may look no key up.

        Raises:
            MergePointError: a log alone has a row of the key.
        """
        if any(group.logged for group in self.groups):
            msg = "a log alone has a row of the key, for which no MERGE INTO was recorded; compact the table before it"
            raise MergePointError(MergePoint.TAG, InputError(msg))
        found = [] if is_insert else self.found
        self.tell_chosen(source, matched=bool(found))
        self.writes_to_log = self.log_updates
        for group in found:
            group.write_source(source, to_log=self.log_updates)
        self.writes_to_log = False
        if not found and (version := source.written(None)) is not None:
            self.begin(self._key, self.merge, [version])  # type: ignore[list-item]  # a row: there is nothing to delete

    def tell_chosen(self, source: MergedSource, *, matched: bool) -> None:
        """Tell which clause takes the row of a source."""
        if self.trace is not None and (taken := source.chosen(matched=matched)) is not None:
            self.trace.took(taken.version, taken.clause)

    # -- what queries see

    def query(self, commit: int, emit: Emit) -> None:
        """Take the snapshot after `commit`."""
        for group in self.groups:
            group.query(commit, emit)

    def end(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        for group in self.groups:
            for row in group.rows:
                row.show(SKIPPED, commit, emit)

    def visible(self) -> list[StoredRow]:
        """Return the rows that queries see."""
        return [row for group in self.groups for row in group.visible]

    def compact(self, commit: int) -> None:
        """Compact every file group after `commit`."""
        for group in self.groups:
            group.compact()
            group.without_log = commit

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of every file group."""
        for group in self.groups:
            yield from group.held()
