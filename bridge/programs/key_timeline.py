"""KeyTimeline: a row of a key through the commits of a table, and since when queries see it; plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import keys
from bridge.errors import InputError
from bridge.merge import Action, MergePoint, MergePointError
from bridge.programs.key_state import KeyState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, LogDelete, LogRow, Outcome, PartialMerge, RecordMerge, StoredRow
    from bridge.programs.program import Emit
    from mergers import HoodieKey
    from payloads import AvroSchema, Record


LOG_ALONE: Final = (
    "the key is in a log file of the table and in no base file: a writer whose index reads base files (SIMPLE, BLOOM) "
    "stores it a second time, which is not supported; if the writer finds keys in logs, as Flink and bucket indexes "
    f"do, set {keys.INDEX_TYPE}=BUCKET and {keys.BUCKET_ENGINE}=CONSISTENT_HASHING, else compact the table first"
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
    """A row of a key through the commits of a table: its state, and which version is visible since when."""

    def __init__(self, merge: RecordMerge, key: HoodieKey = None) -> None:  # type: ignore[assignment]  # see `start`
        super().__init__(merge, key)
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

    def write_log(self, versions: list[Carrier]) -> None:
        """Append a batch to the log (merge-on-read), unless it is new and new keys go to base files.

        Raises:
            MergePointError: a log alone has the key.
        """
        if self.base is None and self.merge.plan.inserts_to == "base":
            if self.log is not None:
                raise MergePointError(MergePoint.TAG, InputError(LOG_ALONE))
            self.write_base(versions)
        else:
            self.append_batch(versions)

    def append_batch(self, versions: list[Carrier]) -> None:
        """Append a batch to the log."""
        for entry in self.log_entries(versions):
            self.append_log(entry)

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry of the log."""
        self.log = self.reader.fold_log(self.log, self.key, entry)

    def append_partial(self, merge: PartialMerge, record: Record, columns: AvroSchema) -> None:
        """Note a row of the log that has some columns alone."""
        self._partial = merge
        self.log = merge.fold_row(self.log, self.key, record, columns)

    def write(self, merge: RecordMerge, versions: list[Carrier], *, to_log: bool) -> None:
        """Merge the versions of a batch with the row by the calls of its writer, or append them to its log."""
        own, self.merge = self.merge, merge
        if to_log:
            self.append_batch(versions)
        else:
            self.write_base(versions)
        self.merge = own

    def compact(self) -> None:
        """Merge the log into the base file."""
        if self.log is not None:
            self.store(self.reader.compact(self.base, self.log))
            self.forget_log()

    def forget_log(self) -> None:
        """Go on without a log."""
        self.log = self._partial = None

    def drop(self) -> None:
        """Forget the row: another file group replaces its own."""
        self.base = None
        self.forget_log()

    @property
    def visible(self) -> StoredRow | None:
        """The row that queries see, if there is one."""
        return None if self._visible is None else self._visible.row

    def show_again(self) -> None:
        """Let the next query show the row anew, even if it is stored as it was."""
        if self._visible is not None:
            self._visible = self._visible._replace(revision=None)

    def show(self, outcome: Outcome[StoredRow], commit: int, emit: Emit) -> None:
        """Note what is visible from `commit` on; emit the row that was visible until then."""
        action, row = outcome
        seen, revision = self._visible, self.revision if action is Action.KEEP else None
        if seen is not None and revision is not None and seen.revision == revision:
            return
        if seen is not None and seen.first < commit:
            emit(Action.KEEP, seen.row, seen.first, commit - 1)
        self._visible = None if row is None else _Visible(row, commit, revision)
