"""NotedLog: a row whose log is also noted entry by entry, since another release may merge it again; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge import LogDelete, LogRow, MergePoint, MergePointError, StoredRow, logged_row
from bridge.programs.commits import KeyTimeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, RecordMerge


class NotedLog(KeyTimeline):
    """A row of a file group with its log, folded and as it is.

    Attributes:
        entries: of the log, since the last compaction.
    """

    def __init__(self, merge: RecordMerge) -> None:
        super().__init__(merge)
        self.entries: list[StoredRow | LogDelete] = []

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry."""
        super().append_log(entry)
        self.entries.append(entry if isinstance(entry, LogDelete) else logged_row(self.key, entry))

    def compact(self) -> None:
        """Merge the log into the base file."""
        super().compact()
        self.entries.clear()

    def merge_log_again(self, merge: RecordMerge) -> None:
        """Merge the log by the rules of another writer, which goes on with it.

        Raises:
            MergePointError: its release can't read the log.
        """
        old, self.merge, self.log = self.merge, merge, None
        for entry in self.entries:
            if isinstance(entry, LogDelete):
                check_block(entry, old, merge)
            same = entry if isinstance(entry, LogDelete) else LogRow(entry.record or {}, entry.source)
            self.log = merge.fold_log(self.log, self.key, same)

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
