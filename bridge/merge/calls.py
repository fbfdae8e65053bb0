"""What a release calls: the interfaces of a writer, a reader and an index lookup, of a listener, and how calls fail.

Writers, readers and lookups are generic in the carrier of a version: `PayloadVersion` where payload objects merge,
`StoredRow` where a merge mode does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from bridge.merge.points import MergePoint
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bridge.merge.carriers import Carrier, LogDelete, LogRow, StoredRow
    from bridge.merge.outcome import Outcome, RowSource
    from bridge.merge.points import Rule
    from mergers import HoodieKey
    from payloads import Ordering, PayloadRef, Record
    from payloads.builtin import DeleteTest, PairRule

C = TypeVar("C")


class Listener(Protocol):
    """Told of every merge call; the calls of `upsert_pair` and `insert_single` have none."""

    def merged(
        self,
        point: MergePoint,
        rule: Rule,
        older: Carrier | None,
        newer: Carrier | LogDelete,
        outcome: Outcome[Carrier | LogDelete],
    ) -> None:
        """Take one call: where, by what, the version that was there, the one that came, and what became of them."""

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Return by which reference the merge finds a payload class: as it is, or a class that reports its calls."""


class MergePointError(PayloadBridgeError, RuntimeError):
    """A call at a merge point failed.

    Attributes:
        point: the merge point.
        error: what the call raised.
    """

    def __init__(self, point: MergePoint, error: Exception) -> None:
        super().__init__(point, error)
        self.point = point
        self.error = error

    def __str__(self) -> str:
        return f"{self.point.value}: {self.reason}"

    @property
    def reason(self) -> str:
        """What went wrong; an error that is not this project's is named by its type."""
        error = self.error
        return str(error) if isinstance(error, PayloadBridgeError) else f"{type(error).__name__}: {error}"


def located(error: Exception) -> MergePointError:
    """Return an error with its merge point; what fails outside any call fails where versions come in."""
    return error if isinstance(error, MergePointError) else MergePointError(MergePoint.COMBINE_INPUT, error)


class Writer(Protocol[C]):
    """The calls of a writer."""

    @property
    def needs_ordering(self) -> bool:
        """Whether a null ordering value fails even if it is not compared: payloads refuse it when they are built."""

    @property
    def upsert_pair(self) -> Callable[[Record, Record, list[Record]], RowSource]:
        """Do what `incoming` and `upsert` do for the stored row and one of a batch; add a record that is made."""

    @property
    def insert_single(self) -> Callable[[Record, list[Record]], RowSource]:
        """Do what `incoming` and `insert` do for a row without other versions, from record to record."""

    def incoming(self, key: HoodieKey, record: Record | None, source: object, ordering: Ordering | None = None) -> C:
        """Make the version of an incoming row; `ordering` overrides what the ordering fields say."""

    def delete(self, key: HoodieKey, source: object) -> C:
        """Make the version of a key that is deleted without a row (HoodieDeleteHelper)."""

    def combine_input(self, older: C, newer: C) -> C:
        """Combine two versions of one batch, in their order of arrival."""

    def fold_uncombined(self, older: C, newer: C) -> C:
        """Fold two versions of a batch that was not combined into the one that is merged with the stored row."""

    def is_deleted(self, version: C) -> bool:
        """Whether the writer routes this version as a delete."""

    def insert(self, version: C) -> Outcome[StoredRow]:
        """Store a version of a key that has no row: INSERT, or SKIP for a delete and a version to ignore."""

    def upsert(self, base: StoredRow, version: C) -> Outcome[StoredRow]:
        """Merge with the stored row: KEEP, UPDATE or DELETE."""

    def log_entry(self, version: C) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""

    def insert_tests(self) -> tuple[DeleteTest, ...] | None:
        """Return the column tests for rows that go in as they are; None if each record needs a call."""

    def pair_rule(self) -> PairRule | None:
        """Return the rule that chooses between a stored and an incoming row; None if each pair needs a call."""


class Reader(Protocol[C]):
    """The calls of a reader, which are those of compaction, too."""

    def fold_log(self, folded: C | None, key: HoodieKey, entry: LogRow | LogDelete) -> C:
        """Fold the next log entry of a key into its folded log."""

    def read(self, point: MergePoint, base: StoredRow | None, folded: C | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log, for a query or a compaction."""


class IndexLookup(Protocol[C]):
    """The calls of a global index."""

    def merges(self, version: C, path: str) -> bool:
        """Whether the index merges `version` with the row that it found in the partition `path`."""

    def existing(self, base: StoredRow, entries: Iterable[LogRow | LogDelete]) -> StoredRow | None:
        """Return the current row of a file slice."""

    def merged(self, found: StoredRow, path: str, version: C) -> C | None:
        """Return the merged version, its partition in its key; None if the incoming one goes to the old one."""
