"""NotedLog: a row whose log is also noted entry by entry, since another release may merge it again; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge import LogDelete, LogRow, MergePoint, MergePointError, StoredRow, logged_row
from bridge.programs.key_timeline import KeyTimeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.merge import Carrier, PartialMerge, RecordMerge
    from mergers import HoodieKey
    from payloads import AvroSchema, Record

    Entry: TypeAlias = "StoredRow | LogDelete | PartialEntry"


class PartialEntry(NamedTuple):
    """A row of the log that has some columns alone, with what merges it."""

    merge: PartialMerge
    record: Record
    columns: AvroSchema


class NotedLog(KeyTimeline):
    """A row of a file group with its log, folded and as it is.

    Attributes:
        entries: of the log, since the last compaction.
        planned: how many of them a compaction covers that is planned and has not run; None if none is planned.
        is_due: whether it runs after the next commit, whose entries are not merged with earlier ones.
        is_lost: whether it has removed the stored row, so that an index, which reads base files, finds nothing.
    """

    def __init__(self, merge: RecordMerge, key: HoodieKey) -> None:
        super().__init__(merge, key)
        self.entries: list[Entry] = []
        self.planned: int | None = None
        self.is_due = self.is_lost = False

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry."""
        if not self.is_due:
            self.log = self.reader.fold_log(self.log, self.key, entry)
        self.note_own(entry)

    def append_partial(self, merge: PartialMerge, record: Record, columns: AvroSchema) -> None:
        """Note a row of the log that has some columns alone."""
        if not self.is_due:
            super().append_partial(merge, record, columns)
        self.entries.append(PartialEntry(merge, record, columns))

    @property
    def whole_entries(self) -> Sequence[StoredRow | LogDelete]:
        """The entries but for rows that have some columns alone, which a table with a global index does not get."""
        if self._partial is None:
            return self.entries  # type: ignore[return-value]  # there is no other
        return [entry for entry in self.entries if not isinstance(entry, PartialEntry)]

    def compact(self) -> None:
        """Merge the log into the base file."""
        super().compact()
        self.clear_log()

    def clear_log(self) -> None:
        """Go on with an empty log, of which nothing is planned."""
        self.forget_log()
        self.entries.clear()
        self.planned, self.is_due, self.is_lost = None, False, False

    def drop(self) -> None:
        """Forget the row: another file group replaces its own."""
        self.base = None
        self.clear_log()

    def note_own(self, entry: LogRow | LogDelete) -> None:
        """Note an entry that the log has before the first commit, for the writer that takes the table over."""
        self.entries.append(entry if isinstance(entry, LogDelete) else logged_row(self.key, entry))

    @property
    def is_planned(self) -> bool:
        """Whether a compaction of the file group is planned."""
        return self.planned is not None

    def plan_compaction(self) -> None:
        """Plan a compaction of the log as it is; what is written from now on lies on the base file that it makes."""
        self.planned = len(self.entries)

    def expect_compaction(self) -> None:
        """Go on with a writer that runs what is planned after its first commit."""
        self.is_due = self.is_planned

    def hold_back(self) -> list[Entry] | None:
        """Take out of the log what a planned compaction does not cover, and return it; None if none is planned."""
        if self.planned is None:
            return None
        later = self.entries[self.planned :]
        del self.entries[self.planned :]
        if not self.is_due:
            self.merge_log_again(self.merge)
        return later

    def resume(self, later: list[Entry]) -> None:
        """Put what was held back onto the compacted row; without a log there was nothing to compact."""
        self.planned, self.is_due = None, False
        self.entries += later
        self.is_lost = self.base is None and bool(later)
        self.merge_log_again(self.merge)

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Merge the log by the rules of another writer, which goes on with it.

        Raises:
            MergePointError: its release can't read the log.
        """
        old, self.merge = self.merge, merge
        self.forget_log()
        for entry in self.entries:
            if isinstance(entry, PartialEntry):
                super().append_partial(*entry)
                continue
            if isinstance(entry, LogDelete):
                check_block(entry, old, merge)
            same = entry if isinstance(entry, LogDelete) else LogRow(entry.record or {}, entry.source)
            self.log = self.reader.fold_log(self.log, self.key, same)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the row and its log."""
        yield from super().held()
        yield from (entry for entry in self.entries if isinstance(entry, StoredRow))


def check_block(entry: LogDelete, old: RecordMerge, new: RecordMerge) -> None:
    """Refuse a delete that only the old release can read: Kryo has another number for Utf8 in each.

    Raises:
        MergePointError: naming the release.
    """
    reader, utf8 = capabilities(new.plan.release), capabilities(old.plan.release).delete_block_utf8
    is_text = entry.ordering is not None and entry.ordering.java_type == "utf8"
    if is_text and utf8 is not None and utf8 != reader.delete_block_utf8:
        msg = (
            f"Hudi {reader.release} can't read a delete block with text as ordering value that Hudi "
            f"{old.plan.release} wrote; compact the table before the upgrade"
        )
        raise MergePointError(MergePoint.LOG_FOLD, InputError(msg))
